"""MLPerf's tables of published results: summary.csv of a submitter, and rows of summary_results.json."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from data.errors import ReadError
from data.readers.intake.answers import AS_READ
from data.readers.intake.content import Content
from data.readers.intake.delimited import rows_of, wrong_width
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Skipped

_HEADER = ("Scenario", "Result", "Organization")
_NAMES = {
    "model": ("MlperfModel", "Model", "mlperf_model", "UsedModel"),
    "scenario": ("Scenario",),
    "result": ("Result", "Performance_Result"),
    "units": ("Units", "Performance_Units"),
    "accelerator": ("accelerator_model_name", "Accelerator"),
    "per_node": ("accelerators_per_node", "a#"),
    "nodes": ("number_of_nodes", "Nodes"),
    "software": ("framework", "Software"),
    "weights": ("weight_data_types",),
    "accuracy": ("Accuracy",),
    "version": ("version", "Version"),
    "system": ("SystemName", "System"),
    "notes": ("notes", "Notes"),
}
_SOFTWARE = re.compile(r"\s*([A-Za-z][A-Za-z .\-]*?)[\s:]*v?(\d+(?:\.\d+)*\S*?)?\s*(?:,|$)")
_TOKENS = re.compile(r"TOKENS_PER_SAMPLE:\s*([\d.]+)")
TOO_MANY = 2.0  # times the Offline token rate beyond which a rate per query cannot be one
FEWEST_TOKENS = 16.0  # of an answer, where the table does not tell


def is_table(content: Content) -> int | None:
    """Index of the header line of a results table, or None."""
    for number, line in enumerate(content.lines[:20]):
        if all(name in line[:5000] for name in _HEADER) and "accelerator" in line:
            return number
    return None


def is_row(record: Record) -> bool:
    """Is this an object of summary_results.json?"""
    return "Performance_Result" in record and "Performance_Units" in record and "Scenario" in record


def table_rows(content: Content, header: int) -> tuple[list[tuple[int, Record]], list[Skipped]]:
    """Rows with their line numbers; rows of another width are refused one by one."""
    names, rows, skipped = list[str](), list[tuple[int, Record]](), list[Skipped]()
    for line, cells in rows_of(content.lines[header:], ",", header + 1):
        names = names or cells
        if line == header + 1:
            continue
        if len(cells) == len(names) and cells != names:
            rows.append((line, dict(zip(names, cells, strict=True))))
        elif cells:
            again = Skipped(line=line, why="the header again")
            skipped.append(again if cells == names else wrong_width(line, cells, names))
    return rows, skipped


def row_drafts(rows: Iterable[tuple[int, Record]], answers: Answers) -> tuple[list[Draft], list[Question]]:
    """Every row as a draft, and questions about units that contradict a row of the same system and model."""
    drafts = [_draft(line, row, answers) for line, row in rows]
    if not drafts:
        raise ReadError(
            "the MLPerf table has a header but no results", remedy="Bring the summary.csv of a submitter with results."
        )
    return drafts, _doubts(drafts, answers)


def _cell(row: Record, name: str) -> str:
    return next((str(row[key]).strip() for key in _NAMES[name] if row.get(key) not in (None, "")), "")


def _draft(line: int, row: Record, answers: Answers) -> Draft:
    draft = Draft(place=f"row {line}", line=line, native=row)
    for name, field in (("model", "model_raw"), ("accelerator", "hardware"), ("weights", "weight_format"),
                        ("nodes", "node_count")):  # fmt: skip
        draft.put(field, _cell(row, name) or None, path=f"row {line}: {_NAMES[name][0]}")
    each, nodes = as_number(_cell(row, "per_node")), as_number(_cell(row, "nodes"))
    if each and nodes:
        draft.put("device_count", each * nodes, path=f"row {line}: accelerators per node * nodes", origin="derived")
    software = _SOFTWARE.match(_cell(row, "software")[:200])
    if software:
        draft.put("engine", software[1], path=f"row {line}: framework")
        draft.put("engine_version", software[2], path=f"row {line}: framework")
    scenario, tokens = _cell(row, "scenario"), _TOKENS.search(_cell(row, "accuracy"))
    about = ", ".join(part for part in (f"MLPerf {_cell(row, 'version')} {scenario}", _cell(row, "system"),
                                        _cell(row, "notes")) if part)  # fmt: skip
    draft.put("notes", about, path=f"row {line}: version, Scenario, SystemName, notes", origin="converted")
    draft.put("osl_mean", tokens[1] if tokens else None, path=f"row {line}: Accuracy, TOKENS_PER_SAMPLE")
    mode = "offline" if scenario.lower() == "offline" else "rate"
    if scenario.lower() in ("offline", "server", "interactive"):
        draft.put("load_mode", mode, path=f"row {line}: Scenario", origin="converted", shown=scenario)
    _put_result(draft, row, answers)
    return draft


def _put_result(draft: Draft, row: Record, answers: Answers) -> None:
    """The one figure of a row, under the name that its unit gives it."""
    units, raw = answers.get(f"unit:{draft.place}") or _cell(row, "units"), _cell(row, "result")
    plain, path = units.lower(), f"{draft.place}: Result ({units or 'no unit'})"
    if plain.startswith("tokens"):
        draft.put("output_tps", raw, path=path, unit=units)
    elif plain.startswith(("samples", "queries")):
        draft.put("request_rps", raw, path=path, unit=units)
    elif plain in ("watts", "w"):
        draft.put("power_w", raw, path=path, unit=units)
        draft.put("power_scope", "node", path=f"{path}: of the whole system", origin="converted")
    elif "ms" in plain:
        draft.put("e2e_p90_ms", raw, path=f"{path}, 90th percentile of a single stream", unit=units)
    else:
        draft.outcome = "invalid"
        draft.warn("unit_doubt", f"{path} is no rate: left out")
    tokens, samples, length = draft.number("output_tps"), draft.number("request_rps"), draft.number("osl_mean")
    if tokens and length and not samples:
        draft.derive("request_rps", tokens / length, "tokens per second / TOKENS_PER_SAMPLE")


def _doubts(drafts: Sequence[Draft], answers: Answers) -> list[Question]:
    """Rows in queries a second whose tokens would exceed by far what the same system does Offline."""
    offline = {_system(d): d for d in drafts if d.text("load_mode") == "offline" and d.number("output_tps")}
    questions = []
    for draft in drafts:
        other = offline.get(_system(draft))
        rate, length = draft.number("request_rps"), draft.number("osl_mean") or FEWEST_TOKENS
        if other is None or rate is None or "output_tps" in draft.values:
            continue
        most = other.number("output_tps") or 0.0
        if rate * length <= TOO_MANY * most:
            continue
        said = draft.fields["request_rps"].unit
        draft.warn(
            "unit_doubt",
            f"{draft.place}: {rate:g} {said} at {length:g} tokens each would be {rate * length:,.0f} tokens/s, but "
            f"{other.place} gives {most:,.0f} tokens/s Offline for the same system and model: the figure looks like "
            "tokens/s. Taken as stated",
            "request_rps",
        )
        if f"unit:{draft.place}" not in answers:
            text = f"Is the result of {draft.place} in tokens/s, although the table says {said}? Answer Tokens/s."
            because = f"{other.place} is Offline, which is the most a system does"
            questions.append(Question(field=f"unit:{draft.place}", text=text, proposal=AS_READ, because=because))
    return questions


def _system(draft: Draft) -> tuple[str, str, str]:
    system = str(next((draft.native[key] for key in _NAMES["system"] if key in draft.native), ""))
    return draft.text("model_raw"), draft.text("hardware"), system
