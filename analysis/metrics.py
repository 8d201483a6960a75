"""Every quantity the dashboard shows: its key (a column name), label, unit, better direction and digits."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from data.errors import UnknownNameError
from data.units import format_quantity, unit_label

Better = Literal["higher", "lower", "none"]
_ARROWS = {("higher", False): " →", ("lower", False): " ←", ("higher", True): " ↑", ("lower", True): " ↓"}


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One quantity shown.

    key     column name in tables of studies and of the engine
    label   as axes and headers say it
    unit    of the SI values: "token/s", "byte", "percent" for a share, "" for a count
    better  direction that a reader prefers; "none" where neither is
    digits  significant digits on screen
    """

    key: str
    label: str
    unit: str
    better: Better = "none"
    digits: int = 3

    def unit_text(self, prefix: str = "") -> str:
        """The unit as printed; with an SI prefix where the axis is drawn in it: "GB"."""
        shown = "%" if self.unit == "percent" else unit_label(self.unit)
        return f"{prefix}{shown}" if shown else ""

    def header(self, prefix: str = "") -> str:
        """Label with unit, for a table's column: "memory needed (GB)"."""
        unit = self.unit_text(prefix)
        return f"{self.label} ({unit})" if unit else self.label

    def axis_title(self, prefix: str = "", *, vertical: bool = False) -> str:
        """Label, unit and an arrow toward better: "tokens/s per user (tok/s) →"."""
        return self.header(prefix) + _ARROWS.get((self.better, vertical), "")

    def format(self, value: float | int | None) -> str:
        """A value as the screen shows it, with its unit; "–" where it is unknown."""
        return format_quantity(value, self.unit, self.digits)


def _listed(*rows: tuple[str, str, str, Better] | tuple[str, str, str, Better, int]) -> dict[str, Metric]:
    found: dict[str, Metric] = {}
    for key, label, unit, better, *digits in rows:
        found[key] = Metric(key=key, label=label, unit=unit, better=better, digits=digits[0] if digits else 3)
    return found


_SPEED = _listed(
    ("tokens_per_s_per_user", "tokens/s per user", "token/s", "higher"),
    ("output_tokens_per_s", "output tokens/s, whole system", "token/s", "higher"),
    ("total_tokens_per_s", "input and output tokens/s", "token/s", "higher"),
    ("prefill_tokens_per_s", "prompt tokens/s of one prompt", "token/s", "higher"),
    ("ceiling_tokens_per_s_per_user", "ceiling per user", "token/s", "higher"),
    ("empty_tokens_per_s_per_user", "tokens/s per user, empty context", "token/s", "higher"),
    ("naive_tokens_per_s_per_user", "naive bandwidth bound per user", "token/s", "higher"),
    ("read_bound_tokens_per_s_per_user", "one stream's read bound", "token/s", "higher"),
    ("target_tokens_per_s_per_user", "target per user", "token/s", "none"),
    ("low_tokens_per_s_per_user", "80 % low", "token/s", "higher"),
    ("high_tokens_per_s_per_user", "80 % high", "token/s", "higher"),
    ("decode_step_s", "decode step", "s", "lower"),
    ("prefill_s", "prefill of one prompt", "s", "lower"),
    ("tpot_s", "time per output token", "s", "lower"),
    ("ttft_s", "time to first token", "s", "lower"),
    ("e2e_s", "request time", "s", "lower"),
    ("first_token_s", "first token of one prompt", "s", "lower"),
    ("output_tokens_per_s_per_device", "output tokens/s per device", "token/s", "higher"),
    ("output_tokens_per_j", "output tokens per joule, rated power", "token/J", "higher"),
    ("accepted_tokens_per_step", "accepted tokens a step", "token", "higher"),
)
_SHARES = _listed(
    ("share_memory", "memory", "percent", "none", 2),
    ("share_compute", "compute", "percent", "none", 2),
    ("share_latency", "latency", "percent", "none", 2),
    ("share_communication", "communication", "percent", "none", 2),
    ("share_host", "host", "percent", "none", 2),
    ("share_hop", "hops", "percent", "none", 2),
    ("bandwidth_used_fraction", "bandwidth used (MBU)", "percent", "higher", 2),
    ("compute_used_fraction", "compute used (MFU)", "percent", "higher", 2),
    ("measured_over_modelled", "measured over modelled", "", "none"),
    ("memory_used_fraction", "share of one device's memory", "percent", "lower", 2),
    ("weight_fraction", "memory in weights", "percent", "none", 2),
    ("cache_fraction", "memory in cache", "percent", "none", 2),
    ("free_fraction", "memory free", "percent", "none", 2),
)
_MEMORY = _listed(
    ("memory_byte", "memory", "byte", "higher"),
    ("memory_needed_byte", "memory needed", "byte", "lower"),
    ("memory_available_byte", "memory available", "byte", "higher"),
    ("weight_byte", "weights", "byte", "lower"),
    ("cache_byte", "KV cache", "byte", "lower"),
    ("state_byte", "recurrent state", "byte", "lower"),
    ("activation_byte", "activations", "byte", "lower"),
    ("overhead_byte", "overhead", "byte", "lower"),
    ("attention_byte", "attention weights", "byte", "lower"),
    ("dense_mlp_byte", "dense MLP weights", "byte", "lower"),
    ("expert_byte", "expert weights", "byte", "lower"),
    ("embedding_byte", "embedding and head", "byte", "lower"),
    ("free_byte", "free", "byte", "higher"),
    ("cache_byte_per_token", "KV cache per token", "byte/token", "lower"),
    ("cache_copies", "copies of each cached head", "", "lower"),
    ("kv_room_tokens", "tokens of cache that fit", "token", "higher"),
    ("pooled_room_tokens", "tokens of cache, memory pooled", "token", "higher"),
    ("placed_room_tokens", "tokens of cache, whole layers", "token", "higher"),
    ("largest_batch", "largest batch", "", "higher"),
    ("largest_context_tokens", "longest context", "token", "higher"),
    ("layers_on_wafer", "layers", "", "none"),
)
_BANDWIDTH = _listed(
    ("bandwidth_byte_per_s", "memory bandwidth", "byte/s", "higher"),
    ("required_byte_per_s", "bandwidth needed", "byte/s", "lower"),
    ("available_byte_per_s", "bandwidth of all devices", "byte/s", "higher"),
    ("seen_byte_per_s", "bandwidth one stream sees", "byte/s", "higher"),
    ("read_byte", "read per step", "byte", "lower"),
    ("bandwidth_over_need", "bandwidth over need", "", "higher"),
    ("weight_width_byte", "bytes per weight", "byte", "none"),
    ("intensity_flop_per_byte", "arithmetic intensity", "flop/byte", "none"),
    ("rate_flop_per_s", "arithmetic rate", "flop/s", "higher"),
    ("attainable_flop_per_s", "attainable rate", "flop/s", "higher"),
    ("peak_flop_per_s", "dense peak", "flop/s", "higher"),
    ("ridge_flop_per_byte", "ridge", "flop/byte", "lower"),
    ("work_flop", "arithmetic", "flop", "lower"),
    ("traffic_byte", "bytes moved", "byte", "lower"),
    ("operator_s", "time at the roof", "s", "lower"),
    ("critical_batch", "batch at the ridge", "", "none"),
)
_SPECULATION = _listed(
    ("speedup", "speed-up", "", "higher"),
    ("drafted", "tokens drafted a step", "", "none"),
    ("acceptance", "acceptance", "", "none"),
    ("yielded", "tokens a step", "", "none"),
    ("draft_ratio", "draft step over plain step", "", "lower"),
    ("verify_ratio", "verifying step over plain step", "", "lower"),
    ("best_drafted", "best draft length", "", "none"),
    ("best_speedup", "best speed-up", "", "higher"),
    ("best_tokens_per_s_per_user", "tokens/s per user at best", "token/s", "higher"),
    ("speculative_tokens_per_s_per_user", "tokens/s per user with drafts", "token/s", "higher"),
    ("speculative_ceiling_tokens_per_s_per_user", "ceiling per user with drafts", "token/s", "higher"),
    ("needed_for_speedup", "needed for the speed-up", "", "lower", 2),
    ("needed_for_target", "needed for the target", "", "lower", 2),
    ("draft_byte", "draft model and its cache", "byte", "lower"),
)
_STREAMING = _listed(
    ("resident_fraction", "experts resident", "percent", "none", 2),
    ("caught_fraction", "visits that resident experts catch", "percent", "higher", 2),
    ("hit_fraction", "hit rate, bytes met that are resident", "percent", "higher", 4),
    ("hit_needed_fraction", "hit rate needed", "percent", "lower", 4),
    ("resident_needed_fraction", "experts to be resident", "percent", "lower", 3),
    ("resident_tokens_per_s_per_user", "tokens/s per user, all resident", "token/s", "higher"),
    ("stream_bound_tokens_per_s_per_user", "what the link allows per user", "token/s", "higher"),
    ("missed_byte", "fetched a step", "byte", "lower"),
    ("outside_byte", "kept outside", "byte", "lower"),
    ("load_s", "loading the model", "s", "lower"),
)
_PRECISION = _listed(
    ("tokens_per_s_per_user_before", "tokens/s per user, before", "token/s", "higher"),
    ("tokens_per_s_per_user_after", "tokens/s per user, after", "token/s", "higher"),
    ("output_tokens_per_s_after", "output tokens/s, whole system, after", "token/s", "higher"),
    ("assumed_tokens_per_s_per_user", "tokens/s per user, gain assumed", "token/s", "higher"),
    ("moved_byte", "moved in a step", "byte", "lower"),
)
_CHOICES = _listed(
    ("tail_ratio", "slowest gaps between tokens over the median one", "", "lower"),
    ("failed_fraction", "requests that failed", "percent", "lower"),
    ("cut_off_fraction", "requests cut off", "percent", "lower"),
    ("in_flight", "requests really in flight", "", "none"),
    ("client_over_server", "tokens by the client over those by the server", "", "none"),
    ("request_rate", "requests offered a second", "", "none"),
    ("batch_size", "sequences in a batch", "", "none"),
    ("cache_used_fraction", "KV cache in use", "percent", "none", 2),
    ("preemptions", "requests thrown out", "", "lower"),
    ("time_s", "time", "s", "none"),
    ("device_count", "devices", "", "lower"),
    ("devices_needed", "devices needed", "", "lower"),
    ("wafers_needed", "wafers needed", "", "lower"),
    ("context_tokens", "context", "token", "none"),
    ("input_tokens", "input", "token", "none"),
    ("output_tokens", "output", "token", "none"),
    ("concurrency", "users at once", "", "none"),
    ("tp", "tensor parallel", "", "none"),
    ("pp", "pipeline stages", "", "none"),
    ("ep", "expert parallel", "", "none"),
    ("dp", "attention data parallel", "", "none"),
)
_COST = _listed(
    ("price_usd_per_hour", "price per device", "usd/hour", "lower"),
    ("cost_usd_per_million_tokens", "cost per million tokens", "usd/Mtoken", "lower"),
    ("input_usd_per_million_tokens", "cost per million input tokens", "usd/Mtoken", "lower"),
    ("output_usd_per_million_tokens", "cost per million output tokens", "usd/Mtoken", "lower"),
    ("blended_usd_per_million_tokens", "cost per million tokens of the mix", "usd/Mtoken", "lower"),
    ("device_usd_per_hour", "price per device", "usd/hour", "lower"),
    ("break_even_usd_per_hour", "break-even price per device", "usd/hour", "higher"),
    ("occupancy_needed_fraction", "hours it must serve", "percent", "lower", 2),
    ("duty_fraction", "hours it serves", "percent", "none", 2),
    ("time_to_answer_s", "time to the whole answer", "s", "lower"),
    ("serving_j_per_token", "energy per token while serving", "J/token", "lower"),
    ("floor_j_per_token", "energy of bytes and arithmetic", "J/token", "lower"),
    ("energy_of_million_tokens", "energy per million tokens", "kWh/Mtoken", "lower"),
    ("serving_power_w", "power while serving", "W", "lower"),
    ("idle_power_w", "power while idle", "W", "lower"),
    ("idle_energy_fraction", "energy of idle hours", "percent", "lower", 2),
    ("owning_usd_per_hour", "owning, an hour", "usd/hour", "lower"),
    ("renting_usd_per_hour", "renting, an hour", "usd/hour", "lower"),
    ("owning_usd_per_million_tokens", "owning, per million tokens", "usd/Mtoken", "lower"),
    ("renting_usd_per_million_tokens", "renting, per million tokens", "usd/Mtoken", "lower"),
    ("power_usd_per_hour", "power, an hour", "usd/hour", "lower"),
    ("purchase_usd", "purchase, all devices", "usd", "lower"),
    ("pay_back_months", "months to pay back", "", "lower"),
    ("break_even_use_fraction", "use above which owning is cheaper", "percent", "lower", 2),
    ("energy_j_per_token", "energy per token", "J/token", "lower"),
    ("power_w", "power", "W", "lower"),
    ("rated_power_w", "rated power", "W", "lower"),
)
_TRAFFIC = _listed(
    ("rate_per_s", "requests", "1/s", "none"), ("most_per_s", "requests one carries", "1/s", "higher"),
    ("replicas", "replicas", "", "none"), ("quiet_replicas", "replicas when quiet", "", "lower"),
    ("prefill_replicas", "replicas for prompts", "", "lower"),
    ("balance", "prompt replicas for each full one", "", "lower"),
    ("people", "people in conversation", "", "higher"), ("backlog_requests", "requests piled up by then", "", "lower"),
    ("p50_s", "half within", "s", "lower"), ("p95_s", "95 % within", "s", "lower"),
    ("p99_s", "99 % within", "s", "lower"), ("ttft_p95_s", "first token, 95 % within", "s", "lower"),
    ("tpot_p95_s", "time per token, 95 % within", "s", "lower"), ("e2e_p95_s", "answer, 95 % within", "s", "lower"),
    ("longest_gap_s", "longest gap between tokens", "s", "lower"), ("path_s", "mean time of a request", "s", "lower"),
    ("cold_start_s", "a new replica answers after", "s", "lower"), ("drain_s", "worked off in", "s", "lower"),
    ("output_tokens_per_s_per_device", "output tokens/s of one device", "token/s", "higher"),
)  # fmt: skip
METRICS = MappingProxyType(
    _SPEED | _SHARES | _MEMORY | _BANDWIDTH | _SPECULATION | _STREAMING | _PRECISION | _CHOICES | _COST | _TRAFFIC
)


def metric(key: str) -> Metric:
    """The metric of a column. Raises UnknownNameError with near matches."""
    if key not in METRICS:
        raise UnknownNameError("metric", key, METRICS)
    return METRICS[key]
