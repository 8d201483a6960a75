"""The number format a model was published in, taken where a file does not say its weights', and said to be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from data.readers.intake.answers import AS_PUBLISHED, AS_READ
from data.readers.intake.result import Question
from data.readers.sglang_serving import NO_QUANTIZATION
from data.records import Architecture, Run, RunField

_NARROW = ("fp8", "mxfp4", "nvfp4", "int4", "int8")
_FIELD = "weight_format"


def published_format(architecture: Architecture) -> str:
    """The format of the checkpoint as its makers published it, experts apart where theirs differs; empty if unknown."""
    weight, expert = architecture.native_weight_format, architecture.native_expert_format
    return f"{weight} (experts {expert})" if architecture.is_mixture and expert not in ("", weight) else weight


def with_published_format(run: Run, architectures: Mapping[str, Architecture]) -> Run:
    """The run with the published format where its own was guessed from the type it computes in.

    An engine that names no quantization still serves a checkpoint published in four or eight bits as it is.
    """
    field, architecture = run.fields.get(_FIELD), _model(run, architectures)
    if field is None or architecture is None or not _guessed(field):
        return run
    published = published_format(architecture)
    if not any(name in published for name in _NARROW):
        return run
    path = f"{AS_PUBLISHED}: the checkpoint of {architecture.name}; {field.path} says {field.raw}"
    found = RunField(raw=field.raw, unit="", origin="assumed", path=path)
    return replace(run, values={**run.values, _FIELD: published}, fields={**run.fields, _FIELD: found})


def with_published_proposals(
    questions: Sequence[Question],
    before: Sequence[Run],
    runs: Sequence[Run],
    architectures: Mapping[str, Architecture],
    *,
    stored: bool = False,
) -> list[Question]:
    """The questions, with the published format proposed for weights that no file says, if the models agree on it.

    before, runs   the runs as read and with `with_published_format`
    stored         the runs lie in the store as they were read, so that leaving a box empty leaves them so
    """
    changed = [run for one, run in zip(before, runs, strict=True) if run is not one and run.values != one.values]
    taken = {str(run.values[_FIELD]) for run in changed if AS_PUBLISHED in run.fields[_FIELD].path}
    lacking = [run for run in runs if _FIELD not in run.values]
    likely = {published_format(model) if (model := _model(run, architectures)) else "" for run in lacking}
    found = []
    for one in questions:
        if one.field == _FIELD and len(taken) == 1 and one.proposal in ("", AS_READ):
            one = _restated(one, taken.pop(), leave=one.proposal == AS_READ and not stored)
        elif one.field == _FIELD and one.proposal == "" and len(likely) == 1 and likely != {""}:
            one = replace(one, proposal=likely.pop(), because=f"{AS_PUBLISHED} by the model's makers; {one.because}")
        found.append(one)
    return found


def _restated(question: Question, published: str, *, leave: bool) -> Question:
    """The question with the published format: as what was read, if leaving it is an answer, else as the proposal."""
    because = f"{AS_PUBLISHED} by the model's makers; {question.because} is the type it computes in"
    if not leave:
        return replace(question, proposal=published, because=because, assumed="")
    text = question.text.replace(f"Read as {question.assumed}", f"Read as {published}")
    return replace(question, text=text, assumed=published, because=because)


def _guessed(field: RunField) -> bool:
    return field.origin == "assumed" and field.path.endswith(NO_QUANTIZATION)


def _model(run: Run, architectures: Mapping[str, Architecture]) -> Architecture | None:
    return architectures.get(str(run.values.get("model_id")))
