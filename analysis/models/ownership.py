"""What owning a machine costs beside renting it: purchase spread over years, power, upkeep, and where the two meet."""

from __future__ import annotations

from typing import Any


def written_off(purchase_usd: Any, life_s: Any) -> Any:
    """Money that a purchase costs for each second of its life, nothing left at its end. [usd/s]

    written_off = purchase / life

    purchase   price of all devices, with what they are built into   [usd]
    life       time over which it is written off                     [s]

    Floats or arrays that broadcast; life positive. Interest is not counted.

    Source
    ------
    Straight-line depreciation.
    """
    return purchase_usd / life_s


def power_cost(wall_w: Any, facility_factor: Any, energy_usd_per_j: Any) -> Any:
    """Money that power costs, cooling and supply of the building included. [usd/s]

    power_cost = wall * facility_factor * energy

    wall              mean power of the machine at its plug                        [W]
    facility_factor   power of the building over that of its machines (PUE)        [1]
    energy            price of energy                                              [usd/J]

    Floats or arrays that broadcast.

    Source
    ------
    The Green Grid (2007), "Green Grid Data Center Power Efficiency Metrics: PUE and DCiE".
    """
    return wall_w * facility_factor * energy_usd_per_j


def owning_cost(written_off_usd_per_s: Any, upkeep_fraction: Any, life_years: Any, power_usd_per_s: Any) -> Any:
    """Money that owning a machine costs. [usd/s]

    owning = written_off * (1 + upkeep_fraction * life_years) + power

    written_off       purchase spread over its life                              [usd/s]
    upkeep_fraction   repair, space, network and people in a year, over the purchase   [1]
    life_years        years over which it is written off                         [1]
    power             energy, cooling included                                   [usd/s]

    Floats or arrays that broadcast.

    Source
    ------
    Addition of its parts; the upkeep of a year is a share of the purchase, which is the written-off rate times years.
    """
    return written_off_usd_per_s * (1.0 + upkeep_fraction * life_years) + power_usd_per_s


def break_even_use(fixed_usd_per_s: Any, idle_usd_per_s: Any, serving_usd_per_s: Any, rental_usd_per_s: Any) -> Any:
    """Share of all hours above which owning is cheaper than renting for those hours alone. [1]

    use = (fixed + idle) / (rental - serving + idle)

    fixed     purchase written off, and upkeep                    [usd/s]
    idle      power while the machine waits                       [usd/s]
    serving   power while it serves                               [usd/s]
    rental    price of all devices while they are rented          [usd/s]

    Floats or arrays that broadcast. Above 1, or below 0, renting is cheaper however much is served.

    Source
    ------
    Both bills set equal: use * rental = fixed + (1 - use) * idle + use * serving.
    """
    return (fixed_usd_per_s + idle_usd_per_s) / (rental_usd_per_s - serving_usd_per_s + idle_usd_per_s)


def pay_back_time(purchase_usd: Any, rental_usd_per_s: Any, running_usd_per_s: Any) -> Any:
    """Time after which a purchase has cost less than renting all that time. [s]

    pay_back = purchase / (rental - running)

    purchase   price of all devices, with what they are built into     [usd]
    rental     what renting them costs, hours paid for                 [usd/s]
    running    power and upkeep of owned ones                          [usd/s]

    Floats or arrays that broadcast. Negative where running an owned machine costs more than renting it.

    Source
    ------
    Both bills set equal: rental * time = purchase + running * time.
    """
    return purchase_usd / (rental_usd_per_s - running_usd_per_s)
