"""Which cases a profile fitted to own runs speaks for: their answers bear its name and its left-out error."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.engine.case import Case
from analysis.engine.device_numbers import llama_cpp_kind
from analysis.engine.inputs import FIXED, KERNELS, MESH, STREAMED, Inputs
from analysis.parameters import Parameters
from data.records import Chip

SERVING = "serving"
OWN = "own_"  # regime of a case whose chip and model are among the runs of the profile


def profile_form(form: float, chip: Chip) -> str:
    """The part of the model that serves a chip, as profiles name it: "serving", "streamed-metal", "mesh"; or empty."""
    if form == KERNELS:
        return SERVING
    if form == STREAMED:
        return "streamed-dataflow" if chip.execution == "dataflow" else f"streamed-{llama_cpp_kind(chip)}"
    if form == FIXED:
        return f"fixed-{chip.generation}"
    return "mesh" if form == MESH else ""


def told(
    cases: Sequence[Case], inputs: Inputs, believed: Parameters, regimes: Sequence[str], assumed: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Regimes and assumptions with the profile's own where it speaks for a case; as given without a profile. (cases,)

    A machine kept full keeps the shipped values, for no run of a client says what it does.
    """
    fitted = believed.fitted
    if fitted is None:
        return list(regimes), list(assumed)
    names, texts = [], []
    for at, (case, regime, text) in enumerate(zip(cases, regimes, assumed, strict=True)):
        form = profile_form(float(inputs.form[at]), case.chip)
        covered = form in fitted.seen and inputs.offline[at] <= 0
        near = (
            covered and case.chip.key in fitted.seen[form].chips and case.architecture.key in fitted.seen[form].models
        )
        names.append(f"{OWN}{form}" if near else regime)
        texts.append(f"{text}; profile {fitted.name}".removeprefix("; ") if covered else text)
    return names, texts
