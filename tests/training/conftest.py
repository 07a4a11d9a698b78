"""The toy game stands in for a game of the suite: it compiles and trains in seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import lusogames_env.games as games
from lusogames_env.engine import batch
from lusogames_env.training import config, evaluate
from lusogames_env.training.train import Silence
from tests.tools import ROOT
from tests.training import toy_cli

TINY = """\
game: toy
options:
  num_players: 2
num_envs: 16
total_steps: 1024
opponents:
  players: {random: 1.0, heuristic: 1.0}
  self_play: {interval: 200, pool_size: 3, active: 2}
algorithm:
  n_steps: 8
  batch_size: 64
  n_epochs: 2
  learning_rate: {initial: 3e-3, final: 1e-3}
  net_arch: [16]
evaluation: {interval: 400, games: 20, final_games: 40}
checkpoint: {interval: 128, keep: 3}
"""


class Listener(Silence):
    """Keeps what a run says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


@contextmanager
def toy_among_the_games() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (games, batch, config, evaluate):
            patch.setattr(module, "get_game", toy_cli.get_game)
        patch.setattr(games, "game_names", toy_cli.game_names)
        yield


@pytest.fixture(autouse=True)
def toy_is_a_game() -> Iterator[None]:
    with toy_among_the_games():
        yield


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A configuration that trains in a second."""
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return path


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run the command line in an empty folder: ``command("train", "x.yaml")``; ``text`` is typed into it."""

    def run(*args: Any, text: str = "") -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "tests.training.toy_cli", *map(str, args)]
        return subprocess.run(line, input=text, capture_output=True, text=True, cwd=tmp_path, env=environment())

    return run


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
