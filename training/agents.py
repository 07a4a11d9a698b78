"""Saved agents: a folder with `agent.safetensors` (the policy network) and `agent.json` (what it was made for).

Nothing is unpickled, and playing needs NumPy only; `networks` says which arrays the first file holds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lusogames_env.engine.batch import EXTERNAL, Batch
from lusogames_env.engine.errors import nearest
from lusogames_env.engine.game import Game
from lusogames_env.engine.players import is_folder, observe_rows
from lusogames_env.training.errors import AgentError
from lusogames_env.training.files import sha256, to_json, write_folder
from lusogames_env.training.networks import Network, network_of, shapes_of

FORMAT, FORMAT_VERSION = "lusogames_env agent", 1
TENSORS, HEAD = "agent.safetensors", "agent.json"
MAX_BYTES = 256 << 20
MAX_HEAD_BYTES = 1 << 20


class Agent:
    """A trained policy as a player. Plays its best action; with `sample` it draws from its distribution.

    Attributes:
        name: how it is called in tables.
        network: the policy.
        info: what `agent.json` says; empty for a policy in training.
    """

    decider = EXTERNAL

    def __init__(
        self,
        network: Network,
        name: str,
        info: dict[str, Any] | None = None,
        sample: bool = False,
        generator: np.random.Generator | None = None,
    ) -> None:
        self.network, self.name, self.info, self.sample = network, name, info or {}, sample
        self.generator = np.random.default_rng(0) if generator is None else generator

    def act(self, batch: Batch, rows: np.ndarray) -> np.ndarray:
        """Return int64 (k,) actions for the seats on turn in games `rows`, int64 (k,)."""
        logits = self.network.logits(observe_rows(batch, rows))
        logits[batch.masks[rows] == 0] = -np.inf
        if not self.sample:
            return logits.argmax(axis=1)
        # The first of independent exponential clocks, each running as fast as its action is likely, is a fair draw.
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        clocks = self.generator.standard_exponential(odds.shape, np.float32) + np.float32(1e-30)
        return (odds / clocks).argmax(axis=1)


def layout_digest(game: Game, about: Mapping[str, Any]) -> str:
    """Return a digest of the layouts that a network knows its way around in: it fits only those it was trained on."""
    fields: list[Any] = [[field.name, list(field.dims)] for field in game.observation.fields]
    layouts = [fields, [[block.name, block.size] for block in game.actions.blocks]]
    if "graph_net" in about and game.graph is not None:
        layouts.append([list(game.graph.fields), list(game.graph.blocks)])
    return sha256(json.dumps(layouts).encode())[:16]


def agent_files(
    network: Network, game: Game, options: Mapping[str, Any], training: Mapping[str, Any]
) -> dict[str, bytes]:
    """Return the content of both files of a saved agent."""
    from safetensors.numpy import save

    tensors = save(network.tensors())
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": game.name,
        "version": game.version,
        "options": {name: value for name, value in options.items() if name not in ("components", "illegal")},
        "layout": layout_digest(game, network.about()),
        "observation_size": game.observation.size,
        "actions": game.actions.n,
        **network.about(),
        "training": dict(training),
        "sha256": sha256(tensors),
    }
    return {TENSORS: tensors, HEAD: to_json(head)}


def save_agent(
    folder: Path, network: Network, game: Game, options: Mapping[str, Any], training: Mapping[str, Any]
) -> None:
    """Write an agent into `folder`, which appears complete or not at all.

    Args:
        folder: where; an older agent there is replaced.
        network: the policy.
        game: its game.
        options: options it was trained on.
        training: summary of its training, plain JSON types.
    """
    write_folder(Path(folder), agent_files(network, game, options, training))


# ---- load ----


def load_agent(spec: str | Path, game: Game | None = None, sample: bool = False) -> Agent:
    """Return a saved agent.

    Args:
        spec: a folder with an agent; a run folder (the agent of its last complete checkpoint); or the name of one that
            comes with the package, ``"ppo:<game>"`` or ``"ppo:<game>/<variant>"``.
        game: the game it is to play; default: the one it was made for.
        sample: whether it draws from its distribution instead of playing its best action.

    Raises:
        AgentError: there is none, or it is damaged, hostile, or made for another game or version.
    """
    folder = find_agent(spec)
    head = _read_head(folder)
    game = _game_of(head, folder, game)
    shapes = _expected_shapes(head, game, folder)
    tensors = _read_tensors(folder / TENSORS, shapes, head)
    return Agent(network_of(tensors, head, game), _display_name(spec), head, sample)


def read_agent_info(spec: str | Path) -> dict[str, Any]:
    """Return what `agent.json` of an agent says, without loading its network; raises `AgentError`."""
    folder = find_agent(spec)
    head = _read_head(folder)
    _game_of(head, folder, None)
    return head


def _display_name(spec: str | Path) -> str:
    text = str(spec)
    return text if text.startswith("ppo:") else Path(text).resolve().name


def agents_folder() -> Path:
    """Folder of the agents that come with the package."""
    import lusogames_env.games

    return Path(lusogames_env.games.__file__).resolve().parent.parent / "agents"


def shipped_agents() -> list[str]:
    """Return the names of the agents that come with the package, as ``ppo:reis_de_portugal``."""
    root = agents_folder()
    folders = [path.parent.relative_to(root) for path in root.glob(f"**/{HEAD}")]
    return sorted(f"ppo:{'/'.join(part for part in folder.parts if part != 'default')}" for folder in folders)


def find_agent(spec: str | Path) -> Path:
    """Return the folder that holds the two files of the agent `spec`; raises `AgentError` if there is none."""
    text = str(spec)
    if isinstance(spec, str) and text.startswith("ppo:"):
        return _find_shipped(text)
    folder = Path(spec)
    if not is_folder(folder):
        raise AgentError(f"there is no agent at {folder}: expected a folder with {HEAD}, a run folder, or ppo:<game>")
    if (folder / HEAD).is_file():
        return folder
    from lusogames_env.training.checkpoints import last_checkpoint

    checkpoint = last_checkpoint(folder)
    if checkpoint is None:
        raise AgentError(f"{folder} holds neither {HEAD} nor a complete checkpoint of a run")
    return checkpoint


def is_agent(name: str) -> bool:
    """Say whether a folder of this name holds an agent or checkpoints."""
    return is_folder(name) and ((Path(name) / HEAD).is_file() or (Path(name) / "checkpoints").is_dir())


def shipped_folder(name: str) -> Path:
    """Return the folder of an agent that comes with the package, or would, by its name."""
    game, _, variant = name.removeprefix("ppo:").partition("/")
    return agents_folder() / Path(game).name / Path(variant or "default").name


def _find_shipped(name: str) -> Path:
    folder = shipped_folder(name)
    if not (folder / HEAD).is_file():
        shipped = shipped_agents()
        raise AgentError(f"no agent '{name}' comes with the package{nearest(name, shipped) if shipped else ''}")
    return folder


def _read_head(folder: Path) -> dict[str, Any]:
    path = folder / HEAD
    try:
        if path.stat().st_size > MAX_HEAD_BYTES:
            raise AgentError(f"{path}: larger than {MAX_HEAD_BYTES} bytes; this is not an agent of this package")
        head = json.loads(path.read_bytes())
    except OSError as error:
        raise AgentError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise AgentError(f"{path} is damaged: it is not JSON ({error})") from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise AgentError(f"{path}: 'format' must be '{FORMAT}'")
    if head.get("format_version") != FORMAT_VERSION:
        raise AgentError(
            f"{path}: format version {head.get('format_version')!r}; this version of the package reads {FORMAT_VERSION}"
        )
    return head


def _game_of(head: dict[str, Any], folder: Path, wanted: Game | None) -> Game:
    from lusogames_env.games import game_names, get_game

    name = head.get("game")
    if wanted is not None and name != wanted.name:
        raise AgentError(f"{folder}: this agent plays {name!r}, not {wanted.name}")
    if wanted is None and name not in game_names():
        raise AgentError(f"{folder}: this agent plays {name!r}; known games: {', '.join(game_names())}")
    game = wanted if wanted is not None else get_game(str(name))
    if head.get("version") != game.version:
        raise AgentError(f"{folder}: made for {game.name}_v{head.get('version')}; this is {game.name}_v{game.version}")
    sizes = (head.get("observation_size"), head.get("actions"), head.get("layout"))
    here = (game.observation.size, game.actions.n, layout_digest(game, head))
    if sizes != here:
        raise AgentError(
            f"{folder}: made for other layouts of {game.name}: observation size, actions and digest are {sizes}, "
            f"in this version {here}; train it anew"
        )
    return game


def _expected_shapes(head: dict[str, Any], game: Game, folder: Path) -> dict[str, tuple[int, ...]]:
    if not isinstance(head.get("options"), dict) or not isinstance(head.get("training"), dict):
        raise AgentError(f"{folder}: 'options' and 'training' must be mappings")
    try:
        return shapes_of(head, game)
    except ValueError as error:
        raise AgentError(f"{folder}: {error}") from error


def _read_tensors(path: Path, shapes: dict[str, tuple[int, ...]], head: dict[str, Any]) -> dict[str, np.ndarray]:
    needed = 4 * sum(math.prod(shape) for shape in shapes.values())
    try:
        size = path.stat().st_size
        if not needed <= size <= min(needed + MAX_HEAD_BYTES, MAX_BYTES):
            raise AgentError(f"{path}: {size} bytes; its network takes {needed} and a short header")
        data = path.read_bytes()
    except OSError as error:
        raise AgentError(f"cannot read {path}: {error.strerror}") from error
    if sha256(data) != head.get("sha256"):
        raise AgentError(f"{path} is damaged: its digest is not the one in {HEAD}")
    tensors = parse_tensors(data, str(path))
    if set(tensors) != set(shapes):
        unlike = ", ".join(sorted(set(tensors) ^ set(shapes))[:8])
        raise AgentError(f"{path}: tensors missing or not part of the network: {unlike}")
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape or tensor.dtype != np.float32:
            raise AgentError(f"{path}: {name} is {tensor.dtype} {tensor.shape}; expected float32 {shape}")
        if not np.isfinite(tensor).all():
            raise AgentError(f"{path}: {name} holds values that are not finite")
    return tensors


def parse_tensors(data: bytes, source: str) -> dict[str, np.ndarray]:
    """Return the arrays of a safetensors file; raises `AgentError` if it is damaged."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return load(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise AgentError(f"{source} is damaged: {error}") from error
