"""The catalogue on the command line: exit status, strict JSON on stdout, refusals on stderr in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli_catalogue import catalogue_app


def run(*arguments: str) -> Result:
    """One call of `waferline catalogue`."""
    return CliRunner().invoke(catalogue_app, list(arguments))


def refuse_constant(name: str) -> Any:
    """JSON has no NaN and no infinity."""
    raise ValueError(name)


def record(name: str) -> dict[str, Any]:
    """What `show --json` prints, read by a strict parser."""
    result = run("show", name, "--json")
    assert result.exit_code == 0
    return json.loads(result.stdout, parse_constant=refuse_constant)


def test_check_passes_on_the_shipped_files() -> None:
    result = run("check")
    assert result.exit_code == 0
    assert "No errors." in result.stdout


def test_show_a_chip() -> None:
    """An H200 has 4.8 TB/s by its data sheet; the name of the tool's output finds it."""
    found = record("NVIDIA H200")
    assert (found["record"], found["key"]) == ("chip", "h200-sxm")
    assert found["bandwidth_byte_per_s"] == 4.8e12
    fact = found["facts"]["bandwidth_byte_per_s"]
    assert (fact["value"], fact["unit"], fact["shown"]) == (4.8e12, "byte/s", "4.8 TB/s")
    assert all(source["title"] for source in fact["sources"])


def test_show_a_model_derives_counts() -> None:
    """Llama 3.1 8B: 8,030,261,248 parameters on the model hub; cache 32 layers x 8 heads x 128 x 2 x 2 B = 131,072 B.

    Weights read: the total less the untied input embedding, 128,256 x 4,096.
    """
    found = record("meta-llama/Llama-3.1-8B")
    assert found["derived"] == {
        "parameters": 8_030_261_248,
        "weights_read_per_token": 8_030_261_248 - 128_256 * 4096,
        "kv_bytes_per_token_bf16": 131_072,
    }


def test_show_every_entry_is_strict_json() -> None:
    listed = [line.split()[0] for line in run("list").stdout.splitlines() if "not computable" not in line]
    assert len(listed) > 200
    for key in [*listed[::17], "wse-3", "taalas-hc1"]:
        assert record(key)["key"] == key


def test_show_for_reading_names_the_source_of_each_figure() -> None:
    result = run("show", "wse-3")
    assert result.exit_code == 0
    assert "26.8\u00a0PB/s" in result.stdout
    assert "<- " in result.stdout
    assert "conflict, power_w: 25 kW by SemiAnalysis" in result.stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("h100-smx", "h100-sxm"),
        ("H100", "h100-pcie"),
        ("GPT-5.6 Sol", "no architecture"),
        ("nosuch", "no chip or model"),
    ],
)
def test_a_name_that_means_nothing_or_several_is_refused(name: str, told: str) -> None:
    result = run("show", name, "--json")
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_list_by_kind() -> None:
    assert "h100-sxm" in run("list", "--kind", "chips").stdout
    assert "h100-sxm" not in run("list", "--kind", "models").stdout
    assert run("list", "--kind", "fish").exit_code == 2
