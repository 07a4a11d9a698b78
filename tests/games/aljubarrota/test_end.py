"""The end of the game, scores and utilities."""

from __future__ import annotations

import numpy as np
import pytest

from lusogames_env.engine.state import GameState
from tests.games.aljubarrota.table import end_round, field, play


def won(points: list[int], **options: object) -> GameState:
    """Return a won game in which the seats have these totals, all from kills; no pieces, no cards."""
    state = field(
        {"10.1": "1s"}, {"10.9": "Nuno"}, waves=True, reserve=(0, 0), round_no=18, num_players=len(points), **options
    )
    r = state.record
    r.hand[:, 1:] = 0
    for seat, total in enumerate(points):
        r.kills[r.family_owner.tolist().index(seat)] = total
    state.refresh().apply("end turn")
    while not state.over:
        state.apply("no contribution")
    assert state.outcome("raw").tolist() == points
    return state


@pytest.mark.rules("2.1", "ALJ-32", "16.12", "6.17", "S.6")
def test_eighteen_rounds_survived() -> None:
    state = field({"1.2": "3s"}, {"10.8": "Nuno"}, waves=True, reserve=(0, 0), round_no=16)
    for round_no in (17, 18):
        end_round(state, "R" * 10)
        assert state.record.round_no == round_no and not state.over
    state.apply("end turn")
    play(state, *["no contribution"] * 2)
    assert not state.over  # the last offer of round 18 is still open
    state.apply("no contribution")
    assert state.over and state.record.result == 1 and state.record.round_no == 18
    assert state.game.max_plies == 1300 and state.game.max_rounds is None


@pytest.mark.rules("2.4", "13.2", "ALJ-64", "15.2")
def test_the_individual_winner() -> None:
    assert won([7, 9, 3, 0], collective_weight=0.5).outcome("win").tolist() == pytest.approx(
        [0.5 - 1 / 6, 1, 0.5 - 1 / 6, 0.5 - 1 / 6]
    )
    tie = won([9, 9, 3, 0], collective_weight=0.0).outcome("win")
    assert tie.tolist() == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])
    assert won([5, 5, 5], collective_weight=0.0).outcome("win").tolist() == pytest.approx([0, 0, 0])
    assert won([1, 2, 3], collective_weight=1.0).outcome("win").tolist() == [1, 1, 1]


@pytest.mark.rules("13.2", "2.4")
@pytest.mark.parametrize("kind", ["win", "placement", "margin"])
def test_the_individual_part_sums_to_zero(kind: str) -> None:
    generator = np.random.default_rng(3)
    for players in (3, 4, 5, 6):
        points = generator.integers(0, 12, players).tolist()
        z = won(points, collective_weight=0.0).outcome(kind)
        assert z.sum() == pytest.approx(0, abs=1e-12) and (np.abs(z) <= 1 + 1e-12).all()
        assert np.argmax(z) in np.flatnonzero(np.array(points) == max(points))
        half = won(points, collective_weight=0.5).outcome(kind)
        assert half == pytest.approx(0.5 + 0.5 * z) and half.min() > -1


@pytest.mark.rules("13.2")
def test_placement_and_margin() -> None:
    state = won([10, 4, 4, 0], collective_weight=0.0)
    assert state.outcome("placement").tolist() == pytest.approx([1, 0, 0, -1])
    assert state.outcome("margin").tolist() == pytest.approx(
        [(10 - 8 / 3) / 10, (4 - 14 / 3) / 10, (4 - 14 / 3) / 10, -0.6]
    )


@pytest.mark.rules("2.5", "13.1")
def test_a_collective_loss_has_no_winner() -> None:
    state = field({"10.10": "3c"})
    assert state.outcome("win").tolist() == [0] * 4  # before the end
    state.record.kills[:] = 9
    end_round(state, "R" * 8 + "G")
    assert state.over and state.outcome("raw").tolist() == [0] * 4
    for kind in ("win", "placement", "margin"):
        assert state.outcome(kind).tolist() == [-1] * 4


@pytest.mark.rules("2.8", "2.9", "13.2")
def test_what_the_total_counts() -> None:
    state = field(
        {"10.1": "1s"}, {"10.9": "Nuno Melo-a", "10.8": "Melo-b Sousa-a"}, waves=True, reserve=(0, 0), round_no=18
    )
    r = state.record
    r.family_owner[:] = [1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0]  # Abreu, Sousa and Melo belong to seat 0
    r.kills[11], r.kills[0] = 3, 8
    r.hand[0] = [2, 4, 5]
    state.refresh().apply("end turn")
    play(state, *["no contribution"] * 3)
    assert state.outcome("raw")[0] == 3 + 2 * 3 + 4 + 2 * 5
    assert state.outcome("raw")[1] == 8 + state.record.hand[1, 1] + 2 * state.record.hand[1, 2]


@pytest.mark.rules("ALJ-66", "ALJ-84")
def test_cooperative_utility_is_shared() -> None:
    options = {"mode": "cooperative", "waves": True, "reserve": (0, 0), "round_no": 18}
    state = field({"10.1": "1s"}, {"10.9": "Nuno Melo-a", "10.8": "Melo-b Sousa-a"}, **options)
    before = state.view(0)
    assert before["family_mine"].sum() == 3 and before["hand"].sum() > 0  # still private information
    state.apply("end turn")
    play(state, *["no contribution"] * 3)
    assert state.outcome("win").tolist() == state.outcome("placement").tolist() == [1] * 4
    assert state.outcome("margin").tolist() == pytest.approx([0.5 + 0.5 * 3 / 24] * 4)
    lost = field({"10.10": "3c", "1.1": "3c"}, mode="cooperative", reserve=(0, 54))
    end_round(lost, "R" * 8 + "G")
    assert lost.outcome("win").tolist() == [-1] * 4
    assert lost.outcome("margin").tolist() == pytest.approx([-1 + 0.5 * 48 / 108] * 4)


@pytest.mark.rules("14.1", "14.2", "ALJ-65", "ALJ-84")
def test_solitary_score() -> None:
    options = {"mode": "solitary", "num_players": 1, "waves": True, "reserve": (0, 0), "round_no": 17}
    state = field({"1.2": "3s"}, {"10.9": "Nuno Melo-a", "10.8": "Melo-b Sousa-a"}, **options)
    state.record.kills[[0, 7]] = (20, 11)
    play(state.refresh(), "end turn", "buy turn", "end turn", "buy turn")
    end_round(state, "R" * 10)
    play(state, "end turn", "buy turn", "end turn", "no contribution")
    assert state.over and state.record.result == 1
    score = 31 + 2 * 3 - (2 + 3 + 2)
    assert state.outcome("raw").tolist() == [score]
    assert state.outcome("margin").tolist() == pytest.approx([0.5 + 0.5 * score / 372])
    assert state.outcome("win").tolist() == state.outcome("placement").tolist() == [1]
    lost = field({"10.10": "3c"}, mode="solitary", num_players=1)
    end_round(lost, "R" * 8 + "G")
    assert lost.outcome("margin").tolist() == [-1] and lost.outcome("raw").tolist() == [0]


def passive_rounds(seed: int, flank_only: bool) -> int:
    """Return the round in which a player who only ends turns is beaten; 0 if Portugal holds out."""
    state = GameState.new("aljubarrota", seed, mode="solitary", num_players=1, setup="random")
    if flank_only:
        r = state.record
        r.cast[:] = 0
        r.reserve[:], r.dead[:], r.wave2, r.round_no = (0, 3), (54, 51), 1, 6
        state.refresh()
    while not state.over:
        state.apply("end turn" if state.record.decision == 3 else "no contribution")
    return int(state.record.round_no) if state.record.result == 2 else 0


@pytest.mark.rules("15.1", "12.4")
def test_without_any_effort_defeat_is_certain() -> None:
    rounds = [passive_rounds(seed, False) for seed in range(30)]
    assert min(rounds) > 0 and max(rounds) <= 9


@pytest.mark.rules("15.5", "6.8")
def test_three_flank_cavalry_destroy_an_unprepared_army() -> None:
    rounds = [passive_rounds(seed, True) for seed in range(30)]
    lost = [r for r in rounds if r]
    assert 17 <= len(lost) <= 29 and 11 < sum(lost) / len(lost) < 17
