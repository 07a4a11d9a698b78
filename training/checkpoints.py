"""Checkpoints of a run: folders that are complete or not there, found again by their digests."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lusogames_env.training.errors import CheckpointError
from lusogames_env.training.files import read_folder, to_json, write_folder

FOLDER, STEP, IMITATING = "checkpoints", "step_", "imitation_"  # the latter come before all steps
TENSORS, STATE = "state.safetensors", "state.json"
FORMAT, FORMAT_VERSION = "lusogames_env checkpoint", 2


@dataclass
class Checkpoint:
    """What a run goes on from: plain values, arrays by name, and the two files of the agent at that step."""

    values: dict[str, Any]
    arrays: dict[str, np.ndarray]
    agent: dict[str, bytes]


def _folders(run: Path) -> list[Path]:
    """Return the checkpoint folders of a run, newest first."""
    found: list[Path] = []
    for prefix in (STEP, IMITATING):
        own = [path for path in (run / FOLDER).glob(f"{prefix}*") if path.name.removeprefix(prefix).isdecimal()]
        found += sorted(own, key=lambda path: int(path.name.removeprefix(prefix)), reverse=True)
    return found


def save_checkpoint(run: Path, number: int, checkpoint: Checkpoint, keep: int, prefix: str = STEP) -> Path:
    """Write a checkpoint and remove all but the newest `keep` complete ones; return its folder.

    Args:
        run: the run folder.
        number: the step, or with the prefix `IMITATING` the decisions learned from.
        checkpoint: its content.
        keep: how many stay.
        prefix: of the folder's name.
    """
    from safetensors.numpy import save

    head = {"format": FORMAT, "format_version": FORMAT_VERSION, **checkpoint.values}
    arrays = {name: np.ascontiguousarray(array) for name, array in checkpoint.arrays.items()}
    files = {TENSORS: save(arrays), STATE: to_json(head), **checkpoint.agent}
    folder = run / FOLDER / f"{prefix}{number:012d}"
    write_folder(folder, files, manifest=True)
    complete = [path for path in _folders(run) if read_folder(path) is not None]
    for old in complete[keep:]:
        shutil.rmtree(old)
    return folder


def last_checkpoint(run: Path) -> Path | None:
    """Return the folder of the newest complete checkpoint of a run, or None."""
    return next((path for path in _folders(run) if read_folder(path) is not None), None)


def load_checkpoint(run: Path) -> Checkpoint:
    """Return the newest complete checkpoint of a run; half-written and damaged ones are passed over.

    Raises:
        CheckpointError: there is none, or it is of another format.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    folder = last_checkpoint(run)
    files = None if folder is None else read_folder(folder)
    if files is None:
        raise CheckpointError(f"{run} holds no complete checkpoint to go on from: start the run anew")
    try:
        values = json.loads(files.pop(STATE))
        arrays = load(files.pop(TENSORS))
    except (KeyError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{folder} is not a checkpoint: {error}") from error
    if values.get("format") != FORMAT or values.get("format_version") != FORMAT_VERSION:
        there = f"format '{values.get('format')}' {values.get('format_version')}"
        advice = "go on with the version of the package that wrote it, or start the run anew"
        raise CheckpointError(f"{folder} has {there}, this version reads '{FORMAT}' {FORMAT_VERSION}: {advice}")
    return Checkpoint(values, arrays, files)
