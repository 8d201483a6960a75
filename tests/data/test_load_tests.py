"""JMeter, Locust and k6: HTTP calls with a time and a verdict, against figures counted by hand."""

from __future__ import annotations

import json

import pytest

from tests.data.reading import accept, kinds, only, read_object, read_sample, read_text

HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
HEADER += "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"


def row(start: int, elapsed: int, ok: bool = True, latency: int = 0, message: str = "OK", label: str = "chat") -> str:
    verdict = "true" if ok else "false"
    return f"{start},{elapsed},{label},200,{message},T 1-1,text,{verdict},,18,8,2,3,null,{latency},0,0\n"


def test_jmeter_times_are_of_what_passed_and_the_span_of_everything() -> None:
    """Sent at 0, 500, 900 ms and taking 100, 300, 10 ms: over by 910 ms. Two passed: mean 200 ms, 2 / 0.91 s."""
    text = HEADER + row(1_700_000_000_000, 100) + row(1_700_000_000_500, 300) + row(1_700_000_000_900, 10, ok=False)
    run = only(read_text(text, "log.jtl"))
    assert (run.outcome, run.values["num_requests"], run.values["failed"], run.values["completed"]) == (
        "partial",
        3,
        1,
        2,
    )
    assert (run.values["e2e_mean_ms"], run.values["e2e_min_ms"]) == (200, 100)
    assert run.values["duration_s"] == pytest.approx(0.91)
    assert run.values["request_rps"] == pytest.approx(2 / 0.91)
    assert run.values["concurrency_peak"] == 3
    assert not any(name.endswith("_tps") for name in run.values), "no tokens are counted"


@pytest.mark.parametrize("delimiter", [";", "|", "\t"])
def test_jmeter_other_delimiters(delimiter: str) -> None:
    text = (HEADER + row(1_700_000_000_000, 100)).replace(",", delimiter)
    assert only(read_text(text, "log.jtl")).values["e2e_mean_ms"] == 100


def test_jmeter_39_without_header_the_columns_are_confirmed() -> None:
    """One sample of 807 ms that passed; 311 ms is the time to the first byte, not to the first token."""
    line = "1431002449675|807|Home Page|200|OK|Thread 1|text|true|20531|1|1|311|1|0|null\n"
    asked = read_text(line, "log.jtl")
    assert asked.status == "questions"
    assert (only(asked).values["e2e_mean_ms"], only(asked).values["completed"]) == (807, 1)
    assert "Latency" in next(one.text for one in asked.questions if one.field == "meaning:columns")
    taken = read_text(line, "log.jtl", accept(asked))
    assert taken.status == "taken"
    assert "311" in next(one.text for one in taken.questions if one.field == "meaning:first_byte")
    assert not any(name.startswith("ttft") for name in only(taken).values)
    wrong = read_text(line, "log.jtl", {"meaning:columns": "timeStamp,elapsed"})
    assert wrong.status == "refused"
    modern = row(1_700_000_000_000, 100, latency=40)
    assert "40 ms" in next(one.text for one in read_text(modern * 2, "l").questions if "byte" in one.field)


def test_jmeter_first_byte_becomes_ttft_on_the_persons_word_alone() -> None:
    text = HEADER + row(1_700_000_000_000, 100, latency=40)
    assert "ttft_mean_ms" not in only(read_text(text, "l")).values
    assert only(read_text(text, "l", {"meaning:first_byte": "ttft"})).values["ttft_mean_ms"] == 40


def test_jmeter_rows_that_shift_or_sum_up_others_are_left_out() -> None:
    total = row(1_700_000_000_000, 400, message="Number of samples in transaction : 2; number of failing samples : 0")
    text = HEADER + row(1_700_000_000_000, 100) + row(1_700_000_000_200, 100) + total + "1700000000000,1,x,200,OK,5,6\n"
    result = read_text(text, "log.jtl")
    assert only(result).values["num_requests"] == 2
    assert [one.line for one in result.skipped] == [4, 5]
    assert "7 cells under 17 headers" in result.skipped[1].why


def test_jmeter_dates_as_text() -> None:
    text = "timeStamp,elapsed,label,success\n2024/03/05 11:00:00.000,100,a,true\n2024/03/05 11:00:01.000,100,a,true\n"
    run = only(read_text(text, "log.csv"))
    assert run.values["duration_s"] == pytest.approx(1.1)
    assert run.values["started_at"] == "2024-03-05T11:00:00Z"


XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n'
    '<httpSample t="100" lt="40" ts="1700000000000" s="true" lb="a" rc="200"><httpSample t="90" ts="1700000000001" '
    's="true" lb="image"/></httpSample>\n'
    '<sample t="300" lt="0" ts="1700000000000" s="true" lb="tx" rm="Number of samples in transaction : 1, ">'
    '<httpSample t="300" lt="50" ts="1700000000500" s="false" lb="b" rc="500"/></sample>\n'
)


def test_jmeter_xml_counts_requests_once() -> None:
    """A page's image is in the page's time; a transaction counts through the request inside it."""
    run = only(read_text(XML + "</testResults>", "log.jtl"))
    assert (run.values["num_requests"], run.values["failed"], run.values["e2e_mean_ms"]) == (2, 1, 100)
    assert run.values["duration_s"] == pytest.approx(0.8)


def test_jmeter_xml_that_breaks_off_gives_what_it_holds() -> None:
    result = read_text(XML, "log.jtl")
    assert only(result).values["num_requests"] == 2
    assert "breaks off" in result.skipped[0].why


DECLARATIONS = [
    '<!DOCTYPE x [<!ENTITY a "b">]>',
    '<!DOCTYPE testResults SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://x">%p;]>',
]


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_jmeter_xml_with_entities_is_refused(declaration: str) -> None:
    text = XML.replace("<testResults", declaration + "<testResults", 1) + "</testResults>"
    result = read_text(text, "log.jtl")
    assert result.status == "refused"
    assert "entities" in result.reason


def test_jmeter_aggregate_total_is_no_third_run() -> None:
    """0.5 % of 200 failed: 1; 10.0 attempted a second are 9.95 that passed. 90 requests a minute are 1.5 a second."""
    text = (
        "Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Max,Error %,Throughput,Received KB/sec,"
        "Sent KB/sec\n"
        "a,200,810,800,900,950,990,700,1000,0.500%,10.0,1,1\nb,100,400,390,450,470,490,300,500,0.00%,90.0/min,1,1\n"
        "TOTAL,300,673,600,900,950,990,300,1000,0.333%,11.5,1,1\n"
    )
    result = read_text(text, "aggregate.csv")
    first, second = (run.values for run in result.runs)
    assert (first["failed"], first["completed"], first["e2e_p90_ms"], first["e2e_p99_ms"]) == (1, 199, 900, 990)
    assert first["request_rps"] == pytest.approx(9.95)
    assert result.runs[0].fields["request_rps"].raw == "10"
    assert "contain_failures" in kinds(result)
    assert second["request_rps"] == pytest.approx(1.5)
    assert result.skipped[-1].line == 4


def test_jmeter_aggregate_in_other_languages() -> None:
    german = "Bezeichnung,# Proben,Durchschnitt,Median,90% Linie,Min.,Max.,Fehler %,Durchsatz\n"
    german += "x,10,100,90,120,80,130,0.0%,5\n"
    chinese = "标签,# 样本,平均值,中位数,90% 百分位,最小值,最大值,异常 %,吞吐量\nx,10,100,90,120,80,130,0.0%,5\n"
    french = (
        "Libellé,# Echantillons,Moyenne,Médiane,90% centile,Min,Max,% Erreur,Débit\nx,10,100,90,120,80,130,0.0%,5\n"
    )
    for text in (german, chinese, french):
        values = only(read_text(text, "a.csv")).values
        read = [values[f"e2e_{stat}_ms"] for stat in ("mean", "p50", "p90", "min", "max")]
        assert (read, values["request_rps"], values["failed"]) == ([100, 90, 120, 80, 130], 5, 0)


def test_jmeter_dashboard_statistics() -> None:
    one = {"transaction": "a", "sampleCount": 100, "errorCount": 20, "errorPct": 20.0, "meanResTime": 250.0,
           "medianResTime": 240.0, "minResTime": 1.0, "maxResTime": 900.0, "pct1ResTime": 400.0, "pct2ResTime": 500.0,
           "pct3ResTime": 800.0, "throughput": 10.0}  # fmt: skip
    run = only(read_object({"a": one, "Total": {**one, "transaction": "Total"}}))
    assert (run.values["failed"], run.values["request_rps"], run.values["e2e_p99_ms"]) == (20, 8.0, 800)


def test_jmeter_reference_files() -> None:
    """255 rows, 3 of them failed; 2000 samples in XML; 0.002 % of 100 000 are 2; a log of failures only."""
    csv = only(read_sample("jmeter_html_report.csv"))
    assert (csv.values["num_requests"], csv.values["failed"]) == (255, 3)
    xml = read_sample("jmeter_sample_log1c.jtl")
    assert (only(xml).values["num_requests"], only(xml).values["e2e_max_ms"]) == (2000, 3195)
    assert any(one.field == "meaning:first_byte" for one in xml.questions)
    summary = only(read_sample("jmeter_summary_report.csv"))
    assert (summary.values["num_requests"], summary.values["failed"], summary.values["e2e_mean_ms"]) == (100_000, 2, 81)
    assert summary.values["request_rps"] == pytest.approx(1151.70222 * 99_998 / 100_000)
    failed = only(read_sample("jmeter_html_report_false.csv"))
    assert (failed.outcome, failed.values["num_requests"]) == ("failed", 50)
    assert not any(name.endswith("_ms") for name in failed.values)


def test_oha_645_locusts_rate_holds_failures() -> None:
    """424 requests, 64 failures, 30.03 a second: 30.03 * 360 / 424 = 25.50 that passed; 1.6 ms is a failure's time."""
    result = read_sample("locust_stats.csv")
    run = only(result)
    assert run.values["request_rps"] == pytest.approx(30.030637555816316 * 360 / 424)
    assert run.fields["request_rps"].raw.startswith("30.03")
    assert (run.outcome, run.values["completed"], run.values["e2e_p95_ms"]) == ("partial", 360, 200)
    assert run.values["e2e_max_ms"] == pytest.approx(289.1070820001005)
    assert "contain_failures" in kinds(result)
    assert len(result.skipped) == 2


def test_locust_history_gives_its_last_totals_and_no_percentiles() -> None:
    """The percentiles of a history are those of the last seconds."""
    result = read_sample("locust_stats_history.csv")
    run = only(result)
    assert (run.values["num_requests"], run.values["failed"], run.values["concurrency_peak"]) == (424, 64, 6)
    assert "e2e_p95_ms" not in run.values
    assert run.values["duration_s"] == pytest.approx(14, abs=1)


def test_locust_lists_of_failures_are_no_results() -> None:
    result = read_sample("locust_failures.csv")
    assert result.status == "refused"
    assert "64 failures" in result.reason
    assert "_stats.csv" in result.reason


def test_locust_old_column_names() -> None:
    text = (
        '"Type","Name","# requests","# failures","Median response time","Average response time","Min response time",'
        '"Max response time","Average Content Size","Requests/s"\n"GET","/",10,0,90,100,80,130,5,2.0\n'
        "None,Total,10,0,90,100,80,130,5,2.0\n"
    )
    assert read_text(text, "s.csv").runs[0].values["request_rps"] == 2.0


def k6_rows(*rows: tuple[str, int, float, str]) -> str:
    lines = [f"{name},{stamp},{value},{expected},200" for name, stamp, value, expected in rows]
    return "metric_name,timestamp,metric_value,expected_response,status\n" + "\n".join(lines) + "\n"


def test_k6_points() -> None:
    """Three requests, one of them unexpected: the mean of the others is (100 + 300) / 2."""
    rows = [("http_reqs", 100, 1.0, "true")] * 3
    rows += [("http_req_duration", 100, 100.0, "true"), ("http_req_duration", 160, 300.0, "true")]
    rows += [("http_req_duration", 161, 1.0, "false"), ("http_req_failed", 161, 1.0, "false"), ("vus", 130, 4.0, "")]
    run = only(read_text(k6_rows(*rows), "k6.csv"))
    assert (run.values["num_requests"], run.values["failed"], run.values["e2e_mean_ms"]) == (3, 1, 200)
    assert run.values["concurrency_peak"] == 4
    assert run.values["duration_s"] == pytest.approx(61.1)


def test_k6_points_as_json() -> None:
    points = [{"type": "Metric", "metric": "http_req_duration", "data": {}}]
    points += [{"type": "Point", "metric": "http_req_duration", "data": {"time": f"2024-01-01T00:00:{n:02}.5Z",
                "value": 250.0, "tags": {"expected_response": "true"}}} for n in (1, 31)]  # fmt: skip
    run = only(read_text("\n".join(json.dumps(one) for one in points), "k6.json"))
    assert (run.values["num_requests"], run.values["e2e_p50_ms"]) == (2, 250)


@pytest.mark.parametrize("nested", [True, False], ids=["handleSummary", "summary-export"])
def test_k6_summary_counts_of_failures_are_passes(nested: bool) -> None:
    """http_req_failed: rate 0.2 of 50 requests, so 10 failed; k6 calls these 10 its passes. 5 a second * 0.8 = 4."""

    def metric(values: dict[str, float]) -> dict[str, object]:
        return {"type": "x", "values": values} if nested else dict(values)

    failed = {"rate": 0.2, "passes": 10, "fails": 40} if nested else {"value": 0.2, "passes": 10, "fails": 40}
    metrics = {
        "http_reqs": metric({"count": 50, "rate": 5.0}),
        "http_req_failed": metric(failed),
        "http_req_duration": metric(
            {"avg": 150.0, "min": 1.0, "med": 140.0, "max": 400.0, "p(90)": 200.0, "p(95)": 300.0}
        ),
        "http_req_waiting": metric({"avg": 30.0}),
    }
    result = read_object({"metrics": metrics, "root_group": {}})
    run = only(result)
    assert (run.outcome, run.values["failed"], run.values["completed"]) == ("partial", 10, 40)
    assert (run.values["request_rps"], run.values["e2e_p95_ms"]) == (4.0, 300)
    assert "contain_failures" in kinds(result)
    good = metric({"avg": 180.0, "p(95)": 310.0})
    better = read_object({"metrics": {**metrics, "http_req_duration{expected_response:true}": good}})
    assert only(better).values["e2e_p95_ms"] == 310
    assert "contain_failures" not in kinds(better)


def test_k6_reference_file() -> None:
    run = only(read_sample("k6_out_csv_2022.csv"))
    assert (run.values["num_requests"], run.values["e2e_mean_ms"]) == (1, 114.365)
    assert "duration_s" not in run.values, "one second is the step of its clock"
