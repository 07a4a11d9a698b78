"""Extra turns: who is asked, what may be pledged, who pays and who plays."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from tests.games.aljubarrota.table import asked, can, end_round, field, offer, play

RICH = {seat: (0, 9, 9) for seat in range(4)}


@pytest.mark.rules("12.1", "12.8", "6.15", "6.2", "ALJ-56", "S.5")
def test_at_most_two_extra_turns_in_order() -> None:
    state = offer(2, hands=RICH)
    assert (state.view(0)["turn_kind"] == [0, 0, 1, 0]).all() and state.view(0)["missing"] == pytest.approx(2 / 3)
    play(state, "pledge 2", "end turn")
    assert state.record.turn_kind == 3 and state.record.decision == 13
    play(state, "pledge 1+2", "end turn")  # no fourth turn: the round ends
    assert state.record.round_no == 2 and state.record.turn_kind == 1 and state.record.turns_bought.tolist() == [1, 1]
    state = offer(2, hands=RICH)
    play(state, *["no contribution"] * 3)  # without turn 2 there is no turn 3
    assert state.record.round_no == 2 and state.record.turns_bought.tolist() == [0, 0]


@pytest.mark.rules("12.3", "12.5", "ALJ-53", "ALJ-52")
@pytest.mark.parametrize("free", [0, 2])
def test_the_left_neighbour_is_asked_first_and_the_free_player_never(free: int) -> None:
    state = field({"10.1": "3c"})
    state.record.free_player = state.record.turn_seat = state.record.actor = free
    state.refresh().apply("end turn")
    seats = []
    while state.record.turn_kind == 2:
        seats.append(state.actor)
        state.apply("no contribution")
    assert seats == [(free + i) % 4 for i in (1, 2, 3)]


@pytest.mark.rules("12.5", "ALJ-53", "12.6")
def test_nobody_is_asked_once_the_cost_is_met() -> None:
    state = offer(2, hands=RICH)
    play(state, "pledge 1", "pledge 1")
    assert state.record.decision == 3 and state.record.hand[3].tolist() == [0, 9, 9]
    assert state.record.asked == 0 and not state.record.pledged.any()


@pytest.mark.rules("ALJ-54", "ALJ-57", "15.4", "6.13")
@pytest.mark.parametrize(
    ("turn", "hand", "labels"),
    [
        (2, (9, 0, 0), []),
        (2, (0, 1, 0), ["pledge 1"]),
        (2, (0, 3, 2), ["pledge 1", "pledge 1+1", "pledge 2"]),
        (3, (5, 2, 0), ["pledge 1", "pledge 1+1"]),
        (3, (0, 3, 2), ["pledge 1", "pledge 1+1", "pledge 2", "pledge 1+1+1", "pledge 1+2"]),
        (3, (0, 0, 2), ["pledge 2"]),
    ],
)
def test_what_may_be_pledged(turn: int, hand: tuple[int, int, int], labels: list[str]) -> None:
    hands = {1: hand}
    assert offer(turn, played=3, hands=hands).legal_labels() == ["no contribution", *labels]
    more = offer(turn, played=3, hands=hands, allow_overpay=True).legal_labels()
    assert more == ["no contribution", *labels] + ["pledge 2+2"] * (turn == 3 and hand[2] >= 2)


@pytest.mark.rules("12.2", "6.16", "ALJ-58")
def test_paid_cards_are_gone_and_shown() -> None:
    state = offer(3, played=2, hands={1: (0, 2, 1), 2: (0, 9, 9), 3: (0, 0, 0)})
    play(state, "pledge 1+2")
    r = state.record
    assert r.hand[1].tolist() == [0, 1, 0] and r.spent[1].tolist() == [0, 1, 1]
    for seat in range(4):
        view, i = state.view(seat), (1 - seat) % 4
        assert view["spent"][i].tolist() == pytest.approx([1 / 36, 1 / 36])
        assert view["hand_size"][i] == pytest.approx(1 / 36)
    assert (state.view(1)["hand"] * 36).tolist() == pytest.approx([0, 1, 0])
    # another seat's view does not tell which card is left
    twin = state.clone()
    twin.record.hand[1] = [0, 0, 1]
    assert state.observation(2).tobytes() == twin.observation(2).tobytes()


@pytest.mark.rules("ALJ-55", "12.7")
def test_contributors_choose_who_plays() -> None:
    assert play(offer(3, played=2, hands=RICH), "no contribution", "pledge 1+2").actor == 2
    assert play(offer(3, played=2, hands=RICH), "pledge 1", "pledge 1", "pledge 1").actor == 1
    assert play(offer(3, played=2, hands=RICH), "pledge 1", "no contribution", "pledge 2").actor == 3
    first = play(offer(3, played=2, hands=RICH, extra_controller="first"), "pledge 1", "no contribution", "pledge 2")
    assert first.actor == 1


@pytest.mark.rules("ALJ-76")
def test_simultaneous_pledges() -> None:
    state = offer(3, played=2, hands=RICH, pledge_mode="simultaneous")
    play(state, "pledge 1+1+1")
    assert state.actor == 2 and state.view(2)["missing"] == pytest.approx(1)  # still the full cost
    assert can(state, "pledge 1+2") and not state.view(2)["pledge"].any() and state.view(1)["pledge"].sum() > 0
    play(state, "pledge 2", "no contribution")
    r = state.record
    # three from seat 1 meet the cost: the 2-card of seat 2 returns and is known now, the pass is counted now
    assert state.actor == 1 and r.spent[1].tolist() == [0, 3, 0] and not r.spent[2].any()
    assert (
        r.known_held[2].tolist() == [0, 1]
        and r.known_held[1].tolist() == [0, 0]
        and r.passes.tolist() == [0, 0, 0, 1, 0, 0]
    )


@pytest.mark.rules("ALJ-76", "ALJ-54")
@pytest.mark.parametrize("overpay", [False, True])
def test_simultaneous_cards_are_taken_as_far_as_they_fit(overpay: bool) -> None:
    state = offer(3, played=2, hands=RICH, pledge_mode="simultaneous", allow_overpay=overpay)
    play(state, "pledge 2", "pledge 1+2", "pledge 1")
    r = state.record
    if overpay:  # the second 2-card fits a missing 1
        assert r.spent[1:4].tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]] and state.actor == 1
        assert r.known_held[2].tolist() == [1, 0] and r.known_held[3].tolist() == [1, 0]
    else:  # seat 2's 2-card no longer fits, its 1-card does
        assert r.spent[1:4].tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 0]] and state.actor == 1
        assert r.known_held[2].tolist() == [0, 1]


@pytest.mark.rules("ALJ-76", "ALJ-53")
def test_a_failed_simultaneous_offer_returns_everything() -> None:
    state = offer(3, played=2, hands=RICH, pledge_mode="simultaneous")
    play(state, "pledge 1", "pledge 1", "no contribution")
    r = state.record
    assert not r.spent.any() and r.round_no == 2 and r.known_held[1:4].tolist() == [[1, 0], [1, 0], [0, 0]]


@pytest.mark.rules("ALJ-58", "12.6")
def test_what_is_known_of_a_hand_shrinks_when_it_pays() -> None:
    state = offer(2, hands=RICH)
    play(state, "pledge 1", "no contribution", "no contribution")
    assert state.record.known_held[1].tolist() == [1, 0]
    r = state.record
    r.hand[1], r.free_player, r.turn_seat, r.actor = [0, 2, 1], 0, 0, 0
    state.refresh().apply("end turn")
    while state.actor != 1:
        state.apply("no contribution")
    play(state, "pledge 1+1")
    assert state.record.known_held[1].tolist() == [0, 0] and state.record.hand[1].tolist() == [0, 0, 1]


@pytest.mark.rules("ALJ-67", "15.2")
def test_pledges_are_the_only_signal() -> None:
    state = GameState.new("aljubarrota", 4, setup="random")
    blocks = [block.name for block in state.game.actions.blocks]
    assert blocks == [
        "hex",
        "piece",
        "group",
        "direction",
        "stay",
        "target",
        "menu",
        "end",
        "pass",
        "pledge",
        "buy",
        "noop",
    ]
    # families are unknown to the others
    for seat in range(4):
        mine = state.view(seat)["family_mine"]
        assert mine.sum() == 3 and (mine == (state.record.family_owner == seat)).all()


@pytest.mark.rules("14.1", "ALJ-65")
def test_the_solitary_player_buys_alone() -> None:
    state = field({"1.2": "3s"}, {"10.8": "Nuno Melo-a"}, reserve=(0, 54), num_players=1, mode="solitary")
    for turns in range(1, 4):
        state.apply("end turn")
        assert state.legal_labels() == ["no contribution", "buy turn"]
        play(state, "buy turn", "end turn", "buy turn")
        assert state.record.turn_kind == 3 and state.actor == 0
        assert state.view(0)["spent_total"] == pytest.approx(5 * turns / 90)
        end_round(state, "R" * 9)
    assert not state.record.hand.any() and state.record.turns_bought.tolist() == [3, 3]


@pytest.mark.rules("ALJ-52", "X26")
@pytest.mark.parametrize(("reading", "seats"), [("free_player", [1, 2]), ("last_player", [2, 0]), ("both", [2])])
def test_three_players(reading: str, seats: list[int]) -> None:
    assert asked(offer(3, played=1, num_players=3, turn3_excluded=reading)) == seats


@pytest.mark.rules("15.3", "5.4")
def test_hands_differ_in_points_and_hoarding_may_lose_all() -> None:
    state = GameState.new("aljubarrota", 5, setup="random")
    points = state.record.hand[:4] @ np.array([0, 1, 2])
    assert len(set(points.tolist())) > 1
    lost = field({"10.10": "3c"}, {"10.8": "Nuno"})
    lost.record.hand[0] = [0, 27, 0]
    end_round(lost, "R" * 8 + "G")
    assert lost.over and lost.outcome("raw").tolist() == [0] * 4
    for kind in ("win", "placement", "margin"):
        assert lost.outcome(kind).tolist() == [-1] * 4
