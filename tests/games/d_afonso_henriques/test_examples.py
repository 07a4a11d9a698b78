"""The worked examples that follow the rulebook's own text and pictures (W1 … W16)."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.games.d_afonso_henriques.table import (
    counts,
    dice,
    field,
    hand,
    labels,
    moors_pile,
    node,
    play,
    position,
    run_forced,
    values,
)


@pytest.mark.rules("W1", "BAT-9", "BAT-8", "BAT-12", "BAT-14", "EXA-3")
def test_pictured_card_gives_3_vp_and_a_cube_for_a_2(skip_forced: bool) -> None:
    state = position(hands={0: "p"}, slots="L2_a,L5_a,L6,L4_a", moors_deck="L3_a", skip_forced=skip_forced)
    play(state, dice(2), "target:slot0")
    assert values(state.record.vp, 2) == [3, 0]
    assert state.record.cubes[0] == 1
    assert values(state.record.pused) == counts("p")
    assert field(state)[0] == "L3_a"
    assert moors_pile(state) == ["L2_a"]
    assert state.record.circle == 3  # nobody has a card: the battle is over
    assert state.record.cubes[1] == 1  # for the fewest VP


@pytest.mark.rules("W2", "EXA-1", "BAT-10", "EXA-3")
def test_first_fight_is_won_with_a_cube(skip_forced: bool) -> None:
    state = position(hands={0: "s"}, cubes=(2, 0), moors_deck="L3_a", skip_forced=skip_forced)
    play(state, dice(2, 3), "target:slot0")
    assert node(state) == "PAY"
    assert state.record.deficit == 1
    assert labels(state) == {"pay", "lose"}
    play(state, "pay")
    assert state.record.vp[0] == 4
    assert state.record.cubes[0] == 2 - 1 + 1
    assert values(state.record.pused) == counts("s")
    assert moors_pile(state) == ["L4_a"]
    assert field(state)[0] == "L3_a"


@pytest.mark.rules("W3", "EXA-2", "EXA-3")
def test_second_fight_is_lost_without_cubes(skip_forced: bool) -> None:
    state = position(hands={0: "p,p"}, skip_forced=skip_forced)
    state.apply("target:slot1")
    run_forced(state)
    assert labels(state) == {"add:peasant", "roll"}
    play(state, dice(1, 4), "add:peasant")
    assert values(state.record.vp, 2) == [0, 0]
    assert values(state.record.pused) == counts("p,p")
    assert field(state)[1] == "L5_a"
    assert state.record.circle == 3


@pytest.mark.rules("W4", "EXA-4")
def test_five_dice_count_as_one_roll(skip_forced: bool) -> None:
    state = position(hands={0: "s,n"}, skip_forced=skip_forced)
    play(state, dice(1, 1, 2, 3, 5), "target:slot1", "add:soldier", "add:noble")
    assert state.record.vp[0] == 5


@pytest.mark.rules("W5", "VIL-6", "PLA-2")
def test_the_first_player_card_moves_at_once_but_not_the_order(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(2, 3, 3), skip_forced=skip_forced)
    play(state, "village:V1", "village:V0")
    assert state.record.holder == 1
    assert state.actor == 2
    play(state, "pass")
    assert state.record.circle == 1
    assert state.actor == 1
    assert values(state.record.cubes, 3) == [3, 5, 5]


@pytest.mark.rules("W6", "BAT-13")
def test_points_go_on_past_49(skip_forced: bool) -> None:
    state = position(hands={0: "k"}, vp=(47, 0), slots="king,L5_a,L6,L2_a", skip_forced=skip_forced)
    play(state, dice(6, 1, 1, 1), "target:slot0")
    assert state.record.vp[0] == 55


@pytest.mark.rules("W7", "SPE-1", "SPE-2")
def test_the_moors_king_needs_two_cards_or_a_king(skip_forced: bool) -> None:
    field_with_king = "king,L5_a,L6,L2_a"
    noble = position(hands={0: "n"}, slots=field_with_king, skip_forced=skip_forced)
    assert labels(noble) == {"pass", "target:slot1", "target:slot2", "target:slot3"}

    pair = position(hands={0: "p,p"}, slots=field_with_king, skip_forced=skip_forced)
    assert "target:slot0" in labels(pair)
    play(pair, dice(6, 1), "target:slot0")
    assert pair.record.vp[0] == 8
    assert pair.record.cubes[0] == 1

    king = position(hands={0: "p,k"}, slots=field_with_king, skip_forced=skip_forced)
    play(king, dice(1, 1, 1, 1, 6), "target:slot0")
    assert labels(king) == {"add:peasant", "add:king"}
    fork = king.clone()
    play(king, "add:king")
    assert labels(king) == {"add:peasant", "roll"}
    play(fork, dice(1, 1, 1, 1, 6), "add:peasant")  # then the King and the roll are forced
    assert fork.record.vp[0] == 8


@pytest.mark.rules("W8", "SPE-3", "SPE-4", "SPE-5", "SPE-6", "SPE-7")
def test_a_siege_engine_is_won_and_used_in_the_same_battle(skip_forced: bool) -> None:
    state = position(
        hands={0: "p", 1: "p"}, slots="catapult,L5_a,L6,L2_a", moors_deck="L3_a,L3_b", skip_forced=skip_forced
    )
    play(state, dice(3), "target:slot0")
    assert state.record.vp[0] == 0
    assert state.record.cubes[0] == 2
    assert hand(state, 0) == counts("cat", 6)
    assert moors_pile(state) == []
    assert field(state)[0] == "L3_a"
    assert state.actor == 1
    play(state, dice(1), "target:slot1")
    assert state.actor == 0
    play(state, dice(5), "target:slot1")
    assert state.record.vp[0] == 5
    assert state.record.cubes[0] == 3
    assert moors_pile(state) == ["catapult", "L5_a"]
    assert values(state.record.pused) == counts("p,p")


@pytest.mark.rules("W9", "CHA-7")
def test_the_strategist_has_six_options(skip_forced: bool) -> None:
    state = position(
        hands={0: "p"}, moors_deck="L3_b", moors_used="L3_a", characters=True, character_assignment=[3, 0],
        skip_forced=skip_forced,
    )  # fmt: skip
    places = {"slot0", "slot1", "slot2", "slot3", "new_top", "used_top"}
    assert labels(state) == {"pass"} | {f"target:{place}" for place in places}


@pytest.mark.rules("W10", "CHA-5", "CHA-6", "CHA-2")
def test_the_warrior_card_returns(skip_forced: bool) -> None:
    state = position(
        hands={0: "s"}, cubes=(1, 0), characters=True, character_assignment=[2, 0], skip_forced=skip_forced
    )
    play(state, "target:slot1", "use:warrior")
    assert labels(state) == {"add:soldier", "roll"}
    assert state.record.cubes[0] == 0
    play(state, dice(1, 1, 5), "add:soldier")
    assert state.record.vp[0] == 5
    assert state.record.cubes[0] == 1
    assert values(state.record.pused) == counts("s")
    assert state.record.circle == 3
    assert state.record.ready[0] == 1


@pytest.mark.rules("W11", "CHA-3")
def test_the_scout_pays_2_in_village_3(skip_forced: bool) -> None:
    state = position(
        3, 0, cubes=(2, 2, 2), deck="n,s,p", characters=True, character_assignment=[0, 1, 2], skip_forced=skip_forced
    )
    assert "village:V3_up" in labels(state)
    play(state, "village:V3_up", "keep:noble", "left:soldier")
    assert state.record.cubes[0] == 0
    assert values(state.record.piles[1]) == counts("s")
    assert values(state.record.piles[2]) == counts("p")
    assert state.actor == 1
    assert labels(state) == {"pass", "village:V0", "village:V1", "village:V2_up"}


@pytest.mark.rules("W12", "BON-12")
def test_bonus_card_7_never_lies_on_ourique() -> None:
    from lusogames_env.games.d_afonso_henriques.rules import lay_bonus_cards

    state = GameState.new(GAME, battle_bonus=True)
    lay_bonus_cards(state.record, np.array([3, 1, 8, 2, 7, 5, 4, 6], np.int8))
    assert values(state.record.bonus) == [3, 1, 8, 2, 5]
    lay_bonus_cards(state.record, np.array([7, 1, 8, 2, 3, 5, 4, 6], np.int8))
    assert values(state.record.bonus) == [7, 1, 8, 2, 3]
    assert state.check() == 0


@pytest.mark.rules("W13", "NUM-2", "DAH-23")
def test_village_1_is_closed_to_two_players(skip_forced: bool) -> None:
    two = GameState.new(GAME, num_players=2, first_player=0, skip_forced=skip_forced)
    assert labels(two) == {"pass", "village:V0", "village:V2_up"}
    two.apply("pass")
    assert labels(two) == {"pass", "village:V0", "village:V2_up", "village:V3_up"}
    four = GameState.new(GAME, num_players=4, first_player=0, skip_forced=skip_forced)
    assert labels(four) == {"pass", "village:V0", "village:V1", "village:V2_up"}
    four.apply("pass")
    assert labels(four) == {"pass", "village:V0", "village:V1", "village:V2_up", "village:V3_up"}


@pytest.mark.rules("W14", "VIL-2")
def test_two_cubes_for_all_at_the_second_village(skip_forced: bool) -> None:
    state = position(4, 1, cubes=(1, 0, 2, 3), skip_forced=skip_forced)
    assert values(state.record.cubes) == [3, 2, 4, 5]


@pytest.mark.rules("W15", "EOG-2", "EOB-3", "EOG-1")
def test_two_cubes_are_worth_a_point_at_the_end(skip_forced: bool) -> None:
    state = position(2, 14, vp=(20, 21), cubes=(5, 3), skip_forced=skip_forced)
    assert state.over
    assert values(state.record.cubes, 2) == [6, 3]
    assert state.outcome("raw").tolist() == [23, 22]
    assert state.outcome("win").tolist() == [1, -1]


@pytest.mark.rules("W16", "BAT-11")
def test_cubes_won_can_be_paid_in_the_next_fight(skip_forced: bool) -> None:
    state = position(hands={0: "p,p"}, slots="L2_a,L4_a,L6,L5_a", skip_forced=skip_forced)
    play(state, dice(2), "target:slot0", "roll")
    assert state.record.vp[0] == 3
    assert state.record.cubes[0] == 1
    play(state, dice(3), "target:slot1")
    assert labels(state) == {"pay", "lose"}
    play(state, "pay")
    assert state.record.vp[0] == 7
    assert state.record.cubes[0] == 1
