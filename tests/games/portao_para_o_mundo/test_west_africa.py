"""West Africa Phase: turns, ports, adjacency, Mountains, Gold, Adventurers."""

from __future__ import annotations

import pytest

from tests.games.portao_para_o_mundo.table import (
    ADVENTURER,
    DROP_OUT,
    END,
    HEX,
    JOAN,
    KING,
    PLAY_ADVENTURER,
    PLAY_BRIBE,
    PLAY_SHIP,
    all_drop,
    deliver,
    give,
    hand,
    lisbon,
    mask,
    new,
    node,
    pile,
    set_pile,
)

HEXES = set(range(HEX, HEX + 54))


@pytest.mark.rules("OV-1", "OV-2", "OV-3", "OV-5", "WA-14", "PM-10", "LX-8")
def test_a_chip_in_west_africa_becomes_a_delivery_to_a_king():
    game = new()
    game.apply(86)  # the port of V1A is a Salt hex
    assert game.record.front[0] == 3
    all_drop(game)
    assert game.record.res[0].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert {a for a in mask(game) if 22 <= a < 38} == {deliver(JOAN, 0), deliver(1, 0), deliver(2, 0), deliver(3, 0)}
    game.apply(deliver(JOAN, 0))
    assert game.record.pos[:, 0].tolist() == [1, 0, 0, 0] and not game.record.res.any()


@pytest.mark.rules("RP-1", "RP-3", "WA-4", "CH-1", "CH-10")
def test_rounds_of_three_phases():
    game = new()
    assert game.record.phase == 0 and game.record.round_no == 1
    for _ in range(3):
        game.apply(DROP_OUT)
        assert game.record.phase == 0
    game.apply(DROP_OUT)
    assert game.record.phase == 1 and game.record.round_no == 1 and not game.record.dropped.any()
    all_drop(game)
    assert game.record.phase == 0 and game.record.round_no == 2 and not game.over


@pytest.mark.rules("RP-2", "WA-1", "WA-3", "PM-13", "PM-12")
def test_turns_follow_the_track_and_skip_those_who_left():
    game = new(order=[2, 0, 3, 1])
    actors = []
    for action in (88, DROP_OUT, 94, 92, 101, DROP_OUT, DROP_OUT):
        actors.append(game.actor)
        game.apply(action)
    assert actors == [2, 0, 3, 1, 2, 3, 1] and game.actor == 2
    assert game.record.front.tolist() == [4, 3, 2, 3]  # one chip a turn
    game.apply(DROP_OUT)
    assert game.record.phase == 1 and game.actor == 2


@pytest.mark.rules("PM-12", "PM-62")
def test_a_seat_without_chips_keeps_its_turns():
    game = give(new(), front=0)
    assert mask(game) == {DROP_OUT}
    game.apply(DROP_OUT).apply(92)
    all_drop(game)
    assert game.actor == 0 and mask(game) == {DROP_OUT}
    give(game, hand={"goods": 1})
    assert mask(game) == {DROP_OUT, 9}


@pytest.mark.rules("PM-11", "WA-5")
def test_the_first_chip_of_each_round_goes_to_the_port():
    game = new()
    game.apply(86)
    for _ in range(3):
        game.apply(DROP_OUT)
    assert mask(game) == {0, 87, 89, 103}  # Case 2 on the first board, Case 1 on the other
    all_drop(all_drop(game))
    assert game.record.round_no == 2 and not game.record.chips.any()
    assert game.actor == 0 and mask(game) == {0, 86, 103}


@pytest.mark.rules("PM-09", "WA-6")
def test_free_coasts_as_an_option():
    game = new(pepper_coast_needs_ship=False)
    assert mask(game) == {0, 86, 103, 128, 139}
    assert game.view(0)["boards"][:, 1].tolist() == [0, 0, 1, 1, 0, 0]
    give(game, hand={"ships": 1})
    game.apply(PLAY_SHIP)
    assert mask(game) == {110, 115}  # a Ship of a card must be needed


@pytest.mark.rules("WA-8", "PM-16", "PM-17")
def test_further_chips_go_next_to_own_ones_of_the_same_board():
    game = give(give(new(), 1, put={0: [0, 1, 2]}), 0, put={0: [0, 1]})
    assert game.record.first[0, 0] == 1  # own chips that came later count too
    # neighbours of 0 and 1 on that board; the other board stays closed but for its port
    assert mask(game) & HEXES == {HEX + 2, HEX + 3, 103}


@pytest.mark.rules("WA-11", "PM-14")
def test_hexes_are_shared_with_others_but_not_with_oneself():
    game = give(give(new(), 1, put={0: [0, 1, 3]}), 0, put={0: [0]})
    assert {HEX + 1, HEX + 3} <= mask(game) and HEX not in mask(game)
    game.apply(HEX + 1)
    assert game.record.first[0, 1] == 1 and game.record.chips[0, 0] == 0b11
    game = give(new(), put={0: [0]}, advs=1, front=3)
    game.apply(ADVENTURER).apply(HEX + 1)
    assert HEX + 1 not in mask(game) and HEX + 2 in mask(game)  # nor with an own Adventurer


@pytest.mark.rules("WA-12", "PM-18", "WA-13", "LX-2")
def test_who_came_first_keeps_the_resource():
    game = new()
    game.apply(86)  # Red in the village of Red and Blue
    game.apply(95)  # Blue: its village towards Red, the same port
    assert game.record.slot_face[0] == 0 and game.record.first[0, 0] == 0 and game.record.chips[0, 1] == 1
    all_drop(game)
    assert game.record.res[:, 3].tolist() == [1, 0, 0, 0] and game.record.front.tolist() == [3, 4, 4, 4]


@pytest.mark.rules("PM-26")
def test_only_the_kinds_of_hexes_matter_in_lisbon():
    one = all_drop(give(new(), put={0: [6]}))
    other = all_drop(give(new(), put={3: [2]}))
    assert one.record.res[0].tolist() == other.record.res[0].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert mask(one) == mask(other) and not one.record.chips.any()


@pytest.mark.rules("PM-15", "WA-10")
def test_a_later_pair_on_a_mountain():
    game = give(give(new(), 1, put={0: [5]}), 0, put={0: [2]}, front=1)
    assert HEX + 5 not in mask(game)
    game = give(give(new(), 1, put={0: [5]}), 0, put={0: [2]}, front=2)
    game.apply(HEX + 5)
    assert game.record.front[0] == 0 and game.record.first[0, 5] == 1


# ---- Gold ----


@pytest.mark.rules("GO-1", "OV-8")
def test_gold_draws_two_and_keeps_one():
    game = set_pile(give(new(), put={0: [7]}), "medal", "goods", "bribe")
    game.apply(94)
    assert node(game) == "KEEP" and mask(game) == {11 + 4, 11 + 6} and game.actor == 0
    assert game.view(0)["drawn"].tolist() == [0, 0, 0, 0, 0.5, 0, 0.5]
    game.apply(11 + 6)
    assert hand(game) == {"medal": 1} and pile(game) == ["bribe", "goods"]
    assert game.record.pile_by[:3].tolist() == [-1, 0, -1]


@pytest.mark.rules("GO-1")
def test_two_equal_cards():
    game = set_pile(give(new(), put={0: [7]}), "bribe", "bribe")
    game.apply(94)
    assert mask(game) == {14}
    game.apply(14)
    assert hand(game) == {"bribe": 1} and pile(game) == ["bribe"]


@pytest.mark.rules("GO-4", "GO-5")
def test_a_card_can_be_used_at_once_and_goes_to_the_box():
    game = set_pile(give(new(), put={0: [7]}, reals=2), "bribe", "medal")
    game.apply(94).apply(14)
    assert node(game) == "AFTER" and mask(game) == {END, PLAY_BRIBE}
    game.apply(PLAY_BRIBE).apply(KING + JOAN)
    assert game.record.pos[JOAN, 0] == 2 and game.record.used[3] == 4 and pile(game) == ["medal"]
    assert game.actor == 1  # the hand is empty: nothing is left to decide


@pytest.mark.rules("PM-20")
@pytest.mark.parametrize("draws", [False, True])
def test_an_adventurer_on_empty_gold(draws):
    game = give(new(adventurer_draws_gold=draws), put={0: [5]}, advs=1, front=1)
    set_pile(game, "medal", "bribe", "goods")
    game.apply(ADVENTURER).apply(HEX + 8)
    assert game.record.first[0, 8] == -1  # no claim
    if draws:
        assert node(game) == "KEEP"
        assert game.view(1)["returns_to"].tolist() == [1, 0, 0]
        game.apply(11 + 6)
    assert node(game) == "WA_TURN" and hand(game) == ({"medal": 1} if draws else {})
    assert DROP_OUT not in mask(game)
    game.apply(HEX + 4 + 3)
    if draws:
        game.apply(END)
    game.apply(DROP_OUT)  # Blue
    assert game.actor == 2


# ---- Adventurers ----


@pytest.mark.rules("AD-1", "AD-2", "PM-21")
def test_several_adventurers_before_the_chip():
    game = give(new(), put={0: [0]}, advs=2, front=1)
    game.apply(ADVENTURER).apply(HEX + 1)
    assert DROP_OUT not in mask(game) and ADVENTURER in mask(game)
    game.apply(ADVENTURER).apply(HEX + 2)
    assert game.record.advs[0] == 0 and game.record.must_place == 1
    assert mask(game) & HEXES == {HEX + 3, 103}  # 4 is the Lake, 5 the Mountain
    game.apply(HEX + 3)
    assert game.actor == 1 and game.record.chips[0, 0] == 0b1001
    assert not game.record.adv_hexes.any() and not game.record.adv_used.any()


@pytest.mark.rules("AD-3")
def test_an_adventurer_on_a_mountain_alone():
    game = give(new(), put={0: [2]}, advs=1, front=1)
    assert HEX + 5 not in mask(game)
    game.apply(ADVENTURER)
    assert {HEX + 4, HEX + 5} <= mask(game)
    game.apply(HEX + 5)
    assert game.record.front[0] == 1 and HEX + 8 in mask(game)


@pytest.mark.rules("AD-4")
def test_adventurers_return_to_the_kings_at_the_end_of_the_turn():
    game = give(new(), put={0: [0]}, advs=1)
    assert game.view(1)["supply"][1] == pytest.approx(1 / 3)
    game.apply(ADVENTURER).apply(HEX + 1)
    assert game.view(1)["boards"][1, 2 + 18 * 1 + 17] == 1 and game.view(1)["supply"][1] == pytest.approx(1 / 3)
    game.apply(HEX + 3)
    assert game.view(1)["supply"][1] == pytest.approx(2 / 3)


@pytest.mark.rules("PM-21")
def test_an_adventurer_enters_by_the_port_and_pays_a_ship():
    game = give(new(), advs=1)
    game.apply(ADVENTURER)
    assert mask(game) == {86, 103}
    game = give(new(), advs=1, ships=1)
    game.apply(ADVENTURER)
    assert mask(game) == {86, 103, 110, 115, 128, 139}
    game.apply(139)
    assert game.record.ships[0] == 0 and game.record.adv_hexes[5] == 1 << 8
    assert mask(game) == {86, 103, 135, 136, 138}


@pytest.mark.rules("PM-23")
def test_a_ship_paid_for_an_adventurer_is_spent():
    game = give(new(), advs=1, ships=1)
    game.apply(ADVENTURER).apply(128).apply(86)  # the chip goes elsewhere
    for _ in range(3):
        game.apply(DROP_OUT)
    assert game.record.ships[0] == 0 and not mask(game) & set(range(HEX + 36, HEX + 54))


@pytest.mark.rules("PM-21")
def test_an_adventurer_never_strands_its_seat():
    # the last Ship would open a coast whose port has no neighbour for one chip: then that port is not offered
    game = give(new(boards=["V1A", "V2A", "V3A", "V4A", "C1A", "C2A"]), put={0: [0], 3: [8]}, advs=1, ships=1, front=1)
    game.apply(ADVENTURER)
    for action in sorted(mask(game)):
        twin = game.clone().apply(action)
        assert mask(twin) & HEXES, action


# ---- cards in West Africa ----


@pytest.mark.rules("PM-65", "SU-1", "SU-2")
def test_cards_before_dropping_out():
    game = give(new(), hand={"bribe": 2}, reals=4)
    game.apply(PLAY_BRIBE).apply(KING + JOAN)
    assert node(game) == "WA_TURN" and game.actor == 0
    game.apply(DROP_OUT)
    assert game.actor == 1 and hand(game) == {"bribe": 1}


@pytest.mark.rules("CA-1", "CA-2", "PM-45", "PM-07")
def test_support_from_ships_as_an_adventurer_of_the_box():
    game = give(new(), put={0: [0]}, front=1, hand={"ships": 1}, mfront=5)
    assert game.record.box_adv == 1
    game.apply(PLAY_ADVENTURER)
    assert game.record.reals[0] == 1 and game.record.mfront[0] == 5  # no Market left: one Real
    assert node(game) == "WA_ADV" and game.record.box_adv == 0
    game.apply(HEX + 1)
    assert DROP_OUT not in mask(game)
    game.apply(HEX + 2)
    assert game.record.box_adv == 1 and game.record.advs[0] == 0  # back to the box, not to a King


@pytest.mark.rules("PM-45", "CA-1")
def test_the_ship_of_a_card_may_carry_an_adventurer():
    game = give(new(), hand={"ships": 1}, advs=1)
    game.apply(PLAY_SHIP)
    assert mask(game) == {ADVENTURER, 110, 115, 128, 139}
    game.apply(ADVENTURER)
    assert mask(game) == {110, 115, 128, 139}
    game.apply(139)
    assert node(game) == "WA_TURN" and game.record.ship_pending == 0 and DROP_OUT not in mask(game)
    game.apply(138)
    assert game.record.first[5, 7] == 0


@pytest.mark.rules("PM-45")
def test_support_from_ships_needs_a_use():
    game = give(new(2), hand={"ships": 1}, put={4: [0]})
    assert PLAY_SHIP not in mask(game)  # with 2 players the only far board is already open
    assert PLAY_ADVENTURER in mask(game)
    give(game, front=0)
    assert mask(game) == {DROP_OUT}


@pytest.mark.rules("PM-44")
def test_cards_of_the_lisbon_phase_stay_in_hand():
    game = give(new(), hand={"churches": 1, "goods": 1, "connections": 1, "medal": 1})
    assert mask(game) == {0, 86, 103}
    game.apply(86)
    assert mask(game) == {END}
    game = give(lisbon(), hand={"ships": 4})
    assert mask(game) == {DROP_OUT}
