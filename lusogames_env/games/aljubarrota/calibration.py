"""Measures how hard the battle is for the captain: ``python -m lusogames_env.games.aljubarrota.calibration``.

The positions of traps, abatis and start spaces are reconstructed. What the rulebook says of the game's difficulty
(chapters 12 and 15) is the yardstick for them: without extra turns defeat is practically certain, one extra turn a
round makes the battle even, the second depends on strategy and luck, and the flank attack alone beats an unprepared
army.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from lusogames_env.games.aljubarrota.game import BUY, CAPACITY, FIRST_FAMILY_PIECE, GAME, LOST, MENU, PIECES, WON
from lusogames_env.games.aljubarrota.rules import A_END, A_PASS

FIRST_BOT = 2  # decider of the first rule-based player in the driver
NO_FLANK, UNGUARDED, NO_REENTRY, STACKS = "no flank attack", "flank not guarded", "reentry off", "stacks of three"
LINES = (
    *("never_buy", "turn_2", "heuristic", "always_both"),
    *(f"{policy}, {UNGUARDED}" for policy in ("turn_2", "always_both")),
    *(f"{policy}, {NO_FLANK}" for policy in ("turn_2", "always_both")),
    *(f"{policy}, {NO_REENTRY}" for policy in ("never_buy", "turn_2", "always_both")),
    *(f"{policy}, {STACKS}" for policy in ("never_buy", "turn_2", "always_both")),
    "passive, flank attack only",
)


@dataclass(frozen=True)
class Sample:
    """What a number of games came to: means over the games, `defeat_round` over the lost ones."""

    games: int
    win: float
    defeat_round: float
    rounds: float
    killed: float
    white_pieces: float
    points_spent: float
    decisions: float

    def __str__(self) -> str:
        margin = 1.96 * (self.win * (1 - self.win) / self.games) ** 0.5
        return (
            f"{self.games:5} games: win {self.win:.2f} ± {margin:.2f}, round of defeat {self.defeat_round:4.1f}, "
            f"rounds {self.rounds:4.1f}, killed {self.killed:5.1f}, white pieces left {self.white_pieces:4.1f}, "
            f"points spent {self.points_spent:4.1f}, decisions {self.decisions:5.0f}"
        )


def _box(**options: Any) -> Any:
    """Return the box of the solitary game, an array of one record."""
    return GAME.new_box(**{"mode": "solitary", "num_players": 1, "setup": "random", **options}).array


def _start(box: Any, games: int, seed: int) -> Any:
    """Return `games` games at their first decision."""
    states = GAME.new_states(games)
    GAME.driver.start(states, 0, games, box, np.arange(seed, seed + games, dtype=np.int64))
    return states


def _play(box: Any, states: Any, actions: Any, decider: int) -> None:
    """Apply one action to each game (-1: none), then let the decider go on where it is not the caller (0)."""
    n, seats = len(states), GAME.max_seats
    GAME.driver.advance(
        states, 0, n, box, actions, np.full((n, seats), decider, np.int8), np.ones((n, 4), np.int64),
        np.ones((n, GAME.actions.n), np.int8), np.full(n, -2, np.int64), np.zeros((n, 0), np.float32),
    )  # fmt: skip


def unguarded(box: Any) -> Any:
    """Return a box in which the captain sees no worth in a guard against the flank attack."""
    blind = box.copy()
    blind["flank_guard"] = -1
    blind.flags.writeable = False  # kernels are compiled for read-only boxes
    return blind


def stack(box: Any, states: Any) -> None:
    """Put the family pieces in threes on the eight start spaces that the captain fills first."""
    worth = box["start_worth"][0]
    starts = sorted(box["starts"][0, : box["starts_n"][0]], key=lambda here: (-worth[here], here))
    stacks = (PIECES - FIRST_FAMILY_PIECE) // CAPACITY
    states["piece_hex"][:, FIRST_FAMILY_PIECE:] = np.repeat(starts[:stacks], CAPACITY)


def summary(states: Any) -> Sample:
    """Return the means over finished games."""
    won, lost = states["result"] == WON, states["result"] == LOST
    spent = states["turns_bought"] @ np.array([2.0, 3.0])
    return Sample(
        games=len(states),
        win=float(won.mean()),
        defeat_round=float(states["round_no"][lost].mean()) if lost.any() else float("nan"),
        rounds=float(states["round_no"].mean()),
        killed=float(states["dead"].sum(axis=1).mean()),
        white_pieces=float((states["piece_hex"] >= 0).sum(axis=1).mean()),
        points_spent=float(spent.mean()),
        decisions=float(states["ply"].mean()),
    )


def captain(policy: str, games: int, seed: int = 0, variant: str = "") -> Sample:
    """Let the captain play solitary games, buying as `policy` says.

    Args:
        policy: name of a rule-based player.
        games: number of games.
        seed: seed of the first game.
        variant: "", or what is different: `NO_FLANK`, `UNGUARDED`, `NO_REENTRY`, `STACKS`.
    """
    box = _box(reentry=variant != NO_REENTRY)
    states = _start(box, games, seed)
    if variant == NO_FLANK:
        states["flank"] = 1  # as if it had begun already: nobody enters on row 5
    if variant == UNGUARDED:
        box = unguarded(box)
    if variant == STACKS:
        stack(box, states)
    _play(box, states, np.full(games, -1, np.int64), FIRST_BOT + GAME.bots.index(policy))
    return summary(states)


def passive(games: int, seed: int = 0) -> Sample:
    """Let three flank cavalry alone, from round 7 on, attack a player who only ends turns."""
    box = _box()
    states = _start(box, games, seed)
    states["cast"], states["reserve"], states["dead"] = 0, (0, 3), (54, 51)
    states["wave2"], states["round_no"] = 1, 6
    while (states["over"] == 0).any():
        actions = np.where(states["decision"] == MENU, A_END, np.where(states["decision"] == BUY, A_PASS, -2))
        _play(box, states, np.where(states["over"] == 0, actions, -2).astype(np.int64), 0)
    return summary(states)


def measure(name: str, games: int, seed: int = 0) -> Sample:
    """Measure one of `LINES`."""
    if name.startswith("passive"):
        return passive(games, seed)
    policy, _, variant = name.partition(", ")
    return captain(policy, games, seed, variant)


def main() -> None:
    """Print what each line came to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name in LINES:
        print(f"{name:30} {measure(name, arguments.games, arguments.seed)}", flush=True)


if __name__ == "__main__":
    main()
