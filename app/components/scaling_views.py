"""What only the scaling page shows: its what-ifs, and the counts of one machine as a table."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.studies.scaling import WhatIf, launches_of
from analysis.study import Slot, Study, rows_of
from analysis.workload import Workload
from app.components.controls import NARROW, WIDE, pick
from app.components.launch_view import show_launch
from app.components.small_figures import frame_of
from app.components.study_view import SLOT_COLUMN, with_slot_marks
from app.components.tables import Column, metric_column, table, three_digits, whole

CAPTIONS = (
    "One stream, one copy over all devices",
    "All streams that memory holds",
    "First token of one prompt",
)
LINK_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
MICROSECOND_S = 1e-6
HOPS_S = (None, 1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4)
COLUMNS = (
    Column(name="spread", header="One stream: split"),
    metric_column("tokens_per_s_per_user", "tok/s per user", strong=True),
    metric_column("share_communication", "communication"),
    metric_column("share_hop", "of it hops"),
    Column(name="full_spread", header="All streams: split"),
    metric_column("output_tokens_per_s", "in all", strong=True),
    Column(name="output_tokens_per_s_per_device", header="tok/s a device", shown=three_digits),
    Column(name="running", header="users", shown=whole),
    metric_column("first_token_s", "first token"),
    Column(name="verdict", header="Note"),
)


def pick_what_if() -> WhatIf:
    """Links and hops as they might be: assumed, and said so in the answer's conditions."""
    factor = pick(
        "Links, what if", LINK_FACTORS, key="links", default=1.0, width=NARROW + 24,
        name=lambda each: "as sold" if each == 1.0 else f"× {each:g}",
        help="Bandwidth between devices, inside a node and beyond it, against the catalogue's. Assumed, not sold.",
    )  # fmt: skip
    hop = pick(
        "Hops, what if", HOPS_S, key="hops", default=None, width=NARROW + 24,
        name=lambda each: "as modelled" if each is None else f"{each / MICROSECOND_S:g} µs",
        help="Latency from one pipeline stage or wafer to the next: 10 µs and 5 µs in the model, both priors.",
    )  # fmt: skip
    return WhatIf(link_factor=factor, hop_s=hop)


def table_of_one_slot(study: Study, workload: Workload, slots: Sequence[Slot]) -> None:
    """The counts of one machine, chosen from a list, and how one of them is started."""
    names = {int(row["place"]): str(row["slot"]).split("× ", 1)[-1] for row in rows_of(study.table)}
    places = list(names)
    chosen = pick(
        "Counts of", places, key="counts", default=places[0], name=names.__getitem__, width=WIDE,
        help="A split counts as its launch command does: tp × pp × dp is the number of devices; ep spreads the "
        "experts over the same devices.",
    )  # fmt: skip
    rows = study.table[study.table["place"] == chosen]
    columns = [each for each in COLUMNS if each.name != "verdict" or rows["verdict"].any()]
    table(with_slot_marks(rows), (SLOT_COLUMN, *columns), alt=study.question, muted=rows["verdict"])
    served = [str(row["slot"]) for row in rows_of(rows) if not row["verdict"]]
    if served:
        slot = pick("Start", served, key="launch", default=served[-1], width=WIDE)
        found = launches_of(workload, slots, frame_of(study, "plans"), chosen, slot)
        show_launch(found, title=f"Start {slot} for all streams", key="scaling")
