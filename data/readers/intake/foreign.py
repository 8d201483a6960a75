"""Files that are no result: named, with what to bring instead."""

from __future__ import annotations

import re
from collections.abc import Callable

from data.errors import ReadError
from data.readers.intake.content import Content

_OWN_RESULT = "Bring the result file of the benchmark client instead (for vLLM: --save-result)."
_HEAD_CHARACTERS = 20_000
_JSON_START = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[{\[])")


def foreign(content: Content) -> ReadError | None:
    """What the file is when it is no result that can be read, as an error to raise; None if nothing is recognised."""
    for matches, what, remedy in _NO_RESULTS:
        if matches(content):
            return ReadError(what, remedy=remedy)
    return None


def broken_json(content: Content) -> ReadError | None:
    """An error that says where JSON stops being JSON, for a file that begins like it; None for any other file."""
    problem = next((one for one in content.unparsed if one.why.startswith("not valid JSON")), None)
    if problem is None or _JSON_START.match(content.text) is None:
        return None
    return ReadError(
        "the file begins as JSON but breaks off or is damaged",
        found=problem.why,
        remedy="Export it again from the tool, or copy the whole file.",
    )


def _keys(*wanted: str) -> Callable[[Content], bool]:
    """The first JSON object has all these keys."""

    def _matches(content: Content) -> bool:
        first = content.records[0].value if content.records else None
        return isinstance(first, dict) and all(key in first for key in wanted)

    return _matches


def _text(pattern: str, flags: int = re.I | re.M) -> Callable[[Content], bool]:
    """The start of the text holds this pattern."""
    compiled = re.compile(pattern, flags)
    return lambda content: compiled.search(content.text[:_HEAD_CHARACTERS]) is not None


def _header(*wanted: str) -> Callable[[Content], bool]:
    """The first line holds all these column names."""

    def _matches(content: Content) -> bool:
        line = next((line for line in content.lines if line.strip()), "")
        names = {name.strip().strip('"') for name in re.split(r"[,;|\t]", line[:_HEAD_CHARACTERS])}
        return all(name in names for name in wanted)

    return _matches


def _server_log(content: Content) -> bool:
    head = content.text[:200_000]
    served = re.search(r"Serving Benchmark Result", content.text) is None
    return (
        served and len(re.findall(r"^(?:\([^)\n]*\) )?\S*\s*(?:INFO|WARNING|ERROR)\b.*\d\d[:-]\d\d", head, re.M)) >= 3
    )


def _out_of_memory(content: Content) -> bool:
    pattern = r"out of memory|No available memory for the cache blocks|larger than the available KV cache memory"
    return _server_log(content) and re.search(pattern, content.text, re.I) is not None


def _model_config(content: Content) -> bool:
    return _keys("architectures", "model_type")(content) or _keys("hidden_size", "num_hidden_layers")(content)


def _yaml_settings(content: Content) -> bool:
    """Top-level keys of a load generator's configuration, three at least."""
    pattern = r"^(api|data|load|server|tokenizer|report|storage|metrics):"
    return not content.values and len(set(re.findall(pattern, content.text[:_HEAD_CHARACTERS], re.M))) >= 3


_NO_RESULTS: tuple[tuple[Callable[[Content], bool], str, str], ...] = (
    (
        _out_of_memory,
        "this is a server log that ends in out of memory, not a benchmark result",
        "To record that the configuration does not fit, bring a CSV row with OOM in the throughput column.",
    ),
    (_server_log, "this is a server's log, not a benchmark result", _OWN_RESULT),
    (
        lambda c: _keys("data")(c) and '"payload' in c.text[:_HEAD_CHARACTERS],
        "these are the input prompts (inputs.json) of AIPerf or GenAI-Perf, not a result",
        "Bring profile_export_aiperf.json or .csv (profile_export_genai_perf.json or .csv).",
    ),
    (
        _keys("benchmark", "model", "metric"),
        "this is a result in the form of PyTorch's benchmark database, one metric an entry and its load beside it",
        "Bring the JSON file that the same run saved (for vLLM the file without .pytorch in its name).",
    ),
    (
        lambda c: _keys("telemetry_data", "gpu_index")(c) or _keys("timestamp_ns", "dcgm_url")(c),
        "these are AIPerf's readings of the devices, not a result",
        "Bring profile_export_aiperf.json or .csv of the same run.",
    ),
    (
        lambda c: _keys("schema_version", "metrics", "summary")(c) and "endpoint" in c.text[:_HEAD_CHARACTERS],
        "these are the server's metrics as AIPerf collected them, not a result",
        "Bring profile_export_aiperf.json or .csv of the same run.",
    ),
    (
        _keys("experiments", "version"),
        "these are perf_analyzer's raw time stamps, before GenAI-Perf has counted tokens",
        "Bring profile_export_genai_perf.json or .csv of the same run.",
    ),
    (
        _model_config,
        "this is a model's configuration, not a benchmark result",
        "Open it on the Catalogue page, which reads config.json as a model.",
    ),
    (
        _text(r"\A[^\n]*\b(?:DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION|power\.draw)\b[^\n]*$"),
        "this is a series of GPU power readings, not a benchmark run",
        "Put the mean power in a column power_w of the run's table.",
    ),
    (
        _text(r"histogram_quantile\(|\b(?:rate|increase|irate|delta)\([a-z_:]*\{?.*\[\d+[smhd]\]\)"),
        "these are PromQL queries, not their results",
        "Bring what the queries return (query_range JSON).",
    ),
    (
        _text(r"\A\s*<(?:!doctype html|html)"),
        "this is a web page, not a benchmark result",
        "Bring the tool's own JSON or CSV file.",
    ),
    (
        _yaml_settings,
        "this is a benchmark's configuration, not its result",
        "Bring the report that the run wrote, e.g. stage_N_lifecycle_metrics.json.",
    ),
    (
        lambda c: _keys("seq_id", "qsl_idx")(c) or c.text.startswith(":::MLLOG"),
        "this is an MLPerf log of single answers or events, not a summary",
        "Bring mlperf_log_summary.txt.",
    ),
    (_keys("openapi", "paths"), "this is an API description, not a benchmark result", _OWN_RESULT),
)
