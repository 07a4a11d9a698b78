"""Edge cases of the rules (E1 … E28), in both modes of forced decisions."""

from __future__ import annotations

import pytest

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

WARRIOR_FIRST, MASTER_FIRST, STRATEGIST_FIRST = [2, 0], [1, 0], [3, 0]


@pytest.mark.rules("E1", "DAH-08", "DAH-12", "DAH-17", "VIL-12", "KEY-2")
def test_a_rejected_card_can_be_taken_in_the_same_phase(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(2, 3, 3), deck="p,s", skip_forced=skip_forced)
    assert "village:V2_down" not in labels(state)
    play(state, "village:V2_up", "keep:soldier")
    assert state.actor == 1
    assert "village:V2_down" in labels(state)
    play(state, "village:V2_down")
    assert hand(state, 1) == counts("p", 6)
    assert values(state.record.known[1]) == counts("p")
    assert values(state.record.piles[0]) == counts("")
    assert values(state.record.cubes, 3) == [0, 1, 3]


@pytest.mark.rules("E2", "DAH-61")
def test_keeping_one_of_two_equal_cards_is_forced(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(2, 3, 3), deck="p,p", skip_forced=skip_forced)
    state.apply("village:V2_up")
    assert skip_forced or labels(state) == {"keep:peasant"}
    run_forced(state)
    assert hand(state, 0) == counts("p", 6)
    assert values(state.record.piles[0]) == counts("p")
    assert state.record.cubes[0] == 0
    assert state.actor == 1


@pytest.mark.rules("E3", "DAH-16", "VIL-14")
def test_the_drawer_chooses_which_card_goes_left(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="p,s,n", skip_forced=skip_forced)
    play(state, "village:V3_up", "keep:noble")
    assert labels(state) == {"left:peasant", "left:soldier"}
    play(state, "left:soldier")
    assert values(state.record.piles[1]) == counts("s")
    assert values(state.record.piles[2]) == counts("p")


@pytest.mark.rules("E4", "DAH-18", "DAH-72", "VIL-18", "VIL-11")
def test_the_deck_is_renewed_in_the_middle_of_a_draw(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="n", used="p,p,p", rest="A", skip_forced=skip_forced)
    in_pile_a = values(state.record.piles[0])
    play(state, "village:V3_up")
    assert state.record.pdeck_n == 1
    assert values(state.record.pused) == counts("")
    assert labels(state) == {"keep:peasant", "keep:noble"}
    play(state, "keep:noble")
    assert values(state.record.piles[1]) == counts("p")
    assert values(state.record.piles[2]) == counts("p")
    assert values(state.record.piles[0]) == in_pile_a  # rejected cards never come back into the deck
    assert values(state.record.deck_at_shuffle) == counts("p,p,p")
    assert values(state.record.deck_gone[0]) == counts("p,p")
    assert values(state.record.deck_gone[1:]) == [counts("")] * 3


@pytest.mark.rules("E5", "DAH-19")
def test_one_card_left_for_a_draw_of_two(skip_forced: bool) -> None:
    rest = {"L": "p," * 12 + "s," * 9 + "n," * 6 + "k,k"}
    state = position(3, 0, cubes=(3, 3, 3), deck="s", piles=rest, skip_forced=skip_forced)
    state.apply("village:V2_up")
    assert skip_forced or labels(state) == {"keep:soldier"}
    run_forced(state)
    assert state.record.cubes[0] == 1
    assert hand(state, 0) == counts("s", 6)
    assert values(state.record.piles[0]) == counts("")
    assert state.actor == 1


@pytest.mark.rules("E6", "DAH-19")
def test_two_cards_left_for_a_draw_of_three(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="s,p", rest="A", skip_forced=skip_forced)
    play(state, "village:V3_up", "keep:soldier")
    assert labels(state) == {"left:peasant", "right:peasant"}
    play(state, "right:peasant")
    assert values(state.record.piles[1]) == counts("")
    assert values(state.record.piles[2]) == counts("p")
    assert state.record.cubes[0] == 0


@pytest.mark.rules("E7", "DAH-11", "DAH-12")
def test_symbols_without_effect_or_money_are_closed(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(2, 3, 3), piles={"A": "p"}, rest="L", skip_forced=skip_forced)
    assert labels(state) == {"pass", "village:V0", "village:V2_down"}


@pytest.mark.rules("E8", "DAH-21", "DAH-22")
def test_a_short_bank_pays_clockwise_from_the_holder(skip_forced: bool) -> None:
    state = position(4, 1, holder=2, cubes=(5, 5, 5, 5), skip_forced=skip_forced)
    assert values(state.record.cubes) == [6, 6, 7, 6]
    assert state.record.bank == 0


@pytest.mark.rules("E9", "DAH-20", "DAH-70")
def test_a_short_bank_pays_what_it_has(skip_forced: bool) -> None:
    state = position(hands={0: "p"}, cubes=(13, 11), slots="siege_tower,L5_a,L6,L2_a", skip_forced=skip_forced)
    play(state, dice(6), "target:slot0")
    assert state.record.cubes[0] == 14
    assert state.record.bank == 0
    assert hand(state, 0) == counts("tow", 6)


@pytest.mark.rules("E10", "DAH-32")
def test_the_payment_is_in_the_bank_before_the_reward(skip_forced: bool) -> None:
    state = position(hands={0: "p,p"}, cubes=(12, 13), skip_forced=skip_forced)
    play(state, dice(3), "target:slot0", "roll", "pay")
    assert state.record.cubes[0] == 12
    assert state.record.bank == 0
    assert state.record.vp[0] == 4


@pytest.mark.rules("E11", "DAH-31")
def test_a_gap_that_cannot_be_paid_is_not_asked(skip_forced: bool) -> None:
    state = position(hands={0: "p,p"}, cubes=(1, 0), skip_forced=skip_forced)
    play(state, dice(2), "target:slot0", "roll")
    assert node(state) == "BATTLE"
    assert state.actor == 0
    assert state.record.cubes[0] == 1
    assert hand(state, 0) == counts("p", 6)
    assert state.record.vp[0] == 0


@pytest.mark.rules("E12", "DAH-24", "DAH-25", "BAT-3")
def test_a_pass_is_final_for_the_battle(skip_forced: bool) -> None:
    state = position(hands={0: "p,p", 1: "p,p"}, skip_forced=skip_forced)
    play(state, "pass", dice(4), "target:slot0", "roll")
    assert node(state) == "BATTLE"
    assert state.actor == 1
    assert state.record.passed[0] == 1
    play(state, "pass")
    assert state.record.circle == 3


@pytest.mark.rules("E13", "DAH-25")
def test_with_rejoin_a_fight_lets_all_in_again(skip_forced: bool) -> None:
    state = position(hands={0: "p,p", 1: "p,p"}, battle_pass="rejoin", skip_forced=skip_forced)
    play(state, "pass", dice(4), "target:slot0", "roll")
    assert node(state) == "BATTLE"
    assert state.actor == 0
    play(state, "pass")
    assert state.actor == 1
    assert state.record.circle == 2
    play(state, "pass")
    assert state.record.circle == 3


@pytest.mark.rules("E14", "DAH-26", "DAH-40")
def test_a_battle_without_cards_ends_at_once(skip_forced: bool) -> None:
    state = position(3, 2, vp=(4, 2, 7), skip_forced=skip_forced)
    assert state.record.circle == 3
    assert values(state.record.cubes, 3) == [0, 1, 0]


@pytest.mark.rules("E15", "DAH-40", "DAH-41", "DAH-42", "EOG-3")
def test_ties_go_to_the_first_in_play_order(skip_forced: bool) -> None:
    state = position(3, 14, holder=2, vp=(10, 9, 11), cubes=(1, 1, 0), skip_forced=skip_forced)
    assert state.over
    assert values(state.record.cubes, 3) == [1, 2, 0]
    assert state.outcome("raw").tolist() == [10, 10, 11]
    assert state.outcome("placement").tolist() == [0, -1, 1]  # order of ranks: 2, 0, 1


@pytest.mark.rules("E16", "DAH-52", "BON-4")
def test_bonus_2_pays_the_first_two_players_with_a_defeat(skip_forced: bool) -> None:
    state = position(
        3, 2, hands={0: "p,p", 1: "s,s", 2: "p"}, slots="L2_a,L2_a,L2_a,L2_b", battle_bonus=True,
        bonus_layout=[2, 1, 3, 4, 5], skip_forced=skip_forced,
    )  # fmt: skip
    scores = []
    for moves in (
        (dice(6), "target:slot0", "roll"),
        (dice(1, 1), "target:slot1", "roll"),
        (dice(2), "target:slot1"),
        (dice(6), "target:slot2"),
        (dice(3, 1), "target:slot3"),
    ):
        # `play` would go through forced decisions of the next seat, which has none here
        play(state, *moves)
        scores.append(values(state.record.vp, 3))
    assert scores == [[8, 0, 0], [8, 0, 0], [8, 0, 5], [11, 0, 5], [11, 2, 5]]


@pytest.mark.rules("E17", "DAH-53", "BON-5")
def test_bonus_3_gives_a_die_in_the_second_fight_only(skip_forced: bool) -> None:
    state = position(
        hands={0: "p,p,p"}, slots="L2_a,L2_a,L2_a,L2_b", battle_bonus=True, bonus_layout=[3, 1, 2, 4, 5],
        skip_forced=skip_forced,
    )  # fmt: skip
    play(state, dice(1), "target:slot0", "roll")
    assert state.record.vp[0] == 0
    state.apply("target:slot0")
    run_forced(state)
    assert state.view(0)["dice_now"][0] == pytest.approx(2 / 20)
    play(state, dice(1, 2), "roll")
    assert state.record.vp[0] == 3
    if not skip_forced:
        state.apply("target:slot1").apply("add:peasant")
        assert state.view(0)["dice_now"][0] == pytest.approx(1 / 20)
        play(state, dice(1, 6), "roll")
    else:
        play(state, dice(1, 6), "target:slot1")
    assert state.record.vp[0] == 3  # a second die would have won


@pytest.mark.rules("E18", "DAH-56")
def test_bonus_6_pays_nobody_in_a_tie(skip_forced: bool) -> None:
    state = position(vp=(3, 3), battle_bonus=True, bonus_layout=[6, 1, 2, 4, 5], skip_forced=skip_forced)
    assert state.record.circle == 3
    assert values(state.record.cubes, 2) == [0, 0]


@pytest.mark.rules("E19", "DAH-58", "BON-13")
def test_bonus_8_pays_for_two_cards_even_if_lost(skip_forced: bool) -> None:
    state = position(hands={0: "p,p"}, battle_bonus=True, bonus_layout=[8, 1, 2, 4, 5], skip_forced=skip_forced)
    play(state, "target:slot0")  # adds the first peasant
    play(state, dice(1, 1), "add:peasant")
    assert state.record.vp[0] == 3
    assert field(state)[0] == "L4_a"


@pytest.mark.rules("E20", "DAH-35", "DAH-54", "BON-6")
def test_bonus_4_pays_for_an_engine_and_the_battle_goes_on(skip_forced: bool) -> None:
    state = position(
        hands={0: "p"}, slots="catapult,L5_a,L6,L2_a", battle_bonus=True, bonus_layout=[4, 1, 2, 3, 5],
        skip_forced=skip_forced,
    )  # fmt: skip
    play(state, dice(3), "target:slot0")
    assert state.record.vp[0] == 1
    assert state.record.cubes[0] == 2
    assert hand(state, 0) == counts("cat", 6)
    assert (state.record.circle, node(state), state.actor) == (2, "BATTLE", 0)


@pytest.mark.rules("E21", "DAH-46", "CHA-4")
def test_the_master_of_arms_needs_a_peasant_or_soldier(skip_forced: bool) -> None:
    state = position(hands={0: "p,n"}, characters=True, character_assignment=MASTER_FIRST, skip_forced=skip_forced)
    play(state, "target:slot1", "add:noble")
    assert labels(state) == {"add:peasant", "roll"}
    play(state, "add:peasant")
    assert labels(state) == {"use:master", "roll"}
    play(state, dice(1, 1, 1, 1, 5), "use:master")
    assert state.record.vp[0] == 5


@pytest.mark.rules("E22", "DAH-33", "DAH-36", "DAH-37")
def test_an_engine_counts_as_a_card_against_the_king(skip_forced: bool) -> None:
    state = position(hands={0: "p,cat"}, slots="king,L5_a,L6,L2_a", skip_forced=skip_forced)
    play(state, dice(6, 1), "target:slot0", "add:catapult")
    assert state.record.vp[0] == 8
    assert moors_pile(state) == ["catapult", "king"]
    assert values(state.record.pused) == counts("p")


@pytest.mark.rules("E23", "DAH-36", "DAH-46", "DAH-55", "BON-8")
def test_bonus_5_doubles_peasants_and_engines(skip_forced: bool) -> None:
    state = position(
        hands={0: "p,cat,cat"}, battle_bonus=True, bonus_layout=[5, 1, 2, 3, 4], characters=True,
        character_assignment=MASTER_FIRST, skip_forced=skip_forced,
    )  # fmt: skip
    play(state, "target:slot2", "add:peasant", "add:catapult")
    assert state.view(0)["dice_now"][0] == pytest.approx(4 / 20)
    play(state, "use:master")
    assert state.view(0)["dice_now"][0] == pytest.approx(5 / 20)


@pytest.mark.rules("E24", "DAH-44", "DAH-49", "CHA-1", "CHA-2")
def test_the_strategist_is_spent_even_if_the_fight_is_lost(skip_forced: bool) -> None:
    state = position(
        hands={0: "p,p,p"}, moors_deck="L3_a", characters=True, character_assignment=STRATEGIST_FIRST,
        skip_forced=skip_forced,
    )  # fmt: skip
    assert state.record.ready[0] == 1
    play(state, dice(1), "target:new_top", "roll")
    assert state.record.ready[0] == 0
    assert "target:new_top" not in labels(state)
    play(state, "pass")
    assert state.record.circle == 3
    assert state.record.ready[0] == 1


@pytest.mark.rules("E25", "DAH-71", "VIL-15")
def test_all_down_symbols_are_open_when_their_piles_have_cards(skip_forced: bool) -> None:
    state = position(4, 0, cubes=(3, 3, 3, 3), deck="p,s,n,s", skip_forced=skip_forced)
    play(state, "village:V1", "village:V3_up", "keep:noble")
    assert values(state.record.piles[1]) == counts("s")
    assert values(state.record.piles[2]) == counts("s")
    assert state.actor == 2
    assert labels(state) == {"pass", "village:V0", "village:V2_up", "village:V3_left", "village:V3_right"}


@pytest.mark.rules("E26", "DAH-39")
def test_a_seat_without_a_legal_target_is_asked_all_the_same(skip_forced: bool) -> None:
    state = position(
        3, 2, hands={0: "n", 1: "k"}, slots="king,-,-,-", moors_rest="used", moors_reshuffle=False,
        skip_forced=skip_forced,
    )  # fmt: skip
    if not skip_forced:
        assert (state.actor, labels(state)) == (0, {"pass"})
        run_forced(state)
    assert (state.actor, labels(state)) == (1, {"pass", "target:slot0"})


@pytest.mark.rules("E27", "DAH-71", "DAH-72", "VIL-8")
def test_village_1_asks_nothing_and_tells_nothing(skip_forced: bool) -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="s,n,p", skip_forced=skip_forced)
    play(state, "village:V2_up", "keep:noble")
    state.apply("village:V1")
    assert (state.actor, node(state)) == (2, "VILLAGE")
    assert hand(state, 1) == counts("p", 6)
    gone = state.record.deck_gone
    assert [values(row) for row in gone[:3]] == [counts("s,n"), counts("s,p"), counts("s")]


@pytest.mark.rules("E28", "DAH-61")
def test_skipping_asks_less_and_changes_nothing() -> None:
    skipped = position(3, 0, cubes=(2, 3, 3), deck="p,p", skip_forced=True)
    skipped.apply("village:V2_up")
    assert (skipped.actor, node(skipped)) == (1, "VILLAGE")
    asked = position(3, 0, cubes=(2, 3, 3), deck="p,p")
    asked.apply("village:V2_up")
    assert (asked.actor, labels(asked)) == (0, {"keep:peasant"})
    asked.apply("keep:peasant")
    assert asked.record.tobytes() == skipped.record.tobytes()
