"""The examples of the rulebook, WE-01 … WE-10."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from tests.games.reis_de_portugal.table import (
    AFONSINA,
    AVIS,
    BRAGANCA,
    FOG,
    FOOL,
    act,
    captured,
    cards_in,
    castles,
    choices,
    edited_components,
    finish,
    gains,
    hand,
    phase,
    position,
    wall_of,
)
from tests.tools import random_game


@pytest.mark.rules("WE-01", "S4", "S5", "S6", "RP-04")
def test_miguel_plays_and_replaces_his_castle():
    state = position(3, "BR", hands=[[12, 2, 30], None, None], castles={0: 4})
    act(state, "CASTLE")
    assert cards_in(1 << state.record.face[0]) == {4}
    assert (phase(state), state.actor) == ("REPLACE", 0)
    assert choices(state) == {"NEW CASTLE 2", "NEW CASTLE 12", "NEW CASTLE 30"}
    act(state, "NEW CASTLE 2")
    assert castles(state)[0] == 2
    assert hand(state, 0) == {12, 30}
    assert state.record.led == 0
    assert (phase(state), state.actor) == ("PLAY", 1)
    for seat in range(3):  # the new Castle is public
        assert state.view(seat)["castles"][(0 - seat) % 3, 1] == 1.0


@pytest.mark.rules("WE-02", "S1", "S3", "S7", "S8", "S9", "S11")
def test_order_of_taking_wall_cards():
    state = position(4, "BR", hands=[[11], [10], [12], [15]], wall=[2, 3, 4, 5], pile=8, leader=1)
    wall = wall_of(state)
    act(state, "PLAY 10", "PLAY 12")
    assert state.actor == 3
    act(state, "PLAY 15", "PLAY 11")
    assert state.record.leader == 1  # no. 10 is the highest Avis card
    state = position(4, "BR", hands=[[11], [13], [10], [15]], wall=[2, 3, 4, 5], pile=8)
    act(state, "PLAY 11", "PLAY 13", "PLAY 10", "PLAY 15")
    for i, seat in enumerate([3, 0, 1, 2]):
        assert (phase(state), state.actor, len(choices(state))) == ("DRAW", seat, 4 - i)
        taken = sorted(wall)[i]
        act(state, f"TAKE {taken}")
        assert hand(state, seat) == {taken}
    assert len(wall_of(state)) == 4 and state.record.pile_len == 4
    assert wall_of(state).isdisjoint(wall)
    assert (phase(state), state.actor, state.record.leader) == ("PLAY", 2, 2)


@pytest.mark.rules("WE-03", "G1", "G7", "G8", "RP-03")
@pytest.mark.parametrize(("castle_assist", "expected"), [("free", {"PLAY 15", "CASTLE"}), ("strict", {"PLAY 15"})])
def test_maria_must_follow(castle_assist, expected):
    state = position(3, "AF", hands=[[12], [15, 22], None], castles={1: 24}, castle_assist=castle_assist)
    act(state, "PLAY 12")
    assert choices(state) == expected


@pytest.mark.rules("WE-04", "G5", "G9", "P4")
def test_a_trump_2_beats_a_7():
    state = position(2, "AF", hands=[[12], [3, 22]])
    assert gains(state, "PLAY 12", "PLAY 3") == [set(), {3, 12}]
    assert list(state.record.flushes_won[:2]) == [0, 1]


@pytest.mark.rules("WE-05", "L1", "L2", "L3", "L5", "L6", "RP-05", "RP-06", "H1", "RP-18")
@pytest.mark.parametrize(("last", "winner"), [("CASTLE as 9", 3), ("CASTLE", 2)])
def test_the_last_flush_wins_the_wall(last, winner):
    state = position(4, "AV", castles={0: 6, 1: 10, 2: 24, 3: 1}, wall=[2, 3, 4, 5], last=True)
    assert state.record.last_flush == 1
    for _ in range(3):
        assert choices(state) == {"CASTLE"}
        act(state, "CASTLE")
    assert choices(state) == {"CASTLE", "CASTLE as 9"}
    before = state.clone()
    act(state, last)
    flushes = [0, 0, 0, 0]
    flushes[winner] = 1
    # The round is over, so that the cards are back in the pack: the winner shows in the points.
    loot = {6, 10, 24, 1, 2, 3, 4, 5}
    expected = [captured(before, seat) | (loot if seat == winner else set()) for seat in range(4)]
    for seat in range(4):
        filipina = len(expected[seat] & {18, 19, 20})
        points = 2 * (flushes[seat] == 0) - (0 if filipina == 3 else filipina) + 2 * (16 in expected[seat])
        for vp, dynasty in ((3, BRAGANCA), (1, AFONSINA)):
            points += vp * all(
                len(expected[seat] & {*dynasty}) > len(expected[o] & {*dynasty}) for o in range(4) if o != seat
            )
        assert state.record.points[0, seat] == points


@pytest.mark.rules("WE-05", "L5", "S12", "E1")
def test_the_last_flush_of_the_game_leaves_nothing():
    state = position(4, "AV", castles={0: 6, 1: 10, 2: 24, 3: 1}, wall=[2, 3, 4, 5], last=True, round_no=3)
    before = captured(state, 3)
    act(state, "CASTLE", "CASTLE", "CASTLE", "CASTLE as 9")
    assert state.over
    assert captured(state, 3) == before | {6, 10, 24, 1, 2, 3, 4, 5}
    assert wall_of(state) == set() and list(state.record.castle) == [-1] * 4


def others(*mine: int | str) -> list[int | str]:
    """Return all cards but these."""
    return [card for card in [*AFONSINA, *AVIS, 18, 19, 20, *BRAGANCA] if card not in mine]


@pytest.mark.rules("WE-06", "Q5", "Q6", "I3", "I4", "RP-13")
@pytest.mark.parametrize(("kings", "points"), [((18, 19, 20), 0), ((18, 20), -2), ((18, 19), -2), ((19,), -1), ((), 0)])
def test_all_three_filipina_cost_nothing(kings, points):
    state = finish([kings, others(*kings)], [1, 1], winner=1, house="AF")
    assert state.record.points[0, 0] == points
    assert state.record.points[0, 1] == 3 + 1 + 2 - (3 - len(kings)) * (len(kings) > 0)


@pytest.mark.rules("WE-07", "O3", "Q1", "Q2", "Q3", "Q4", "Q7", "Q8", "Q9", "Q10", "Q11", "Q13", "E2", "C9", "RP-40")
def test_royal_house_card():
    state = finish(
        [
            [*range(1, 10), FOOL, 18, 19],
            [10, 11, 12, 13, 16, 20, *range(21, 27)],
            [14, 15, 17, FOG, *range(27, 35)],
            [],
        ],
        [3, 3, 2, 0],
        winner=2,
        house="AF",
    )
    assert list(state.record.points[0]) == [-2, 4, 1, 2]
    assert list(state.record.score) == [0, 4, 1, 2]


@pytest.mark.rules("WE-08", "A3", "Z1", "Z2", "Z7", "RP-18", "RP-27")
def test_manuel_besieges():
    state = position(4, "BR", hands=[[14, 13], [11, 22], None, None], wall=[1, 25, 34, 29], rules="advanced")
    act(state, "PLAY 14")
    assert phase(state) == "SIEGE" and state.actor == 0
    assert choices(state) == {f"BEFORE WALL {c}" for c in ("1", "1 as 9", "25", "34", "29")}
    act(state, "BEFORE WALL 1 as 9")
    assert state.record.face_value[0] + state.record.siege_value[0] == 14
    assert choices(state) == {"PLAY 11", "CASTLE"}
    act(state, "PLAY 11")
    assert choices(state) == {"BEFORE WALL 25", "BEFORE WALL 34", "BEFORE WALL 29"}


@pytest.mark.rules("WE-09", "Q12", "Q14", "C9", "RP-32")
def test_doubling_and_floor(tmp_path):
    path = edited_components(tmp_path, ("number = 18", "vp = -1", "vp = -2"), ("number = 20", "vp = -1", "vp = -2"))
    state = finish(
        [[18, *AFONSINA[:5]], [*AVIS, 20, *BRAGANCA], AFONSINA[5:], [19]],
        [1, 4, 2, 1],
        winner=1,
        house="AF",
        round_no=3,
        scores=(3, 1, 5, 0),
        components=path,
    )
    assert state.over
    assert list(state.record.points[2]) == [-2, 4, 0, -1]
    assert list(state.record.score) == [0, 9, 5, 0]


@pytest.mark.rules("WE-10", "P5", "P6", "P7", "P8", "RP-01", "RP-02", "RP-42", "S10", "L6", "S12")
@pytest.mark.parametrize(("n", "flushes", "draws"), [(2, 17, 11), (3, 11, 5), (4, 8, 2)])
def test_set_up(n, flushes, draws):
    state = GameState.new("reis_de_portugal", seed=5, num_players=n, rules="basic")
    r = state.record
    assert len(wall_of(state)) == n and r.pile_len == 36 - 7 * n
    assert [len(hand(state, seat)) for seat in range(n)] == [5] * n
    assert all(0 <= castle < 36 for castle in r.castle[:n])
    assert state.check() == 0
    won = taken = 0
    for before, action in random_game(state, 1):
        if before.record.round_no > 0:
            break
        taken += before.action_label(action).startswith("TAKE")
        won = int(before.record.flushes_won.sum())
        if before.record.last_flush:
            assert len(wall_of(before)) == n
            table = sum(before.record.face[:n] >= 0)
            assert sum(len(captured(before, seat)) for seat in range(n)) + table + n + (n - table) == 36
    assert won + 1 == flushes
    assert taken == draws * n
