"""What a person says about a file: checked, kept in profiles, put into the runs that lack it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from data.errors import ReadError, near_matches
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS, label_of
from data.readers.intake.json_values import as_number
from data.readers.intake.names import hints_beside, name_hints
from data.readers.intake.result import Answers, Question

AS_READ = "as read"
AS_PUBLISHED = "as published"  # begins the place of a figure that the model's published checkpoint gives
_SHORT = {"model": "model_raw", "gpu": "hardware", "gpus": "device_count", "isl": "isl_mean", "osl": "osl_mean"}
# Fields of questions beside FIELDS.
_MEANINGS = ("column:", "unit:", "meaning:", "decimal_mark", "hardware:", "model_raw:")


def canonical(answers: Answers) -> dict[str, str]:
    """Answers with field names spelled out. Raises ReadError for a field that does not exist, with near matches."""
    found: dict[str, str] = {}
    for field, value in answers.items():
        name = _SHORT.get(field.strip(), field.strip())
        if name not in FIELDS and not name.startswith(_MEANINGS):
            near = near_matches(name, FIELDS)
            raise ReadError(
                "an answer is for a field that does not exist",
                found=field,
                remedy=f"Did you mean {' or '.join(near)}?" if near else "See the questions for the names.",
            )
        found[name] = value.strip()
    return found


def apply(drafts: Sequence[Draft], answers: Answers) -> None:
    """Put answers about canonical fields into the runs.

    An answer fills the runs that lack the field or only assume it, and leaves alone what the file says of others. Where
    no run is open it is a correction: of what a person said before, else of the file, whose word is kept in the path.
    """
    for name, value in answers.items():
        if name not in FIELDS or value in ("", AS_READ):
            continue
        for draft in _meant(drafts, name):
            _say(draft, name, value)


def _meant(drafts: Sequence[Draft], name: str) -> Sequence[Draft]:
    """The runs that an answer about this field is for."""
    origins = [draft.fields[name].origin if name in draft.fields else "" for draft in drafts]
    for wanted in (("", "assumed"), ("person",)):
        found = [draft for draft, origin in zip(drafts, origins, strict=True) if origin in wanted]
        if found:
            return found
    return drafts


def _say(draft: Draft, name: str, value: str) -> None:
    if name == "concurrency" and value == "batch_size":
        path = "the person says: as large as the batch"
        draft.put(name, draft.number("batch_size"), path=path, origin="person")
        return
    if FIELDS[name].kind != "text" and as_number(value) is None:
        raise ReadError(f"the answer for {label_of(name)!r} is not a number", found=value, expected="a number")
    before = draft.fields.get(name)
    stated = f"; the file says {before.raw!r} at {before.path}" if before else ""
    draft.put(name, value, path=f"said by the person{stated}", origin="person")


def missing(
    drafts: Sequence[Draft],
    asks: Sequence[str],
    name: str,
    answers: Answers,
    beside: Sequence[tuple[str, str]] = (),
) -> list[Question]:
    """Questions for the fields that some run lacks or only assumes, with proposals from around the runs.

    beside   (key, value) that stand beside the runs in the file; they win over what its name holds
    """
    told = hints_beside(beside)
    hints = {**name_hints(name), **{field: value for field, (_, value) in told.items()}}
    found: list[Question] = []
    for field in asks:
        lacking = [draft for draft in drafts if field not in draft.values]
        assumed = [draft for draft in drafts if field in draft.fields and draft.fields[field].origin == "assumed"]
        if field in answers or not (lacking or assumed):
            continue
        if lacking:
            hint = hints.get(field, "")
            where = f"beside the runs stands {told[field][0]!r}" if field in told else "the file's name holds"
            because = f"{where} {hint!r}" if hint else _lack(len(lacking), len(drafts))
            found.append(Question(field=field, text=_question(field), proposal=hint, because=because))
        else:
            said = " / ".join(dict.fromkeys(str(draft.values[field]) for draft in assumed))
            found.append(
                Question(
                    field=field,
                    text=f"{_question(field)} Read as {said}: right?",
                    proposal=AS_READ,
                    assumed=said,
                    because=f"{assumed[0].fields[field].path}: {assumed[0].fields[field].raw!r}",
                )
            )
    return found


def _question(field: str) -> str:
    return _TEXTS.get(field, f"{label_of(field)}: {FIELDS[field].meaning}?")


def _lack(lacking: int, runs: int) -> str:
    return "the file does not say" if lacking == runs else f"{lacking} of {runs} runs do not say"


def load_profile(path: Path) -> dict[str, str]:
    """Answers kept in a YAML file under `answers:` (or as the whole file). Raises ReadError naming the file."""
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ReadError("the profile cannot be read", where=str(path), found=str(error)[:200]) from error
    body = loaded.get("answers", loaded) if isinstance(loaded, dict) else None
    if not isinstance(body, dict) or any(isinstance(value, dict | list) for value in body.values()):
        raise ReadError("the profile holds no answers", where=str(path), expected="answers: {field: value}")
    return {str(field): str(value) for field, value in body.items()}


def profile_text(answers: Mapping[str, str], *, title: str) -> str:
    """A profile as YAML text, readable by load_profile."""
    return yaml.safe_dump({"title": title, "answers": dict(answers)}, sort_keys=False, allow_unicode=True)


_TEXTS = {
    "model_raw": "Which model was served?",
    "hardware": "Which device did it run on?",
    "device_count": "How many devices in all?",
    "tp": "Tensor parallel degree?",
    "engine": "Which serving engine?",
    "engine_version": "Which version of the engine?",
    "weight_format": "Which number format are the weights in?",
    "kv_format": "Which number format is the KV cache in?",
    "isl_mean": "How many input tokens has a request?",
    "osl_mean": "How many output tokens has a request?",
    "concurrency": "How many requests were in flight?",
    "batch_size": "How many sequences were computed together?",
}
