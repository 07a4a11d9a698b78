"""Saved agents: what comes back is what was saved, and nothing hostile, foreign or damaged is played."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from lusogames_env.engine.batch import Batch
from lusogames_env.engine.players import make_player
from lusogames_env.training.agents import Agent, find_agent, load_agent, read_agent_info, save_agent
from lusogames_env.training.errors import AgentError
from lusogames_env.training.files import sha256
from lusogames_env.training.networks import ACTIVATIONS, Mlp
from tests.tools import ROOT, TOY, load_game

GAME = load_game(TOY)
BOX = GAME.new_box(num_players=2)
WIDTHS = [GAME.observation.size, 16, 8, GAME.actions.n]


def make_network(seed: int = 0, activation: str = "tanh") -> Mlp:
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(o, i)).astype(np.float32) for i, o in zip(WIDTHS, WIDTHS[1:], strict=False)]
    return Mlp(weights, [rng.normal(size=o).astype(np.float32) for o in WIDTHS[1:]], activation)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_agent(tmp_path / "agent", make_network(), GAME, BOX.options, {"steps": 5})
    return tmp_path / "agent"


def test_round_trip(folder: Path) -> None:
    agent = load_agent(folder, GAME)
    obs = np.random.default_rng(1).normal(size=(7, GAME.observation.size)).astype(np.float32)
    assert (agent.network.logits(obs) == make_network().logits(obs)).all()
    assert agent.name == "agent"
    assert agent.info["options"]["num_players"] == 2
    assert read_agent_info(folder)["training"] == {"steps": 5}
    assert make_player(str(folder), GAME).name == "agent"


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_the_network_computes_what_torch_does(activation: str) -> None:
    import torch

    from lusogames_env.training.policies import ACTIVATIONS as TORCH

    network = make_network(3, activation)
    layers: list[torch.nn.Module] = []
    for weight, bias in zip(network.weights, network.biases, strict=True):
        layer = torch.nn.Linear(*weight.shape)
        layer.load_state_dict({"weight": torch.from_numpy(weight.T.copy()), "bias": torch.from_numpy(bias)})
        layers += [layer, TORCH[activation]()]
    obs = np.random.default_rng(1).normal(size=(9, GAME.observation.size)).astype(np.float32)
    with torch.no_grad():
        expected = torch.nn.Sequential(*layers[:-1])(torch.from_numpy(obs)).numpy()
    assert network.logits(obs) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_greedy_and_sampled_play() -> None:
    batch = Batch(BOX, 4000, seed=2)
    batch.states[:] = batch.states[0]
    batch.refresh()
    rows = np.arange(4000)
    network = make_network()
    logits = network.logits(batch.observe()[:1])[0].astype(float)
    odds = np.exp(logits) * (batch.masks[0] != 0)
    odds /= odds.sum()
    assert (Agent(network, "a").act(batch, rows) == odds.argmax()).all()
    drawn = Agent(network, "a", sample=True).act(batch, rows)
    shares = np.bincount(drawn, minlength=GAME.actions.n) / 4000
    assert (batch.masks[0][drawn] == 1).all()
    assert np.abs(shares - odds).max() < 5 * np.sqrt(0.25 / 4000)


def edit_head(folder: Path, **changes: Any) -> None:
    path = folder / "agent.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def put_tensors(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    put_bytes(folder, save(tensors))


def put_bytes(folder: Path, data: bytes) -> None:
    """Write a file of tensors whose digest is right, as an attacker would."""
    (folder / "agent.safetensors").write_bytes(data)
    edit_head(folder, sha256=sha256(data))


def changed(**changes: Any) -> dict[str, np.ndarray]:
    tensors = {**make_network().tensors(), **changes}
    return {name: value for name, value in tensors.items() if value is not None}


def bad_header(folder: Path) -> None:
    """A header that claims tensors far outside the file."""
    size = (folder / "agent.safetensors").stat().st_size
    head = json.dumps({"policy.0.weight": {"dtype": "F32", "shape": [1 << 40, 1 << 20], "data_offsets": [0, 1 << 62]}})
    data = struct.pack("<Q", len(head)) + head.encode()
    put_bytes(folder, data + b"\0" * (size - len(data)))


W = "policy.1.weight"
HOSTILE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "truncated": (
        lambda f: (f / "agent.safetensors").write_bytes((f / "agent.safetensors").read_bytes()[:-9000]),
        "its network takes",
    ),
    "one bit": (
        lambda f: (f / "agent.safetensors").write_bytes((f / "agent.safetensors").read_bytes()[:-1] + b"\x01"),
        "damaged: its digest",
    ),
    "not finite": (lambda f: put_tensors(f, changed(**{W: np.full((8, 16), np.nan, np.float32)})), "not finite"),
    "shape": (lambda f: put_tensors(f, changed(**{W: np.zeros((16, 8), np.float32)})), r"expected float32 \(8, 16\)"),
    "type": (lambda f: put_tensors(f, changed(**{W: np.zeros((8, 16), np.int32)})), "int32"),
    "extra tensor": (lambda f: put_tensors(f, changed(evil=np.zeros(3, np.float32))), "evil"),
    "missing tensor": (lambda f: put_tensors(f, changed(**{W: None, "x": np.zeros((8, 16), np.float32)})), W),
    "huge file": (lambda f: put_bytes(f, b"\0" * (3 << 20)), "its network takes"),
    "lying header": (bad_header, "damaged"),
    "no tensors": (lambda f: (f / "agent.safetensors").unlink(), "cannot read"),
    "a pickle": (lambda f: put_bytes(f, b"cos\nsystem\n(S'true'\ntR." + b"\0" * 2500), "damaged"),
    "not JSON": (lambda f: (f / "agent.json").write_text("{"), "not JSON"),
    "deep JSON": (lambda f: (f / "agent.json").write_text("[" * 100_000), "not JSON"),
    "huge JSON": (lambda f: (f / "agent.json").write_text(" " * (2 << 20)), "larger than"),
    "foreign JSON": (lambda f: (f / "agent.json").write_text("[]"), "'format' must be"),
    "format version": (lambda f: edit_head(f, format_version=2), "format version 2"),
    "other game": (lambda f: edit_head(f, game="reis_de_portugal"), "plays 'reis_de_portugal', not toy"),
    "unknown game": (lambda f: edit_head(f, game="../../etc"), "not toy"),
    "game version": (lambda f: edit_head(f, version=7), "made for toy_v7"),
    "layout": (lambda f: edit_head(f, layout="0" * 16), "other layouts"),
    "sizes": (lambda f: edit_head(f, actions=9), "other layouts"),
    "widths": (lambda f: edit_head(f, net_arch=[10**9]), "net_arch"),
    "width types": (lambda f: edit_head(f, net_arch="64"), "net_arch"),
    "activation": (lambda f: edit_head(f, activation="__import__"), "activation"),
    "options": (lambda f: edit_head(f, options=[1]), "must be mappings"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_foreign_and_damaged_agents_are_refused(folder: Path, name: str) -> None:
    damage, text = HOSTILE[name]
    damage(folder)
    with pytest.raises(AgentError, match=text):
        load_agent(folder, GAME)


def test_agents_that_are_not_there(tmp_path: Path) -> None:
    for spec, text in [
        (tmp_path / "no", "there is no agent at"),
        (tmp_path, "neither agent.json nor a complete checkpoint"),
        ("ppo:toy", "no agent 'ppo:toy' comes with the package"),
        ("ppo:../../../etc/passwd", "no agent"),
        ("dqn:toy", "there is no agent at dqn:toy: expected a folder with agent.json, a run folder, or ppo:<game>"),
    ]:
        with pytest.raises(AgentError, match=text):
            find_agent(spec)


def test_an_agent_without_a_wanted_game_plays_its_own(folder: Path) -> None:
    assert load_agent(folder).info["game"] == "toy"
    edit_head(folder, game="chess")
    with pytest.raises(AgentError, match="known games"):
        load_agent(folder)


def test_playing_needs_no_torch(folder: Path) -> None:
    code = f"""
import sys
from tests.training import toy_cli
toy_cli.install()
from lusogames_env.training.evaluate import evaluate
evaluate([{str(folder)!r}, "random"], "toy", 10, num_players=2)
assert "torch" not in sys.modules and "pydantic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)
