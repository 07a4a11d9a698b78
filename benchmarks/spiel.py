"""OpenSpiel's information-set tree search on a game of ours, and a match of it against `ismcts`.

`SpielState` lets OpenSpiel's Python search run on any `GameState`: both searchers then play the same rules with equal
numbers of simulations, exploration constants, utilities and uniformly random playouts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from lusogames_env.engine.game import Box, Game
from lusogames_env.engine.search import SearchPlayer, Settings
from lusogames_env.engine.state import GameState
from lusogames_env.training.evaluate import sides_of, wilson, win_shares

TERMINAL = -4  # pyspiel.PlayerId.TERMINAL: on turn after the end
NAMES = ("ours", "OpenSpiel's")
DIFFERENCES = {  # what the two implementations of ISMCTS do otherwise: ours, OpenSpiel's
    "a node is": (
        "a sequence of actions in one tree of the searcher; dice and cards drawn are averaged over",
        "an information set of the seat on turn, by its observation; dice and cards drawn lead to different nodes",
    ),
    "UCB1 counts, beside a child's visits,": ("how often the child was legal", "the visits of its node"),
    "the first simulation": ("adds a child of the root", "values the root"),
    "of equally visited actions": ("the one of the best mean is played", "a random one is played"),
}
Chooser = Callable[[GameState], int]  # returns the action of the seat on turn


class SpielState:
    """A `GameState` under the names that OpenSpiel's Python search calls.

    Chance is no node of its own: the state draws from its own generator, which every determinization renews.
    """

    def __init__(self, state: GameState, rng: np.random.Generator) -> None:
        """Wrap `state` itself, no copy; `rng` draws the seeds of determinizations."""
        self.state, self.rng = state, rng

    def clone(self) -> SpielState:
        """Return an independent twin."""
        return SpielState(self.state.clone(), self.rng)

    def get_game(self) -> SimpleNamespace:
        """Return what the search asks of the game: it is sequential, with imperfect information."""
        import pyspiel

        kind = SimpleNamespace(
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        )
        return SimpleNamespace(get_type=lambda: kind)

    def current_player(self) -> int:
        """Return the seat on turn."""
        return TERMINAL if self.state.over else self.state.actor

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions of the seat on turn, the only one ever asked for."""
        return self.state.legal_actions()

    def apply_action(self, action: int) -> None:
        """Take an action, in place."""
        self.state.apply(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.state.over

    def is_chance_node(self) -> bool:
        """Say that it is never chance's turn."""
        return False

    def returns(self) -> list[float]:
        """Return the utility of every seat."""
        return self.state.outcome(self.state.box.options["reward"]).tolist()

    def information_state_string(self) -> str:
        """Return the observation of the seat on turn as a key."""
        return self.state.observation().tobytes().decode("latin-1")

    def resample_from_infostate(self, player: int, sampler: Any = None) -> SpielState:
        """Return a determinization for `player`; OpenSpiel's sampler is not used."""
        return SpielState(self.state.redealt(player, int(self.rng.integers(2**62))), self.rng)


# ---- the players ----


def our_search(game: Game, settings: Settings, seed: int) -> Chooser:
    """Return our search as a function."""
    player = SearchPlayer(game, settings, seed=seed)
    return lambda state: player.search(state).best_action()


def spiel_search(settings: Settings, seed: int) -> Chooser:
    """Return OpenSpiel's search, in Python, with the same iterations and exploration."""
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    rng = np.random.default_rng(seed)
    random_state = np.random.RandomState(seed)
    evaluator = RandomRolloutEvaluator(random_state=random_state)
    bot = ISMCTSBot(None, evaluator, settings.explore, settings.iterations, random_state=random_state)
    return lambda state: int(bot.step(SpielState(state, rng)))


class Timed:
    """A searcher whose decisions are counted and timed by the processor's time."""

    def __init__(self, choose: Chooser) -> None:
        self.choose, self.decisions, self.seconds = choose, 0, 0.0

    def __call__(self, state: GameState) -> int:
        """Return its action."""
        began = time.process_time()
        action = self.choose(state)
        self.seconds += time.process_time() - began
        self.decisions += 1
        return action


# ---- the match ----


def play(state: GameState, choosers: list[Timed]) -> np.ndarray:
    """Play a game to its end, one searcher per seat; return the share of a win of every seat, float64 (seats,)."""
    while not state.over:
        legal = state.legal_actions()
        state.apply(legal[0] if len(legal) == 1 else choosers[state.actor](state))
    return win_shares(state.outcome("win")[None], sides_of(state.box))[0]


def match(box: Box, games: int, settings: Settings, seed: int = 0) -> dict[str, Any]:
    """Let both searches play `games` games of two seats, an even number: every start once from either seat.

    Returns:
        Plain JSON types: our share of wins with its 95 % interval, and decisions and simulations per second of both.
    """
    ours, theirs = Timed(our_search(box.game, settings, seed)), Timed(spiel_search(settings, seed))
    warm_up = GameState.from_box(box)
    for timed in (ours, theirs):
        timed.choose(warm_up)  # compile or load, untimed
    won = 0.0
    for i in range(games):
        seat = i % 2
        won += play(GameState.from_box(box, seed + i // 2), [ours, theirs] if seat == 0 else [theirs, ours])[seat]
    return {
        "game": box.game.name,
        "games": games,
        "settings": {"iterations": settings.iterations, "explore": settings.explore},
        "wins": vars(wilson(float(won) / games, games)),
        "players": {
            name: {"decisions": timed.decisions, "rate": timed.decisions * settings.iterations / timed.seconds}
            for name, timed in zip(NAMES, (ours, theirs), strict=True)
        },
        "differences": DIFFERENCES,
    }
