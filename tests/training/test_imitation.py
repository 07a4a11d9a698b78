"""Imitation: what is noted is what the player would do, the networks learn it, and temperature sharpens the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from lusogames_env.training.checkpoints import IMITATING, last_checkpoint, load_checkpoint
from lusogames_env.training.config import Config, Imitation, load_config
from lusogames_env.training.errors import CheckpointError
from lusogames_env.training.imitation import Imitator, play_examples
from lusogames_env.training.metrics import read_metrics
from lusogames_env.training.train import Silence, _Run, resume, train
from tests.training.conftest import Listener


def first_legal(obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


@pytest.fixture
def run(tiny: Path, tmp_path: Path) -> _Run:
    torch.manual_seed(0)
    return _Run(load_config(tiny), tmp_path, Silence())


def imitate(run: _Run, plan: Imitation, seed: int) -> float:
    imitator = Imitator(run.learner.policy, run.box, plan, seed)
    while not imitator.done:
        imitator.play_and_learn()
    imitator.sharpen()
    return imitator.agreement


def weights(run: _Run, plan: Imitation) -> dict[str, Any]:
    imitate(run, plan, 5)
    return {name: tensor.clone() for name, tensor in run.learner.policy.state_dict().items()}


def test_examples_are_choices_of_the_player_and_ends_of_its_games(run: _Run) -> None:
    found = play_examples(run.box, "heuristic", 40, 3, first_legal)
    rows = np.arange(len(found.actions))
    assert len(rows) > 40
    assert (found.masks.sum(axis=1) > 1).all()
    assert (found.masks[rows, found.actions] == 1).all()
    assert found.obs.shape == (len(rows), run.game.observation.size)
    assert set(np.unique(found.returns)) <= {-1.0, 0.0, 1.0}
    again = play_examples(run.box, "heuristic", 40, 3, first_legal)
    assert np.array_equal(found.obs, again.obs) and np.array_equal(found.actions, again.actions)


def test_the_learner_plays_every_other_game(run: _Run) -> None:
    asked = []

    def learner(obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        asked.append(len(masks))
        return first_legal(obs, masks)

    play_examples(run.box, "heuristic", 40, 3, learner)
    assert asked[0] == 20


def test_the_network_comes_to_agree_with_the_player(run: _Run) -> None:
    plan = Imitation(decisions=1, learning_rate=3e-3, batch_size=64, games_at_once=64)
    before = imitate(run, plan, 5)
    after = imitate(run, plan.model_copy(update={"decisions": 20_000}), 6)
    assert after > max(0.9, before + 0.1)


def test_temperature_divides_the_logits(tiny: Path, tmp_path: Path) -> None:
    plan = Imitation(decisions=1, games_at_once=1)  # a single game is not the learner's: both see the same examples
    found = []
    for temperature in (1.0, 0.25):
        run = _Run(load_config(tiny), tmp_path, Silence())
        found.append(weights(run, plan.model_copy(update={"temperature": temperature})))
    for name, plain in found[0].items():
        factor = 4.0 if name.startswith("action_net") else 1.0
        assert torch.allclose(found[1][name], factor * plain)


def test_a_run_says_how_well_it_imitates(tiny: Path, tmp_path: Path) -> None:
    listener = Listener()
    config = load_config(tiny, (f"run={tmp_path / 'run'}", "imitation.decisions=500", "imitation.temperature=0.5"))
    assert train(config, report=listener).complete
    assert listener.said[0] == "imitating heuristic: 500 decisions"
    assert listener.said[1].startswith("agrees with heuristic in ")


class StopAfter(Silence):
    """Asks to stop once so many rounds of imitation are over."""

    def __init__(self, rounds: int) -> None:
        self.left = rounds

    def step(self, step: int, total: int, text: str) -> None:
        self.left -= text == "imitation"

    def __call__(self) -> bool:
        return self.left <= 0


def imitating(tiny: Path, folder: Path, *more: str) -> Config:
    """Several rounds of imitation, and no checkpoint in them but those of a stop."""
    overrides = ("imitation.decisions=3000", "imitation.games_at_once=32", "imitation.temperature=0.5")
    return load_config(tiny, (f"run={folder}", *overrides, "checkpoint.interval=1000000", *more))


def rounds_of(tiny: Path, folder: Path) -> int:
    """Return how many rounds imitation takes."""
    stop = StopAfter(10**9)
    train(imitating(tiny, folder), report=stop)
    return 10**9 - stop.left


@pytest.mark.parametrize("left", [1, 0])
def test_a_run_stopped_while_it_imitates_goes_on_bit_for_bit(tiny: Path, tmp_path: Path, left: int) -> None:
    whole = train(imitating(tiny, tmp_path / "whole"))
    rounds = rounds_of(tiny, tmp_path / "counted")
    assert rounds > 2
    stop = StopAfter(1)
    stopped = train(imitating(tiny, tmp_path / "stopped"), report=stop, stop=stop)
    assert (stopped.complete, stopped.step) == (False, 0)
    used = load_checkpoint(stopped.run).values["imitation"]["used"]
    again = StopAfter(rounds - 1 - left)
    assert not resume(stopped.run, report=again, stop=again).complete
    now = load_checkpoint(stopped.run).values["imitation"]
    assert now["used"] > used and (now["used"] >= 3000) == (left == 0)
    last = Listener()
    assert resume(stopped.run, report=last).complete
    assert f"agrees with heuristic in {now['agreement']:.0%} of its choices" in last.said or left
    one, two = (load_checkpoint(run) for run in (whole.run, stopped.run))
    assert one.arrays.keys() == two.arrays.keys()
    for name, array in one.arrays.items():
        assert np.array_equal(array, two.arrays[name]), name


def test_imitation_writes_checkpoints_when_they_are_due(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(imitator: Imitator) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Imitator, "sharpen", die)
    with pytest.raises(KeyboardInterrupt):
        train(imitating(tiny, tmp_path / "none"))
    assert last_checkpoint(tmp_path / "none") is None
    with pytest.raises(KeyboardInterrupt):
        train(imitating(tiny, tmp_path / "run", "checkpoint.interval=1000"))
    found = load_checkpoint(tmp_path / "run").values["imitation"]
    assert found["used"] >= 3000
    folders = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert len(folders) == 3 and len({int(name.removeprefix(IMITATING)) // 1000 for name in folders}) == 3
    monkeypatch.undo()
    assert resume(tmp_path / "run").complete
    assert "imitation" not in load_checkpoint(tmp_path / "run").values


def test_a_run_killed_while_it_is_first_evaluated_tells_of_that_once(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(run: _Run, step: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_Run, "save", die)
    with pytest.raises(KeyboardInterrupt):
        train(imitating(tiny, tmp_path / "run", "checkpoint.interval=1000"))
    assert evaluated_steps(tmp_path / "run") == [0]
    monkeypatch.undo()
    resume(tmp_path / "run")
    assert evaluated_steps(tmp_path / "run") == [0, 512, 896, 1024]


def evaluated_steps(run: Path) -> list[int]:
    return [row["step"] for row in read_metrics(run) if "wins_vs_random" in row]


def test_a_run_stopped_while_it_imitates_keeps_its_configuration(tiny: Path, tmp_path: Path) -> None:
    stop = StopAfter(1)
    train(imitating(tiny, tmp_path / "run"), report=stop, stop=stop)
    assert last_checkpoint(tmp_path / "run") is not None
    path = tmp_path / "run" / "config.yaml"
    path.write_text(path.read_text().replace("- 16", "- 24"))
    with pytest.raises(CheckpointError, match=r"algorithm\.net_arch\.policy is \[16\] there, now \[24\]: put it back"):
        resume(tmp_path / "run")
    plain = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**plain, "imitation": None}))
    with pytest.raises(CheckpointError, match="imitation is .* there, now None: put it back"):
        resume(tmp_path / "run")
