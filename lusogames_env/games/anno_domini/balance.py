"""What ``benchmarks.balance`` counts in Anno Domini beyond seats: wins by place in the first round, lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.batch import EXTERNAL, Batch
from lusogames_env.engine.game import TRUNCATED, Box
from lusogames_env.games.anno_domini.game import ACTIONS, POPE, SEATS

END_TURN_NO_DRAW = ACTIONS["end_turn_no_draw"]


class RandomDrawer:
    """Chooses uniformly, but never declines the card that a conquest has earned."""

    name = "random that draws"
    decider = EXTERNAL

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return its actions for the seats on turn in games `rows`."""
        batch.masks[rows, END_TURN_NO_DRAW] = 0  # "end turn" is always left, and the next move writes the mask anew
        return batch.random_actions()[rows]


PLAYERS = ("random", RandomDrawer(), "aggressive", "cautious", "heuristic")


def breakdown(
    box: Box, start: np.ndarray, states: np.ndarray, shares: np.ndarray, counted: Any
) -> list[tuple[str, str, dict[str, np.ndarray]]]:
    """Return the wins by place in the first round, in which the Pope is last, and how long the games were."""
    popes = start["kept"][:, :, POPE].argmax(axis=1)
    order = (popes[:, None] + 1 + np.arange(SEATS)) % SEATS
    placed = np.take_along_axis(shares, order, axis=1)
    places = {f"place {i + 1}": placed[:, i] for i in range(SEATS)}
    lengths = {"rounds": states["round_number"].astype(float), "decisions": states["ply"].astype(float)}
    cut = {"at max_rounds": (states["over"] == TRUNCATED).astype(float)}
    return [
        ("Wins by place in the first round", "wins", places),
        ("Length: mean, median, 95 %, longest", "length", lengths),
        ("Games cut off", "games", cut),
    ]
