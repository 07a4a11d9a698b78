"""Imitation of a rule-based player before self-play begins: supervised learning of the policy and value networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lusogames_env.engine.batch import WAIT, Batch
from lusogames_env.engine.game import Box
from lusogames_env.engine.players import make_player
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


def play_examples(box: Box, name: str, games: int, seed: int) -> Examples:
    """Let `name` play all seats of `games` games to their ends; note its decisions with two legal actions or more.

    Now and then a random action is played in place of its own; noted is always what the player would have done.
    """
    batch = Batch(box, games, seed=seed)
    player, generator = make_player(name, box.game, seed), np.random.default_rng(seed)
    noted: list[tuple[np.ndarray, ...]] = []
    while True:
        rows = np.flatnonzero(batch.running)
        if not rows.size:
            break
        chosen = np.full(games, WAIT, np.int64)
        chosen[rows] = player.act(batch, rows)
        free = rows[batch.masks[rows].sum(axis=1) > 1]
        noted.append((batch.observe()[free], batch.masks[free], chosen[free], free, batch.actors[free]))
        stray = (generator.random(games) < STRAY) & batch.running
        batch.advance(np.where(stray, batch.random_actions(), chosen))
    obs, masks, actions, games_of, seats = (np.concatenate(parts) for parts in zip(*noted, strict=True))
    returns = batch.outcomes()[games_of, seats].astype(np.float32)
    return Examples(obs, masks, actions, returns)


def imitate(policy: Any, box: Box, plan: Imitation, seed: int) -> float:
    """Train `policy`, a `MaskableActorCriticPolicy`, until `plan.decisions` examples are used, each once.

    Returns:
        How often the policy's likeliest action was the player's, over the last games, before they were learned from.
    """
    optimizer = torch.optim.Adam(policy.parameters(), lr=plan.learning_rate)
    generator = np.random.default_rng(seed)
    used, agreement = 0, 0.0
    policy.set_training_mode(True)
    while used < plan.decisions:
        examples = play_examples(box, plan.player, plan.games_at_once, int(generator.integers(2**62)))
        order = generator.permutation(len(examples.actions))
        agreed = 0
        for start in range(0, len(order), plan.batch_size):
            agreed += _learn(policy, optimizer, examples, order[start : start + plan.batch_size])
        used += len(order)
        agreement = agreed / len(order)
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
