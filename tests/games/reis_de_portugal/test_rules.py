"""The clauses of the rulebook and the rulings, where no example of theirs shows them already."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.errors import IllegalActionError, OptionError
from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal import rules
from lusogames_env.games.reis_de_portugal.game import GAME
from tests.games.reis_de_portugal.table import (
    AFONSINA,
    ALL,
    AVIS,
    BONUS_CODES,
    BRAGANCA,
    FILIPINA,
    FOG,
    FOOL,
    act,
    as_bits,
    captured,
    card_id,
    cards_in,
    castles,
    choices,
    edited_components,
    finish,
    gains,
    hand,
    hands,
    phase,
    position,
    wall_of,
)
from tests.tools import random_game

PRINTED = {
    0: [0, 5, 2, 4, 6, 8, 7, 1, 3],
    9: [8, 2, 7, 3, 5, 6, 4, 1],
    17: [1, 8, 5],
    20: [4, 4, 7, 8, 6, 7, 3, 1, 2, 5, 3, 6, 5, 2],
}
BONUSES = {
    "battle": [1, 7, 10, 16, 22, 27, 29],
    "conspiracy": [13, 20, 21, 23, 25, 33, 34],
    "intrigue": [8, 9, 17, 18, 24, 26],
    "siege": [2, 4, 12, 14, 15, 19, 28],
    "cuts": [3, 5, 6, 11, 30, 31, 32],
    "none": [FOOL, FOG],
}


# ---- objectives and components ----


@pytest.mark.rules("O1", "O6", "E1", "E3", "E4", "RP-09", "RP-39", "S12")
@pytest.mark.parametrize("n", [2, 3, 4])
def test_three_rounds_until_all_cards_are_used(n):
    state = GameState.new("reis_de_portugal", seed=n, num_players=n)
    order = list(state.record.house_order)
    assert sorted(order) == [0, 1, 2]
    rounds, starts = [0], [state.record.hand.copy()]
    for before, _ in random_game(state, n):
        if before.record.round_no != rounds[-1]:
            rounds.append(int(before.record.round_no))
            starts.append(before.record.hand.copy())
            assert [len(h) for h in hands(before)] == [5] * n  # all cards are shuffled and dealt again
            assert before.record.pile_len == 36 - 7 * n and len(wall_of(before)) == n
            assert all(captured(before, seat) == set() for seat in range(n))
    assert rounds == [0, 1, 2] and state.over and state.actor == -1
    assert list(state.record.house_order) == order
    assert not any((starts[0] == later).all() for later in starts[1:])
    assert set().union(*(captured(state, seat) for seat in range(n))) == set(ALL)
    assert hands(state) == [set()] * n and wall_of(state) == set() and state.record.pile_len == 0


@pytest.mark.rules("RP-39", "O1")
def test_no_early_end_when_the_game_is_decided():
    state = finish([[], ALL], [0, 1], winner=1, round_no=2, scores=(0, 12))
    assert not state.over and state.record.round_no == 2


@pytest.mark.rules("O2", "O5")
def test_a_flush_is_what_all_have_put_down_once():
    state = position(4, "BR", hands=[[12], [10], [13], [15]])
    for label, laid in (("PLAY 12", 1), ("PLAY 10", 2), ("PLAY 13", 3)):
        act(state, label)
        assert sum(state.record.face >= 0) == laid and state.record.flushes_won.sum() == 0
    assert gains(state, "PLAY 15") == [set(), {12, 10, 13, 15}, set(), set()]
    assert state.record.flushes_won.sum() == 1


@pytest.mark.rules("C1", "C2", "C3", "P1")
def test_36_kings_three_royal_houses_and_nothing_else_in_play():
    assert len(GAME.components["card"]) == 36 and len(GAME.components["royal_house"]) == 3
    labels = GAME.new_box().labels
    assert not [label for label in labels if "help" in label.lower()]
    named = {label.removeprefix("TAKE ") for label in labels if label.startswith("TAKE ")}
    assert len(named) == 36
    state = GameState.new("reis_de_portugal", seed=2)
    r = state.record
    places = [wall_of(state), *hands(state), set(castles(state)), cards_in(sum(1 << int(c) for c in r.pile[:8]))]
    assert sum(len(place) for place in places) == 36 and set().union(*places) == set(ALL)


@pytest.mark.rules("C4", "A2", "X1", "RP-36", "C5")
def test_values_and_bonuses():
    box = GAME.new_box().record[0]
    for first, values in PRINTED.items():
        assert list(box.value[first : first + len(values)]) == values
    assert (box.value[34], box.value[35], box.alt_value) == (-1, 0, 9)
    for name, cards in BONUSES.items():
        assert {c for c in ALL if box.bonus[card_id(c)] == BONUS_CODES[name]} == set(cards)
    special = {row["special"].value for row in GAME.components["card"]}
    assert special == {"none", "two_values", "sebastiao", "fool", "fog"}


@pytest.mark.rules("C6", "RP-06")
def test_rank_is_the_number_and_fog_and_fool_rank_below():
    ranks = GAME.new_box().record[0].tie_rank
    assert list(ranks[:34]) == list(range(1, 35))
    assert ranks[card_id(FOOL)] < ranks[card_id(FOG)] < 1


@pytest.mark.rules("C7")
def test_names_and_years_are_informative_only(tmp_path):
    path = edited_components(
        tmp_path,
        ("number = 14", 'name = "D. Manuel I"', 'name = "O Venturoso"'),
        ("number = 14", 'reign = "1495-1521"', 'reign = "long ago"'),
    )
    plain = GameState.new("reis_de_portugal", seed=4)
    renamed = GameState.new("reis_de_portugal", seed=4, components=path)
    assert "PLAY 14 O Venturoso" in renamed.box.labels
    for before, action in random_game(plain, 4):
        assert (before.mask == renamed.mask).all()
        assert (before.observation() == renamed.observation()).all()
        renamed.apply(action)
    assert list(plain.record.score) == list(renamed.record.score)


@pytest.mark.rules("C8", "I1", "F1", "N1", "RP-10")
def test_dynasties():
    sets = GAME.new_box().record[0].dynasty_cards
    assert [cards_in(bits) for bits in sets] == [set(AFONSINA), set(AVIS), set(FILIPINA), set(BRAGANCA)]


# ---- preparation ----


@pytest.mark.rules("P2", "RP-09", "E4")
def test_royal_house_cards_are_shuffled_and_revealed_one_a_round():
    orders = {tuple(GameState.new("reis_de_portugal", seed=k).record.house_order) for k in range(60)}
    assert len(orders) == 6
    state = GameState.new("reis_de_portugal", seed=1, num_players=2)
    order = list(state.record.house_order)
    for before, _ in random_game(state, 1):
        now = int(before.record.round_no)
        to_come = before.view(0)["houses_to_come"]
        assert {i for i in range(3) if to_come[i]} == set(order[now + 1 :])


@pytest.mark.rules("P3", "Q8", "Q9", "Q10", "Q11", "E4")
@pytest.mark.parametrize(
    ("house", "trump", "vp"),
    [("AF", [1, 0, 0], [0, 1, 1 / 3]), ("AV", [0, 1, 0], [1 / 3, 0, 1]), ("BR", [0, 0, 1], [1, 1 / 3, 0])],
)
def test_royal_house_card_fixes_trump_and_points(house, trump, vp):
    view = position(2, house).view(0)
    assert list(view["trump"]) == trump
    assert list(view["dynasty_vp"]) == pytest.approx(vp)
    # A led trump dynasty aside, any trump beats the led dynasty.
    led, beater = {"AF": (12, 8), "AV": (24, 17), "BR": (6, 28)}[house]
    assert gains(position(2, house, hands=[[led], [beater]]), f"PLAY {led}", f"PLAY {beater}")[1] == {led, beater}


@pytest.mark.rules("P3", "Q8", "Q9", "Q10", "Q2")
@pytest.mark.parametrize(
    ("house", "three", "one"), [("AF", AVIS, BRAGANCA), ("AV", BRAGANCA, AFONSINA), ("BR", AFONSINA, AVIS)]
)
def test_majorities_by_house(house, three, one):
    rest = [card for card in ALL if card not in (*three, *one, 16)]
    mine = [card for card in three if card != 16]
    other = [*(card for card in one if card != 16), 16]
    assert list(finish([mine, other, rest], [1, 1, 1], winner=1, house=house).record.points[0, :3]) == [3, 3, 0]


@pytest.mark.rules("S2", "E5", "RP-07", "RP-08")
@pytest.mark.parametrize("variant", ["2p", "3p", "4p", "teams"])
def test_who_leads_each_round(variant):
    options = GAME.variants[variant]
    n = options["num_players"]
    rank, value = GAME.new_box().record[0].tie_rank, GAME.new_box().record[0].value
    for seed in range(4):
        state = GameState.new("reis_de_portugal", seed=seed, **options)
        last = -1
        for before, _ in random_game(state, seed):
            r = before.record
            if r.round_no != last:
                last = int(r.round_no)
                keys = [(r.score[s], value[r.castle[s]], -int(rank[r.castle[s]])) for s in range(n)]
                assert r.leader == before.actor == keys.index(min(keys))


@pytest.mark.rules("E5", "RP-08", "M2")
def test_the_team_with_the_lower_total_leads():
    state = GameState.new("reis_de_portugal", seed=0, teams=True)
    state.record.castle[:] = [card_id(card) for card in (24, 29, 2, 34)]
    for scores, leader in (((5, 3, 5, 3), 3), ((3, 5, 3, 5), 2), ((4, 4, 4, 4), 3)):
        state.record.score[:] = scores
        assert rules.first_leader(state.record, state.box.record[0]) == leader


# ---- a Flush by the normal rules ----


@pytest.mark.rules("G4", "G6", "RP-06", "RP-41", "C6")
def test_ties_go_to_the_highest_rank():
    state = position(3, "AF", hands=[[22], [21], [20]])  # 4, 4 and a Filipina card
    assert gains(state, "PLAY 22", "PLAY 21", "PLAY 20")[0] == {22, 21, 20}
    state = position(3, "AF", hands=[[21], [22], [20]])
    assert gains(state, "PLAY 21", "PLAY 22", "PLAY 20")[1] == {22, 21, 20}


@pytest.mark.rules("G6", "RP-06", "L5")
@pytest.mark.parametrize(("first", "second", "winner"), [(1, FOG, 0), (FOG, 1, 1)])
def test_fog_ranks_below_number_1(first, second, winner):
    state = position(2, "BR", castles={0: first, 1: second}, last=True, round_no=3)
    assert gains(state, "CASTLE", "CASTLE")[winner] >= {first, second}


@pytest.mark.rules("G5", "RP-41", "RP-10")
def test_highest_of_several_trumps_and_trump_led():
    state = position(4, "AF", hands=[[12], [3], [FOOL], [8]])
    assert gains(state, "PLAY 12", "PLAY 3", f"PLAY {FOOL}", "PLAY 8")[1] == {12, 3, FOOL, 8}
    state = position(3, "AF", hands=[[FOOL], [10], [24]])
    assert gains(state, f"PLAY {FOOL}", "PLAY 10", "PLAY 24")[0] == {FOOL, 10, 24}


@pytest.mark.rules("G1", "G2", "G3", "G7", "RP-03", "A5")
def test_following_with_the_hand_only():
    for castle, strict in ((11, {"PLAY 13", "CASTLE"}), (30, {"PLAY 13"})):
        for castle_assist, expected in (("free", {"PLAY 13", "CASTLE"}), ("strict", strict)):
            state = position(2, hands=[[12], [13, 22]], castles={1: castle}, castle_assist=castle_assist)
            assert choices(act(state, "PLAY 12")) == expected
    state = position(2, hands=[[12, 22], [13]], castle_assist="strict", castles={0: 30})
    assert choices(state) == {"PLAY 12", "PLAY 22", "CASTLE"}  # the leader is free


@pytest.mark.rules("S3", "S1", "O5")
def test_the_winner_leads_and_play_is_clockwise():
    state = position(3, "BR", hands=[[12, 2], [10, 3], [13, 4]])
    act(state, "PLAY 12", "PLAY 10", "PLAY 13")
    seats = []
    for label in ("PLAY 3", "PLAY 4", "PLAY 2"):
        seats.append(state.actor)
        act(state, label)
    assert seats == [1, 2, 0]


@pytest.mark.rules("S10", "RP-02")
def test_the_last_wall_is_not_taken_once_the_pile_is_empty():
    state = position(2, "BR", hands=[[12, 2], [10, 3]], pile=2)
    act(state, "PLAY 12", "PLAY 10")
    assert phase(state) == "DRAW"
    act(state, first_choice(state))
    act(state, first_choice(state))
    assert state.record.pile_len == 0 and len(wall_of(state)) == 2 and phase(state) == "PLAY"
    state = position(2, "BR", hands=[[12, 2], [10, 3]])
    act(state, "PLAY 12", "PLAY 10")
    assert phase(state) == "PLAY" and len(wall_of(state)) == 2


def first_choice(state):
    """Return one legal short label."""
    return sorted(choices(state))[0]


@pytest.mark.rules("RP-37", "S7")
def test_a_wall_card_must_be_taken():
    state = position(2, "BR", hands=[[12, 2], [10, 3]], wall=[18, 19], pile=2)
    act(state, "PLAY 12", "PLAY 10")
    assert choices(state) == {"TAKE 18", "TAKE 19"}
    act(state, "TAKE 18")
    assert choices(state) == {"TAKE 19"}


@pytest.mark.rules("RP-34", "F3", "T1", "RP-25", "RP-26")
def test_two_players_exchange():
    state = position(2, "BR", hands=[[FOOL, 2], [5, 33]])
    act(state, f"PLAY {FOOL}", "PLAY 5")
    assert hands(state) == [{33}, {2}]
    state = position(2, "BR", hands=[[17, 2, 3], [11, 33]], rules="advanced")
    act(state, "PLAY 17", "PASS 2", "PASS 11")
    assert hands(state) == [{3, 11}, {33, 2}]
    assert state.actor == 1


@pytest.mark.rules("RP-35")
def test_captured_cards_are_open():
    state = position(3, "BR", hands=[[12], [10], [13]])
    act(state, "PLAY 12", "PLAY 10", "PLAY 13")
    for observer in range(3):
        row = state.view(observer)["captured"][(1 - observer) % 3]
        assert {12, 10, 13} == cards_in(sum(1 << i for i in range(36) if row[i]))


# ---- the last Flush ----


@pytest.mark.rules("L4", "A6", "RP-05")
@pytest.mark.parametrize("leading", [14, 10, 13, 11])
def test_no_bonus_in_the_last_flush(leading):
    state = position(2, "BR", castles={0: leading, 1: 6}, last=True, rules="advanced", round_no=3)
    act(state, "CASTLE")
    assert (phase(state), state.actor, state.record.bonus) == ("PLAY", 1, -1)
    winner = 0 if leading == 10 else 1
    assert gains(state, "CASTLE")[winner] >= {leading, 6}


@pytest.mark.rules("L2", "L5", "RP-05", "S3")
def test_last_flush_is_led_by_the_last_winner_and_the_highest_of_all_dynasties_wins():
    state = position(2, "BR", hands=[[12], [10]], castles={0: 13, 1: 24}, castle_assist="strict", round_no=3)
    act(state, "PLAY 12", "PLAY 10")
    assert state.record.last_flush == 1 and state.actor == 1
    assert choices(state) == {"CASTLE"}
    act(state, "CASTLE")
    assert choices(state) == {"CASTLE"}
    assert gains(state, "CASTLE")[1] >= {13, 24}


@pytest.mark.rules("RP-05", "N3", "N4", "RP-12")
def test_fog_captures_in_the_last_flush_but_not_from_the_wall():
    state = position(2, "BR", castles={0: 16, 1: FOG}, last=True, round_no=3, flushes=[1, 1, 0, 0])
    assert gains(state, "CASTLE", "CASTLE")[1] >= {16, FOG}  # the winner, no. 16, keeps only the Wall
    assert list(state.record.flushes_won[:2]) == [2, 1]
    state = position(2, "BR", castles={0: 10, 1: FOG}, wall=[16, 2], last=True, round_no=3)
    assert gains(state, "CASTLE", "CASTLE")[0] == {10, FOG, 16, 2}


# ---- special cards ----


@pytest.mark.rules("F4", "RP-16", "L1")
def test_fool_without_hand_cards_moves_the_castles():
    state = position(3, "BR", hands=[[12], [FOOL], [13]], castles={0: 2, 1: 3, 2: 4})
    act(state, "PLAY 12", f"PLAY {FOOL}", "PLAY 13")
    assert castles(state) == [4, 2, 3]
    assert state.record.last_flush == 1


@pytest.mark.rules("F3", "F5", "RP-16", "S5")
def test_fool_from_the_castle_and_fool_that_does_nothing():
    state = position(3, "BR", hands=[[12, 2], [11, 5], [13, 6]], castles={1: FOOL})
    act(state, "PLAY 12", "CASTLE", "NEW CASTLE 5", "PLAY 13")
    assert hands(state) == [{6}, {2}, {11}]
    assert castles(state)[1] == 5  # Castles stay while there are hands
    state = position(3, "BR", hands=[[12, 2], [11, 5], [13, FOOL]], castles={1: 9}, wall=[7, 8, 4], pile=3)
    act(state, "PLAY 12", "PLAY 11", "PLAY 13")
    assert hands(state) == [{2}, {5}, {FOOL}]
    state = position(2, "BR", hands=[[12, 2], [11, 5]], wall=[FOOL, 8], pile=2)
    act(state, "PLAY 12", "PLAY 11", f"TAKE {FOOL}", "TAKE 8")
    assert hands(state) == [{2, 8}, {5, FOOL}]


@pytest.mark.rules("F2", "F3", "RP-16", "RP-23", "B9")
def test_fool_as_second_card_before_the_pile_cards():
    state = position(3, "BR", hands=[[10, 2, 33], [15, FOOL, 30], [12, 26, 3]], pile=[9, 8, 7], rules="advanced")
    act(state, "PLAY 10", "PLAY 15", "PLAY 12", "SECOND 33", f"SECOND {FOOL}", "SECOND 26")
    # Sums 13, 5, 14: seat 2 wins; the hands {2}, {30}, {3} move left, then seats 0, 1, 2 take #9, #8, #7.
    assert state.record.leader == 2
    assert hands(state) == [{3, 9}, {2, 8}, {30, 7}]


@pytest.mark.rules("F1", "RP-16", "L1")
def test_fool_in_the_last_flush_does_nothing():
    state = position(2, "BR", castles={0: FOOL, 1: 2}, last=True, round_no=3)
    assert gains(state, "CASTLE", "CASTLE")[1] >= {FOOL, 2}
    assert state.over


@pytest.mark.rules("N2", "N3", "N4", "RP-17", "B4")
@pytest.mark.parametrize("same_seat", [False, True])
def test_fog_captures_second_cards(same_seat):
    mine = [10, 16] if not same_seat else [16, FOG]
    theirs = [15, FOG] if not same_seat else [12, 22]
    state = position(2, "BR", hands=[mine, theirs], rules="advanced")
    act(state, f"PLAY {mine[0]}", f"PLAY {theirs[0]}", f"SECOND {mine[1]}")
    got = gains(state, f"SECOND {theirs[1]}")
    assert got == ([{10, 15}, {16, FOG}] if not same_seat else [{16, FOG}, {12, 22}])


@pytest.mark.rules("N4", "RP-12", "RP-17", "S3", "Q4")
def test_a_winner_left_without_cards_has_won():
    state = position(2, "BR", hands=[[16, 2], [FOG, 3]])
    assert gains(state, "PLAY 16", f"PLAY {FOG}") == [set(), {16, FOG}]
    assert list(state.record.flushes_won[:2]) == [1, 0] and state.actor == 0


@pytest.mark.rules("RP-12", "Q4")
def test_cards_without_a_flush_still_score_for_no_flush():
    rest = [card for card in ALL if card not in (16, FOG)]
    state = finish([[16, FOG], rest, []], [0, 1, 0], winner=1)
    assert list(state.record.points[0, :3]) == [2 + 2, 3 + 1, 2]


@pytest.mark.rules("H1", "RP-18", "L5")
def test_value_of_number_1_from_the_castle():
    for label, winner in (("CASTLE", 1), ("CASTLE as 9", 0)):
        state = position(2, "AV", hands=[[2], [6]], castles={0: 1})
        assert choices(state) == {"PLAY 2", "CASTLE", "CASTLE as 9"}
        act(state, label, "NEW CASTLE 2")
        assert gains(state, "PLAY 6")[winner] == {1, 6}


@pytest.mark.rules("H1", "RP-18", "B2", "RP-38")
def test_value_of_number_1_face_down_is_hidden():
    totals = {}
    for label in ("SECOND 1", "SECOND 1 as 9"):
        state = position(2, "BR", hands=[[10, 1], [12, 2]], rules="advanced")
        act(state, "PLAY 10", "PLAY 12")
        assert choices(state) == {"SECOND 1", "SECOND 1 as 9"}
        act(state, label)
        totals[label] = state.observation(1).tobytes()
        assert state.view(0)["own_second_value"].item() == (0 if label == "SECOND 1" else 1)
        winner = 0 if label == "SECOND 1 as 9" else 1  # 8 or 17 against 7 + 5
        assert gains(state, "SECOND 2")[winner] == {10, 1, 12, 2}
    assert totals["SECOND 1"] == totals["SECOND 1 as 9"]


@pytest.mark.rules("I2", "RP-14", "V1")
def test_filipina_leads_with_conspiracy():
    state = position(3, "BR", hands=[[20], [24], [FOOL]], rules="advanced")
    got = gains(state, "PLAY 20", "PLAY 24", f"PLAY {FOOL}")
    assert got[2] == {20, 24, FOOL}  # lowest of all, no trump


@pytest.mark.rules("I2", "RP-14", "Z2")
def test_filipina_leads_with_siege():
    state = position(2, "BR", hands=[[19], [24]], wall=[2, 6], rules="advanced")
    got = gains(state, "PLAY 19", "BEFORE WALL 6", "PLAY 24", "BEFORE WALL 2")
    assert got[0] == {19, 24}  # 8 + 8 against 8 + 5


@pytest.mark.rules("I2", "RP-14", "T1")
def test_filipina_leads_with_intrigue():
    state = position(3, "BR", hands=[[18, 20], [24, 11], [6, 5]], rules="advanced")
    act(state, "PLAY 18", "PASS 20", "PASS 24", "PASS 6")
    assert choices(state) == {"PLAY 11", "PLAY 20", "CASTLE"}
    assert gains(state, "PLAY 11", "PLAY 24")[2] == {18, 11, 24}


@pytest.mark.rules("I2", "RP-14", "B7", "K2", "A2")
@pytest.mark.parametrize(("bonus", "winner"), [("battle", 2), ("cuts", 1)])
def test_filipina_leads_with_a_bonus_of_another_edition(tmp_path, bonus, winner):
    path = edited_components(
        tmp_path, ("number = 20", 'bonus = "conspiracy"  # plot of the Restoration, 1640', f'bonus = "{bonus}"')
    )
    state = position(3, "BR", hands=[[20, 2], [26, 3], [15, 6]], rules="advanced", components=path, cuts_by_rank=True)
    act(state, "PLAY 20", "PLAY 26")
    if bonus == "battle":  # 5 + 5, 7 + 2, 6 + 8: the highest sum of all players
        act(state, "PLAY 15", "SECOND 2", "SECOND 3")
        assert gains(state, "SECOND 6")[winner] == {20, 2, 26, 3, 15, 6}
    else:  # the highest value of all, also with cuts_by_rank
        assert gains(state, "PLAY 15")[winner] == {20, 26, 15}


@pytest.mark.rules("K2", "RP-14", "I2", "RP-30")
def test_filipina_leads_with_cuts_by_rank_is_still_won_by_value(tmp_path):
    path = edited_components(
        tmp_path, ("number = 20", 'bonus = "conspiracy"  # plot of the Restoration, 1640', 'bonus = "cuts"')
    )
    state = position(2, "BR", hands=[[20], [34]], rules="advanced", components=path, cuts_by_rank=True)
    assert gains(state, "PLAY 20", "PLAY 34")[0] == {20, 34}


# ---- bonuses ----


@pytest.mark.rules("A3", "A1", "RP-19", "A2", "S5")
@pytest.mark.parametrize(
    ("leading", "bonus"), [(7, "battle"), (13, "conspiracy"), (17, "intrigue"), (2, "siege"), (3, "cuts")]
)
def test_the_leader_activates_his_bonus_from_hand_and_castle(leading, bonus):
    state = position(2, "AF", hands=[[leading, 33, 30], [12, 22, 31]], rules="advanced")
    assert act(state, f"PLAY {leading}").record.bonus == BONUS_CODES[bonus]
    state = position(2, "AF", hands=[[33, 30], [12, 22]], castles={0: leading}, rules="advanced")
    assert act(state, "CASTLE").record.bonus == BONUS_CODES[bonus]
    state = position(2, "AF", hands=[[33, 30], [12, 22]], castles={0: leading}, rules="basic")
    assert act(state, "CASTLE").record.bonus == -1


@pytest.mark.rules("RP-20", "B3")
def test_battle_with_a_castle_needs_two_hand_cards():
    for mine, theirs, active in (([30, 5], [2, 3], True), ([30], [2, 3], False), ([30, 5], [2], False)):
        state = position(2, "AF", hands=[mine, theirs], castles={0: 10}, rules="advanced")
        act(state, "CASTLE")
        assert (state.record.bonus == BONUS_CODES["battle"]) == active
        if active:
            act(state, "NEW CASTLE 30", "CASTLE", "NEW CASTLE 2")
            assert choices(state) == {"SECOND 5"}


@pytest.mark.rules("B6", "B7", "RP-21")
def test_battle_ignores_trump_and_needs_a_face_up_card_of_the_led_dynasty():
    state = position(3, "BR", hands=[[16, 11], [24, 23], [13, 30]], castles={2: 22}, rules="advanced")
    act(state, "PLAY 16", "PLAY 24", "CASTLE", "NEW CASTLE 30", "SECOND 11", "SECOND 23")
    # 4 + 2 of the leader against trumps 8 + 7 and 4 + 3, the latter with a second card of the led dynasty.
    assert gains(state, "SECOND 13")[0] == {16, 11, 24, 23, 22, 13}


@pytest.mark.rules("B8", "RP-22")
def test_battle_ties_count_both_cards():
    state = position(2, "BR", hands=[[10, 2], [15, 23]], rules="advanced")
    assert gains(state, "PLAY 10", "PLAY 15", "SECOND 2", "SECOND 23")[1] == {10, 2, 15, 23}  # 13 and 13


@pytest.mark.rules("B9", "B10", "RP-23")
def test_battle_with_a_pile_just_large_enough_gives_one_card():
    state = position(2, "BR", hands=[[10, 2], [15, 3]], pile=[7, 9], rules="advanced")
    wall = wall_of(state)
    act(state, "PLAY 10", "PLAY 15", "SECOND 2", "SECOND 3")
    assert hands(state) == [{9}, {7}]  # seat 1, left of the winner, takes the first one
    assert phase(state) == "PLAY" and wall_of(state) == wall
    state = position(2, "BR", hands=[[10, 2, 5], [15, 3, 6]], rules="advanced")
    act(state, "PLAY 10", "PLAY 15", "SECOND 2", "SECOND 3")
    assert hands(state) == [{5}, {6}] and phase(state) == "PLAY"


@pytest.mark.rules("Z2", "Z5", "RP-06", "RP-27")
def test_siege_ties_go_to_the_card_played():
    state = position(2, "BR", hands=[[14], [11]], wall=[2, 6], rules="advanced")
    act(state, "PLAY 14", "BEFORE WALL 2", "PLAY 11")  # 5 + 5
    assert gains(state, "BEFORE WALL 6")[0] == {14, 11}  # against 2 + 8: no. 14 outranks no. 11
    state = position(2, "BR", hands=[[14], [16]], wall=[34, 9], rules="advanced")
    act(state, "PLAY 14", "BEFORE WALL 34", "PLAY 16")  # 5 + 2 against 4 + 3
    assert gains(state, "BEFORE WALL 9")[1] == {14, 16}


@pytest.mark.rules("Z1", "S5", "RP-27")
def test_siege_comes_after_the_new_castle():
    state = position(2, "BR", hands=[[33, 30], [11, 2]], castles={0: 14}, wall=[3, 4], rules="advanced")
    act(state, "CASTLE")
    assert phase(state) == "REPLACE"
    act(state, "NEW CASTLE 33")
    assert (phase(state), state.actor) == ("SIEGE", 0)
    act(state, "BEFORE WALL 3")
    assert state.actor == 1
    act(state, "PLAY 11")
    assert choices(state) == {"BEFORE WALL 4"}  # one card per Wall card


@pytest.mark.rules("V2", "V3", "RP-24")
def test_conspiracy_with_one_trump():
    state = position(3, "BR", hands=[[13], [24], [17]], rules="advanced")
    assert gains(state, "PLAY 13", "PLAY 24", "PLAY 17")[1] == {13, 24, 17}


@pytest.mark.rules("K1", "RP-30", "A5")
def test_cuts_follows_as_usual_and_ties_go_by_rank():
    state = position(3, "AV", hands=[[30], [33, 12], [10]], rules="advanced")
    act(state, "PLAY 30")
    assert choices(state) == {"PLAY 33", "CASTLE"}
    assert gains(state, "PLAY 33", "PLAY 10")[1] == {30, 33, 10}  # 5 and 5; the trump 8 has no effect


@pytest.mark.rules("T2", "RP-25", "T1")
def test_the_leader_passes_before_he_receives():
    state = position(2, "AF", hands=[[17, 2], [22, 31]], rules="advanced")
    act(state, "PLAY 17")
    assert choices(state) == {"PASS 2"}
    act(state, "PASS 2", "PASS 22")
    assert hands(state) == [{22}, {31, 2}]


@pytest.mark.rules("RP-42")
def test_battles_shorten_the_round():
    for n, flushes in ((2, 17), (3, 11), (4, 8)):
        state = GameState.new("reis_de_portugal", seed=3, num_players=n)
        battles, won, seen = 0, 0, 0
        for before, _ in random_game(state, 3):
            if before.record.round_no > seen:
                assert (won + 1 == flushes) == (battles == 0) and won + 1 <= flushes
                battles, seen = 0, int(before.record.round_no)
            won = int(before.record.flushes_won.sum())
            battles += phase(before) == "SECOND"


# ---- unequal hands (siege_winner_draws=false) ----


def unequal(n, hands, **given):
    return position(n, "BR", hands=hands, rules="advanced", siege_winner_draws=False, **given)


@pytest.mark.rules("RP-29", "Z6")
def test_the_siege_winner_takes_no_card_and_the_wall_keeps_it():
    state = unequal(3, [[14, 2], [11, 3], [13, 4]], wall=[22, 27, 29], pile=3)
    act(state, "PLAY 14", "BEFORE WALL 22", "PLAY 11", "BEFORE WALL 27", "PLAY 13", "BEFORE WALL 29")
    assert state.record.leader == 0 and state.actor == 1
    assert list(state.view(0)["in_flush"]) == [0, 1, 1, 0]
    act(state, "TAKE 22", "TAKE 29")
    assert (phase(state), state.actor) == ("PLAY", 0)
    assert [len(h) for h in hands(state)] == [1, 2, 2]
    assert 27 in wall_of(state) and len(wall_of(state)) == 3 and state.record.pile_len == 1


@pytest.mark.rules("RP-29")
def test_the_wall_is_refilled_as_far_as_the_pile_goes():
    state = unequal(3, [[11, 2], [12, 3], [13, 4]], wall=[22, 27, 29], pile=1)
    act(state, "PLAY 11", "PLAY 12", "PLAY 13", "TAKE 22", "TAKE 27", "TAKE 29")
    assert state.record.pile_len == 0 and len(wall_of(state)) == 1
    act(state, "PLAY 3", "PLAY 4", "PLAY 2")
    assert phase(state) == "PLAY"  # once the pile is empty nothing is taken


@pytest.mark.rules("RP-29", "RP-26")
def test_seats_without_cards_sit_out_and_keep_their_castle():
    state = unequal(3, [[12], [11, 3], [13, 4]], wall=[22, 27, 29], castles={0: 8}, leader=1)
    assert gains(state, "PLAY 11", "PLAY 13", "PLAY 12")[0] == {11, 13, 12}
    assert state.record.leader == 1 and state.actor == 1  # the winner has no card left: the next one leads
    assert list(state.view(1)["in_flush"]) == [1, 1, 0, 0]
    assert gains(state, "PLAY 3", "PLAY 4") == [set(), set(), {3, 4}]
    assert state.record.last_flush == 1 and castles(state)[0] == 8
    assert state.record.order_len == 3


@pytest.mark.rules("RP-29", "RP-26", "T4")
def test_a_lone_participant_plays_and_wins_alone():
    state = unequal(3, [[17, 14], [], []], wall=[22, 27, 29], leader=0)
    assert state.record.order_len == 1
    act(state, "PLAY 17")  # Intrigue with nobody to pass to is off
    assert state.record.bonus == -1 and captured(state, 0) >= {17}
    assert (phase(state), state.actor) == ("PLAY", 0)
    act(state, "PLAY 14", "BEFORE WALL 22")
    assert captured(state, 0) >= {17, 14} and state.record.last_flush == 1
    assert list(state.record.flushes_won[:3]) == [2, 0, 0]


@pytest.mark.rules("RP-29", "RP-26")
def test_intrigue_passes_to_the_next_participant():
    state = unequal(3, [[17, 2], [], [22, 31]])
    act(state, "PLAY 17", "PASS 2", "PASS 22")
    assert hands(state) == [{22}, set(), {31, 2}]
    assert 2 in cards_in(state.record.may_hold[0, 2])


@pytest.mark.rules("RP-29")
def test_seats_that_sat_out_draw_too():
    state = unequal(3, [[14, 2], [], [13, 4]], wall=[22, 27, 29], pile=3)
    act(state, "PLAY 14", "BEFORE WALL 22", "PLAY 13", "BEFORE WALL 29", "TAKE 22", "TAKE 27")
    assert hands(state) == [{2}, {22}, {4, 27}]


@pytest.mark.rules("RP-29", "F3", "F4")
def test_fool_moves_empty_hands_too():
    state = unequal(3, [[FOOL, 2], [], [13]], castles={0: 8, 1: 9, 2: 5})
    act(state, f"PLAY {FOOL}", "PLAY 13")
    assert hands(state) == [set(), {2}, set()] and castles(state) == [8, 9, 5]
    assert state.actor == 1
    state = unequal(3, [[FOOL], [], [13]], castles={0: 8, 1: 9, 2: 5})
    act(state, f"PLAY {FOOL}", "PLAY 13")
    assert castles(state) == [5, 8, 9]


@pytest.mark.rules("RP-29", "B10", "RP-23", "RP-20")
def test_battle_among_participants_and_a_short_pile():
    state = unequal(3, [[10, 2], [], [15, 3]], pile=[7, 9])
    act(state, "PLAY 10", "PLAY 15", "SECOND 2")
    assert state.actor == 2
    act(state, "SECOND 3")
    assert hands(state) == [set(), {7}, {9}]  # seat 0 comes last and finds the pile used up
    assert (phase(state), state.actor) == ("PLAY", 1)


@pytest.mark.rules("RP-29", "RP-27", "Z1")
def test_siege_before_a_short_wall():
    state = unequal(3, [[14, 2], [11, 3], [13, 4]], wall=[29], wall_size=1)
    act(state, "PLAY 14", "BEFORE WALL 29", "PLAY 11")
    assert (phase(state), state.actor) == ("PLAY", 2)
    assert gains(state, "PLAY 13")[0] == {14, 11, 13}
    assert state.record.siege_card.max() == -1


@pytest.mark.rules("RP-29")
def test_the_pile_is_empty_whenever_all_hands_are():
    lone = 0
    for seed in range(6):
        state = GameState.new("reis_de_portugal", seed=seed, num_players=4, siege_winner_draws=False)
        for before, _ in random_game(state, seed):
            assert before.check() == 0
            if phase(before) == "PLAY" and before.record.pos == 0 and not any(hands(before)):
                assert before.record.pile_len == 0 and before.record.last_flush == 1
            lone += phase(before) == "PLAY" and before.record.order_len < 4
        assert state.check() == 0
        assert set().union(*(captured(state, s) for s in range(4))) == set(ALL)
    assert lone > 0  # some Flush was played without a seat that had no cards


@pytest.mark.rules("RP-27")
def test_a_draw_ends_with_the_wall():
    state = position(3, "BR", hands=[[12, 2], [11, 3], [13, 4]], wall=[22], wall_size=1, pile=3)
    act(state, "PLAY 12", "PLAY 11", "PLAY 13", "TAKE 22")
    assert phase(state) == "PLAY" and len(wall_of(state)) == 3 and state.record.pile_len == 0


# ---- scoring and the end ----


@pytest.mark.rules("Q2", "Q3", "RP-11")
def test_majority_without_a_card_is_never_won():
    rest = [card for card in ALL if card not in AVIS]
    state = finish([[*AVIS], rest, []], [1, 1, 0], winner=1)
    assert list(state.record.points[0, :3]) == [3 + 2, 1, 2]


@pytest.mark.rules("Q4", "Q11")
def test_several_may_score_for_no_flush():
    state = finish([ALL, [], [], []], [8, 0, 0, 0], winner=0)
    assert list(state.record.points[0]) == [6, 2, 2, 2]


@pytest.mark.rules("Q7", "RP-40")
def test_sebastiao_counts_twice():
    mine = [10, 11, 12, 13, 16]
    state = finish([mine, [card for card in ALL if card not in mine]], [1, 1], winner=1, house="AF")
    assert list(state.record.points[0, :2]) == [3 + 2, 1]  # 5 of 9 Avis cards
    state = finish([[16], [card for card in ALL if card != 16]], [1, 1], winner=1, house="AV")
    assert list(state.record.points[0, :2]) == [2, 3 + 1]  # also where Avis is trump


@pytest.mark.rules("Q12", "O1", "E2")
def test_only_the_third_round_counts_double():
    mine = [*AVIS]
    for number, total in ((1, 5), (2, 5), (3, 10)):
        state = finish([mine, [c for c in ALL if c not in mine]], [1, 1], winner=1, round_no=number)
        assert state.record.score[0] == total and state.over == (number == 3)


@pytest.mark.rules("M1", "M2", "M3", "RP-33", "RP-10")
def test_teams_are_scored_like_one_player():
    # Avis 3 + 2 : 4, Bragança 7 : 7 with no. 34 at seat 3; nos. 18 and 20 in one team, no. 19 in the other.
    piles = [
        [10, 11, 12, 18, *range(27, 34)],
        [13, 14, 15, 17, 19],
        [16, FOG, 20, *AFONSINA],
        [*range(21, 27), 34],
    ]
    state = finish(piles, [2, 3, 0, 3], winner=0, teams=True)
    assert list(state.record.points[0]) == [3 + 2 - 2, 1 - 1] * 2
    assert list(state.record.score) == [3, 0, 3, 0]


@pytest.mark.rules("M1", "RP-33", "RP-12", "Q4")
@pytest.mark.parametrize(
    ("team_no_flush", "flushes", "points"),
    [
        ("team", [3, 5, 0, 0], [6, 0]),
        ("player", [3, 5, 0, 0], [8, 2]),
        ("team", [8, 0, 0, 0], [6, 2]),
        ("player", [8, 0, 0, 0], [8, 4]),
    ],
)
def test_teams_without_a_flush(team_no_flush, flushes, points):
    state = finish([ALL, [], [], []], flushes, winner=0, teams=True, team_no_flush=team_no_flush)
    assert list(state.record.points[0]) == [*points, *points]
    assert list(state.record.score) == [*points, *points]


@pytest.mark.rules("M1", "RP-33")
def test_teams_need_four_players():
    for n in (2, 3):
        with pytest.raises(OptionError, match="teams = True needs num_players = 4"):
            GameState.new("reis_de_portugal", num_players=n, teams=True)


@pytest.mark.rules("M3", "O4", "Q15", "Q16", "RP-31")
def test_utility_of_teams():
    state = position(4, "AF", round_no=3, scores=(7, 7, 7, 7), teams=True)
    state.record.captured[:] = [as_bits([2]), as_bits([30]), as_bits([33]), as_bits([31])]
    assert list(state.outcome("win")) == [1, -1, 1, -1]
    assert list(state.outcome("placement")) == [1, -1, 1, -1]
    assert list(state.outcome("margin")) == [0, 0, 0, 0]
    state.record.score[:] = (7, 9, 7, 9)
    assert list(state.outcome("win")) == [-1, 1, -1, 1]
    assert list(state.outcome("margin")) == pytest.approx([-2 / 24, 2 / 24] * 2)


@pytest.mark.rules("Q16", "RP-31", "RP-06")
def test_ties_are_shared_only_without_any_card():
    state = position(4, "AF", round_no=3, scores=(5, 5, 5, 2))
    state.record.captured[:] = [0, 0, as_bits([FOOL]), as_bits([34])]
    assert list(state.outcome("win")) == pytest.approx([-1 / 3, -1 / 3, 1, -1 / 3])  # the Fool beats no card
    assert list(state.outcome("placement")) == pytest.approx([0, 0, 1, -1])  # places 1 and 2 shared
    state.record.captured[:] = [0, 0, 0, as_bits([34])]
    assert list(state.outcome("win")) == pytest.approx([1 / 9, 1 / 9, 1 / 9, -1 / 3])
    assert sum(state.outcome("win")) == pytest.approx(0)
    assert list(state.outcome("placement")) == pytest.approx([1 / 3, 1 / 3, 1 / 3, -1])


@pytest.mark.rules("Q15", "O4")
def test_margin_divisor_of_team_no_flush_by_player():
    state = position(4, "AF", scores=(32, 0, 32, 0), teams=True, team_no_flush="player")
    assert list(state.outcome("margin")) == [1, -1, 1, -1]
    assert list(state.view(1)["scores"]) == [0, 1, 0, 1]
    alone = position(4, "AF", scores=(24, 0, 0, 0), team_no_flush="player")  # without teams it means nothing
    assert list(alone.view(0)["scores"]) == [1, 0, 0, 0] and alone.view(0)["rule_flags"][6] == 0


# ---- an independent referee ----


def referee(box, house, last, led, bonus, laid):
    """Return who wins by the table of the rules, worked out the slow way; `laid` is seat -> (cards, values)."""
    value = {seat: sum(values) for seat, (_, values) in laid.items()}
    rank = {seat: int(box.tie_rank[cards[0]]) for seat, (cards, _) in laid.items()}
    dynasty = {seat: int(box.dynasty[cards[0]]) for seat, (cards, _) in laid.items()}
    seats = list(laid)
    follow = [seat for seat in seats if dynasty[seat] == led]
    trumps = [seat for seat in seats if dynasty[seat] == box.trump[house]]
    if bonus == BONUS_CODES["battle"]:
        rank = {seat: max(int(box.tie_rank[card]) for card in cards) for seat, (cards, _) in laid.items()}
    lowest = bonus == BONUS_CODES["conspiracy"]
    if last or led == 2:
        able = seats
    elif bonus in (BONUS_CODES["battle"], BONUS_CODES["cuts"]):
        able = follow
    elif trumps:
        able = trumps
    else:
        able = seats if lowest and box.conspiracy_all else follow
    if bonus == BONUS_CODES["cuts"] and box.cuts_by_rank and led != 2:
        return max(able, key=lambda seat: rank[seat])
    key = {seat: (value[seat], rank[seat]) for seat in able}
    return min(able, key=key.__getitem__) if lowest else max(able, key=key.__getitem__)


def laid_cards(state):
    """Return seat -> (cards, values) of a complete Flush."""
    r = state.record
    laid = {}
    for seat in range(state.box.num_players):
        if r.face[seat] >= 0:
            cards, values = [int(r.face[seat])], [int(r.face_value[seat]), int(r.siege_value[seat])]
            if r.second[seat] >= 0:
                cards.append(int(r.second[seat]))
                values.append(int(r.second_value[seat]))
            laid[seat] = (cards, values)
    return laid


@pytest.mark.rules("O2", "O5", "G4", "G5", "L5", "N3", "B7", "V1", "V2", "K1", "Z2", "RP-05", "RP-14", "RP-15", "RP-41")
@pytest.mark.parametrize("variant", GAME.variants)
def test_every_flush_of_random_games(variant):
    seen = np.zeros(6, int)
    for seed in range(8, 12):
        for before, action in random_game(GameState.new("reis_de_portugal", seed=seed, **GAME.variants[variant]), seed):
            after = before.clone().apply(action)
            if after.record.flushes_won.sum() == before.record.flushes_won.sum() and not after.over:
                continue  # the Flush goes on
            twin = before.clone()
            r, box = twin.record, twin.box.record[0]
            lay(twin, action)
            seen[r.bonus] += 1
            laid = laid_cards(twin)
            winner = referee(box, r.house_order[r.round_no], r.last_flush, r.led, r.bonus, laid)
            if r.last_flush and not after.over:
                continue  # the cards are back in the pack
            gained = [int(new) & ~int(old) for new, old in zip(after.record.captured, r.captured, strict=True)]
            table = {card: seat for seat, (cards, _) in laid.items() for card in cards}
            for card in table:
                fog = card in (15, 35) and {15, 35} <= set(table)
                assert gained[table[35] if fog else winner] >> card & 1
            loot = len(wall_of(before)) if r.last_flush else 0
            assert sum(bits.bit_count() for bits in gained) == len(table) + loot
            assert after.record.flushes_won[winner] == r.flushes_won[winner] + 1
            assert after.over or after.record.leader in (winner, after.actor)
    assert (seen[:5] > 0).all() == (GAME.variants[variant].get("rules") != "basic")


def lay(state, action):
    """Put what the action lays down into the record by hand."""
    r, seat, label = state.record, state.actor, state.action_label(action)
    nine = label.endswith(" as 9")
    components = state.box.components["card"]

    def value(card):
        return 9 if nine else components[int(card)]["value"].value

    if label.startswith("PLAY"):
        card = 0 if nine else action
        r.face[seat], r.face_value[seat] = card, value(card)
    elif label.startswith("CASTLE"):
        r.face[seat], r.face_value[seat] = r.castle[seat], value(r.castle[seat])
    elif label.startswith("SECOND"):
        card = 0 if nine else action - 111
        r.second[seat], r.second_value[seat] = card, value(card)
    elif label.startswith("BEFORE WALL"):
        card = 0 if nine else action - 148
        r.siege_card[seat], r.siege_value[seat] = card, value(card)


def test_illegal_actions_are_refused():
    state = position(2, "BR", hands=[[12], [13, 22]])
    act(state, "PLAY 12")
    with pytest.raises(IllegalActionError, match="PLAY 22"):
        state.apply(21)
    assert hand(state, 1) == {13, 22}
