"""Self-play: frozen snapshots of the learner, a few of which play the other seats, and a league table of them all.

Prioritised fictitious self-play draws the snapshots that the learner still loses to (Vinyals et al., "Grandmaster level
in StarCraft II using multi-agent reinforcement learning", Nature 575, 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lusogames_env.engine.game import PLACEMENT, Game
from lusogames_env.training.agents import Agent
from lusogames_env.training.config import SelfPlay
from lusogames_env.training.networks import Network, network_of
from lusogames_env.training.ratings import DRIFT, Rating, Ratings, side_scores
from lusogames_env.wrappers.sb3 import SB3VecEnv

LEARNER, SNAPSHOT = "learner", "snapshot_"  # how these players are called
NEWEST_GAME = 0.02  # its weight in a win rate: the memory is about 50 games long
UNKNOWN = 0.5  # win rate against a snapshot that was not met yet: it is the learner's twin
LEAST_ODDS = 1e-3  # keeps snapshots in the draw that lose always, so that forgetting how to beat them is noticed


class LeagueVecEnv(SB3VecEnv):
    """Training games whose last infos also say, under ``placement``, the utility of that kind of every seat.

    There is none if opponents were replaced in the middle of the game: nobody can be credited with it.
    """

    def _last_info(self, i: int, reward: float, truncated: bool, illegal: int | None) -> dict[str, Any]:
        info = super()._last_info(i, reward, truncated, illegal)
        if self.learners.switched[i]:
            return info
        batch = self.learners.batch
        out = np.zeros((1, self.game.max_seats))
        self.game.driver.score(batch.states[i : i + 1], 0, 1, batch.box.array, PLACEMENT, out)
        info["placement"] = out[0, : self.box.num_players]
        return info


class SnapshotPool:
    """The newest `plan.pool_size` snapshots, by the step they were taken at, and those that play at present.

    Snapshots draw from their distributions, so that the learner meets all they may do. `generator` decides both
    which snapshots play and what they do.

    Attributes:
        win_rates: of the learner against every snapshot, a mean in which older games fade.
        ratings: of the learner, the snapshots in the pool and all other opponents, by name.
    """

    def __init__(self, plan: SelfPlay, generator: np.random.Generator) -> None:
        self.plan, self.generator = plan, generator
        self.steps: list[int] = []
        self.networks: list[Network] = []
        self.active: list[int] = []
        self.win_rates: list[float] = []
        self.ratings = Ratings(DRIFT)

    def name(self, i: int) -> str:
        """Return the name of snapshot `i`."""
        return f"{SNAPSHOT}{self.steps[i]}"

    def add(self, step: int, network: Network) -> None:
        """Add a snapshot, let the oldest go if there are too many, and draw who plays from now on."""
        self.steps.append(step)
        self.networks.append(network)
        self.win_rates.append(UNKNOWN)
        self.ratings.copy(LEARNER, self.name(-1))
        for i in range(len(self.steps) - self.plan.pool_size):
            del self.ratings.of[self.name(i)]
        del self.steps[: -self.plan.pool_size]
        del self.networks[: -self.plan.pool_size]
        del self.win_rates[: -self.plan.pool_size]
        self._draw()

    def odds(self) -> np.ndarray:
        """Return how likely every snapshot is drawn, float64 (snapshots,), up to a factor."""
        n = len(self.steps)
        if self.plan.sampling == "prioritized":
            return np.maximum((1.0 - np.array(self.win_rates)) ** 2, LEAST_ODDS)
        ages = np.arange(n - 1, -1, -1)
        return np.ones(n) if self.plan.sampling == "uniform" else 0.5 ** np.minimum(ages, 1000.0)

    def _draw(self) -> None:
        odds = self.odds()
        n, k = len(self.steps), min(self.plan.active, int((odds > 0).sum()))
        self.active = sorted(int(i) for i in self.generator.choice(n, size=k, replace=False, p=odds / odds.sum()))

    def record(self, players: Sequence[str], placement: np.ndarray, sides: Sequence[Sequence[int]]) -> None:
        """Take one finished training game into account.

        Args:
            players: name of every seat's player; the learner's is ``learner``.
            placement: utility of the kind ``placement`` of every seat, float64 (seats,).
            sides: seats of every side.
        """
        scores = side_scores(placement[None, :], sides)[0]
        names = [[players[seat] for seat in seats] for seats in sides]
        self.ratings.rate(names, scores.tolist())
        of_name = {self.name(i): i for i in range(len(self.steps))}
        for own in (k for k, side in enumerate(names) if LEARNER in side):
            for other, side in enumerate(names):
                for i in {of_name[name] for name in side if name in of_name} if other != own else ():
                    won = (1.0 + np.sign(scores[own] - scores[other])) / 2
                    self.win_rates[i] += NEWEST_GAME * (float(won) - self.win_rates[i])

    def table(self) -> dict[str, Any]:
        """Return ratings, and the learner's win rates in training, as plain JSON types."""
        rates = {self.name(i): rate for i, rate in enumerate(self.win_rates)}
        return {"ratings": self.ratings.to_json(), "win_rates": rates}

    def measures(self) -> dict[str, float]:
        """Return what is logged: rating of the learner, mean rating of the snapshots, and the lowest win rate."""
        snapshots = [self.ratings.of[self.name(i)].mu for i in range(len(self.steps))]
        return {
            "rating": self.ratings.of.get(LEARNER, Rating()).mu,
            "pool_rating": float(np.mean(snapshots)),
            "lowest_win_rate": min(self.win_rates),
        }

    def contestants(self) -> list[Agent]:
        """Return all snapshots, the oldest first, each playing its best actions, for matches."""
        return [Agent(network, self.name(i)) for i, network in enumerate(self.networks)]

    def opponents(self) -> dict[Agent, float]:
        """Return the snapshots that play, with their weights."""
        share = self.plan.weight / max(len(self.active), 1)
        return {self._agent(i): share for i in self.active}

    def _agent(self, i: int) -> Agent:
        return Agent(self.networks[i], self.name(i), sample=True, generator=self.generator)

    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return plain values and arrays from which `set_state` rebuilds the pool."""
        arrays = {
            f"{step}.{name}": tensor
            for step, network in zip(self.steps, self.networks, strict=True)
            for name, tensor in network.tensors().items()
        }
        generator = self.generator.bit_generator.state
        values = {"steps": self.steps, "active": self.active, "generator": generator, **self.table()}
        return values, arrays

    def set_state(
        self, values: dict[str, Any], arrays: dict[str, np.ndarray], about: dict[str, Any], game: Game
    ) -> None:
        """Go on from what `get_state` returned; all networks are as `about` says, see `Network.about`."""
        self.steps, self.active = list(values["steps"]), list(values["active"])
        rates = values.get("win_rates", {})  # runs of earlier versions kept no league table
        self.win_rates = [float(rates.get(self.name(i), UNKNOWN)) for i in range(len(self.steps))]
        self.ratings.from_json(values.get("ratings", {self.name(i): {} for i in range(len(self.steps))}))
        self.networks = []
        for step in self.steps:
            prefix = f"{step}."
            own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
            self.networks.append(network_of(own, about, game))
        self.generator.bit_generator.state = values["generator"]
