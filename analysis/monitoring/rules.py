"""Recording and alerting rules for Prometheus, and a Grafana dashboard over them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from analysis.monitoring.changes import SHIFT, Watch
from analysis.monitoring.names import EngineNames, names_of

WINDOW, SLOW = "1m", "5m"
BY = "model_name"
STEADY_FOR, QUEUE_FOR = "5m", "5m"
CACHE_FULL = 0.95
MARGIN = 2 * SHIFT  # over the baseline: a window of rates is noisier than the cumulative sum of the page
Part = dict[str, Any]
PANELS: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    (
        "Tokens per second",
        "short",
        {"output": "waferline:output_tokens:rate1m", "prompt": "waferline:prompt_tokens:rate1m"},
    ),
    ("Time between tokens", "s", {"mean": "waferline:itl_seconds:mean1m", "p95": "waferline:itl_seconds:p95_5m"}),
    ("Time to first token", "s", {"mean": "waferline:ttft_seconds:mean1m", "p95": "waferline:ttft_seconds:p95_5m"}),
    ("Request time", "s", {"mean": "waferline:e2e_seconds:mean1m", "p95": "waferline:e2e_seconds:p95_5m"}),
    ("Requests", "short", {"running": "waferline:running:sum", "waiting": "waferline:waiting:sum"}),
    ("KV cache used", "percentunit", {"used": "waferline:cache_used:avg"}),
)


def recorded(engine: str) -> dict[str, str]:
    """Name of each recorded series and its query."""
    names = names_of(engine)
    metric = {part: f"{names.prefix}{getattr(names, part)}" for part in _parts(names)}
    found = {
        "waferline:output_tokens:rate1m": _rate(metric["output"], WINDOW),
        "waferline:prompt_tokens:rate1m": _rate(metric["prompt"], WINDOW),
        "waferline:requests:rate1m": _rate(metric["done"], WINDOW),
        "waferline:running:sum": f"sum by ({BY}) ({metric['running']})",
        "waferline:waiting:sum": f"sum by ({BY}) ({metric['waiting']})",
        "waferline:cache_used:avg": f"avg by ({BY}) ({metric['cache_used']})",
    }
    for short, part in (("ttft", "ttft"), ("itl", "gap"), ("e2e", "request")):
        found[f"waferline:{short}_seconds:mean1m"] = _mean(metric[part])
        found[f"waferline:{short}_seconds:p95_5m"] = _quantile(metric[part], 0.95)
    if "preempted" in metric:
        found["waferline:preemptions:rate1m"] = _rate(metric["preempted"], WINDOW)
    if "hits" in metric:
        found["waferline:prefix_hits:ratio5m"] = f"{_rate(metric['hits'], SLOW)} / {_rate(metric['lookups'], SLOW)}"
    return found


def rules_text(engine: str, watches: Sequence[Watch] = ()) -> str:
    """Rules as YAML. Thresholds of latencies stand on the baselines of `watches`; without any, only
    states that are wrong in themselves (a queue, a full cache, silence) raise an alert."""
    recording = [{"record": name, "expr": query} for name, query in recorded(engine).items()]
    groups = [
        {"name": "waferline-recording", "interval": "15s", "rules": recording},
        {"name": "waferline-alerts", "rules": [*_states(engine), *_regressions(watches)]},
    ]
    head = "# Recording and alerting rules by Waferline: add the file to rule_files and reload Prometheus.\n"
    return head + yaml.safe_dump({"groups": groups}, sort_keys=False, width=140, allow_unicode=True)


def dashboard_text(engine: str, title: str = "LLM serving") -> str:
    """A dashboard as JSON to import into Grafana; it asks for the Prometheus source when imported."""
    known = recorded(engine)
    panels = [
        _panel(number, name, unit, queries)
        for number, (name, unit, queries) in enumerate(PANELS)
        if all(query in known for query in queries.values())
    ]
    source = {"name": "DS_PROMETHEUS", "label": "Prometheus", "type": "datasource", "pluginId": "prometheus"}
    board = {
        "__inputs": [source | {"description": "holds Waferline's recorded series"}],
        "title": title,
        "tags": ["waferline", engine],
        "schemaVersion": 39,
        "timezone": "browser",
        "refresh": "15s",
        "time": {"from": "now-1h", "to": "now"},
        "panels": panels,
    }
    return json.dumps(board, indent=1)


def _parts(names: EngineNames) -> list[str]:
    return [part for part, name in vars(names).items() if name and part != "prefix"]


def _rate(name: str, window: str) -> str:
    return f"sum by ({BY}) (rate({name}[{window}]))"


def _mean(name: str) -> str:
    return f"{_rate(f'{name}_sum', WINDOW)} / {_rate(f'{name}_count', WINDOW)}"


def _quantile(name: str, share: float) -> str:
    return f"histogram_quantile({share:g}, sum by (le, {BY}) (rate({name}_bucket[{SLOW}])))"


def _alert(name: str, query: str, steady: str, summary: str) -> Part:
    return {"alert": name, "expr": query, "for": steady, "labels": {"severity": "warning"},
            "annotations": {"summary": summary}}  # fmt: skip


def _states(engine: str) -> list[Part]:
    """What is wrong whatever the baseline."""
    found = [
        _alert("WaferlineQueue", "waferline:waiting:sum > waferline:running:sum", QUEUE_FOR,
               "More requests wait than run: the load is above what the server carries."),
        _alert("WaferlineCacheFull", f"waferline:cache_used:avg > {CACHE_FULL:g}", STEADY_FOR,
               "The KV cache is nearly full: requests will wait or be preempted."),
        _alert("WaferlineSilent", "waferline:running:sum > 0 and waferline:output_tokens:rate1m == 0", STEADY_FOR,
               "Requests run and no token comes out."),
    ]  # fmt: skip
    if names_of(engine).preempted:
        found.append(_alert("WaferlinePreemption", "waferline:preemptions:rate1m > 0", STEADY_FOR,
                            "Requests are preempted: their cache is computed again."))  # fmt: skip
    return found


_OF_SIGNAL: Mapping[str, tuple[str, str, str]] = {
    "itl_s": ("WaferlineSlowerTokens", "waferline:itl_seconds:mean1m", "between tokens"),
    "ttft_s": ("WaferlineSlowerFirstToken", "waferline:ttft_seconds:mean1m", "to the first token"),
}


def _regressions(watches: Sequence[Watch]) -> list[Part]:
    """Latencies above their baseline by more than its margin and three times its noise."""
    found = []
    for watch in watches:
        if watch.signal.key in _OF_SIGNAL:
            name, series, words = _OF_SIGNAL[watch.signal.key]
            limit = watch.level * (1 + max(MARGIN, 3 * watch.noise))
            text = f"Time {words} is above {limit:.4g} s; its baseline is {watch.level:.4g} s."
            found.append(_alert(name, f"{series} > {limit:.6g}", STEADY_FOR, text))
    return found


def _panel(number: int, title: str, unit: str, queries: Mapping[str, str]) -> Part:
    source = {"type": "prometheus", "uid": "${DS_PROMETHEUS}"}
    targets = [
        {"refId": "ABCD"[at], "datasource": source, "expr": query, "legendFormat": f"{name} {{{{{BY}}}}}"}
        for at, (name, query) in enumerate(queries.items())
    ]
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": title,
        "datasource": source,
        "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "targets": targets,
    }
