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


class Imitator:
    """Supervised learning of a policy, round by round, until `plan.decisions` examples are used, each once.

    Attributes:
        used: examples learned from so far.
        agreement: how often the policy's likeliest action was the player's in the last round, before it learned them.
    """

    def __init__(self, policy: Any, box: Box, plan: Imitation, seed: int) -> None:
        """Prepare to teach `policy`, a `MaskableActorCriticPolicy`; `seed` is that of the games and their order."""
        self.policy, self.box, self.plan = policy, box, plan
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=plan.learning_rate)
        self.generator = np.random.default_rng(seed)
        self.used, self.agreement = 0, 0.0

    @property
    def done(self) -> bool:
        """Whether enough examples are used."""
        return self.used >= self.plan.decisions

    def play_and_learn(self) -> None:
        """Play one round of games, and learn from all their examples."""
        plan = self.plan
        self.policy.set_training_mode(True)
        with torch.no_grad():
            game_seed = int(self.generator.integers(2**62))
            examples = play_examples(self.box, plan.player, plan.games_at_once, game_seed, self._sample)
        order = self.generator.permutation(len(examples.actions))
        agreed = 0
        for start in range(0, len(order), plan.batch_size):
            agreed += _learn(self.policy, self.optimizer, examples, order[start : start + plan.batch_size])
        self.used += len(order)
        self.agreement = agreed / len(order)

    def _sample(self, obs: np.ndarray, masks: np.ndarray) -> np.ndarray:
        choices = self.policy.get_distribution(torch.from_numpy(obs), action_masks=masks != 0).distribution
        return torch.distributions.Categorical(logits=choices.logits / self.plan.temperature).sample().numpy()

    def sharpen(self) -> None:
        """Divide the policy's logits by the temperature, once and for all."""
        with torch.no_grad():
            for parameter in self.policy.action_net.parameters():
                parameter /= self.plan.temperature

    def get_state(self) -> dict[str, Any]:
        """Return the progress made and the generator's state, plain JSON types; weights and optimizer are not in it."""
        return {"used": self.used, "agreement": self.agreement, "generator": self.generator.bit_generator.state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.used, self.agreement = state["used"], state["agreement"]
        self.generator.bit_generator.state = state["generator"]


def _learn(policy: Any, optimizer: torch.optim.Optimizer, examples: Examples, rows: np.ndarray) -> int:
    """Take one step on the examples `rows`; return in how many the policy agreed with the player before it."""
    obs = torch.from_numpy(examples.obs[rows])
    actions = torch.from_numpy(examples.actions[rows])
    masks = examples.masks[rows] != 0
    for_policy, for_value = policy.mlp_extractor(policy.extract_features(obs))  # once for both
    distribution = policy._get_action_dist_from_latent(for_policy)
    distribution.apply_masking(masks)
    values = policy.value_net(for_value).flatten()
    errors = torch.nn.functional.mse_loss(values, torch.from_numpy(examples.returns[rows]))
    loss = 0.5 * errors - distribution.log_prob(actions).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimizer.step()
    return int((distribution.mode() == actions).sum())
