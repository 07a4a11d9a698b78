"""The engine on a game small enough to know every answer; rule ids are those of tests/toy/rulebook.toml."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lusogames_env.engine import OptionError
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.state import GameState
from tests.toy.game import GAME


def deal(hands: list[int], deck: list[int], **options: object) -> GameState:
    """Return the start of a game with these cards; the deck is drawn from its end."""
    state = GameState.new(GAME, **{"num_players": len(hands), **options})  # type: ignore[arg-type]
    record = state.record
    record.hand[: len(hands)] = hands
    record.deck[:] = -1
    record.deck[: len(deck)] = deck
    record.deck_n = len(deck)
    record.used[:] = 0
    record.used[list(set(range(6)) - set(hands) - set(deck))] = 1
    state.refresh()
    assert state.check() == 0
    return state


def play(state: GameState, labels: str) -> GameState:
    for label in labels.split():
        state.apply(label)
    return state


@pytest.mark.rules("TOY-01")
def test_a_turn_is_two_decisions_of_one_seat() -> None:
    state = deal([0, 1, 2], [3, 4, 5])
    assert (state.actor, state.legal_labels()) == (0, ["STAY", "FOLD"])
    play(state, "STAY")
    assert (state.actor, state.legal_labels()) == (0, ["DRAW", "KEEP"])
    play(state, "DRAW")
    assert (state.actor, state.record.hand[0], state.record.used[0]) == (1, 5, 1)


@pytest.mark.rules("TOY-02")
def test_a_seat_that_folds_is_passed_over() -> None:
    state = play(deal([0, 1, 2], [3, 4, 5]), "STAY KEEP FOLD STAY KEEP")
    assert (state.actor, state.record.rounds) == (0, 1)
    play(state, "STAY KEEP")
    assert state.actor == 2


@pytest.mark.rules("TOY-02")
def test_rounds_count_when_the_first_seat_is_out() -> None:
    state = play(deal([0, 1, 2], [3, 4, 5]), "FOLD STAY KEEP STAY KEEP")
    assert (state.actor, state.record.rounds) == (1, 1)


@pytest.mark.rules("TOY-03", "TOY-05")
def test_without_a_deck_the_round_is_the_last() -> None:
    state = play(deal([0, 1, 5], [4]), "STAY DRAW STAY")
    assert state.legal_labels() == ["KEEP"]
    play(state, "KEEP STAY KEEP")
    assert state.over and not state.truncated and state.actor == -1 and state.legal_actions() == []
    assert state.outcome("raw").tolist() == [5, 2, 6]
    assert state.outcome("win").tolist() == [-0.5, -0.5, 1]
    assert state.outcome("placement").tolist() == [0, -1, 1]


@pytest.mark.rules("TOY-05")
def test_equal_cards_share(tmp_path: Path) -> None:
    path = tmp_path / "equal.toml"
    path.write_text('[meta]\ngame = "toy"\n[cards]\nprovenance = "R"\nvalues = [1, 5, 5, 2, 3, 4]\n')
    state = play(deal([0, 1, 2], [], components=str(path)), "STAY KEEP STAY KEEP STAY KEEP")
    assert state.outcome("win").tolist() == [-0.5, 0.25, 0.25]
    assert state.outcome("placement").tolist() == [-1, 0.5, 0.5]


@pytest.mark.rules("TOY-04")
def test_the_last_seat_wins_at_once() -> None:
    state = play(deal([5, 0], [1, 2, 3, 4]), "FOLD")
    assert state.over and not state.truncated
    assert state.outcome("win").tolist() == [-1, 1]


@pytest.mark.rules("TOY-06")
def test_the_cap_truncates() -> None:
    state = play(deal([5, 0], [1, 2, 3, 4], max_rounds=2), "STAY KEEP " * 4)
    assert state.over and state.truncated
    assert state.outcome("win").tolist() == [1, -1]


def test_forced_decisions_are_skipped_on_demand() -> None:
    asked = play(deal([0, 1, 5], []), "STAY")
    assert (asked.actor, asked.ply, asked.legal_labels()) == (0, 1, ["KEEP"])
    skipped = play(deal([0, 1, 5], [], skip_forced=True), "STAY")
    assert (skipped.actor, skipped.ply, skipped.legal_labels()) == (1, 2, ["STAY", "FOLD"])
    play(skipped, "STAY STAY")
    assert skipped.over and skipped.ply == 6


def test_a_game_of_forced_decisions_alone_ends_at_once() -> None:
    state = deal([0, 1, 5], [], skip_forced=True, folding=False)
    state._advance(-1)  # go on: what `new` does after the set-up
    assert state.over and state.outcome("win").tolist() == [-0.5, -0.5, 1]


def test_all_deals_are_equally_likely() -> None:
    batch = Batch(GAME, 20_000, seed=1, num_players=2)
    counts = Counter(map(tuple, batch.states["hand"][:, :2].tolist()))
    assert set(counts) == set(itertools.permutations(range(6), 2))
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_redeal_is_uniform_over_all_that_is_possible() -> None:
    state = play(deal([3, 1, 2], [0, 4, 5]), "STAY DRAW")  # seat 1 knows its card 1 and that 3 was laid aside
    batch = Batch(GAME, 24_000, seed=2, num_players=3)
    batch.states[:] = state._states[0]
    batch.refresh()
    batch.redeal(np.full(24_000, 1), np.arange(24_000))
    assert not batch.check().any()
    rows = np.column_stack([batch.states["hand"][:, [0, 2]], batch.states["deck"][:, :2]])
    counts = Counter(map(tuple, rows.tolist()))
    assert set(counts) == set(itertools.permutations([0, 2, 4, 5]))
    assert stats.chisquare(list(counts.values())).pvalue > 0.001
    assert (batch.states["hand"][:, 1] == 1).all()


def test_a_bot_draws_from_a_generator_that_is_warm() -> None:
    state = deal([0, 1, 2], [3, 4, 5])
    stays = sum(state.bot_action("shaky", seed=seed) == 0 for seed in range(400))
    assert stats.binomtest(stays, 400).pvalue > 0.001


def test_options_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(OptionError, match=r"first_seat = 2 needs more than num_players = 2"):
        GameState.new(GAME, num_players=2, first_seat=2)


def test_text_shows_a_seat_its_own_card_only() -> None:
    state = deal([0, 1, 2], [3, 4, 5])
    assert "seat 1: ?" in state.text(0) and "seat 0: 1" in state.text(0) and "deck:" not in state.text(0)
    assert "seat 1: 2" in state.text() and "deck: 4 5 6" in state.text()


def test_the_named_view_has_the_declared_shapes() -> None:
    view = deal([0, 1, 2], [3, 4, 5]).view(1)
    assert view["own"].tolist() == [0, 1, 0, 0, 0, 0]
    assert view["actor"].tolist() == [0, 0, 1, 0]  # seat 0, seen from seat 1, is two places on
