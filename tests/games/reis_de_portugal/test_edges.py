"""Edge cases EC-01 … EC-26."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.reis_de_portugal import rules
from tests.games.reis_de_portugal.table import (
    AFONSINA,
    ALL,
    AVIS,
    BONUS_CODES,
    BRAGANCA,
    FILIPINA,
    FOG,
    FOOL,
    PILE,
    act,
    as_bits,
    captured,
    card_id,
    castles,
    choices,
    finish,
    gains,
    hand,
    hands,
    may_hold,
    phase,
    position,
    wall_of,
)


@pytest.mark.rules("EC-01", "G2", "G3", "RP-03")
@pytest.mark.parametrize("castle_assist", ["free", "strict"])
def test_only_the_castle_has_the_led_dynasty(castle_assist):
    state = position(3, "BR", hands=[[12], [5, 22], None], castles={1: 10}, castle_assist=castle_assist)
    act(state, "PLAY 12")
    assert choices(state) == {"PLAY 5", "PLAY 22", "CASTLE"}


@pytest.mark.rules("EC-02", "RP-04", "RP-05", "L1", "L5", "S12", "F5")
def test_last_hand_card_and_the_castle():
    state = position(2, "AF", hands=[[9], [12]], castles={0: 24, 1: 16}, round_no=3)
    wall = wall_of(state)
    act(state, "CASTLE")
    assert choices(state) == {"NEW CASTLE 9"}
    act(state, "NEW CASTLE 9")
    assert gains(state, "PLAY 12") == [{24, 12}, set()]
    assert state.record.last_flush == 1 and state.actor == 0
    assert castles(state) == [9, 16]
    assert choices(state) == {"CASTLE"}
    act(state, "CASTLE")
    assert choices(state) == {"CASTLE"}
    assert gains(state, "CASTLE") == [set(), {9, 16} | wall]


@pytest.mark.rules("EC-03", "S9", "S10", "S11", "RP-02", "RP-42")
def test_draw_count_with_four_players():
    state = GameState.new("reis_de_portugal", seed=11, num_players=4, rules="basic")
    sizes, piles = [], []
    while state.record.round_no == 0:
        if phase(state) == "PLAY" and state.record.pos == 0:
            sizes.append([len(h) for h in hands(state)])
            piles.append((int(state.record.pile_len), len(wall_of(state))))
        # The Fool would let hands of equal size go round, which changes no number.
        state.apply(state.legal_actions()[0])
    assert sizes == [[k] * 4 for k in (5, 5, 5, 4, 3, 2, 1, 0)]
    assert piles == [(8, 4), (4, 4)] + [(0, 4)] * 6


@pytest.mark.rules("EC-04", "F1", "F2", "F3", "RP-16")
def test_fool_in_the_middle():
    state = position(3, "BR", hands=[[12, 2, 30], [FOOL, 22, 31], [3, 33, 11]], wall=[25, 34, 29], pile=3)
    act(state, "PLAY 12", f"PLAY {FOOL}")
    assert choices(state) == {"PLAY 11", "CASTLE"}
    assert gains(state, "PLAY 11") == [{11, 12, FOOL}, set(), set()]
    assert hands(state) == [{3, 33}, {2, 30}, {22, 31}]
    assert (phase(state), state.actor) == ("DRAW", 1)
    act(state, "TAKE 25", "TAKE 34", "TAKE 29")  # drawn after the hands have moved: they stay
    assert hands(state) == [{3, 33, 29}, {2, 30, 25}, {22, 31, 34}]


@pytest.mark.rules("EC-05", "F1", "RP-10", "RP-36", "H1")
def test_fool_leads():
    state = position(3, "AV", hands=[[FOOL, 30], [1, 22], [8, 33]], rules="advanced")
    act(state, f"PLAY {FOOL}")
    assert state.record.led == 0 and state.record.bonus == -1
    assert state.record.face_value[0] == -1
    assert choices(state) == {"PLAY 1", "PLAY 1 as 9", "CASTLE"}
    act(state, "PLAY 1")
    assert gains(state, "PLAY 8") == [set(), set(), {FOOL, 1, 8}]
    assert hands(state) == [{33}, {30}, {22}]


@pytest.mark.rules("EC-06", "N1", "N5", "RP-17", "RP-10")
def test_fog_without_sebastiao():
    state = position(3, "BR", hands=[[12], [FOG], [15]], wall=[16, 2, 3])
    act(state, "PLAY 12")
    assert choices(state) == {f"PLAY {FOG}", "CASTLE"}  # the Fog follows Avis
    act(state, f"PLAY {FOG}")
    assert state.record.face_value[1] == 0
    assert gains(state, "PLAY 15") == [{12, FOG, 15}, set(), set()]
    assert 16 in wall_of(state)


@pytest.mark.rules("EC-07", "N2", "N3", "N4", "RP-17", "RP-12")
def test_fog_captures():
    state = position(3, "BR", hands=[[16], [FOG], [12]])
    assert gains(state, "PLAY 16", f"PLAY {FOG}", "PLAY 12") == [set(), {16, FOG}, {12}]
    assert list(state.record.flushes_won[:3]) == [0, 0, 1]
    assert state.record.leader == 2


@pytest.mark.rules("EC-08", "I1", "I2", "RP-14")
@pytest.mark.parametrize("house", ["BR", "AV"])
def test_filipina_leads(house):
    state = position(4, house, hands=[[18], [24, 11], [6], [19]])
    act(state, "PLAY 18")
    assert choices(state) == {"PLAY 24", "PLAY 11", "CASTLE"}
    assert gains(state, "PLAY 24", "PLAY 6", "PLAY 19") == [set(), {18, 24, 6, 19}, set(), set()]


@pytest.mark.rules("EC-08", "I2", "RP-14", "RP-15")
def test_filipina_leads_and_filipina_need_not_follow():
    state = position(3, "BR", hands=[[18], [20, 11], None], castle_assist="strict", castles={1: 4})
    act(state, "PLAY 18")
    assert choices(state) == {"PLAY 20", "PLAY 11", "CASTLE"}


@pytest.mark.rules("EC-09", "RP-15", "G4")
def test_filipina_discarded():
    state = position(3, "BR", hands=[[17], [19], [3]])
    assert gains(state, "PLAY 17", "PLAY 19", "PLAY 3") == [{17, 19, 3}, set(), set()]


@pytest.mark.rules("EC-10", "V2", "V3", "RP-24", "RP-06")
def test_conspiracy_with_equal_trumps():
    state = position(4, "BR", hands=[[13], [29], [34], [11]], rules="advanced")
    act(state, "PLAY 13")
    assert state.record.bonus == BONUS_CODES["conspiracy"]
    assert gains(state, "PLAY 29", "PLAY 34", "PLAY 11") == [set(), {13, 29, 34, 11}, set(), set()]


@pytest.mark.rules("EC-11", "V1", "RP-24")
@pytest.mark.parametrize(("scope", "winner"), [("led", 0), ("all", 2)])
def test_conspiracy_without_trumps(scope, winner):
    state = position(3, "BR", hands=[[13], [3], [8]], rules="advanced", conspiracy_scope=scope)
    expected = [set(), set(), set()]
    expected[winner] = {13, 3, 8}
    assert gains(state, "PLAY 13", "PLAY 3", "PLAY 8") == expected


@pytest.mark.rules("V1", "RP-24")
def test_conspiracy_lowest_of_the_led_dynasty():
    state = position(3, "BR", hands=[[13], [17], [FOG]], rules="advanced")
    assert gains(state, "PLAY 13", "PLAY 17", f"PLAY {FOG}")[2] == {13, 17, FOG}


@pytest.mark.rules("EC-12", "RP-18", "H1")
@pytest.mark.parametrize(("label", "winner"), [("PLAY 1", 1), ("PLAY 1 as 9", 2)])
def test_conspiracy_and_afonso_henriques(label, winner):
    state = position(3, "AF", hands=[[13], [1], [8]], rules="advanced")
    got = gains(state, "PLAY 13", label, "PLAY 8")
    assert got[winner] == {13, 1, 8}


@pytest.mark.rules("EC-13", "K1", "K2", "RP-30")
@pytest.mark.parametrize(("by_rank", "winner"), [(False, 0), (True, 2)])
def test_cuts(by_rank, winner):
    state = position(3, "BR", hands=[[11], [24], [17]], rules="advanced", cuts_by_rank=by_rank)
    got = gains(state, "PLAY 11", "PLAY 24", "PLAY 17")
    assert got[winner] == {11, 24, 17}


def battle(**options):
    return position(
        3,
        "BR",
        hands=[[10, 2, 33], [15, 23, 30], [24, 26, 3]],
        castles={0: 4, 1: 21, 2: 17},
        wall=[25, 34, 29],
        pile=[27, 28, 31, 32, 9, 8],
        **{"rules": "advanced", **options},
    )


@pytest.mark.rules("EC-14", "B1", "B2", "B4", "B5", "B6", "B7", "B8", "B9", "RP-21", "RP-22", "RP-23", "RP-38")
def test_battle():
    state = act(battle(), "PLAY 10")
    assert state.record.bonus == BONUS_CODES["battle"]
    assert choices(state) == {"PLAY 15", "CASTLE"}  # the first card by the normal rules
    act(state, "PLAY 15", "PLAY 24")
    assert (phase(state), state.actor) == ("SECOND", 0)
    assert choices(state) == {"SECOND 2", "SECOND 33"}
    act(state, "SECOND 33")
    assert choices(state) == {"SECOND 23", "SECOND 30"}
    act(state, "SECOND 23")
    assert not state.view(0)["played_by"][1, card_id(23)]
    assert list(state.view(0)["second_down"]) == [1, 1, 0, 0]
    assert gains(state, "SECOND 26") == [{10, 33, 15, 23, 24, 26}, set(), set()]
    assert state.view(0)["played_by"][1, card_id(23)] == 1
    assert hand(state, 1) == {30, 27} and hand(state, 2) == {3, 28} and hand(state, 0) == {2, 31}
    assert state.record.pile_len == 3 and (phase(state), state.actor) == ("DRAW", 1)
    act(state, "TAKE 25", "TAKE 34", "TAKE 29")
    assert hands(state) == [{2, 31, 29}, {30, 27, 25}, {3, 28, 34}]
    assert state.record.pile_len == 0 and wall_of(state) == {32, 9, 8}
    assert (phase(state), state.actor) == ("PLAY", 0)


@pytest.mark.rules("EC-15", "B3", "RP-20")
def test_battle_in_the_flush_before_the_last():
    state = position(3, "BR", hands=[[10], [24], [15]], rules="advanced")
    act(state, "PLAY 10")
    assert state.record.bonus == -1
    assert gains(state, "PLAY 24", "PLAY 15") == [set(), {10, 24, 15}, set()]  # trump counts as usual
    assert state.record.last_flush == 1


@pytest.mark.rules("EC-16", "T1", "T2", "T3", "RP-25", "RP-38", "A5")
def test_intrigue():
    state = position(3, "AF", hands=[[17, 2, 30], [22, 31, 12], [3, 33, 5]], rules="advanced")
    act(state, "PLAY 17")
    assert (phase(state), state.actor) == ("PASS", 0)
    assert choices(state) == {"PASS 2", "PASS 30"}
    act(state, "PASS 2")
    assert state.actor == 1 and hands(state)[1] == {22, 31, 12}  # nothing moves before all have chosen
    assert choices(state) == {"PASS 22", "PASS 31", "PASS 12"}
    act(state, "PASS 12")
    assert state.actor == 2
    act(state, "PASS 33")
    assert hands(state) == [{30, 33}, {22, 31, 2}, {3, 5, 12}]
    assert (phase(state), state.actor) == ("PLAY", 1)
    assert choices(state) == {"PLAY 22", "PLAY 31", "PLAY 2", "CASTLE"}
    act(state, "PLAY 22")
    assert choices(state) == {"PLAY 12", "CASTLE"}


@pytest.mark.rules("EC-17", "T4", "RP-26")
def test_intrigue_with_the_last_cards():
    state = position(3, "AF", hands=[[2, 30], [22, 31], [3, 33]], castles={0: 17}, rules="advanced")
    act(state, "CASTLE", "NEW CASTLE 2")
    assert state.record.bonus == BONUS_CODES["intrigue"]
    assert (phase(state), choices(state)) == ("PASS", {"PASS 30"})
    state = position(3, "AF", hands=[[30], [22], [3]], castles={0: 17}, rules="advanced")
    act(state, "CASTLE", "NEW CASTLE 30")
    assert state.record.bonus == -1
    assert (phase(state), state.actor) == ("PLAY", 1)


@pytest.mark.rules("EC-18", "Z3", "Z4", "F5", "RP-27")
def test_siege_and_trump():
    state = position(3, "AF", hands=[[14, 2], [8, 4], [15, 3]], wall=[FOOL, 24, 29], rules="advanced")
    act(state, "PLAY 14", "BEFORE WALL 24", "PLAY 8", f"BEFORE WALL {FOOL}", "PLAY 15")
    assert choices(state) == {"BEFORE WALL 29"}
    assert gains(state, "BEFORE WALL 29") == [set(), {14, 8, 15}, set()]
    assert hands(state) == [{2}, {4}, {3}]
    assert FOOL in wall_of(state)


def siege(**options):
    state = position(
        3, "AF", hands=[[14, 2], [15, 3], [33, 4]], wall=[22, 27, 29], pile=3, **{"rules": "advanced", **options}
    )
    return act(state, "PLAY 14", "BEFORE WALL 22", "PLAY 15", "BEFORE WALL 29", "PLAY 33")


@pytest.mark.rules("EC-19", "Z6", "RP-28")
def test_siege_winner_draws_as_usual():
    state = siege()
    assert gains(state, "BEFORE WALL 27") == [{14, 15, 33}, set(), set()]
    assert wall_of(state) == {22, 27, 29}
    for seat, card in ((1, 29), (2, 27), (0, 22)):
        assert state.actor == seat
        act(state, f"TAKE {card}")
    assert hands(state) == [{2, 22}, {3, 29}, {4, 27}]
    assert state.record.pile_len == 0 and len(wall_of(state)) == 3


@pytest.mark.rules("EC-20", "Q3", "RP-11")
def test_majority_tie():
    filler = [*BRAGANCA, *AFONSINA, *FILIPINA]
    state = finish([[10, 11, 12, 13], [14, 15, 16, FOG], [17, *filler]], [1, 1, 1], winner=2, house="AF")
    assert list(state.record.points[0, :3]) == [0, 3 + 2, 1 + 0]


@pytest.mark.rules("EC-21", "S2", "E5", "RP-07", "RP-08")
@pytest.mark.parametrize(
    ("lying", "scores", "leader"),
    [
        ((1, 29, FOG, 18), (0, 0, 0, 0), 0),
        ((1, 29, FOG, FOOL), (0, 0, 0, 0), 3),
        ((17, 34, 29, FOOL), (4, 0, 0, 7), 1),
    ],
)
def test_first_leader(lying, scores, leader):
    state = GameState.new("reis_de_portugal", seed=0)
    state.record.castle[:] = [card_id(card) for card in lying]
    state.record.score[:] = scores
    assert rules.first_leader(state.record, state.box.record[0]) == leader


@pytest.mark.rules("EC-22", "Q13", "Q14", "Q12", "RP-32")
def test_floor_between_rounds():
    rest = [card for card in ALL if card not in (18, 20)]
    state = finish([[18, 20], rest], [1, 1], winner=1)
    assert state.record.points[0, 0] == -2 and state.record.score[0] == 0
    rest = [card for card in ALL if card != 19]
    state = finish([[19], rest], [1, 1], winner=1, round_no=2, scores=(0, 6))
    assert state.record.points[1, 0] == -1 and state.record.score[0] == 0
    mine = [card for card in AVIS if card != 16]
    rest = [card for card in ALL if card not in mine]
    state = finish([mine, rest], [1, 1], winner=1, round_no=3, scores=(0, 12))
    assert state.record.points[2, 0] == 3 and state.record.score[0] == 6


@pytest.mark.rules("EC-23", "A1", "A4", "C5", "RP-19", "RP-36")
def test_bonus_of_a_follower_and_basic_rules():
    state = position(3, "BR", hands=[[FOG], [13], [12]], rules="advanced")
    act(state, f"PLAY {FOG}")
    assert state.record.bonus == -1
    act(state, "PLAY 13")
    assert state.record.bonus == -1
    assert gains(state, "PLAY 12")[2] == {FOG, 13, 12}
    state = position(3, "BR", hands=[[14, 2], [13, 3], [12, 4]], rules="basic")
    act(state, "PLAY 14")
    assert (phase(state), state.actor, state.record.bonus) == ("PLAY", 1, -1)


@pytest.mark.rules("EC-24", "H1", "RP-18")
def test_value_of_afonso_henriques_in_the_mask():
    state = position(3, "BR", hands=[[5], [1, 22], None], castles={1: 30})
    act(state, "PLAY 5")
    assert choices(state) == {"PLAY 1", "PLAY 1 as 9", "CASTLE"}
    state = position(3, "BR", hands=[[12], [1, 13], None], castles={1: 30})
    act(state, "PLAY 12")
    assert choices(state) == {"PLAY 13", "CASTLE"}
    state = position(3, "BR", hands=[[12], [1, 22], None], castles={1: 30})
    act(state, "PLAY 12")
    assert choices(state) == {"PLAY 1", "PLAY 1 as 9", "PLAY 22", "CASTLE"}


@pytest.mark.rules("EC-25", "RP-25")
def test_may_hold():
    dealt = [[17, 2, 30, 5, 8], [22, 31, 12, 7, 25], [3, 33, FOOL, 9, 34]]
    lying, row = {0: 4, 1: 21, 2: 16}, [26, 27, 29]
    pile = [c for c in ALL if c not in [*lying.values(), *row, *(c for h in dealt for c in h)]]
    state = position(3, "AF", hands=dealt, castles=lying, wall=row, pile=pile, rules="advanced")
    rules.deal_knowledge(state.record, 3)
    for observer in range(3):
        for place in (0, 1, 2, PILE):
            assert len(may_hold(state, observer, place)) == (0 if place == observer else 25)
    act(state, "PLAY 17", "PASS 2", "PASS 12", "PASS 33")
    assert 2 in may_hold(state, 0, 1) and 2 not in may_hold(state, 0, 2)
    assert all(33 not in may_hold(state, 0, place) for place in range(5))
    assert 12 in may_hold(state, 1, 2) and 12 not in may_hold(state, 1, 0)
    before = {o: may_hold(state, o, 1) for o in (0, 2)}
    act(state, "PLAY 22")
    for observer, size in ((0, 17), (2, 16)):
        after = may_hold(state, observer, 1)
        assert len(after) == size
        assert before[observer] - after == (before[observer] & {*AVIS}) | {22}
    assert state.record.may_hold[0, 1] & as_bits(AVIS) == 0


@pytest.mark.rules("EC-26", "O4", "Q15", "Q16", "RP-31")
def test_utility():
    state = position(4, "AF", round_no=3, scores=(9, 5, 5, 4))
    r = state.record
    r.captured[:] = [as_bits([30, 2]), as_bits([12, FOG]), as_bits([34, 1]), 0]
    assert list(state.outcome("win")) == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])
    assert list(state.outcome("placement")) == pytest.approx([1, -1 / 3, 1 / 3, -1])
    assert list(state.outcome("margin")) == pytest.approx(
        [(9 - 14 / 3) / 24, (5 - 6) / 24, (5 - 6) / 24, (4 - 19 / 3) / 24]
    )
    assert list(state.outcome("raw")) == [9, 5, 5, 4]
    assert captured(state, 3) == set()
