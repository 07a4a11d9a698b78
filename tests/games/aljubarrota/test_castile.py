"""The Castilian phase: cards, traps, combat, and how the battle is lost."""

from __future__ import annotations

import pytest

from lusogames_env.games.aljubarrota import rules
from tests.games.aljubarrota.table import (
    ARROW,
    HEX,
    SKULL,
    WHITE,
    board,
    card,
    colours,
    end_round,
    field,
    kills,
    play,
    where,
)
from tests.tools import force_draws


@pytest.mark.rules("11.3", "7.4", "7.5", "7.6", "4.2", "S.1")
def test_green_moves_cavalry_two_hexes_and_soldiers_one() -> None:
    assert board(card(field({"10.2": "2c1s"}), "G", 10)) == {"10.3": "1s", "10.4": "2c"}
    assert board(card(field({"10.2": "2c1s"}), "G", 9)) == {"10.2": "2c1s"}
    assert board(card(field({"1.3": "1s"}), "G", 1, WHITE)) == {"2.3": "1s"}  # an arrow is binding


@pytest.mark.rules("7.5", "7.2", "ALJ-07", "ALJ-08")
def test_an_obstructed_group_goes_as_far_as_there_is_room() -> None:
    assert board(card(field({"10.3": "3c", "10.4": "1s", "10.5": "2s"}), "G", 10)) == {
        # front first: the two soldiers go on, the one follows, then two of three cavalry find room beyond it
        "10.6": "2s", "10.5": "2c1s", "10.4": "1c",
    }  # fmt: skip
    assert board(card(field({"10.3": "3c", "10.4": "3c", "10.6": "3c"}, {"10.7": "Nuno Melo-a Sousa-a"}), "R", 10)) == {
        "10.6": "3c", "10.5": "3c", "10.4": "3c",
    }  # fmt: skip


@pytest.mark.rules("10.1", "10.3", "ALJ-06")
def test_three_on_a_trap_throw_one_die() -> None:
    for die, result in ((WHITE, {"3.3": "3c"}), (SKULL, {"3.3": "3s"}), (ARROW, {"4.2": "3c"})):
        assert board(card(field({"3.2": "3c"}), "G", 3, die)) == result


@pytest.mark.rules("10.2", "ALJ-16")
def test_trap_arrow_with_room_for_some_cavalry_first() -> None:
    state = card(field({"4.2": "1c2s", "10.3": "1s"}), "G", 4, ARROW)
    assert board(state) == {"10.3": "1c2s"} and state.record.dead[0] == 51
    state = card(field({"4.2": "1c2s", "10.3": "2c"}), "G", 4, ARROW)
    assert board(state) == {"10.3": "3c"} and state.record.dead[0] == 51


@pytest.mark.rules("ALJ-18", "10.3")
def test_pieces_on_a_trap_are_not_tested_again() -> None:
    state = field({"4.3": "2s", "4.2": "1c"})
    before = state.record.rng.tolist()
    assert board(card(state, "Y", 3)) == {"4.3": "2s", "4.2": "1c"} and state.record.rng.tolist() == before
    # the soldiers leave without a die, the cavalry falls in
    assert board(card(field({"4.3": "2s", "4.2": "1c"}), "G", 4, SKULL)) == {"4.4": "2s", "4.3": "1s"}


@pytest.mark.rules("ALJ-17", "11.4", "10.1")
def test_manoeuvres_and_retreats_throw_no_die() -> None:
    for start, kind, row, result in (
        ({"3.4": "3c"}, "Y", 3, {"4.3": "3c"}),
        ({"4.4": "1s", "4.2": "3c"}, "R", 4, {"4.4": "2c1s", "4.3": "1c"}),
    ):
        state = field(start)
        before = state.record.rng.tolist()
        assert board(card(state, kind, row)) == result and state.record.rng.tolist() == before
    # an arrow's retreat onto a trap: one die is thrown by the archer, none by the trap (a second one would kill)
    state = field({"3.4": "1s", "10.1": "3c"}, {"3.7": "English-a"})
    play(state, "menu: English shot", "hex 3.4")
    force_draws(state.record, [ARROW, SKULL])
    assert board(state.apply("shoot soldier")) == {"4.3": "1s", "10.1": "3c"}


@pytest.mark.rules("11.2", "ALJ-19", "7.4")
def test_lateral_moves_back_and_towards_the_centre() -> None:
    assert board(card(field({"3.4": "2c", "3.6": "1s"}), "Y", 3)) == {"4.3": "2c", "4.5": "1s"}
    assert board(card(field({"9.4": "2c"}), "Y", 9)) == {"10.4": "2c"}
    assert board(card(field({"1.1": "2c"}), "Y", 1)) == {"1.1": "2c"}  # no hex behind
    assert board(card(field({"3.4": "3c", "4.3": "2s"}), "Y", 3)) == {"3.4": "2c", "4.3": "1c2s"}  # room for one
    assert board(card(field({"5.6": "3C"}), "Y", 5)) == {"6.6": "3c"}  # into the wood


@pytest.mark.rules("11.2", "ALJ-19", "ALJ-05")
def test_lateral_combat() -> None:
    state = card(field({"3.8": "2c"}, {"4.7": "Melo-a Melo-b"}), "Y", 3)
    assert board(state) == {"4.7": "2c"} and where(state, "Melo-a") is None
    state = card(field({"3.8": "1c"}, {"4.7": "Melo-a Melo-b"}), "Y", 3)
    assert board(state) == {"3.8": "1c"} and where(state, "Melo-a") == "4.7"


@pytest.mark.rules("11.5", "ALJ-20", "ALJ-21")
def test_green_and_purple_ignore_white_pieces_behind() -> None:
    for kind, result in (("G", "10.10"), ("P", "10.10"), ("Y", "10.8"), ("R", "10.8")):
        state = card(field({"10.8": "1c"}, {"10.7": "Melo-a", "10.11": "King Nuno"}), kind, 10)
        assert board(state) == {result: "1c"}
    # only pieces in the same card row and further back count
    assert board(card(field({"10.8": "1c"}, {"4.7": "Melo-a", "10.9": "Nuno"}), "Y", 10)) == {"10.7": "1c"}


@pytest.mark.rules("11.6", "ALJ-22")
def test_regroup_uses_arrows_inside_the_row_and_stops_at_abatis() -> None:
    state = field({"9.11": "1C", "6.9": "2C", "6.3": "1C", "6.1": "1C"}, {"10.11": "King"}, waves=True, reserve=(0, 0))
    # the flank path 6.10, 6.11, 7.11, 8.11 belongs to row 6; the hexes below the abatis regroup on their own
    assert board(card(state, "R", 6)) == {"9.11": "3c", "6.3": "2c"}


@pytest.mark.rules("11.8", "ALJ-23", "10.1")
def test_purple_second_pass_needs_the_same_row() -> None:
    # the cavalry turns into row 2 at the abatis: the second pass of row 1 does not see it any more
    assert board(card(field({"1.3": "3c"}), "P", 1, WHITE)) == {"2.3": "3c"}
    assert board(card(field({"1.1": "3s"}), "P", 1)) == {"1.3": "3s"}


@pytest.mark.rules("ALJ-11", "6.6", "ALJ-71")
@pytest.mark.parametrize("reentry", [True, False])
def test_a_piece_that_enters_a_later_row_obeys_its_card_too(reentry: bool) -> None:
    options = {"num_players": 1, "mode": "solitary", "reentry": reentry}
    state = field({"1.3": "3s"}, reserve=(0, 54), **options)
    # row 1 leads to the trap 2.3; row 2's purple card then moves the soldiers on to 2.4 and 3.5, or not
    end_round(state, "GP" + "R" * 7, *([WHITE, WHITE] if reentry else [WHITE]))
    assert board(state) == ({"3.5": "3s"} if reentry else {"2.3": "3s"})
    # a row already handled waits for the next round
    state = field({"8.10": "1s"}, **options)  # 8.11 obeys row 6
    end_round(state, "RRRR" + "GRG" + "RR")
    assert board(state) == {"8.11": "1s"}


@pytest.mark.rules("ALJ-11")
def test_marked_pieces_do_not_hold_back_unmarked_ones() -> None:
    state = field({"1.3": "1s", "2.3": "1s"}, num_players=1, mode="solitary", reentry=False)
    end_round(state, "GG" + "R" * 7, WHITE)
    assert board(state) == {"2.3": "1s", "2.4": "1s"}
    # the second pass of the same purple card moves what its first pass has moved
    state = field({"10.1": "2c"}, num_players=1, mode="solitary", reentry=False)
    end_round(state, "R" * 8 + "P")
    assert board(state) == {"10.5": "2c"}


@pytest.mark.rules("10.5", "ALJ-09")
def test_rows_in_order_and_each_hex_once() -> None:
    state = field({"3.3": "3s", "4.3": "2s"}, num_players=1, mode="solitary")
    # row 3 first: it falls into nothing at 3.4; row 4 then leaves its trap
    end_round(state, "RRGG" + "R" * 5)
    assert board(state) == {"3.4": "3s", "4.4": "2s"}
    state = field({"10.5": "1s", "10.6": "3s"}, {"10.7": "Melo-a"}, num_players=1, mode="solitary")
    end_round(state, "R" * 8 + "G")
    assert board(state) == {"10.7": "3s", "10.6": "1s"}


@pytest.mark.rules("ALJ-14", "7.5", "7.12")
def test_combat_ends_the_move_won_or_refused() -> None:
    state = card(field({"10.6": "3c"}, {"10.7": "Melo-a"}), "G", 10)
    assert board(state) == {"10.7": "3c"}
    state = card(field({"10.5": "1c"}, {"10.7": "Melo-a Melo-b"}), "G", 10)
    assert board(state) == {"10.6": "1c"}


@pytest.mark.rules("ALJ-15", "8.11")
def test_castile_attacks_with_the_whole_group() -> None:
    state = card(field({"10.6": "2c1s"}, {"10.7": "Melo-a"}), "G", 10)
    assert board(state) == {"10.7": "2c1s"}


@pytest.mark.rules("2.3", "ALJ-29", "ALJ-78", "2.5")
def test_the_king_falls_with_his_stack() -> None:
    state = field({"10.10": "2c"}, {"10.11": "King Melo-a"})
    end_round(state, "R" * 8 + "G")
    assert state.over and state.record.result == 2 and where(state, "Melo-a") is None
    assert state.outcome("win").tolist() == [-1] * 4 and state.outcome("raw").tolist() == [0] * 4
    # all or nothing: one Castilian does not attack two, nor pick the King out
    state = field({"10.10": "1c"}, {"10.11": "King Melo-a"})
    end_round(state, "R" * 8 + "G")
    assert not state.over and where(state, "King") == "10.11" and board(state)["10.10"] == "1c"
    # the King can be killed anywhere
    state = field({"10.6": "1c"}, {"10.7": "King"})
    end_round(state, "R" * 8 + "G")
    assert state.over and state.record.result == 2


@pytest.mark.rules("ALJ-29")
def test_a_lateral_move_onto_the_king_hex_loses() -> None:
    state = field({"9.11": "1C"}, {"10.7": "King"}, waves=True, reserve=(0, 0), round_no=9)
    end_round(state, "RRRRR" + "Y" + "RRRR")
    assert state.over and state.record.result == 2 and board(state) == {"10.11": "1c"}


@pytest.mark.rules("ALJ-31", "2.6")
def test_the_last_castilian_dies_in_a_trap() -> None:
    state = field({"3.2": "1s"}, waves=True, reserve=(0, 0), round_no=9)
    end_round(state, "RRG" + "R" * 7, SKULL)
    assert state.over and state.record.result == 1 and state.record.dead.tolist() == [54, 54]
    # before the second wave the yellow ones count as not gone
    state = field({"3.2": "1s"}, reserve=(0, 54), round_no=2)
    end_round(state, "RRG" + "R" * 6, SKULL)
    assert not state.over and board(state) == {} and state.record.dead.tolist() == [54, 0]


@pytest.mark.rules("3.3", "16.4", "ALJ-42")
def test_both_colours_are_castilians() -> None:
    state = card(field({"10.6": "1c1C"}, {"10.7": "Melo-a Melo-b"}, waves=True, reserve=(0, 0)), "G", 10)
    assert colours(state, "10.7") == "1c1C" and where(state, "Melo-a") is None
    state = card(field({"10.3": "3s", "10.4": "1s1S"}), "G", 10)
    assert board(state) == {"10.4": "3s", "10.5": "2s"}


@pytest.mark.rules("ALJ-50", "10.2")
def test_trap_deaths_score_for_nobody() -> None:
    state = card(field({"3.2": "3s"}, {"3.7": "English-a", "8.7": "Melo-a"}), "G", 3, SKULL)
    assert board(state) == {} and kills(state) == {} and state.record.dead[0] == 54


@pytest.mark.rules("ALJ-30", "2.6")
@pytest.mark.parametrize(
    ("castilians", "whites", "reserve", "waves", "won"),
    [
        ({"10.6": "1c"}, {"10.7": "Melo-a Melo-b"}, (0, 0), True, False),  # yellow would take it back
        ({"10.8": "1c"}, {"10.9": "Melo-a Melo-b", "10.7": "Sá-a Sá-b"}, (0, 0), True, True),
        ({"10.8": "1c"}, {"10.9": "Melo-a Melo-b", "10.7": "Sá-a"}, (0, 0), True, True),  # yellow: one is behind
        ({"10.8": "1c"}, {"10.9": "Melo-a", "10.7": "Sá-a"}, (0, 0), True, False),  # a green card attacks
        ({"10.8": "1c"}, {"10.9": "Melo-a Melo-b", "10.7": "Sá-a"}, (0, 3), True, False),  # a reserve can enter
        ({"10.8": "1c"}, {"10.9": "Melo-a Melo-b", "10.7": "Sá-a"}, (0, 54), False, False),
    ],
)
def test_immobile_castilians(
    castilians: dict[str, str], whites: dict[str, str], reserve: tuple[int, int], waves: bool, won: bool
) -> None:
    state = field(castilians, whites, reserve=reserve, waves=waves, round_no=9 if waves else 2)
    assert rules.portuguese_behind(state.record, state.box.array[0], HEX["10.8"]) == ("10.7" in whites)
    end_round(state, "R" * (10 if waves else 9))
    assert state.over == won and (state.record.result == 1) == won
