"""Made-up servers, clients and faults: sweeps and series of nine kinds, and healthy ones, from a queue of its own.

Nothing here knows the detectors or the model: a server is a step time that grows with the batch, a prompt time, a cache
that holds so many sequences; a client keeps so many requests in flight; a fault changes one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analysis.diagnosis import Series, Sweep

OUTPUT = 200.0  # tokens of an answer


@dataclass(frozen=True)
class Server:
    """Step = fixed + slope x batch [s]; a prompt takes `prompt` s of the server; `slots` requests run at once."""

    fixed: float = 0.012
    slope: float = 0.00012
    prompt: float = 0.02
    slots: float = 1e9
    slower: float = 1.0


def held(server: Server, load: np.ndarray) -> dict[str, np.ndarray]:
    """A closed loop of `load` requests: those beyond the slots wait their turn; Little's law gives the rate."""
    running = np.minimum(load, server.slots)
    step = server.slower * (server.fixed + server.slope * running)
    token = step + 0.8 * running * server.prompt * server.slower / OUTPUT
    first = server.slower * server.prompt + step
    alone = first + (OUTPUT - 1) * token
    waiting = alone * (load / running - 1)
    e2e = alone + waiting
    return {"tpot_s": token, "ttft_s": first + waiting, "e2e_s": e2e, "output_rate": load * OUTPUT / e2e}


def loads(count: int, first: int = 1) -> np.ndarray:
    """Loads a person would choose: each twice the one before."""
    return first * 2.0 ** np.arange(count)


def shaken(values: dict[str, np.ndarray], rng: np.random.Generator, noise: float) -> dict[str, np.ndarray]:
    """All figures of a run share most of their noise: a slow run is slow in everything."""
    common = rng.normal(0, noise, len(values["e2e_s"]))
    own = {name: rng.normal(0, noise / 3, len(common)) for name in values}
    sign = {"output_rate": -1.0}
    return {name: each * np.exp(sign.get(name, 1.0) * common + own[name]) for name, each in values.items()}


def sweep_of(server: Server, load: np.ndarray, rng: np.random.Generator, noise: float, **more: object) -> Sweep:
    """What a benchmark client writes down of such a server, and what a model says that knows the healthy one."""
    seen = shaken(held(server, load), rng, noise)
    healthy = held(replace(server, slots=1e9, slower=1.0), load)
    tail = 1.6 + 0.15 * np.log2(load + 1) * np.exp(rng.normal(0, 0.1, len(load)))
    given: dict[str, object] = {
        "kind": "concurrency", "load": load, **seen, "tail_ratio": tail,
        "in_flight": load * rng.uniform(0.9, 1.0, len(load)),
        "modelled_rate": healthy["output_rate"], "modelled_tpot_s": healthy["tpot_s"],
        "high_tpot_s": 1.27 * healthy["tpot_s"], "client_over_server": np.exp(rng.normal(0, 0.01, len(load))),
    } | more  # fmt: skip
    return Sweep(**given)  # type: ignore[arg-type]


def without(sweep: Sweep, *names: str) -> Sweep:
    """The same with figures that this client did not write down."""
    return replace(sweep, **dict.fromkeys(names, np.empty(0)))  # type: ignore[arg-type]


MODEL = ("modelled_rate", "modelled_tpot_s", "high_tpot_s")
NOISES = (0.01, 0.02, 0.03, 0.05)


def healthy_sweep(seed: int) -> Sweep:
    """A machine as the model has it: any size, any noise to 5 %, some without a model, some far past its knee."""
    rng = np.random.default_rng(seed)
    server = Server(
        fixed=rng.uniform(0.005, 0.03), slope=10 ** rng.uniform(-5, -3.6), prompt=10 ** rng.uniform(-2.5, -1.3)
    )
    count = int(rng.integers(3, 11))
    sweep = sweep_of(server, loads(count, int(rng.choice([1, 2, 4]))), rng, float(rng.uniform(0.005, 0.05)))
    error = np.exp(rng.normal(0, 0.06))  # the model is off by a few percent as a whole
    off = replace(sweep, modelled_rate=sweep.modelled_rate / error, modelled_tpot_s=sweep.modelled_tpot_s * error,
                  high_tpot_s=sweep.high_tpot_s * error)  # fmt: skip
    if seed % 3:
        return off
    return without(until_knee(off, server), *MODEL)


def until_knee(sweep: Sweep, server: Server) -> Sweep:
    """Only loads at which the machine still gains: who stops there has nothing to complain of."""
    healthy = held(server, sweep.load)["output_rate"]
    gains = np.append(np.log(healthy[1:] / healthy[:-1]) / np.log(sweep.load[1:] / sweep.load[:-1]), 1.0)
    keep = max(3, int(np.argmax(gains < 0.4)) + 1 if (gains < 0.4).any() else len(gains))
    cut = {name: value[:keep] for name, value in vars(sweep).items() if isinstance(value, np.ndarray) and len(value)}
    return replace(sweep, **cut)  # type: ignore[arg-type]


def falls(seed: int) -> Sweep:
    """Beyond some load every further request makes all of them slower: a scheduler that thrashes, or swapping."""
    rng = np.random.default_rng(seed)
    load = loads(8 + seed % 2)
    peak = load[-3 - seed % 2]
    sweep = sweep_of(Server(), load, rng, NOISES[seed % 4])
    best = float(held(Server(), np.array([peak]))["output_rate"][0])
    wanted = best * (load / peak) ** -rng.uniform(0.35, 0.8)
    slower = np.where(load > peak, held(Server(), load)["output_rate"] / wanted, 1.0)
    worse = replace(sweep, output_rate=sweep.output_rate / slower, tpot_s=sweep.tpot_s * slower,
                    e2e_s=sweep.e2e_s * slower)  # fmt: skip
    return worse if seed % 2 else without(worse, "tail_ratio", "in_flight", *MODEL)


def jumps(seed: int) -> Sweep | Series:
    """Another tenant, clocks that hunt, a garbage collector: repeats and samples that differ for no reason."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 0:
        return sweep_of(Server(), loads(9), rng, 0.28)
    if seed % 4 == 1:
        return sweep_of(Server(), np.repeat(loads(4, 4), 4), rng, 0.22)
    noise = rng.normal(0, 0.2, 80) if seed % 4 == 2 else np.where(rng.uniform(size=80) < 0.3, -0.5, 0.0)
    return series_of(rng, 80, 0.02, rate=noise)


def slow(seed: int) -> Sweep:
    """The same machine with eager kernels, debug flags, a wrong attention back end: everything takes longer."""
    rng = np.random.default_rng(seed)
    server = Server(fixed=rng.uniform(0.008, 0.02), slower=rng.uniform(1.6, 3.0))
    return sweep_of(server, loads(4 + seed % 4, 1 + seed % 2), rng, NOISES[seed % 4])


def full(seed: int) -> Sweep:
    """A server that runs so many requests and lets the others wait, or an arrival rate beyond what it can answer."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 3:
        rate = np.array([1.0, 2.0, 4.0, 8.0, 12.0, 16.0])
        most = rng.uniform(9.0, 10.5)
        answered = np.minimum(rate, most) * np.exp(rng.normal(0, 0.01, len(rate)))
        return Sweep(kind="rate", load=rate, output_rate=answered * OUTPUT, delivered_fraction=answered / rate,
                     tpot_s=0.02 + 0.001 * rate, ttft_s=np.where(rate > most, 9.0, 0.1))  # fmt: skip
    sweep = sweep_of(Server(slots=16.0 * 2 ** (seed % 3)), loads(9), rng, NOISES[seed % 3])
    return without(sweep, *MODEL) if seed % 2 else sweep


def full_cache(seed: int) -> Sweep | Series:
    """More sequences than the cache holds: some are thrown out in the middle of their answer and computed again."""
    rng = np.random.default_rng(seed)
    if seed % 4 == 3:
        out = np.where(np.arange(90) > 50, rng.poisson(1.2, 90), 0).astype(float)
        use = np.clip(np.linspace(0.3, 1.25, 90), 0, 0.99)
        return series_of(
            rng, 90, 0.02, rate=-0.25 * (out > 0), token=0.3 * (out > 0), preemptions=out, cache_used_fraction=use
        )
    load, room = loads(9), 48.0
    sweep = sweep_of(Server(), load, rng, NOISES[seed % 4])
    over = np.maximum(load / room, 1.0)
    again = over ** rng.uniform(0.9, 1.3)
    tail = sweep.tail_ratio * np.where(load > room, rng.uniform(5, 20), 1.0)
    rate = sweep.output_rate / again
    return replace(sweep, output_rate=rate, tpot_s=sweep.tpot_s * again, e2e_s=sweep.e2e_s * again, tail_ratio=tail,
                   room=room if seed % 2 else float("nan"))  # fmt: skip


def wrong_tokenizer(seed: int) -> Sweep:
    """The client counts with another tokenizer: its tokens, and all that is per token, are off by one factor."""
    rng = np.random.default_rng(seed)
    factor = (2.0, 1.15, 0.8, 1.4)[seed % 4]
    load = loads((1, 3, 5, 7)[seed % 4], 2)
    sweep = sweep_of(Server(), load, rng, NOISES[seed % 4])
    return replace(sweep, client_over_server=factor * np.exp(rng.normal(0, 0.01, len(load))))


def weak_client(seed: int) -> Sweep:
    """The load generator never gets more than so many requests out, whatever it is asked for."""
    rng = np.random.default_rng(seed)
    load, most = loads(9), 24.0 * 2 ** (seed % 3)
    sent = np.minimum(load, most)
    sweep = sweep_of(Server(), load, rng, NOISES[seed % 3])
    seen = shaken(held(Server(), sent), rng, NOISES[seed % 3])
    given = replace(sweep, **seen, in_flight=sent * rng.uniform(0.93, 1.0, len(load)))  # type: ignore[arg-type]
    return given if seed % 2 else without(given, "in_flight")


def series_of(rng: np.random.Generator, count: int, noise: float, **faults: np.ndarray) -> Series:
    """Samples of one load, every ten seconds; faults are added to the logarithms."""
    none = np.zeros(count)
    rate, token, first = (faults.pop(name, none) for name in ("rate", "token", "first"))
    common = rng.normal(0, noise, count)
    return Series(
        time_s=10.0 * np.arange(count), output_rate=3000 * np.exp(rate - common + rng.normal(0, noise / 3, count)),
        tpot_s=0.02 * np.exp(token + common + rng.normal(0, noise / 3, count)),
        ttft_s=0.4 * np.exp(first + common + rng.normal(0, 2 * noise, count)), load=np.full(count, 64.0), **faults,
    )  # fmt: skip


def hot(seed: int) -> Series:
    """The chip meets its limit of heat or power: clocks and throughput drop at once or by and by, and stay down."""
    rng = np.random.default_rng(seed)
    count = 60 + 20 * (seed % 3)
    start, lost = count // 3, rng.uniform(0.12, 0.35)
    time = np.arange(count)
    drop = np.where(time > start, -lost, 0.0) if seed % 2 else -lost * (1 - np.exp(-np.maximum(time - start, 0) / 6.0))
    more = {"clock_hz": 1.98e9 * np.exp(0.9 * drop)} if seed % 4 < 2 else {}
    return series_of(rng, count, NOISES[seed % 4], rate=drop, token=-drop, **more)


def warming(seed: int) -> Series:
    """The same prompts come again: their prefixes fill the cache and the first token comes sooner."""
    rng = np.random.default_rng(seed)
    count = 50 + 15 * (seed % 4)
    gained = rng.uniform(0.5, 1.2)
    fall = -gained * (1 - np.exp(-np.arange(count) / rng.uniform(5, 9)))
    hits = {"hit_fraction": 0.8 * (1 - np.exp(-np.arange(count) / 7.0))} if seed % 2 else {}
    return series_of(rng, count, NOISES[seed % 4], first=fall, rate=-0.08 * fall, **hits)


def healthy_series(seed: int) -> Series:
    """A load held: noise to 5 %, first samples a little slow, a short dip, a load that is taken away at the end."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(10, 120))
    noise = float(rng.uniform(0.005, 0.05))
    rate = np.zeros(count)
    if seed % 4 == 1:
        rate[: max(1, count // 20)] = -0.3  # kernels are compiled at the first requests
    if seed % 4 == 2:
        at = int(rng.integers(0, count))
        rate[at : at + max(1, count // 25)] = -0.4  # one checkpoint, one log rotation
    made = series_of(rng, count, noise, rate=rate, token=-rate)
    if seed % 4 != 3:
        return made
    gone = np.where(np.arange(count) > 0.7 * count, 0.5, 1.0)
    return replace(made, output_rate=made.output_rate * gone, load=made.load * gone)


CASES = {
    "falls_with_load": falls, "fluctuates": jumps, "below_peak": slow, "saturates": full, "throttling": hot,
    "prefix_warm_up": warming, "kv_preemption": full_cache, "tokenizer_mismatch": wrong_tokenizer,
    "client_bound": weak_client,
}  # fmt: skip
