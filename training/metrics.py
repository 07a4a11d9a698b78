"""Metrics of a run: one row per update in `metrics.jsonl` and `metrics.csv`, the same numbers in TensorBoard."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter

from lusogames_env.training.files import write_file

JSONL, CSV, TENSORBOARD = "metrics.jsonl", "metrics.csv", "tensorboard"
COLUMNS = {
    "rollout/ep_rew_mean": "utility",
    "rollout/ep_len_mean": "decisions_per_game",
    "time/fps": "steps_per_second",
    "train/learning_rate": "learning_rate",
    "train/ent_coef": "ent_coef",
    "train/entropy_loss": "entropy_loss",
    "train/policy_gradient_loss": "policy_loss",
    "train/value_loss": "value_loss",
    "train/approx_kl": "approx_kl",
    "train/clip_fraction": "clip_fraction",
    "train/explained_variance": "explained_variance",
    "selfplay/pool": "pool",
    "selfplay/rating": "rating",
    "selfplay/pool_rating": "pool_rating",
    "selfplay/lowest_win_rate": "lowest_win_rate",
}
EVALUATION = ("wins", "wins_low", "wins_high", "utility", "points")  # each against every opponent
SNAPSHOTS = ("wins_vs_snapshots", "lowest_vs_snapshots", "forgotten")


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Return the rows of a run; damaged ones, as a last one that was cut off by a kill, are left out."""
    rows = []
    path = run / JSONL
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("step"), int)]


class Metrics(KVWriter):
    """Writes the metrics of a run. It is the output of the run's stable-baselines3 logger.

    Going on from `step`, rows after it are dropped, since the run makes them again; -1 if it begins. So are evaluations
    at `step` itself if that is the last one: they come after the last checkpoint.
    """

    def __init__(self, run: Path, opponents: list[str], step: int = -1, is_last: bool = False) -> None:
        from torch.utils.tensorboard import SummaryWriter

        evaluated = [f"{column}_vs_{name}" for name in opponents for column in EVALUATION]
        self.columns = ["step", "seconds", "episodes", *COLUMNS.values(), *evaluated, *SNAPSHOTS]
        own = {*evaluated, *SNAPSHOTS}
        kept = [
            row
            for row in read_metrics(run)
            if row["step"] < step or row["step"] == step and not (is_last and own & set(row))
        ]
        write_file(run / JSONL, "".join(json.dumps(row) + "\n" for row in kept).encode())
        self._jsonl = (run / JSONL).open("a", encoding="utf-8")
        self._csv_file = (run / CSV).open("w", encoding="utf-8", newline="")
        self._csv = csv.DictWriter(self._csv_file, self.columns, extrasaction="ignore")
        self._csv.writeheader()
        self._tensorboard = SummaryWriter(str(run / TENSORBOARD), purge_step=step + 1)
        self._csv.writerows(kept)

    def add(self, row: dict[str, Any]) -> None:
        """Write one row; it needs the key ``step``."""
        self._jsonl.write(json.dumps(row) + "\n")
        self._jsonl.flush()
        self._csv.writerow(row)
        self._csv_file.flush()
        for name, value in row.items():
            if name != "step":
                self._tensorboard.add_scalar(name, value, row["step"])

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Take a row from the stable-baselines3 logger, under our names."""
        row: dict[str, Any] = {"step": step}
        for key in ("time/seconds", "time/episodes"):
            if key in key_values:
                row[key.partition("/")[2]] = key_values[key]
        for key, column in COLUMNS.items():
            value = key_values.get(key)
            if isinstance(value, (int, float, np.number)) and np.isfinite(value):
                row[column] = float(value)
        self.add(row)

    def close(self) -> None:
        """Close the files; calling it twice is fine."""
        self._jsonl.close()
        self._csv_file.close()
        self._tensorboard.close()
