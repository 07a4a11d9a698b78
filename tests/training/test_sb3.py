"""The native stable-baselines3 environment: what a trainer is told is what happened in the games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor

from lusogames_env.engine.errors import IllegalActionError, OptionError, StateError
from lusogames_env.engine.game import TRUNCATED
from lusogames_env.wrappers.sb3 import SB3VecEnv
from tests.tools import TOY, load_game

GAME = load_game(TOY)
STAY, FOLD, DRAW, KEEP = range(4)


def make(num_envs: int = 32, opponents: Any = "random", **options: Any) -> SB3VecEnv:
    return SB3VecEnv(GAME, num_envs, opponents, **{"seed": 5, "illegal": "raise", **options})


def random_legal(env: SB3VecEnv, rng: np.random.Generator) -> np.ndarray:
    masks = env.env_method("action_masks")
    return (masks * rng.random(masks.shape)).argmax(axis=1)


class Ended(BaseCallback):
    """Collects the infos of all ended games."""

    def _on_training_start(self) -> None:
        self.infos: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        self.infos += [i for i, done in zip(self.locals["infos"], self.locals["dones"], strict=True) if done]
        return True


@pytest.mark.parametrize(("players", "options"), [(2, {}), (3, {"skip_forced": True}), (4, {})])
def test_maskable_ppo_learns_without_one_illegal_action(players: int, options: dict[str, Any]) -> None:
    env = make(opponents=["random", "heuristic"], num_players=players, **options)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=128, n_epochs=1, seed=1, device="cpu")
    ended = Ended()
    model.learn(2048, callback=ended)  # illegal="raise": one illegal action would end this
    rewards = {round(info["episode"]["r"], 6) for info in ended.infos}
    assert rewards <= {1.0, round(-1 / (players - 1), 6)}
    assert len(rewards) == 2
    assert {info["seat"] for info in ended.infos} == set(range(players))
    env.close()


@pytest.mark.slow
def test_maskable_ppo_on_a_real_game_for_100_000_steps() -> None:
    env = SB3VecEnv("reis_de_portugal", 128, ["random", "heuristic"], seed=2, num_players=3, illegal="raise")
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=2048, n_epochs=1, seed=1, device="cpu")
    model.learn(100_000)
    assert model.num_timesteps >= 100_000


def test_what_stable_baselines_asks() -> None:
    env = make(4)
    env.reset()
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_thing")
    masks = get_action_masks(env)
    assert masks.shape == (4, GAME.actions.n)
    assert masks.dtype == np.bool_
    assert (env.env_method("action_masks", indices=[2, 0]) == masks[[2, 0]]).all()
    assert (env.get_attr("action_masks", indices=1)[0]() == masks[1]).all()
    assert env.get_attr("render_mode") == [None] * 4
    assert env.env_is_wrapped(Monitor) == [True] * 4
    with pytest.raises(AttributeError):
        env.get_attr("no_such_thing")
    for call in (lambda: env.set_attr("x", 1, indices=[0]), lambda: env.env_method("close", indices=[0])):
        with pytest.raises(OptionError, match="without indices"):
            call()
    env.close()
    env.close()


def test_transitions_reach_from_decision_to_decision_and_the_end_is_what_the_learner_saw() -> None:
    """Against a rule-based player the positions of the learner can be replayed from the batch itself."""
    env = make(64, "heuristic", num_players=3)
    rng = np.random.default_rng(0)
    obs = env.reset()
    ends = 0
    for _ in range(60):
        batch, seats = env.learners.batch, env.learners.seats.copy()
        assert (batch.actors == seats).all()
        assert (obs == batch.observe(seats)).all()
        before = obs.copy()
        new, rewards, dones, infos = env.step(random_legal(env, rng))
        assert new is not obs
        assert (obs == before).all(), "an observation that was handed out has changed"
        assert rewards.dtype == np.float32
        assert (rewards[~dones] == 0).all()
        for i in np.flatnonzero(dones):
            ends += 1
            info = infos[i]
            assert info["episode"]["r"] == pytest.approx(float(rewards[i]))
            assert info["seat"] == seats[i]
            assert info["opponents"].count("learner") == 1
            assert info["opponents"][seats[i]] == "learner"
            own = info["terminal_observation"][GAME.observation.slice("actor")]
            assert (own == 0).all(), "after the end nobody is on turn"
        obs = new
    assert ends > 50


def test_terminal_observation_reward_and_truncation_are_those_of_the_ended_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = make(32, "random", num_players=2, max_rounds=2)
    rng = np.random.default_rng(3)
    env.reset()
    seen: list[Any] = []
    reset = env.learners.reset

    def record(which: Any = None, seeds: Any = None) -> np.ndarray:
        batch, seats = env.learners.batch, env.learners.seats.copy()
        seen.append((batch.observe(seats), batch.outcomes()[np.arange(32), seats], batch.states["over"].copy()))
        return reset(which, seeds)

    monkeypatch.setattr(env.learners, "reset", record)
    cut_off = 0
    for _ in range(40):
        _, rewards, dones, infos = env.step(random_legal(env, rng))
        for i in np.flatnonzero(dones):
            obs, utilities, over = (part[i] for part in seen[-1])
            assert (infos[i]["terminal_observation"] == obs).all()
            assert rewards[i] == pytest.approx(utilities)
            assert infos[i]["TimeLimit.truncated"] == (over == TRUNCATED)
            cut_off += over == TRUNCATED
    assert cut_off > 0


def test_truncation_can_be_told_as_an_end() -> None:
    env = make(16, "random", num_players=2, max_rounds=1, mark_truncated=False)
    env.reset()
    rng = np.random.default_rng(0)
    infos = [info for _ in range(10) for info in env.step(random_legal(env, rng))[3] if info]
    assert infos
    assert not any(info["TimeLimit.truncated"] for info in infos)


def test_who_folds_loses_although_the_others_go_on() -> None:
    env = make(16, "heuristic", num_players=4, seat=1)
    env.reset()
    _, rewards, dones, infos = env.step(np.full(16, FOLD))
    assert dones.all()
    assert rewards == pytest.approx(-1 / 3)
    assert [info["episode"]["l"] for info in infos] == [1] * 16


def test_illegal_actions_lose_and_say_which() -> None:
    env = make(3, "random", num_players=2, illegal="lose", seat=0)
    env.reset()
    obs, rewards, dones, infos = env.step(np.array([KEEP, STAY, 99]))
    assert dones.tolist() == [True, False, True]
    assert rewards.tolist() == [-1.0, 0.0, -1.0]
    assert infos[0]["illegal_action"] == {"action": KEEP, "label": "KEEP"}
    assert infos[2]["illegal_action"] == {"action": 99, "label": "out of range"}
    assert not infos[0]["TimeLimit.truncated"]
    assert (env.env_method("action_masks").sum(axis=1) > 0).all()
    assert obs[0][GAME.observation["swap"]] == 0, "a new game has begun"


def test_illegal_actions_can_raise() -> None:
    env = make(2, "random", illegal="raise", seat=0)
    env.reset()
    states = env.learners.batch.states.copy()
    with pytest.raises(IllegalActionError, match="'KEEP'"):
        env.step(np.array([STAY, KEEP]))
    assert (env.learners.batch.states == states).all()


def rollout(env: SB3VecEnv, steps: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.concatenate([part.ravel() for part in env.step(random_legal(env, rng))[:3]]) for _ in range(steps)]


def test_seeds_count_from_the_next_reset_on() -> None:
    first, second = make(8, ["random", "heuristic"], seed=1), make(8, ["random", "heuristic"], seed=2)
    for env in (first, second):
        assert env.seed(11) == [11] * 8
    assert (first.reset() == second.reset()).all()
    for one, other in zip(rollout(first, 30), rollout(second, 30), strict=True):
        assert (one == other).all()
    assert not (first.reset() == second.reset()).all() or rollout(first, 9)[8].sum() == rollout(second, 9)[8].sum()


def test_games_go_on_from_a_saved_state_bit_for_bit() -> None:
    first, second = make(8, ["random", "heuristic"]), make(8, ["random", "heuristic"], seed=77)
    first.reset()
    rollout(first, 17)
    state = first.get_state()
    ahead = rollout(first, 30)
    second.reset()
    second.set_state(state)
    for one, other in zip(ahead, rollout(second, 30), strict=True):
        assert (one == other).all()


@pytest.mark.parametrize(
    ("name", "change", "text"),
    [
        ("obs", lambda a: a[:, :-1], "'obs' must be float32"),
        ("seats", lambda a: a + 9, "seat is out of range"),
        ("assigned", lambda a: a + 9, "other opponents"),
        ("states", lambda a: a ^ 255, "breaks the invariants"),
        ("masks", lambda a: None, "'masks' must be int8"),
    ],
)
def test_damaged_states_are_refused(name: str, change: Any, text: str) -> None:
    env = make(4)
    env.reset()
    state = env.get_state()
    state[name] = change(state[name])
    with pytest.raises(StateError, match=text):
        env.set_state(state)


def test_opponents_can_be_replaced() -> None:
    env = make(32, "random", num_players=2)
    env.reset()
    env.set_opponents({"heuristic": 1.0})
    rng = np.random.default_rng(0)
    names = {
        name for _ in range(20) for info in env.step(random_legal(env, rng))[3] if info for name in info["opponents"]
    }
    assert names == {"learner", "heuristic"}


def test_one_policy_can_take_all_seats() -> None:
    env = make(16, "random", num_players=3, seat="all")
    env.reset()
    rng = np.random.default_rng(0)
    infos = []
    for _ in range(30):
        assert (env.learners.batch.actors == env.learners.seats).all()
        infos += [info for info in env.step(random_legal(env, rng))[3] if info]
    assert infos
    assert all(info["opponents"] == ["learner"] * 3 for info in infos)
    assert all(info["episode"]["r"] == pytest.approx(0.0) for info in infos), "the mean of utilities that sum to 0"
