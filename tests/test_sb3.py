"""stable-baselines3: the checker, and MaskablePPO on single, subprocess and native vector environments."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from lusogames_env.engine import Game, IllegalActionError, OptionError
from lusogames_env.wrappers.gym_env import SingleAgentEnv
from lusogames_env.wrappers.learners import LearnerBatch
from lusogames_env.wrappers.sb3 import SB3VecEnv
from tests.tools import Case

torch.set_num_threads(1)
STEPS = int(np.prod((8, 32)))


def first_options(game: Game) -> dict[str, Any]:
    return next(iter(game.variants.values()))


def make_single(package_game: Game, seed: int) -> SingleAgentEnv:
    env = SingleAgentEnv(package_game, illegal="raise", **first_options(package_game))  # type: ignore[arg-type]
    env.reset(seed=seed)
    return env


def learn(envs: VecEnv, steps: int = STEPS) -> MaskablePPO:
    """Train a little; an illegal action would raise."""
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, seed=1, device="cpu")
    assert is_masking_supported(envs)
    model.learn(steps)
    assert model.num_timesteps >= steps
    return model


@pytest.mark.filterwarnings("ignore:.*action_masks.*:UserWarning")
def test_the_checker_finds_no_fault(case: Case) -> None:
    check_env(SingleAgentEnv(case.game, **case.options), warn=True, skip_render_check=True)  # type: ignore[arg-type]


def test_maskable_ppo_learns_on_the_native_vector_environment(game: Game) -> None:
    envs = SB3VecEnv(game, 8, opponents={"random": 1, game.bots[0]: 1}, seed=1, illegal="raise", **first_options(game))
    model = learn(envs)  # the infos carry what VecMonitor would write
    masks = get_action_masks(envs)
    obs = envs.learners.obs
    actions, _ = model.predict(obs, action_masks=masks, deterministic=True)
    assert masks[np.arange(8), actions].all()
    envs.close()


def test_maskable_ppo_learns_on_single_environments(game: Game) -> None:
    learn(DummyVecEnv([partial(make_single, game, seed) for seed in range(8)]))


@pytest.mark.slow
def test_maskable_ppo_learns_on_subprocesses(game: Game) -> None:
    envs = SubprocVecEnv([partial(make_single, game, seed) for seed in range(2)], start_method="spawn")
    try:
        learn(envs, 128)
    finally:
        envs.close()


@pytest.mark.slow
def test_a_hundred_thousand_masked_steps_hold_no_illegal_action(game: Game) -> None:
    envs = SB3VecEnv(game, 64, seed=1, illegal="raise", **first_options(game))
    learn(envs, 100_000)


# ---- the native vector environment ----


def masked_random(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    return np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])


def test_native_games_go_as_the_learners_batch_does(case: Case, seed: int) -> None:
    envs = SB3VecEnv(case.box, 5, seed=seed)
    reference = LearnerBatch(case.box, 5, seed=seed)
    obs: Any = envs.reset()
    expected = reference.reset()
    generator = np.random.default_rng(seed)
    lengths, ended = np.zeros(5, int), 0
    for _ in range(len(case.actions) + 20):
        assert obs.tobytes() == expected.tobytes() and obs.dtype == np.float32
        masks = np.stack(envs.env_method("action_masks"))
        assert (masks == (reference.masks == 1)).all()
        actions = masked_random(masks, generator)
        obs, rewards, dones, infos = envs.step(actions)
        won, terminated, truncated = reference.step(actions)
        lengths += 1
        assert rewards.dtype == np.float32 and (rewards == won.astype(np.float32)).all()
        assert dones.dtype == np.bool_ and (dones == terminated | truncated).all()
        for i in np.flatnonzero(dones):
            info = infos[i]
            assert (info["terminal_observation"] == reference.obs[i]).all()
            assert info["TimeLimit.truncated"] == truncated[i]
            assert info["episode"]["r"] == rewards[i] and info["episode"]["l"] == lengths[i]
            assert info["seat"] == reference.seats[i] and info["opponents"][info["seat"]] == "learner"
        assert all(not infos[i] for i in np.flatnonzero(~dones))
        lengths[dones] = 0
        ended += int(dones.sum())
        expected = reference.reset(dones) if dones.any() else reference.obs
    assert ended > 0


def test_the_loser_of_a_native_game_is_told(toy: Case) -> None:
    box = toy.game.new_box(num_players=2, max_rounds=1)
    envs = SB3VecEnv(box, 200, opponents="heuristic", seat=0, seed=1)
    envs.reset()
    envs.step(np.zeros(200, int))
    _, rewards, dones, _ = envs.step(np.full(200, 3))
    assert dones.all() and set(rewards) == {-1.0, 1.0}


def test_illegal_actions_lose_or_raise(case: Case, seed: int) -> None:
    envs = SB3VecEnv(case.box, 4, seed=seed)
    envs.reset()
    actions = masked_random(envs.action_masks(), np.random.default_rng(seed))
    actions[1] = int(np.flatnonzero(~envs.action_masks()[1])[0])
    actions[2], actions[3] = -2, case.game.actions.n
    _, rewards, dones, infos = envs.step(actions)
    assert (rewards[1:] == -1).all() and dones[1:].all()
    assert [info["illegal_action"]["action"] for info in infos[1:]] == actions[1:].tolist()
    assert envs.action_masks().any(1).all()
    raising = SB3VecEnv(case.game, 4, seed=seed, **{**case.options, "illegal": "raise"})
    raising.reset()
    with pytest.raises(IllegalActionError, match="game 1"):
        raising.step(actions)


@pytest.mark.parametrize("bad", [["STAY"] * 3, [0.0] * 3, [True] * 3, [0] * 4, 0])
def test_actions_of_a_wrong_shape_or_type_are_refused(toy: Case, bad: Any) -> None:
    envs = SB3VecEnv(toy.box, 3, seed=1)
    envs.reset()
    with pytest.raises(IllegalActionError, match=r"expected integers of shape \(3,\)"):
        envs.step(np.array(bad))


def test_what_stable_baselines_asks_is_answered(toy: Case) -> None:
    envs = SB3VecEnv(toy.box, 3, seed=1)
    assert isinstance(envs.observation_space, spaces.Box) and isinstance(envs.action_space, spaces.Discrete)
    envs.reset()
    assert envs.has_attr("action_masks") and not envs.has_attr("no_such_thing")
    assert envs.env_method("action_masks", indices=[1]).shape == (1, 4)
    assert envs.get_attr("render_mode") == [None] * 3 and envs.get_attr("num_envs", indices=0) == [3]
    assert len(envs.get_attr("action_masks")) == 3 and envs.get_attr("action_masks")[1]().shape == (4,)
    with pytest.raises(OptionError, match="indices"):
        envs.env_method("close", indices=[0])
    with pytest.raises(OptionError, match="indices"):
        envs.set_attr("mark_truncated", True, indices=[0])
    envs.close()
    envs.close()


def test_seeding_restarts_at_the_next_reset(toy: Case) -> None:
    envs = SB3VecEnv(toy.box, 3, seed=1)
    envs.seed(5)
    first = envs.reset().tobytes()
    assert envs.reset().tobytes() != first
    envs.seed(5)
    assert envs.reset().tobytes() == first


def test_observations_and_rewards_are_new_arrays(toy: Case) -> None:
    envs = SB3VecEnv(toy.box, 3, seed=1)
    kept: list[Any] = [envs.reset()]
    values = [kept[0].copy()]
    for _ in range(6):
        obs, rewards, _, _ = envs.step(envs.action_masks().argmax(1))
        kept += [obs, rewards]
        values += [kept[-2].copy(), rewards.copy()]
    assert all((a == b).all() for a, b in zip(kept, values, strict=True))
    assert len({id(array) for array in kept}) == len(kept)
