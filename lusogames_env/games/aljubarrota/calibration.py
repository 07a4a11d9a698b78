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

from lusogames_env.games.aljubarrota.game import BUY, GAME, LOST, MENU, WON
from lusogames_env.games.aljubarrota.rules import A_END, A_PASS

FIRST_BOT = 2  # decider of the first rule-based player in the driver
LINES = (
    *("never_buy", "turn_2", "heuristic", "always_both"),
    *("turn_2, no flank attack", "always_both, no flank attack"),
    *("never_buy, reentry off", "turn_2, reentry off", "always_both, reentry off"),
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


def _start(games: int, seed: int, **options: Any) -> tuple[Any, Any]:
    """Return the box and `games` solitary games at their first decision."""
    box = GAME.new_box(**{"mode": "solitary", "num_players": 1, "setup": "random", **options})
    states = GAME.new_states(games)
    GAME.driver.start(states, 0, games, box.array, np.arange(seed, seed + games, dtype=np.int64))
    return box, states


def _play(box: Any, states: Any, actions: Any, decider: int) -> None:
    """Apply one action to each game (-1: none), then let the decider go on where it is not the caller (0)."""
    n, seats = len(states), GAME.max_seats
    GAME.driver.advance(
        states, 0, n, box.array, actions, np.full((n, seats), decider, np.int8), np.ones((n, 4), np.int64),
        np.ones((n, GAME.actions.n), np.int8), np.full(n, -2, np.int64), np.zeros((n, 0), np.float32),
    )  # fmt: skip


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


def captain(policy: str, games: int, seed: int = 0, flank: bool = True, **options: Any) -> Sample:
    """Let the captain play solitary games, buying as `policy` says; `flank` False: no flank attack at all."""
    box, states = _start(games, seed, **options)
    if not flank:
        states["flank"] = 1  # as if it had begun already: nobody enters on row 5
    _play(box, states, np.full(games, -1, np.int64), FIRST_BOT + GAME.bots.index(policy))
    return summary(states)


def passive(games: int, seed: int = 0) -> Sample:
    """Let three flank cavalry alone, from round 7 on, attack a player who only ends turns."""
    box, states = _start(games, seed)
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
    options = {"reentry": False} if variant == "reentry off" else {}
    return captain(policy, games, seed, flank=variant != "no flank attack", **options)


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
