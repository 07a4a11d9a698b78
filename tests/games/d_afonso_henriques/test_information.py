"""What a seat sees, what it cannot see, and samples of what it cannot know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from lusogames_env.games.d_afonso_henriques.game import GAME, NODES, OBSERVATION
from tests.games.d_afonso_henriques.table import counts, dice, node, play, position, values


def wander(seed: int, games: int = 1, **options: object) -> Iterator[GameState]:
    """Yield every position of games played at random."""
    rng = np.random.default_rng(seed)
    for _ in range(games):
        state = GameState.new(GAME, seed=int(rng.integers(1 << 60)), **options)
        yield state
        while not state.over:
            yield state.apply(int(rng.choice(state.legal_actions())))


def portuguese_without_names(record: np.void) -> list[int]:
    """Return how many Portuguese cards each hand holds."""
    return record.hand[:, :4].sum(1).tolist()


@pytest.mark.rules("DAH-60")
@pytest.mark.parametrize("variant", GAME.variants)
def test_the_public_fields_show_the_table(variant: str) -> None:
    options = GAME.variants[variant]
    n = options["num_players"]
    for state in wander(1, **options):
        record, over = state.record, state.over
        for seat in range(n):
            view = state.view(seat)
            order = [(seat + i) % n for i in range(n)]
            assert view["num_players"].argmax() == n - 2
            assert view["vp"][:n].tolist() == pytest.approx([record.vp[s] / 150 for s in order])
            assert view["cubes"][:n].tolist() == pytest.approx([min(1, record.cubes[s] / 25) for s in order])
            assert view["hand_size"][:n].tolist() == pytest.approx([record.hand[s].sum() / 14 for s in order])
            assert view["siege"][:n] == pytest.approx(record.hand[order][:, 4:] / 2)
            assert view["rejected"] == pytest.approx(record.piles / 10)
            assert view["used_portuguese"] == pytest.approx(record.pused / 30)
            assert view["deck_size"][0] == pytest.approx(record.pdeck_n / 30)
            assert view["moors_sizes"].tolist() == pytest.approx([record.mdeck_n / 30, record.mused_n / 30])
            assert view["bonus_plan"].argmax(1).tolist() == values(record.bonus)
            assert view["character"][:n].argmax(1).tolist() == [record.character[s] + 1 for s in order]
            assert view["character_ready"][:n].tolist() == [record.ready[s] for s in order]
            assert view["known_hand"][:n] == pytest.approx(record.known[order] / 10)
            assert view["visits"][:n] == pytest.approx(record.visits[order] / 10)
            assert view["first_player"][:n].argmax() == order.index(record.holder)
            assert view["phase_starter"][:n].argmax() == order.index(record.starter)
            assert view["circle"].sum() == (0 if over else 1)
            assert view["node"].sum() == (0 if over else 1)
            assert view["actor"].sum() == (0 if over else 1)
            if not over:
                assert view["circle"].argmax() == record.circle
                assert view["node"].argmax() == record.node
                assert view["actor"].argmax() == order.index(record.actor)
            village = node(state) in {"VILLAGE", "KEEP", "SIDE", "TAKE"}
            assert view["village_choice"].sum() == (n if village else 0)
            assert view["bonus_now"].sum() == (1 if not over and record.circle % 3 == 2 else 0)
            fight = node(state) in {"COMMIT", "PAY"}
            assert view["target"].sum() == (1 if fight else 0)
            assert view["committed"][:6] == pytest.approx(record.committed / 10)
            assert view["roll"] == pytest.approx(record.roll / 20)
            assert view["deficit"][0] == pytest.approx(record.deficit / 6)
            assert view["passed"][:n].tolist() == [record.passed[s] for s in order]
            assert view["combats"][:n].tolist() == pytest.approx([record.combats[s] / 10 for s in order])
            assert view["battle_vp"][:n].tolist() == pytest.approx([record.battle_vp[s] / 50 for s in order])
            for name in ("vp", "cubes", "hand_size", "siege", "known_hand", "visits", "character", "passed", "combats"):
                assert not view[name][n:].any(), name


@pytest.mark.rules("DAH-60", "DAH-72")
def test_the_private_fields_show_the_own_cards_only() -> None:
    for state in wander(2, 2, num_players=3, characters=True):
        record = state.record
        for seat in range(3):
            view = state.view(seat)
            assert view["own_hand"] == pytest.approx(record.hand[seat, :4] / 10)
            assert view["deck_gone"] == pytest.approx(record.deck_gone[seat] / 30)
            assert view["deck_at_shuffle"] == pytest.approx(record.deck_at_shuffle / 30)
            mine = state.actor == seat
            assert view["drawn"] == pytest.approx(record.drawn / 3 if mine else np.zeros(4))
            deck = np.bincount(record.pdeck[: record.pdeck_n], minlength=4)
            elsewhere = record.hand[:, :4].sum(0) - record.hand[seat, :4] + deck + (0 if mine else record.drawn)
            assert view["unseen"] == pytest.approx(elsewhere / 30)


@pytest.mark.rules("DAH-06", "SET-3")
def test_the_moors_deck_shows_its_top_and_what_lies_below_without_order() -> None:
    state = position(moors_deck="L4_b,king,L3_a")
    view = state.view(0)
    assert view["moors_next"].tolist() == pytest.approx([1, 4 / 6, 5 / 8, 0, 0, 0, 0])
    below = state.record.mdeck[: state.record.mdeck_n - 1]
    rows = GAME.components["moors_cards"].value
    hidden, points = np.zeros(9), np.zeros(6)
    for kind in below:
        row = rows[kind]
        if row["role"] == "ordinary":
            hidden[row["level"] - 1] += 1
            points[row["level"] - 1] += row["vp"]
        else:
            hidden[{"king": 6, "catapult": 7, "siege_tower": 8}[row["role"]]] += 1
    assert hidden.sum() == 25
    assert view["moors_hidden"] == pytest.approx(hidden / 30)
    assert view["moors_hidden_vp"] == pytest.approx(points / 40)
    state.record.mdeck[:25] = np.roll(below, 3)
    assert (state.view(0)["moors_hidden"] == view["moors_hidden"]).all()


def test_the_layout_is_that_of_the_specification() -> None:
    assert OBSERVATION.size == 388
    shapes = {field.name: field.dims for field in OBSERVATION.fields}
    assert list(shapes)[:8] == [
        "num_players", "options", "seat_exists", "circle", "node", "actor", "first_player", "phase_starter",
    ]  # fmt: skip
    assert shapes["bonus_plan"] == (5, 9)
    assert OBSERVATION["bonus_now"] == 379
    assert len(NODES) == 9


@pytest.mark.parametrize("variant", GAME.variants)
def test_every_entry_is_between_0_and_1(variant: str) -> None:
    for state in wander(3, **GAME.variants[variant]):
        observation = state.observation(0)
        assert observation.dtype == np.float32
        assert observation.min() >= 0
        assert observation.max() <= 1


@pytest.mark.rules("DAH-60", "DAH-72", "DAH-06")
@pytest.mark.parametrize("variant", ["2p", "3p_characters", "4p_full", "4p_full_house"])
def test_a_sample_changes_nothing_the_seat_can_see(variant: str) -> None:
    options = GAME.variants[variant]
    for ply, state in enumerate(wander(4, **options)):
        if ply % 4:
            continue
        for seat in range(options["num_players"]):
            sample = state.redealt(seat, ply)
            assert sample.check() == 0
            assert (sample.observation(seat) == state.observation(seat)).all()
            assert sample.redealt(seat, ply + 1) == state.redealt(seat, ply + 1)  # nothing hidden shines through
            old, new = state.record, sample.record
            assert portuguese_without_names(new) == portuguese_without_names(old)
            assert new.deck_gone.sum(1).tolist() == old.deck_gone.sum(1).tolist()
            assert (new.mused == old.mused).all()
            assert new.mdeck[new.mdeck_n - 1] == old.mdeck[old.mdeck_n - 1]
            deck = np.bincount(new.pdeck[: new.pdeck_n], minlength=4)
            assert (deck + old.deck_gone[seat] <= old.deck_at_shuffle).all()
            if state.actor == seat:
                assert (sample.mask == state.mask).all()
                assert sample.bot_action() == state.bot_action()
                assert (new.drawn == old.drawn).all()


def test_a_sample_reaches_everything_that_is_hidden() -> None:
    state = position(3, 2, hands={0: "p", 1: "s,n", 2: "p,p"})
    state.record.deck_at_shuffle[:] = (12, 10, 6, 2)
    hands, decks, tops, generators = set(), set(), set(), set()
    for seed in range(60):
        record = state.redealt(0, seed).record
        hands.add(tuple(values(record.hand[1])))
        decks.add(tuple(values(record.pdeck)))
        tops.add(tuple(values(record.mdeck)))
        generators.add(tuple(values(record.rng)))
    assert len(hands) > 5
    assert len(decks) > 50
    assert len(tops) > 50
    assert len(generators) == 60
    assert state.redealt(0, 5).record.tobytes() == state.redealt(0, 5).record.tobytes()


@pytest.mark.rules("DAH-72")
def test_samples_are_uniform_over_the_placings_that_the_seat_cannot_exclude() -> None:
    """Deck of one card, two hidden hand cards; the observer knows that no noble is left in the deck."""
    state = position(3, 0, hands={1: "p,n"}, deck="p", rest="A")
    state.record.deck_at_shuffle[:] = counts("p,p")
    state.record.deck_gone[0] = counts("p")
    state.refresh()
    assert state.check() == 0
    seen = Counter(tuple(values(state.redealt(0, seed).record.hand[1, :4])) for seed in range(20))
    assert seen == {tuple(counts("p,n")): 20}  # the deck can only be the peasant

    state = position(3, 0, hands={1: "p", 2: "n"}, deck="p", rest="A")
    placings = Counter()
    for seed in range(600):
        record = state.redealt(0, seed).record
        placings[tuple(values(record.hand[1, :4])), tuple(values(record.hand[2, :4]))] += 1
    # deck_at_shuffle is one peasant: the deck stays; the other two cards change places evenly
    assert len(placings) == 2
    assert min(placings.values()) > 250

    state.record.deck_at_shuffle[:] = counts("p,n,s")
    placings.clear()
    for seed in range(600):
        record = state.redealt(0, seed).record
        deck = int(record.pdeck[0])
        placings[deck, tuple(values(record.hand[1, :4])), tuple(values(record.hand[2, :4]))] += 1
    # six placings of p, p, n on three places, two of which look alike each time: three equally likely ones
    assert len(placings) == 3
    assert min(placings.values()) > 150


def test_known_cards_stay_where_they_are_known_to_be() -> None:
    state = position(3, 0, cubes=(3, 3, 3), piles={"A": "k,n"}, hands={0: "p,p"})
    state.apply("village:V2_down").apply("take:king")
    for seed in range(30):
        assert state.redealt(1, seed).record.hand[0, 3] >= 1


@pytest.mark.rules("SPE-2")
def test_a_seat_that_faces_the_king_with_one_card_must_hold_a_king() -> None:
    state = position(hands={0: "k", 1: "p"}, slots="king,L5_a,L6,L2_a").apply("target:slot0")
    for seed in range(20):
        sample = state.redealt(1, seed)
        assert sample.check() == 0
        assert sample.record.hand[0, 3] == 1
    assert any(position(hands={0: "p", 1: "p"}).redealt(1, seed).record.hand[0, 3] == 0 for seed in range(9))


@pytest.mark.rules("VIL-17", "DAH-15")
def test_another_seat_s_draw_is_sampled_too() -> None:
    state = position(3, 0, cubes=(3, 3, 3), deck="p,s,n").apply("village:V3_up")
    draws = {tuple(values(state.redealt(1, seed).record.drawn)) for seed in range(40)}
    assert len(draws) > 5
    assert all(sum(draw) == 3 for draw in draws)
    assert {tuple(values(state.redealt(0, seed).record.drawn)) for seed in range(10)} == {tuple(counts("p,s,n"))}


@pytest.mark.rules("DAH-39", "DAH-60")
def test_whose_turn_it_is_depends_on_public_facts_alone() -> None:
    for ply, state in enumerate(wander(6, 2, num_players=3, characters=True, battle_bonus=True)):
        if node(state) == "BATTLE" and ply % 2:
            for seat in range(3):
                sample = state.redealt(seat, ply)
                one, other = sample.clone().apply("pass"), state.clone().apply("pass")
                assert one.actor == other.actor
                assert node(one) == node(other)


@pytest.mark.rules("VIL-12", "DAH-17", "BON-11")
def test_the_known_cards_are_a_true_lower_bound() -> None:
    for state in wander(7, 4, num_players=4, battle_bonus=True):
        assert (state.record.known <= state.record.hand[:, :4]).all()
    state = position(3, 0, cubes=(3, 3, 3), piles={"A": "k"}, hands={0: "p"})
    play(state, "village:V2_down", "pass", "pass", "pass", "pass", "pass")
    assert values(state.record.known[0]) == counts("k")
    play(state, dice(1, 1, 1, 1), "target:slot2", "add:king", "roll")
    assert values(state.record.known[0]) == counts("")
