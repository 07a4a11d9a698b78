"""The rule-based captain: where it begins, what goes first in its turns, and the battles it is measured in."""

from __future__ import annotations

import numpy as np

from lusogames_env.engine.state import GameState
from lusogames_env.games.aljubarrota import calibration
from tests.games.aljubarrota.table import BOX, NAMES, field, play


def next_move(state: GameState) -> list[str]:
    """Return the texts of what the captain chooses up to the direction of a move, without changing the state."""
    twin, chosen = state.clone(), []
    while not chosen or chosen[-1].startswith(("menu", "hex", "group")):
        chosen.append(twin.action_label(twin.bot_action()))
        twin.apply(chosen[-1])
    return chosen


def test_the_captain_fills_the_front_first_and_the_wings_last() -> None:
    state = GameState.new("aljubarrota", 1, num_players=3)
    placed = []
    while state.record.decision in (1, 2):
        action = state.bot_action()
        if state.record.decision == 2:
            placed.append(state.action_label(action).removeprefix("hex "))
        state.apply(action)
    assert set(placed[:3]) == {"4.7", "9.7", "10.7"} and set(placed[3:5]) == {"7.5", "8.7"}
    assert set(placed[5:10]) == {"4.10", "4.11", "9.10", "9.11", "10.12"} and set(placed[-2:]) == {"2.6", "7.7"}


def test_a_clear_attack_goes_first_in_a_free_turn_only() -> None:
    whites = {"3.10": "Sá-a Sá-b Melo-a", "9.10": "Silva-a Silva-b"}
    state = field({"10.8": "3c", "3.9": "2s"}, whites, waves=True, num_players=1, mode="solitary")
    assert next_move(state) == ["menu: move", "hex 3.10", "group {1, 2, 3}", "to S"]
    play(state, "end turn", "buy turn")  # and now the King's guard
    assert next_move(state) == ["menu: move", "hex 9.10", "group {1, 2}", "to NW"]


def test_the_captain_brings_an_own_piece_into_the_stack_that_attacks() -> None:
    whites = {"3.10": "Sá-a Sá-b Melo-a", "3.11": "Silva-a"}
    state = field({"3.9": "3s"}, whites, waves=True, mode="semi_cooperative")
    state.record.family_owner[:] = [1, 2, 3] * 4
    state.record.family_owner[0] = 0  # Silva
    assert next_move(state.refresh())[0] == "menu: swap"


def test_an_unguarded_flank_is_an_easier_one() -> None:
    box = calibration.unguarded(BOX.array)
    assert (box["flank_guard"] == -1).all() and (BOX.array["flank_guard"] >= 0).all() and not box.flags.writeable


def test_stacks_of_three_stand_where_the_captain_begins() -> None:
    states = np.zeros(2, calibration.GAME.new_states(1).dtype)
    calibration.stack(BOX.array, states)
    names, sizes = np.unique([NAMES[here] for here in states["piece_hex"][1, 4:]], return_counts=True)
    assert set(names) == {"4.7", "9.7", "10.7", "7.5", "8.7", "4.10", "4.11", "10.12"} and (sizes == 3).all()
