"""The worked examples of the rulebook."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from tests.games.aljubarrota.table import (
    ARROW,
    FAMILY,
    SKULL,
    board,
    can,
    card,
    field,
    kills,
    lay,
    move,
    offer,
    play,
    shoot,
    targets,
    where,
)

THREE = "Melo-a Melo-b Sousa-a"


@pytest.mark.rules("W01", "5.1", "5.2", "1.4", "ALJ-60")
@pytest.mark.parametrize(("players", "each", "unowned"), [(3, 4, 0), (4, 3, 0), (5, 2, 2), (6, 2, 0)])
def test_families_are_dealt(players: int, each: int, unowned: int) -> None:
    for seed in range(5):
        owners = GameState.new("aljubarrota", seed, num_players=players).record.family_owner.tolist()
        assert [owners.count(seat) for seat in range(players)] == [each] * players
        assert owners.count(-1) == unowned


@pytest.mark.rules("W02", "5.8", "5.15", "6.2", "6.5", "11.1", "4.1")
def test_example_set_up_for_four() -> None:
    state = GameState.new("aljubarrota", 3, setup="random")
    r = state.record
    entries = [f"{row}.1" for row in (1, 2, 3, 4, 6, 7, 8, 9, 10)]
    assert (r.hand.sum(axis=1)[:4] == 27).all() and r.hand[4:].sum() == 0
    assert [r.family_owner.tolist().count(seat) for seat in range(4)] == [3] * 4
    assert r.kills.tolist() == [0] * 12 and r.round_no == 1
    assert r.row_card[4] == -1 and (r.row_card >= 0).sum() == 9
    # Castile has moved first: nine groups have left their entry hexes and been reinforced
    assert r.cast[:, 0].sum() + r.dead[0] + r.reserve[0] == 54 and r.reserve[0] < 27 and r.reserve[1] == 54
    assert state.actor == r.free_player and can(state, "end turn")
    placing = GameState.new("aljubarrota", 3)
    assert board(placing) == dict.fromkeys(entries, "3c")
    assert placing.record.reserve.tolist() == [27, 54] and (placing.record.row_card == -1).all()


@pytest.mark.rules("W03", "6.10", "16.3")
def test_sa_comes_to_nuno_by_a_swap() -> None:
    state = field({"10.1": "3c"}, {"10.9": "Sá-a", "10.8": "Pacheco-a Nuno"})
    play(state, "menu: swap", "piece Sá-a", "piece Pacheco-a")
    assert where(state, "Sá-a") == "10.8" == where(state, "Nuno") and where(state, "Pacheco-a") == "10.9"
    assert state.record.swap_left == 0 and state.record.action_left == 1


@pytest.mark.rules("W04", "7.1", "7.2", "7.3", "7.8", "ALJ-08")
def test_nobody_jumps_no_fourth_piece_no_mixed_hex() -> None:
    state = card(field({"10.6": "2c", "10.5": "3c", "10.4": "3c"}, {"10.7": THREE}), "G", 10)
    assert board(state) == {"10.6": "3c", "10.5": "3c", "10.4": "2c"}
    assert where(state, "Melo-a") == "10.7"


@pytest.mark.rules("W05", "7.10")
def test_three_pieces_move_as_one() -> None:
    state = move(field({"10.1": "3c"}, {"3.8": THREE}), "3.8", "{1, 2, 3}", "N")
    assert [where(state, piece) for piece in THREE.split()] == ["3.9"] * 3
    assert state.record.action_left == 0 and state.record.decision == 3


@pytest.mark.rules("W06", "7.11")
def test_nuno_takes_sa_two_hexes() -> None:
    state = move(field({"10.1": "3c"}, {"10.8": "Nuno Sá-a"}), "10.8", "{1, 2}", "N")
    assert can(state, "stay")
    state.apply("to N")
    assert where(state, "Nuno") == where(state, "Sá-a") == "10.10"


@pytest.mark.rules("W07", "7.11")
def test_the_king_takes_two_pieces_two_hexes() -> None:
    state = move(field({"10.1": "3c"}, {"10.11": "King Melo-a Melo-b"}), "10.11", "{1, 2, 3}", "S", "S")
    assert [where(state, piece) for piece in ("King", "Melo-a", "Melo-b")] == ["10.9"] * 3


@pytest.mark.rules("W08", "8.4", "7.5", "8.1", "8.2")
def test_two_cavalry_beat_one_and_stop() -> None:
    state = card(field({"10.6": "2c"}, {"10.7": "Coutinho-a"}), "G", 10)
    assert where(state, "Coutinho-a") is None and board(state) == {"10.7": "2c"}


@pytest.mark.rules("W09", "8.3", "8.4", "8.2")
def test_cavalry_and_soldiers_attack_alike() -> None:
    state = card(field({"4.6": "1c2s"}, {"4.7": "Sá-a"}), "G", 4)
    assert where(state, "Sá-a") is None and board(state) == {"4.7": "1c2s"}


@pytest.mark.rules("W10", "8.2", "8.4")
def test_equal_numbers_favour_the_attacker() -> None:
    state = card(field({"9.6": "1c"}, {"9.7": "Coutinho-a"}), "G", 9)
    assert where(state, "Coutinho-a") is None and board(state) == {"9.7": "1c"}


def attack(group: str, attackers: str, extra: dict[str, str] | None = None, **whites: str) -> GameState:
    """Attack 10.9 from 4.9 with all attackers, direction SE."""
    names = {"4.9": attackers, **{key.replace("_", ".").removeprefix("h"): value for key, value in whites.items()}}
    state = field({"10.9": group, "10.1": "3c", **(extra or {})}, names)
    mask = {1: "{1}", 2: "{1, 2}", 3: "{1, 2, 3}"}[len(attackers.split())]
    return move(state, "4.9", mask, "SE")


@pytest.mark.rules("W11", "8.6", "8.1", "2.7", "8.5")
def test_a_soldier_is_eliminated() -> None:
    state = attack("1s", "Coutinho-a")
    assert board(state) == {"10.1": "3c"} and kills(state) == {"Coutinho": 1}
    assert where(state, "Coutinho-a") == "10.9"


@pytest.mark.rules("W12", "8.2", "8.12", "8.13")
def test_three_beat_three_soldiers() -> None:
    state = attack("3s", "Coutinho-a Sá-a Silva-a")
    assert board(state) == {"10.1": "3c"} and kills(state) == {"Coutinho": 3, "Sá": 3, "Silva": 3}


@pytest.mark.rules("W13", "8.7", "8.12")
def test_cavalry_retreats_and_becomes_a_soldier() -> None:
    state = attack("1c", "Coutinho-a")
    assert board(state) == {"10.1": "3c", "9.8": "1s"} and kills(state) == {}
    assert where(state, "Coutinho-a") == "10.9"


@pytest.mark.rules("W14", "8.8")
def test_a_mixed_stack() -> None:
    state = attack("1c2s", "Coutinho-a Sá-a Silva-a")
    assert board(state) == {"10.1": "3c", "9.8": "1s"} and kills(state) == {"Coutinho": 2, "Sá": 2, "Silva": 2}


@pytest.mark.rules("W15", "8.9")
def test_pushed_off_the_board() -> None:
    state = move(field({"10.12": "1c", "10.1": "3c"}, {"4.11": "Coutinho-a"}), "4.11", "{1}", "NE")
    assert board(state) == {"10.1": "3c"} and kills(state) == {"Coutinho": 1}


@pytest.mark.rules("W16", "8.10", "ALJ-47")
def test_no_room_to_retreat() -> None:
    state = attack("1c", "Coutinho-a", {"9.8": "3s"})
    assert board(state) == {"10.1": "3c", "9.8": "3s"} and kills(state) == {"Coutinho": 1}


@pytest.mark.rules("W17", "8.10", "ALJ-47", "8.13")
def test_one_white_piece_behind_is_enough() -> None:
    state = attack("1c", "Coutinho-a", h9_8="Sá-a")
    assert board(state) == {"10.1": "3c"} and kills(state) == {"Coutinho": 1}
    assert where(state, "Sá-a") == "9.8"


@pytest.mark.rules("W18", "8.11", "ALJ-05")
def test_castilians_make_no_losing_attack() -> None:
    state = card(field({"10.6": "1c"}, {"10.7": "Coutinho-a Sá-a"}), "G", 10)
    assert board(state) == {"10.6": "1c"} and state.record.dead[0] == 53


@pytest.mark.rules("W19", "8.13", "ALJ-49")
def test_points_go_to_each_piece() -> None:
    assert kills(attack("1s", "Azevedo-a Azevedo-b Albuquerque-a")) == {"Azevedo": 2, "Albuquerque": 1}


@pytest.mark.rules("W20", "9.1", "7.16")
def test_only_a_piece_on_an_arrow_hex_shoots() -> None:
    state = field({"10.6": "1c"}, {"8.7": "Melo-a", "8.8": "Sá-a"})
    state.apply("menu: Sweethearts shot")
    assert state.legal_labels() == ["piece Melo-a"]
    state.apply("piece Melo-a")
    assert targets(state) == {"10.6"}


@pytest.mark.rules("W21", "9.4", "9.6", "9.7", "9.8", "9.9", "16.2")
def test_two_shots_at_one_stack() -> None:
    state = field({"10.6": "3c"}, {"8.7": "Melo-a", "3.7": "English-a"})
    shoot(state, "10.6", "cavalry", SKULL, "Melo-a")
    assert board(state) == {"10.6": "2c1s"}
    shoot(state, "10.6", "soldier", ARROW, "Melo-a")
    assert board(state) == {"10.6": "2c", "10.5": "1s"}
    assert state.record.sweethearts_left == 0 and not can(state, "menu: Sweethearts shot")
    assert state.record.english_left == 3 and kills(state) == {}


@pytest.mark.rules("W22", "9.6", "9.9")
def test_no_room_to_retreat_from_an_arrow() -> None:
    state = shoot(field({"9.6": "1c", "10.6": "3c"}, {"8.7": "Melo-a"}), "9.6", "cavalry", ARROW, "Melo-a")
    assert board(state) == {"10.6": "3c"} and kills(state) == {"Melo": 1}


@pytest.mark.rules("W23", "10.1", "10.2", "10.4")
def test_a_group_falls_into_a_trap_and_retreats() -> None:
    assert board(card(field({"3.1": "3c"}), "G", 3, ARROW)) == {"4.2": "3c"}


@pytest.mark.rules("W24", "10.2", "10.4", "16.9", "16.7", "ALJ-50")
def test_a_group_that_cannot_retreat_is_crushed() -> None:
    state = card(field({"3.1": "3c", "4.2": "3c"}), "G", 3, ARROW)
    assert board(state) == {"4.2": "3c"} and state.record.dead[0] == 51 and kills(state) == {}


@pytest.mark.rules("W25", "10.3", "10.4", "ALJ-18")
def test_only_the_pieces_that_enter_a_trap_are_affected() -> None:
    state = card(field({"4.6": "3c", "3.6": "3c", "3.5": "1c", "3.4": "3c"}), "G", 3, ARROW)
    assert board(state) == {"4.6": "3c", "3.6": "3c", "3.5": "1c", "3.4": "1c", "4.4": "2c"}


@pytest.mark.rules("W26", "11.6", "ALJ-22")
def test_regroup_cavalry_first() -> None:
    state = card(field({"4.6": "1c", "4.4": "2s", "4.2": "3c"}), "R", 4)
    assert board(state) == {"4.6": "3c", "4.5": "1c2s"}


@pytest.mark.rules("W27", "11.7", "ALJ-22")
def test_regroup_soldiers_ahead_make_room() -> None:
    state = card(field({"4.6": "2c", "4.5": "3s", "4.4": "1c"}), "R", 4)
    assert board(state) == {"4.6": "2c1s", "4.5": "1c2s"}


@pytest.mark.rules("W28", "11.2", "11.4", "ALJ-17")
def test_lateral_move_onto_a_trap_without_a_die() -> None:
    state = field({"3.4": "1c1s"})
    before = state.record.rng.tolist()
    assert board(card(state, "Y", 3)) == {"4.3": "1c1s"} and state.record.rng.tolist() == before


@pytest.mark.rules("W29", "11.5", "ALJ-20", "ALJ-21")
@pytest.mark.parametrize("kind", ["Y", "R"])
def test_not_with_a_white_piece_behind(kind: str) -> None:
    state = card(field({"4.8": "2c"}, {"4.7": "Melo-a"}), kind, 4)
    assert board(state) == {"4.8": "2c"} and where(state, "Melo-a") == "4.7"


@pytest.mark.rules("W30", "11.8", "ALJ-23")
def test_double_charge() -> None:
    assert board(card(field({"10.2": "3c", "10.1": "3c"}), "P", 10)) == {"10.6": "3c", "10.5": "3c"}


@pytest.mark.rules("W31", "12.2", "12.6", "6.13", "6.14", "6.16", "S.5")
def test_turns_bought_together_or_alone() -> None:
    for turn, pledges, spent in (
        (2, ("pledge 1", "pledge 1"), [2, 0]),
        (3, ("pledge 1", "pledge 1+1"), [3, 0]),
        (3, ("pledge 1+2",), [1, 1]),
    ):
        state = offer(turn, played=2, hands={1: (0, 5, 5), 2: (0, 5, 5)})
        held = state.record.hand.copy()
        play(state, *pledges)
        r = state.record
        assert r.decision == 3 and r.turn_kind == turn and r.spent[:, 1:].sum(axis=0).tolist() == spent
        assert (held - r.hand == r.spent).all() and r.action_left == r.swap_left == 1
        assert r.english_left == r.sweethearts_left == 0


@pytest.mark.rules("W32", "13.2", "2.8", "2.9", "5.5", "3.6")
def test_total_of_a_player() -> None:
    state = field({"10.1": "1s"}, {"10.2": "Melo-a"}, reserve=(0, 0), waves=True, round_no=18)
    r = state.record
    mine = [f for f in range(12) if r.family_owner[f] == 0]
    a, b = mine[0], mine[1]
    r.piece_hex[4:] = -1
    r.kills[:] = 0
    r.kills[a], r.kills[b] = 5, 2
    r.piece_hex[4 + 2 * a], r.piece_hex[5 + 2 * a] = 38, 39
    r.hand[0] = [3, 4, 1]
    lay(state.refresh(), "G" * 10)
    play(state, "end turn", *["no contribution"] * 3)
    assert state.over and state.record.result == 1
    assert state.outcome("raw")[0] == 17 == 5 + 4 + 2 + 0 + 6
    assert len(FAMILY) == 12
