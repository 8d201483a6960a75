"""How long the best plan of every family takes: GLM-4.6 at 8K and 200K for 1,000 tok/s per user, and 5,000 cases.

`python -m tests.benchmarks.plans`. Seconds hold for the machine they are taken on; the answers do not.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

from analysis.engine import evaluate
from analysis.studies.plan_grid import grid, servers
from analysis.studies.plan_search import Wanted, study
from analysis.study import rows_of
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue

TURNS = 5
CASES = 5000
CONTEXTS = (8192.0, 200_000.0)


def seconds(work: Callable[[], object]) -> float:
    """Median wall time of a few turns, the first left out."""
    work()
    taken = []
    for _ in range(TURNS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    """Print the answer on each family with the time of the whole search, then the engine's time on 5,000 cases."""
    known = load_catalogue()
    chips = servers(known.chips.values())
    wanted = Wanted(target_token_per_s=1000.0)
    for context in CONTEXTS:
        asked = Workload(architecture=known.architectures["glm-4.6"], context_tokens=context)
        found = study(asked, chips, wanted, known.prices)
        print(f"\n{found.answer}")
        for row in rows_of(found.table):
            cost = f"{row['cost_usd_per_million_tokens']:8.1f} USD/Mtok"
            lacks = f"x {row['accepted_tokens_per_step']:.2f}"
            print(f"  {row['name']:<28} {row['tokens_per_s_per_user']:7.1f} tok/s  {cost}  {row['binds']:<24} {lacks}")
        taken = seconds(lambda asked=asked: study(asked, chips, wanted, known.prices))  # type: ignore[misc]
        print(f"  all {found.table['family'].nunique()} families: {taken:.2f} s, {found.conditions.split(':')[0]}")
    asked = Workload(architecture=known.architectures["glm-4.6"], context_tokens=8192.0)
    plans = grid(asked, chips, wanted.formats)
    cases = [replace(plans[at % len(plans)].case, input_tokens=8192.0 + at) for at in range(CASES)]
    taken = seconds(lambda: evaluate(cases))
    print(f"\nengine: {CASES:,} cases in {taken:.2f} s, {1e6 * taken / CASES:.0f} us a case")


if __name__ == "__main__":
    main()
