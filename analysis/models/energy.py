"""Power drawn while serving and while waiting for work, and what it makes of a token's energy."""

from __future__ import annotations

from typing import Any

import numpy as np


def utilisation(memory_share: Any, compute_share: Any, waiting_share: Any) -> Any:
    """How hard a device works over the time of a token, against memory or arithmetic working all of it. [1]

    utilisation = working + waiting_share * (1 - working)
    working = min(1, memory_share + compute_share)

    memory_share    share of the time that memory traffic takes                        [1]
    compute_share   share of the time that arithmetic takes                            [1]
    waiting_share   what a device draws while it waits for launches, links and hosts, between idle (0) and busy (1)  [1]
    working         share of the time in which it does one or the other                [1]

    Floats or arrays that broadcast. Clocks stay up between operators, so waiting costs more than being idle.

    Source
    ------
    Our own reading of measured power: ML.ENERGY leaderboard v3, LLM-Inference-Bench (arXiv 2411.00136).
    """
    working = np.minimum(1.0, memory_share + compute_share)
    return working + waiting_share * (1.0 - working)


def serving_power(rated_w: Any, idle_share: Any, busy_share: Any, utilisation: Any) -> Any:
    """Power of one device while it serves. [W]

    power = rated * (idle_share + (busy_share - idle_share) * utilisation)

    rated         rated power of one device (a whole system where the vendor rates that)   [W]
    idle_share    share of it drawn with nothing to do                                     [1]
    busy_share    share of it drawn with memory or arithmetic always at work               [1]
    utilisation   how hard it works, 0 to 1                                                [1]

    Floats or arrays that broadcast. Linear between both ends.

    Source
    ------
    Fan, Weber, Barroso (2007), ISCA, "Power provisioning for a warehouse-sized computer" (linear in utilisation);
    shares: xPU-athalon, arXiv 2604.10852.
    """
    return rated_w * (idle_share + (busy_share - idle_share) * utilisation)


def mean_power(serving_w: Any, rated_w: Any, idle_share: Any, duty_fraction: Any) -> Any:
    """Power of one device over all hours, of which it serves only some. [W]

    mean = duty_fraction * serving + (1 - duty_fraction) * idle_share * rated

    serving         power while it serves                                     [W]
    rated           rated power                                               [W]
    idle_share      share of the rated power drawn with nothing to do         [1]
    duty_fraction   share of all hours in which it serves                     [1]

    Floats or arrays that broadcast.

    Source
    ------
    Definition: a mean over time.
    """
    return duty_fraction * serving_w + (1.0 - duty_fraction) * idle_share * rated_w


def energy_per_token(mean_w: Any, devices: Any, wall_factor: Any, duty_fraction: Any, rate_token_per_s: Any) -> Any:
    """Energy of one output token, idle hours included. [J/token]

    energy = wall_factor * devices * mean / (duty_fraction * rate)

    mean            power of one device over all hours                                     [W]
    devices         devices that serve one copy of the model                               [1]
    wall_factor     1 for the devices alone; above, for hosts, fans and power supplies     [1]
    duty_fraction   share of all hours in which they serve                                 [1]
    rate            output tokens of all of them together while they serve                 [token/s]

    Floats or arrays that broadcast; rate and duty_fraction must be positive. Reading the prompt is not charged apart.

    Source
    ------
    Definition: power over tokens per time.
    """
    return wall_factor * devices * mean_w / (duty_fraction * rate_token_per_s)


def energy_from_work(read_byte: Any, work_flop: Any, byte_energy_j_per_byte: Any, flop_energy_j_per_flop: Any) -> Any:
    """Energy of the bytes moved and the arithmetic done for a token, by what each costs in silicon. [J]

    energy = read * byte_energy + work * flop_energy

    read          bytes read from memory for it            [byte]
    work          arithmetic done for it                   [flop]
    byte_energy   energy of moving one byte                [J/byte]
    flop_energy   energy of one floating-point operation   [J/flop]

    Floats or arrays that broadcast. A floor from below: no leakage, no links, no hosts, no supplies.

    Source
    ------
    Horowitz (2014), ISSCC, "Computing's energy problem"; O'Connor et al. (2017), MICRO, "Fine-grained DRAM".
    """
    return read_byte * byte_energy_j_per_byte + work_flop * flop_energy_j_per_flop
