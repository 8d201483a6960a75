"""Mistakes that people reported of tools which read or compare benchmark files, each with the right answer.

The first words of each test name the public report.
"""

from __future__ import annotations

import json

import pytest

from data.readers import read_bytes, report
from tests.data.reading import kinds, only, read_object, read_text, vllm


def test_vllm_7242_first_token_counted_among_the_gaps() -> None:
    """One request: TTFT 0.5 s, gaps [0.5, 0.01, 0.01] for 3 tokens. Mean of the true gaps: 10 ms, not 173 ms."""
    arrays = {"ttfts": [0.5], "itls": [[0.5, 0.01, 0.01]], "output_lens": [3], "mean_itl_ms": 173.3}
    result = read_object(vllm(**arrays))
    run = only(result)
    assert "ttft_in_itl" in kinds(result)
    assert run.values["itl_mean_ms"] == pytest.approx(10.0)
    assert run.fields["itl_mean_ms"].raw == "173.3"
    assert run.fields["itl_mean_ms"].origin == "derived"


def test_vllm_7242_gaps_one_fewer_than_tokens_are_right() -> None:
    arrays = {"ttfts": [0.05], "itls": [[0.009] * 99], "output_lens": [100]}
    result = read_object(vllm(**arrays))
    assert "ttft_in_itl" not in kinds(result)
    assert only(result).values["itl_mean_ms"] == 9.0


def test_vllm_6531_itl_above_tpot_means_several_tokens_a_chunk() -> None:
    """With an acceptance of 2.35 tokens: TPOT 6.4, ITL 14.6; 14.6 / 6.4 = 2.28, so ITL counts chunks."""
    result = read_object(vllm(mean_tpot_ms=6.4, mean_itl_ms=14.6))
    text = next(one.text for one in result.warnings if one.kind == "chunked_itl")
    assert "2.28" in text
    assert "TPOT" in text


def test_vllm_37666_peak_below_the_mean_is_no_peak() -> None:
    """output_throughput 410.6, max_output_tokens_per_s 113."""
    changes = {"output_throughput": 410.6, "total_output_tokens": 4106, "max_output_tokens_per_s": 113.0}
    result = read_object(vllm(**changes, total_token_throughput=None))
    text = next(one.text for one in result.warnings if one.kind == "unusable_peak")
    assert "113" in text
    assert "410.6" in text


def test_vllm_12845_whole_system_rate_is_not_the_speed_of_one_user() -> None:
    """529.33 tok/s with TPOT 108.19 ms: stored as the system's output rate; one user's speed follows from TPOT, 9.2."""
    run = only(read_object(vllm(output_throughput=529.33, mean_tpot_ms=108.19, completed=772, duration=329.83)))
    assert run.values["output_tps"] == 529.33
    tpot = run.values["tpot_mean_ms"]
    assert isinstance(tpot, float)
    assert 1000 / tpot == pytest.approx(9.24, abs=0.01)


def test_inferencex_357_failed_requests_are_counted_without_a_failed_key() -> None:
    """2560 sent, 1885 answered: 675 failed, 26.4 %."""
    result = read_object(vllm(num_prompts=2560, completed=1885, failed=None))
    run = only(result)
    assert (run.outcome, run.values["failed"]) == ("partial", 675)
    text = next(one.text for one in result.warnings if one.kind == "failed_requests")
    assert "675" in text
    assert "26.4%" in text
    assert "survivors" in text


def test_vllm_44708_client_and_server_count_tokens_differently() -> None:
    record = {
        "backend": "sglang", "dataset_name": "random", "max_concurrency": 4, "duration": 10.0, "completed": 10,
        "total_input_tokens": 100, "total_output_tokens": 240, "total_output_tokens_retokenized": 480,
        "median_ttft_ms": 50.0, "output_throughput": 24.0,
    }  # fmt: skip
    result = read_object(record)
    text = next(one.text for one in result.warnings if one.kind == "token_count")
    assert "2.00 times" in text
    assert only(result).values["total_output_tokens"] == 240


def test_vllm_52884_a_faster_repeat_may_owe_it_to_a_warm_cache() -> None:
    first = vllm(date="20250101-000000", output_throughput=12262.0)
    second = vllm(date="20250101-010000", output_throughput=19455.0)
    result = read_object([first, second])
    warning = next(one for one in result.warnings if one.kind == "warm_repeat")
    assert warning.run == result.runs[1].run_id
    assert "12262" in warning.text
    assert "19455" in warning.text


def test_a_different_load_is_no_repeat() -> None:
    first = vllm(date="20250101-000000", output_throughput=1000.0)
    second = vllm(date="20250101-010000", output_throughput=1900.0, max_concurrency=20)
    assert "warm_repeat" not in kinds(read_object([first, second]))


def test_inferencex_seconds_beside_vllm_milliseconds_are_never_read_as_vllm() -> None:
    record = {"model_id": "m", "num_prompts": 10, "request_throughput": 1.0, "median_ttft": 0.2914}
    result = read_object(record)
    assert result.format == "inferencex"
    assert only(result).values["ttft_p50_ms"] == pytest.approx(291.4)
    assert only(result).fields["ttft_p50_ms"].unit == "s"


def test_memtier_271_infinity_and_nan_never_reach_the_report() -> None:
    text = '{"request_rate": Infinity, ' + json.dumps(vllm())[1:].replace('"request_rate": "inf", ', "")
    printed = json.dumps(report(read_bytes("x", text.encode())), allow_nan=False)
    run = json.loads(printed)["runs"][0]
    assert run["request_rate"] is None
    assert run["load_mode"] == "concurrency"


def test_ttft_of_zero_is_a_run_without_streaming_not_a_fast_one() -> None:
    result = read_object(vllm(mean_ttft_ms=0.0))
    assert "ttft_mean_ms" not in only(result).values
    assert "rejected_value" in kinds(result)


def test_tpot_of_single_token_outputs_is_missing_without_alarm() -> None:
    changes = {"total_output_tokens": 100, "output_throughput": 10.0, "total_token_throughput": 10_010.0}
    result = read_object(vllm(mean_tpot_ms=0.0, mean_itl_ms=0.0, **changes))
    assert "tpot_mean_ms" not in only(result).values
    assert kinds(result) == set()


def test_asked_for_and_real_lengths_are_kept_apart() -> None:
    """Range ratio 0: asked for 1024 / 128, in truth 506 / 61."""
    record = {
        "backend": "sglang", "dataset_name": "random", "random_input_len": 1024, "random_output_len": 128,
        "random_range_ratio": 0.0, "completed": 100, "duration": 10.0, "total_input_tokens": 50_600,
        "total_output_tokens": 6_100, "total_output_tokens_retokenized": 6_100, "median_ttft_ms": 50.0,
        "output_throughput": 610.0, "request_rate": 2.0,
    }  # fmt: skip
    run = only(read_object(record))
    assert (run.values["isl_nominal"], run.values["isl_mean"]) == (1024, 506)
    assert (run.values["osl_nominal"], run.values["osl_mean"]) == (128, 61)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"output_throughput": 1300.0}, "output_tps"),
        ({"request_throughput": 13.0}, "request_rps"),
        ({"total_token_throughput": 15_000.0}, "total_tps"),
        ({"p99_ttft_ms": 10.0, "median_ttft_ms": 40.0}, "ttft_p99_ms"),
        ({"mean_e2el_ms": 1500.0}, "concurrency"),
        ({"mean_ttft_ms": 1200.0, "mean_e2el_ms": 990.0}, "ttft_mean_ms"),
    ],
)
def test_figures_that_contradict_each_other_are_both_named_and_kept(changes: dict[str, float], field: str) -> None:
    result = read_object(vllm(**changes))
    found = [one for one in result.warnings if one.kind == "contradiction" and field in one.fields]
    assert found
    assert len(found[0].fields) >= 2
    for key, value in changes.items():
        assert any(run_value == value for run_value in only(result).values.values()), f"{key} was replaced"


def test_between_five_and_twenty_percent_is_a_warning_and_below_is_silence() -> None:
    assert kinds(read_object(vllm(output_throughput=1100.0, total_token_throughput=None))) == {"inconsistent"}
    assert kinds(read_object(vllm(output_throughput=1040.0, total_token_throughput=None))) == set()


def test_means_of_unequal_requests_are_not_called_a_contradiction() -> None:
    """TTFT 50 + 99 * 20 = 2030 ms against a mean of 900: possible when lengths vary, and the file does not say."""
    result = read_object(vllm(mean_tpot_ms=20.0, mean_itl_ms=20.0, mean_e2el_ms=900.0))
    assert kinds(result) == {"cannot_be_checked"}


def test_a_table_with_fixed_lengths_is_held_to_the_identity() -> None:
    """41 + 127 * 14.1 = 1832 ms; 3000 contradicts it."""
    header = "model,input_len,output_len,ttft_ms,tpot_ms,e2e_ms\n"
    assert kinds(read_text(header + "m,512,128,41.0,14.1,1832\n")) == set()
    assert kinds(read_text(header + "m,512,128,41.0,14.1,3000\n")) == {"contradiction"}


def test_k8s_netperf_148_percentiles_of_repeats_are_never_averaged() -> None:
    """p99 of 200, 210 and 900 ms over 1000, 1000 and 100 requests: three runs, nowhere their mean of 436.7."""
    repeats = [
        vllm(date=f"20250101-0{n}0000", p99_ttft_ms=p99, completed=done, num_prompts=done)
        for n, (p99, done) in enumerate(((200.0, 1000), (210.0, 1000), (900.0, 100)))
    ]
    result = read_object(repeats)
    assert [run.values["ttft_p99_ms"] for run in result.runs] == [200.0, 210.0, 900.0]
    assert "436" not in json.dumps(report(result))


def test_integration_testing_52_runs_keep_the_lengths_they_had() -> None:
    """128/128 at 9000 and 8192/1024 at 3000 tokens/s: actual means stand beside the rates, so that none is mixed."""
    short = vllm(total_input_tokens=12_800, total_output_tokens=12_800, output_throughput=9000.0)
    long = vllm(total_input_tokens=819_200, total_output_tokens=102_400, output_throughput=3000.0)
    lengths = [(run.values["isl_mean"], run.values["osl_mean"]) for run in read_object([short, long]).runs]
    assert lengths == [(128, 128), (8192, 1024)]
