"""Views and measures of cooperation: shared rewards, team maps, one policy for a team, simultaneous decisions."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from lusogames_env import aljubarrota_v0, get_game
from lusogames_env.engine.errors import LusogamesError, OptionError
from lusogames_env.engine.state import GameState
from lusogames_env.training.cooperation import alternating, cross_play, price_of_selfishness, team_won
from lusogames_env.wrappers.cooperative import CooperativeAECEnv, CooperativeParallelEnv, share, team_map
from lusogames_env.wrappers.learners import LearnerBatch

TEAMS = {"num_players": 4, "teams": True}
ARMY = {"mode": "cooperative", "num_players": 4}
PLEDGES = {"mode": "semi_cooperative", "num_players": 4, "pledge_mode": "simultaneous"}


def _play(env: CooperativeAECEnv, seed: int) -> dict[str, float]:
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        if terminated or truncated:
            env.step(None)
        else:
            env.step(int(generator.choice(np.flatnonzero(observation["action_mask"]))))
    return total


def test_team_map_and_shares() -> None:
    teams = team_map(["a", "b", "c"], (0, 1, 0))
    assert teams == {"team_0": ["a", "c"], "team_1": ["b"]}
    assert share({"a": 1.0, "b": -1.0, "c": 0.0}, teams) == {"a": 0.5, "c": 0.5, "b": -1.0}


@pytest.mark.parametrize(("name", "options"), [("reis_de_portugal", TEAMS), ("aljubarrota", ARMY)])
def test_every_member_gets_the_reward_of_its_team(name: str, options: dict) -> None:
    env = CooperativeAECEnv(name, **options)
    total = _play(env, 3)
    plain = env.table.result("win")
    for team in env.teams.values():
        rewards = {total[agent] for agent in team}
        assert len(rewards) == 1
        seats = [env.possible_agents.index(agent) for agent in team]
        assert rewards.pop() == pytest.approx(np.mean([plain[seat] for seat in seats]))
    assert env.state().shape == env.state_space.shape


def test_the_cooperative_views_keep_the_apis(recwarn: pytest.WarningsRecorder) -> None:
    api_test(CooperativeAECEnv("reis_de_portugal", **TEAMS), num_cycles=100)
    parallel_api_test(CooperativeParallelEnv("reis_de_portugal", **TEAMS), num_cycles=100)


def test_the_parallel_view_shares_rewards() -> None:
    env = CooperativeParallelEnv("reis_de_portugal", **TEAMS)
    observations, _ = env.reset(seed=4)
    generator, rewards = np.random.default_rng(4), {}
    while env.agents:
        actions = {
            agent: int(generator.choice(np.flatnonzero(observation["action_mask"])))
            for agent, observation in observations.items()
            if observation["action_mask"].any()
        }
        observations, rewards, _, _, _ = env.step(actions)
    for team in env.teams.values():
        assert len({rewards[agent] for agent in team}) == 1


@pytest.mark.parametrize("seat", ["all", "team"])
def test_one_policy_decides_for_a_whole_team(seat: str) -> None:
    learners = LearnerBatch("reis_de_portugal", 8, opponents="random", seat=seat, seed=1, **TEAMS)
    learners.reset()
    seen: list[set[int]] = [set() for _ in range(8)]
    while learners.batch.running.any():
        for i in np.flatnonzero(learners.batch.running):
            seen[i].add(int(learners.seats[i]))
            assert learners.seats[i] == learners.batch.actors[i]
            assert np.array_equal(learners.obs[i], learners.batch.state(i).observation(int(learners.seats[i])))
        rewards, ended, _ = learners.step(learners.batch.random_actions())
        for i in np.flatnonzero(ended):
            wins = learners.batch.state(i).outcome("win")
            expected = wins.mean() if seat == "all" else wins[[0, 2] if i % 2 == 0 else [1, 3]].mean()
            assert rewards[i] == pytest.approx(expected)
    for i, seats in enumerate(seen):
        assert seats == ({0, 1, 2, 3} if seat == "all" else ({0, 2} if i % 2 == 0 else {1, 3}))


def test_one_policy_commands_the_whole_army() -> None:
    env = gymnasium.make("lusogames/Aljubarrota-v0", seat="all", **ARMY)
    _, info = env.reset(seed=2)
    seats, over = set(), False
    generator = np.random.default_rng(2)
    while not over:
        seats.add(info["seat"])
        _, reward, terminated, truncated, info = env.step(generator.choice(np.flatnonzero(info["action_mask"])))
        over = terminated or truncated
    assert len(seats) > 1
    assert reward in (-1.0, 1.0)


def test_simultaneous_pledges_are_asked_together() -> None:
    env = aljubarrota_v0.parallel_env(**PLEDGES)
    together = 0
    for seed in range(3):
        observations, _ = env.reset(seed=seed)
        generator = np.random.default_rng(seed)
        while env.agents:
            deciding = [a for a in env.agents if observations[a]["action_mask"].any()]
            if len(deciding) > 1:
                together += 1
                with pytest.raises(LusogamesError, match="must decide"):
                    env.step({})
            actions = {a: int(generator.choice(np.flatnonzero(observations[a]["action_mask"]))) for a in deciding}
            before = env.game_state().ply
            observations, _, _, _, _ = env.step(actions)
            if env.agents:
                assert env.game_state().ply == before + len(deciding)
    assert together > 0


def test_masks_of_simultaneous_seats_are_those_they_get_one_by_one() -> None:
    env = aljubarrota_v0.parallel_env(**PLEDGES)
    generator = np.random.default_rng(0)
    compared = 0
    observations, _ = env.reset(seed=1)
    while env.agents and compared < 5:
        masks = {s: observations[a]["action_mask"] for s, a in enumerate(env.possible_agents)}
        deciding = [s for s, mask in masks.items() if mask.any()]
        if len(deciding) > 1:
            compared += 1
            state = env.game_state()
            for _ in deciding:
                assert np.array_equal(state.mask, masks[state.actor])
                state.apply(int(np.flatnonzero(state.mask)[0]))
        actions = {env.possible_agents[s]: int(generator.choice(np.flatnonzero(masks[s]))) for s in deciding}
        observations, _, _, _, _ = env.step(actions)
    assert compared > 0


def test_seatings_alternate_and_are_fair() -> None:
    seated = alternating(12, 4, 0, 1)
    assert (seated.mean(axis=0) == 0.5).all()
    assert (np.sort(seated, axis=1) == [0, 0, 1, 1]).all()
    assert (alternating(6, 3, 0, 1).sum(axis=0) == 3).all()


def test_cross_play_is_a_symmetric_matrix() -> None:
    box = get_game("aljubarrota").new_box(**ARMY)
    first = box.game.bots[0]
    result = cross_play([first, "random"], box, games=12, seed=1)
    assert result.wins[0][1] == result.wins[1][0]
    assert result.wins[0][0].mean >= result.wins[1][1].mean
    assert result.to_json()["cross_play"] == result.wins[0][1].mean
    with pytest.raises(OptionError, match="at least two"):
        cross_play(["random"], box)
    with pytest.raises(OptionError, match="not won or lost by the whole table"):
        cross_play(["random", "heuristic"], get_game("reis_de_portugal").new_box())


def test_selfish_seats_are_counted() -> None:
    box = get_game("aljubarrota").new_box(num_players=4)
    rows = price_of_selfishness(box.game.bots[0], "random", box, games=12, seed=1)
    assert [row.selfish for row in rows] == [0, 1, 2, 3, 4]
    assert rows[0].selfish_share is None and rows[4].cooperative_share is None
    assert rows[0].team_wins.mean >= rows[4].team_wins.mean


def test_the_team_has_won_when_somebody_is_better_off_than_in_defeat() -> None:
    utilities = np.array([[-1.0, -1.0], [1.0, 1.0], [0.5, -0.5]])
    assert team_won(utilities).tolist() == [False, True, True]


def test_solitary_play_is_one_seat() -> None:
    state = GameState.new("aljubarrota", seed=1, mode="solitary", num_players=1)
    assert state.box.num_players == 1
    assert state.actor == 0
