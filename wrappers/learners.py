"""`LearnerBatch`: many games, in each of which one seat (or team) is the learner's and all others are played for it.

The Gymnasium environment, the Gymnasium vector environment and the stable-baselines3 one are thin shells over this.
A transition reaches from one decision of the learner to its next one, or to the end of the game; its reward is all that
the learner's seat got in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.engine.batch import EXTERNAL, GO_ON, WAIT, Batch
from lusogames_env.engine.errors import IllegalActionError, LusogamesError, OptionError, PlayerError
from lusogames_env.engine.game import RUNNING, TRUNCATED, Box, Game
from lusogames_env.engine.players import Player, ask, make_mixture, seed_players
from lusogames_env.engine.table import RESULTS

LEARNER = -1
MANY = ("rotate", "random", "team", "all")


class LearnerBatch:
    """`num_games` games with one learner's seat each; the other seats are played by `opponents`.

    Attributes:
        seats: int64 (n,), the learner's seat in each game; of several, the one on turn (or the last that was).
        assigned: int64 (n, max_seats), index in `players` of who plays each seat; `LEARNER` = -1.
        switched: bool (n,), whether opponents were replaced in the middle of the game.
        obs: float32 (n, size), what the learner sees at its decision; a new array after every step.
        masks: int8 (n, actions), its legal actions.
    """

    def __init__(
        self,
        game: str | Game | Box,
        num_games: int,
        opponents: Any = "random",
        seat: int | str = "rotate",
        seed: int | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        """Set up the games.

        Args:
            game: name, `Game` or `Box`.
            num_games: how many.
            opponents: a player, a list of players or a mapping of players to weights (`engine.players.make_player`
                says what a player can be); every other seat draws one of them anew for each game.
            seat: the learner's seat: a number, ``"rotate"`` (game by game) or ``"random"``; ``"team"`` gives it all
                seats of one team (the teams take turns), ``"all"`` every seat: one policy then decides for each of
                them in turn, seeing what that seat sees, and is paid the mean of their utilities.
            seed: root of all seeds.
            threads: threads to split the games over.
            **options: options of the game.
        """
        self.batch = Batch(game, num_games, seed=seed, threads=threads, **options)
        self.num_games, self.game, self.box = num_games, self.batch.game, self.batch.box
        self.num_players = self.box.num_players
        self.obs: np.ndarray
        if seat not in MANY and (isinstance(seat, bool) or seat not in range(self.num_players)):
            raise OptionError(f"seat = {seat!r}: expected {', '.join(map(repr, MANY))} or 0 … {self.num_players - 1}")
        self.seat = seat
        self.seats = np.zeros(num_games, np.int64)
        self.games_started = np.zeros(num_games, np.int64)
        self.assigned = np.zeros((num_games, self.game.max_seats), np.int64)
        self.switched = np.zeros(num_games, np.bool_)
        self._rows = np.arange(num_games)
        self._live = np.zeros(num_games, np.bool_)
        self.players: list[Player] = []
        self.seed(seed)
        self.set_opponents(opponents)

    def seed(self, seed: int | None) -> None:
        """Set the root of all seeds: games, seats, opponents."""
        root = np.random.SeedSequence(seed)
        games, seats, players = root.spawn(3)
        self._player_seed = int(players.generate_state(1, np.uint64)[0])
        seed_players(self.players, self._player_seed)
        self.batch.seed(int(games.generate_state(1, np.uint64)[0]))
        self._generator = np.random.Generator(np.random.PCG64(seats))
        self.games_started[:] = 0

    def set_opponents(self, opponents: Any) -> None:
        """Replace the opponents; each game takes one of the new ones from its next start on, running games at once."""
        self.players, self._weights = make_mixture(opponents, self.game, self._player_seed)
        self._codes = np.array([player.decider for player in self.players], np.int8)
        if self._live.any():
            self._assign(self._live, self.assigned[self._live] == LEARNER)
            self.switched |= self._live

    def reset(self, which: np.ndarray | None = None, seeds: np.ndarray | None = None) -> np.ndarray:
        """Start new games where `which` (default: everywhere), up to the learner's first decision; return `obs`."""
        which = np.ones(self.num_games, np.bool_) if which is None else np.asarray(which, np.bool_).copy()
        fresh = self.obs.copy() if hasattr(self, "obs") else np.zeros(self._shape, np.float32)
        while which.any():  # a game may end before the learner's first decision: then it never was his
            self.batch.deciders[which] = EXTERNAL
            self.batch.reset(which, seeds)
            self._live |= which
            self.switched &= ~which
            self._assign(which, self._take_seats(which))
            self._play(np.where(which, GO_ON, WAIT), fresh)
            which &= ~self.batch.running
            seeds = None
        self.obs = fresh
        return self.obs

    @property
    def _shape(self) -> tuple[int, int]:
        return self.num_games, self.game.observation.size

    @property
    def masks(self) -> np.ndarray:
        """Legal actions of the learner, int8 (n, actions). A copy."""
        return self.batch.masks.copy()

    def _take_seats(self, which: np.ndarray) -> np.ndarray:
        """Choose the learner's seats in the games `which`; return them, bool (k, max_seats)."""
        k, turn = int(which.sum()), self._rows[which] + self.games_started[which]
        mine = np.zeros((k, self.game.max_seats), np.bool_)
        if self.seat == "all":
            mine[:, : self.num_players] = True
        elif self.seat == "team":
            teams = np.array(self.game.teams(self.box.options))
            mine[:, : self.num_players] = teams == (turn % (teams.max() + 1))[:, None]
        elif self.seat == "rotate":
            mine[np.arange(k), turn % self.num_players] = True
        elif self.seat == "random":
            mine[np.arange(k), self._generator.integers(self.num_players, size=k)] = True
        else:
            mine[:, int(self.seat)] = True
        self.seats[which] = mine.argmax(axis=1)
        self.games_started[which] += 1
        return mine

    def _assign(self, which: np.ndarray, mine: np.ndarray) -> None:
        """Draw the opponents of every seat but the learner's in the games `which`."""
        drawn = self._generator.choice(len(self.players), size=mine.shape, p=self._weights)
        self.assigned[which] = np.where(mine, LEARNER, drawn)
        self.batch.deciders[which] = np.where(mine, EXTERNAL, self._codes[drawn])

    def _play(self, actions: np.ndarray, obs: np.ndarray) -> None:
        """Apply the learner's actions, let everybody else play up to his next decisions, and write what he sees."""
        batch = self.batch
        touched = actions != WAIT
        one_seat = self.seat not in ("team", "all")
        written = obs if one_seat else None
        batch.advance(actions, np.where(touched, self.seats, -2), written)
        while True:
            actors = batch.actors
            who = self.assigned[self._rows, np.maximum(actors, 0)]
            asked = touched & (actors >= 0) & (who != LEARNER)
            if not asked.any():
                break
            moves = np.full(self.num_games, WAIT, np.int64)
            for k in np.unique(who[asked]):
                rows = np.flatnonzero(asked & (who == k))
                moves[rows] = ask(self.players[k], batch, rows)
            self._require_legal_opponents(moves, who)
            batch.advance(moves, np.where(asked, self.seats, -2), written)
        if not one_seat:
            self.seats = np.where(actors >= 0, actors, self.seats)
            batch.observe(self.seats, obs)

    def _require_legal_opponents(self, moves: np.ndarray, who: np.ndarray) -> None:
        """Raise a `PlayerError` that names the opponent whose move is illegal: it is no fault of the learner."""
        try:
            self.batch.require_legal(moves)
        except IllegalActionError as error:
            names = sorted({self.players[k].name for k in np.unique(who[moves != WAIT])})
            raise PlayerError(f"an opponent ({', '.join(names)}) gave an illegal move: {error}") from error

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take the learner's action in every game (`WAIT` leaves one alone).

        Returns:
            rewards: float64 (n,): the learner's utility where its game ended, else 0.
            terminated, truncated: bool (n,). Ended games stay as they are until `reset`.

        `obs` then holds what the learner sees now, also at the end of a game.

        Raises:
            IllegalActionError: names the first illegal action; nothing was changed.
        """
        if not self._live.all():
            raise LusogamesError("step() before reset(): call reset() first")
        actions = self.batch.integers(actions)
        self.batch.require_legal(actions)
        fresh = self.obs.copy() if (actions == WAIT).any() else np.empty(self._shape, np.float32)
        self._play(actions, fresh)
        self.obs = fresh
        return self.results(actions != WAIT)

    def results(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rewards, terminated, truncated of the games `which` that are over."""
        over = self.batch.states["over"]
        ended = which & (over != RUNNING)
        rewards = np.zeros(self.num_games)
        if ended.any():
            rewards[ended] = self._of_learner(self.batch.outcomes())[ended]
        truncated = ended & (over == TRUNCATED)
        return rewards, ended & ~truncated, truncated

    def _of_learner(self, outcomes: np.ndarray) -> np.ndarray:
        """Return the mean over the learner's seats of float64 (n, max_seats), as float64 (n,)."""
        mine = self.assigned == LEARNER
        return np.where(mine, outcomes, 0.0).sum(axis=1) / np.maximum(1, mine.sum(axis=1))

    def results_by_kind(self) -> dict[str, np.ndarray]:
        """Return the learner's outcome in every game, float64 (n,), by the names that infos use."""
        return {name: self._of_learner(self.batch.outcomes(kind)) for name, kind in RESULTS.items()}

    def closing_info(self, i: int) -> dict[str, float]:
        """Return the learner's outcome in game `i`, by the names that infos use."""
        return {name: float(values[i]) for name, values in self.results_by_kind().items()}

    def close(self) -> None:
        """End the threads; calling it twice is fine."""
        self.batch.close()
