"""MaskablePPO in self-play: set up a run, train, stop at any moment, go on.

A run folder holds `config.yaml` (every key resolved), `run.json` (versions, seeds), `metrics.jsonl`, `metrics.csv`,
`tensorboard/`, `curve.png`, `checkpoints/` and, at the end, `evaluation.json` and, with self-play, `league.json`.
"""

from __future__ import annotations

import platform
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import count
from math import sqrt
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
import yaml
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits

from lusogames_env.engine.players import Player, make_player
from lusogames_env.training.agents import Agent, agent_files
from lusogames_env.training.checkpoints import IMITATING, Checkpoint, load_checkpoint, save_checkpoint
from lusogames_env.training.config import Config, load_config
from lusogames_env.training.errors import CheckpointError, ConfigError
from lusogames_env.training.evaluate import Evaluation, evaluate, sides_of
from lusogames_env.training.files import alone_in, first_difference, to_json, write_file
from lusogames_env.training.imitation import Imitator
from lusogames_env.training.metrics import EVALUATION as EVALUATED
from lusogames_env.training.metrics import Metrics
from lusogames_env.training.networks import Network
from lusogames_env.training.plots import plot_curve
from lusogames_env.training.policies import ACTIVATIONS, GraphPolicy, graph_policy_kwargs, to_numpy
from lusogames_env.training.pool import LEARNER, SNAPSHOT, LeagueVecEnv, SnapshotPool

CONFIG, ABOUT, FINAL, LEAGUE = "config.yaml", "run.json", "evaluation.json", "league.json"
TRAINING, POOL, EVALUATION, FINAL_EVALUATION, IMITATION, SNAPSHOTS, OPPONENTS = range(7)  # spawn keys of a run
PACKAGES = ("lusogames-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")


FREE = {"run", "total_steps", "threads", "torch_threads", "evaluation", "checkpoint"}  # may change in a run
NOBODY = "nobody"  # whom an agent meets where all seats are on one side


def stream(config: Config, purpose: int, number: int = 0) -> int:
    """Return the seed of one purpose of a run, its own for every purpose and number."""
    return int(np.random.SeedSequence(config.seed, spawn_key=(purpose, number)).generate_state(1)[0])


class Report(Protocol):
    """What a run tells while it goes on; `training.progress` shows it in a terminal."""

    def step(self, step: int, total: int, text: str) -> None:
        """The run has come to `step` of `total`."""

    def say(self, text: str) -> None:
        """A line worth keeping."""


class Silence:
    """A report that nobody hears."""

    def step(self, step: int, total: int, text: str) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Do nothing."""


@dataclass
class Outcome:
    """How a run ended: its folder, the steps taken, whether it is complete, and its final evaluations by opponent."""

    run: Path
    step: int
    complete: bool
    evaluations: dict[str, Evaluation]


class _Stopped(Exception):
    """Somebody asked to stop; the checkpoint is written."""


def never() -> bool:
    """Return False: nobody asks to stop."""
    return False


class _Run(BaseCallback):
    """One run: the learner, its games and opponents, and everything that happens between two updates."""

    def __init__(self, config: Config, folder: Path, report: Report, stop_asked: Callable[[], bool] = never) -> None:
        super().__init__()
        self.config, self.folder, self.report, self.stop_asked = config, folder, report, stop_asked
        self.box = config.box()
        self.game = self.box.game
        plan = config.opponents.self_play
        self.pool = SnapshotPool(plan, np.random.default_rng(stream(config, POOL))) if plan and plan.weight else None
        self.sides = sides_of(self.box)
        self.rivals = config.evaluation.opponents if len(self.sides) > 1 else [NOBODY]
        self.scripted = self._make_opponents()
        self.unlogged: dict[str, float] = {}
        self.last = -1  # the step at which this callback last did its work
        self.episodes = 0
        self.seconds = 0.0
        self._began = time.monotonic()
        self._first = 0
        self.env = self._make_env()
        self.learner = self._make_learner()

    def _make_opponents(self) -> dict[Player, float]:
        """Return the players of the configuration with their weights; the league tells players apart by name."""
        named = [(name, weight) for name, weight in self.config.opponents.players.items() if weight > 0]
        chance = (stream(self.config, OPPONENTS, number) for number in range(len(named)))
        made = {make_player(name, self.game, next(chance)): weight for name, weight in named}
        names = [player.name for player in made]
        for name in names:
            if names.count(name) > 1 or name == LEARNER or name.startswith(SNAPSHOT):
                raise ConfigError(f"opponents.players: two players would be called '{name}': rename the agent's folder")
        return made

    def _make_env(self) -> LeagueVecEnv:
        config = self.config
        first = self.scripted or "random"
        return LeagueVecEnv(
            self.box, config.num_envs, first, seat=config.seat, threads=config.threads, mark_truncated=False
        )

    def _make_learner(self) -> MaskablePPO:
        algorithm, net = self.config.algorithm, self.config.algorithm.graph_net
        layers = {"pi": list(algorithm.net_arch.policy), "vf": list(algorithm.net_arch.value)}
        networks = {"net_arch": layers} if net is None else graph_policy_kwargs(self.box, net)
        return MaskablePPO(
            "MlpPolicy" if net is None else GraphPolicy,
            self.env,
            learning_rate=lambda left: algorithm.learning_rate(1 - left),
            n_steps=algorithm.n_steps,
            batch_size=algorithm.batch_size,
            n_epochs=algorithm.n_epochs,
            gamma=algorithm.gamma,
            gae_lambda=algorithm.gae_lambda,
            clip_range=algorithm.clip_range,
            ent_coef=algorithm.ent_coef(0.0),
            vf_coef=algorithm.vf_coef,
            max_grad_norm=algorithm.max_grad_norm,
            target_kl=algorithm.target_kl,
            policy_kwargs={"activation_fn": ACTIVATIONS[algorithm.activation], **networks},
            seed=stream(self.config, TRAINING),
            device="cpu",
        )

    # ---- imitation ----

    def imitate(self, saved: Checkpoint | None = None) -> None:
        """Learn from a rule-based player, if the configuration says so; `saved` is where that was stopped."""
        plan = self.config.imitation
        if plan is None:
            return
        self.report.say(f"imitating {plan.player}: {plan.decisions:,} decisions")
        imitator = Imitator(self.learner.policy, self.box, plan, stream(self.config, IMITATION))
        if saved is not None:
            with _fitting(self.folder):
                self._restore_networks(saved.arrays, imitator.optimizer)
                imitator.set_state(saved.values["imitation"])
        while not imitator.done:
            before = imitator.used
            imitator.play_and_learn()
            self.report.step(imitator.used, plan.decisions, "imitation")
            stop = self.stop_asked()
            if stop or self._due_since(before, imitator.used):
                self._save_imitation(imitator)
            if stop:
                raise _Stopped
        imitator.sharpen()
        self.report.say(f"agrees with {plan.player} in {imitator.agreement:.0%} of its choices")

    def _save_imitation(self, imitator: Imitator) -> None:
        values = {"step": 0, "config": self._lasting(), "imitation": imitator.get_state()}
        checkpoint = Checkpoint(values, self._networks(imitator.optimizer), self._agent(0, 0.0))
        save_checkpoint(self.folder, imitator.used, checkpoint, self.config.checkpoint.keep, IMITATING)

    # ---- between two updates ----

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.locals["dones"])
        self.episodes += len(ended)
        if self.pool is not None and len(self.sides) > 1:
            for info in (self.locals["infos"][i] for i in ended):
                if "placement" in info:
                    self.pool.record(info["opponents"], info["placement"], self.sides)
        return True

    def _on_training_start(self) -> None:
        self._began, self._first = time.monotonic(), self.num_timesteps

    def _on_rollout_start(self) -> None:
        """Do what is due; here weights, games and counters agree, so that a checkpoint can be written."""
        step = self.num_timesteps
        if step > self.last:
            self._do_what_is_due(step)
        done = min(1.0, step / self.config.total_steps)
        self.learner.ent_coef = self.config.algorithm.ent_coef(done)
        self.report.step(step, self.config.total_steps, self._progress_text())

    def _do_what_is_due(self, step: int) -> None:
        config, last = self.config, self.last
        if self.pool is not None and self._due(step, self.pool.plan.interval):
            self.pool.add(step, self.network())
            self.env.set_opponents({**self.scripted, **self.pool.opponents()})
        if self._due(step, config.evaluation.interval) and step < config.total_steps:
            self._evaluate(step, EVALUATION, config.evaluation.games)
            if config.evaluation.snapshots:
                self._meet_snapshots(step)
            self._plot()
        self.last = step
        stop = self.stop_asked()
        if stop or step >= config.total_steps or last < 0 or self._due_since(last, step):
            self.save(step)
        if stop and step < config.total_steps:
            raise _Stopped

    def _due(self, step: int, interval: int) -> bool:
        return self.last < 0 or step // interval > self.last // interval

    def _due_since(self, last: int, step: int) -> bool:
        interval = self.config.checkpoint.interval
        return step // interval > last // interval

    def _on_rollout_end(self) -> None:
        elapsed = time.monotonic() - self._began
        self.logger.record("time/fps", (self.num_timesteps - self._first) / max(elapsed, 1e-9))
        self.logger.record("time/seconds", round(self.seconds + elapsed, 3))
        self.logger.record("time/episodes", self.episodes)
        self.logger.record("train/ent_coef", self.learner.ent_coef)
        self.logger.record("selfplay/pool", 0 if self.pool is None else len(self.pool.steps))
        if self.pool is not None:
            for name, value in self.pool.measures().items():
                self.logger.record(f"selfplay/{name}", value)

    def _on_training_end(self) -> None:
        if self.num_timesteps > self.last:
            self._do_what_is_due(self.num_timesteps)
        self.report.step(self.num_timesteps, self.config.total_steps, self._progress_text())

    def _progress_text(self) -> str:
        rewards = [episode["r"] for episode in self.learner.ep_info_buffer or ()]
        rate = (self.num_timesteps - self._first) / max(time.monotonic() - self._began, 1e-9)
        return f"utility {np.mean(rewards):+.2f}, {rate:,.0f} steps/s" if rewards else ""

    # ---- evaluation ----

    def network(self) -> Network:
        """Return a NumPy copy of the learner's policy."""
        return to_numpy(self.learner.policy, self.config.algorithm.activation)

    def _evaluate(self, step: int, purpose: int, games: int) -> dict[str, Evaluation]:
        learner = Agent(self.network(), "learner")
        row: dict[str, Any] = {"step": step}
        results = {}
        for number, name in enumerate(self.rivals):
            seed = stream(self.config, purpose, 1000 * step + number)
            players = [learner] if name == NOBODY else [learner, name]
            results[name] = evaluate(players, self.box, games, seed, self.config.threads)
            own = results[name].players[0]
            values = (own.wins.mean, own.wins.low, own.wins.high, own.utility.mean, own.points.mean)
            row |= {f"{c}_vs_{name}": v for c, v in zip(EVALUATED, values, strict=True)}
            self.report.say(f"step {step:,}: wins {own.wins} against {name} ({results[name].games} games)")
        self.metrics.add(row)
        return results

    def _meet_snapshots(self, step: int) -> dict[str, Evaluation]:
        """Let the learner meet every earlier snapshot of the pool, and warn where it has forgotten how to win."""
        if self.pool is None or len(self.sides) < 2:
            return {}
        learner, results = Agent(self.network(), "learner"), {}
        for number, snapshot in enumerate(self.pool.contestants()):
            if self.pool.steps[number] < step:
                seed = stream(self.config, SNAPSHOTS, 1000 * step + number)
                games, threads = self.config.evaluation.games, self.config.threads
                results[snapshot.name] = evaluate([learner, snapshot], self.box, games, seed, threads)
        if results:
            self._tell_of_snapshots(step, results)
        return results

    def _tell_of_snapshots(self, step: int, results: dict[str, Evaluation]) -> None:
        wins = {name: result.players[0].wins for name, result in results.items()}
        lowest, lost = min(wins, key=lambda name: wins[name].mean), self._forgotten(results)
        self.metrics.add(
            {
                "step": step,
                "wins_vs_snapshots": float(np.mean([rate.mean for rate in wins.values()])),
                "lowest_vs_snapshots": wins[lowest].mean,
                "forgotten": len(lost),
            }
        )
        self.report.say(f"step {step:,}: of {len(wins)} snapshots the hardest is {lowest}: wins {wins[lowest]}")
        for name in lost:
            self.report.say(f"warning: forgetting: the learner now loses to its older {name}: wins {wins[name]}")

    def _forgotten(self, results: dict[str, Evaluation]) -> list[str]:
        return [] if self.game.shared_fate else forgotten(results)  # a battle that all lose was won by no snapshot

    def _plot(self) -> Path:
        return plot_curve(self.folder, self.folder.name, self.rivals, 1.0 / len(self.sides))

    # ---- stop and go on ----

    def save(self, step: int) -> None:
        """Write a checkpoint of everything that the rest of the run depends on."""
        learner = self.learner
        arrays = {f"env.{name}": array for name, array in self.env.get_state().items()}
        arrays |= self._networks(learner.policy.optimizer)
        _, keys, position, has_gauss, cached = np.random.get_state(legacy=True)
        arrays["rng.numpy"] = np.asarray(keys)
        arrays["episode_starts"] = np.asarray(self._episode_starts())
        pool_values: dict[str, Any] = {}
        if self.pool is not None:
            pool_values, pool_arrays = self.pool.get_state()
            arrays |= {f"pool.{name}": array for name, array in pool_arrays.items()}
        values: dict[str, Any] = {
            "step": step,
            "config": self._lasting(),
            "updates": learner._n_updates,
            "episodes": self.episodes,
            "seconds": round(self.seconds + time.monotonic() - self._began, 3),
            "recent": [[e["r"], e["l"], e["t"]] for e in learner.ep_info_buffer or ()],
            "numpy": [int(position), int(has_gauss), float(cached)],
            "pool": pool_values,
            "unlogged": self._unlogged(),
        }
        checkpoint = Checkpoint(values, arrays, self._agent(step, values["seconds"]))
        save_checkpoint(self.folder, step, checkpoint, self.config.checkpoint.keep)

    def _lasting(self) -> dict[str, Any]:
        """Return what of the configuration stays as it is while a run goes on."""
        return self.config.model_dump(mode="json", exclude=FREE)

    def require_same(self, checkpoint: Checkpoint) -> None:
        """Raise `CheckpointError` if `config.yaml` was changed since."""
        difference = first_difference(checkpoint.values["config"], self._lasting())
        if difference:
            raise CheckpointError(f"{self.folder / CONFIG}: {difference}: put it back, or start a new run")

    def _agent(self, step: int, seconds: float) -> dict[str, bytes]:
        """Return the files of the agent that the learner is now."""
        training = {"steps": step, "episodes": self.episodes, "seconds": seconds, "seed": self.config.seed}
        return agent_files(self.network(), self.game, self.box.options, training)

    def _networks(self, optimizer: torch.optim.Optimizer) -> dict[str, np.ndarray]:
        """Return the arrays of the networks, of the optimizer that trains them, and of torch's generator."""
        weights = self.learner.policy.state_dict().items()
        arrays = {f"policy.{name}": tensor.detach().numpy() for name, tensor in weights}
        for i, slots in optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer.{i}.{name}": tensor.detach().numpy() for name, tensor in slots.items()}
        arrays["rng.torch"] = torch.get_rng_state().numpy()
        return arrays

    def _unlogged(self) -> dict[str, float]:
        """Return what the last update has measured; it is written with the next rollout."""
        values = self.learner.logger.name_to_value.items()
        return {n: float(v) for n, v in values if isinstance(v, (int, float, np.number)) and np.isfinite(v)}

    def _episode_starts(self) -> np.ndarray:
        starts = self.learner._last_episode_starts
        return np.ones(self.config.num_envs, np.bool_) if starts is None else starts

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint: weights, optimizer, counters, pool, games in progress and all generators."""
        values, arrays, learner = checkpoint.values, checkpoint.arrays, self.learner
        learner.num_timesteps = self.last = values["step"]
        learner._n_updates, self.episodes, self.seconds = values["updates"], values["episodes"], values["seconds"]
        self.unlogged = values["unlogged"]
        recent = [{"r": r, "l": n, "t": t} for r, n, t in values["recent"]]
        learner.ep_info_buffer = deque(recent, maxlen=learner._stats_window_size)
        learner.ep_success_buffer = deque(maxlen=learner._stats_window_size)
        self._restore_networks(arrays, learner.policy.optimizer)
        if self.pool is not None:
            self.pool.set_state(values["pool"], _below(arrays, "pool"), self.network().about(), self.game)
            self.env.set_opponents({**self.scripted, **self.pool.opponents()})
        self.env.set_state(_below(arrays, "env"))
        learner._last_obs = self.env.learners.obs
        learner._last_episode_starts = arrays["episode_starts"]
        np.random.set_state(("MT19937", arrays["rng.numpy"], *values["numpy"]))

    def _restore_networks(self, arrays: dict[str, np.ndarray], optimizer: torch.optim.Optimizer) -> None:
        weights = {name: torch.from_numpy(array) for name, array in _below(arrays, "policy").items()}
        self.learner.policy.load_state_dict(weights)
        torch.set_rng_state(torch.from_numpy(arrays["rng.torch"]))
        slots: dict[int, dict[str, torch.Tensor]] = {}
        for name, array in _below(arrays, "optimizer").items():
            number, _, slot = name.partition(".")
            slots.setdefault(int(number), {})[slot] = torch.from_numpy(array)
        optimizer.load_state_dict({"state": slots, "param_groups": optimizer.state_dict()["param_groups"]})

    # ---- the run ----

    def go(self, fresh: bool) -> Outcome:
        """Train to the end, then evaluate and draw."""
        config = self.config
        left = config.total_steps - self.learner.num_timesteps
        self.metrics = Metrics(self.folder, self.rivals, self.last, is_last=left <= 0)
        self.learner.set_logger(Logger(None, [self.metrics]))
        for name, value in self.unlogged.items():
            self.learner.logger.record(name, value)
        try:
            if left > 0:
                self.learner.learn(left, callback=self, reset_num_timesteps=fresh)
            step = self.learner.num_timesteps
            results = self._evaluate(step, FINAL_EVALUATION, config.evaluation.final_games)
            snapshots = self._meet_snapshots(step)
            written = {name: result.to_json() for name, result in {**results, **snapshots}.items()}
            write_file(self.folder / FINAL, to_json(written))
            if self.pool is not None:
                write_file(
                    self.folder / LEAGUE, to_json({**self.pool.table(), "forgotten": self._forgotten(snapshots)})
                )
            self._plot()
            return Outcome(self.folder, step, True, results)
        except _Stopped:
            self._plot()
            raise
        finally:
            self.metrics.close()


def forgotten(results: dict[str, Evaluation]) -> list[str]:
    """Return the opponents against which a player wins significantly less than its par.

    One-sided score tests at 5 % for all opponents together (Bonferroni): one lucky snapshot among many is no alarm.
    """
    from scipy.special import ndtri

    limit = float(ndtri(0.05 / max(1, len(results))))

    def score(result: Evaluation) -> float:
        par = result.par
        return (result.players[0].wins.mean - par) / sqrt(par * (1 - par) / result.games)

    return [name for name, result in results.items() if score(result) < limit]


def _below(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {n.removeprefix(f"{prefix}."): array for n, array in arrays.items() if n.startswith(f"{prefix}.")}


@contextmanager
def _fitting(folder: Path) -> Iterator[None]:
    """Tell of a checkpoint that does not fit what it is restored into."""
    try:
        yield
    except (KeyError, ValueError, RuntimeError, TypeError) as error:
        raise CheckpointError(f"the last checkpoint of {folder} does not fit its {CONFIG}: {error}") from error


@contextmanager
def _ctrl_c(report: Report, stop: Callable[[], bool]) -> Iterator[Callable[[], bool]]:
    """Give a function that says whether to stop at the next checkpoint: if `stop` says so, or Ctrl-C was pressed.

    A second Ctrl-C interrupts at once.
    """
    pressed = False

    def press(number: int, frame: Any) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True
        report.say("stopping after this update; Ctrl-C again stops at once")

    try:
        before = signal.signal(signal.SIGINT, press)
    except ValueError:  # not in the main thread: nobody presses Ctrl-C here
        yield stop
        return
    try:
        yield lambda: pressed or stop()
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _torch_settings(threads: int) -> Iterator[None]:
    """Set the threads of torch and of NumPy's BLAS, and drop torch's checks of distributions: the games check masks.

    NumPy's own default is one BLAS thread per core: they spin while they wait, and snapshots play several times slower.
    """
    before, checks = torch.get_num_threads(), torch.distributions.Distribution._validate_args
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        with threadpool_limits(threads, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(before)
        torch.distributions.Distribution.set_default_validate_args(checks)


def new_run_folder(config: Config, name: str) -> Path:
    """Make the folder of a new run: the key ``run``, or ``runs/<game>/<name>-<number>`` with the first free number.

    Raises:
        ConfigError: the folder of the key ``run`` is not empty or cannot be made.
    """
    if config.run is None:
        return _numbered_folder(Path("runs") / config.game / name)
    folder = Path(config.run)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise ConfigError(f"run: {folder} is not an empty folder: choose another, or go on with --resume {folder}")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"run: cannot make the folder {folder}: {error.strerror}") from error
    return folder


def _numbered_folder(base: Path) -> Path:
    """Make the first of the folders ``<base>-1``, ``<base>-2``, … that is not there; nobody else gets the same."""
    for number in count(1):
        folder = base.with_name(f"{base.name}-{number}")
        try:
            folder.mkdir(parents=True)
            return folder
        except FileExistsError:
            continue
        except OSError as error:
            raise ConfigError(f"run: cannot make the folder {folder}: {error.strerror}") from error
    raise AssertionError("there are no more numbers")


def versions() -> dict[str, str]:
    """Return the versions of Python, the system and the packages that results depend on."""
    system = {"python": platform.python_version(), "system": platform.system(), "machine": platform.machine()}
    return {**system, **{name: _version(name) for name in PACKAGES}}


def _about(config: Config) -> dict[str, Any]:
    seeds = {
        "run": config.seed,
        "training": stream(config, TRAINING),
        "pool": stream(config, POOL),
        "imitation": stream(config, IMITATION),
        "evaluation": "SeedSequence(run, spawn_key=(2, 1000 * step + opponent)); at the end (3, …), snapshots (5, …)",
    }
    return {"versions": versions(), "seeds": seeds}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def train(config: Config, name: str = "run", report: Report | None = None, stop: Callable[[], bool] = never) -> Outcome:
    """Train a new agent.

    Args:
        config: what to do.
        name: used for the run folder if the key ``run`` is not set.
        report: told about progress.
        stop: asked after every update and every round of imitation; if it says yes, the run stops as after Ctrl-C.

    Raises:
        ConfigError: the run folder cannot be used.
    """
    folder = new_run_folder(config, name)
    resolved = {**config.model_dump(), "run": str(folder)}
    write_file(folder / CONFIG, yaml.safe_dump(resolved, sort_keys=False, allow_unicode=True).encode())
    write_file(folder / ABOUT, to_json(_about(config)))
    return _go(config, folder, report or Silence(), stop, None)


def resume(
    folder: str | Path,
    overrides: tuple[str, ...] = (),
    report: Report | None = None,
    stop: Callable[[], bool] = never,
) -> Outcome:
    """Go on with a run from its last complete checkpoint; the weights end up the same, to the bit, as without the stop.

    Restored are the weights, the optimizer, all counters, the pool of snapshots, the games in progress and the
    generators of NumPy, torch, the games and the opponents. Only a searching opponent begins its own chance anew.

    Args:
        folder: the run folder.
        overrides: only ``total_steps=…``, to train longer (schedules then stretch over the new total).
        report: told about progress.
        stop: asked after every update and every round of imitation; if it says yes, the run stops as after Ctrl-C.

    Raises:
        CheckpointError: no complete checkpoint, or it does not fit the configuration beside it.
        ConfigError: the configuration in the folder, or an override, is wrong.
    """
    folder = Path(folder)
    if not (folder / CONFIG).is_file():
        raise CheckpointError(f"{folder} is not a run folder: it has no {CONFIG}")
    for override in overrides:
        if override.partition("=")[0].strip() != "total_steps":
            raise ConfigError(f"'{override}': a run that goes on can only change total_steps; start a new run instead")
    config = load_config(folder / CONFIG, overrides)
    checkpoint = load_checkpoint(folder)
    if overrides:
        resolved = yaml.safe_dump(config.model_dump(), sort_keys=False, allow_unicode=True)
        write_file(folder / CONFIG, resolved.encode())

    return _go(config, folder, report or Silence(), stop, checkpoint)


def _where(checkpoint: Checkpoint) -> str:
    imitation = checkpoint.values.get("imitation")
    return f"step {checkpoint.values['step']:,}" if imitation is None else f"{imitation['used']:,} imitated decisions"


def _go(
    config: Config, folder: Path, report: Report, stop: Callable[[], bool], checkpoint: Checkpoint | None
) -> Outcome:
    """Train from the start, or from a checkpoint, to the end or until somebody stops it."""
    fresh = checkpoint is None or "imitation" in checkpoint.values
    with alone_in(folder), _torch_settings(config.torch_threads), _ctrl_c(report, stop) as stop_asked:
        run = _Run(config, folder, report, stop_asked)
        try:
            if checkpoint is not None:
                run.require_same(checkpoint)
                report.say(f"going on from {_where(checkpoint)}")
            if fresh:
                run.imitate(checkpoint)
            else:
                assert checkpoint is not None
                with _fitting(folder):
                    run.restore(checkpoint)
            return run.go(fresh)
        except _Stopped:
            return Outcome(folder, max(run.last, 0), False, {})
        finally:
            run.env.close()
