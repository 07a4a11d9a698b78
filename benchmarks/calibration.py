"""Compares how hard the battle of Aljubarrota is with the figures its reconstructed board was fitted to.

    python -m benchmarks.calibration [--games N] [--seed S] [--lines NAME …] [--json FILE]

Prints Markdown; the exit code is 1 if any figure disagrees. The games are those of
``lusogames_env.games.aljubarrota.calibration``. A figure agrees if it differs from the expected one by no more than two
samples of these sizes do in 95 % of all cases, and rounding: of twenty figures that are right one disagrees by chance.
Rates are compared by the two-proportion test, means by the spread of the means of equal batches.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import save
from lusogames_env.engine.docs import table
from lusogames_env.games.aljubarrota.calibration import LINES, measure

BATCHES = 20  # the spread of their means gives the spread of single games
ROUNDING = {
    "win": 0.005,
    "defeat_round": 0.05,
    "rounds": 0.05,
    "killed": 0.5,
    "white_pieces": 0.05,
    "points_spent": 0.5,
}
WHOLE = tuple(ROUNDING)
# line: games of the fit, and its figures
EXPECTED: dict[str, tuple[int, dict[str, float]]] = {
    "never_buy": (200, dict(zip(WHOLE, (0.02, 8.0, 8.2, 57, 20.9, 0), strict=True))),
    "turn_2": (200, dict(zip(WHOLE, (0.51, 10.0, 12.8, 92, 20.2, 25), strict=True))),
    "heuristic": (200, dict(zip(WHOLE, (0.70, 10.1, 13.7, 99, 20.4, 35), strict=True))),
    "always_both": (200, dict(zip(WHOLE, (0.79, 10.3, 13.8, 103, 21.6, 68), strict=True))),
    "turn_2, flank not guarded": (100, {"win": 0.44}),
    "always_both, flank not guarded": (100, {"win": 0.70}),
    "turn_2, no flank attack": (100, {"win": 0.54}),
    "always_both, no flank attack": (100, {"win": 0.86}),
    "never_buy, reentry off": (100, {"win": 0.02}),
    "turn_2, reentry off": (100, {"win": 0.54}),
    "always_both, reentry off": (100, {"win": 0.84}),
    "never_buy, stacks of three": (100, {"win": 0.24}),
    "turn_2, stacks of three": (100, {"win": 0.83}),
    "always_both, stacks of three": (100, {"win": 0.84}),
    "passive, flank attack only": (800, {"win": 0.23, "defeat_round": 13.8}),
}


@dataclass(frozen=True)
class Comparison:
    """An expected figure, what the engine measured, and by how much they may differ."""

    line: str
    figure: str
    expected: float
    measured: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether the difference is within what is allowed."""
        return bool(abs(self.measured - self.expected) <= self.allowed)


def compared(line: str, games: int, seed: int) -> list[Comparison]:
    """Measure one line and compare its figures; `games` is a multiple of `BATCHES`."""
    from scipy.special import stdtrit

    size = games // BATCHES
    batches = [asdict(measure(line, size, seed + i * size)) for i in range(BATCHES)]
    fitted, figures = EXPECTED[line]
    found = []
    for figure, expected in figures.items():
        means = np.array([batch[figure] for batch in batches])
        means = means[np.isfinite(means)]  # a batch without a defeat has no round of defeat
        measured = float(means.mean())
        if figure == "win":
            rate = (expected * fitted + measured * games) / (fitted + games)
            half = 1.96 * sqrt(rate * (1 - rate))
        else:
            half = float(stdtrit(len(means) - 1, 0.975) * means.std(ddof=1)) * sqrt(size)
        allowed = half * sqrt(1 / fitted + 1 / games) + ROUNDING[figure]
        found.append(Comparison(line, figure, expected, measured, allowed))
    return found


def report(lines: Sequence[str], games: int, seed: int) -> list[Comparison]:
    """Compare the figures of these lines."""
    found: list[Comparison] = []
    for line in lines:
        found += compared(line, games, seed)
        print(f"{line} done", file=sys.stderr, flush=True)
    return found


def markdown(found: Sequence[Comparison]) -> str:
    """Return the comparisons as a table."""
    rows = [
        (
            one.line,
            one.figure.replace("_", " "),
            f"{one.expected:g}",
            f"{one.measured:.2f}",
            f"{one.allowed:.2f}",
            "yes" if one.agrees else "**no**",
        )
        for one in found
    ]
    return table(("line", "figure", "expected", "measured", "difference allowed", "agrees"), rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print Markdown and save JSON; return 1 if a figure disagrees."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=400, help=f"games a line, a multiple of {BATCHES} (default 400)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game (default 0)")
    parser.add_argument("--lines", nargs="+", choices=LINES, default=list(LINES), help="lines to measure (default all)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args(arguments)
    if args.games < BATCHES or args.games % BATCHES:
        parser.error(f"--games {args.games}: expected a multiple of {BATCHES}, as {20 * BATCHES}")
    found = report(args.lines, args.games, args.seed)
    disagreeing = sum(not one.agrees for one in found)
    if args.json:
        results: list[dict[str, Any]] = [{**asdict(one), "agrees": one.agrees} for one in found]
        save(args.json, {"games": args.games, "seed": args.seed, "results": results})
    print(markdown(found))
    print(f"\n{len(found) - disagreeing} of {len(found)} figures agree.")
    return int(disagreeing > 0)


if __name__ == "__main__":
    sys.exit(main())
