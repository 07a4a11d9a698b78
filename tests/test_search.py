"""Searching players: they use nothing hidden, find what is best, and say what is wrong with their settings."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env import GameState, get_game
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.game import Game
from lusogames_env.engine.players import make_player
from lusogames_env.engine.search import SearchPlayer, Settings, parse_search
from lusogames_env.wrappers.learners import LearnerBatch
from tests.tools import Case

PLIES = (0, 7, 31)


def _first(game: Game) -> Case:
    """The first variant of a game."""
    return Case(game.package, next(iter(game.variants)))


def _reis(plies: int = 0) -> GameState:
    return Case("lusogames_env.games.reis_de_portugal", "2p").position(1, plies)


def test_redeal_depends_on_nothing_hidden(case: Case) -> None:
    for plies in PLIES:
        state = case.position(plies, plies)
        for seat in range(state.box.num_players):
            first, second = state.redealt(seat, 1), state.redealt(seat, 2)
            assert first.redealt(seat, 9) == second.redealt(seat, 9) == state.redealt(seat, 9)


def test_search_chooses_alike_in_states_it_cannot_tell_apart(game: Game) -> None:
    for plies in PLIES:
        state = _first(game).position(plies, plies)
        trees = [
            SearchPlayer(game, Settings(iterations=40), seed=11).search(state.redealt(state.actor, seed))
            for seed in (1, 2, 3)
        ]
        for tree in trees[1:]:
            assert np.array_equal(tree.visits, trees[0].visits)
            assert np.array_equal(tree.total, trees[0].total)
            assert tree.best_action() == trees[0].best_action()


@pytest.mark.parametrize("kind", ["ismcts:iterations=30", "flat_mc:iterations=30,playout={bot},plies=40,reward=margin"])
def test_search_leaves_the_game_alone_and_moves_legally(game: Game, kind: str) -> None:
    state = _first(game).position(2, 12)
    before = state.hash()
    player = make_player(kind.format(bot=game.bots[0]), game, seed=3)
    assert isinstance(player, SearchPlayer)
    tree = player.search(state)
    assert state.hash() == before
    assert tree.best_action() in state.legal_actions()
    assert tree.visits[0] == 30
    assert sum(tree.visits[c] for c in tree.children()) == 30
    assert tree.policy().sum() == pytest.approx(1.0)
    assert "30 simulations" in tree.text()


def test_the_tree_of_flat_monte_carlo_has_one_level() -> None:
    state = _reis()
    tree = SearchPlayer(state.game, Settings(iterations=200, depth=1), seed=1).search(state)
    assert set(tree.parent[1 : tree.size]) == {0}
    assert tree.size == 1 + len(state.legal_actions())


def test_a_budget_of_time_ends_the_search() -> None:
    state = _reis()
    tree = SearchPlayer(state.game, Settings(iterations=1_000_000, seconds=0.02), seed=1).search(state)
    assert 0 < tree.visits[0] < 1_000_000


def test_search_is_stronger_than_chance() -> None:
    learners = LearnerBatch("reis_de_portugal", 24, opponents="random", seed=5, num_players=2)
    player = make_player("ismcts:iterations=60,reward=margin", learners.game, seed=1)
    learners.reset()
    rewards = np.zeros(24)
    while learners.batch.running.any():
        rows = np.flatnonzero(learners.batch.running)
        actions = np.full(24, -2)
        actions[rows] = player.act(learners.batch, rows)
        rewards += learners.step(actions)[0]
    assert rewards.mean() > 0.5


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("ismcts:iteration=5", "did you mean 'iterations'"),
        ("ismcts:iterations=many", "expected a value of type int"),
        ("ismcts:iterations=0", "expected 1"),
        ("flat_mc:playout=heuristics", "did you mean 'heuristic'"),
        ("ismcts:reward=points", "expected win, placement or margin"),
        ("ismcts:depth=0", "depth at least 1"),
        ("flat_mc:depth=3", "flat_mc has no setting 'depth'"),
        ("ismcts:iterations=5,depth=2,iterations=5", "iterations is given twice"),
        ("ismcts:plies=0", "plies = 0: expected at least 1, or -1"),
        ("ismcts:plies=-2", "plies = -2: expected at least 1, or -1"),
    ],
)
def test_wrong_settings_are_explained(spec: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make_player(spec, get_game("reis_de_portugal"))


def test_other_names_are_no_search() -> None:
    assert parse_search("random") is None
    assert parse_search("ismcts:explore=1.5,depth=3") == Settings(explore=1.5, depth=3)
    assert parse_search("flat_mc:plies=9") == Settings(plies=9, depth=1)


def test_a_game_that_is_over_is_not_searched() -> None:
    state = _reis()
    while not state.over:
        state.apply(state.legal_actions()[0])
    with pytest.raises(LusogamesError, match="over"):
        SearchPlayer(state.game, Settings(), seed=1).search(state)
