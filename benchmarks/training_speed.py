"""Environment steps per second of the trainer, beside its ceiling and the field's usual recipe.

    python -m benchmarks.training_speed [--config FILE] [--rounds N] [--json FILE]

Three trainers in turn, several rounds, all with MaskablePPO and one torch thread:

- ours: `training.train` as ``lusogames train`` runs it: self-play, opponents, snapshots, metrics, checkpoints;
- the ceiling: the same spaces and hyper-parameters on an environment that does nothing;
- the recipe: what PettingZoo's tutorial does with connect four: one AEC environment seen from whoever is on turn,
  wrapped for stable-baselines3, with its default hyper-parameters.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from benchmarks.measure import save
from benchmarks.report import training_speed
from lusogames_env.engine.spaces import action_space, flat_observation_space
from lusogames_env.training.config import Config, load_config
from lusogames_env.training.train import ACTIVATIONS, train

UPDATES = 2  # timed updates of a round, each with its rollout
LEGAL = 8  # legal actions of the environment that does nothing


class Stopwatch(BaseCallback):
    """Notes when each rollout starts; a span between two starts holds one rollout and one update."""

    def __init__(self) -> None:
        super().__init__()
        self.starts: list[tuple[float, int]] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self.starts.append((time.process_time(), self.num_timesteps))

    def step(self, step: int, total: int, text: str) -> None:
        """Note the same when called as the trainer's report."""
        self.starts.append((time.process_time(), step))

    def say(self, text: str) -> None:
        """Leave what else the trainer reports."""

    def rate(self) -> float:
        """Steps per second of the processor's time from the first start to the last; all run in one thread."""
        (began, first), (ended, last) = self.starts[0], self.starts[-1]
        return (last - first) / (ended - began)


# ---- ours ----


def ours(config: Config) -> float:
    """Train for a few updates as the command line does."""
    watch = Stopwatch()
    steps = (UPDATES + 1) * config.num_envs * config.algorithm.n_steps
    plan = config.evaluation.model_copy(update={"interval": steps, "final_games": 2})
    with tempfile.TemporaryDirectory() as folder:
        run = str(Path(folder) / "run")
        train(config.model_copy(update={"total_steps": steps, "evaluation": plan, "run": run}), report=watch)
    return watch.rate()


# ---- the ceiling ----


class NullVecEnv(VecEnv):
    """An environment that does nothing: zero rewards, no end, random numbers made beforehand as observations."""

    def __init__(self, config: Config) -> None:
        game, n = config.box().game, config.num_envs
        rng = np.random.default_rng(0)
        self.observations = rng.random((2, n, game.observation.size), np.float32)  # two: trainers keep the last one
        self.masks = np.zeros((n, game.actions.n), np.bool_)
        for row in self.masks:
            row[rng.choice(game.actions.n, LEGAL, replace=False)] = True
        self.turn = 0
        super().__init__(n, flat_observation_space(game), action_space(game))

    def reset(self) -> np.ndarray:
        """Return observations, float32 (n, size)."""
        return self.observations[0]

    def step_async(self, actions: np.ndarray) -> None:
        """Ignore the actions."""

    def step_wait(self) -> Any:
        """Return other observations, and nothing has happened."""
        self.turn = 1 - self.turn
        n = self.num_envs
        return self.observations[self.turn], np.zeros(n, np.float32), np.zeros(n, np.bool_), [{} for _ in range(n)]

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Return the masks, bool (n, actions), the only thing ever asked for."""
        return self.masks

    def has_attr(self, attr_name: str) -> bool:
        """Say that there are masks."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return None for every environment."""
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Ignore it."""

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Say True, so that no monitor is asked for."""
        return [True] * self.num_envs

    def close(self) -> None:
        """There is nothing to free."""


def ceiling(config: Config) -> float:
    """Train on the environment that does nothing, with the configuration's hyper-parameters."""
    algorithm = config.algorithm
    learner = MaskablePPO(
        "MlpPolicy",
        NullVecEnv(config),
        learning_rate=algorithm.learning_rate(0.0),
        n_steps=algorithm.n_steps,
        batch_size=algorithm.batch_size,
        n_epochs=algorithm.n_epochs,
        policy_kwargs={
            "net_arch": {"pi": list(algorithm.net_arch.policy), "vf": list(algorithm.net_arch.value)},
            "activation_fn": ACTIVATIONS[algorithm.activation],
        },
        device="cpu",
    )
    watch = Stopwatch()
    with unchecked_distributions():
        learner.learn((UPDATES + 1) * config.num_envs * algorithm.n_steps, callback=watch)
    return watch.rate()


@contextmanager
def unchecked_distributions() -> Iterator[None]:
    """Drop torch's checks of every distribution, as the trainer does."""
    checks = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(checks)


# ---- the recipe ----


class OnTurn(gymnasium.Env[np.ndarray, Any]):
    """A PettingZoo AEC environment as a Gymnasium one, seen from whoever is on turn."""

    def __init__(self, aec: Any) -> None:
        self.aec = aec
        first = aec.possible_agents[0]
        self.observation_space = aec.observation_space(first)["observation"]
        self.action_space = aec.action_space(first)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a game and return what the first agent sees."""
        self.aec.reset(seed, options)
        return self.seen()["observation"], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the action and return what the next agent sees, with the reward of the one that acted."""
        aec, mover = self.aec, self.aec.agent_selection
        aec.step(action)
        ended = aec.terminations[mover], aec.truncations[mover]
        return self.seen()["observation"], aec._cumulative_rewards[mover], *ended, aec.infos[mover]

    def seen(self) -> dict[str, np.ndarray]:
        """Return observation and mask of the agent on turn."""
        return self.aec.observe(self.aec.agent_selection)

    def action_masks(self) -> np.ndarray:
        """Return the mask of the agent on turn."""
        return self.seen()["action_mask"]


def recipe() -> float:
    """Train on connect four as PettingZoo's tutorial does."""
    from pettingzoo.classic import connect_four_v3

    learner = MaskablePPO("MlpPolicy", OnTurn(connect_four_v3.env()), device="cpu")
    watch = Stopwatch()
    learner.learn(2 * learner.n_steps, callback=watch)
    return watch.rate()


def measured(config: Config, rounds: int) -> list[dict[str, Any]]:
    """Run the trainers in turn, `rounds` times after a first one that only compiles."""
    torch.set_num_threads(1)
    trainers: list[tuple[str, str, Callable[[], float]]] = [
        ("`lusogames train`", f"{config.game}, {config.num_envs} games", lambda: ours(config)),
        ("ceiling", "the same MaskablePPO, an environment that does nothing", lambda: ceiling(config)),
    ]
    if importlib.util.find_spec("pygame") is not None:
        trainers.append(("PettingZoo's recipe", "connect four, 1 environment, defaults of SB3", recipe))
    rates: list[list[float]] = [[] for _ in trainers]
    for _ in range(rounds + 1):
        for (_, _, one), found in zip(trainers, rates, strict=True):
            found.append(one())
    return [
        {"subject": who, "name": setting, "rates": found[1:], "rate": statistics.median(found[1:])}
        for (who, setting, _), found in zip(trainers, rates, strict=True)
    ]


def main() -> None:
    """Measure, print Markdown and save JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training_speed", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--config", type=Path, default=Path("configs/reis_de_portugal/ppo.yaml"), help="YAML of the run"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds over the trainers (default 5)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # the other library's own deprecations
    results = measured(load_config(args.config), args.rounds)
    content = {"results": results}
    if args.json:
        save(args.json, content)
    print(training_speed(content))


if __name__ == "__main__":
    main()
