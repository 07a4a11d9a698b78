"""The PettingZoo environments: the kit's tests, and stronger ones."""

from __future__ import annotations

import copy
import importlib
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest

import lusogames_env
from lusogames_env.engine import Game, IllegalActionError, LusogamesError, OptionError
from lusogames_env.engine.aec import GameAECEnv
from lusogames_env.engine.parallel import GameParallelEnv
from lusogames_env.engine.state import GameState
from lusogames_env.games import game_names, get_game
from tests.tools import ROOT, Case

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the kit imports deprecated classic games if pygame is there
    from pettingzoo.test import api_test, parallel_api_test, seed_test

from pettingzoo.test.seed_test import parallel_seed_test

KIT = pytest.mark.filterwarnings(
    "ignore:The observation returned by:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)


def new_env(case: Case, **options: Any) -> GameAECEnv:
    return GameAECEnv(case.game, **{**case.options, **options})


def new_parallel(case: Case, **options: Any) -> GameParallelEnv:
    return GameParallelEnv(case.game, **{**case.options, **options})


def act(env: GameAECEnv, generator: np.random.Generator) -> int:
    """Take a random legal action, or None for an agent that is done; return it."""
    obs, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        env.step(None)
        return -1
    action = int(generator.choice(np.flatnonzero(obs["action_mask"])))
    env.step(action)
    return action


def mid_game(case: Case, seed: int, plies: int, **options: Any) -> GameAECEnv:
    """Return an environment whose game has begun and still runs."""
    env = new_env(case, **options)
    for start in range(seed, seed + 50):
        env.reset(seed=start)
        generator = np.random.default_rng(start)
        for _ in range(min(plies, len(case.actions) // 2)):
            if not env.table.over:
                act(env, generator)
        if not env.table.over:
            return env
    raise AssertionError("no game lasts that long")


def play_out(env: GameAECEnv, seed: int) -> None:
    """Play until the game ends; the agents are all still there."""
    generator = np.random.default_rng(seed)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        act(env, generator)


# ---- the kit ----


@KIT
def test_the_kits_api_test_passes(case: Case) -> None:
    api_test(new_env(case), num_cycles=60)


@KIT
def test_the_kits_seed_test_passes(case: Case) -> None:
    seed_test(lambda: new_env(case), num_cycles=40)


@KIT
def test_the_kits_parallel_tests_pass(case: Case) -> None:
    parallel_api_test(new_parallel(case), num_cycles=60)
    parallel_seed_test(lambda: new_parallel(case))


# ---- how a game goes ----


def test_all_agents_end_together_and_are_paid_once(case: Case, seed: int) -> None:
    env = new_env(case)
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    agents = list(env.possible_agents)
    while env.agents:
        over = any(env.terminations.values()) or any(env.truncations.values())
        if over:
            assert len(set(env.terminations.values())) == len(set(env.truncations.values())) == 1
        agent = env.agent_selection
        _, reward, terminated, truncated, _ = env.last()
        assert type(reward) is float and type(terminated) is bool and type(truncated) is bool
        assert (terminated or truncated) == over and not (terminated and truncated)
        paid[agent] += reward
        if not over:
            assert set(env.rewards.values()) == {0.0}
            assert env.agents == agents
        for values in (env.rewards, env.terminations, env.truncations, env.infos, env._cumulative_rewards):
            assert list(values) == env.agents
        act(env, generator)
    expected = env.game_state().outcome(env.table.box.options["reward"])
    assert list(paid.values()) == expected.tolist()


def test_the_environment_plays_as_the_state_does(case: Case, seed: int) -> None:
    env = new_env(case)
    env.reset(seed=seed)
    state = env.game_state()
    generator = np.random.default_rng(seed)
    for _ in range(40):
        assert env.game_state() == state
        agent = f"player_{state.actor}"
        assert env.agent_selection == agent
        for seat, other in enumerate(env.possible_agents):
            obs = env.observe(other)
            assert (obs["observation"] == state.observation(seat)).all()
            assert (obs["action_mask"] == (state.mask if other == agent else 0)).all()
            assert env.observation_space(other).contains(obs)
            assert (env.infos[other]["action_mask"] == obs["action_mask"]).all()
        state.apply(act(env, generator))
        if state.over:
            break


def test_masks_of_observation_and_info_are_one_array(case: Case, seed: int) -> None:
    env = new_env(case)
    env.reset(seed=seed)
    obs, _, _, _, info = env.last()
    assert info is env.infos[env.agent_selection]
    assert obs["action_mask"] is info["action_mask"] and obs["action_mask"].dtype == np.int8
    assert env.action_space(env.agent_selection).sample(obs["action_mask"]) in np.flatnonzero(obs["action_mask"])


def test_observations_are_never_the_same_array_twice(case: Case, seed: int) -> None:
    env = new_env(case)
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    kept = []
    for _ in range(12):
        if not env.agents or any(env.terminations.values()):
            break
        for agent in env.agents:
            for _ in range(2):
                array = env.observe(agent)["observation"]
                kept.append((array, array.copy()))
        act(env, generator)
    assert all((array == values).all() for array, values in kept), "an old observation was written to"
    for i, (array, _) in enumerate(kept):
        array[:] = i
    assert all((array == i).all() for i, (array, _) in enumerate(kept)), "two observations share memory"


def test_what_a_caller_writes_into_an_observation_does_no_harm(case: Case, seed: int) -> None:
    one, two = new_env(case), new_env(case)
    generators = np.random.default_rng(seed), np.random.default_rng(seed)
    one.reset(seed=seed)
    two.reset(seed=seed)
    for _ in range(15):
        if any(one.terminations.values()):
            break
        for agent in one.agents:
            spoiled = one.observe(agent)
            spoiled["observation"][:] = 0.5
        assert act(one, generators[0]) == act(two, generators[1])
    assert one.game_state() == two.game_state()


def test_spaces_are_one_object_for_all(case: Case) -> None:
    env = new_env(case)
    observation = {id(env.observation_space(agent)) for agent in env.possible_agents for _ in range(2)}
    action = {id(env.action_space(agent)) for agent in env.possible_agents for _ in range(2)}
    assert len(observation) == len(action) == 1
    assert env.possible_agents == [f"player_{seat}" for seat in range(case.box.num_players)]
    assert env.action_space("player_0").n == case.game.actions.n
    assert env.metadata["name"] == f"{case.game.name}_v{case.game.version}"
    assert env.metadata["is_parallelizable"] is False
    assert set(env.metadata["render_modes"]) == {"human", "ansi", "rgb_array"} and env.metadata["render_fps"] > 0


def test_state_is_what_all_seats_see(case: Case, seed: int) -> None:
    env = new_env(case)
    env.reset(seed=seed)
    state = env.state()
    assert env.state_space.contains(state)
    seats = range(case.box.num_players)
    assert (state == np.concatenate([env.game_state().observation(seat) for seat in seats])).all()


def test_the_info_tells_all_results_at_the_end(case: Case, seed: int) -> None:
    env = new_env(case)
    env.reset(seed=seed)
    play_out(env, seed)
    state = env.game_state()
    for seat, agent in enumerate(env.possible_agents):
        info = env.infos[agent]
        assert not info["action_mask"].any()
        for name, kind in (("win", "win"), ("placement", "placement"), ("margin", "margin"), ("score", "raw")):
            assert info[name] == state.outcome(kind)[seat]


# ---- copies and seeds ----


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_in_mid_game_has_the_same_future(case: Case, way: str, seed: int) -> None:
    env = mid_game(case, seed, 9)
    twin = copy.deepcopy(env) if way == "deepcopy" else pickle.loads(pickle.dumps(env))
    generators = np.random.default_rng(seed), np.random.default_rng(seed)
    for _ in range(2 * len(case.actions) + 40):
        assert env.agent_selection == twin.agent_selection
        assert env.rewards == twin.rewards and env.terminations == twin.terminations
        assert (
            env.observe(env.agent_selection)["observation"] == twin.observe(env.agent_selection)["observation"]
        ).all()
        if act(env, generators[0]) != act(twin, generators[1]):
            raise AssertionError("the twins part")
        if not env.agents:
            break
    env.reset()
    twin.reset()
    assert env.game_state() == twin.game_state(), "the next game is another one"


def test_seeds_reproduce_and_their_absence_goes_on(case: Case) -> None:
    one, two = new_env(case), new_env(case)
    one.reset(seed=1)
    two.reset(seed=1)
    first = one.game_state()
    assert first == two.game_state()
    one.reset()
    two.reset()
    assert one.game_state() == two.game_state() != first
    one.reset(seed=1, options={"anything": 1})
    assert one.game_state() == first
    two.reset(seed=2)
    assert two.game_state() != first
    assert new_parallel(case).reset(seed=1)[0]["player_0"]["observation"].tobytes() == first.observation(0).tobytes()


def test_reset_in_mid_game_starts_clean(case: Case, seed: int) -> None:
    env = mid_game(case, seed, 7)
    env.reset(seed=seed)
    fresh = new_env(case)
    fresh.reset(seed=seed)
    assert env.game_state() == fresh.game_state() and env.agents == env.possible_agents
    assert set(env.rewards.values()) == {0.0} and not any(env.terminations.values())


# ---- misuse ----


def illegal_action(env: GameAECEnv) -> int:
    return int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[-1])


@pytest.mark.parametrize("kind", ["masked", "negative", "waiting", "too large", "huge"])
def test_an_illegal_action_loses(case: Case, kind: str, seed: int) -> None:
    env = mid_game(case, seed, 3)
    numbers = {"negative": -1, "waiting": -2, "too large": case.game.actions.n, "huge": 2**70}
    action = numbers.get(kind, illegal_action(env))
    offender = env.agent_selection
    env.step(action)
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    for agent in env.possible_agents:
        assert env.infos[agent]["illegal_action"] == action and "legal" in env.infos[agent]["illegal_text"]
        assert env.infos[agent]["illegal_seat"] == env.possible_agents.index(offender)
        assert not env.observe(agent)["action_mask"].any()
        assert env.observation_space(agent).contains(env.observe(agent))
    while env.agents:
        env.last()
        env.step(None)
    env.reset(seed=seed)
    assert env.agents == env.possible_agents and "illegal_action" not in env.infos[offender]


def test_an_illegal_action_raises_on_demand(case: Case, seed: int) -> None:
    env = new_env(case, illegal="raise")
    env.reset(seed=seed)
    before = env.game_state()
    for action in (illegal_action(env), -1, -2, case.game.actions.n, 2**70):
        with pytest.raises(IllegalActionError, match="legal"):
            env.step(action)
    assert env.game_state() == before and not any(env.terminations.values())
    act(env, np.random.default_rng(seed))
    assert env.game_state() != before


@pytest.mark.parametrize("bad", [None, "STAY", 1.5, [0], {}])
def test_an_action_that_is_no_number_is_refused(case: Case, bad: Any) -> None:
    env = new_env(case)
    env.reset(seed=1)
    with pytest.raises(LusogamesError, match="integer"):
        env.step(bad)


def test_calls_out_of_order_are_answered(toy: Case) -> None:
    env = new_env(toy)
    assert not env.agents and not env.rewards and not env.terminations and not env.infos
    for call in (lambda: env.step(0), env.last, lambda: env.last(observe=False), lambda: env.observe("player_0")):
        with pytest.raises(LusogamesError, match="reset"):
            call()
    with pytest.raises(LusogamesError, match="reset"):
        new_parallel(toy).step({"player_0": 0})
    env.reset(seed=1)
    play_out(env, 1)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    while env.agents:
        env.step(None)
    with pytest.raises(LusogamesError, match="reset"):
        env.step(None)
    env.close()
    env.close()


def test_wrong_arguments_are_refused(toy: Case) -> None:
    with pytest.raises(OptionError, match="render_mode"):
        new_env(toy, render_mode="3d")
    with pytest.raises(OptionError, match="render_mode"):
        new_parallel(toy, render_mode="3d")
    for make in (new_env, new_parallel):
        with pytest.raises(OptionError, match="render_seat"):
            make(toy, render_seat=3)
        with pytest.raises(OptionError, match="did you mean"):
            make(toy, num_player=2)
        for bad in (-1, 1.5, "1"):
            with pytest.raises(OptionError, match="seed"):
                make(toy).reset(seed=bad)  # type: ignore[arg-type]


# ---- the parallel view ----


def test_the_parallel_view_plays_the_same_game(case: Case, seed: int) -> None:
    aec, parallel = new_env(case), new_parallel(case)
    aec.reset(seed=seed)
    observations, infos = parallel.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(case.game.max_plies):
        acting = [agent for agent in parallel.agents if observations[agent]["action_mask"].any()]
        assert aec.agent_selection in acting
        for agent in parallel.agents:
            assert (observations[agent]["observation"] == aec.observe(agent)["observation"]).all()
            assert (infos[agent]["action_mask"] == observations[agent]["action_mask"]).all()
        actions = dict.fromkeys(parallel.agents, 0)
        for _ in acting:  # one, unless the rules let several decide at the same time
            agent = aec.agent_selection
            actions[agent] = act(aec, generator)
        observations, rewards, terminations, truncations, infos = parallel.step(actions)
        assert rewards == aec.rewards and terminations == aec.terminations and truncations == aec.truncations
        if any(terminations.values()) or any(truncations.values()):
            break
    assert parallel.agents == [] and parallel.game_state() == aec.game_state()
    assert parallel.step({}) == ({}, {}, {}, {}, {})


def test_in_the_parallel_view_only_the_seat_on_turn_counts(case: Case, seed: int) -> None:
    env = new_parallel(case)
    observations, _ = env.reset(seed=seed)
    acting = next(agent for agent in env.agents if observations[agent]["action_mask"].any())
    action = int(observations[acting]["action_mask"].argmax())
    twin = copy.deepcopy(env)
    env.step({agent: action if agent == acting else 10**6 for agent in env.agents})
    twin.step({acting: action})
    assert env.game_state() == twin.game_state()
    third = new_parallel(case)
    third.reset(seed=seed)
    if case.box.num_players > 1:
        with pytest.raises(LusogamesError, match=acting):
            third.step({agent: 0 for agent in third.agents if agent != acting})
    _, rewards, terminations, _, infos = third.step(dict.fromkeys(third.agents, case.game.actions.n))
    assert rewards[acting] == -1 and all(terminations.values()) and "illegal_text" in infos[acting]


# ---- modules, registry, rendering ----


@pytest.mark.parametrize("name", game_names())
def test_the_module_of_a_game_makes_its_environments(name: str) -> None:
    game = get_game(name)
    module = importlib.import_module(f"lusogames_env.{name}_v{game.version}")
    options = next(iter(game.variants.values()))
    for make in (module.env, module.raw_env):
        env = make(**options)
        assert isinstance(env, pettingzoo.AECEnv) and env.metadata["name"] == f"{name}_v{game.version}"
    assert isinstance(module.parallel_env(**options), pettingzoo.ParallelEnv)
    for kind, base in (("aec", pettingzoo.AECEnv), ("parallel", pettingzoo.ParallelEnv)):
        env = pettingzoo.make(kind, f"lusogames/{name}-v{game.version}", **options)
        assert isinstance(env.unwrapped, base) and len(env.possible_agents) == game.new_box(**options).num_players


@pytest.mark.parametrize("name", game_names())
def test_another_version_is_answered_with_the_one_there_is(name: str) -> None:
    version = get_game(name).version
    with pytest.raises(AttributeError, match=f"{name}_v{version}"):
        getattr(lusogames_env, f"{name}_v{version + 1}")
    with pytest.raises(ImportError, match=f"{name}_v{version}|cannot import name"):
        exec(f"from lusogames_env import {name}_v{version + 1}")
    with pytest.raises(AttributeError, match="known"):
        lusogames_env.chess_v0  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute"):
        lusogames_env.nothing  # noqa: B018


def test_every_game_renders(case: Case, seed: int) -> None:
    env = new_env(case, render_mode="ansi", render_seat=0)
    env.reset(seed=seed)
    text = env.render()
    assert text == env.game_state().text(0)
    assert new_env(case, render_mode="ansi").metadata["name"] == env.metadata["name"]


def test_pictures_and_prints(game: Game, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    env = GameAECEnv(game, render_mode="rgb_array")
    env.reset(seed=seed)
    picture = env.render()
    assert isinstance(picture, np.ndarray) and picture.dtype == np.uint8 and picture.ndim == 3
    assert picture.shape[2] == 3 and picture.min() < 100 < picture.max()
    env = GameAECEnv(game, render_mode="human")
    env.reset(seed=seed)
    assert env.render() is None
    assert capsys.readouterr().out.strip() == env.game_state().text().strip()
    env = GameAECEnv(game)
    env.reset(seed=seed)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_importing_the_package_is_light() -> None:
    code = (
        "import sys, lusogames_env\n"
        "heavy = {'numba', 'torch', 'matplotlib', 'stable_baselines3', 'pydantic', 'typer'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "lusogames_env.register_envs = None\n"
        "from lusogames_env.engine import Game\n"
        "assert 'numba' not in sys.modules\n"
    )
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0 and not run.stderr, run.stderr


def test_states_of_environments_are_states(toy: Case) -> None:
    env = new_env(toy)
    env.reset(seed=3)
    state = env.game_state()
    assert isinstance(state, GameState)
    state.apply(0)
    assert env.game_state() != state
