"""Advanced Rules: character cards and battle bonus cards."""

from __future__ import annotations

from typing import Any

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
    values,
)

SCOUT, MASTER, WARRIOR, STRATEGIST = range(4)


def with_character(first: int, *args: Any, num_players: int = 2, **kwargs: Any) -> GameState:
    """Return a position in which seat 0 has this character."""
    others = [c for c in (SCOUT, MASTER, WARRIOR, STRATEGIST) if c != first][: num_players - 1]
    circle = args[0] if args else 2
    return position(num_players, circle, characters=True, character_assignment=[first, *others], **kwargs)


def with_bonus(card: int, *, num_players: int = 2, circle: int = 2, **kwargs: Any) -> GameState:
    """Return a battle with this bonus card."""
    others = [c for c in (1, 2, 3, 4, 5, 6, 8) if c != card][:4]
    plan = [*others, card] if circle == 14 else [card, *others]
    return position(num_players, circle, battle_bonus=True, bonus_layout=plan, **kwargs)


def dice_now(state: GameState) -> int:
    """Return the dice of the fight under way if rolled now."""
    return round(float(state.view()["dice_now"][0]) * 20)


# ---------------------------------------------------------------- character cards


@pytest.mark.rules("CHA-1", "CHA-2", "DAH-44")
@pytest.mark.parametrize(
    ("character", "moves"),
    [
        (SCOUT, ("village:V3_up",)),
        (MASTER, ("target:slot0", "add:soldier", "use:master")),
        (WARRIOR, ("target:slot0", "use:warrior")),
        (STRATEGIST, ("target:used_top",)),
    ],
)
def test_a_card_is_turned_when_used_and_back_at_the_end_of_the_phase(character: int, moves: tuple[str, ...]) -> None:
    circle = 1 if character == SCOUT else 2
    cubes = (2, 3) if character == SCOUT else (2, 0)
    state = with_character(character, circle, hands={0: "s,p"}, cubes=cubes, moors_used="L3_a")
    assert values(state.record.ready, 2) == [1, 1]
    assert state.view(1)["character"][1].argmax() == character + 1
    for move in moves:
        state.apply(move)
    assert state.record.ready[0] == 0
    assert state.view(1)["character_ready"].tolist() == [1, 0, 0, 0]
    assert moves[-1] not in labels(state)
    phase = int(state.record.circle)
    while state.record.circle == phase:
        state.apply(state.legal_actions()[0])
    assert state.record.ready[0] == 1


@pytest.mark.rules("CHA-3", "DAH-45")
@pytest.mark.parametrize("symbol", ["V3_up", "V3_left", "V3_right"])
def test_the_scout_pays_2_for_any_symbol_of_village_3(symbol: str) -> None:
    state = with_character(SCOUT, 0, num_players=3, cubes=(2, 3, 2), piles={"L": "p", "R": "n", "A": "s"})
    state.apply(f"village:{symbol}")
    assert state.record.cubes[0] == 0
    while state.actor == 0:
        state.apply(state.legal_actions()[0])
    play(state, "pass")
    assert state.actor == 2
    assert not any("V3" in label for label in labels(state))  # the others need three
    full = with_character(SCOUT, 0, num_players=3, cubes=(2, 3, 3), piles={"A": "s"})
    full.apply("village:V2_down")
    assert full.record.cubes[0] == 0  # no discount elsewhere
    assert full.record.ready[0] == 1


@pytest.mark.rules("CHA-4", "DAH-46")
@pytest.mark.parametrize(("cards", "may"), [("p", True), ("s", True), ("cat", True), ("n", False), ("k", False)])
def test_the_master_of_arms_adds_one_die_with_a_peasant_soldier_or_engine(cards: str, may: bool) -> None:
    state = with_character(MASTER, hands={0: f"{cards},{cards}"})
    state.apply("target:slot0").apply(state.legal_actions()[0])
    assert ("use:master" in labels(state)) is may
    if may:
        before = dice_now(state)
        state.apply("use:master")
        assert dice_now(state) == before + 1
        assert "use:master" not in labels(state)
        state.apply(state.legal_actions()[0])  # a second such card gives no second die
        assert dice_now(state) == 2 * before + 1


@pytest.mark.rules("DAH-46", "DAH-44")
def test_the_master_of_arms_helps_once_per_battle() -> None:
    state = with_character(MASTER, hands={0: "p,p"})
    play(state, "target:slot0", dice(1, 1), "use:master", "roll")
    state.apply("target:slot0").apply("add:peasant")
    assert labels(state) == {"roll"}
    assert dice_now(state) == 1


@pytest.mark.rules("CHA-5", "CHA-6", "DAH-47")
def test_the_warrior_fights_alone_without_hand_cards_for_a_cube() -> None:
    state = with_character(WARRIOR, cubes=(1, 0), slots="L2_a,L5_a,L6,L4_a")
    assert (node(state), state.actor) == ("BATTLE", 0)
    bank = int(state.record.bank)
    state.apply("target:slot0")
    assert labels(state) == {"use:warrior"}
    state.apply("use:warrior")
    assert state.record.cubes[0] == 0
    assert state.record.bank == bank + 1
    assert dice_now(state) == 1
    assert state.view(1)["committed"][6] == 1
    play(state, dice(2), "roll")
    assert state.record.vp[0] == 3
    assert values(state.record.pused) == counts("")  # the card went back to its owner
    assert state.record.character[0] == WARRIOR
    assert state.record.circle == 3
    broke = with_character(WARRIOR, slots="L2_a,L5_a,L6,L4_a")
    assert broke.record.circle == 3  # without a cube there is nobody to fight


@pytest.mark.rules("DAH-47", "DAH-33", "SPE-2")
def test_the_warrior_counts_as_a_card_against_the_king() -> None:
    slots = "king,L5_a,L6,L4_a"
    assert "target:slot0" not in labels(with_character(WARRIOR, hands={0: "n"}, slots=slots))
    assert "target:slot0" not in labels(with_character(WARRIOR, cubes=(3, 0), slots=slots))
    state = with_character(WARRIOR, hands={0: "n"}, cubes=(1, 0), slots=slots)
    state.apply("target:slot0").apply("add:noble")
    assert labels(state) == {"use:warrior"}
    state.apply("use:warrior")
    assert labels(state) == {"roll"}
    assert dice_now(state) == 4


@pytest.mark.rules("CHA-7", "DAH-49")
def test_the_two_more_targets_are_the_open_tops() -> None:
    state = with_character(STRATEGIST, hands={0: "p,p", 1: "p"}, moors_deck="L2_a,L3_b", moors_used="L4_b,L3_a",
                           slots="L4_a,L5_a,L6,L6")  # fmt: skip
    deck = state.clone().apply("target:new_top")
    assert deck.view(1)["target_card"][1] == pytest.approx(2 / 6)
    assert deck.view(1)["target"].tolist() == [0, 0, 0, 0, 1, 0]
    used = state.clone().apply("target:used_top")
    assert used.view(1)["target_card"][1:3].tolist() == pytest.approx([4 / 6, 5 / 8])
    state.apply("pass")
    assert state.actor == 1  # not the Strategist
    assert {label for label in labels(state) if "top" in label} == set()


@pytest.mark.rules("CHA-8", "DAH-49", "DAH-37")
def test_a_beaten_top_card_goes_to_the_used_pile_and_no_slot_is_filled() -> None:
    setup = {"hands": {0: "p,p"}, "moors_deck": "L2_a,L3_b", "moors_used": "L3_a,L4_b", "slots": "L4_a,L5_a,L6,L6"}
    new = with_character(STRATEGIST, **setup)
    before = field(new)
    play(new, dice(2), "target:new_top", "roll")
    assert new.record.vp[0] == 3
    assert moors_pile(new) == ["L4_b", "L3_a", "L2_a"]
    assert field(new) == before
    assert new.view(0)["moors_next"][1:3].tolist() == pytest.approx([3 / 6, 3 / 8])  # the next card is seen
    used = with_character(STRATEGIST, **setup)
    play(used, dice(3), "target:used_top", "roll")
    assert used.record.vp[0] == 4
    assert moors_pile(used) == ["L4_b", "L3_a"]
    assert field(used) == before
    lost = with_character(STRATEGIST, **setup)
    play(lost, dice(1), "target:used_top", "roll")
    assert moors_pile(lost) == ["L4_b", "L3_a"]
    assert lost.record.ready[0] == 0


@pytest.mark.rules("DAH-37", "DAH-49")
def test_engines_land_on_top_of_a_used_pile_target() -> None:
    setup = {"moors_used": "L3_a,L4_b", "slots": "L4_a,L5_a,L6,L6"}
    lost = with_character(STRATEGIST, hands={0: "cat,p"}, **setup)
    play(lost, dice(1), "target:used_top", "add:catapult", "roll")
    assert moors_pile(lost) == ["L4_b", "L3_a", "catapult"]
    won = with_character(STRATEGIST, hands={0: "cat,p"}, **setup)
    play(won, dice(3), "target:used_top", "add:catapult", "roll")
    assert moors_pile(won) == ["L4_b", "catapult", "L3_a"]
    engine = with_character(STRATEGIST, hands={0: "cat,p"}, moors_used="siege_tower,L4_b", slots="L4_a,L5_a,L6,L6")
    play(engine, dice(4), "target:used_top", "add:catapult", "roll")
    assert moors_pile(engine) == ["L4_b", "catapult"]
    assert hand(engine, 0) == counts("p,tow", 6)


@pytest.mark.rules("DAH-49", "DAH-33")
def test_the_king_rule_and_missing_piles_hold_for_the_strategist_too() -> None:
    king = with_character(STRATEGIST, hands={0: "p"}, moors_deck="king")
    assert "target:new_top" not in labels(king)
    assert "target:used_top" not in labels(king)  # nothing lies there
    two = with_character(STRATEGIST, hands={0: "p,p"}, moors_deck="king")
    assert "target:new_top" in labels(two)
    empty = with_character(STRATEGIST, hands={0: "p,p"}, moors_rest="used")
    assert "target:new_top" not in labels(empty)
    assert empty.record.mdeck_n == 0  # the deck is not renewed for the choice


@pytest.mark.rules("DAH-39")
def test_the_strategist_is_able_with_the_tops_alone() -> None:
    state = with_character(
        STRATEGIST, hands={0: "p,p", 1: "p"}, slots="-,-,-,-", moors_rest="used", moors_reshuffle=False
    )
    assert state.actor == 0
    assert labels(state) == {"pass", "target:used_top"}
    play(state, dice(1), "target:used_top", "roll")
    assert state.record.circle == 3  # neither he nor the other seat can choose a card any more


@pytest.mark.rules("DAH-69")
def test_with_fewer_players_the_other_characters_do_not_occur() -> None:
    state = with_bonus(5, hands={0: "p,p"}, characters=True, character_assignment=[SCOUT, MASTER])
    state.apply("target:slot0").apply("add:peasant")
    assert "use:warrior" not in labels(state)
    assert dice_now(state) == 2


# ---------------------------------------------------------------- battle bonus cards


@pytest.mark.rules("BON-1")
def test_a_bonus_counts_in_its_own_battle_only() -> None:
    state = position(
        hands={0: "p,p", 1: "p"}, slots="L3_a,L3_a,L3_a,L3_b", battle_bonus=True, bonus_layout=[6, 1, 2, 3, 4]
    )
    assert state.view(0)["bonus_now"].argmax() == 6
    play(state, dice(3), "target:slot0", "roll")
    assert state.record.vp[0] == 4  # card 1 lies on the next battle


@pytest.mark.rules("BON-3", "DAH-51")
def test_bonus_1_adds_2_for_each_defeat_of_level_3() -> None:
    state = with_bonus(1, hands={0: "p,p,p,p"}, slots="L3_a,catapult,L4_a,L2_a", moors_deck="L6,L6")
    totals = []
    for moves in (
        (dice(3), "target:slot0", "roll"),
        (dice(3), "target:slot1", "roll"),
        (dice(4), "target:slot2", "add:peasant", "roll"),
    ):
        play(state, *moves)
        totals.append(int(state.record.vp[0]))
    assert totals == [4 + 2, 4 + 2 + 2, 4 + 2 + 2 + 4]
    lost = play(with_bonus(1, hands={0: "p,p"}, slots="L3_a,L3_a,L4_a,L2_a"), dice(1), "target:slot0", "roll")
    assert lost.record.vp[0] == 0


@pytest.mark.rules("DAH-51")
def test_bonus_1_holds_for_the_strategist_s_targets() -> None:
    state = with_bonus(
        1, hands={0: "p,p"}, moors_used="L3_a", characters=True, character_assignment=[STRATEGIST, SCOUT]
    )
    play(state, dice(3), "target:used_top", "roll")
    assert state.record.vp[0] == 4 + 2


@pytest.mark.rules("BON-4", "DAH-52")
def test_bonus_2_counts_players_not_defeats() -> None:
    state = with_bonus(2, num_players=3, hands={0: "p,p", 1: "p,p", 2: "p,p"}, slots="L2_a,L2_a,L2_a,L2_b")
    play(state, dice(1), "target:slot0", "roll")  # a lost fight is no defeat of a Moors card
    assert state.record.vp[0] == 0
    play(state, dice(2), "target:slot0", "roll")
    assert state.record.vp[1] == 3 + 5
    play(state, dice(2), "target:slot1", "roll")
    assert state.record.vp[2] == 3 + 2
    play(state, dice(2), "target:slot2")
    assert state.record.vp[0] == 3  # the third player gets nothing
    assert state.view(0)["defeaters"].tolist() == [[0, 0], [1, 0], [0, 1], [0, 0]]


@pytest.mark.rules("BON-5", "DAH-53", "DAH-55")
def test_bonus_3_gives_each_player_a_die_in_his_second_fight() -> None:
    state = with_bonus(3, hands={0: "p,p,p,s", 1: "p,p"}, slots="L6,L6,L5_a,L5_a")
    shown = []
    for _ in range(5):
        state.apply("target:slot0").apply("add:peasant")
        shown.append((state.actor, dice_now(state)))
        play(state, dice(*[1] * shown[-1][1]), "roll")
    assert shown == [(0, 1), (1, 1), (0, 2), (1, 2), (0, 1)]


@pytest.mark.rules("BON-6", "DAH-54")
def test_bonus_4_adds_1_for_each_defeat() -> None:
    state = with_bonus(4, hands={0: "p,p,p"}, slots="L2_a,L5_a,L6,L4_a", moors_deck="L3_a")
    play(state, dice(2), "target:slot0", "roll")
    assert state.record.vp[0] == 3 + 1
    play(state, dice(1), "target:slot0", "roll")
    assert state.record.vp[0] == 4


@pytest.mark.rules("BON-7", "DAH-48")
def test_the_warrior_card_alone_earns_no_bonus_4() -> None:
    warrior = {"characters": True, "character_assignment": [WARRIOR, SCOUT]}
    setup = {"cubes": (1, 0), "slots": "L2_a,L5_a,L6,L4_a", **warrior}
    alone = play(with_bonus(4, **setup), dice(2), "target:slot0")
    assert alone.record.vp[0] == 3
    beside = with_bonus(4, hands={0: "p"}, **setup)
    play(beside, "target:slot0", "use:warrior", dice(2, 1), "add:peasant")
    assert beside.record.vp[0] == 3 + 1


@pytest.mark.rules("BON-7", "BON-8", "DAH-48", "DAH-55")
def test_bonus_5_doubles_peasants_and_engines_but_not_the_warrior() -> None:
    state = with_bonus(5, hands={0: "p,s,cat,n"}, cubes=(1, 0), characters=True, character_assignment=[WARRIOR, SCOUT])
    state.apply("target:slot0")
    shown = []
    for move in ("use:warrior", "add:peasant", "add:catapult", "add:soldier", "add:noble"):
        state.apply(move)
        shown.append(dice_now(state))
    assert shown == [1, 3, 5, 7, 10]


@pytest.mark.rules("BON-9", "BON-10", "DAH-56", "DAH-65")
def test_bonus_6_pays_the_most_points_of_this_battle() -> None:
    state = with_bonus(6, hands={0: "p", 1: "p"}, vp=(0, 30), slots="L2_a,L2_b,L6,L4_a")
    play(state, dice(2), "target:slot0")
    assert state.view(0)["battle_vp"][:2].tolist() == pytest.approx([3 / 50, 0])
    play(state, dice(2), "target:slot1")
    assert state.record.circle == 3
    assert values(state.record.cubes, 2) == [1 + 2 + 1, 2]  # 2 of the bonus and 1 for the fewest points in all
    assert not state.record.battle_vp.any()


@pytest.mark.rules("BON-9", "DAH-56")
def test_bonus_6_counts_at_ourique_too() -> None:
    state = with_bonus(6, circle=14, hands={0: "p"}, slots="L2_a,L2_b,L6,L4_a")
    play(state, dice(2), "target:slot0")
    assert state.over
    assert values(state.record.cubes, 2) == [1 + 2, 1]
    assert state.outcome("raw").tolist() == [3 + 1, 0]


@pytest.mark.rules("BON-11", "DAH-57")
def test_bonus_7_gives_back_one_used_card_to_each() -> None:
    state = with_bonus(7, num_players=3, hands={0: "p,n", 1: "s", 2: "cat"}, slots="L6,L6,L5_a,L5_a")
    play(state, "target:slot0", "add:noble", dice(1, 1, 1, 1), "add:peasant")
    play(state, dice(1, 1), "target:slot0")
    play(state, dice(1), "target:slot0")
    assert (node(state), state.actor) == ("RECOVER", 0)
    assert labels(state) == {"recover:peasant", "recover:noble", "recover:none"}
    state.apply("recover:noble")
    assert hand(state, 0) == counts("n", 6)
    assert values(state.record.pused) == counts("p,s")
    assert values(state.record.known[0]) == counts("n")  # openly taken
    assert (node(state), state.actor) == ("RECOVER", 1)
    state.apply("recover:none")
    assert hand(state, 1) == counts("", 6)
    assert state.record.circle == 3  # the third used an engine, which is no Portuguese card


@pytest.mark.rules("DAH-57", "BON-11")
def test_bonus_7_asks_clockwise_from_the_holder_and_nobody_without_used_cards() -> None:
    state = with_bonus(7, num_players=3, holder=2, hands={0: "p", 2: "s"}, slots="L6,L6,L5_a,L5_a")
    play(state, dice(1, 1), "target:slot0", dice(1), "target:slot0")
    asked = []
    while node(state) == "RECOVER":
        asked.append(state.actor)
        state.apply(state.legal_actions()[0])
    assert asked == [2, 0]
    idle = with_bonus(7, hands={0: "p"})
    idle.apply("pass")
    assert idle.record.circle == 3


@pytest.mark.rules("BON-13", "DAH-58", "DAH-48", "BON-7")
def test_bonus_8_needs_two_hand_cards() -> None:
    def points(cards: str, adds: tuple[str, ...], die: int, **kwargs: Any) -> int:
        state = with_bonus(8, hands={0: cards}, slots="L2_b,L5_a,L6,L4_a", **kwargs).apply("target:slot0")
        for add in adds:
            state.apply(add)
        return int(play(state, dice(*[die] * dice_now(state)), "roll").record.vp[0])

    assert points("p,p", ("add:peasant",), 2) == 2
    assert points("p,p", ("add:peasant", "add:peasant"), 1) == 3
    assert points("p,p", ("add:peasant", "add:peasant"), 2) == 2 + 3
    assert points("p,p,p", ("add:peasant", "add:peasant", "add:peasant"), 1) == 3  # once per fight
    assert points("p,cat", ("add:peasant", "add:catapult"), 1) == 3
    warrior = {"cubes": (1, 0), "characters": True, "character_assignment": [WARRIOR, SCOUT]}
    assert points("p", ("use:warrior", "add:peasant"), 1, **warrior) == 0
    assert points("p,p", ("use:warrior", "add:peasant", "add:peasant"), 1, **warrior) == 3


@pytest.mark.rules("DAH-36")
def test_engines_count_for_bonus_4() -> None:
    state = with_bonus(4, hands={0: "cat"}, slots="L2_a,L5_a,L6,L4_a")
    play(state, dice(2), "target:slot0")
    assert state.record.vp[0] == 3 + 1


@pytest.mark.rules("DAH-59")
def test_bonus_6_is_paid_before_the_cube_for_the_fewest_points() -> None:
    state = with_bonus(6, hands={0: "p,p"}, cubes=(11, 11), slots="L2_a,L5_a,L6,L4_a")
    play(state, dice(2), "target:slot0", "roll", "pass")
    assert state.record.circle == 3
    assert values(state.record.cubes, 2) == [11 + 1 + 2, 11]  # three were left in the bank, none for seat 1
    assert state.record.bank == 0


@pytest.mark.rules("DAH-59")
def test_recovered_cards_come_before_the_pawn_moves() -> None:
    state = with_bonus(7, hands={0: "p"}, vp=(5, 0), slots="L6,L6,L5_a,L5_a")
    play(state, dice(1), "target:slot0")
    assert node(state) == "RECOVER"
    assert state.record.circle == 2
    assert state.record.cubes[1] == 0  # the cube for the fewest points comes after it
    state.apply("recover:peasant")
    assert state.record.cubes[1] == 1
