"""The unit a parameter's name ends in: bandwidth_byte_per_s is in byte/s."""

from __future__ import annotations

from data.errors import UnitError

# Things that are counted: "per user", "per layer" change no dimension.
COUNTED = frozenset({
    "user", "device", "gpu", "chip", "wafer", "core", "node", "request", "sequence", "layer", "step", "card", "socket",
    "head", "expert", "element", "parameter", "weight", "mac", "cycle", "crossing", "operator", "round", "kernel",
    "stage",
})  # fmt: skip

# What a parameter name may end in. The program holds SI floats only, so names in other scales are refused.
_SUFFIX_UNITS = {
    "byte": "byte", "flop": "flop", "op": "op", "s": "s", "token": "token", "tokens": "token", "w": "W",
    "usd": "usd", "joule": "J", "j": "J", "hz": "1/s",
}  # fmt: skip
_SUFFIX_UNDER = {**_SUFFIX_UNITS, "hour": "hour", "kwh": "kWh", "million_tokens": "Mtoken", "million_token": "Mtoken"}
_FOREIGN = frozenset({
    "ms", "us", "ns", "kb", "mb", "gb", "tb", "pb", "kib", "mib", "gib", "tib", "gbps", "tbps", "gbit", "bit", "bits",
    "tflop", "tflops", "gflops", "pflops", "tops", "kw", "mw", "kwh",
})  # fmt: skip


def unit_of_suffix(name: str) -> tuple[str, str]:
    """Symbol and unit of a parameter name: "bandwidth_byte_per_s" -> ("bandwidth", "byte/s").

    A plain name is dimensionless: ("layers", ""). A name that is nothing but a unit keeps itself as the symbol.
    "per" something merely counted (user, device, layer) changes no unit. Raises UnitError for a scale other than SI.
    """
    head, *unders = name.replace("million_token", "million-token").split("_per_")
    words = head.split("_")
    if words[-1] in _FOREIGN or (unders and unders[-1] in _FOREIGN - {"kwh"}):
        raise UnitError("a name in a scale other than SI", found=name, expected="byte, flop, s, token, w, usd")
    under = [_SUFFIX_UNDER.get(each.replace("-", "_"), "" if each in COUNTED else None) for each in unders]
    if any(each is None for each in under):
        return name, ""
    over = _SUFFIX_UNITS.get(words[-1], "")
    if not over and not any(each in ("s", "hour") for each in under):
        return name, ""
    symbol = "_".join(words[:-1] if over else words)
    unit = "/".join([over or "1", *[each for each in under if each]])
    return symbol or name, unit
