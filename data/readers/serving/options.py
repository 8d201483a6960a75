"""Options of a serving benchmark, from a command line, its log or Python's Namespace(...), as canonical fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft, Origin

_FIELDS = {
    "model": "model_raw",
    "num_prompts": "num_requests",
    "num_prompt": "num_requests",
    "max_concurrency": "concurrency",
    "burstiness": "burstiness",
    "random_input_len": "isl_nominal",
    "random_input": "isl_nominal",
    "input_len": "isl_nominal",
    "random_output_len": "osl_nominal",
    "random_output": "osl_nominal",
    "output_len": "osl_nominal",
}
_NAMESPACE = re.compile(r"\b([a-z][a-z0-9_]*)=('[^']*'|\"[^\"]*\"|[^\s,()]+)")
_FLAG = re.compile(r"--([a-z][a-z0-9-]*)(?:[ =]+('[^']*'|\"[^\"]*\"|[^\s\\]+))?")
_BENCHMARK = re.compile(r"bench(?:mark)?[_ ]?serv|bench serve|bench_serving", re.I)
_MAX_CHARACTERS = 200_000

Options = Mapping[str, str]


def of_words(words: Sequence[object]) -> dict[str, str]:
    """Options of a command given as its words."""
    found: dict[str, str] = {}
    texts = [str(word) for word in words]
    for word, after in zip(texts, [*texts[1:], ""], strict=True):
        if word.startswith("--"):
            name, sign, value = word[2:].partition("=")
            found[name.replace("-", "_")] = value if sign else "" if after.startswith("--") else after
    return found


def of_text(text: str) -> dict[str, str]:
    """Options told by lines of a log about a serving benchmark: the last Namespace(...) or command line wins."""
    found: dict[str, str] = {}
    joined = re.sub(r"\\\s*\n", " ", text[-_MAX_CHARACTERS:])
    for line in joined.splitlines():
        if "Namespace(" in line:
            found |= {key: value.strip("'\"") for key, value in _NAMESPACE.findall(line)}
        elif _BENCHMARK.search(line) and "--" in line:
            found |= {key.replace("-", "_"): value.strip("'\"") for key, value in _FLAG.findall(line)}
    return {key: value for key, value in found.items() if value not in ("None", "")}


def put_options(draft: Draft, options: Options, place: str, origin: Origin) -> None:
    """Model, load, lengths asked for and data; what the draft knows already is left alone."""
    for key, name in _FIELDS.items():
        if key in options and name not in draft.values:
            draft.put(name, options[key], path=f"{place} --{key.replace('_', '-')}", origin=origin)
    if "request_rate" in options and "request_rate" not in draft.values:
        put_rate(draft, options["request_rate"], f"{place} --request-rate")
    named, at = options.get("dataset_name", ""), options.get("dataset_path", "")
    if "dataset" not in draft.values:
        draft.put("dataset", at if named in ("", "hf", "custom") else named, path=f"{place} --dataset", origin=origin)
