"""One llama-bench test: its rate under the name of the phase measured, and the weight format its model names."""

from __future__ import annotations

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.llama.widths import Stated, nearest_format


def put_format(draft: Draft, said: Stated, path: str) -> None:
    """The weight format: the one named, unless size over count of weights says otherwise; then the size decides."""
    width = said.width_byte
    if width is None or (said.named_byte is not None and not said.contradicts):
        draft.put("weight_format", said.named, path=path, shown=said.text)
        return
    if said.contradicts:
        draft.warn(
            "format_contradicts_size", f"{said.text}: {said.arithmetic}: the size decides the format", "weight_format"
        )
    path = f"model_size / model_n_params beside {path}: {said.arithmetic}"
    draft.put("weight_format", nearest_format(width), path=path, shown=said.text, origin="derived")


def put_test(draft: Draft, prompt: float, generated: float, rate: object, spread: object, place: str) -> None:
    """The one rate of a row, under the name of the phase it was measured in."""
    draft.put("batch_size", 1, path="llama-bench runs one sequence", origin="derived")
    for length, side in ((prompt, "isl"), (generated, "osl")):
        if length > 0:
            draft.put(f"{side}_mean", length, path=f"{place}: {'n_prompt' if side == 'isl' else 'n_gen'}")
    number = as_number(rate)
    if not number or number <= 0 or prompt + generated <= 0:
        draft.outcome = "invalid"
        draft.warn(
            "rejected_value", f"the rate is {rate} tokens/s for {prompt:g} + {generated:g} tokens: not a measurement"
        )
        return
    name = "total_tps" if prompt > 0 and generated > 0 else "prefill_tps" if prompt > 0 else "output_tps"
    draft.put(name, number, path=f"{place}: avg_ts or t/s", shown=str(rate))
    if name != "total_tps":
        draft.put(f"{name}_std", spread, path=f"{place}: stddev_ts")
    if name == "output_tps":
        draft.derive("tpot_mean_ms", 1000 / number, "1000 / avg_ts, one sequence")
