"""The game as text."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal.game import GAME
from tests.games.reis_de_portugal.table import act, finish, position
from tests.tools import random_game


@pytest.mark.parametrize("variant", GAME.variants)
def test_every_view_is_at_most_100_columns_wide_and_shows_whose_turn_it_is(variant):
    state = GameState.new("reis_de_portugal", seed=4, **GAME.variants[variant])
    for k, (before, _) in enumerate(random_game(state, 4)):
        if k % 9 == 0:
            for seat in (None, *range(before.box.num_players)):
                text = before.text(seat)
                assert max(map(len, text.splitlines())) <= 100
                assert f"round {before.record.round_no + 1} of 3" in text and f"Seat {before.actor}" in text
    for seat in (None, *range(state.box.num_players)):
        assert "Winner" in state.text(seat) and max(map(len, state.text(seat).splitlines())) <= 100


def test_second_cards_and_cards_set_aside_are_shown_to_their_owner_only():
    state = position(2, "BR", hands=[[10, 2, 33], [15, 23, 30]], rules="advanced", pile=2)
    act(state, "PLAY 10", "PLAY 15", "SECOND 33")
    assert "face down B33:5*" in state.text(0) and "face down B33:5*" in state.text(None)
    assert "face down ?" in state.text(1) and "33" not in state.text(1)
    state = position(2, "BR", hands=[[17, 2, 33], [15, 23, 30]], rules="advanced", pile=2)
    act(state, "PLAY 17", "PASS 33")
    assert "set aside B33:5*" in state.text(0)
    assert "set aside ?" in state.text(1) and "33" not in state.text(1)


def test_siege_positions_and_known_cards():
    state = position(2, "BR", hands=[[14, 2], [11, 3]], wall=[1, 6], rules="advanced", pile=2)
    act(state, "PLAY 14", "BEFORE WALL 1 as 9")
    assert "V14:5, before A1:9" in state.text(1) and "siege in force" in state.text(1)
    act(state, "PLAY 11", "BEFORE WALL 6", "TAKE 6")
    assert "Seat 1 surely holds: A6:8\n" in state.text(0)


def test_open_view_shows_the_pile_and_hidden_hands():
    state = position(2, "BR", hands=[[12, 2], [10, 3]], pile=[5, 6])
    assert "Pile: 2 cards, top first: A5:6 A6:8" in state.text(None)
    assert "Hand of seat 1: A3:2 (D. Afonso II), V10:8 (D. João I)" in state.text(None)
    assert "A5:6" not in state.text(0)


def test_the_end():
    everything = [*range(1, 35), "Fool", "Fog"]
    state = finish([everything, []], [1, 0], winner=0, round_no=3, scores=(3, 6))
    assert "Winner: seat 0" in state.text(1)
    assert "Seat 0:           0        0        6      15" in state.text(None)
    team = finish([everything, [], [], []], [1, 0, 0, 0], winner=0, round_no=3, teams=True)
    assert "Winner: seat 0, seat 2" in team.text(1)
    shared = position(3, "AF", scores=(2, 2, 0), last=True, round_no=3, castles={0: 3, 1: 4, 2: 10})
    act(shared, "CASTLE", "CASTLE", "CASTLE")
    shared.record.captured[:2] = 0
    shared.record.score[:3] = (5, 5, 0)
    assert "Winners: seat 0, seat 1" in shared.text(None)
