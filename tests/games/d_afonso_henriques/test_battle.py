"""Battle Phase, Special Moors Cards, End of Battle."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
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
    refreshed,
    values,
)

EASY = "L2_a,L2_a,L2_a,L2_b"


def dice_now(state: GameState) -> int:
    """Return the dice of the fight under way if rolled now, as the seat on turn sees it."""
    return round(float(state.view()["dice_now"][0]) * 20)


# ---------------------------------------------------------------- turns


@pytest.mark.rules("BAT-2", "BAT-3", "PLA-2", "DAH-24")
def test_one_fight_each_clockwise_from_the_holder() -> None:
    state = position(3, 2, holder=1, hands={0: "p,p", 1: "p,p,p", 2: "p"}, slots=EASY)
    order = []
    while state.record.circle == 2:
        order.append(state.actor)
        play(state, dice(1), "target:slot0", *(["roll"] if "add:peasant" in labels_after(state) else []))
    assert order == [1, 2, 0, 1, 0, 1]  # a seat without cards is left out; the last one plays on alone


def labels_after(state: GameState) -> set[str]:
    """Return what is legal after the one peasant that has to be added."""
    twin = state.clone().apply("target:slot0").apply("add:peasant")
    return labels(twin)


@pytest.mark.rules("BAT-4", "BAT-5", "DAH-27")
def test_one_target_then_cards_then_the_roll_without_way_back() -> None:
    state = position(hands={0: "p,s,n"})
    state.apply("target:slot2")
    assert labels(state) == {"add:peasant", "add:soldier", "add:noble"}  # no roll without a card, no other target
    state.apply("add:soldier")
    assert labels(state) == {"add:peasant", "add:noble", "roll"}
    assert hand(state, 0) == counts("p,n", 6)
    public = state.view(1)  # face up in front of the chosen card
    assert public["target"].tolist() == [0, 0, 1, 0, 0, 0]
    assert public["committed"].tolist() == pytest.approx([0, 0.1, 0, 0, 0, 0, 0, 0])


@pytest.mark.rules("BAT-5", "BAT-6", "DAH-28", "DAH-29", "EXA-4")
def test_any_number_of_cards_and_the_sum_of_their_dice() -> None:
    state = position(hands={0: "p,s,n,k,p,p"}, slots="L6,L5_a,L4_a,L2_a")
    state.apply("target:slot0")
    shown = [dice_now(state)]
    for card in ("peasant", "soldier", "noble", "king", "peasant"):
        state.apply(f"add:{card}")
        shown.append(dice_now(state))
    assert shown == [0, 1, 3, 6, 10, 11]
    play(state, dice(6), "roll")
    assert values(state.record.pused) == counts("p,s,n,k,p")
    assert hand(state, 0) == counts("p", 6)


@pytest.mark.rules("BAT-6", "BAT-7", "DAH-34")
@pytest.mark.parametrize(("card", "number"), [("p", 1), ("s", 2), ("n", 3), ("k", 4)])
def test_dice_of_each_kind(card: str, number: int) -> None:
    state = position(hands={0: f"{card},{card}"}).apply("target:slot0")
    state.apply(state.legal_actions()[0])
    assert dice_now(state) == number


@pytest.mark.rules("BAT-8", "DAH-30")
@pytest.mark.parametrize(("rolled", "won"), [((4, 1), True), ((5, 5), True), ((2, 2), False), ((3, 3), False)])
def test_the_best_die_counts_not_the_sum(rolled: tuple[int, int], won: bool) -> None:
    state = position(hands={0: "s"})  # slot 0 asks for a 4
    play(state, dice(*rolled), "target:slot0")
    assert state.record.vp[0] == (4 if won else 0)


@pytest.mark.rules("BAT-9", "BAT-12")
def test_points_and_cubes_of_the_card_at_once() -> None:
    state = position(hands={0: "p,p", 1: "p"}, slots="L3_b,L5_a,L6,L2_a")
    bank = int(state.record.bank)
    play(state, dice(3), "target:slot0", "roll")
    assert (state.record.circle, state.actor) == (2, 1)  # the battle goes on
    assert state.record.vp[0] == 3
    assert state.record.cubes[0] == 2
    assert state.record.bank == bank - 2


@pytest.mark.rules("BAT-10", "DAH-31")
def test_a_cube_adds_one_and_exactly_the_gap_is_paid_or_nothing() -> None:
    start = position(hands={0: "p,p"}, cubes=(5, 0), slots="L6,L5_a,L4_a,L2_a")
    state = play(start.clone(), dice(3), "target:slot0", "roll")
    assert (node(state), int(state.record.deficit)) == ("PAY", 3)
    assert labels(state) == {"pay", "lose"}
    paid = play(state.clone(), "pay")
    assert paid.record.cubes[0] == 5 - 3 + 2
    assert paid.record.vp[0] == 6
    lost = play(state.clone(), "lose")
    assert lost.record.cubes[0] == 5
    assert lost.record.vp[0] == 0
    assert field(lost)[0] == "L6"
    won = play(start.clone(), dice(6), "target:slot0", "roll")  # no question without a gap
    assert node(won) == "BATTLE"
    assert won.record.cubes[0] == 7


@pytest.mark.rules("BAT-11", "DAH-32")
def test_the_cubes_of_a_card_cannot_pay_for_that_card() -> None:
    state = position(hands={0: "p,p"}, cubes=(1, 0), slots="L3_b,L5_a,L6,L2_a")
    play(state, dice(1), "target:slot0", "roll")  # gap 2, one cube, and two more on the card
    assert node(state) == "BATTLE"
    assert state.record.vp[0] == 0


@pytest.mark.rules("BAT-13", "DAH-43")
def test_there_is_no_cap_on_points() -> None:
    state = position(hands={0: "p,p"}, vp=(99, 0))
    play(state, dice(4), "target:slot0", "roll")
    assert state.record.vp[0] == 103
    assert state.view(0)["vp"][0] == pytest.approx(103 / 150)


@pytest.mark.rules("BAT-14")
@pytest.mark.parametrize("die", [1, 6])
def test_used_cards_are_discarded_won_or_lost_and_the_turn_passes(die: int) -> None:
    state = position(hands={0: "p,p", 1: "p"})
    play(state, dice(die), "target:slot0", "roll")
    assert values(state.record.pused) == counts("p")
    assert values(state.record.battle_used[0]) == counts("p")
    assert state.actor == 1


@pytest.mark.rules("DAH-67")
def test_nobody_has_to_fight() -> None:
    state = position(hands={0: "k", 1: "k"})
    for seat in (0, 1):
        assert state.actor == seat
        assert "pass" in labels(state)
        state.apply("pass")
    assert state.record.circle == 3
    assert hand(state, 0) == counts("k", 6)


@pytest.mark.rules("EXA-3", "DAH-38")
def test_an_empty_moors_deck_is_renewed_or_leaves_a_gap() -> None:
    slots = "L2_a,L5_a,L6,L4_a"
    renewed = position(hands={0: "p,p"}, slots=slots, moors_rest="used")
    assert renewed.record.mdeck_n == 0
    pile = int(renewed.record.mused_n)
    play(renewed, dice(2), "target:slot0", "roll")
    assert "-" not in field(renewed)
    assert renewed.record.mused_n == 0
    assert renewed.record.mdeck_n == pile  # with the card just beaten, less the one laid into the slot
    gap = position(hands={0: "p,p"}, slots=slots, moors_rest="used", moors_reshuffle=False)
    play(gap, dice(2), "target:slot0", "roll")
    assert field(gap)[0] == "-"
    assert gap.record.mused_n == pile + 1
    assert "target:slot0" not in labels(gap)
    assert not gap.view(0)["moors_slots"][0].any()


@pytest.mark.rules("DAH-68", "EXA-3")
def test_undefeated_cards_stay_for_the_next_battle() -> None:
    state = position(hands={0: "p,p"})
    before = field(state)
    play(state, dice(1), "target:slot0", "roll", "pass")
    while state.record.circle != 5:
        state.apply("pass")
    assert node(state) == "BATTLE"
    assert field(state) == before


# ---------------------------------------------------------------- special Moors cards


@pytest.mark.rules("SPE-1", "SPE-2", "DAH-33")
def test_what_may_face_the_moors_king() -> None:
    slots = "king,L5_a,L6,L2_a"
    for cards, may in (("p", False), ("n", False), ("cat", False), ("k", True), ("p,n", True), ("cat,tow", True)):
        state = position(hands={0: cards}, slots=slots)
        assert ("target:slot0" in labels(state)) is may, cards
    state = position(hands={0: "p,p,p"}, slots=slots)
    state.apply("target:slot0").apply("add:peasant")
    assert labels(state) == {"add:peasant"}  # one card is not enough to roll
    state.apply("add:peasant")
    assert labels(state) == {"add:peasant", "roll"}
    state = position(hands={0: "k,p"}, slots=slots).apply("target:slot0").apply("add:king")
    assert labels(state) == {"add:peasant", "roll"}


@pytest.mark.rules("SPE-3", "SPE-4", "DAH-35", "EXA-3")
def test_an_engine_gives_cubes_and_is_kept_across_battles() -> None:
    state = position(hands={0: "p,p"}, slots="siege_tower,L5_a,L6,L2_a", moors_deck="L3_a")
    play(state, dice(4), "target:slot0", "roll")
    assert state.record.vp[0] == 0
    assert state.record.cubes[0] == 3
    assert hand(state, 0) == counts("p,tow", 6)
    assert field(state)[0] == "L3_a"
    assert moors_pile(state) == []
    assert state.view(1)["siege"][1].tolist() == [0, 0.5]  # openly known
    play(state, "pass")
    while state.record.circle != 5:
        state.apply("pass")
    state.apply("target:slot0")
    assert "add:siege_tower" in labels(state)
    score = state.outcome("raw")[0]
    state.record.hand[0, 5] = 0
    assert state.outcome("raw")[0] == score  # worth nothing at the end


@pytest.mark.rules("SPE-5", "SPE-6", "DAH-36", "DAH-37")
def test_engines_fight_as_peasants_and_are_laid_on_the_used_moors_pile() -> None:
    state = position(hands={0: "cat,tow,p,p"}, moors_used="L3_a", moors_deck="L3_b")
    state.apply("target:slot3").apply("add:siege_tower")
    assert dice_now(state) == 1
    state.apply("add:catapult")
    assert dice_now(state) == 2
    play(state, dice(1, 2), "roll")
    assert moors_pile(state) == ["L3_a", "catapult", "siege_tower", "L2_a"]
    assert values(state.record.pused) == counts("")
    assert not state.record.battle_used.any()  # never recoverable: no Portuguese card


@pytest.mark.rules("SPE-7", "DAH-35")
def test_an_engine_just_won_keeps_its_owner_in_the_battle() -> None:
    state = position(hands={0: "p"}, slots="catapult,L5_a,L6,L2_a")
    play(state, dice(3), "target:slot0")
    assert (state.record.circle, state.actor) == (2, 0)
    assert hand(state, 0) == counts("cat", 6)
    play(state, dice(2), "target:slot3")
    assert state.record.vp[0] == 3
    assert state.record.circle == 3


@pytest.mark.rules("DAH-37")
def test_without_renewal_gaps_stay_though_engines_are_used() -> None:
    state = position(hands={0: "cat,p"}, slots="L6,-,-,-", moors_rest="used", moors_reshuffle=False)
    pile = int(state.record.mused_n)
    play(state, dice(1), "target:slot0", "add:catapult", "roll")
    assert field(state) == ["L6", "-", "-", "-"]  # without renewal gaps stay, the engine is on the pile
    assert state.record.mused_n == pile + 1
    assert moors_pile(state)[-1] == "catapult"


# ---------------------------------------------------------------- the end of a battle


@pytest.mark.rules("EOB-1", "DAH-25", "DAH-26", "DAH-39")
def test_a_battle_ends_when_all_have_passed_or_have_no_cards() -> None:
    state = position(3, 2, hands={0: "p", 2: "p,p"}, slots=EASY)
    play(state, dice(1), "target:slot0")  # seat 0 has no cards any more, seat 1 never had
    assert state.actor == 2
    play(state, "pass")
    assert state.record.circle == 3
    assert hand(state, 2) == counts("p,p", 6)


@pytest.mark.rules("DAH-39")
def test_a_seat_that_gets_a_card_again_is_asked_again() -> None:
    """A seat without usable cards is skipped, not passed: its Warrior returns to play with a cube."""
    state = position(hands={0: "", 1: "p,p"}, cubes=(0, 0), slots=EASY, characters=True, character_assignment=[2, 0])
    assert state.actor == 1  # the Warrior has no cube
    assert state.record.passed[0] == 0
    state.record.cubes[0] = 1
    state.record.bank -= 1
    refreshed(state)
    play(state, dice(1), "target:slot0", "roll")
    assert state.actor == 0


@pytest.mark.rules("EOB-2", "DAH-40")
@pytest.mark.parametrize(
    ("points", "extra"),
    [((4, 2, 7), (0, 1, 0)), ((2, 2, 7), (0, 0, 0)), ((0, 0, 0), (0, 0, 0)), ((9, 8, 7), (0, 0, 1))],
)
def test_a_cube_for_the_only_seat_with_the_fewest_points(points: tuple, extra: tuple) -> None:
    state = position(3, 2, vp=points, cubes=(1, 1, 1))
    assert state.record.circle == 3
    assert values(state.record.cubes, 3) == [1 + cube for cube in extra]


@pytest.mark.rules("EOB-3", "EOB-2", "DAH-40")
def test_after_ourique_the_game_ends_with_the_last_cube_paid() -> None:
    state = position(2, 14, hands={0: "p"}, vp=(3, 5), cubes=(1, 0))
    assert not state.over
    state.apply("pass")
    assert state.over
    assert not state.truncated
    assert state.record.cubes[0] == 2
    assert (state.actor, node(state)) == (-1, "END")
    assert state.legal_actions() == []


# ---------------------------------------------------------------- End of Game


@pytest.mark.rules("EOG-1", "EOG-2", "DAH-41", "DAH-66")
@pytest.mark.parametrize(("cubes", "points"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (7, 3)])
def test_each_two_cubes_are_a_point(cubes: int, points: int) -> None:
    state = position(2, 14, vp=(10, 10), cubes=(cubes, 0), hands={1: "k,n"})
    state.apply("pass")
    assert state.over
    assert state.outcome("raw").tolist() == [10 + points, 10]  # cards in hand are worth nothing


@pytest.mark.rules("EOG-1")
def test_most_points_win() -> None:
    state = position(3, 14, vp=(10, 30, 20))
    assert state.outcome("win").tolist() == [-0.5, 1, -0.5]
    assert state.outcome("placement").tolist() == [-1, 1, 0]
    assert state.outcome("margin").tolist() == pytest.approx([-15 / 40, 15 / 40, 0])


@pytest.mark.rules("EOG-3", "DAH-42")
@pytest.mark.parametrize("holder", range(4))
def test_a_tie_goes_to_the_holder_and_then_clockwise(holder: int) -> None:
    state = position(4, 14, holder=holder, vp=(10, 10, 10, 10))
    expected = [0.0] * 4
    for place in range(4):
        expected[(holder + place) % 4] = 1 - 2 * place / 3
    assert state.outcome("placement").tolist() == pytest.approx(expected)


@pytest.mark.rules("DAH-64")
def test_an_endless_game_would_be_cut_off_between_two_turns() -> None:
    state = position(hands={0: "p,p", 1: "p"})
    state.record.ply = 998
    state.apply("target:slot0").apply("add:peasant")
    assert not state.over  # not in the middle of a fight
    state.apply("roll")
    assert state.truncated
    assert state.actor == -1
    assert state.check() == 0
    assert state.outcome("win").sum() == 0
    other = position(3, 0, cubes=(3, 3, 3))
    other.record.ply = 999
    other.apply("village:V0")
    assert other.truncated
    assert other.check() == 0
