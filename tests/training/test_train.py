"""Runs: they can be stopped at any moment, even in the middle of a write, and go on as if nothing had happened."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from lusogames_env.training import checkpoints, files
from lusogames_env.training import train as training
from lusogames_env.training.agents import load_agent
from lusogames_env.training.config import load_config, make_config
from lusogames_env.training.errors import CheckpointError, ConfigError, FolderError
from lusogames_env.training.files import alone_in
from lusogames_env.training.metrics import read_metrics
from lusogames_env.training.train import Silence, resume, stream, train
from tests.tools import ROOT, TOY, load_game
from tests.training.conftest import TINY, Listener, environment, toy_among_the_games

GAME = load_game(TOY)


class StopAt(Silence):
    """Asks a run to stop, as Ctrl-C does, once it has come to a step."""

    def __init__(self, at: int) -> None:
        self.at = at

    def step(self, step: int, total: int, text: str) -> None:
        if step >= self.at:
            self.at = 10**9
            os.kill(os.getpid(), signal.SIGINT)


def steps_of(run: Path) -> list[int]:
    return [row["step"] for row in read_metrics(run)]


def last_tensors(run: Path) -> dict[str, np.ndarray]:
    return checkpoints.load_checkpoint(run).arrays


def metrics_without_time(run: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k not in ("seconds", "steps_per_second")} for row in read_metrics(run)]


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "tiny.yaml").write_text(TINY)
    run = folder / "run"
    with toy_among_the_games():
        outcome = train(load_config(folder / "tiny.yaml", [f"run={run}"]))
    assert outcome.complete
    return run


def test_what_a_run_leaves_behind(whole_run: Path) -> None:
    config = yaml.safe_load((whole_run / "config.yaml").read_text())
    assert config["algorithm"]["clip_range"] == 0.2, "every key is resolved"
    about = json.loads((whole_run / "run.json").read_text())
    assert about["versions"]["torch"]
    assert about["seeds"]["run"] == 0
    final = json.loads((whole_run / "evaluation.json").read_text())
    assert final["random"]["games"] == 40
    assert (whole_run / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((whole_run / "tensorboard").glob("events.*"))
    rows = list(csv.DictReader((whole_run / "metrics.csv").read_text().splitlines()))
    assert [int(row["step"]) for row in rows] == steps_of(whole_run)
    assert [row["step"] for row in rows if row["wins_vs_random"]] == ["0", "512", "896", "1024"]
    assert any(row["approx_kl"] for row in rows)
    agent = load_agent(whole_run, GAME)
    assert agent.info["training"]["steps"] == 1024
    assert agent.name == "run"


def test_a_run_that_was_stopped_twice_ends_like_one_that_was_not(whole_run: Path, tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    first = train(load_config(tiny, [f"run={run}"]), report=StopAt(300))
    assert not first.complete
    assert first.step == 512
    assert resume(run, report=StopAt(700)).step == 896
    assert resume(run).complete
    expected, found = last_tensors(whole_run), last_tensors(run)
    assert expected.keys() == found.keys()
    for name in expected:
        assert (expected[name] == found[name]).all(), name
    assert metrics_without_time(run) == metrics_without_time(whole_run)


def test_going_on_from_an_earlier_checkpoint_drops_later_rows(whole_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    newest = checkpoints.last_checkpoint(run)
    assert newest is not None
    shutil.rmtree(newest)
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 1024, "utili')
    assert resume(run).complete
    assert metrics_without_time(run) == metrics_without_time(whole_run)


def test_a_finished_run_that_goes_on_is_evaluated_once(whole_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    with (run / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": "x"}\n\xff\n')
    assert resume(run).complete
    assert metrics_without_time(run) == metrics_without_time(whole_run)


def test_two_runs_never_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = make_config({"game": "toy"})
    assert [training.new_run_folder(config, "x").name for _ in range(3)] == ["x-1", "x-2", "x-3"]
    with pytest.raises(ConfigError, match="cannot make the folder"):
        training.new_run_folder(config, "x" * 300)
    with pytest.raises(ConfigError, match="cannot make the folder"):
        training.new_run_folder(config.model_copy(update={"run": "x" * 300}), "x")


def test_one_process_at_a_time_goes_on_with_a_run(whole_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    with alone_in(run), pytest.raises(FolderError, match="another process works in"):
        resume(run)


def test_training_against_a_search_follows_from_the_seed(tiny: Path, tmp_path: Path) -> None:
    runs = [tmp_path / "one", tmp_path / "two"]
    for run in runs:
        train(load_config(tiny, [f"run={run}", "total_steps=256", "opponents={players: {'ismcts:iterations=2': 1.0}}"]))
    one, two = map(last_tensors, runs)
    assert all((one[name] == two[name]).all() for name in one)


@pytest.mark.parametrize("name", ["learner", "snapshot_0", "twin"])
def test_opponents_are_told_apart_by_name(whole_run: Path, tiny: Path, tmp_path: Path, name: str) -> None:
    agents = [shutil.copytree(whole_run, tmp_path / str(i) / name) for i in range(1 + (name == "twin"))]
    players = ", ".join(f"{agent}: 1.0" for agent in agents)
    with pytest.raises(ConfigError, match=f"two players would be called '{name}'"):
        train(load_config(tiny, [f"run={tmp_path / 'run'}", f"opponents.players={{{players}}}"]))


def test_a_finished_run_can_be_trained_longer(whole_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    outcome = resume(run, ("total_steps=1280",))
    assert outcome.step == 1280
    assert yaml.safe_load((run / "config.yaml").read_text())["total_steps"] == 1280
    with pytest.raises(ConfigError, match="can only change total_steps"):
        resume(run, ("seed=3",))


def damage(folder: Path, how: str) -> None:
    path = folder / checkpoints.TENSORS
    data = path.read_bytes()
    if how == "half a file":
        path.write_bytes(data[: len(data) // 2])
    elif how == "one bit":
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    elif how == "no file":
        path.unlink()
    elif how == "empty manifest":
        (folder / "manifest.json").write_text("[]")
    elif how == "half a manifest":
        path = folder / files.MANIFEST
        path.write_bytes(path.read_bytes()[:-20])
    elif how == "empty":
        shutil.rmtree(folder)
        folder.mkdir()
    elif how == "not renamed":
        folder.rename(folder.with_name(f".{folder.name}.part"))


@pytest.mark.parametrize(
    "how", ["half a file", "one bit", "no file", "half a manifest", "empty", "empty manifest", "not renamed"]
)
def test_a_half_written_checkpoint_is_never_picked_up(whole_run: Path, tmp_path: Path, how: str) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    newest = checkpoints.last_checkpoint(run)
    assert newest is not None
    damage(newest, how)
    assert checkpoints.load_checkpoint(run).values["step"] == 896
    assert load_agent(run, GAME).info["training"]["steps"] == 896
    for older in list((run / "checkpoints").iterdir()):
        shutil.rmtree(older)
    with pytest.raises(CheckpointError, match="no complete checkpoint"):
        resume(run)


def test_a_checkpoint_of_another_configuration_is_refused(whole_run: Path, tmp_path: Path) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    path = run / "config.yaml"
    before = path.read_text()
    path.write_text(before.replace("- 16", "- 24"))
    with pytest.raises(CheckpointError, match=r"net_arch\.policy is \[16\] there, now \[24\]: put it back"):
        resume(run)
    path.write_text(before.replace("games: 20", "games: 10").replace("keep: 3", "keep: 1"))
    assert resume(run).complete
    with pytest.raises(CheckpointError, match="not a run folder"):
        resume(tmp_path)


def test_a_checkpoint_that_does_not_fit_is_refused(
    whole_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    whole = checkpoints.load_checkpoint(run)
    del whole.arrays["rng.torch"]
    monkeypatch.setattr(training, "load_checkpoint", lambda folder: whole)
    with pytest.raises(CheckpointError, match="does not fit"):
        resume(run)
    monkeypatch.undo()
    monkeypatch.setattr(checkpoints, "FORMAT_VERSION", 3)
    with pytest.raises(CheckpointError, match="checkpoint' 2, this version reads .* 3: go on with the version of the"):
        resume(run)


def test_a_run_says_from_where_it_goes_on(whole_run: Path, tmp_path: Path) -> None:
    listener = Listener()
    resume(shutil.copytree(whole_run, tmp_path / "run"), report=listener)
    assert listener.said[0] == "going on from step 1,024"


@pytest.mark.parametrize("moment", ["write", "rename"])
def test_a_run_that_dies_while_it_writes_goes_on_from_the_checkpoint_before(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    run, calls = tmp_path / "run", {"n": 0}

    class Died(BaseException):
        pass

    def die(*args: Any) -> None:
        calls["n"] += 1
        if calls["n"] > 20:
            raise Died
        real(*args)

    target = "_write" if moment == "write" else "_sync_folder"
    real = getattr(files, target)
    monkeypatch.setattr(files, target, die)
    with pytest.raises(Died):
        train(load_config(tiny, [f"run={run}", "checkpoint.interval=128"]))
    monkeypatch.undo()
    assert checkpoints.last_checkpoint(run) is not None


def test_run_folders(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = load_config(tiny)
    assert training.new_run_folder(config, "tiny") == Path("runs/toy/tiny-1")
    assert training.new_run_folder(config, "tiny") == Path("runs/toy/tiny-2")
    with pytest.raises(ConfigError, match="not an empty folder"):
        training.new_run_folder(load_config(tiny, [f"run={tmp_path}"]), "tiny")
    with pytest.raises(ConfigError, match="cannot make the folder"):
        training.new_run_folder(load_config(tiny, [f"run={tiny}/below"]), "tiny")


def test_training_and_evaluation_never_share_a_seed(tiny: Path) -> None:
    seeds = []
    for root in range(4):
        config = load_config(tiny, [f"seed={root}"])
        seeds += [stream(config, training.TRAINING), stream(config, training.POOL)]
        seeds += [stream(config, p, n) for p in (training.EVALUATION, training.FINAL_EVALUATION) for n in range(200)]
    assert len(set(seeds)) == len(seeds)


def wait_for(condition: Any, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, "the run ended too early"
        assert time.monotonic() < end, "the run took too long"
        time.sleep(0.02)


def start(tiny: Path, run: Path) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "tests.training.toy_cli", "train", str(tiny), f"run={run}", "total_steps=400000"]
    return subprocess.Popen(line, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_kill_9_and_going_on(tiny: Path, tmp_path: Path) -> None:
    """A run of the command line is killed at an arbitrary moment and then brought to an end."""
    run = tmp_path / "run"
    process = start(tiny, run)
    wait_for(lambda: checkpoints.last_checkpoint(run) is not None and len(steps_of(run)) > 4, process)
    process.kill()
    process.communicate()
    reached = checkpoints.load_checkpoint(run).values["step"]
    assert reached >= 128
    outcome = resume(run, (f"total_steps={reached + 256}",))
    assert outcome.complete
    steps = steps_of(run)
    assert steps == sorted(steps)
    assert outcome.step == reached + 256


def test_ctrl_c_writes_a_checkpoint_and_says_how_to_go_on(tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = start(tiny, run)
    wait_for(lambda: len(steps_of(run)) > 3, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"go on with: lusogames train --resume {run}" in out.decode()
    assert b"Traceback" not in err
    assert checkpoints.load_checkpoint(run).values["step"] == steps_of(run)[-1]
