"""Timing that survives a noisy machine: all cases run a slice of time in turn, for several rounds; medians count."""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Run = Callable[[int], int]  # does at least so many items of work and returns how many it did
VERSIONS = (
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "torch",
    "stable-baselines3",
    "open-spiel",
    "rlcard",
    "pgx",
    "jax",
)


@dataclass(frozen=True)
class Case:
    """One thing to time. `make` sets it up, compiles what it needs and returns its `Run`."""

    subject: str  # the game, or the library and its game
    name: str  # what is timed
    make: Callable[[], Run]
    threaded: bool = False  # runs in several threads: timed by the clock, all others by the processor's time


@dataclass(frozen=True)
class Result:
    """Items per second of a case, one rate per round: of the case's own kind of time, and by the clock."""

    subject: str
    name: str
    rates: list[float]
    wall_rates: list[float]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types with the medians."""
        medians = {"rate": statistics.median(self.rates), "wall_rate": statistics.median(self.wall_rates)}
        return {**vars(self), **medians}


def measure(cases: Sequence[Case], rounds: int, seconds: float) -> list[Result]:
    """Time all cases in turn, `rounds` times, each for about `seconds`; the first pass only sizes the work."""
    runs = [(case, *_sized(case, seconds)) for case in cases]
    results = [Result(case.subject, case.name, [], []) for case in cases]
    for round_ in range(rounds):
        for (case, run, n), result in zip(runs, results, strict=True):
            gc.collect()
            done, wall, processor = _timed(run, n)
            result.rates.append(done / (wall if case.threaded else processor))
            result.wall_rates.append(done / wall)
        print(f"round {round_ + 1} of {rounds} done", file=sys.stderr, flush=True)
    return results


def _sized(case: Case, seconds: float) -> tuple[Run, int]:
    """Return the case's run and how many items take about `seconds`."""
    print(f"preparing {case.subject}: {case.name}", file=sys.stderr, flush=True)
    run = case.make()
    run(1)
    n = 1
    while True:
        done, wall, processor = _timed(run, n)
        spent = wall if case.threaded else processor
        if spent > seconds / 5:
            return run, max(1, int(done * seconds / spent))
        n = max(2 * n, done)


def _timed(run: Run, n: int) -> tuple[int, float, float]:
    """Return the items done, the seconds they took, and the processor's seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    done = run(n)
    return done, time.perf_counter() - wall, time.process_time() - processor


def circumstances() -> dict[str, Any]:
    """Return what a reader needs to judge figures: processor, cores, load, versions."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "versions": {name: version for name in VERSIONS if (version := _version(name))},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def save(path: Path, content: dict[str, Any]) -> None:
    """Write figures and circumstances as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**circumstances(), **content}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
