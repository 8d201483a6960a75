"""The list of checks by name, and a claim judged by the one it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from analysis.claims import bandwidth, cache, capacity, costs, definitions, drafts, load, speeds
from analysis.claims.machine import CannotServeError
from analysis.claims.verdict import Asked, Verdict
from analysis.parameters import Parameters, starting_parameters
from data.catalogue.catalogue import Catalogue
from data.catalogue.claim_files import Claim
from data.errors import UnknownNameError, WaferlineError

Check = Callable[[Asked], Verdict]
_LISTED: tuple[Check, ...] = (
    definitions.another_quantity, definitions.rate_by_definition, definitions.vendor_figures,
    definitions.needs_evidence,
    speeds.implied_layers, speeds.speed, speeds.speeds_of_models,
    load.hops, load.scaling, load.same_speed, load.times_another_machine,
    bandwidth.bandwidth_needed, bandwidth.times_the_other, bandwidth.interconnect, bandwidth.peak,
    bandwidth.streamed_experts,
    capacity.width_that_fits, capacity.one_device, capacity.width_of_format, capacity.weight_size,
    capacity.active_on_one, capacity.several_devices, capacity.devices_together, capacity.times_memory,
    capacity.capacity,
    cache.access, cache.users_by_room, cache.memory_split,
    drafts.speculation_gain, costs.break_even,
)  # fmt: skip
CHECKS: Mapping[str, Check] = MappingProxyType({each.__name__: each for each in _LISTED})


def judge(claim: Claim, catalogue: Catalogue, parameters: Parameters | None = None) -> Verdict:
    """The claim's verdict from the catalogue as it is now.

    Raises UnknownNameError for a check, chip or model that does not exist (with near matches), WaferlineError for
    something the check needs and the claim does not give.
    """
    check = CHECKS.get(claim.check)
    if check is None:
        raise UnknownNameError("check of claims", claim.check, CHECKS, where=f"claim {claim.key}")
    try:
        return check(Asked(claim=claim, catalogue=catalogue, parameters=parameters or starting_parameters()))
    except CannotServeError as problem:
        return Verdict(kind="not testable", sentence=f"Not testable: {problem.sentence()}", figures={})


def judge_all(
    claims: Iterable[Claim], catalogue: Catalogue, parameters: Parameters | None = None
) -> list[tuple[Claim, Verdict]]:
    """Every claim with its verdict; one that cannot be judged is not testable, and says what is missing."""
    return [(claim, _or_missing(claim, catalogue, parameters)) for claim in claims]


def _or_missing(claim: Claim, catalogue: Catalogue, parameters: Parameters | None) -> Verdict:
    try:
        return judge(claim, catalogue, parameters)
    except WaferlineError as problem:
        return Verdict(kind="not testable", sentence=f"Not testable: {problem.sentence()}", figures={})
