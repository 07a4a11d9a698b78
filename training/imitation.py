"""Imitation of a rule-based player before self-play begins: supervised learning of the policy and value networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lusogames_env.engine.batch import WAIT, Batch
from lusogames_env.engine.game import Box
from lusogames_env.engine.players import Policy, make_player
from lusogames_env.training.config import Imitation

STRAY = 0.1  # share of random actions while examples are made: shows positions that the player itself would not reach


@dataclass(frozen=True)
class Examples:
    """Decisions of a player: what it saw, what was legal, what it did, and what its seat got in the end.

    Shapes: float32 (n, size), int8 (n, actions), int64 (n,), float32 (n,).
    """

    obs: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    returns: np.ndarray


def play_examples(box: Box, name: str, games: int, seed: int, learner: Policy) -> Examples:
    """Let `name` say what it would do in `games` games played to their ends; note choices between two actions or more.

    In every other game the learner plays all seats by itself, so that it is told what to do where its own play leads
    (DAgger: Ross, Gordon and Bagnell, AISTATS 2011). In the others `name` plays, now and then disturbed at random.
    """
    batch = Batch(box, games, seed=seed)
    player, generator = make_player(name, box.game, seed), np.random.default_rng(seed)
    by_learner = np.arange(games) % 2 == 1
    noted: list[tuple[np.ndarray, ...]] = []
    while True:
        rows = np.flatnonzero(batch.running)
        if not rows.size:
            break
        advice = np.full(games, WAIT, np.int64)
        advice[rows] = player.act(batch, rows)
        obs = batch.observe()
        free = rows[batch.masks[rows].sum(axis=1) > 1]
        noted.append((obs[free], batch.masks[free], advice[free], free, batch.actors[free]))
        taken = np.where((generator.random(games) < STRAY) & batch.running, batch.random_actions(), advice)
        own = rows[by_learner[rows]]
        if own.size:
            taken[own] = learner(obs[own], batch.masks[own])
        batch.advance(taken)
    seen, masks, actions, games_of, seats = (np.concatenate(parts) for parts in zip(*noted, strict=True))
    returns = batch.outcomes()[games_of, seats].astype(np.float32)
    return Examples(seen, masks, actions, returns)


def imitate(policy: Any, box: Box, plan: Imitation, seed: int) -> float:
    """Train `policy`, a `MaskableActorCriticPolicy`, until `plan.decisions` examples are used, each once.

    Returns:
        How often the policy's likeliest action was the player's, over the last games, before they were learned from.
    """
    optimizer = torch.optim.Adam(policy.parameters(), lr=plan.learning_rate)
    generator = np.random.default_rng(seed)
    used, agreement = 0, 0.0
    policy.set_training_mode(True)

    def learner(obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        choices = policy.get_distribution(torch.from_numpy(obs), action_masks=masks != 0).distribution
        return torch.distributions.Categorical(logits=choices.logits / plan.temperature).sample().numpy()

    while used < plan.decisions:
        with torch.no_grad():
            game_seed = int(generator.integers(2**62))
            examples = play_examples(box, plan.player, plan.games_at_once, game_seed, learner)
        order = generator.permutation(len(examples.actions))
        agreed = 0
        for start in range(0, len(order), plan.batch_size):
            agreed += _learn(policy, optimizer, examples, order[start : start + plan.batch_size])
        used += len(order)
        agreement = agreed / len(order)
    with torch.no_grad():
        policy.action_net.weight /= plan.temperature
        policy.action_net.bias /= plan.temperature
    return agreement


def _learn(policy: Any, optimizer: torch.optim.Optimizer, examples: Examples, rows: np.ndarray) -> int:
    """Take one step on the examples `rows`; return in how many the policy agreed with the player before it."""
    obs = torch.from_numpy(examples.obs[rows])
    actions = torch.from_numpy(examples.actions[rows])
    masks = examples.masks[rows] != 0
    distribution = policy.get_distribution(obs, action_masks=masks)
    values = policy.predict_values(obs).flatten()
    errors = torch.nn.functional.mse_loss(values, torch.from_numpy(examples.returns[rows]))
    loss = 0.5 * errors - distribution.log_prob(actions).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimizer.step()
    return int((distribution.mode() == actions).sum())
