"""Villages Phase."""

from __future__ import annotations

import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME
from tests.games.d_afonso_henriques.table import counts, hand, labels, node, play, position, values


@pytest.mark.rules("VIL-4", "VIL-5", "DAH-10")
def test_a_symbol_holds_one_cylinder() -> None:
    state = position(4, 0, cubes=(3, 3, 3, 3))
    seen = []
    for symbol in ("V0", "V1", "V2_up", "V3_up"):
        seen.append(state.actor)
        assert f"village:{symbol}" in labels(state)
        play(state, f"village:{symbol}")
        if node(state) == "KEEP":
            play(state, state.legal_labels()[0])
        if node(state) == "SIDE":
            play(state, state.legal_labels()[0])
        if state.record.circle == 0:
            assert f"village:{symbol}" not in labels(state)
    assert seen == [0, 1, 2, 3]
    assert values(state.record.visits[:, [0, 1, 2, 4]]) == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


@pytest.mark.rules("VIL-6", "VIL-7", "DAH-09", "DAH-13")
def test_village_0_takes_or_keeps_the_first_player_card() -> None:
    taken = position(3, 0, cubes=(3, 3, 3))
    play(taken, "pass", "village:V0")
    assert taken.record.holder == 1
    assert taken.record.starter == 0
    assert taken.record.cubes[1] == 3
    play(taken, "pass")
    assert (taken.record.circle, taken.record.starter, taken.actor) == (1, 1, 1)

    kept = position(3, 0, cubes=(3, 3, 3))
    play(kept, "village:V0")
    assert kept.record.holder == 0
    assert "village:V0" not in labels(kept)  # the others cannot have it
    play(kept, "pass", "pass")
    assert kept.record.starter == 0


@pytest.mark.rules("VIL-8")
def test_village_1_costs_a_cube_and_gives_the_top_card() -> None:
    state = position(3, 0, cubes=(2, 3, 3), deck="n,p")
    bank = int(state.record.bank)
    state.apply("village:V1")
    assert hand(state, 0) == counts("n", 6)
    assert state.record.cubes[0] == 1
    assert state.record.bank == bank + 1
    assert state.record.pdeck_n == 29
    assert state.actor == 1


@pytest.mark.rules("VIL-9", "VIL-10")
def test_village_2_up_keeps_one_of_two_and_shows_the_other() -> None:
    state = position(3, 0, cubes=(2, 3, 3), deck="p,n,s")
    bank = int(state.record.bank)
    state.apply("village:V2_up")
    assert state.record.cubes[0] == 0
    assert state.record.bank == bank + 2
    assert labels(state) == {"keep:peasant", "keep:noble"}
    state.apply("keep:peasant")
    assert hand(state, 0) == counts("p", 6)
    assert values(state.record.piles) == [counts("n"), counts(""), counts("")]
    assert values(state.record.pused) == counts("")  # this area is not the used cards area
    assert state.view(2)["rejected"][0].tolist() == pytest.approx([0, 0, 0.1, 0])


@pytest.mark.rules("VIL-12", "VIL-9", "DAH-17")
def test_village_2_down_takes_any_card_of_its_pile_openly() -> None:
    state = position(3, 0, cubes=(2, 3, 3), piles={"A": "p,n,s"})
    state.apply("village:V2_down")
    assert state.record.cubes[0] == 0
    assert labels(state) == {"take:peasant", "take:soldier", "take:noble"}
    state.apply("take:noble")
    assert hand(state, 0) == counts("n", 6)
    assert values(state.record.piles[0]) == counts("p,s")
    assert state.view(2)["known_hand"][1].tolist() == pytest.approx([0, 0, 0.1, 0])


@pytest.mark.rules("VIL-13", "VIL-14", "DAH-16")
def test_village_3_up_keeps_one_of_three_and_spreads_the_others() -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="p,n,s,k")
    state.apply("village:V3_up")
    assert state.record.cubes[0] == 0
    assert labels(state) == {"keep:peasant", "keep:soldier", "keep:noble"}
    state.apply("keep:peasant")
    assert node(state) == "SIDE"
    assert labels(state) == {"left:soldier", "left:noble"}
    state.apply("left:noble")
    assert hand(state, 0) == counts("p", 6)
    assert values(state.record.piles) == [counts(""), counts("n"), counts("s")]
    assert state.actor == 1


@pytest.mark.rules("VIL-13", "VIL-15", "DAH-17")
@pytest.mark.parametrize(("symbol", "pile", "cards"), [("V3_left", 1, "p,s"), ("V3_right", 2, "n,k")])
def test_village_3_down_takes_a_card_of_the_pile_below(symbol: str, pile: int, cards: str) -> None:
    state = position(3, 0, cubes=(3, 3, 3), piles={"L": "p,s", "R": "n,k"})
    state.apply(f"village:{symbol}")
    assert state.record.cubes[0] == 0
    expected = {"V3_left": {"take:peasant", "take:soldier"}, "V3_right": {"take:noble", "take:king"}}[symbol]
    assert labels(state) == expected
    state.apply(sorted(expected)[0])
    assert state.record.piles[pile].sum() == 1
    assert state.record.piles[3 - pile].sum() == 2
    assert sum(hand(state, 0)) == 1


@pytest.mark.rules("VIL-16", "DAH-14")
def test_a_seat_may_pass_and_then_does_nothing_in_this_phase() -> None:
    state = position(3, 0, cubes=(3, 3, 3))
    before = values(state.record.cubes)
    acted = []
    while state.record.circle == 0:
        assert "pass" in labels(state)
        acted.append(state.actor)
        state.apply("pass")
    assert acted == [0, 1, 2]
    assert values(state.record.cubes, 3) == [cubes + 2 for cubes in before[:3]]  # only the income came
    assert not state.record.hand.any()


@pytest.mark.rules("VIL-17", "DAH-15")
def test_others_see_of_a_draw_only_how_many_cards_it_has_and_the_rejected_ones() -> None:
    """Two draws that differ only in the card kept look the same to the others, before and after."""
    one, other = position(3, 0, cubes=(3, 3, 3), deck="n,s"), position(3, 0, cubes=(3, 3, 3), deck="p,s")
    for state, kept in ((one, "keep:noble"), (other, "keep:peasant")):
        state.apply("village:V2_up")
        assert state.view(1)["deck_size"][0] == pytest.approx(28 / 30)
        assert not state.view(1)["drawn"].any()
        state.apply(kept)
    for seat in (1, 2):
        assert (one.observation(seat) == other.observation(seat)).all()
    assert (one.observation(0) != other.observation(0)).any()
    mid = [position(3, 0, cubes=(3, 3, 3), deck=deck).apply("village:V2_up") for deck in ("n,s", "p,k")]
    assert (mid[0].observation(1) == mid[1].observation(1)).all()
    assert (mid[0].observation(0) != mid[1].observation(0)).any()


@pytest.mark.rules("DAH-15", "DAH-71")
def test_the_card_of_village_1_is_private() -> None:
    states = [position(3, 0, cubes=(3, 3, 3), deck=deck).apply("village:V1") for deck in ("k", "p")]
    for seat in (1, 2):
        assert (states[0].observation(seat) == states[1].observation(seat)).all()
    assert states[0].view(0)["own_hand"].tolist() != states[1].view(0)["own_hand"].tolist()


@pytest.mark.rules("VIL-18", "DAH-18")
def test_an_empty_deck_is_renewed_from_the_cards_used_in_battle_only() -> None:
    state = position(3, 0, cubes=(3, 3, 3), used="n,n", rest="L")
    assert state.record.pdeck_n == 0
    rejected = values(state.record.piles)
    state.apply("village:V1")
    assert hand(state, 0) == counts("n", 6)
    assert state.record.pdeck_n == 1
    assert values(state.record.pused) == counts("")
    assert values(state.record.piles) == rejected
    assert values(state.record.deck_at_shuffle) == counts("n,n")


@pytest.mark.rules("DAH-18")
def test_the_renewed_deck_is_shuffled() -> None:
    from lusogames_env.engine.kernel.rng import seed_rng

    first = set()
    for seed in range(12):
        state = position(3, 0, cubes=(3, 3, 3), used="n,p", rest="L")
        seed_rng(state.record.rng, seed, 0)
        state.apply("village:V1")
        first.add(tuple(hand(state, 0)))
    assert first == {tuple(counts("n", 6)), tuple(counts("p", 6))}


@pytest.mark.rules("VIL-2", "DAH-22")
def test_the_income_comes_before_the_choice_and_only_at_the_second_village() -> None:
    state = GameState.new(GAME, num_players=3, first_player=0)
    play(state, "village:V2_up")
    play(state, *([state.legal_labels()[0]] if node(state) == "KEEP" else []))
    assert state.record.cubes[0] == 0  # no income at the first village
    play(state, "pass", "pass")
    assert (state.record.circle, node(state), state.actor) == (1, "VILLAGE", 0)
    assert values(state.record.cubes, 3) == [2, 5, 5]
    play(state, "pass", "pass", "pass", *(["pass"] if state.record.circle == 2 else []))
    if node(state) == "BATTLE":
        play(state, "pass")
    assert state.record.circle == 3
    assert state.record.cubes[0] <= 3  # none at the next first village (but perhaps the cube for the fewest VP)


@pytest.mark.rules("DAH-11", "VIL-13")
def test_no_debts() -> None:
    state = position(3, 0, cubes=(1, 3, 3), piles={"A": "p", "L": "p", "R": "p"})
    assert labels(state) == {"pass", "village:V0", "village:V1"}
    state = position(3, 0, cubes=(0, 3, 3), piles={"A": "p", "L": "p", "R": "p"})
    assert labels(state) == {"pass", "village:V0"}


@pytest.mark.rules("DAH-12")
def test_nothing_to_draw_closes_the_drawing_symbols() -> None:
    state = position(3, 0, cubes=(3, 3, 3), rest="A")
    assert labels(state) == {"pass", "village:V0", "village:V2_down"}


@pytest.mark.rules("DAH-20", "DAH-21")
def test_an_unlimited_bank_never_runs_dry() -> None:
    state = position(4, 1, cubes=(20, 20, 20, 20), cube_supply="unlimited")
    assert values(state.record.cubes) == [22] * 4
    assert state.view(0)["bank"][0] == 1


@pytest.mark.rules("DAH-21")
def test_the_bank_pays_the_income_cube_by_cube() -> None:
    state = position(3, 1, holder=1, cubes=(8, 8, 5))
    assert values(state.record.cubes, 3) == [9, 10, 6]  # four cubes: 1, 2, 0, then 1 again
    assert state.record.bank == 0


@pytest.mark.rules("DAH-72")
def test_rejects_of_a_split_draw_are_not_counted_by_others() -> None:
    split = position(3, 0, cubes=(3, 3, 3), deck="n", used="p,p", rest="A")
    play(split, "village:V2_up")
    assert split.record.split_draw == 1
    play(split, "keep:noble")
    assert values(split.record.deck_gone[1]) == counts("")
    assert split.record.split_draw == 0
    whole = position(3, 0, cubes=(3, 3, 3), deck="", used="p,p,n", rest="A")
    play(whole, "village:V2_up")
    assert whole.record.split_draw == 0  # all cards came from the new deck
    play(whole, whole.legal_labels()[0]) if node(whole) == "KEEP" else None
    assert whole.record.deck_gone[1].sum() == 1
