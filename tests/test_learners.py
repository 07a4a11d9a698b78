"""`LearnerBatch`: one learner's seat per game; transitions, rewards, seats, opponents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

from lusogames_env.engine import IllegalActionError, OptionError
from lusogames_env.engine.batch import FIRST_BOT, RANDOM, WAIT
from lusogames_env.engine.errors import PlayerError
from lusogames_env.engine.state import GameState
from lusogames_env.wrappers.gym_env import SingleAgentEnv
from lusogames_env.wrappers.learners import LearnerBatch
from tests.tools import Case


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(1)


def last_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


def draw(learners: LearnerBatch, generator: np.random.Generator) -> np.ndarray:
    """Return a random legal action of every learner, `WAIT` where its game is over."""
    masks = learners.masks
    return np.array([generator.choice(np.flatnonzero(mask)) if mask.any() else WAIT for mask in masks])


def decisions_of(state: GameState, seat: int, choices: Iterator[int]) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Play a game by hand, the others by `first_legal`; yield what `seat` sees, its mask, its reward at the end."""
    while True:
        while not state.over and state.actor != seat:
            state.apply(state.legal_actions()[0])
        reward = state.outcome(state.box.options["reward"])[seat] if state.over else 0.0
        mask = state.mask if state.actor == seat else np.zeros_like(state.mask)
        yield state.observation(seat), mask, float(reward)
        if state.over:
            return
        choice = next(choices, None)
        if choice is None:
            return
        state.apply(choice)


def test_transitions_reach_from_decision_to_decision(case: Case, seed: int) -> None:
    n = 2 * case.box.num_players
    learners = LearnerBatch(case.box, n, opponents=first_legal, seed=seed)
    learners.reset(seeds=np.arange(1, n + 1))
    generator = np.random.default_rng(seed)
    taken: list[list[int]] = [[] for _ in range(n)]
    rows: list[list[tuple[np.ndarray, np.ndarray, float]]] = [
        [(learners.obs[i].copy(), learners.masks[i], 0.0)] for i in range(n)
    ]
    for _ in range(25):
        actions = draw(learners, generator)
        rewards, terminated, truncated = learners.step(actions)
        assert not (terminated & truncated).any()
        for i in np.flatnonzero(actions != WAIT).tolist():
            taken[i].append(int(actions[i]))
            rows[i].append((learners.obs[i].copy(), learners.masks[i], float(rewards[i])))
            assert (terminated[i] or truncated[i]) == (not learners.batch.running[i])
    for i in range(n):
        played = decisions_of(case.new(i + 1), int(learners.seats[i]), iter(taken[i]))
        for (obs, mask, reward), (own_obs, own_mask, own_reward) in zip(played, rows[i], strict=True):
            assert obs.tobytes() == own_obs.tobytes() and mask.tobytes() == own_mask.tobytes()
            assert reward == own_reward


def test_every_player_count_and_seat_gets_its_own_utility(case: Case, seed: int) -> None:
    for seat in range(case.box.num_players):
        learners = LearnerBatch(case.box, 4, opponents="random", seat=seat, seed=seed)
        learners.reset()
        generator = np.random.default_rng(seed)
        total = np.zeros(4)
        for _ in range(case.game.max_plies):
            actions = draw(learners, generator)
            if (actions == WAIT).all():
                break
            assert (learners.batch.actors[actions != WAIT] == seat).all()
            total += learners.step(actions)[0]
        assert not learners.batch.running.any()
        assert (total == learners.batch.outcomes()[:, seat]).all()


def test_the_loser_sees_its_loss(toy: Case) -> None:
    """The learner holds the lowest card and keeps it; the opponent's move ends the game, and the loss arrives."""
    box = toy.game.new_box(num_players=2, max_rounds=1, first_seat=0)
    learners = LearnerBatch(box, 200, opponents=first_legal, seat=0, seed=1)
    learners.reset()
    lowest = learners.batch.states["hand"][:, 0] == 0
    for label in ("STAY", "KEEP"):
        rewards, terminated, truncated = learners.step(np.full(200, box.action_of_label[label]))
    assert lowest.sum() > 10 and truncated.all() and not terminated.any()
    assert (rewards[lowest] == -1).all()
    assert set(rewards) == {-1.0, 1.0}


def test_a_game_lost_by_another_seats_move_ends_the_transition(toy: Case) -> None:
    box = toy.game.new_box(num_players=3, max_rounds=1)
    learners = LearnerBatch(box, 4, opponents=first_legal, seat=0, seed=1)
    learners.reset()
    rewards, terminated, truncated = learners.step(np.full(4, box.action_of_label["FOLD"]))
    assert (rewards == -0.5).all() and (terminated | truncated).all()  # the others have played to the end
    assert not learners.masks.any()


def test_seats_rotate(case: Case, seed: int) -> None:
    n = case.box.num_players
    learners = LearnerBatch(case.box, n, opponents="random", seed=seed)
    seen = []
    for _ in range(n):
        learners.reset()
        seen.append(learners.seats.copy())
    counts = learners.games_started
    assert (counts >= n).all()
    if (counts == n).all():  # no game ended before the learner's first decision
        assert (np.sort(np.array(seen), axis=0) == np.arange(n)[:, None]).all()


def test_random_seats_are_uniform(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 3000, opponents=first_legal, seat="random", seed=4)
    learners.reset()
    assert stats.chisquare(np.bincount(learners.seats, minlength=3)).pvalue > 0.001


@pytest.mark.parametrize("bad", [3, -1, "first", None, 1.5, True])
def test_a_bad_seat_is_refused(toy: Case, bad: Any) -> None:
    with pytest.raises(OptionError, match="seat"):
        LearnerBatch(toy.box, 2, seat=bad)


def test_mixtures_sit_down_as_often_as_they_weigh(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 4000, opponents={"random": 1, "shaky": 3}, seat=0, seed=5)
    learners.reset()
    drawn = np.bincount(learners.assigned[:, 1:3].reshape(-1), minlength=2)
    assert stats.chisquare(drawn, [2000, 6000]).pvalue > 0.001
    assert (learners.assigned[:, 0] == -1).all()
    codes = np.array([RANDOM, FIRST_BOT + toy.game.bots.index("shaky")])
    assert (learners.batch.deciders[:, 1:3] == codes[learners.assigned[:, 1:3]]).all()
    assert (learners.batch.deciders[:, 0] == 0).all()


def test_opponents_can_be_replaced_in_mid_run(toy: Case) -> None:
    asked: list[int] = []

    def counting(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        asked.append(len(masks))
        return masks.argmax(1)

    learners = LearnerBatch(toy.box, 6, opponents="heuristic", seat=0, seed=6)
    learners.reset()
    learners.step(np.zeros(6, np.int64))
    learners.set_opponents(counting)
    assert not asked
    learners.step(np.full(6, 3))
    assert sum(asked) >= 12  # both other seats of all six games, now asked through the function
    assert [player.name for player in learners.players] == ["counting"]
    with pytest.raises(OptionError, match="there is no player"):
        learners.set_opponents("nobody")
    assert [player.name for player in learners.players] == ["counting"]


def test_games_whose_opponents_were_replaced_are_known(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 6, "random", seed=1)
    learners.reset()
    assert not learners.switched.any()
    learners.set_opponents(toy.game.bots[0])
    assert learners.switched.all()
    learners.reset(np.arange(6) < 2)
    assert learners.switched.tolist() == [False] * 2 + [True] * 4


def test_equal_seeds_give_equal_runs_on_any_number_of_threads(case: Case, seed: int) -> None:
    mixture = {"random": 1, case.game.bots[0]: 1, first_legal: 1}
    runs = []
    for threads in (1, 2):
        learners = LearnerBatch(case.box, 34, opponents=mixture, seat="random", seed=seed, threads=threads)
        learners.reset()
        generator = np.random.default_rng(seed)
        rewards = []
        for _ in range(6):
            won, terminated, truncated = learners.step(draw(learners, generator))
            rewards.append(won)
            ended = terminated | truncated
            if ended.any():
                learners.reset(ended)
        runs.append((learners.obs.tobytes(), learners.batch.states.tobytes(), np.array(rewards).tobytes()))
        learners.close()
        learners.close()
    assert runs[0] == runs[1]


def test_seeding_starts_the_same_searches_again(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 8, {"ismcts:iterations=2": 1, "rollout:iterations=8": 1})
    seen = []
    for seed in (3, 3, 4):
        learners.seed(seed)
        learners.reset()
        parts = [learners.obs]
        for _ in range(6):
            learners.step(np.where(learners.batch.running, learners.masks.argmax(axis=1), WAIT))
            learners.reset(~learners.batch.running)
            parts.append(learners.obs)
        seen.append(np.concatenate(parts))
    assert np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])


def test_seeding_starts_the_same_games_again(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 4, opponents="random", seed=7)
    first = learners.reset().tobytes(), learners.seats.tolist()
    second = learners.reset().tobytes(), learners.seats.tolist()
    assert first != second
    learners.seed(7)
    assert (learners.reset().tobytes(), learners.seats.tolist()) == first


def test_observations_are_new_arrays(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 4, opponents="heuristic", seat=0, seed=8)
    kept = [learners.reset()]
    copies = [kept[0].copy()]
    for action in (0, 3):
        learners.step(np.full(4, action))
        kept.append(learners.obs)
        copies.append(learners.obs.copy())
    assert len({id(obs) for obs in kept}) == 3
    assert all((a == b).all() for a, b in zip(kept, copies, strict=True))


def test_waiting_learners_keep_their_observation(toy: Case) -> None:
    learners = LearnerBatch(toy.box, 2, opponents="heuristic", seat=0, seed=8)
    before = learners.reset().copy()
    rewards, terminated, truncated = learners.step(np.array([WAIT, 0]))
    assert (learners.obs[0] == before[0]).all() and (learners.obs[1] != before[1]).any()
    assert not rewards.any() and not terminated.any() and not truncated.any()


def test_an_illegal_action_of_the_learner_changes_nothing(case: Case, seed: int) -> None:
    learners = LearnerBatch(case.box, 3, opponents="random", seed=seed)
    learners.reset()
    before = learners.batch.states.tobytes()
    actions = draw(learners, np.random.default_rng(seed))
    actions[1] = np.flatnonzero(learners.masks[1] == 0)[0]
    with pytest.raises(IllegalActionError, match="game 1: .*legal"):
        learners.step(actions)
    assert learners.batch.states.tobytes() == before


@pytest.mark.parametrize("bad", [[0.0] * 3, ["STAY"] * 3, [0] * 2])
def test_actions_of_a_wrong_shape_or_type_are_refused(toy: Case, bad: Any) -> None:
    learners = LearnerBatch(toy.box, 3, seed=1)
    learners.reset()
    with pytest.raises(IllegalActionError, match="expected integers of shape"):
        learners.step(np.array(bad))


def test_an_illegal_action_of_an_opponent_is_reported(toy: Case) -> None:
    def cheat(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return masks.argmin(1)

    learners = LearnerBatch(toy.box, 2, opponents=cheat, seat=1, seed=9)
    learners.reset()
    learners.step(np.full(2, 0))
    with pytest.raises(PlayerError, match="cheat.*not legal"):
        learners.step(np.full(2, 3))


def test_results_by_kind_are_the_learners_own(toy: Case) -> None:
    learners = LearnerBatch(toy.game, 5, opponents="heuristic", seat=1, seed=3, first_seat=1, max_rounds=1)
    learners.reset()
    for action in (0, 3):
        learners.step(np.full(5, action))
    by_kind = learners.results_by_kind()
    for kind, name in (("win", "win"), ("placement", "placement"), ("margin", "margin"), ("raw", "score")):
        assert (by_kind[name] == learners.batch.outcomes(kind)[:, 1]).all()
        assert learners.closing_info(2)[name] == learners.batch.outcomes(kind)[2, 1]


def test_an_illegal_move_of_an_opponent_is_not_the_learners_fault() -> None:
    def cheat(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return masks.argmin(axis=1)

    env = SingleAgentEnv("reis_de_portugal", opponents=cheat, seat=0, num_players=2)
    with pytest.raises(PlayerError, match="cheat"):
        _, info = env.reset(seed=1)
        for _ in range(50):
            _, _, _, _, info = env.step(info["action_mask"].argmax())
