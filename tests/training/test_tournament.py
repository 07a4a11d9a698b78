"""Tournaments: who meets whom where, results that depend on nothing but the configuration, going on after a stop."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lusogames_env.training import tournament, units
from lusogames_env.training.agents import save_agent
from lusogames_env.training.errors import ConfigError, FolderError, TournamentError
from lusogames_env.training.files import alone_in
from lusogames_env.training.tournament import Results, load_tournament, run_tournament, units_of
from lusogames_env.training.units import GAMES
from tests.tools import ROOT, TOY, load_game
from tests.training.conftest import Command, environment
from tests.training.test_agents import make_network

GAME = load_game(TOY)
CUP = """\
game: toy
options: {num_players: 2}
players: [random, heuristic, "ismcts:iterations=30"]
games: 41
games_per_unit: 12
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.yaml"
    path.write_text(CUP)
    return path


def hold(cup: Path, folder: Path, *overrides: str) -> Results:
    return run_tournament(load_tournament(cup, [f"output={folder}", *overrides]))


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / GAMES).read_text().splitlines()]


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "tournaments").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_tournaments_are_good(path: Path) -> None:
    assert path.stem.startswith(load_tournament(path).game)


def test_two_sides_every_pair_meets_in_both_orders(cup: Path, tmp_path: Path) -> None:
    results = hold(cup, tmp_path / "cup")
    assert results.games == 3 * 42
    assert set(results.players) == {"random", "heuristic", "ismcts:iterations=30"}
    assert results.players[-1] == "random"
    assert results.ratings[0].mu > results.ratings[1].mu > results.ratings[2].mu
    for i in range(3):
        assert results.matrix[i][i] is None
        for j in range(i):
            mine, theirs = results.matrix[i][j], results.matrix[j][i]
            assert mine is not None and theirs is not None
            assert mine.mean + theirs.mean == pytest.approx(1.0)
            assert mine.low <= mine.mean <= mine.high
    seated = np.array([row for line in lines_of(tmp_path / "cup") for row in line["seated"]])
    pairs, counts = np.unique(seated, axis=0, return_counts=True)
    assert len(pairs) == 6
    assert (counts == 21).all()


def test_more_sides_a_challenger_among_copies_on_every_seat(cup: Path, tmp_path: Path) -> None:
    results = hold(cup, tmp_path / "cup", "options.num_players=3", "players=[random, heuristic]", "games=30")
    assert (results.games, results.par) == (60, pytest.approx(1 / 3))
    seated = np.array([row for line in lines_of(tmp_path / "cup") for row in line["seated"]])
    pairs, counts = np.unique(seated, axis=0, return_counts=True)
    assert pairs.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0]]
    assert (counts == 10).all()
    cell = results.matrix[results.players.index("heuristic")][results.players.index("random")]
    assert cell is not None and cell.mean > 1 / 3


def test_units_cover_all_games_chunk_by_chunk(cup: Path) -> None:
    units = units_of(load_tournament(cup), 2)
    assert [unit.number for unit in units] == list(range(12))
    assert [(unit.first, unit.second) for unit in units[:3]] == [(0, 1), (0, 2), (1, 2)]
    assert [unit.games for unit in units if unit.first == 1] == [12, 12, 12, 6]


FILES = (tournament.RESULTS, f"{tournament.MATRIX}.svg", f"{tournament.MATRIX}.png")


def test_results_do_not_depend_on_processes_or_stops(cup: Path, tmp_path: Path) -> None:
    whole, spread, cut = tmp_path / "whole", tmp_path / "spread", tmp_path / "cut"
    hold(cup, whole)
    hold(cup, spread, "processes=2")
    hold(cup, cut)
    path = cut / GAMES
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:5]) + kept[5][:40])
    (cut / tournament.RESULTS).unlink()
    hold(cup, cut)
    for name in FILES:
        assert (spread / name).read_bytes() == (whole / name).read_bytes(), name
        assert (cut / name).read_bytes() == (whole / name).read_bytes(), name
    assert sorted(line["unit"] for line in lines_of(cut)) == list(range(12))
    assert path.read_bytes().splitlines(keepends=True)[:5] == kept[:5]


def test_finished_units_are_not_played_again(cup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(cup, tmp_path / "cup")
    monkeypatch.setattr(units, "play_unit", None)
    hold(cup, tmp_path / "cup", "processes=2")


def test_a_stop_keeps_what_is_finished(cup: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        assert total == 126
        if done >= 36:
            raise KeyboardInterrupt

    config = load_tournament(cup, [f"output={tmp_path / 'cup'}"])
    with pytest.raises(KeyboardInterrupt):
        run_tournament(config, progress=stop)
    assert len(lines_of(tmp_path / "cup")) == 3
    assert run_tournament(config).games == 126


@pytest.mark.parametrize(
    ("override", "text"),
    [
        ("seed=1", "other games: seed is 0 there, now 1"),
        ("players=[random, heuristic]", "other games: players is"),
        ("options.num_players=3", "other games: options.num_players is 2 there, now 3"),
        ("games=50", "other games: games is 41 there, now 50"),
    ],
)
def test_another_tournament_is_refused(cup: Path, tmp_path: Path, override: str, text: str) -> None:
    hold(cup, tmp_path / "cup", "games=41", "players=[random, heuristic, 'flat_mc:iterations=2']")
    with pytest.raises(TournamentError, match=text):
        hold(cup, tmp_path / "cup", "players=[random, heuristic, 'flat_mc:iterations=2']", override)


def test_an_agent_that_was_trained_on_is_another_tournament(cup: Path, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    players = f"players=[random, {agent}]"
    save_agent(agent, make_network(seed=1), GAME, {"num_players": 2}, {})
    hold(cup, tmp_path / "cup", players, "games=4")
    save_agent(agent, make_network(seed=2), GAME, {"num_players": 2}, {})
    with pytest.raises(TournamentError, match="other games: agents."):
        hold(cup, tmp_path / "cup", players, "games=4")


def test_a_misspelt_key_is_named_before_the_one_it_stands_for(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(CUP.replace("players:", "player:"))
    with pytest.raises(ConfigError, match="line 3: player: unknown key; did you mean 'players'"):
        load_tournament(tmp_path / "cup.yaml")


def test_all_games_meet_the_agent_that_was_there_at_the_start(cup: Path, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    settings = [f"players=[heuristic, {agent}]", "games=40", "options.num_players=2"]
    save_agent(agent, make_network(seed=1), GAME, {"num_players": 2}, {})
    alone = hold(cup, tmp_path / "alone", *settings)

    def train_on(done: int, total: int) -> None:
        save_agent(agent, make_network(seed=2), GAME, {"num_players": 2}, {})

    config = load_tournament(cup, [*settings, f"output={tmp_path / 'meanwhile'}"])
    assert run_tournament(config, progress=train_on).matrix == alone.matrix


def test_one_process_at_a_time_plays_in_a_folder(cup: Path, tmp_path: Path) -> None:
    hold(cup, tmp_path / "cup", "games=4")
    with alone_in(tmp_path / "cup"), pytest.raises(FolderError, match="another process works in"):
        hold(cup, tmp_path / "cup", "games=4")
    hold(cup, tmp_path / "cup", "games=4")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"seated": 3}, "line 1 is damaged"),
        ({"unit": [0]}, "line 1 is damaged"),
        ({"seated": [], "wins": [], "scores": []}, "unit 0 lacks games"),
    ],
)
def test_games_that_are_none_are_refused(cup: Path, tmp_path: Path, change: dict[str, Any], text: str) -> None:
    hold(cup, tmp_path / "cup", "games=4")
    path = tmp_path / "cup" / GAMES
    first, *others = path.read_text().splitlines(keepends=True)
    path.write_text(json.dumps({**json.loads(first), **change}) + "\n" + "".join(others))
    with pytest.raises(TournamentError, match=text):
        hold(cup, tmp_path / "cup", "games=4")


def test_folders_that_cannot_be_used(cup: Path, tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="neither empty nor a folder of such games"):
        hold(cup, tmp_path)
    with pytest.raises(TournamentError, match="cannot make the folder"):
        hold(cup, cup / "below")
    folder = tmp_path / "cup"
    hold(cup, folder, "games=4")
    lines = (folder / GAMES).read_bytes().splitlines(keepends=True)
    (folder / GAMES).write_bytes(lines[0][:30] + b"\n" + lines[1])
    with pytest.raises(TournamentError, match="line 1 is damaged"):
        hold(cup, folder, "games=4")
    for content, text in ((b"{", "cannot be read"), (b"[]", "does not say what is played")):
        (folder / tournament.HEAD).write_bytes(content)
        with pytest.raises(TournamentError, match=text):
            hold(cup, folder, "games=4")


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("player=[random]", ["player: unknown key", "did you mean 'players'"]),
        ("players=[random", ["is not a YAML value"]),
        ("players=[random]", ["players: found ['random']", "at least 2"]),
        ("players=[random, heuristc]", ["players.1", "did you mean 'heuristic'"]),
        ("players=[random, random]", ["players.1: 'random' is given twice"]),
        ("games=1", ["games: found 1", "greater than or equal to 2"]),
        ("games=many", ["games: found 'many'; expected an integer"]),
        ("game=tay", ["game: there is no game 'tay'", "did you mean 'toy'"]),
        ("options.num_players=9", ["options.num_players: found 9"]),
        ("output=3", ["output: found 3; expected a text"]),
        ("games", ["expected key=value, as games=100"]),
    ],
)
def test_wrong_configurations(cup: Path, override: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_tournament(cup, [override])
    for part in parts:
        assert part in str(caught.value)


def test_errors_name_the_line(cup: Path) -> None:
    cup.write_text(CUP + "seeds: 3\n")
    with pytest.raises(ConfigError, match="line 6: seeds: unknown key; did you mean 'seed'"):
        load_tournament(cup)


def test_a_table_that_wins_together_has_no_tournament(cup: Path) -> None:
    options = "options={mode: cooperative}"
    with pytest.raises(ConfigError, match="crossplay"):
        load_tournament(cup, ["game=aljubarrota", options, "players=[random, heuristic]"])


def test_command(command: Command, cup: Path) -> None:
    done = command("tournament", cup, "games=4", "players=[random, heuristic]")
    assert done.returncode == 0, done.stderr
    assert "toy, 4 games, par 0.500" in done.stdout
    folder = cup.parent / "tournaments" / "toy" / "cup"
    assert str(folder.relative_to(cup.parent)) in done.stdout
    assert (folder / "matrix.png").read_bytes().startswith(b"\x89PNG")
    refused = command("tournament", cup, "games=6", "players=[random, heuristic]")
    assert refused.returncode == 2
    assert "other games" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_ctrl_c_and_the_same_command_again(cup: Path, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "tests.training.toy_cli", "tournament", str(cup), "players=[random, heuristic]"]
    line += ["games=20000", "games_per_unit=20", "processes=2", f"output={tmp_path / 'cup'}"]
    process = subprocess.Popen(line, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    path = tmp_path / "cup" / GAMES
    while not (path.exists() and path.stat().st_size):
        assert process.poll() is None, "it ended too early"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"stopped; the same command goes on" in out
    assert b"Traceback" not in err
    assert 0 < len(lines_of(tmp_path / "cup")) < 1000
