"""The league: whom prioritised self-play draws, what training games teach the table, and the alarm for forgetting."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lusogames_env.training import checkpoints
from lusogames_env.training.config import SelfPlay, load_config
from lusogames_env.training.evaluate import Estimate, Evaluation, PlayerResult
from lusogames_env.training.metrics import read_metrics
from lusogames_env.training.pool import NEWEST_GAME, SnapshotPool
from lusogames_env.training.train import Silence, forgotten, resume, train
from tests.training.conftest import Listener
from tests.training.test_agents import GAME, make_network
from tests.training.test_train import StopAt, last_tensors, metrics_without_time

DUEL = [[0], [1]]


def make_pool(snapshots: int, **plan: Any) -> SnapshotPool:
    pool = SnapshotPool(SelfPlay(**{"sampling": "prioritized", **plan}), np.random.default_rng(0))
    for step in range(1, snapshots + 1):
        pool.add(step, make_network())
    return pool


def play(pool: SnapshotPool, opponent: str, won: bool, games: int = 1) -> None:
    for _ in range(games):
        pool.record(["learner", opponent], np.array([1.0, -1.0] if won else [-1.0, 1.0]), DUEL)


def test_the_snapshots_that_win_are_drawn_more_often() -> None:
    pool = make_pool(3, active=1)
    play(pool, "snapshot_1", True, 60)
    play(pool, "snapshot_2", False, 60)
    expected = (1.0 - np.array(pool.win_rates)) ** 2
    assert (pool.odds() == np.maximum(expected, 1e-3)).all()
    drawn = []
    for _ in range(2000):
        pool._draw()
        drawn += pool.active
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    assert shares == pytest.approx(expected / expected.sum(), abs=0.04)
    assert shares[1] > 2 * shares[2] > 4 * shares[0]


def test_a_snapshot_that_always_loses_stays_in_the_draw() -> None:
    pool = make_pool(1)
    play(pool, "snapshot_1", True, 5000)
    assert pool.win_rates[0] == pytest.approx(1.0)
    assert pool.odds()[0] > 0
    pool._draw()
    assert pool.active == [0]


def test_win_rates_are_means_in_which_older_games_fade() -> None:
    pool = make_pool(2)
    play(pool, "snapshot_2", True)
    assert pool.win_rates == [0.5, 0.5 + NEWEST_GAME * 0.5]
    pool.record(["snapshot_2", "learner"], np.zeros(2), DUEL)  # a draw counts half, on either seat
    assert pool.win_rates[1] == pytest.approx((0.5 + NEWEST_GAME * 0.5) * (1 - NEWEST_GAME) + NEWEST_GAME * 0.5)
    play(pool, "heuristic", False)
    assert pool.win_rates[0] == 0.5
    assert pool.ratings.of["heuristic"].mu > pool.ratings.of["learner"].mu


def test_several_sides_and_teams() -> None:
    pool = make_pool(2)
    players = ["snapshot_1", "learner", "snapshot_2", "snapshot_2"]
    pool.record(players, np.array([1.0, 0.0, -0.5, -1.0]), [[0], [1], [2], [3]])
    assert pool.win_rates[0] < 0.5 < pool.win_rates[1]
    teams = make_pool(2)
    teams.record(["learner", "snapshot_2", "snapshot_1", "random"], np.array([1.0, -1.0, 1.0, -1.0]), [[0, 2], [1, 3]])
    assert teams.win_rates == [0.5, 0.5 + NEWEST_GAME * 0.5], "a partner is no opponent"
    assert teams.ratings.of["snapshot_1"].mu > 25.0 > teams.ratings.of["random"].mu


def test_a_new_snapshot_is_rated_like_the_learner_and_an_old_one_leaves() -> None:
    pool = make_pool(2, pool_size=2)
    play(pool, "snapshot_2", True, 10)
    pool.add(9, make_network())
    assert pool.steps == [2, 9]
    assert pool.win_rates[1] == 0.5 < pool.win_rates[0]
    assert "snapshot_1" not in pool.ratings.of
    assert pool.ratings.of["snapshot_9"].mu == pool.ratings.of["learner"].mu
    assert pool.measures()["lowest_win_rate"] == 0.5


def test_the_pool_goes_on_from_its_state() -> None:
    pool = make_pool(3)
    play(pool, "snapshot_2", False, 7)
    values, arrays = pool.get_state()
    twin = SnapshotPool(pool.plan, np.random.default_rng(5))
    twin.set_state(json.loads(json.dumps(values)), arrays, make_network().about(), GAME)
    for each in (pool, twin):
        play(each, "snapshot_1", True)
        each.add(9, make_network())
    assert (twin.win_rates, twin.active, twin.table()) == (pool.win_rates, pool.active, pool.table())


def result_of(mean: float, games: int = 200, par: float = 0.5) -> Evaluation:
    estimate = Estimate(mean, 0.0, 1.0)
    player = PlayerResult("learner", estimate, estimate, estimate, ())
    return Evaluation("toy", 0, {}, 0, games, 2, par, 1, 1.0, (player,))


def test_forgetting_is_a_significant_loss_even_among_many_opponents() -> None:
    assert forgotten({"a": result_of(0.44)}) == ["a"]
    assert forgotten({"a": result_of(0.46)}) == []
    among_many = {f"s{i}": result_of(0.5) for i in range(19)}
    assert forgotten({**among_many, "a": result_of(0.44)}) == []
    assert forgotten({**among_many, "a": result_of(0.35)}) == ["a"]
    assert forgotten({"a": result_of(0.25, par=0.25)}) == []
    assert forgotten({}) == []


LEAGUE = ("opponents.self_play.sampling=prioritized", "evaluation.snapshots=true")


def test_a_prioritised_run_can_be_stopped_and_leaves_its_league(tiny: Path, tmp_path: Path) -> None:
    whole, parts, listener = tmp_path / "whole", tmp_path / "parts", Listener()
    assert train(load_config(tiny, [*LEAGUE, f"run={whole}"]), report=listener).complete
    assert train(load_config(tiny, [*LEAGUE, f"run={parts}"]), report=StopAt(600)).step < 1024
    assert resume(parts).complete
    ours, theirs = last_tensors(whole), last_tensors(parts)
    assert all((ours[name] == theirs[name]).all() for name in ours)
    assert metrics_without_time(whole) == metrics_without_time(parts)
    values = [checkpoints.load_checkpoint(run).values["pool"] for run in (whole, parts)]
    assert values[0] == values[1]
    assert any("of 2 snapshots the hardest is" in line for line in listener.said)

    league = json.loads((whole / "league.json").read_text())
    assert league == json.loads((parts / "league.json").read_text())
    assert league["ratings"]["learner"]["games"] > 20
    assert {"random", "heuristic"} < set(league["ratings"])
    assert any(rate != 0.5 for rate in league["win_rates"].values())
    final = json.loads((whole / "evaluation.json").read_text())
    earlier = {name for name in league["win_rates"] if name != "snapshot_1024"}
    assert set(final) == {"random", "heuristic", *earlier}
    assert set(league["forgotten"]) <= earlier
    rows = list(csv.DictReader((whole / "metrics.csv").read_text().splitlines()))
    assert sum(bool(row["wins_vs_snapshots"]) for row in rows) == 3
    assert any(0 < row.get("rating", 0) != 25.0 for row in read_metrics(whole))


def test_forgetting_is_told(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lusogames_env.training import train as training

    monkeypatch.setattr(training, "forgotten", lambda results: list(results)[:1])
    listener = Listener()
    train(load_config(tiny, [f"run={tmp_path / 'run'}", "total_steps=512"]), report=listener)
    assert any("warning: forgetting: the learner now loses to its older snapshot_0" in line for line in listener.said)


@pytest.mark.parametrize(("name", "lost"), [("toy", ["snapshot_0"]), ("aljubarrota", [])])
def test_nothing_is_forgotten_where_the_whole_table_loses(name: str, lost: list[str], tmp_path: Path) -> None:
    from lusogames_env.training.config import make_config
    from lusogames_env.training.train import _Run

    run = _Run(make_config({"game": name}), tmp_path, Silence())
    assert run._forgotten({"snapshot_0": result_of(0.0)}) == lost
