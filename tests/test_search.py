"""Searching players: they use nothing hidden, find what is best, and say what is wrong with their settings."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env import GameState, game_names, get_game
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.players import make_player
from lusogames_env.engine.search import SearchPlayer, Settings, parse_search
from lusogames_env.wrappers.learners import LearnerBatch

VARIANTS = [(name, variant) for name in game_names() for variant in get_game(name).variants]
POSITIONS = (0, 7, 31)


def _position(name: str, variant: str, plies: int) -> GameState:
    state = GameState.new(name, seed=plies, **get_game(name).variants[variant])
    generator = np.random.default_rng(plies)
    while state.ply < plies and not state.over:
        state.apply(int(generator.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_redeal_depends_on_nothing_hidden(name: str, variant: str) -> None:
    for plies in POSITIONS:
        state = _position(name, variant, plies)
        for seat in range(state.box.num_players):
            first, second = state.redealt(seat, 1), state.redealt(seat, 2)
            assert first.redealt(seat, 9) == second.redealt(seat, 9) == state.redealt(seat, 9)


@pytest.mark.parametrize("name", game_names())
def test_search_chooses_alike_in_states_it_cannot_tell_apart(name: str) -> None:
    variant = next(iter(get_game(name).variants))
    for plies in POSITIONS:
        state = _position(name, variant, plies)
        trees = []
        for seed in (1, 2, 3):
            other = state.redealt(state.actor, seed)
            player = SearchPlayer(state.game, Settings(iterations=40), seed=11)
            trees.append(player.search(other))
        for tree in trees[1:]:
            assert np.array_equal(tree.visits, trees[0].visits)
            assert np.array_equal(tree.total, trees[0].total)
            assert tree.best_action() == trees[0].best_action()


@pytest.mark.parametrize("name", game_names())
def test_search_leaves_the_game_alone_and_moves_legally(name: str) -> None:
    for kind in (
        "ismcts:iterations=30",
        f"flat_mc:iterations=30,playout={get_game(name).bots[0]},plies=40,reward=margin",
    ):
        state = _position(name, next(iter(get_game(name).variants)), 12)
        before = state.hash()
        player = make_player(kind, state.game, seed=3)
        assert isinstance(player, SearchPlayer)
        tree = player.search(state)
        assert state.hash() == before
        assert tree.best_action() in state.legal_actions()
        assert tree.visits[0] == 30
        assert sum(tree.visits[c] for c in tree.children()) == 30
        assert tree.policy().sum() == pytest.approx(1.0)
        assert "30 simulations" in tree.text()


def test_the_tree_of_flat_monte_carlo_has_one_level() -> None:
    state = _position("reis_de_portugal", "2p", 0)
    tree = SearchPlayer(state.game, Settings(iterations=200, depth=1), seed=1).search(state)
    assert set(tree.parent[1 : tree.size]) == {0}
    assert tree.size == 1 + len(state.legal_actions())


def test_a_budget_of_time_ends_the_search() -> None:
    state = _position("reis_de_portugal", "2p", 0)
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
    ],
)
def test_wrong_settings_are_explained(spec: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        make_player(spec, get_game("reis_de_portugal"))


def test_other_names_are_no_search() -> None:
    assert parse_search("random") is None
    assert parse_search("ismcts:explore=1.5,depth=3") == Settings(explore=1.5, depth=3)


def test_a_game_that_is_over_is_not_searched() -> None:
    state = _position("reis_de_portugal", "2p", 400)
    assert state.over
    with pytest.raises(LusogamesError, match="over"):
        SearchPlayer(state.game, Settings(), seed=1).search(state)
