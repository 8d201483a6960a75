"""GuideLLM reports and tables of several versions, against figures read off the files by hand."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import yaml

from data.readers import ReadResult, read_bytes, readers, sample_path
from data.readers.intake.twins import same_run
from tests.data.reading import kinds, only, read_object, read_sample, read_text

NAMES = ("p001", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999")


def spread(mean: float, std_dev: float = 0.0, count: int = 10) -> dict[str, Any]:
    """A distribution around a mean."""
    return {
        "mean": mean, "median": mean, "std_dev": std_dev, "min": mean - std_dev, "max": mean + std_dev, "count": count,
        "total_sum": mean * count, "percentiles": dict.fromkeys(NAMES, mean),
    }  # fmt: skip


def by_status(mean: float, std_dev: float = 0.0, total: float | None = None) -> dict[str, Any]:
    return {
        "successful": spread(mean, std_dev), "errored": None, "incomplete": None,
        "total": spread(mean if total is None else total, std_dev),
    }  # fmt: skip


def benchmark(strategy: dict[str, Any], **metrics: Any) -> dict[str, Any]:
    """10 requests of 100/51 tokens in 10 s: E2E 50 + 50 * 10 = 550 ms; TPOT of the tool (50 + 500) / 51."""
    found = {
        "request_totals": {"successful": 10, "errored": 0, "incomplete": 0, "total": 10},
        "requests_per_second": by_status(1.0),
        "request_latency": by_status(0.55),
        "prompt_token_count": by_status(100),
        "output_token_count": by_status(51),
        "time_to_first_token_ms": by_status(50.0, 1.0),
        "time_per_output_token_ms": by_status(550 / 51),
        "inter_token_latency_ms": by_status(10.0, 0.1),
        "output_tokens_per_second": by_status(51.0),
        "tokens_per_second": by_status(151.0),
        **metrics,
    }
    config = {"strategy": strategy, "backend": {"model": "org/model"}}
    return {
        "type_": "generative_benchmark",
        "config": config,
        "metrics": found,
        "start_time": 0.0,
        "duration": 10.0,
    }


def read_report(*benchmarks: dict[str, Any], **top: Any) -> ReadResult:
    return read_object({"benchmarks": list(benchmarks), **top})


SYNCHRONOUS = {"type_": "synchronous"}


def test_seconds_and_milliseconds_in_one_report() -> None:
    run = only(read_report(benchmark(SYNCHRONOUS)))
    assert run.values["e2e_mean_ms"] == pytest.approx(550)
    assert (run.fields["e2e_mean_ms"].unit, run.fields["e2e_mean_ms"].origin) == ("s", "converted")
    assert (run.values["ttft_mean_ms"], run.fields["ttft_mean_ms"].origin) == (50.0, "stated")
    assert run.values["ttft_max_ms"] == 51.0
    assert run.values["started_at"] == "1970-01-01T00:00:00+00:00"
    assert run.values["model_raw"] == "org/model"


STRATEGIES = [
    (SYNCHRONOUS, "concurrency", 1, None),
    ({"type_": "concurrent", "streams": 4, "max_concurrency": 4}, "concurrency", 4, None),
    ({"type_": "constant", "rate": 2.0, "max_concurrency": 10240}, "rate", None, 2.0),
    ({"type_": "poisson", "rate": 3.5}, "rate", None, 3.5),
    ({"type_": "throughput", "max_concurrency": 512}, "offline", 512, None),
]


@pytest.mark.parametrize(("strategy", "mode", "concurrency", "rate"), STRATEGIES)
def test_a_strategy_is_a_load_mode(
    strategy: dict[str, Any], mode: str, concurrency: int | None, rate: float | None
) -> None:
    values = only(read_report(benchmark(strategy))).values
    assert (values["load_mode"], values.get("concurrency"), values.get("request_rate")) == (mode, concurrency, rate)


@pytest.mark.parametrize(
    ("stated", "meaning"),
    [(550 / 51, "TTFT inside"), (10 * 50 / 51, "one interval short"), (7.0, "in doubt")],
    ids=["with TTFT", "last - first over all tokens", "neither"],
)
def test_time_per_output_token_is_told_by_arithmetic(stated: float, meaning: str) -> None:
    """(50 + 50 * 10) / 51 = 10.78 holds TTFT; 50 * 10 / 51 = 9.80 does not. TPOT is 10 either way."""
    result = read_report(benchmark(SYNCHRONOUS, time_per_output_token_ms=by_status(stated)))
    assert meaning in next(one.text for one in result.warnings if one.kind == "metric_definition")
    assert only(result).values["tpot_mean_ms"] == 10.0
    assert only(result).values["itl_mean_ms"] == 10.0


def test_unequal_outputs_make_the_weighted_mean_no_percentile_of_tpot() -> None:
    values = only(read_report(benchmark(SYNCHRONOUS, output_token_count=by_status(51, 20.0)))).values
    assert (values["tpot_mean_ms"], "tpot_p99_ms" in values) == (10.0, False)
    assert values["itl_p99_ms"] == 10.0


def test_requests_kept_whole_give_the_mean_over_requests() -> None:
    """One request of 12 and one of 8 ms: 10 over requests, whatever the weights by tokens say."""
    one = benchmark(SYNCHRONOUS, output_token_count=by_status(51, 20.0), inter_token_latency_ms=by_status(11.5))
    one["metrics"]["request_totals"] = {"successful": 2, "errored": 0, "incomplete": 0, "total": 2}
    one["requests"] = {"successful": [{"inter_token_latency_ms": 12.0}, {"inter_token_latency_ms": 8.0}]}
    values = only(read_report(one)).values
    assert (values["tpot_mean_ms"], values["tpot_max_ms"], values["itl_mean_ms"]) == (10.0, 12.0, 11.5)


def test_guidellm_529_requests_cut_off_hide_tokens() -> None:
    """9 of 41 cut off at the time limit: 651.8 tokens/s of the completed, 729.2 of all."""
    one = benchmark(SYNCHRONOUS, output_tokens_per_second=by_status(651.8, total=729.2))
    one["metrics"]["request_totals"] = {"successful": 32, "errored": 0, "incomplete": 9, "total": 41}
    result = read_report(one)
    run = only(result)
    assert (run.outcome, run.values["completed"], run.values["incomplete"], run.values["num_requests"]) == (
        "partial",
        32,
        9,
        41,
    )
    assert run.values["output_tps"] == 651.8
    assert "729.2" in next(one.text for one in result.warnings if one.kind == "cut_off")


def test_guidellm_444_errored_requests_are_failures() -> None:
    one = benchmark(SYNCHRONOUS)
    one["metrics"]["request_totals"] = {"successful": 6, "errored": 4, "incomplete": 0, "total": 10}
    result = read_report(one)
    assert (only(result).outcome, only(result).values["failed"]) == ("partial", 4)


def test_nothing_succeeded() -> None:
    """Zeros of a distribution over no request are no measurements."""
    empty = {"successful": {**spread(0.0), "count": 0}, "errored": spread(1.0), "incomplete": None}
    names = ("request_latency", "time_to_first_token_ms", "inter_token_latency_ms", "output_tokens_per_second")
    one = benchmark(SYNCHRONOUS, **dict.fromkeys(names, empty))
    one["metrics"]["request_totals"] = {"successful": 0, "errored": 10, "incomplete": 0, "total": 10}
    run = only(read_report(one))
    assert run.outcome == "failed"
    assert not any(name.endswith(("_ms", "_tps", "_rps")) for name in run.values)


def test_0_3_1_of_the_collection() -> None:
    """No metadata; strategy, model and data under args, worker and request_loader; 14 requests each."""
    result = read_sample("guidellm_0.3.1_concurrent.json")
    first, second = result.runs
    assert (result.format, result.tool_version) == ("guidellm", "")
    assert (first.values["concurrency"], second.values["concurrency"]) == (1, 4)
    assert first.values["tpot_mean_ms"] == pytest.approx(13.004839050103419)
    assert first.values["e2e_mean_ms"] == pytest.approx(387.6711641039168)
    assert first.values["output_tps"] == pytest.approx(61.29492842703502)
    assert (first.values["isl_nominal"], first.values["isl_mean"]) == (64, pytest.approx(409 / 14))
    assert first.values["model_raw"] == "mock-llm-8b"
    assert "12.46" in next(one.text for one in result.warnings if one.kind == "metric_definition")
    assert "Hello tok1" not in first.native, "answers stay in the file"


def test_0_8_1_of_the_collection_as_report_and_as_table() -> None:
    """15.79 ms holds TTFT; (69.41 + 23 * 13.453) / 24 = 15.785. Both files hold the same two runs."""
    report, table = read_sample("guidellm_0.8.1_concurrent.json"), read_sample("guidellm_0.8.1_concurrent.csv")
    for result in (report, table):
        first, second = result.runs
        assert result.tool_version == "0.8.1"
        assert first.values["tpot_mean_ms"] == pytest.approx(13.453481853872104)
        assert second.values["output_tps"] == pytest.approx(260.237343542677)
        assert (second.values["completed"], second.values["concurrency"]) == (12, 4)
        assert second.values["ttft_p99_ms"] == pytest.approx(92.7824974, abs=1e-6)
        assert first.values["model_raw"] == "mock-llm-8b"
        assert "15.79" in next(one.text for one in result.warnings if one.kind == "metric_definition")
    assert all(same_run(a, b) for a, b in zip(report.runs, table.runs, strict=True))


def test_0_8_development_of_the_collection() -> None:
    """Constant rates of 2 and 4 a second, two requests each; `max_concurrency` 10240 is no limit that was asked for."""
    runs = read_sample("guidellm_0.8dev_report_v2.json").runs
    assert [run.values["request_rate"] for run in runs] == [2.0, 4.0]
    assert "concurrency" not in runs[0].values
    assert runs[0].values["e2e_mean_ms"] == pytest.approx(19.78909969329834)
    assert (runs[0].values["osl_mean"], runs[0].values["output_tps"]) == (8, pytest.approx(3.1950675815128577))


def test_the_parsed_summary_holds_seconds_under_a_name_in_ms() -> None:
    """2.330 s = 1006.2 + 127 * 10.424 ms: the suffix _ms is wrong, and the file proves it. 586 + 23 of 609."""
    result = read_sample("guidellm_parsed_summary.json")
    run = only(result)
    assert run.values["e2e_mean_ms"] == pytest.approx(2330.0955913986)
    assert run.values["e2e_p99_ms"] == pytest.approx(2349.3130207061768)
    assert run.fields["e2e_mean_ms"].raw == "2.3300955913986363"
    assert (run.values["completed"], run.values["incomplete"], run.values["num_requests"]) == (586, 23, 609)
    assert (run.outcome, run.values["request_rate"]) == ("partial", 10.0)
    assert {"unit_claim", "metric_definition"} <= kinds(result)


def test_a_suffix_that_may_be_right_is_believed() -> None:
    path = sample_path(next(reader for reader in readers() if reader.key == "guidellm_summary"))
    run = only(read_bytes("s.json", path.read_bytes()))
    assert run.values["e2e_mean_ms"] == 1350.0
    wrong = {**json.loads(path.read_text()), "request_latency_mean_ms": 7.0}
    result = read_object(wrong)
    assert only(result).values["e2e_mean_ms"] == 7.0, "neither unit agrees: named, not replaced"
    assert "contradiction" in kinds(result)


def test_yaml_of_the_same_shape_is_the_same_runs() -> None:
    path = sample_path(next(reader for reader in readers() if reader.key == "guidellm"))
    whole = read_bytes("b.json", path.read_bytes())
    text = yaml.safe_dump(json.loads(path.read_text()), sort_keys=False)
    again = read_bytes("b.yaml", text.encode())
    assert (again.status, again.format) == ("taken", "guidellm")
    assert [run.run_id for run in again.runs] == [run.run_id for run in whole.runs]
    cut = read_bytes("b.yaml", text[: len(text) // 2].encode())
    assert cut.status in ("taken", "refused")


METRICS = {
    "Request latency": (0.55, 1.0), "Time to first token ms": (50.0, 1.0), "Inter token latency ms": (10.0, 0.1),
    "Time per output token ms": (9.8, 0.0), "Output token count": (51.0, 0.0), "Prompt token count": (100.0, 0.0),
    "Output tokens per second": (51.0, 0.0), "Tokens per second": (151.0, 0.0), "Requests per second": (1.0, 0.0),
}  # fmt: skip


def flat_table(rows: int = 1, extra: tuple[str, ...] = ()) -> str:
    """The layout of 0.3: one header, percentiles without a median as a list in one cell."""
    headers = ["Type", "Run Id", "Id", "Name", "Start Time", "End Time", "Duration"]
    values: list[Any] = ["generative_benchmark", "r", "i", "concurrent@4", "2025-01-02 03:04:05", "", 10.0]
    for status, count in (("Successful", 10), ("Errored", 0), ("Incomplete", 0), ("Total", 10)):
        headers.append(f"{status} Requests")
        values.append(count)
        for name, (mean, wide) in METRICS.items():
            rest = ("mean", "median", "std dev", "[min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]")
            headers += [f"{status} {name} {one}" for one in rest]
            values += [
                mean,
                mean + wide / 2,
                wide,
                str([mean - wide, *[mean] * 5, *[mean + wide] * 4, mean + 2 * wide]),
            ]
    headers += ["Profile", "Backend", "Generator Data"]
    values += ["{}", json.dumps({"model": "org/model"}), json.dumps("prompt_tokens=128,output_tokens=51")]
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(headers)
    for _ in range(rows):
        table.writerow([*values, *extra])
    return out.getvalue()


def test_flat_table_with_percentiles_in_one_cell() -> None:
    """The list has no 50th percentile: the median comes from its own column; the fourth from the end is the 90th."""
    result = read_text(flat_table())
    run = only(result)
    assert result.format == "guidellm_csv"
    assert (run.values["ttft_mean_ms"], run.values["ttft_p50_ms"], run.values["ttft_p90_ms"]) == (50.0, 50.5, 51.0)
    assert (run.values["ttft_min_ms"], run.values["ttft_max_ms"], run.values["ttft_p99_ms"]) == (49.0, 52.0, 51.0)
    assert run.values["e2e_mean_ms"] == pytest.approx(550)
    assert (run.values["concurrency"], run.values["model_raw"], run.values["isl_nominal"]) == (4, "org/model", 128)
    assert (run.values["completed"], run.values["failed"], run.values["tpot_mean_ms"]) == (10, 0, 10.0)
    assert run.values["started_at"] == "2025-01-02T03:04:05"
    assert "metric_definition" in kinds(result)


def test_guidellm_707_a_row_with_more_cells_than_headers_is_left_out_whole() -> None:
    good, bad = flat_table().splitlines(), flat_table(extra=("1", "2")).splitlines()
    result = read_text("\n".join([*good, bad[1]]) + "\n")
    assert len(result.runs) == 1
    width = len(next(csv.reader([good[0]])))
    assert result.skipped[0].line == 3
    assert f"{width + 2} cells under {width} headers" in result.skipped[0].why


def test_other_kinds_of_benchmarks_are_listed() -> None:
    result = read_report(benchmark(SYNCHRONOUS), {"type_": "embeddings_benchmark", "metrics": {}})
    assert len(result.runs) == 1
    assert "no generative benchmark" in result.skipped[0].why
