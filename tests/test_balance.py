"""The balance and calibration reports: they run for every game, and what they count adds up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import balance, calibration
from lusogames_env.engine.batch import Batch
from lusogames_env.engine.players import make_player
from lusogames_env.games import game_names, get_game
from lusogames_env.games.portao_para_o_mundo import balance as reals

GAMES = 40


def parts(title: str, tables: list[dict[str, Any]], seats: str) -> list[float]:
    """Return the means in the column of a table."""
    rows = next(table["rows"] for table in tables if table["title"] == title)
    return [cells[seats]["mean"] for cells in rows.values() if seats in cells]


@pytest.mark.parametrize("name", game_names())
def test_the_report_runs_and_its_shares_add_up(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    game, file = get_game(name), tmp_path / "balance.json"
    seats = max(game.players)
    options = ["--option", f"num_players={seats}"]
    balance.main([name, "--games", str(GAMES), "--seed", str(seed), "--json", str(file), *options])
    tables = json.loads(file.read_text(encoding="utf-8"))["tables"]
    shown = capsys.readouterr().out
    assert all(f"| {table['title']} | {seats} players |" in shown for table in tables)
    by_seat = parts("Wins by seat", tables, str(seats))
    assert len(by_seat) == seats
    total = sum(by_seat)
    assert 0 < total < 1 if name == "aljubarrota" else total == pytest.approx(1.0), "in Aljubarrota all can lose"
    for table in tables:
        if table["title"].startswith("Wins by distance"):
            assert sum(parts(table["title"], tables, str(seats))) == pytest.approx(total)


def test_without_num_players_every_number_of_seats_has_its_column(seed: int) -> None:
    game = get_game("d_afonso_henriques")
    results = balance.balance(game, 20, seed, {"characters": True})
    assert list(results) == [
        ("Wins by seat", "wins"),
        ("Wins by distance from the first player", "wins"),
        ("Wins by character", "wins"),
    ]
    for (title, _), rows in results.items():
        assert {n for cells in rows.values() for n in cells} == set(game.players), title
    four = [cells[4].mean for cells in results["Wins by character", "wins"].values()]
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
    ledger, order = reals.play(batch, make_player(player, game))
    assert not batch.running.any()
    assert (np.sort(order, axis=1) == np.arange(seats)).all()
    total = sum(ledger.reals.values())
    assert (total == batch.states["reals"][:, :seats] - box.record[0].start_reals).all()


def test_counting_ply_by_ply_changes_no_game(seed: int) -> None:
    game = get_game("portao_para_o_mundo")
    counted, compiled = (Batch(game, 30, seed=seed) for _ in range(2))
    reals.play(counted, make_player("heuristic", game))
    balance.play(compiled, make_player("heuristic", game))
    assert (counted.states["reals"] == compiled.states["reals"]).all()
    assert (counted.states["ply"] == compiled.states["ply"]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_game"], "there is no game 'no_game'"),
        (["d_afonso_henriques", "--option", "characters"], "expected name=value"),
        (["d_afonso_henriques", "--option", "num_players=9"], "expected one of 2, 3, 4"),
        (["d_afonso_henriques", "--games", "1"], "expected 2 games or more"),
        (["d_afonso_henriques", "--player", "ismcts"], "one of random, heuristic"),
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
