"""Searching players: they use nothing hidden, find what is best, and say what is wrong with their settings."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env import GameState, get_game
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.game import Game
from lusogames_env.engine.players import make_player
from lusogames_env.engine.search import (
    MIN_DEALS,
    Comparison,
    RolloutPlayer,
    RolloutSettings,
    SearchPlayer,
    Settings,
    parse_search,
)
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
            for seed in range(8):
                assert state.redealt(seat, 2 * seed).redealt(seat, seed) == state.redealt(seat, seed)


def test_search_chooses_alike_in_states_it_cannot_tell_apart(game: Game) -> None:
    for plies in PLIES:
        state = _first(game).position(plies, plies)
        trees = [
            SearchPlayer(game, Settings(iterations=40), seed=11).search(state.redealt(state.actor, seed))
            for seed in range(6)
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


def test_rollouts_choose_alike_in_states_they_cannot_tell_apart(game: Game) -> None:
    settings = RolloutSettings(iterations=60, plies=20, reward="margin")
    for plies in PLIES:
        state = _first(game).position(plies, plies)
        before = state.hash()
        found = [RolloutPlayer(game, settings, seed=11).search(state.redealt(state.actor, seed)) for seed in range(6)]
        assert state.hash() == before
        assert found[0].best_action() in state.legal_actions()
        for other in found[1:]:
            assert np.array_equal(other.gains, found[0].gains)
            assert np.array_equal(other.deals, found[0].deals)


def test_a_rollout_without_budget_plays_as_its_player(game: Game) -> None:
    state = _first(game).position(2, 12)
    batch = Batch(state.box, 1, seed=0)
    batch.states[:] = state._states
    batch.refresh()
    choice = make_player(game.bots[0], game).act(batch, np.zeros(1, np.int64))[0]
    found = RolloutPlayer(game, RolloutSettings(playout=game.bots[0], iterations=1), seed=3).search(state)
    assert found.best_action() == choice
    assert f"* {state.box.labels[choice]}" in found.text()


def test_a_search_of_another_game_is_refused(toy: Case) -> None:
    with pytest.raises(LusogamesError, match="this player searches toy, not reis_de_portugal"):
        SearchPlayer(toy.game, Settings(iterations=5)).search(_reis())


def test_a_rollout_keeps_to_its_budget(game: Game) -> None:
    state = _first(game).position(2, 12)
    found = RolloutPlayer(game, RolloutSettings(iterations=50, plies=5, reward="margin"), seed=3).search(state)
    spent = int(found.deals.sum())
    assert spent <= 50
    assert int(found.open.sum()) == 1 or spent + int(found.open.sum()) > 50


def test_a_rollout_takes_what_is_significantly_better_and_drops_what_is_worse() -> None:
    found = Comparison(_reis().box, np.array([4, 7, 9]), base=1, confidence=2.0)
    noise = np.random.default_rng(0).normal(0, 0.1, (MIN_DEALS, 3))
    for values in noise[:-1]:
        found.add(values + [0.5, 0.0, -0.5])
        assert found.open.all() and found.best_action() == 7
    found.add(noise[-1] + [0.5, 0.0, -0.5])
    assert found.open.tolist() == [True, True, False]
    assert found.best_action() == 4
    assert found.gains == pytest.approx((noise - noise[:, [1]]).mean(axis=0) + [0.5, 0.0, -0.5])
    assert found.errors == pytest.approx((noise - noise[:, [1]]).std(axis=0, ddof=1) / MIN_DEALS**0.5)
    found.add(np.array([0.1, 0.2]))
    assert found.deals.tolist() == [MIN_DEALS + 1, MIN_DEALS + 1, MIN_DEALS]


def test_the_better_half_goes_on_and_the_base_always() -> None:
    found = Comparison(_reis().box, np.array([4, 7, 9, 11, 12, 15]), base=2, confidence=2.0)
    found.add(np.array([0.1, 0.5, -0.9, 0.3, 0.2, 0.4]))
    found.halve()
    assert found.actions[found.open].tolist() == [7, 9, 11, 15]
    found.add(np.array([0.0, -0.9, 0.0, 0.4]))
    found.halve()
    assert found.actions[found.open].tolist() == [7, 9, 15]
    assert found.deals.tolist() == [1, 2, 2, 2, 1, 2]


def test_what_is_not_significantly_better_is_not_taken() -> None:
    found = Comparison(_reis().box, np.array([4, 7]), base=0, confidence=2.0)
    for gain in (1.0, -1.0, 1.0, -1.0, 1.0, 0.5):
        found.add(np.array([0.0, gain]))
    assert found.gains[1] > 0
    assert found.best_action() == 4


def test_the_tree_of_flat_monte_carlo_has_one_level() -> None:
    state = _reis()
    tree = SearchPlayer(state.game, Settings(iterations=200, depth=1), seed=1).search(state)
    assert set(tree.parent[1 : tree.size]) == {0}
    assert tree.size == 1 + len(state.legal_actions())


def test_a_budget_of_time_ends_the_search() -> None:
    state = _reis()
    found = RolloutPlayer(state.game, RolloutSettings(iterations=1_000_000, seconds=0.02, confidence=9)).search(state)
    assert 0 < found.deals.sum() < 1_000_000
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
        ("ismcts:explore=nan", "explore must be a finite number"),
        ("ismcts:seconds=-1", "seconds = -1.0: expected a finite number from 0 on"),
        ("rollout:playout=random", "playout = 'random'; did you mean|playout = 'random'; known: heuristic"),
        ("rollout:explore=1", "rollout has no setting 'explore'"),
        ("rollout:confidence=inf", "confidence = inf: expected a finite number from 0 on"),
    ],
)
def test_wrong_settings_are_explained(spec: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make_player(spec, get_game("reis_de_portugal"))


def test_other_names_are_no_search() -> None:
    assert parse_search("random") is None
    assert parse_search("ismcts:explore=1.5,depth=3") == Settings(explore=1.5, depth=3)
    assert parse_search("flat_mc:plies=9") == Settings(plies=9, depth=1)
    assert parse_search("rollout:confidence=1") == RolloutSettings(playout="heuristic", confidence=1.0)


def test_a_game_that_is_over_is_not_searched() -> None:
    state = _reis()
    while not state.over:
        state.apply(state.legal_actions()[0])
    with pytest.raises(LusogamesError, match="over"):
        SearchPlayer(state.game, Settings(), seed=1).search(state)
