"""Own edge cases beyond the rulebook's examples."""

from __future__ import annotations

import pytest

from lusogames_env.games.aljubarrota import rules
from tests.games.aljubarrota.table import (
    ARROW,
    HEX,
    SKULL,
    WHITE,
    asked,
    board,
    can,
    card,
    colours,
    directions,
    end_round,
    field,
    kills,
    move,
    offer,
    play,
    shoot,
    targets,
    where,
)

THREE = "Melo-a Melo-b Sousa-a"


@pytest.mark.rules("X01", "ALJ-06", "ALJ-14", "ALJ-15", "7.5", "7.6")
def test_the_second_hex_is_attacked_by_cavalry_alone() -> None:
    state = card(field({"10.5": "2c1s"}, {"10.7": THREE}), "G", 10)
    assert board(state) == {"10.6": "2c1s"} and where(state, "Melo-a") == "10.7"


@pytest.mark.rules("X02", "ALJ-06", "7.6")
def test_two_cavalry_are_enough_for_two() -> None:
    state = card(field({"10.5": "2c1s"}, {"10.7": "Melo-a Melo-b"}), "G", 10)
    assert board(state) == {"10.6": "1s", "10.7": "2c"}
    assert where(state, "Melo-a") is None and where(state, "Melo-b") is None


@pytest.mark.rules("X03", "ALJ-07", "ALJ-09", "10.5")
def test_front_first_and_cavalry_first() -> None:
    state = card(field({"10.3": "2c1s", "10.4": "2s"}), "G", 10)
    assert board(state) == {"10.5": "1c2s", "10.4": "1c1s"}


@pytest.mark.rules("X04", "ALJ-19")
def test_lateral_in_a_full_centre_row() -> None:
    state = card(field({"10.3": "3c", "10.2": "3c", "10.1": "3c"}), "Y", 10)
    assert board(state) == {"10.3": "3c", "10.2": "3c", "10.1": "3c"}


@pytest.mark.rules("X05", "ALJ-19")
def test_lateral_twice_in_the_centre_row() -> None:
    state = card(field({"10.4": "2c", "10.2": "1c"}), "Y", 10)
    assert board(state) == {"10.3": "2c", "10.1": "1c"}
    assert board(card(state, "Y", 10)) == {"10.2": "2c", "10.1": "1c"}


@pytest.mark.rules("X06", "ALJ-20", "ALJ-22", "11.5")
def test_regroup_behind_a_white_piece() -> None:
    state = card(field({"10.9": "1c", "10.6": "1c", "10.3": "2c"}, {"10.7": "Melo-a"}), "R", 10)
    assert board(state) == {"10.9": "1c", "10.6": "3c"}


@pytest.mark.rules("X07", "ALJ-16", "10.2", "10.3")
def test_one_skull_for_a_mixed_group() -> None:
    state = card(field({"4.2": "1c2s"}), "G", 4, SKULL)
    assert board(state) == {"4.3": "1s"} and state.record.dead[0] == 53


@pytest.mark.rules("X08", "ALJ-23", "11.8")
def test_double_charge_into_a_trap() -> None:
    assert board(card(field({"4.1": "2s"}), "P", 4, ARROW)) == {"10.3": "2s"}


@pytest.mark.rules("X09", "ALJ-23", "11.8")
def test_a_stopped_group_goes_on_in_the_second_pass() -> None:
    state = card(field({"4.4": "3c"}, {"4.7": "Melo-a"}), "P", 4, WHITE)
    assert board(state) == {"4.7": "3c"} and where(state, "Melo-a") is None


@pytest.mark.rules("X10", "ALJ-12", "4.2")
def test_cavalry_follow_an_arrow_in_the_middle_of_a_move() -> None:
    assert board(card(field({"1.2": "3c"}), "G", 1, WHITE)) == {"2.3": "3c"}


@pytest.mark.rules("X11", "ALJ-47")
def test_pushed_onto_an_english_hex() -> None:
    state = move(field({"3.8": "2c", "10.1": "3c"}, {"3.9": "Melo-a Melo-b"}), "3.9", "{1, 2}", "S")
    assert board(state) == {"3.7": "2s", "10.1": "3c"} and state.check() == 0 and not state.over


@pytest.mark.rules("X12", "ALJ-45", "ALJ-47")
def test_pushed_back_over_the_line() -> None:
    state = move(field({"4.7": "2c", "10.1": "3c"}, {"4.8": THREE}), "4.8", "{1, 2}", "S")
    assert board(state) == {"4.6": "2s", "10.1": "3c"}
    assert [where(state, piece) for piece in THREE.split()].count("4.8") == 1


@pytest.mark.rules("X13", "ALJ-47", "8.10")
def test_room_for_one_of_two() -> None:
    state = move(
        field({"9.7": "2c1s", "9.6": "2s", "10.1": "3c"}, {"9.8": "Sá-a Silva-a Pacheco-a"}), "9.8", "{1, 2, 3}", "S"
    )
    assert board(state) == {"9.6": "3s", "10.1": "3c"} and kills(state) == {"Sá": 2, "Silva": 2, "Pacheco": 2}


@pytest.mark.rules("X14", "ALJ-29", "2.2", "4.3")
def test_an_empty_king_hex_can_be_taken() -> None:
    state = field({"4.10": "1c"}, {"9.11": "King"}, num_players=1, mode="solitary")
    end_round(state, "RRR" + "G" + "R" * 5)
    assert state.over and state.record.result == 2 and where(state, "King") == "9.11"
    assert state.outcome("win").tolist() == [-1.0]


def clear_targets(archer: str, target: str, castilians: str, whites: str = "") -> bool:
    """Return whether the target can be shot at from a hex, with single pieces on the other hexes."""
    english = archer in ("2.5", "3.7")
    white = {archer: "English-a" if english else "Melo-a"}
    white |= dict(zip(whites.split(), ("Sousa-a", "Sousa-b"), strict=False))
    state = field({target: "1c", **dict.fromkeys(castilians.split(), "1c")}, white)
    label = "menu: English shot" if english else "menu: Sweethearts shot"
    if not can(state, label):
        return False
    state.apply(label)
    if not english:
        state.apply("piece Melo-a")
    return target in targets(state)


@pytest.mark.rules("X15", "ALJ-40", "9.3", "ALJ-39", "S.4")
@pytest.mark.parametrize(
    ("target", "others", "clear"),
    [("9.5", "8.5", True), ("9.5", "8.5 8.6", False), ("10.5", "9.5", False), ("5.5", "", False), ("6.5", "", True)],
)
def test_sight_of_the_sweethearts(target: str, others: str, clear: bool) -> None:
    assert clear_targets("7.5", target, others) == clear


@pytest.mark.rules("X16", "ALJ-40", "9.3")
def test_sight_of_the_english() -> None:
    assert clear_targets("3.7", "10.7", "", "4.7")
    assert not clear_targets("3.7", "10.7", "4.6", "4.7")


ENTRIES = [f"{row}.1" for row in (1, 2, 3, 4, 6, 7, 8, 9, 10)]


@pytest.mark.rules("X17", "ALJ-24", "ALJ-26", "ALJ-27", "5.10", "6.5")
@pytest.mark.parametrize(("more", "early"), [(0, True), (1, False)])
def test_second_wave_in_round_5(more: int, early: bool) -> None:
    # six or seven blue on the board, three in reserve; all stand on traps' rows and move with red cards only
    groups = {"1.2": "3c", "2.2": "3c"} | ({"3.2": "1c"} if more else {})
    state = field(groups, reserve=(3, 54), round_no=4, num_players=1, mode="solitary")
    end_round(state, "R" * 10)
    r = state.record
    assert r.round_no == 5 and r.wave2 == r.flank == early and (r.row_card >= 0).sum() == (10 if early else 9)
    if early:
        assert colours(state, "1.1") == "3c" and all(colours(state, name) == "3C" for name in ENTRIES[1:])
        assert colours(state, "5.1") == "3C" and r.reserve.tolist() == [0, 54 - 27]
    else:
        assert (
            colours(state, "1.1") == "3c" and board(state) == {"1.1": "3c", **groups} and r.reserve.tolist() == [0, 54]
        )


@pytest.mark.rules("X18", "ALJ-27", "6.7", "5.9")
def test_only_empty_entry_hexes_are_reinforced() -> None:
    others = {name: "1s" for name in ENTRIES if name != "8.1"}
    state = field(others, reserve=(3, 54), num_players=1, mode="solitary")
    rules.reinforce(state.record, state.box.array[0])
    assert board(state) == {**others, "8.1": "3c"} and state.record.reserve.tolist() == [0, 54]


@pytest.mark.rules("X19", "ALJ-53", "12.5")
def test_a_failed_offer_gives_the_cards_back() -> None:
    state = offer(3, played=2, hands={1: (0, 0, 2)})
    held = state.record.hand.copy()
    end = state.record.round_no
    play(state, "pledge 2", "no contribution", "no contribution")
    r = state.record
    assert (r.hand == held).all() and r.spent.sum() == 0 and r.round_no == end + 1
    assert r.turns_bought[1] == 0 and r.known_held[1].tolist() == [0, 1]


@pytest.mark.rules("X20", "ALJ-54")
@pytest.mark.parametrize("overpay", [False, True])
def test_no_change_is_given(overpay: bool) -> None:
    state = offer(2, hands={1: (0, 3, 0), 2: (5, 0, 4)}, allow_overpay=overpay)
    state.apply("pledge 1")
    assert state.legal_labels() == ["no contribution"] + ["pledge 2"] * overpay
    if overpay:
        state.apply("pledge 2")
        assert state.record.decision == 3 and state.actor == 2 and state.record.spent[2].tolist() == [0, 0, 1]


@pytest.mark.rules("X21", "ALJ-55", "12.7")
@pytest.mark.parametrize(("controller", "seat"), [("largest", 2), ("first", 1)])
def test_who_plays_a_shared_turn(controller: str, seat: int) -> None:
    state = offer(3, played=3, hands={1: (0, 3, 1), 2: (0, 3, 1)}, extra_controller=controller)
    play(state, "pledge 1", "pledge 2")
    assert state.actor == seat and state.record.turn_kind == 3
    tie = offer(2, hands={1: (0, 3, 1), 2: (0, 3, 1)}, extra_controller=controller)
    assert play(tie, "pledge 1", "pledge 1").actor == 1


@pytest.mark.rules("X22", "ALJ-35", "ALJ-49")
def test_english_shots_score_for_nobody() -> None:
    state = shoot(field({"3.5": "1s", "10.1": "3c"}, {"3.7": "English-a"}), "3.5", "soldier", SKULL)
    assert board(state) == {"10.1": "3c"} and kills(state) == {}


@pytest.mark.rules("X23", "ALJ-34", "6.12", "6.11")
def test_a_volley_instead_of_a_move() -> None:
    state = field({"3.5": "3c", "10.1": "3c"}, {"3.7": "English-a", "4.8": "Melo-a", "4.9": "Sousa-a"})
    state.apply("menu: action as English volley (+3)")
    assert state.record.english_left == 6
    assert not can(state, "menu: move") and can(state, "menu: swap")
    for left in range(5, -1, -1):
        shoot(state, "3.5", "cavalry", WHITE)
        assert state.record.english_left == left
    assert not can(state, "menu: English shot") and can(state, "menu: swap")


@pytest.mark.rules("X24", "ALJ-19", "ALJ-11", "6.6")
@pytest.mark.parametrize("reentry", [True, False])
def test_out_of_the_flank_lane(reentry: bool) -> None:
    state = field({"5.3": "3c"}, waves=True, reserve=(0, 0), num_players=1, mode="solitary", reentry=reentry)
    assert board(card(state, "Y", 5)) == {"6.3": "3c"}
    state = field(
        {"5.3": "3C"}, waves=True, reserve=(0, 0), round_no=7, num_players=1, mode="solitary", reentry=reentry
    )
    # 7.3 is a trap; row 7 then has a red card, so that the group stays where row 6 has brought it
    end_round(state, "RRRR" + "Y" + "G" + "RRRR", *([WHITE] if reentry else []))
    assert board(state) == {"7.3" if reentry else "6.3": "3c"}


@pytest.mark.rules("X25", "ALJ-81", "ALJ-27")
def test_three_yellow_are_kept_for_a_late_flank_attack() -> None:
    others = {name: "1s" for name in ENTRIES[3:]}
    state = field(others, reserve=(0, 7), round_no=6, num_players=1, mode="solitary", flank_start="round7")
    state.record.wave2 = 1
    rules.reinforce(state.record, state.box.array[0])
    assert colours(state, "1.1") == "3C" and colours(state, "2.1") == "1C" and colours(state, "3.1") == ""
    assert state.record.reserve.tolist() == [0, 3] and state.check() == 0
    end_round(state, "R" * 10)
    assert colours(state, "5.1") == "3C" and state.record.reserve.tolist() == [0, 0]


@pytest.mark.rules("X26", "ALJ-52", "12.3")
@pytest.mark.parametrize(
    ("reading", "order"), [("free_player", [1, 2, 3]), ("last_player", [1, 3, 0]), ("both", [1, 3])]
)
def test_who_is_asked_for_turn_3(reading: str, order: list[int]) -> None:
    state = offer(3, played=2, turn3_excluded=reading)
    seats = []
    while state.record.decision == 13 and state.record.turn_kind == 3:
        seats.append(state.actor)
        state.apply("no contribution")
    assert seats == order
    assert asked(offer(2, turn3_excluded=reading)) == [1, 2, 3]


@pytest.mark.rules("X27", "ALJ-45", "ALJ-79", "7.11")
def test_pieces_met_on_the_way_do_not_join_the_leader() -> None:
    state = move(field({"10.1": "3c"}, {"10.8": "Nuno Sá-a", "10.9": "Melo-a"}), "10.8", "{1, 2}", "N")
    assert [where(state, piece) for piece in ("Nuno", "Sá-a", "Melo-a")] == ["10.9"] * 3
    view = state.view(0)
    assert view["selected_piece"].sum() == 2 and view["selected_hex"][HEX["10.9"]] == 1
    assert view["selected_piece"][1] == 1 and view["decision"][8] == 1 and "S" not in directions(state)
    state.apply("to N")
    assert [where(state, piece) for piece in ("Nuno", "Sá-a", "Melo-a")] == ["10.10", "10.10", "10.9"]


@pytest.mark.rules("X28", "ALJ-74", "15.4")
@pytest.mark.parametrize("skip", [False, True])
def test_a_seat_that_cannot_pay_is_asked(skip: bool) -> None:
    state = offer(2, hands={1: (9, 0, 0)}, skip_forced=skip)
    assert state.actor == 1 and state.legal_labels() == ["no contribution"]
    state.apply("no contribution")
    assert state.actor == 2 and state.record.passes.tolist() == [0, 1, 0, 0, 0, 0]
