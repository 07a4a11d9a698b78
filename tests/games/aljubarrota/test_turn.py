"""The Portuguese turn: menu, swaps, moves, combat, archers."""

from __future__ import annotations

import pytest

from tests.games.aljubarrota.table import (
    ARROW,
    FAMILY,
    HEX,
    SKULL,
    WHITE,
    board,
    can,
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
from tests.tools import force_draws

MENU = {
    "menu: swap",
    "menu: move",
    "menu: English shot",
    "menu: Sweethearts shot",
    "menu: action as English volley (+3)",
    "menu: action as Sweethearts volley (+2)",
    "end turn",
}
ARMY = {"3.7": "English-a", "8.7": "Melo-a", "4.8": "Sá-a", "4.9": "Silva-a"}


@pytest.mark.rules("6.9", "6.11", "6.12", "S.3", "ALJ-33")
def test_the_free_turn_in_any_order() -> None:
    state = field({"3.5": "3c", "10.6": "3c"}, ARMY)
    assert set(state.legal_labels()) == MENU
    shoot(state, "3.5", "cavalry", WHITE)
    play(state, "menu: swap", "piece Sá-a", "piece Silva-a")
    shoot(state, "10.6", "cavalry", WHITE, "Melo-a")
    move(state, "4.8", "{1}", "N")
    assert set(state.legal_labels()) == {"menu: English shot", "menu: Sweethearts shot", "end turn"}
    shoot(state, "10.6", "cavalry", WHITE, "Melo-a")
    shoot(state, "3.5", "cavalry", WHITE)
    shoot(state, "3.5", "cavalry", WHITE)
    assert state.legal_labels() == ["end turn"]
    # every item may be left out
    assert field({"3.5": "3c"}, ARMY).apply("end turn").record.decision == 13


@pytest.mark.rules("6.13", "6.14", "S.3", "S.5", "12.7")
def test_an_extra_turn_has_no_free_shots() -> None:
    state = offer(2, hands={1: (0, 2, 0)})
    r = state.record
    for piece, name in ((2, "3.7"), (4, "8.7"), (5, "8.8")):
        r.piece_hex[piece] = HEX[name]
    r.cast[HEX["3.5"], 0, 0] = r.cast[HEX["10.6"], 0, 0] = 3
    r.dead[0] -= 6
    play(state, "pledge 1+1")
    assert set(state.legal_labels()) == MENU - {"menu: English shot", "menu: Sweethearts shot", "menu: swap"}
    state.apply("menu: action as Sweethearts volley (+2)")
    assert state.record.sweethearts_left == 2 and set(state.legal_labels()) == {"menu: Sweethearts shot", "end turn"}


@pytest.mark.rules("7.9", "8.5")
def test_any_player_moves_any_white_piece() -> None:
    state = field(
        {"10.1": "3c"}, {"3.8": "Silva-a", "4.8": "Sá-a", "9.8": "Melo-a", "3.7": "English-a", "10.8": "Nuno"}
    )
    r = state.record
    assert {int(r.family_owner[FAMILY[name]]) for name in ("Silva", "Sá", "Melo")} != {0}
    play(state, "menu: move")
    assert targets(state) == {"3.8", "4.8", "9.8", "3.7", "10.8", "10.11"}
    for piece in ("Silva-a", "English-a", "King"):
        state = field({"10.9": "1s", "10.1": "3c"}, {"10.10": piece} | ({"10.11": "King"} if piece != "King" else {}))
        move(state, "10.10", "{1}", "S")
        assert board(state) == {"10.1": "3c"} and where(state, piece) == "10.9"


@pytest.mark.rules("7.10", "ALJ-45", "7.1")
def test_moves_need_room_for_the_group() -> None:
    state = field({"10.1": "3c"}, {"3.8": "Melo-a Melo-b Sá-a", "3.9": "Silva-a", "4.8": "Sousa-a Sousa-b Sá-b"})
    play(state, "menu: move", "hex 3.8", "group {1, 2, 3}")
    assert "N" not in directions(state) and "NE" not in directions(state)
    state = field({"10.1": "3c"}, {"3.8": "Melo-a Melo-b Sá-a", "3.9": "Silva-a", "4.8": "Sousa-a Sousa-b Sá-b"})
    play(state, "menu: move", "hex 3.8", "group {2, 3}")
    assert "N" in directions(state) and "NE" not in directions(state)
    state.apply("to N")
    assert [where(state, p) for p in ("Sá-a", "Melo-a", "Melo-b")].count("3.9") == 2


@pytest.mark.rules("7.11", "7.12", "ALJ-79")
def test_leaders_go_two_hexes_and_combat_stops_them() -> None:
    state = field({"10.9": "1s", "10.1": "3c"}, {"10.10": "Nuno Sá-a"})
    move(state, "10.10", "{1, 2}", "S")
    assert state.record.decision == 3 and where(state, "Nuno") == "10.9"  # combat in the first step
    state = move(field({"10.8": "1s", "10.1": "3c"}, {"10.10": "Nuno Sá-a"}), "10.10", "{1, 2}", "S", "S")
    assert kills(state) == {"Sá": 1} and where(state, "Nuno") == "10.8"  # the second step may be an attack
    state = move(field({"10.1": "3c"}, {"10.10": "Nuno Sá-a"}), "10.10", "{2}", "S")
    assert state.record.decision == 3 and where(state, "Sá-a") == "10.9"  # without a leader one hex
    state = move(field({"10.1": "3c"}, {"10.10": "Nuno Sá-a"}), "10.10", "{1}", "S", "stay")
    assert where(state, "Nuno") == "10.9" and where(state, "Sá-a") == "10.10"


@pytest.mark.rules("7.13", "9.2", "ALJ-37", "16.10", "ALJ-35")
def test_english_shoot_only_from_their_hexes() -> None:
    groups = {"3.5": "1c", "10.6": "1c"}
    state = field(groups, {"3.8": "English-a", "8.7": "English-b"})
    assert not can(state, "menu: English shot") and not can(state, "menu: Sweethearts shot")
    state = move(field(groups, {"3.8": "English-a"}), "3.8", "{1}", "S")  # back again: an archer
    assert can(state, "menu: English shot")
    state = move(field(groups, {"3.7": "English-a"}), "3.7", "{1}", "N")
    assert not can(state, "menu: English shot") and where(state, "English-a") == "3.8"
    # each shot may come from either archer: all targets of both are offered
    state = field({"3.5": "1c", "2.3": "1c", "10.1": "3c"}, {"3.7": "English-a", "2.5": "English-b"})
    play(state, "menu: English shot")
    assert {"3.5", "2.3"} <= targets(state)


@pytest.mark.rules("7.14", "ALJ-38", "16.10")
def test_english_hexes_are_closed_to_other_pieces() -> None:
    state = field({"3.7": "1s", "10.1": "3c"}, {"3.8": "Melo-a English-a"})
    play(state, "menu: move", "hex 3.8")
    for label in state.legal_labels():
        twin = state.clone().apply(label)
        assert ("S" in directions(twin)) == (label == "group {1}")  # the English piece has the lower number
    play(state, "group {1}", "to S")
    assert board(state) == {"10.1": "3c"} and where(state, "English-a") == "3.7"
    state = field({"10.1": "3c"}, {"3.7": "English-a", "3.8": "Melo-a"})
    assert not can(state, "menu: swap")
    state = field({"10.1": "3c"}, {"2.5": "English-a English-b", "2.6": "Melo-a"})
    assert not can(state, "menu: swap")


@pytest.mark.rules("6.10", "ALJ-44", "16.3")
def test_swaps() -> None:
    whites = {"10.8": "Nuno", "10.9": "Melo-a", "9.8": "Melo-b", "10.11": "King", "10.10": "English-a", "7.7": "Sá-a"}
    state = field({"10.1": "3c"}, whites)
    play(state, "menu: swap")
    assert "piece Sá-a" not in state.legal_labels()  # nobody beside it
    state.apply("piece Melo-a")
    assert set(state.legal_labels()) == {"piece Nuno", "piece English-a"}  # not its own brother on 9.8
    state.apply("piece English-a")
    assert where(state, "English-a") == "10.9" and where(state, "Melo-a") == "10.10"
    assert not can(state, "menu: swap") and can(state, "menu: move")
    state = play(field({"10.1": "3c"}, whites), "menu: swap", "piece King", "piece English-a")
    assert where(state, "King") == "10.10" and not state.over
    # pieces of one stack have no swap between them
    assert not can(field({"10.1": "3c"}, {"4.8": "Melo-a Sá-a"}), "menu: swap")


@pytest.mark.rules("9.1", "ALJ-36", "9.4", "ALJ-41", "6.11")
def test_who_shoots_and_at_whom() -> None:
    state = field(
        {"10.6": "1c1s", "7.3": "1C"}, {"8.7": "King Nuno Melo-a", "7.5": "Sá-a English-a"}, waves=True, reserve=(0, 0)
    )
    state.apply("menu: Sweethearts shot")
    assert set(state.legal_labels()) == {"piece King", "piece Nuno", "piece Melo-a", "piece Sá-a"}
    play(state, "piece Nuno", "hex 10.6")
    assert set(state.legal_labels()) == {"shoot cavalry", "shoot soldier"}
    state.apply("shoot soldier")
    # one shot each, or both by one
    shoot(state, "7.3", "cavalry", WHITE, "Sá-a")
    assert state.record.sweethearts_left == 0 and not can(state, "menu: Sweethearts shot")
    assert can(state, "menu: action as Sweethearts volley (+2)")


@pytest.mark.rules("ALJ-39", "9.3", "S.4")
def test_range() -> None:
    for name, reached in (
        ("10.6", True),
        ("10.5", True),
        ("10.4", False),
        ("9.3", False),
        ("8.4", True),
        ("8.3", False),
    ):
        state = field({name: "1c"}, {"8.7": "Melo-a"})
        assert can(state, "menu: Sweethearts shot") == reached, name


@pytest.mark.rules("9.6", "ALJ-43", "ALJ-50")
def test_arrows_inside_the_line() -> None:
    state = shoot(field({"9.7": "1c"}, {"8.7": "Melo-a"}), "9.7", "cavalry", ARROW, "Melo-a")
    assert board(state) == {"10.7": "1c"}
    state = field({"9.7": "1c", "10.1": "3c"}, {"8.7": "Melo-a", "10.7": "Sá-a"})
    shoot(state, "9.7", "cavalry", ARROW, "Melo-a")  # a hex with a white piece is no space
    assert board(state) == {"10.1": "3c"} and kills(state) == {"Melo": 1}
    # an arrow that drives a Castilian onto the empty King hex loses the battle (the target lies out of true range)
    state = field({"4.11": "1c"}, {"10.9": "King", "3.7": "English-a"})
    r = state.record
    r.pending_hex, r.pending_flank, r.decision = HEX["4.11"], 0, 12
    force_draws(r, [ARROW])
    state.refresh().apply("shoot cavalry")
    assert state.over and r.result == 2 and board(state) == {"10.11": "1c"}


@pytest.mark.rules("ALJ-42", "9.4")
def test_the_blue_piece_is_hit_first() -> None:
    state = field({"10.6": "1c1C1S"}, {"8.7": "Melo-a"}, waves=True, reserve=(0, 0))
    shoot(state, "10.6", "cavalry", SKULL, "Melo-a")
    assert colours(state, "10.6") == "1s1C1S"


@pytest.mark.rules("ALJ-80", "ALJ-33")
def test_shots_wait_for_a_target_and_lapse_at_the_end() -> None:
    state = field({"10.10": "1c"}, {"3.7": "English-a", "10.11": "King Melo-a"})
    assert not can(state, "menu: English shot") and state.record.english_left == 3
    move(state, "10.11", "{2}", "S")  # the cavalry is pushed back to 10.9, within range of 3.7
    assert board(state) == {"10.9": "1s"} and can(state, "menu: English shot")
    state.apply("end turn")
    assert state.record.english_left == state.record.sweethearts_left == state.record.action_left == 0


@pytest.mark.rules("ALJ-46", "8.2")
@pytest.mark.parametrize("allowed", [False, True])
def test_a_losing_attack(allowed: bool) -> None:
    state = field({"10.9": "2s", "10.1": "3c"}, {"10.10": "Melo-a", "3.7": "English-a"}, suicide_attacks=allowed)
    play(state, "menu: move", "hex 10.10", "group {1}")
    assert ("S" in directions(state)) == allowed
    if allowed:
        state.apply("to S")
        assert where(state, "Melo-a") is None and board(state)["10.9"] == "2s" and kills(state) == {}
        state = field({"10.10": "2s"}, suicide_attacks=True)
        move(state, "10.11", "{1}", "S")
        assert state.over and state.record.result == 2  # the King dies


@pytest.mark.rules("ALJ-48", "8.1", "8.7")
def test_the_attackers_always_enter() -> None:
    for group in ("1s", "1c", "2c"):
        state = move(field({"10.9": group, "10.1": "3c"}, {"10.10": "Melo-a Sá-a"}), "10.10", "{1, 2}", "S")
        assert where(state, "Melo-a") == where(state, "Sá-a") == "10.9" and "10.9" not in board(state)


@pytest.mark.rules("8.7", "ALJ-47", "8.2")
def test_a_majority_is_needed_against_cavalry_too() -> None:
    state = field({"10.9": "2c", "10.1": "3c"}, {"10.10": "Melo-a"})
    play(state, "menu: move", "hex 10.10", "group {1}")
    assert "S" not in directions(state)
    state = move(field({"10.9": "3c", "10.1": "3c"}, {"10.10": "Melo-a Sá-a Silva-a"}), "10.10", "{1, 2, 3}", "S")
    assert board(state) == {"10.8": "3s", "10.1": "3c"} and kills(state) == {}


@pytest.mark.rules("8.12", "8.14", "ALJ-51", "4.1", "2.7")
def test_counters_go_beyond_99() -> None:
    state = field({"10.9": "3s", "10.1": "3c"}, {"10.10": "Melo-a Melo-b Sá-a"})
    state.record.kills[FAMILY["Melo"]] = 98
    state.record.kills[FAMILY["Sá"]] = 7
    move(state, "10.10", "{1, 2, 3}", "S")
    assert kills(state) == {"Melo": 104, "Sá": 10}
    assert state.view(0)["family_kills"][FAMILY["Melo"]] == pytest.approx(104 / 216)


@pytest.mark.rules("ALJ-49", "8.13")
def test_leaders_and_english_score_for_nobody() -> None:
    state = field({"10.9": "1s", "10.1": "3c"}, {"10.10": "Nuno English-a Sá-a"})
    move(state, "10.10", "{1, 2, 3}", "S")
    assert kills(state) == {"Sá": 1}


@pytest.mark.rules("ALJ-31", "2.6", "2.4")
def test_the_last_castilian_falls_in_a_turn() -> None:
    state = field({"10.9": "1s"}, {"10.10": "Sá-a"}, waves=True, reserve=(0, 0), round_no=8)
    move(state, "10.10", "{1}", "S")
    assert state.over and state.record.result == 1 and state.legal_actions() == []
    # a push onto the King hex that is also the last elimination: the loss counts
    state = field({"10.10": "1c1s"}, {"10.9": "Sá-a Melo-a", "9.8": "King"}, waves=True, reserve=(0, 0), round_no=8)
    move(state, "10.9", "{1, 2}", "N")
    assert state.over and state.record.result == 2 and board(state) == {"10.11": "1s"}


@pytest.mark.rules("ALJ-74")
def test_forced_decisions_are_asked_or_taken_silently() -> None:
    whites = {"10.8": "Melo-a", "9.8": "Sá-a"}
    asked = play(field({"10.1": "3c"}, whites), "menu: move", "hex 10.8")
    assert asked.legal_labels() == ["group {1}"]
    silent = play(field({"10.1": "3c"}, whites, skip_forced=True), "menu: move", "hex 10.8")
    assert silent.record.decision == 8  # the group was taken
    silent = field({"10.1": "3c"}, whites, skip_forced=True)
    play(silent, "menu: swap", "piece Sá-a")
    assert silent.record.decision == 3 and where(silent, "Sá-a") == "10.8"


@pytest.mark.rules("ALJ-69")
def test_a_player_without_pieces_plays_on() -> None:
    state = field({"1.2": "3s"}, {"10.8": "Nuno"})
    end_round(state, "R" * 9)
    assert state.actor == 1 and can(state, "menu: move")
