"""`check`: one test for every invariant, and records of nonsense."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal.game import GAME
from tests.games.reis_de_portugal.table import act, as_bits, card_id, position
from tests.tools import random_game


def fresh(**options):
    return GameState.new("reis_de_portugal", seed=1, **options)


def set_field(name, index, value):
    def edit(state):
        state.record[name][index] = value

    return edit


def swap_card_in_hand(state):
    state.record.hand[0] ^= state.record.hand[0] & -state.record.hand[0]


def move_hand_card(state):
    low = int(state.record.hand[0]) & -int(state.record.hand[0])
    state.record.hand[0] ^= low
    state.record.captured[0] |= low
    for observer in range(4):
        state.record.may_hold[observer] &= ~low


def full_hand(state):
    low = int(state.record.captured[3]) & -int(state.record.captured[3])
    state.record.captured[3] ^= low
    state.record.hand[0] |= low
    state.record.may_hold[1:, 0] |= low


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (set_field("order", 1, 3), 1),
        (set_field("castle", 2, 77), 1),
        (set_field("siege_card", 2, 77), 1),
        (set_field("pile", 0, -1), 1),
        (set_field("house_order", 1, 9), 1),
        (set_field("hand", 1, -1), 1),
        (set_field("may_hold", (2, 1), 1 << 40), 1),
        (set_field("face_value", 0, 5), 1),
        (set_field("order", 2, -1), 1),
        (set_field("house_order", slice(None), 0), 11),
        (swap_card_in_hand, 2),
        (set_field("second", 1, 3), 1),
        (set_field("pass_card", 1, 3), 8),
        (set_field("siege_card", 1, 3), 1),
        (set_field("score", 2, 25), 9),
        (set_field("score", 2, -1), 9),
        (set_field("points", (1, 2), 7), 9),
        (set_field("points", (1, 2), -3), 9),
        (set_field("flushes_won", 2, -1), 9),
        (set_field("may_hold", (0, 1), 0), 10),
        (set_field("may_hold", (0, 4), 0), 10),
        (move_hand_card, 5),
    ],
)
def test_broken_records_are_found(edit, code):
    state = fresh()
    assert state.check() == 0
    edit(state)
    assert state.check() == code
    assert code in GAME.invariants


@pytest.mark.parametrize(
    "name", ["over", "round_no", "led", "bonus", "leader", "pile_len", "order_len", "pos", "phase"]
)
@pytest.mark.parametrize("value", [-7, 99])
def test_scalars_out_of_range_are_found(name, value):
    state = fresh()
    state.record[name] = value
    assert state.check() == 1


def test_castles_sizes_and_the_start_of_a_flush():
    state = fresh()
    r = state.record
    r.captured[0] |= 1 << int(r.castle[0])
    r.castle[0] = -1
    assert state.check() == 3
    state = position(4, "BR", hands=[[2, 3, 4, 5, 6, 7], [8], [9], [10]])
    assert state.check() == 4
    state = position(2, "BR", pile=2, last=True)
    assert state.check() == 6
    state = position(2, "BR", hands=[[2], [3]], wall_size=1, pile=2)
    assert state.check() == 5
    state = position(2, "BR", hands=[[2], [3]], wall_size=1, siege_winner_draws=False)
    assert state.check() == 0
    state = position(2, "BR", hands=[[2], [3, 4]])
    assert state.check() == 5
    state = position(2, "BR", hands=[[2], [3]])
    state.record.last_flush = 1
    assert state.check() == 12
    state = position(2, "BR", hands=[[], [3]], siege_winner_draws=False)
    assert state.check() == 0
    state.record.order[:] = [0, 1, -1, -1]
    state.record.order_len, state.record.actor, state.record.leader = 2, 0, 0
    assert state.check() == 7


def test_absent_seats_have_nothing():
    for name, index, value in (("hand", 3, 1), ("castle", 3, 1), ("may_hold", (2, 4), 1), ("captured", 2, 4)):
        state = fresh(num_players=2)
        state.record[name][index] = value
        assert state.check() == 1


def test_extras_lie_only_in_their_bonus():
    state = position(2, "BR", hands=[[14, 2], [11, 3]], wall=[4, 5], rules="advanced")
    act(state, "PLAY 14", "BEFORE WALL 4", "PLAY 11")
    assert state.check() == 0
    broken = state.clone()
    broken.record.bonus = -1
    assert broken.check() == 8
    broken = state.clone()
    broken.record.siege_card[1], broken.record.siege_value[1] = card_id(4), 4
    assert broken.check() == 8
    state = position(2, "BR", hands=[[10, 2], [11, 3]], rules="advanced")
    act(state, "PLAY 10", "PLAY 11", "SECOND 2")
    assert state.check() == 0
    state.record.bonus = 0 - 1
    assert state.check() == 8
    state = position(2, "BR", hands=[[17, 2], [11, 3]], rules="advanced")
    act(state, "PLAY 17", "PASS 2")
    assert state.check() == 0
    state.record.pass_card[0] = card_id(11)
    assert state.check() == 8


def test_choices_and_known_cards():
    state = position(2, "BR", hands=[[12, 2], [10, 3]], pile=2)
    act(state, "PLAY 12", "PLAY 10")
    assert state.check() == 0
    state.record.captured[0] |= state.record.wall
    state.record.wall = 0
    assert state.check() == 7
    state = position(2, "BR", hands=[[14, 2], [11, 3]], wall=[4, 5], rules="advanced")
    act(state, "PLAY 14")
    state.record.captured[0] |= state.record.wall
    state.record.wall = 0
    assert state.check() == 7
    state = fresh()
    state.record.may_hold[0, 1] |= state.record.hand[0]
    assert state.check() == 10


def test_partners_have_the_same_total():
    state = fresh(teams=True)
    state.record.score[:] = (3, 4, 3, 4)
    assert state.check() == 0
    state.record.score[2] = 4
    assert state.check() == 9


def test_the_end_holds_nothing_on_turn():
    state = fresh(num_players=2)
    for _ in random_game(state, 1):
        pass
    assert state.check() == 0
    for name, value in (("actor", 0), ("phase", 0), ("over", 0)):
        broken = state.clone()
        broken.record[name] = value
        assert broken.check() == 1


def test_records_of_nonsense_are_survived():
    rng = np.random.default_rng(3)
    state = fresh()
    size = GAME.state_record.dtype.itemsize
    for _ in range(300):
        broken = state.clone()
        raw = broken._states.view(np.uint8).reshape(-1)
        where = rng.integers(0, size, rng.integers(1, 60))
        raw[where] = rng.integers(0, 256, where.size)
        assert 0 <= broken.check() <= max(GAME.invariants)


@pytest.mark.parametrize("variant", GAME.variants)
def test_points_of_a_round_and_partition(variant):
    options = GAME.variants[variant]
    state = GameState.new("reis_de_portugal", seed=6, **options)
    n, teams = options["num_players"], bool(options.get("teams"))
    m = 2 if teams else n
    last = state.record.captured.copy()
    for before, action in random_game(state, 6):
        r = before.record
        assert before.check() == 0
        if r.pos or r.phase:
            assert all(int(old) & ~int(new) == 0 for old, new in zip(last, r.captured, strict=True)) or r.round_no
        last = r.captured.copy()
        number = int(r.round_no)
        after = before.clone().apply(action)
        if not after.over and after.record.round_no == number:
            continue
        points = [int(p) for p in after.record.points[number, :m]]
        # 4 for the majorities, 2 for no. 16, 2 for each without a Flush (the last one is not counted yet), Filipina.
        by_player = options.get("team_no_flush") == "player"
        groups = [[s] for s in range(n)] if by_player or not teams else [[0, 2], [1, 3]]
        without = sum(not any(r.flushes_won[s] for s in group) for group in groups)
        free = sum(points) - 4 - 2
        assert free in {2 * k + f for k in (without, without - 1) for f in (0, -3)}
        assert all(-2 <= p <= (8 if by_player else 6) for p in points)
    assert sum(int(c) for c in state.record.captured) == (1 << 36) - 1 == as_bits([*range(1, 35), "Fool", "Fog"])
