"""Names in uploaded runs as catalogue keys; a name that means nothing or several things stays as it is and is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from data.catalogue.catalogue import Catalogue
from data.catalogue.names import ResolvedName
from data.errors import AmbiguousNameError, UnknownNameError
from data.readers.intake.names import split_format
from data.readers.intake.result import Question, ReadResult
from data.records import Run, RunField

_Refusal = UnknownNameError | AmbiguousNameError


def resolve_names(result: ReadResult, catalogue: Catalogue) -> ReadResult:
    """The result with `hardware_key` and `model_id` where the catalogue knows the name, and a question where not."""
    runs = result.runs
    questions = list(result.questions)
    for field, target, resolve in (
        ("hardware", "hardware_key", catalogue.resolve_chip),
        ("model_raw", "model_id", catalogue.resolve_model),
    ):
        names = dict.fromkeys(str(run.values[field]) for run in runs if run.values.get(field))
        answers = {name: _resolved(name, resolve) for name in names}
        runs = tuple(_with_key(run, field, target, answers) for run in runs)
        refused = {name: answer for name, answer in answers.items() if not isinstance(answer, ResolvedName)}
        if refused:
            questions = [_question(field, refused), *(one for one in questions if one.field != field)]
    return replace(result, runs=runs, questions=tuple(questions))


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
    """The name, its last path component, and that without a weight format."""
    last = name.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    return dict.fromkeys(one for one in (name, last, split_format(last)[0]) if one)


def _with_key(run: Run, field: str, target: str, answers: dict[str, ResolvedName | _Refusal]) -> Run:
    name = run.values.get(field)
    answer = answers.get(str(name))
    if name is None or not isinstance(answer, ResolvedName):
        return run
    found = RunField(raw=str(name), unit="", origin="derived", path=f"catalogue, by {answer.how}")
    values, fields = {**run.values, target: answer.key}, {**run.fields, target: found}
    if target == "model_id" and answer.format_hint and "weight_format" not in values:
        values["weight_format"] = answer.format_hint
        fields["weight_format"] = RunField(raw=str(name), unit="", origin="assumed", path="from the model's name")
    return replace(run, values=values, fields=fields)


def _question(field: str, refused: dict[str, _Refusal]) -> Question:
    """One question for every name that the catalogue does not settle."""
    first = next(iter(refused.values()))
    choices = first.choices if isinstance(first, AmbiguousNameError) else first.near
    kind = "device" if field == "hardware" else "model"
    names = ", ".join(repr(name) for name in refused)
    return Question(
        field=field,
        text=f"Which {kind} of the catalogue is {names}? Without it the runs are kept, but not compared.",
        proposal=choices[0] if choices else "",
        because=first.sentence(),
    )
