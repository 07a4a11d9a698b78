"""The Gymnasium environments, single and vectorised."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import lusogames_env
from lusogames_env.engine import Game, IllegalActionError, LusogamesError, OptionError
from lusogames_env.games import game_names, get_game
from lusogames_env.registration import register_all
from lusogames_env.wrappers.gym_env import SingleAgentEnv
from lusogames_env.wrappers.learners import LearnerBatch
from lusogames_env.wrappers.vector import GameVectorEnv
from tests.tools import Case, bits

MODES = ("NextStep", "SameStep", "Disabled")


def new_env(case: Case, **arguments: Any) -> SingleAgentEnv:
    return SingleAgentEnv(case.game, **{**case.options, **arguments})  # type: ignore[arg-type]


def new_vector(case: Case, **arguments: Any) -> GameVectorEnv:
    return GameVectorEnv(case.game, **{"num_envs": 5, **case.options, **arguments})  # type: ignore[arg-type]


def legal(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return a random legal action per row, 0 where there is none."""
    return np.array([generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])


def test_the_checker_finds_no_fault(case: Case) -> None:
    env = new_env(case, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)


# ---- one environment ----


def test_a_game_goes_from_decision_to_decision(case: Case, seed: int) -> None:
    env = new_env(case)
    learners = LearnerBatch(case.box, 1)
    obs, info = env.reset(seed=seed)
    learners.seed(int(np.random.Generator(np.random.PCG64(seed)).integers(2**63 - 1)))
    learners.reset()
    generator = np.random.default_rng(seed)
    for _ in range(case.game.max_plies):
        assert obs.tobytes() == learners.obs[0].tobytes() and env.observation_space.contains(obs)
        assert info["action_mask"].dtype == np.int8 and (info["action_mask"] == learners.masks[0]).all()
        masks = env.action_masks()
        assert masks.dtype == np.bool_ and (masks == (info["action_mask"] == 1)).all() and masks.any()
        action = legal(masks[None], generator)
        obs, reward, terminated, truncated, info = env.step(action[0])
        rewards, ended, cut = learners.step(action)
        assert type(reward) is float and type(terminated) is bool and type(truncated) is bool
        assert (reward, terminated, truncated) == (rewards[0], ended[0], cut[0])
        if terminated or truncated:
            break
        assert reward == 0.0
    seat = info["seat"]
    for name, kind in (("win", "win"), ("placement", "placement"), ("margin", "margin"), ("score", "raw")):
        assert info[name] == learners.batch.outcomes(kind)[0, seat]
    assert not info["action_mask"].any()
    with pytest.raises(LusogamesError, match="reset"):
        env.step(0)


@pytest.mark.parametrize("kind", ["masked", "negative", "waiting", "too large"])
def test_an_illegal_action_ends_the_episode(case: Case, kind: str, seed: int) -> None:
    env = new_env(case)
    obs, info = env.reset(seed=seed)
    masked = int(np.flatnonzero(info["action_mask"] == 0)[0])
    action = {"negative": -1, "waiting": -2, "too large": case.game.actions.n}.get(kind, masked)
    after, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == action and "legal" in info["illegal_text"]
    assert kind != "too large" or f"action {action} is not legal" in info["illegal_text"]
    assert env.observation_space.contains(after)
    env.reset()
    with pytest.raises(IllegalActionError, match="legal"):
        raising = new_env(case, illegal="raise")
        raising.reset(seed=seed)
        raising.step(action)


def test_seeds_reproduce_and_their_absence_goes_on(case: Case, seed: int) -> None:
    def opening(env: SingleAgentEnv) -> list[bytes]:
        generator = np.random.default_rng(1)
        seen = [env.reset()[0].tobytes()]
        for _ in range(4):
            obs, _, terminated, truncated, _ = env.step(legal(env.action_masks()[None], generator)[0])
            seen.append(obs.tobytes())
            if terminated or truncated:
                break
        return seen

    one, two = new_env(case), new_env(case)
    first = one.reset(seed=seed)[0]
    assert first.tobytes() == two.reset(seed=seed)[0].tobytes()
    assert [opening(one) for _ in range(3)] == [opening(two) for _ in range(3)]
    spaces = one.action_space.sample(), two.action_space.sample()  # space generators are their own
    assert all(case.game.actions.n > sample >= 0 for sample in spaces)


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_in_mid_game_has_the_same_future(case: Case, way: str, seed: int) -> None:
    env = new_env(case, opponents={"random": 1, case.game.bots[0]: 1})
    env.reset(seed=seed)
    twin = copy.deepcopy(env) if way == "deepcopy" else pickle.loads(pickle.dumps(env))
    generator = np.random.default_rng(seed)
    for _ in range(12):
        action = legal(env.action_masks()[None], generator)[0]
        ours, theirs = env.step(action), twin.step(action)
        assert ours[0].tobytes() == theirs[0].tobytes() and ours[1:4] == theirs[1:4]
        if ours[2] or ours[3]:
            assert env.reset()[0].tobytes() == twin.reset()[0].tobytes()


def test_rendering_shows_the_learners_view(case: Case, seed: int) -> None:
    env = new_env(case, render_mode="ansi")
    _, info = env.reset(seed=seed)
    assert env.render() == env.game_state().text(info["seat"])


def test_wrong_arguments_are_refused(toy: Case) -> None:
    for arguments in ({"render_mode": "3d"}, {"seat": 9}, {"opponents": "nobody"}, {"num_player": 3}):
        with pytest.raises(OptionError):
            new_env(toy, **arguments)
        with pytest.raises(OptionError):
            new_vector(toy, **arguments)
    with pytest.raises(OptionError, match="SameStep"):
        new_vector(toy, autoreset_mode="Never")
    with pytest.raises(LusogamesError, match="reset"):
        new_env(toy).step(0)
    with pytest.raises(LusogamesError, match="reset"):
        new_vector(toy).step(np.zeros(5, int))
    env = new_env(toy)
    env.close()
    env.close()


# ---- registration ----


@pytest.mark.parametrize("name", game_names())
def test_make_and_make_vec(name: str) -> None:
    game = get_game(name)
    options = next(iter(game.variants.values()))
    for env_id in (game.id, f"lusogames_env:{game.id}"):
        env = gymnasium.make(env_id, opponents=game.bots[0], **options)
        assert isinstance(env.unwrapped, SingleAgentEnv)
        obs, info = env.reset(seed=1)
        assert env.observation_space.contains(obs)
        assert env.unwrapped.action_masks().any()
        env.step(int(info["action_mask"].argmax()))
        env.close()
    for mode in MODES:
        envs = gymnasium.make_vec(game.id, num_envs=3, autoreset_mode=mode, **options)
        assert isinstance(envs, GameVectorEnv) and envs.metadata["autoreset_mode"] == AutoresetMode(mode)
        assert envs.reset(seed=1)[0].shape == (3, game.observation.size)
        envs.close()


def test_registering_twice_is_silent() -> None:
    before = set(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_all()
        gymnasium.register_envs(lusogames_env)
    assert set(gymnasium.registry) == before
    assert {get_game(name).id for name in game_names()} <= before


# ---- the vector environment ----


def single_games(case: Case, seed: int, n: int) -> LearnerBatch:
    learners = LearnerBatch(case.box, n)
    learners.seed(int(np.random.Generator(np.random.PCG64(seed)).integers(2**63 - 1)))
    learners.reset()
    return learners


@pytest.mark.parametrize("mode", MODES)
def test_vectorised_games_go_as_the_learners_batch_does(case: Case, mode: str, seed: int) -> None:
    envs = new_vector(case, autoreset_mode=mode)
    reference = single_games(case, seed, 5)
    obs, infos = envs.reset(seed=seed)
    generator = np.random.default_rng(seed)
    done, ended = np.zeros(5, bool), 0
    for _ in range(len(case.actions) + 20):
        assert obs.tobytes() == reference.obs.tobytes() and envs.observation_space.contains(obs)
        assert (infos["action_mask"] == reference.masks).all() and infos["_action_mask"].all()
        assert (infos["seat"] == reference.seats).all()
        assert (envs.action_masks() == (infos["action_mask"] == 1)).all()
        actions = legal(infos["action_mask"], generator)
        obs, rewards, terminated, truncated, infos = envs.step(actions)
        assert rewards.dtype == np.float64 and terminated.dtype == truncated.dtype == np.bool_
        expected = reference.step(np.where(done, -2, actions))
        for ours, theirs in zip((rewards, terminated, truncated), expected, strict=True):
            assert (ours == theirs).all()
        over = terminated | truncated
        ended += int(over.sum())
        if mode == "NextStep" and done.any():
            reference.reset(done)
        elif mode == "SameStep" and over.any():
            assert (infos["_final_obs"] == over).all()
            for i in np.flatnonzero(over):
                assert (infos["final_obs"][i] == reference.obs[i]).all()
                assert infos["final_info"]["win"][i] == reference.batch.outcomes("win")[i, reference.seats[i]]
            reference.reset(over)
        elif mode == "Disabled" and over.any():
            with pytest.raises(LusogamesError, match="reset_mask"):
                envs.step(actions)
            obs, infos = envs.reset(options={"reset_mask": over})
            reference.reset(over)
        if mode == "NextStep" and over.any():
            assert (infos["_win"] == over).all()
        done = over if mode == "NextStep" else np.zeros(5, bool)
    assert ended > 0 and envs.action_masks()[~done].any(1).all()
    envs.close()
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_an_illegal_action_ends_its_game_alone(case: Case, mode: str, seed: int) -> None:
    envs = new_vector(case, autoreset_mode=mode)
    _, infos = envs.reset(seed=seed)
    actions = legal(infos["action_mask"], np.random.default_rng(seed))
    actions[1] = int(np.flatnonzero(infos["action_mask"][1] == 0)[0])
    actions[2], actions[3] = -2, -1
    _, rewards, terminated, truncated, infos = envs.step(actions)
    assert rewards[1:4].tolist() == [-1, -1, -1] and terminated[1:4].all() and not truncated[1:4].any()
    final = infos["final_info"] if mode == "SameStep" else infos
    assert final["illegal_action"][1:4].all() and not final["illegal_action"][0] and final["_illegal_action"][1:4].all()
    envs = new_vector(case, autoreset_mode=mode, illegal="raise")
    envs.reset(seed=seed)
    with pytest.raises(IllegalActionError, match="game 1"):
        envs.step(actions)


@pytest.mark.parametrize("illegal", ["lose", "raise"])
@pytest.mark.parametrize("bad", [["STAY"] * 5, [0.0] * 5, [True] * 5, [0] * 4, [[0] * 5], 0])
def test_actions_of_a_wrong_shape_or_type_are_refused(toy: Case, bad: Any, illegal: str) -> None:
    envs = new_vector(toy, illegal=illegal)
    envs.reset(seed=1)
    before = bits(envs.learners.batch.states)
    with pytest.raises(IllegalActionError, match=r"expected integers of shape \(5,\)"):
        envs.step(bad)
    assert bits(envs.learners.batch.states) == before


def test_a_seed_that_is_none_is_refused(toy: Case) -> None:
    with pytest.raises(OptionError, match=r"seed = 1\.5: expected one integer or a list of 5"):
        new_vector(toy).reset(seed=1.5)  # type: ignore[arg-type]


def test_a_list_of_seeds_seeds_each_game(case: Case) -> None:
    one, two = new_vector(case), new_vector(case)
    obs, _ = one.reset(seed=[1, 2, 3, 4, 5])
    assert obs.tobytes() == two.reset(seed=[1, 2, 3, 4, 5])[0].tobytes()
    assert bits(one.learners.batch.states) == bits(two.learners.batch.states)
    two.reset(seed=[6, 7, 8, 9, 10])
    assert bits(one.learners.batch.states) != bits(two.learners.batch.states)
    with pytest.raises(OptionError, match="seed"):
        one.reset(seed=[1, 2])
    with pytest.raises(OptionError, match="reset_mask"):
        one.reset(options={"reset_mask": np.zeros(5, bool)})


def test_nothing_is_handed_out_twice(case: Case, seed: int) -> None:
    envs = new_vector(case)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    obs, infos = envs.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(8):
        results = [obs, *(value for value in infos.values() if isinstance(value, np.ndarray))]
        kept += [(array, array.copy()) for array in results]
        obs, rewards, terminated, truncated, infos = envs.step(legal(infos["action_mask"], generator))
        kept += [(array, array.copy()) for array in (rewards, terminated, truncated)]
    assert all((array == values).all() for array, values in kept), "an array handed out earlier was written to"
    assert len({id(array) for array, _ in kept}) == len(kept)


def test_vector_rendering(game: Game) -> None:
    envs = GameVectorEnv(game, num_envs=2, render_mode="ansi")  # type: ignore[arg-type]
    _, infos = envs.reset(seed=1)
    texts = envs.render()
    assert texts is not None and len(texts) == 2
    assert texts[0] == envs.learners.batch.state(0).text(int(infos["seat"][0]))
