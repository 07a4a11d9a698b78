"""The report about a game: its measures on games whose answers are known, and what it looks like."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lusogames_env.engine.batch import Batch
from lusogames_env.engine.errors import OptionError
from lusogames_env.engine.game import Box
from lusogames_env.training.evaluate import evaluate
from lusogames_env.training.report import (
    GameReport,
    ReportPlan,
    distribution_of,
    hidden_information,
    report,
    skill_ladder,
    to_markdown,
)
from tests.tools import TOY, load_game
from tests.training.conftest import Command

GAME = load_game(TOY)
BOX = GAME.new_box(num_players=2)
QUICK = ReportPlan(games=100, positions=40, redeals=6, ladder=0)


@pytest.fixture(scope="module")
def found() -> GameReport:
    return report(BOX, QUICK)


def test_the_same_seed_gives_the_same_report(found: GameReport) -> None:
    assert report(BOX, QUICK) == found
    assert report(BOX, replace(QUICK, seed=1)) != found


def test_counts_agree_with_each_other(found: GameReport) -> None:
    branching, length = found.branching, found.length
    assert sum(branching.distribution.counts) == branching.decisions == round(length.mean.mean * 100)
    assert sum(length.counts) == 100
    assert length.quantiles[0] == length.edges[0]
    assert length.edges[-2] <= length.quantiles[-1] < length.edges[-1]
    assert branching.largest == 2, "no decision of the toy game has more than two legal actions"
    forced = branching.distribution.counts[0] / branching.decisions if branching.distribution.edges[0] == 1 else 0.0
    assert branching.forced == pytest.approx(forced)
    assert branching.mean == pytest.approx(branching.forced + 2 * (1 - branching.forced))
    assert sum(seat.wins.mean for seat in found.seats) + found.nobody_won == pytest.approx(1.0, abs=1e-6)


def test_forced_decisions_vanish_if_they_are_played_unasked() -> None:
    forced = {
        skip: report(GAME.new_box(num_players=2, folding=False, skip_forced=skip), QUICK) for skip in (False, True)
    }
    assert forced[False].branching.forced > 0.1
    assert forced[True].branching.forced == 0.0
    assert forced[True].branching.decisions < forced[False].branching.decisions
    assert forced[True].length.mean.mean < forced[False].length.mean.mean


def test_random_player_and_evaluation_agree_about_seats() -> None:
    random = report(GAME.new_box(num_players=3), replace(QUICK, games=2000, player="random"))
    theirs = evaluate(["random"], GAME.new_box(num_players=3), 2000, seed=9).players[0]
    for mine, other in zip(random.seats, theirs.seat_wins, strict=True):
        assert other is not None
        assert mine.wins.low < other.high and other.low < mine.wins.high


def test_distribution() -> None:
    found = distribution_of(np.array([3, 3, 4, 30]))
    assert found.edges == tuple(range(3, 34, 3))
    assert found.counts == (3, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    assert found.quantiles[3] == 3.5
    same = distribution_of(np.full(5, 7))
    assert (same.edges, same.counts) == ((7, 8), (5,))


def test_hidden_information_of_known_positions() -> None:
    """Two players, six cards: the other's card and the four in the deck are hidden, nothing else ever changes."""
    batch = Batch(BOX, 50, seed=3)
    found = hidden_information(BOX, batch.states, 20, seed=1)
    assert (found.positions, found.redeals) == (50, 20)
    assert set(found.fields) == {"hand", "deck"}
    hidden = int(batch.states["deck_n"][0]) + 1
    assert found.differing == pytest.approx(1 - 1 / np.prod(range(1, hidden + 1)), abs=0.03)
    assert 15 < found.distinct <= 20
    assert found.open == 0.0
    size = 6 + 4  # numbers in the fields deck and hand
    assert 0.3 * size < sum(found.fields[name] * n for name, n in (("deck", 6), ("hand", 4))) < size
    assert 0 < found.changed < 0.5


def test_nothing_is_hidden_where_one_order_is_left() -> None:
    batch = Batch(BOX, 3, seed=3)
    batch.states["deck_n"] = 0
    found = hidden_information(BOX, batch.states, 5, seed=1)
    assert (found.differing, found.distinct, found.changed, found.open, found.fields) == (0.0, 1.0, 0.0, 1.0, {})


def test_skill_ladder_doubles_the_budget() -> None:
    rungs = skill_ladder(BOX, replace(QUICK, ladder=2, rungs=3, ladder_games=10), seed=4)
    assert [(rung.weaker, rung.stronger) for rung in rungs] == [(2, 4), (4, 8), (8, 16)]
    assert all(rung.games == 10 and rung.par == 0.5 and rung.wins.low <= rung.wins.mean for rung in rungs)
    assert skill_ladder(BOX, replace(QUICK, ladder=0), seed=4) == ()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"games": 1}, "games = 1: expected 2 or more"),
        ({"positions": 0}, "positions = 0: expected 1 or more"),
        ({"redeals": 1}, "redeals = 1"),
        ({"ladder": -1}, "ladder = -1"),
        ({"ladder_games": 0}, "ladder-games = 0"),
        ({"player": "heuristc"}, "did you mean 'heuristic'"),
    ],
)
def test_wrong_plans(change: dict[str, object], text: str) -> None:
    with pytest.raises(OptionError, match=text):
        report(BOX, replace(QUICK, **change))  # type: ignore[arg-type]


def test_markdown(found: GameReport) -> None:
    text = to_markdown(found, BOX)
    assert text.startswith("# Toy: toy_v0\n\n2 players; 100 games of `heuristic` in all seats, seed 0;")
    headings = ["Branching factor", "Decisions per game", "Seats", "Hidden information"]
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == headings
    assert "| `deck` |" in text
    options = GAME.new_box(num_players=2, folding=False)
    assert "2 players, folding=False;" in to_markdown(report(options, QUICK), options)


def test_a_table_that_wins_together() -> None:
    team = Box(replace(GAME, teams=lambda options: (0,) * options["num_players"]), {"num_players": 2})
    found = report(team, replace(QUICK, ladder=4))
    assert (found.par, found.ladder) == (1.0, ())
    assert not any(seat.bias for seat in found.seats)
    assert "Share of wins among equals; all seats win together." in to_markdown(found, team)


def test_command(command: Command, tmp_path: Path) -> None:
    args = (
        "report",
        "toy",
        "-o",
        "num_players=2",
        "--games",
        20,
        "--positions",
        10,
        "--ladder",
        2,
        "--ladder-games",
        4,
    )
    done = command(*args, "--json", "report.json")
    assert done.returncode == 0, done.stderr
    assert "## Does twice the search win more?" in done.stdout
    assert "| 4 against 2 | 4 | 0.500 |" in done.stdout
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["ladder"][1]["stronger"] == 8
    assert len(data["length"]["quantiles"]) == len(data["quantiles"])
