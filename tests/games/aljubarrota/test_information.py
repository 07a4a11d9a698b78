"""What a seat sees, what stays hidden, and samples of the hidden things."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from tests.games.aljubarrota.table import HEX, PIECE, board, field, lay, offer, play

CHOICES = {
    "swap": ["menu: swap", "piece Melo-a"],
    "from": ["menu: move", "hex 10.9"],
    "group": ["menu: move", "hex 10.9", "group {1}"],
    "second step": ["menu: move", "hex 10.8", "group {1}", "to S"],
    "shooter": ["menu: Sweethearts shot", "piece Sá-a"],
    "target": ["menu: English shot", "hex 3.5"],
}
WHITES = {"10.9": "Melo-a", "10.8": "Nuno", "8.7": "Sá-a", "3.7": "English-a"}


@pytest.mark.rules("ALJ-83")
@pytest.mark.parametrize("name", list(CHOICES))
def test_half_made_choices_are_private(name: str) -> None:
    state = field({"3.5": "3c", "10.6": "2c"}, WHITES)
    before = [state.observation(seat) for seat in range(4)]
    play(state, *CHOICES[name])
    own = state.view(0)
    assert own["decision"].sum() == 1 and own["decision"][state.record.decision - 1] == 1
    pending = own["selected_hex"].sum() + own["selected_piece"].sum() + own["group"].sum()
    assert pending >= 1
    for seat in (1, 2, 3):
        view = state.view(seat)
        for part in ("decision", "selected_hex", "selected_piece", "group"):
            assert not view[part].any()
        if name != "second step":  # a first step is seen by all
            assert state.observation(seat).tobytes() == before[seat].tobytes()


@pytest.mark.rules("ALJ-83", "5.13")
def test_a_piece_picked_for_placing_is_hidden() -> None:
    state = GameState.new("aljubarrota", 1)
    actor = state.actor
    others = [seat for seat in range(4) if seat != actor]
    before = [state.observation(seat).tobytes() for seat in others]
    state.apply(state.legal_actions()[0])
    piece = int(state.record.pending_piece)
    assert [state.observation(seat).tobytes() for seat in others] == before
    assert state.view(actor)["selected_piece"][piece] == 1 and state.view(actor)["piece_mine_to_place"][piece] == 1
    picked = Counter(int(state.redealt(others[0], seed).record.pending_piece) for seed in range(200))
    assert len(picked) > 10  # any piece that this seat does not hold itself
    for seed in range(20):
        twin = state.redealt(others[0], seed)
        assert twin.check() == 0 and twin.record.to_place[twin.record.pending_piece] == actor


@pytest.mark.rules("ALJ-83")
@pytest.mark.parametrize("name", list(CHOICES))
def test_a_sample_takes_back_the_half_made_choice_of_another_seat(name: str) -> None:
    state = play(field({"3.5": "3c", "10.6": "2c"}, WHITES), *CHOICES[name])
    assert state.redealt(0, 3).record.decision == state.record.decision
    twin = state.redealt(1, 3)
    if name == "second step":
        assert twin.record.decision == 9 and twin.mask.tobytes() == state.mask.tobytes()
    else:
        assert twin.record.decision == 3 and twin.record.pending_hex == twin.record.pending_piece == -1


def test_observation_field_by_field() -> None:
    state = field(
        {"10.6": "2c1s", "9.2": "1C"}, {"10.9": "Melo-a", "8.7": "Sá-a Nuno"}, waves=True, reserve=(0, 3), round_no=8
    )
    r = state.record
    r.family_owner[:] = [1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0]
    r.kills[11] = 27
    r.passes[1] = 9
    r.known_held[2] = (3, 0)
    r.row_card[:] = [0, 1, 2, 3, 0, 0, 0, 0, 0, 0]
    lay(state, "G" * 10)
    view = state.refresh().view(0)
    assert view["cast"][HEX["10.6"]].tolist() == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert view["cast"][HEX["9.2"]].tolist() == pytest.approx([0, 0, 1 / 3, 0])
    assert view["port"][HEX["10.9"]].tolist() == pytest.approx([1 / 3, 0, 0, 0, 0])
    assert view["port"][HEX["8.7"]].tolist() == pytest.approx([0, 1 / 3, 0, 1 / 3, 0])
    assert view["port"][HEX["10.11"]].tolist() == pytest.approx([0, 0, 1 / 3, 0, 0])
    assert view["piece_xy"][PIECE["Melo-a"]].tolist() == pytest.approx([4 / 9, 16 / 22])
    assert view["piece_xy"][PIECE["Melo-b"]].tolist() == [-1, -1] and view["piece_alive"][PIECE["Melo-b"]] == 0
    assert view["piece_alive"].sum() == 4 and not view["piece_mine_to_place"].any()
    assert view["family_mine"].tolist() == [0] * 9 + [1] * 3 and view["family_kills"][11] == pytest.approx(27 / 216)
    assert (view["hand"] * 36).tolist() == pytest.approx(r.hand[0].tolist())
    assert (view["hand_size"] * 36).tolist() == pytest.approx([27] * 4 + [0, 0])
    assert view["passes"].tolist() == pytest.approx([0, 0.25, 0, 0, 0, 0])
    assert view["known_held"][2].tolist() == [1, 0] and view["round"] == pytest.approx(8 / 18)
    assert view["free_seat"].tolist() == view["turn_seat"].tolist() == [1, 0, 0, 0, 0, 0]
    assert view["turn_kind"].tolist() == [0, 1, 0, 0] and view["counters"].tolist() == [1, 0.5, 0.5, 1]
    assert view["decision"].tolist() == [0, 0, 1] + [0] * 11
    assert view["row_cards"].argmax(axis=1).tolist() == [1, 2, 3, 4] + [1] * 6
    assert view["deck_left"] == pytest.approx(0.9) and view["unseen_cards"].sum() > 3
    assert view["reserve"].tolist() == pytest.approx([0, 3 / 54]) and view["flags"].tolist() == [1, 1]
    assert view["players"].tolist() == [0, 1, 0, 0] and view["mode"].tolist() == [1, 0, 0]
    other = state.view(3)  # seats are counted from the observer
    assert other["free_seat"].tolist() == [0, 1, 0, 0, 0, 0] and other["passes"][2] == pytest.approx(0.25)
    assert other["known_held"][3].tolist() == [1, 0] and other["family_mine"].tolist() == [0] * 6 + [1] * 3 + [0] * 3


def test_solitary_observation() -> None:
    state = GameState.new("aljubarrota", 0, mode="solitary", num_players=1)
    view = state.view(0)
    assert view["mode"].tolist() == [0, 0, 1] and not view["players"].any() and not view["hand_size"].any()
    assert view["piece_mine_to_place"].sum() == 24 and not view["family_mine"].any()
    assert not view["turn_seat"].any() and view["turn_kind"].tolist() == [1, 0, 0, 0]


def hidden_moments(seed: int, **options: object) -> list[GameState]:
    """Return positions of a random game, some from every part of it."""
    state, found = GameState.new("aljubarrota", seed, **options), []
    generator = np.random.default_rng(seed)
    while not state.over:
        if state.ply % 17 == 0:
            found.append(state.clone())
        state.apply(int(generator.choice(state.legal_actions())))
    return [*found, state]


@pytest.mark.rules("ALJ-58", "ALJ-59", "ALJ-60", "5.1", "5.6")
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 4},
        {"num_players": 5, "pledge_mode": "simultaneous", "setup": "random"},
        {"num_players": 1, "mode": "solitary"},
        {"num_players": 6, "turn3_excluded": "both", "allow_overpay": True, "setup": "random"},
    ],
)
def test_samples_agree_with_all_a_seat_knows(options: dict[str, object]) -> None:
    for state in hidden_moments(1, **options):
        for seat in range(state.box.num_players):
            twin = state.redealt(seat, state.ply * 10 + seat)
            assert twin.check() == 0
            assert twin.observation(seat).tobytes() == state.observation(seat).tobytes()
            if seat == state.actor:
                assert twin.mask.tobytes() == state.mask.tobytes()
            if state.over:
                assert twin.outcome("raw").tolist() == state.outcome("raw").tolist()
            pos = int(state.record.deck_pos)
            assert (twin.record.deck[:pos] == state.record.deck[:pos]).all()


@pytest.mark.rules("ALJ-60", "ALJ-59", "15.4")
def test_samples_vary_in_everything_hidden() -> None:
    state = offer(2, num_players=5, hands={})
    state.record.known_held[2] = (2, 1)
    state.refresh()
    twins = [state.redealt(0, seed).record for seed in range(60)]
    assert len({tuple(t.family_owner) for t in twins}) > 50
    assert all((t.family_owner == 0).tolist() == (state.record.family_owner == 0).tolist() for t in twins)
    assert {int((t.family_owner == -1).sum()) for t in twins} == {2}
    assert len({tuple(t.hand[1]) for t in twins}) > 5 and len({tuple(t.deck) for t in twins}) == 60
    assert all(t.hand[2, 1] >= 2 and t.hand[2, 2] >= 1 and (t.hand[0] == state.record.hand[0]).all() for t in twins)
    assert all(t.rng.tolist() != state.record.rng.tolist() for t in twins)


@pytest.mark.rules("ALJ-58")
def test_sampled_hands_are_fair() -> None:
    """All deals that fit are equally likely: the mean of a hand is its share of the unseen cards."""
    state = offer(2)
    r = state.record
    r.known_held[:] = 0
    unseen = np.array([30, 60, 20]) - r.hand[0]
    seen = np.zeros(3)
    for seed in range(400):
        seen += state.redealt(0, seed).record.hand[3]
    share = 27 * unseen / unseen.sum()
    assert seen / 400 == pytest.approx(share, abs=0.5)


def test_a_hand_that_can_hardly_be_dealt_is_dealt_all_the_same() -> None:
    state = offer(2)
    r = state.record
    r.hand[:4] = [[27, 0, 0], [0, 27, 0], [0, 27, 0], [3, 4, 20]]
    r.known_held[3] = (3, 3)
    r.spent[:] = 0
    for seat, used in ((1, (24, 0)), (2, (26, 0)), (3, (3, 18))):
        r.spent[seat, 1:] = used
        r.hand[seat, 1:] -= np.array(used, np.int8)
    twin = state.refresh().redealt(0, 5).record
    assert twin.hand[3].sum() == 6 and twin.hand[3, 1] >= 1
    assert twin.hand[:4].sum(axis=1).tolist() == r.hand[:4].sum(axis=1).tolist()


@pytest.mark.rules("ALJ-76", "ALJ-58")
def test_open_simultaneous_pledges_are_hidden() -> None:
    rich = {seat: (0, 9, 9) for seat in range(4)}
    base = offer(3, played=2, hands=rich, pledge_mode="simultaneous")
    seen = {}
    for label in base.legal_labels():
        state = base.clone().apply(label)
        seen[label] = [state.observation(seat).tobytes() for seat in (0, 2, 3)] + [state.mask.tobytes()]
        twins = {tuple(state.redealt(2, seed).record.pledged[1]) for seed in range(40)}
        assert len(twins) > 3 and tuple(state.redealt(1, 1).record.pledged[1]) == tuple(state.record.pledged[1])
    assert all(value == seen["no contribution"] for value in seen.values())


@pytest.mark.parametrize("kind", ["heuristic", "defector"])
def test_the_bot_decides_on_what_it_may_know(kind: str) -> None:
    state = field({"10.6": "2c1s", "9.5": "1c"}, {"10.9": "Melo-a", "8.7": "Sá-a", "10.7": "Silva-a Silva-b Nuno"})
    for _ in range(4):
        choice = state.bot_action(kind)
        for seed in range(2):
            assert state.redealt(state.actor, seed).bot_action(kind) == choice
        state.apply(choice)
    assert state.check() == 0 and board(state)


def test_an_observation_never_reads_the_generator_or_the_deck_order() -> None:
    state = GameState.new("aljubarrota", 2, setup="random")
    twin = state.clone()
    pos = int(twin.record.deck_pos)
    twin.record.deck[pos:] = twin.record.deck[pos:][::-1].copy()
    twin.record.rng[:] = (1, 2, 3, 4)
    for seat in range(4):
        assert state.observation(seat).tobytes() == twin.observation(seat).tobytes()
