"""Tables as people keep them: number marks, headers, units, rows, against readings worked out by hand."""

from __future__ import annotations

import pytest

from data.readers.tables.headers import role_of
from data.readers.tables.numbers import decide_marks, parse_cell
from tests.data.reading import accept, read_text


@pytest.mark.parametrize(
    ("cells", "decimal", "open_"),
    [
        (["1.036,7", "12"], ",", False),
        (["1,412", "9.8"], ".", False),
        (["1.234", "0.5"], ".", False),
        (["1.234.567", "12,5"], ",", False),
        (["1 234,5"], ",", False),
        (["1'234.5"], ".", False),
        (["0,123"], ",", False),
        (["1234.567"], ".", False),
        (["12", "1e3"], ".", False),
        (["1.234", "5.678"], ".", True),
        (["1,234", "5,678"], ".", True),
        (["1.5", "2,5"], ".", True),
        (["1,234", "12345"], ",", True),
    ],
)
def test_marks_are_decided_by_all_cells_together(cells: list[str], decimal: str, open_: bool) -> None:
    marks = decide_marks(cells)
    assert marks.decimal == decimal
    assert bool(marks.open) == open_


@pytest.mark.parametrize(
    ("text", "decimal", "value", "unit"),
    [
        ("1.036,7", ",", 1036.7, ""),
        ("1,412", ".", 1412, ""),
        ("85ms", ".", 85, "ms"),
        ("0.21 s", ".", 0.21, "s"),
        ("99.2%", ".", 99.2, "%"),
        ("1e3", ".", 1000, ""),
        ("-3.0", ".", -3, ""),
        ("−3,5", ",", -3.5, ""),
        ("~120", ".", 120, ""),
        ("12.5 ± 0.3", ".", 12.5, ""),
        ("1\u202f234,5", ",", 1234.5, ""),
    ],
)
def test_cells_with_numbers(text: str, decimal: str, value: float, unit: str) -> None:
    cell = parse_cell(text, decimal)
    assert (cell.kind, cell.value, cell.unit) == ("number", value, unit)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("OOM", "oom"), ("CUDA out of memory", "oom"), ("N/A", "missing"), ("-", "missing"), ("", "missing"),
     ("nan", "missing"), ("failed", "failed"), ("timeout", "failed"), ("see notes", "text"), (">100", "text")],
)  # fmt: skip
def test_cells_without_numbers_are_never_zero(text: str, kind: str) -> None:
    cell = parse_cell(text, ".")
    assert (cell.kind, cell.value) == (kind, None)


@pytest.mark.parametrize(
    ("header", "target", "unit"),
    [
        ("TTFT (ms)", "ttft_mean_ms", "ms"),
        ("p99 TTFT [s]", "ttft_p99_ms", "s"),
        ("ttft_p50_ms", "ttft_p50_ms", "ms"),
        ("TTFT Latency P99 (ms)", "ttft_p99_ms", "ms"),
        ("TPOT (P50 in ms)", "tpot_p50_ms", "ms"),
        ("Time per output token, mean (ms)", "tpot_mean_ms", "ms"),
        ("Inter-token latency (ms)", "itl_mean_ms", "ms"),
        ("e2e p95", "e2e_p95_ms", ""),
        ("Median end-to-end latency in s", "e2e_p50_ms", "s"),
        ("Output Token Throughput (tokens/sec)", "output_tps", "tokens/s"),
        ("Output token Throughput (per second)", "output_tps", "tokens/s"),
        ("out tok/s", "output_tps", "tokens/s"),
        ("tok/s/user", "output_tps_per_user", "tokens/s"),
        ("tokens/s per GPU", "output_tps_per_device", "tokens/s"),
        ("Requests/s", "request_rps", "1/s"),
        ("Request throughput", "request_rps", "1/s"),
        ("Request rate", "request_rate", "1/s"),
        ("Prefill tok/s", "prefill_tps", "tokens/s"),
        ("# GPUs", "device_count", ""),
        ("Anzahl GPUs", "device_count", ""),
        ("GPU", "DEVICE", ""),
        ("Gleichzeitige Anfragen", "concurrency", ""),
        ("Num Concurrent Requests", "concurrency", ""),
        ("Batch size", "batch_size", ""),
        ("Input tokens", "isl_nominal", "tokens"),
        ("Avg_Input_Len", "isl_mean", "tokens"),
        ("Precision", "weight_format", ""),
        ("KV cache dtype", "kv_format", ""),
        ("Duration (s)", "duration_s", "s"),
        ("Error %", "FAILURE", ""),
        ("Throughput per watt", "", ""),
        ("Perplexity", "", ""),
    ],
)
def test_headers(header: str, target: str, unit: str) -> None:
    role = role_of(header)
    assert (role.target, role.unit, role.candidates) == (target, unit, ())


@pytest.mark.parametrize(
    ("header", "candidates"),
    [
        ("TPS", {"output_tps", "total_tps"}),
        ("tok/s (total)", {"output_tps", "total_tps"}),
        ("Throughput", {"output_tps", "total_tps", "request_rps"}),
        ("Latency", {"e2e_mean_ms", "ttft_mean_ms"}),
        ("p99 latency (s)", {"e2e_p99_ms", "ttft_p99_ms"}),
    ],
)
def test_bare_words_are_asked(header: str, candidates: set[str]) -> None:
    role = role_of(header)
    assert (role.target, set(role.candidates)) == ("", candidates)


def test_a_row_with_too_many_cells_is_refused_alone() -> None:
    """9 headers, 11 cells in the third row of data: that row is named with both counts, the others are read."""
    header = "model,gpu,gpus,concurrency,input tokens,output tokens,TTFT (ms),TPOT (ms),output tok/s"
    good = "m,H100,1,{},1000,100,50,10,{}"
    rows = [header, good.format(1, 95), good.format(2, 180), good.format(4, 340) + ",7,8"]
    result = read_text("\n".join(rows))
    assert len(result.runs) == 2
    assert [(one.line, one.why[:27]) for one in result.skipped] == [(4, "11 cells under 9 headers: v")]


def test_too_few_cells_and_trailing_delimiters() -> None:
    result = read_text("model,TTFT (ms),output tok/s,\na,1,2,\nb,3\nc,5,6,,\n")
    assert [run.values["model_raw"] for run in result.runs] == ["a", "c"]
    assert [one.line for one in result.skipped] == [3]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encodings_and_delimiters(encoding: str, delimiter: str) -> None:
    from data.readers import read_bytes

    rows = [["model", "Bemerkung", "output tok/s"], ["Müller-7B", "schön", "12.5"], ["b", "größer", "13.5"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    result = read_bytes("x.csv", text.encode(encoding))
    assert [run.values["output_tps"] for run in result.runs] == [12.5, 13.5]
    assert result.runs[0].values["model_raw"] == "Müller-7B"
    assert result.runs[0].values["notes"] == "schön"


def test_repeated_header_average_and_notes_are_left_out_with_their_rows() -> None:
    text = "model,output tok/s\na,10.5\nmodel,output tok/s\nb,20.5\n\nAverage,15.5\nmeasured on a Tuesday,\n"
    result = read_text(text)
    assert [run.values["output_tps"] for run in result.runs] == [10.5, 20.5]
    assert [one.line for one in result.skipped] == [3, 5, 6, 7]


def test_an_undecidable_mark_is_asked_and_the_answer_used() -> None:
    text = "model,gpu,TTFT (ms),output tok/s\na,X,1.234,5.678\nb,X,2.345,6.789\n"
    result = read_text(text)
    assert result.status == "questions"
    assert accept(result) == {"decimal_mark": "."}
    answered = read_text(text, answers={"decimal_mark": ","})
    assert answered.runs[0].values["ttft_mean_ms"] == 1234


def test_units_without_any_hint_are_asked_with_a_proposal_from_littles_law() -> None:
    """32 users, 16 requests/s: a request takes 2 s, so 2.1 can only be seconds."""
    text = "model,users,requests/s,e2e mean\na,32,16.5,2.1\nb,64,20.5,3.2\n"
    result = read_text(text)
    assert accept(result) == {"unit:e2e mean": "s"}
    assert read_text(text, answers={"unit:e2e mean": "s"}).runs[0].values["e2e_mean_ms"] == 2100


def test_an_answer_for_a_column_that_is_not_there_is_refused_with_the_columns() -> None:
    result = read_text("model,output tok/s\na,10.5\n", answers={"column:Speed": "output_tps"})
    assert result.status == "refused"
    assert "output tok/s" in result.reason


def test_two_headers_for_one_measured_field_are_both_asked() -> None:
    result = read_text("model,TTFT (ms),ttft_mean_ms\na,10.5,20\nb,11.5,21\n")
    assert {one.field for one in result.questions if one.blocking} == {"column:TTFT (ms)", "column:ttft_mean_ms"}


def test_an_unused_column_is_said_and_kept() -> None:
    result = read_text("model,Perplexity,output tok/s\na,3.5,10.5\n")
    assert "Perplexity" in result.skipped[0].why
    assert '"Perplexity": "3.5"' in result.runs[0].native


def test_an_unlimited_rate_in_a_table() -> None:
    result = read_text("model,request rate,output tok/s\na,inf,10.5\nb,4,20.5\n")
    assert [run.values["request_rate"] for run in result.runs] == [None, 4]
    assert [run.values["load_mode"] for run in result.runs] == ["offline", "rate"]


def test_what_stands_behind_a_number_is_never_ignored() -> None:
    """1.2k is 1200; a footnote, a range or an unknown unit is no figure."""
    result = read_text("model,output tok/s,TTFT (ms)\na,1.2k,1m30s\nb,45 tok/s,20\nc,10-20,30\nd,12.5*,40.5\n")
    assert [run.values.get("output_tps") for run in result.runs] == [1200, 45, None, None]
    assert [run.values.get("ttft_mean_ms") for run in result.runs] == [None, 20, 30, 40.5]
    assert [one.kind for one in result.warnings] == ["rejected_value"] * 3


def test_a_table_lying_on_its_side() -> None:
    text = "metric,run A,run B\nmodel,a,b\nTTFT (ms),10.5,20\noutput tok/s,100,200\nusers,1,4\n"
    result = read_text(text)
    assert [run.values["output_tps"] for run in result.runs] == [100, 200]
    assert [run.values["ttft_mean_ms"] for run in result.runs] == [10.5, 20]
    assert "row 4, column 3" in result.runs[1].fields["output_tps"].path


def test_units_in_a_second_header_row() -> None:
    result = read_text("model,TTFT,TPOT,output\n,ms,ms,tok/s\na,10.5,20,50\n")
    run = result.runs[0].values
    assert (run["ttft_mean_ms"], run["tpot_mean_ms"], run["output_tps"]) == (10.5, 20, 50)


def test_the_format_of_the_stored_weights_is_the_weight_format() -> None:
    result = read_text("model,Model Data Type,Weight Storage Data Type,output tok/s\na,FP16,int8,10.5\n")
    assert result.runs[0].values["weight_format"] == "int8"


def test_a_markdown_table() -> None:
    result = read_text("| model | TTFT (ms) | output tok/s |\n|---|---:|---:|\n| a | 10.5 | 50 |\n| b | 11 | 60 |\n")
    assert [run.values["output_tps"] for run in result.runs] == [50, 60]
    assert result.skipped[0].line == 2


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("Energy per token (J)", ""), ("tok/s/W", ""), ("$/Mtok", ""), ("Decode (ms)", ""),
        ("Goodput (req/s)", "goodput_rps"), ("Hardware", "DEVICE"), ("model_id", "model_raw"),
        ("ISL/OSL", "BOTH_LENGTHS"),
        ("Utilisateurs", "concurrency"), ("Modèle", "model_raw"), ("Modelo", "model_raw"), ("模型", "model_raw"),
        ("并发数", "concurrency"), ("首token延迟 (ms)", "ttft_mean_ms"), ("输出长度", "osl_nominal"),
    ],
)  # fmt: skip
def test_headers_that_were_once_taken_for_something_else(header: str, target: str) -> None:
    assert (role_of(header).target, role_of(header).candidates) == (target, ())


def test_merged_cells_are_carried_down_and_said_to_be() -> None:
    """The second row of a merged cell holds nothing: its model is the one above, assumed, with the row it is from."""
    text = "Model,GPU,Concurrency,TTFT (ms)\nLlama-3-8B,H100,1,20\n,,8,40\n,A100,1,30\n"
    result = read_text(text)
    assert [run.values["model_raw"] for run in result.runs] == ["Llama-3-8B"] * 3
    assert [run.values["hardware"] for run in result.runs] == ["H100", "H100", "A100"]
    field = result.runs[1].fields["hardware"]
    assert (field.origin, "carried down from row 2" in field.path) == ("assumed", True)


def test_titles_between_tables_tell_their_rows_apart() -> None:
    text = "Llama-3-8B on H100\nUsers,TTFT (ms)\n1,20\n\nLlama-3-8B on 2x A100\nUsers,TTFT (ms)\n1,30\n"
    result = read_text(text)
    assert [run.values["hardware"] for run in result.runs] == ["H100", "A100"]
    assert result.runs[1].values["device_count"] == 2
    assert result.runs[1].fields["hardware"].origin == "assumed"
    assert result.runs[1].values["notes"] == "Llama-3-8B on 2x A100"
    one = read_text("Notes of May\nUsers,TTFT (ms)\n1,20\n")
    assert "notes" not in one.runs[0].values, "a single table's title says nothing of its rows"


def test_statistics_of_one_run_are_one_run() -> None:
    text = "Metric,Mean,Median,P99,Unit\nTTFT,50,45,90,ms\nE2E latency,1.2,1.1,2,s\nConcurrency,8,,,\n"
    (run,) = read_text(text).runs
    assert (run.values["ttft_mean_ms"], run.values["ttft_p50_ms"], run.values["ttft_p99_ms"]) == (50, 45, 90)
    assert (run.values["e2e_mean_ms"], run.values["concurrency"]) == (1200, 8)


def test_metrics_and_values_in_columns_of_their_own() -> None:
    rows = [f"m,{users},{metric},{value},{unit}" for users, first, rate in ((1, 20, 138), (8, 40, 900))
            for metric, value, unit in (("TTFT p50", first, "ms"), ("output throughput", rate, "tok/s"))]  # fmt: skip
    result = read_text("model,concurrency,metric,value,unit\n" + "\n".join(rows) + "\n")
    found = [(run.values["concurrency"], run.values["ttft_p50_ms"], run.values["output_tps"]) for run in result.runs]
    assert found == [(1, 20, 138), (8, 40, 900)]


def test_a_ladder_of_loads_with_a_metric_a_row() -> None:
    text = "GPU,Metric,C=1,C=8\nH100,TTFT (ms),20,40\nH100,TPOT (ms),7,8\n"
    found = [(run.values["concurrency"], run.values["ttft_mean_ms"], run.values["tpot_mean_ms"])
             for run in read_text(text).runs]  # fmt: skip
    assert found == [(1, 20, 7), (8, 40, 8)]


def test_bare_numbers_in_the_header_are_asked_about() -> None:
    """1, 8, 64 above figures may be users or batch sizes; they are never figures themselves."""
    text = "out tok/s,1,8,64\nH100 Llama-3-8B,138,900,4000\n"
    asked = read_text(text)
    assert asked.status == "questions"
    assert "concurrency or batch_size" in asked.questions[0].text
    runs = read_text(text, answers={asked.questions[0].field: "batch_size"}).runs
    assert [(run.values["batch_size"], run.values["output_tps"]) for run in runs] == [(1, 138), (8, 900), (64, 4000)]
    assert (runs[0].values["hardware"], runs[0].values["model_raw"]) == ("H100", "Llama-3-8B")


def test_both_lengths_in_one_cell() -> None:
    (run,) = read_text("Model,ISL/OSL,TTFT (ms)\na,1024/128,20\n").runs
    assert (run.values["isl_nominal"], run.values["osl_nominal"]) == (1024, 128)


def test_a_list_of_files_is_no_table_of_results() -> None:
    """File names hold words like ttft; that makes no measurement of a list."""
    text = "file,tool,note\nttft_itl.csv,x,first\nother.csv,y,second\nthroughput.csv,z,third\na.csv,y,s\nb.csv,y,s\n"
    assert "No column looks like a measurement" in read_text(text).reason
