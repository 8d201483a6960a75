"""Dense MLPs and mixtures of experts from a configuration's keys."""

from __future__ import annotations

from data.errors import CatalogueError
from data.readers.model_config.configuration import Configuration
from data.records import Mlp

GATED, PLAIN = 3, 2
NO_MLP = Mlp(kind="none")

EXPERT_KEYS = ("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
CHOSEN_KEYS = ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts", "moe_k")
SHARED_KEYS = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")


def read_dense(c: Configuration, *keys: str, matrices: int = GATED) -> Mlp:
    """A dense MLP whose inner width stands under the first of `keys` (intermediate_size by default)."""
    width = c.size("dense_inner_width", *(keys or ("intermediate_size",)))
    return Mlp(kind="dense", inner_width=width, matrices=matrices)


def read_mixture(
    c: Configuration,
    *,
    width_keys: tuple[str, ...] = ("moe_intermediate_size",),
    shared_width: int | None = None,
    matrices: int = GATED,
    expert_vectors: int = 0,
) -> Mlp:
    """Routed experts, with all shared experts together as inner_width.

    shared_width     their joint width where the caller knows it, else shared experts x expert width
    expert_vectors   elements of biases of one routed expert
    """
    width = c.size("expert_width", *width_keys)
    if shared_width is None:
        shared_width = c.whole("shared_experts", *SHARED_KEYS, default=0) * width
    experts, chosen = c.size("experts", *EXPERT_KEYS), c.size("experts_per_token", *CHOSEN_KEYS)
    if chosen > experts:
        raise CatalogueError("a token meets more experts than there are", where=c.where, found=f"{chosen} of {experts}")
    return Mlp(
        kind="moe",
        inner_width=shared_width,
        matrices=matrices,
        experts=experts,
        experts_per_token=chosen,
        expert_width=width,
        expert_vectors=expert_vectors,
    )


def dense_first(c: Configuration, layers: int, *, default: int = 0) -> list[bool]:
    """For every layer whether its MLP is a mixture: leading dense layers, or a list that says so layer by layer."""
    kinds = c.per_layer("mlp_layer_types", layers)
    if kinds is not None:
        return [kind == "sparse" for kind in kinds]
    listed = c.values.get("moe_layer_freq")
    if isinstance(listed, list):
        return [bool(each) for each in c.per_layer("moe_layer_freq", layers) or []]
    first = c.whole("dense_layers", "first_k_dense_replace", default=default)
    return [index >= first for index in range(layers)]
