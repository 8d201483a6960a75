"""Names in the columns of a long table as catalogue keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pyarrow as pa

from data.catalogue.names import ResolvedName
from data.readers.intake.draft import Origin
from data.readers.large.runs import ColumnOrigin, LargeRuns

_Key = tuple[str, list[str | None], Origin, str]  # field, value of every dictionary entry, origin, path


def long_names(large: LargeRuns | None, field: str) -> list[str]:
    """Every name that a column holds, the rows read cell by cell included."""
    if large is None:
        return []
    single = [str(run.values[field]) for run in large.single_runs if run.values.get(field)]
    column = _column(large, field)
    return single + ([] if column is None else [name for name in column.dictionary.to_pylist() if name])


def with_keys(
    large: LargeRuns, field: str, target: str, answers: Mapping[str, object], meant: Mapping[str, str]
) -> LargeRuns:
    """The table with a column of catalogue keys beside the column of names."""
    column = _column(large, field)
    if column is None:
        return large
    names = column.dictionary.to_pylist()
    found = {name: answer for name in names if name and isinstance(answer := answers.get(name), ResolvedName)}
    if not found:
        return large
    told = any(meant[name] != name for name in found)
    how = "catalogue, by " + " or ".join(dict.fromkeys(answer.how for answer in found.values()))
    path = f"said by the person, or {how}" if told else how
    place = next(one.column for one in large.origins if one.field == field)
    keys: list[_Key] = [(target, [found[name].key if name in found else None for name in names], "derived", path)]
    hints = [found[name].format_hint or None if name in found else None for name in names]
    if target == "model_id" and any(hints) and "weight_format" not in large.table.column_names:
        keys.append(("weight_format", hints, "assumed", "from the model's name"))
    return _added(large, column, place, keys)


def _added(large: LargeRuns, column: pa.DictionaryArray, place: int | None, keys: Iterable[_Key]) -> LargeRuns:
    table, origins = large.table, large.origins
    for name, words, origin, path in keys:
        if name in table.column_names:  # stated, or said by the person
            continue
        table = table.append_column(name, pa.DictionaryArray.from_arrays(column.indices, pa.array(words, pa.string())))
        origins = (*origins, ColumnOrigin(field=name, column=place, unit="", origin=origin, path=path))
    return replace(large, table=table, origins=origins)


def _column(large: LargeRuns, field: str) -> pa.DictionaryArray | None:
    if field not in large.table.column_names:
        return None
    return large.table.column(field).unify_dictionaries().combine_chunks()
