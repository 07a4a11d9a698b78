"""The balance and calibration reports: they run for every game, and what they count adds up."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import balance, calibration
from lusogames_env.engine.batch import EXTERNAL, WAIT, Batch
from lusogames_env.engine.players import make_player
from lusogames_env.games import game_names, get_game
from lusogames_env.games.anno_domini import balance as lengths
from lusogames_env.games.portao_para_o_mundo import balance as reals

GAMES = 40


def parts(title: str, tables: list[dict[str, Any]], column: str) -> list[float]:
    """Return the means in the column of a table."""
    rows = next(table["rows"] for table in tables if table["title"] == title)
    return [cells[column]["mean"] for cells in rows.values() if column in cells]


@pytest.mark.parametrize("name", game_names())
def test_the_report_runs_and_its_shares_add_up(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    game, file = get_game(name), tmp_path / "balance.json"
    seats = max(game.players)
    column = f"{seats} players"
    options = ["--option", f"num_players={seats}", "--player", "heuristic"]
    balance.main([name, "--games", str(GAMES), "--seed", str(seed), "--json", str(file), *options])
    tables = json.loads(file.read_text(encoding="utf-8"))["tables"]
    shown = capsys.readouterr().out
    assert all(f"| {table['title']} | {column} |" in shown for table in tables)
    by_seat = parts("Wins by seat", tables, column)
    assert len(by_seat) == seats
    total = sum(by_seat)
    assert 0 < total < 1 if name == "aljubarrota" else total == pytest.approx(1.0), "in Aljubarrota all can lose"
    for table in tables:
        if table["title"].startswith("Wins by distance"):
            assert sum(parts(table["title"], tables, column)) == pytest.approx(total)


def test_without_num_players_every_number_of_seats_has_its_column(seed: int) -> None:
    game = get_game("d_afonso_henriques")
    results = balance.balance(game, balance.players_of(game), 20, seed, {"characters": True})
    assert list(results) == [
        ("Wins by seat", "wins"),
        ("Wins by distance from the first player", "wins"),
        ("Wins by character", "wins"),
    ]
    for (title, _), rows in results.items():
        assert {column for cells in rows.values() for column in cells} == {"2 players", "3 players", "4 players"}, title
    four = [cells["4 players"].mean for cells in results["Wins by character", "wins"].values()]
    assert sum(four) == pytest.approx(1.0), "with four seats every character is in every game"


def test_distances_count_clockwise_from_the_first_player() -> None:
    shares = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 0.5, 0.5]])
    (_, _, by_seat), (_, _, by_distance) = balance.seat_counts(shares, np.array([0, 1, 2]))
    assert [float(values.sum()) for values in by_seat.values()] == [1.0, 0.5, 1.5]
    assert {name: values.tolist() for name, values in by_distance.items()} == {
        "first player": [1.0, 0.0, 0.5],
        "1 after the first": [0.0, 1.0, 0.0],
        "2 after the first": [0.0, 0.0, 0.5],
    }


def test_if_the_same_seat_always_begins_there_is_no_table_of_distances() -> None:
    assert len(balance.seat_counts(np.ones((4, 2)) / 2, np.zeros(4, np.int64))) == 1


@pytest.mark.parametrize("player", ["random", "heuristic", "kings"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_reals_by_source_add_up_to_the_reals_of_every_seat(player: str, seats: int, seed: int) -> None:
    game = get_game("portao_para_o_mundo")
    box = game.new_box(num_players=seats, nobles_card_takes_action=seats != 3)
    batch = Batch(box, 60, seed=seed)
    ledger = reals.play(batch, make_player(player, game))
    assert not batch.running.any()
    total = sum(ledger.reals.values())
    assert (total == batch.states["reals"][:, :seats] - box.record[0].start_reals).all()


def test_counting_ply_by_ply_changes_no_game(seed: int) -> None:
    game = get_game("portao_para_o_mundo")
    counted, compiled = (Batch(game, 30, seed=seed) for _ in range(2))
    reals.play(counted, make_player("heuristic", game))
    balance.play(compiled, make_player("heuristic", game))
    assert (counted.states["reals"] == compiled.states["reals"]).all()
    assert (counted.states["ply"] == compiled.states["ply"]).all()


def test_a_game_that_names_its_players_has_a_column_for_each(seed: int) -> None:
    game = get_game("anno_domini")
    results = balance.balance(game, balance.players_of(game), 30, seed, {})
    names = ["random", "random that draws", "aggressive", "cautious", "heuristic"]
    assert all(list(cells) == [f"4 × {name}" for name in names] for rows in results.values() for cells in rows.values())
    for column, rounds in results["Length: mean, median, 95 %, longest", "length"]["rounds"].items():
        assert isinstance(rounds, balance.Length)
        assert 4 <= rounds.median <= rounds.most <= rounds.longest <= 40, "nobody wins before round 4"
        cut = results["Games cut off", "games"]["at max_rounds"][column].mean
        assert cut == 0 or rounds.longest == 40
        places = [cells[column].mean for cells in results["Wins by place in the first round", "wins"].values()]
        assert sum(places) == pytest.approx(1.0)


def test_places_of_anno_domini_are_those_of_its_first_round(seed: int) -> None:
    batch = Batch("anno_domini", 30, seed=seed)
    start = batch.states.copy()
    while (batch.states["round_number"] == 0).any():
        batch.step(np.where(batch.states["round_number"] == 0, batch.random_actions(), WAIT))
    for place in range(4):
        shares = np.eye(4)[batch.states["order"][:, place]]
        _, _, places = lengths.breakdown(batch.box, start, batch.states, shares, None)[0]
        assert places[f"place {place + 1}"].all()


def test_the_random_player_that_draws_never_declines_a_card(seed: int) -> None:
    batch, player = Batch("anno_domini", 20, seed=seed), lengths.RandomDrawer()
    could = 0
    for _ in range(400):
        rows = np.flatnonzero(batch.running)
        could += int(batch.masks[rows, lengths.END_TURN_NO_DRAW].sum())
        actions = np.full(20, WAIT, np.int64)
        actions[rows] = player.act(batch, rows)
        assert not (actions == lengths.END_TURN_NO_DRAW).any()
        batch.step(actions)
    assert could > 0


def test_players_that_are_asked_play_like_those_in_compiled_code(seed: int) -> None:
    game = get_game("anno_domini")
    compiled, asked = (Batch(game, 5, seed=seed, max_rounds=4) for _ in range(2))
    scripted = make_player("cautious", game)
    balance.play(compiled, scripted)
    balance.play(asked, SimpleNamespace(name="asked", decider=EXTERNAL, act=scripted.act))
    assert (compiled.states["ply"] == asked.states["ply"]).all() and not asked.running.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_game"], "there is no game 'no_game'"),
        (["d_afonso_henriques", "--option", "characters"], "expected name=value"),
        (["d_afonso_henriques", "--option", "num_players=9"], "expected one of 2, 3, 4"),
        (["d_afonso_henriques", "--games", "1"], "expected 2 games or more"),
        (["d_afonso_henriques", "--player", "nobody"], "there is no player 'nobody'"),
        (["portao_para_o_mundo", "--option", "skip_forced=true"], "leave it out"),
    ],
)
def test_misuse_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        balance.main(arguments)
    assert message in capsys.readouterr().err


def test_every_line_of_the_calibration_has_its_expected_figures() -> None:
    assert set(calibration.EXPECTED) == set(calibration.LINES)


@pytest.mark.parametrize(("expected", "code"), [({"killed": 105.0}, 0), ({"killed": 60.0}, 1)])
def test_the_calibration_says_whether_figures_agree(
    expected: dict[str, float],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "passive, flank attack only"
    monkeypatch.setitem(calibration.EXPECTED, line, (800, expected))
    assert calibration.main(["--games", "100", "--lines", line]) == code
    assert f"{1 - code} of 1 figures agree" in capsys.readouterr().out


def test_the_calibration_refuses_games_that_do_not_fill_its_batches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        calibration.main(["--games", "30"])
    assert "expected a multiple of 20" in capsys.readouterr().err
