"""Names in uploaded runs as catalogue keys; a name that means nothing or several things stays as it is and is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from data.catalogue.catalogue import Catalogue
from data.catalogue.names import ResolvedName
from data.errors import AmbiguousNameError, UnknownNameError
from data.readers.intake.names import split_format
from data.readers.intake.result import Question, ReadResult
from data.records import Run, RunField
from data.store.long_names import long_names, with_keys
from data.store.native_experts import with_native_experts
from data.store.published_formats import with_published_format, with_published_proposals

SHORTEST_NAME = 3  # letters of a name below which anything is near it
_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)\s*([bm])(?![a-z0-9])")  # 6.7b, 125m
_ANY_DEVICE = re.compile(r"\s+(?:gpus?|accelerators?|cards?)\s*$", re.I)
_Refusal = UnknownNameError | AmbiguousNameError


def resolve_names(result: ReadResult, catalogue: Catalogue) -> ReadResult:
    """The result with `hardware_key` and `model_id` where the catalogue knows the name, and a question where not.

    A question about a name has the field `hardware:NAME` or `model_raw:NAME`; its answer stands for that name alone.
    """
    runs, questions, said = result.runs, list(result.questions), result.answers or {}
    large = result.large
    for field, target, resolve in (
        ("hardware", "hardware_key", catalogue.resolve_chip),
        ("model_raw", "model_id", catalogue.resolve_model),
    ):
        names = dict.fromkeys(str(run.values[field]) for run in runs if run.values.get(field))
        names |= dict.fromkeys(long_names(result.large, field))
        meant = {name: said.get(f"{field}:{name}", name) for name in names}
        answers = {name: _resolved(meant[name], resolve) for name in names}
        runs = tuple(_with_key(run, field, target, answers, meant) for run in runs)
        if large is not None:
            single = tuple(_with_key(run, field, target, answers, meant) for run in large.single_runs)
            large = replace(with_keys(large, field, target, answers, meant), single_runs=single)
        refused = {name: answer for name, answer in answers.items() if not isinstance(answer, ResolvedName)}
        questions = [*(_question(field, name, answer) for name, answer in refused.items()), *questions]
    runs = tuple(with_native_experts(run, catalogue.architectures) for run in runs)
    read, runs = runs, tuple(with_published_format(run, catalogue.architectures) for run in runs)
    questions = with_published_proposals(questions, read, runs, catalogue.architectures)
    return replace(result, runs=runs, questions=tuple(questions), large=large)


def _resolved(name: str, resolve: Callable[[str], ResolvedName]) -> ResolvedName | _Refusal:
    """What the name means, or why it means nothing."""
    refusal: _Refusal | None = None  # of the shortest spelling, unless a longer one is known to be ambiguous
    for spelling in _spellings(name):
        try:
            return resolve(spelling)
        except (UnknownNameError, AmbiguousNameError) as error:
            refusal = refusal if isinstance(refusal, AmbiguousNameError) else error
    return refusal or UnknownNameError("name", name, ())


def _spellings(name: str) -> Iterable[str]:
    """The name, that without a word for any device, its last path component, and that without a weight format."""
    last = name.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    return dict.fromkeys(one for one in (name, _ANY_DEVICE.sub("", name), last, split_format(last)[0]) if one)


def _with_key(
    run: Run, field: str, target: str, answers: Mapping[str, ResolvedName | _Refusal], meant: Mapping[str, str]
) -> Run:
    name = str(run.values.get(field))
    answer = answers.get(name)
    if not isinstance(answer, ResolvedName):
        return run
    told = meant[name] != name
    path = "said by the person" if told else f"catalogue, by {answer.how}"
    found = RunField(raw=meant[name], unit="", origin="person" if told else "derived", path=path)
    values, fields = {**run.values, target: answer.key}, {**run.fields, target: found}
    if target == "model_id" and answer.format_hint and "weight_format" not in values:
        values["weight_format"] = answer.format_hint
        fields["weight_format"] = RunField(raw=name, unit="", origin="assumed", path="from the model's name")
    return replace(run, values=values, fields=fields)


def _question(field: str, name: str, refusal: _Refusal) -> Question:
    # A near match is no proposal, nor is one of several devices unless it is known to be the usual one.
    choices = refusal.choices if isinstance(refusal, AmbiguousNameError) and "usual" in refusal.what else ()
    kind = "device" if field == "hardware" else "model"
    return Question(
        field=f"{field}:{name}",
        text=f"Which {kind} of the catalogue is {name!r}? Without it the runs are kept, but not compared.",
        proposal=choices[0] if choices else "",
        because=_because(name, refusal),
    )


def _because(name: str, refusal: _Refusal) -> str:
    """Why the name is asked about; a near match of another size is another model and not worth a word."""
    if isinstance(refusal, AmbiguousNameError):
        return refusal.sentence()
    sizes = _SIZE.findall(name.lower())
    near = [one for one in refusal.near if not sizes or _SIZE.findall(one.lower())[:1] in ([], sizes[:1])]
    near = near if len(name.strip()) >= SHORTEST_NAME else []
    return f"{refusal.what}." + (f" Near, but not the same: {', '.join(near)}." if near else "")
