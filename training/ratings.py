"""Ratings of players by their games against each other, for two sides and more: the Plackett-Luce model of openskill.

Reference: Weng and Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12, 2011. A rating is a normal
belief about a player's skill; everybody starts at mean 25 with standard deviation 25/3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from openskill.models import PlackettLuce

START_MU, START_SIGMA = 25.0, 25.0 / 3
DRIFT = START_SIGMA / 100  # how much a learner's skill may change from game to game; openskill's default


@dataclass(frozen=True)
class Rating:
    """Mean and standard deviation of a player's skill after `games` games."""

    mu: float = START_MU
    sigma: float = START_SIGMA
    games: int = 0

    def __str__(self) -> str:
        return f"{self.mu:.1f} ± {1.96 * self.sigma:.1f}"


class Ratings:
    """Ratings by the players' names.

    Equal games in equal order give equal ratings; another order gives slightly others.
    """

    def __init__(self, drift: float = 0.0) -> None:
        """Start without players.

        Args:
            drift: standard deviation that is added before every game: 0 where skills stay what they are, `DRIFT`
                where a player learns.
        """
        self._model = PlackettLuce(mu=START_MU, sigma=START_SIGMA, tau=drift)
        self.of: dict[str, Rating] = {}

    def rate(self, sides: Sequence[Sequence[str]], scores: Sequence[float]) -> None:
        """Take one game into account.

        Args:
            sides: names of the players of every side. One who plays several seats gets the mean of their new ratings.
            scores: of every side; the higher the better, equal ones are a draw.
        """
        if len(sides) < 2:
            return
        before = [[self.of.get(name, Rating()) for name in side] for side in sides]
        teams = [[self._model.rating(mu=r.mu, sigma=r.sigma) for r in side] for side in before]
        rated = self._model.rate(teams, scores=[float(score) for score in scores])
        after: dict[str, list[Any]] = {}
        for names, side in zip(sides, rated, strict=True):
            for name, rating in zip(names, side, strict=True):
                after.setdefault(name, []).append(rating)
        for name, new in after.items():
            games = self.of.get(name, Rating()).games + 1
            self.of[name] = Rating(float(np.mean([r.mu for r in new])), float(np.mean([r.sigma for r in new])), games)

    def copy(self, old: str, new: str) -> None:
        """Let `new` start with what is known about `old`, whose copy it is."""
        known = self.of.get(old, Rating())
        self.of[new] = Rating(known.mu, known.sigma)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON types; `from_json` reads them."""
        return {name: asdict(rating) for name, rating in self.of.items()}

    def from_json(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        """Go on from what `to_json` returned."""
        self.of = {name: Rating(**values) for name, values in data.items()}


def side_scores(placement: np.ndarray, sides: Sequence[Sequence[int]]) -> np.ndarray:
    """Return how well every side did, float64 (n, sides): the mean over its seats of utilities float64 (n, seats)."""
    return np.stack([placement[:, list(seats)].mean(axis=1) for seats in sides], axis=1).round(9)
