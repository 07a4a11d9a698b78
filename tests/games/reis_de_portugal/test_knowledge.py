"""What a seat may know: observation, the sets of possible cards, redeal, and silence."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal import rules
from lusogames_env.games.reis_de_portugal.game import GAME, OBSERVATION
from tests.games.reis_de_portugal.table import (
    AFONSINA,
    AVIS,
    FOG,
    FOOL,
    PILE,
    act,
    as_bits,
    card_id,
    cards_in,
    choices,
    hand,
    hands,
    may_hold,
    phase,
    position,
    wall_of,
)
from tests.tools import random_game

FIELDS = """phase 6; n_players 3; rule_flags 7; round 3; trump 3; dynasty_vp 3; houses_to_come 3; hand 36; castles 4x36;
wall 36; pile_count 1; hand_counts 4; leader 4; in_flush 4; led_dynasty 4; bonus 5; last_flush 1; face 4x36;
face_value 4; siege_card 4x36; siege_value 4; second_down 4; own_second 36; own_second_value 1; pass_set 4;
own_pass 36; captured 4x36; flushes_won 4; scores 4; played_by 4x36; may_hold 4x36; actor 4"""


def test_the_fields_of_the_observation():
    expected = []
    for item in FIELDS.replace("\n", " ").split(";"):
        name, size = item.split()
        expected.append((name, tuple(int(k) for k in size.split("x"))))
    assert [(field.name, field.dims) for field in OBSERVATION.fields] == expected
    assert OBSERVATION.size == 1088


BLOCKS = [
    (0, "PLAY 1 D. Afonso Henriques"),
    (33, "PLAY 34 D. Manuel II"),
    (34, "PLAY Fool"),
    (35, "PLAY Fog"),
    (36, "PLAY 1 D. Afonso Henriques as 9"),
    (37, "CASTLE"),
    (38, "CASTLE as 9"),
    (39, "NEW CASTLE 1 D. Afonso Henriques"),
    (74, "NEW CASTLE Fog"),
    (75, "PASS 1 D. Afonso Henriques"),
    (111, "SECOND 1 D. Afonso Henriques"),
    (147, "SECOND 1 D. Afonso Henriques as 9"),
    (148, "BEFORE WALL 1 D. Afonso Henriques"),
    (184, "BEFORE WALL 1 D. Afonso Henriques as 9"),
    (185, "TAKE 1 D. Afonso Henriques"),
    (220, "TAKE Fog"),
]


def test_the_table_of_actions():
    labels = GAME.new_box().labels
    assert len(labels) == len(set(labels)) == 221
    assert [(i, labels[i]) for i, _ in BLOCKS] == BLOCKS


@pytest.mark.parametrize("variant", GAME.variants)
def test_the_observation_says_what_the_record_holds(variant):
    options = GAME.variants[variant]
    n = options["num_players"]
    state = GameState.new("reis_de_portugal", seed=2, **options)
    for k, (before, _) in enumerate(random_game(state, 2)):
        if k % 4 == 0:
            check_view(before, k // 4 % n)
    for seat in range(n):
        check_view(state, seat)


def check_view(state, seat):
    """Compare every field with the record, the slow way."""
    r, view, n = state.record, state.view(seat), state.box.num_players
    house = int(r.house_order[r.round_no])
    seats = [(seat + row) % n if row < n else None for row in range(4)]

    def one_hot(i, size):
        return [float(k == i) for k in range(size)]

    def cards(bits):
        return [float(int(bits) >> i & 1) for i in range(36)]

    def rows(make, empty):
        return [make(s) if s is not None else empty for s in seats]

    def single(array):
        return rows(lambda s: one_hot(int(array[s]), 36), [0.0] * 36)

    def close(name, expected):
        assert np.allclose(view[name], np.array(expected, np.float32).reshape(view[name].shape)), name

    playing = not state.over
    close("phase", one_hot(r.phase, 6))
    close("n_players", one_hot(n - 2, 3))
    close("round", one_hot(r.round_no, 3))
    close("trump", one_hot(house, 3))
    close("dynasty_vp", [[0, 1, 1 / 3], [1 / 3, 0, 1], [1, 1 / 3, 0]][house])
    close("houses_to_come", [float(h in r.house_order[r.round_no + 1 :]) for h in range(3)])
    close("hand", cards(r.hand[seat]))
    close("castles", single(r.castle))
    close("wall", cards(r.wall))
    close("pile_count", r.pile_len / 22)
    close("hand_counts", rows(lambda s: int(r.hand[s]).bit_count() / 5, 0))
    close("leader", rows(lambda s: s == r.leader, 0))
    first = r.pos if phase(state) == "DRAW" else 0
    close("in_flush", rows(lambda s: s in r.order[first : r.order_len], 0))
    close("led_dynasty", one_hot(r.led, 4))
    close("bonus", one_hot(r.bonus, 5))
    close("last_flush", r.last_flush)
    close("face", single(r.face))
    close("face_value", rows(lambda s: r.face_value[s] / 9, 0))
    close("siege_card", single(r.siege_card))
    close("siege_value", rows(lambda s: r.siege_value[s] / 9, 0))
    close("second_down", rows(lambda s: r.second[s] >= 0, 0))
    close("own_second", one_hot(r.second[seat], 36))
    close("own_second_value", r.second_value[seat] / 9)
    close("pass_set", rows(lambda s: r.pass_card[s] >= 0, 0))
    close("own_pass", one_hot(r.pass_card[seat], 36))
    close("captured", rows(lambda s: cards(r.captured[s]), [0.0] * 36))
    close("flushes_won", rows(lambda s: r.flushes_won[s] / 20, 0))
    cap = 32 if state.box.record[0].no_flush_by_player else 24
    close("scores", rows(lambda s: r.score[s] / cap, 0))
    close("played_by", rows(lambda s: cards(r.played_by[s]), [0.0] * 36))
    place = [PILE, *seats[1:]]
    close("may_hold", [cards(r.may_hold[seat, p]) if p is not None else [0.0] * 36 for p in place])
    close("actor", rows(lambda s: playing and s == r.actor, 0))
    if phase(state) == "DRAW":
        cleared = ("led_dynasty", "bonus", "face", "face_value", "siege_card", "siege_value", "second_down")
        assert not any(view[name].any() for name in (*cleared, "own_second", "own_second_value"))


@pytest.mark.rules("RP-09")
def test_the_order_of_the_coming_royal_houses_is_hidden():
    state = GameState.new("reis_de_portugal", seed=2)
    other = state.clone()
    other.record.house_order[[1, 2]] = state.record.house_order[[2, 1]]
    assert all((state.observation(s) == other.observation(s)).all() for s in range(4))
    orders = {tuple(state.redealt(0, seed).record.house_order) for seed in range(20)}
    assert len(orders) == 2 and {order[0] for order in orders} == {state.record.house_order[0]}


@pytest.mark.parametrize("variant", GAME.variants)
def test_exchanging_two_hidden_cards_shows_nowhere(variant):
    rng = np.random.default_rng(5)
    state = GameState.new("reis_de_portugal", seed=5, **GAME.variants[variant])
    n, tried = state.box.num_players, 0
    for before, _ in random_game(state, 5):
        if rng.random() < 0.8:
            continue
        for seat in range(n):
            hidden = [(s, i) for s in range(n) if s != seat for i in range(36) if before.record.hand[s] >> i & 1]
            hidden += [(PILE, int(c)) for c in before.record.pile[: before.record.pile_len]]
            if len(hidden) < 2:
                continue
            (p, a), (q, b) = (hidden[k] for k in rng.choice(len(hidden), 2, replace=False))
            other = before.clone()
            r = other.record
            for place, old, new in ((p, a, b), (q, b, a)):
                if place == PILE:
                    at = list(before.record.pile).index(old)
                    r.pile[at] = new
            for place, old in ((p, a), (q, b)):
                if place != PILE:
                    r.hand[place] &= ~(1 << old)
            for place, new in ((p, b), (q, a)):
                if place != PILE:
                    r.hand[place] |= 1 << new
            other.refresh()
            assert before.observation(seat).tobytes() == other.observation(seat).tobytes()
            if seat == before.actor:
                assert before.mask.tobytes() == other.mask.tobytes()
                assert before.bot_action() == other.bot_action()
            tried += 1
    assert tried > 20


# ---- the sets of possible cards ----


@pytest.mark.rules("RP-35", "S5", "S9")
def test_public_cards_leave_all_sets():
    state = position(3, "BR", hands=[[12, 2, 33], [11, 3], [13, 4]], pile=[5, 6, 7])
    act(state, "CASTLE")
    act(state, "NEW CASTLE 33")
    assert not any(may_hold(state, o, p) & {33} for o in range(3) for p in range(5))
    assert 12 in may_hold(state, 1, 0)
    act(state, "PLAY 11", "PLAY 13", *(["TAKE 32"] if "TAKE 32" in choices(state) else []))
    while phase(state) == "DRAW":
        act(state, sorted(choices(state))[0])
    assert not any(may_hold(state, o, p) & {5, 6, 7} for o in range(3) for p in range(5))
    assert all(may_hold(state, o, PILE) == set() for o in range(3))


@pytest.mark.rules("S7")
def test_a_card_taken_from_the_wall_is_known():
    state = position(3, "BR", hands=[[12, 2], [11, 3], [13, 4]], wall=[25, 26, 27], pile=3)
    act(state, "PLAY 12", "PLAY 11", "PLAY 13", "TAKE 26")
    for observer in (0, 2):
        assert [p for p in range(5) if 26 in may_hold(state, observer, p)] == [1]
    assert not any(26 in may_hold(state, 1, p) for p in range(5))
    assert state.view(2)["may_hold"][2, card_id(26)] == 1  # seat 1 sits two places clockwise from seat 2


@pytest.mark.rules("RP-23", "RP-38")
def test_pile_cards_after_a_battle_are_known_to_their_taker_only():
    state = position(3, "BR", hands=[[10, 2], [15, 3], [11, 4]], pile=[5, 6, 7, 8, 9, 14], rules="advanced")
    act(state, "PLAY 10", "PLAY 15", "PLAY 11", "SECOND 2", "SECOND 3", "SECOND 4")
    assert hands(state) == [{7}, {5}, {6}]
    assert may_hold(state, 0, 1) >= {5, 6, 8, 9, 14} and not any(7 in may_hold(state, 0, p) for p in range(5))
    assert may_hold(state, 1, 0) >= {6, 7}


@pytest.mark.rules("F3", "RP-16")
def test_knowledge_moves_with_the_hands():
    state = position(3, "BR", hands=[[12, 2, 30], [FOOL, 22, 31], [3, 33, 11]])
    r = state.record
    r.may_hold[0, 1], r.may_hold[0, 2] = as_bits([FOOL, 22, 31]), as_bits([3, 33, 11])  # seat 0 knows all
    act(state, "PLAY 12", f"PLAY {FOOL}", "PLAY 11")
    assert hands(state) == [{3, 33}, {2, 30}, {22, 31}]
    assert may_hold(state, 0, 1) == {2, 30}  # its own old hand, exactly
    assert may_hold(state, 0, 2) == {22, 31}
    assert may_hold(state, 0, 0) == set()
    assert not may_hold(state, 1, 2) & hand(state, 1)
    assert may_hold(state, 2, 0) == {3, 33}


@pytest.mark.rules("G1", "RP-03")
@pytest.mark.parametrize(("castle_assist", "void"), [("free", False), ("strict", True)])
def test_a_castle_of_another_dynasty_shows_a_void_only_under_strict(castle_assist, void):
    state = position(
        3, "BR", hands=[[12], [22, 3], [13, 11]], castles={1: 5}, pile=[10, 14, 15], castle_assist=castle_assist
    )
    act(state, "PLAY 12")
    before = may_hold(state, 2, 1)
    act(state, "CASTLE")
    assert before & {*AVIS} == {10, 14, 15}
    assert before - may_hold(state, 2, 1) == ({10, 14, 15} if void else set())
    assert may_hold(state, 1, 1) == set()


@pytest.mark.rules("I2", "L2")
def test_no_void_is_shown_where_nobody_has_to_follow():
    state = position(3, "BR", hands=[[18], [22, 19], [13, 20]])
    act(state, "PLAY 18")
    before = may_hold(state, 0, 1)
    act(state, "PLAY 22")
    assert may_hold(state, 0, 1) == before - {22}


@pytest.mark.rules("G1", "G2")
def test_a_void_is_shown_by_a_hand_card_that_does_not_follow():
    state = position(3, "BR", hands=[[4], [22, 3], [13, 11]], pile=[5, 6, 7])
    act(state, "PLAY 4", "PLAY 3")
    assert may_hold(state, 0, 1) & {*AFONSINA} == {5, 6, 7}  # he followed: nothing is shown
    state = position(3, "BR", hands=[[4], [22, 12], [13, 11]], pile=[5, 6, 7])
    act(state, "PLAY 4", "PLAY 22")
    assert may_hold(state, 0, 1) & {*AFONSINA} == set() and may_hold(state, 2, 1) & {*AFONSINA} == set()
    assert may_hold(state, 0, PILE) & {*AFONSINA} == {5, 6, 7}


# ---- redeal ----


def spread(state, seat, seeds):
    """Count the hands dealt to the next seat."""
    return Counter(frozenset(cards_in(state.redealt(seat, k).record.hand[(seat + 1) % 3])) for k in seeds)


def test_redeal_is_uniform_over_the_deals_that_agree():
    state = position(3, "BR", hands=[[2], [3, 4], [5, 6]], pile=[7, 8, 9])
    hidden = [3, 4, 5, 6, 7, 8, 9]
    seen = spread(state, 0, range(1050))
    assert set(seen) == {frozenset(pair) for pair in combinations(hidden, 2)}
    expected = 1050 / 21
    assert sum((n - expected) ** 2 / expected for n in seen.values()) < 45.3  # 20 degrees of freedom: 1 in 1000


def test_redeal_finds_the_only_deal():
    state = position(3, "BR", hands=[[2, 10], [3, 4], [5, 6]], pile=[7, 8, 9])
    r = state.record
    # Greedy dealing would often give no. 3 to seat 2 or the pile, and then find no place for no. 5.
    r.may_hold[0, 1] = as_bits([3, 4])
    r.may_hold[0, 2] = as_bits([3, 5, 6])
    r.may_hold[0, PILE] = as_bits([3, 4, 6, 7, 8, 9])
    for seed in range(60):
        deal = state.redealt(0, seed)
        assert deal.check() == 0
        assert hands(deal)[1] == {3, 4} and hands(deal)[2] == {5, 6}
    r.may_hold[0, 1] = as_bits([3, 4, 5])
    seen = Counter(tuple(map(frozenset, hands(state.redealt(0, seed)))) for seed in range(150))
    pairs = (({3, 4}, {5, 6}), ({4, 5}, {3, 6}), ({3, 5}, {4, 6}))
    assert set(seen) == {(frozenset({2, 10}), frozenset(a), frozenset(b)) for a, b in pairs[:2]}


def test_redeal_depends_only_on_what_the_seat_knows():
    for seed in range(5):
        state = GameState.new("reis_de_portugal", seed=seed, num_players=3)
        for k, (before, _) in enumerate(random_game(state, seed)):
            if k % 23 == 7:
                for seat in range(3):
                    other = before.redealt(seat, 99)
                    a, b = before.redealt(seat, 4), other.redealt(seat, 4)
                    assert (a.record.hand == b.record.hand).all()
                    assert (a.record.pile == b.record.pile).all() and (a.record.second == b.record.second).all()


@pytest.mark.rules("RP-18", "RP-38")
def test_redeal_of_second_cards_and_cards_set_aside():
    state = position(3, "BR", hands=[[10, 2, 22], [15, 1, 5], [11, 4, 6]], rules="advanced")
    act(state, "PLAY 10", "PLAY 15", "PLAY 11", "SECOND 2", "SECOND 1 as 9")
    seen = set()
    for seed in range(80):
        r = state.redealt(0, seed).record
        assert r.second[0] == card_id(2) and r.second[2] == -1
        assert int(r.hand[1]).bit_count() == 1 and int(r.hand[2]).bit_count() == 2
        seen.add((int(r.second[1]), int(r.second_value[1])))
    assert {(0, 0), (0, 9), (card_id(5), 6), (card_id(4), 4), (card_id(6), 8)} == seen
    assert state.redealt(1, 3).record.second[1] == 0  # its own second card stays
    assert state.redealt(1, 3).record.second_value[1] == 9
    state = position(3, "BR", hands=[[17, 2, 22], [15, 1, 5], [11, 4, 6]], rules="advanced")
    act(state, "PLAY 17", "PASS 2", "PASS 15")
    aside = set()
    for seed in range(60):
        r = state.redealt(2, seed).record
        assert int(r.hand[0]) >> int(r.pass_card[0]) & 1 and int(r.hand[1]) >> int(r.pass_card[1]) & 1
        aside.add(int(r.pass_card[0]))
    assert len(aside) == 5
    assert state.redealt(0, 5).record.pass_card[0] == card_id(2)


def test_redeal_survives_knowledge_that_cannot_be():
    state = position(3, "BR", hands=[[2], [3, 4], [5, 6]], pile=[7, 8, 9])
    state.record.may_hold[0, :] = 0
    deal = state.redealt(0, 1)
    assert [len(h) for h in hands(deal)] == [1, 2, 2] and deal.record.pile_len == 3
    assert set().union(*hands(deal)) | {int(c) + 1 for c in deal.record.pile[:3]} == {2, 3, 4, 5, 6, 7, 8, 9}


# ---- silence ----


def silent(state):
    return bool(rules.skippable(state.record, state.box.record[0]))


@pytest.mark.rules("RP-38", "RP-18")
def test_a_forced_decision_is_skipped_only_where_everybody_sees_that_it_is_forced():
    state = position(2, "BR", hands=[[10, 2], [12, 3]], rules="advanced")
    act(state, "PLAY 10", "PLAY 12")
    assert choices(state) == {"SECOND 2"} and not silent(state)  # no. 1 would have had two choices
    state = position(2, "BR", hands=[[12], [15, 22]], castles={1: 24}, castle_assist="strict")
    act(state, "PLAY 12")
    assert choices(state) == {"PLAY 15"} and not silent(state)
    state = position(2, "BR", hands=[[12], [15]])
    act(state, "CASTLE")
    assert choices(state) == {"NEW CASTLE 12"} and silent(state)
    assert silent(position(2, "BR", last=True))


def test_skip_forced_plays_the_last_flush_and_the_last_wall_card():
    state = GameState.new("reis_de_portugal", seed=1, num_players=3, skip_forced=True)
    single = Counter()
    for before, _ in random_game(state, 1):
        if len(before.legal_actions()) == 1:
            single[phase(before)] += 1
    assert set(single) <= {"SECOND"}
    assert state.over


def test_wall_and_fog_in_the_observation():
    state = position(2, "BR", hands=[[12], [FOG]], wall=[16, 2])
    assert cards_in(sum(1 << i for i in range(36) if state.view(1)["wall"][i])) == wall_of(state) == {16, 2}
