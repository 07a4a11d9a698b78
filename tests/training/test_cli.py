"""The command line: what it prints, how it ends, and that it never shows a traceback for a user's mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lusogames_env.training import cli
from tests.tools import ROOT, TOY, load_game
from tests.training.conftest import Command, environment
from tests.training.test_agents import BOX, make_network

GAME = load_game(TOY)
GAMES = ("--game", "toy", "-o", "num_players=2", "--games", "4")


def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: object) -> tuple[int, str, str]:
    """Run the command line in this process; return exit code, output and errors."""
    monkeypatch.setattr(sys, "argv", ["lusogames", *map(str, args)])
    try:
        cli.main()
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["trian"], "Did you mean 'train'"),
        (["train"], "train needs a configuration file, or --resume RUN"),
        (["train", "seed=3"], "train needs a configuration file"),
        (["train", "nothing.yaml"], "cannot read the configuration nothing.yaml"),
        (["train", "--resume", "nowhere"], "nowhere is not a run folder"),
        (["evaluate", "random"], "give --game"),
        (["evaluate", "random", "--game", "toy", "--games", "1"], "--games"),
        (["evaluate", "nowhere/at/all"], "there is no agent at nowhere/at/all"),
        (["evaluate", "rndom", "random", "--game", "toy"], "did you mean 'random'"),
        (["evaluate", "random", "--game", "toy", "-o", "num_players"], "expected name=value"),
        (["evaluate", "random", "--game", "toy", "-o", "num_players=7"], "expected one of 2, 3, 4"),
        (["evaluate", "random", "--game", "toy", "--json", "/no/such/folder/x"], "cannot write /no/such/folder/x"),
        (["evaluate", "random", "--game", "toy", "-o", "self=1"], "no option 'self'"),
        (["evaluate", "x" * 300, "--game", "toy"], "there is no player"),
        (["evaluate", "x" * 300], "give --game"),
        (["train", "toy.yaml", "run=" + "x" * 300], "cannot read the configuration"),
        (["report", "toy", "--games", "1000000000000"], "--games"),
        (["reproduce", "."], "the folder . holds no table.yaml"),
        (["games", "tay"], "did you mean 'toy'"),
        (["play", "chess"], "there is no game 'chess'"),
        (["play", "toy", "--seat", "3", "-o", "num_players=2"], "seat 3: expected 0 … 1"),
        (["play", "toy", "-a", "random", "-a", "random", "-o", "num_players=2"], "2 opponents: expected 1 to 1"),
    ],
)
def test_mistakes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, args: list[str], text: str
) -> None:
    code, _, err = call(capsys, monkeypatch, *args)
    assert code == 2
    assert text in err


def test_a_wrong_configuration_is_told_without_a_traceback(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("game: toy\nalgoritm: {}\n")
    done = command("train", "x.yaml")
    assert done.returncode == 2
    assert done.stderr == "error: x.yaml, line 2: algoritm: unknown key; did you mean 'algorithm'?\n"


def test_from_training_to_evaluation(command: Command, tiny: Path, tmp_path: Path) -> None:
    trained = command("train", tiny, "total_steps=256", "run=first")
    assert trained.returncode == 0, trained.stderr
    assert "after 256 steps" in trained.stdout
    assert f"learning curve: {Path('first') / 'curve.png'}" in trained.stdout
    evaluated = command("evaluate", "first", "--games", "50", "--json", "out.json")
    assert evaluated.returncode == 0, evaluated.stderr
    assert "par 0.500" in evaluated.stdout
    results = json.loads((tmp_path / "out.json").read_text())
    assert [result["players"][1]["name"] for result in results] == ["random", "heuristic", "shaky"]
    assert results[0]["games"] == 50


def test_evaluation_prints_json_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("evaluate", "heuristic", "random", "--game", "toy", "-o", "num_players=4", "--games", "8", "--json", "-")
    code, out, _ = call(capsys, monkeypatch, *args)
    assert code == 0
    assert json.loads(out)[0]["arrangements"] == 4


def test_a_result_is_shown_before_it_cannot_be_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = call(capsys, monkeypatch, "evaluate", "random", "heuristic", *GAMES, "--json", "/no/such/folder/x")
    assert code == 2 and "cannot write /no/such/folder/x" in err
    assert "2 seat arrangements" in out


def test_tables_are_not_wrapped_in_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    players = ["flat_mc:iterations=2,playout=heuristic,plies=60,reward=margin", "heuristic"]
    code, out, _ = call(capsys, monkeypatch, "evaluate", *players, *GAMES)
    assert code == 0 and f"│ {players[0]} │" in out


@pytest.mark.parametrize(
    ("package", "words"), [("typer", ["games"]), ("rich", ["games"]), ("yaml", ["evaluate", "random", "--game", "toy"])]
)
def test_a_package_that_is_missing_is_named(package: str, words: list[str]) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; sys.argv = ['lusogames', *{words!r}]; " + (
        "from lusogames_env.command import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 2, done.stderr
    assert done.stderr.strip() == f"error: {package} is not installed: pip install 'lusogames-env[train]'"


def test_cross_play_prints_json_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--game", "aljubarrota", "-o", "mode=cooperative", "--games", "2", "--json", "-")
    code, out, _ = call(capsys, monkeypatch, "crossplay", "random", "random", *options)
    assert code == 0 and json.loads(out)["games"] == 2


def test_a_saved_agent_brings_its_game_and_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from lusogames_env.training.agents import save_agent

    save_agent(tmp_path / "agent", make_network(), GAME, BOX.options, {})
    code, out, err = call(capsys, monkeypatch, "evaluate", tmp_path / "agent", "random", "--games", "10")
    assert code == 0, err
    assert "toy, 10 games" in out


def test_games(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = call(capsys, monkeypatch, "games", "toy")
    assert code == 0
    size = f"observation ({GAME.observation.size},)"
    for word in ("first_seat", "skip_forced", size, "actions 4", "heuristic", "4p-skip"):
        assert word in out
    code, out, _ = call(capsys, monkeypatch, "games", "--json")
    assert {"toy", "reis_de_portugal"} <= {game["name"] for game in json.loads(out)}


def test_a_game_in_the_terminal(command: Command) -> None:
    played = command("play", "toy", "-o", "num_players=2", "--seed", "1", text="x\n?\n" + "0\n" * 60)
    assert played.returncode == 0, played.stderr
    assert "'x' is not a number from 0 to 1" in played.stdout
    assert "STAY" in played.stdout
    assert "The game is over." in played.stdout
    assert "(you)" in played.stdout


@pytest.mark.parametrize("text", ["q\n", "", "0\nQUIT\n"])
def test_leaving_the_table(command: Command, text: str) -> None:
    left = command("play", "toy", "--seed", "1", text=text)
    assert left.returncode == 0, left.stderr
    assert left.stdout.endswith("You have left the table.\n")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['lusogames', 'train', '--help']\n"
        "from lusogames_env.training import cli\n"
        "try: cli.main()\n"
        "finally: assert not {'torch', 'numba', 'matplotlib', 'stable_baselines3'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment())
    assert done.returncode == 0, done.stderr
    assert "--resume" in done.stdout
