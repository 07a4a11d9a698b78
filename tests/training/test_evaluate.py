"""Arithmetic of evaluations against values worked out by hand or taken from the literature."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from lusogames_env.engine.batch import Batch
from lusogames_env.engine.errors import IllegalActionError, OptionError, PlayerError
from lusogames_env.training.evaluate import (
    GAMES_A_CALL,
    arrangements_of,
    evaluate,
    mean_interval,
    rich_table,
    sides_of,
    wilson,
    win_shares,
)
from tests.tools import TOY, load_game

GAME = load_game(TOY)
FOUR = [[0], [1], [2], [3]]


def fold_first(obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Fold at once."""
    return np.where(masks[:, 1] == 1, 1, masks.argmax(axis=1))


def keep(obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Stay and keep."""
    return np.where(masks[:, 0] == 1, 0, 3)


def test_wilson_intervals() -> None:
    # Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29
    for wins, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        estimate = wilson(wins / n, n)
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1.0, 10).high == 1.0


def test_mean_intervals() -> None:
    estimate = mean_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))  # s = 1.5811, t(4, 0.975) = 2.7764
    assert estimate.mean == 3.0
    assert (estimate.low, estimate.high) == pytest.approx((3 - 1.96324, 3 + 1.96324), abs=1e-4)


@pytest.mark.parametrize(
    ("utilities", "sides", "shares"),
    [
        ([1, -1 / 3, -1 / 3, -1 / 3], FOUR, [1, 0, 0, 0]),
        ([1 / 3, 1 / 3, -1 / 3, -1 / 3], FOUR, [0.5, 0.5, 0, 0]),
        ([1, -1], [[0], [1]], [1, 0]),
        ([0, 0], [[0], [1]], [0.5, 0.5]),
        ([0, 0, 0, 0], FOUR, [0.25] * 4),
        ([1, -1, 1, -1], [[0, 2], [1, 3]], [1, 0, 1, 0]),
        ([0, 0, 0, 0], [[0, 2], [1, 3]], [0.5] * 4),
        ([1, 1, 1], [[0], [1], [2]], [1, 1, 1]),
        ([-1, -1, -1], [[0], [1], [2]], [0, 0, 0]),
        ([1, 1 / 3, 1 / 3, 1 / 3], FOUR, [1, 0, 0, 0]),
        ([2 / 3, 2 / 3, 1 / 3, 1 / 3], FOUR, [0.5, 0.5, 0, 0]),
    ],
    ids=["sole", "two share", "two players", "tie of two", "cut off", "team", "teams tie", "all win", "all lose"]
    + ["common cause, sole winner", "common cause, two share"],
)
def test_shares_of_a_win(utilities: list[float], sides: list[list[int]], shares: list[float]) -> None:
    assert win_shares(np.array([utilities], float), sides)[0] == pytest.approx(shares)


def test_arrangements() -> None:
    assert arrangements_of([0, 1, 1]).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert {tuple(row) for row in arrangements_of([0, 1, 2, 3])} == set(permutations(range(4)))
    five = arrangements_of([0, 1, 2, 3, 4])
    assert len(five) == 5
    assert all(sorted(five[:, seat]) == [0, 1, 2, 3, 4] for seat in range(5))


def test_folding_always_loses_and_everybody_sits_everywhere_equally_often() -> None:
    result = evaluate([fold_first, keep], GAME, 100, seed=4, num_players=3)
    folder, keeper = result.players
    assert (result.games, result.arrangements, result.par) == (102, 3, pytest.approx(1 / 3))
    assert [player.name for player in result.players] == ["fold_first", "keep"]
    assert folder.wins.mean == 0.0
    assert folder.utility.mean == pytest.approx(-0.5)
    assert folder.points.mean == 0.0
    assert keeper.wins.mean == pytest.approx(0.5)  # two of them share one win a game
    assert keeper.utility.mean == pytest.approx(0.25)
    assert [estimate.mean for estimate in folder.seat_wins if estimate] == [0.0, 0.0, 0.0]


def test_equal_players_win_their_share() -> None:
    result = evaluate(["random", "random"], GAME, 2000, seed=1, num_players=4, first_seat=2)
    assert [player.name for player in result.players] == ["random"]
    assert result.arrangements == 1
    assert result.players[0].wins.mean == pytest.approx(0.25)
    assert sum(estimate.mean for estimate in result.players[0].seat_wins if estimate) == pytest.approx(1.0)


def test_equal_seeds_give_equal_results_on_any_number_of_threads() -> None:
    first, second = (evaluate(["heuristic", "random"], GAME, 200, seed=9, threads=n, num_players=2) for n in (1, 2))
    assert first.players == second.players
    assert evaluate(["heuristic", "random"], GAME, 200, seed=10, num_players=2).players != first.players


def test_searching_players_follow_from_the_seed() -> None:
    one, two, other = (evaluate(["ismcts:iterations=5", "heuristic"], GAME, 20, seed=seed) for seed in (1, 1, 2))
    assert one.players == two.players != other.players


@pytest.mark.parametrize("answer", [-2, -1])
def test_a_player_cannot_leave_a_game_out(answer: int) -> None:
    def lazy(obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.full(len(masks), answer)

    with pytest.raises(IllegalActionError, match="action -1 is not legal"):
        evaluate([lazy, "random"], GAME, 4)


@pytest.mark.parametrize("answer", [3, [[1]], [0.5], ["a"], None])
def test_a_player_gives_an_integer_for_each_game(answer: Any) -> None:
    with pytest.raises(PlayerError, match=r"<lambda>: found .*; expected an integer action for each of \d games"):
        evaluate([lambda obs, masks: answer, "random"], GAME, 4)


def test_an_evaluation_of_scripted_players_hears_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """They play to the end in compiled code, which does not: only a part of the games is begun by one call of it."""
    real, calls = Batch.reset, []

    def reset(batch: Batch, which: np.ndarray | None = None) -> None:
        if which is not None:
            calls.append(int(which.sum()))
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(batch, which)

    monkeypatch.setattr(Batch, "reset", reset)
    with pytest.raises(KeyboardInterrupt):
        evaluate(["heuristic", "random"], GAME, 100)
    assert all(0 < begun <= GAMES_A_CALL for begun in calls)


def test_four_players_in_any_order() -> None:
    result = evaluate(["heuristic", "shaky", fold_first, keep], GAME, 24, num_players=4)
    assert (result.games, result.arrangements) == (24, 24)
    assert sum(player.wins.mean for player in result.players) == pytest.approx(1.0)


def test_results_can_be_written_and_shown() -> None:
    result = evaluate(["heuristic", "random"], GAME, 20, num_players=2)
    data = json.loads(json.dumps(result.to_json()))
    assert data["players"][0]["wins"].keys() == {"mean", "low", "high"}
    assert data["options"]["num_players"] == 2
    assert data["decisions"] > 20
    assert rich_table(result).row_count == 2


def test_wrong_calls() -> None:
    for players, games in [([], 10), (["random"] * 3, 10), (["random"], 1)]:
        with pytest.raises(OptionError, match="expected 1 to 2 players"):
            evaluate(players, GAME, games, num_players=2)


def test_teams_are_one_side_each() -> None:
    from lusogames_env.games import get_game

    box = get_game("reis_de_portugal").new_box(num_players=4, teams=True)
    assert sides_of(box) == [[0, 2], [1, 3]]
