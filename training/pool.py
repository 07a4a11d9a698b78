"""Self-play: frozen snapshots of the learner, a few of which play the other seats."""

from __future__ import annotations

from typing import Any

import numpy as np

from lusogames_env.training.agents import Agent, Network, network_of
from lusogames_env.training.config import SelfPlay


def network_from_policy(policy: Any, activation: str) -> Network:
    """Return a NumPy copy of the policy network of a `MaskableActorCriticPolicy`."""
    layers = [layer for layer in (*policy.mlp_extractor.policy_net, policy.action_net) if hasattr(layer, "weight")]
    weights = [layer.weight.detach().cpu().numpy().copy() for layer in layers]
    return Network(weights, [layer.bias.detach().cpu().numpy().copy() for layer in layers], activation)


class SnapshotPool:
    """The newest `plan.pool_size` snapshots, by the step they were taken at, and those that play at present.

    Snapshots draw from their distributions, so that the learner meets all they may do. `generator` decides both
    which snapshots play and what they do.
    """

    def __init__(self, plan: SelfPlay, generator: np.random.Generator) -> None:
        self.plan, self.generator = plan, generator
        self.steps: list[int] = []
        self.networks: list[Network] = []
        self.active: list[int] = []

    def add(self, step: int, network: Network) -> None:
        """Add a snapshot, let the oldest go if there are too many, and draw who plays from now on."""
        self.steps.append(step)
        self.networks.append(network)
        del self.steps[: -self.plan.pool_size], self.networks[: -self.plan.pool_size]
        self._draw()

    def _draw(self) -> None:
        n = len(self.steps)
        ages = np.arange(n - 1, -1, -1)
        odds = np.ones(n) if self.plan.sampling == "uniform" else 0.5 ** np.minimum(ages, 1000.0)
        k = min(self.plan.active, int((odds > 0).sum()))
        self.active = sorted(int(i) for i in self.generator.choice(n, size=k, replace=False, p=odds / odds.sum()))

    def opponents(self) -> dict[Agent, float]:
        """Return the snapshots that play, with their weights."""
        share = self.plan.weight / max(len(self.active), 1)
        return {self._agent(i): share for i in self.active}

    def _agent(self, i: int) -> Agent:
        return Agent(self.networks[i], f"snapshot_{self.steps[i]}", sample=True, generator=self.generator)

    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return plain values and arrays from which `set_state` rebuilds the pool."""
        arrays = {
            f"{step}.{name}": tensor
            for step, network in zip(self.steps, self.networks, strict=True)
            for name, tensor in network.tensors().items()
        }
        generator = self.generator.bit_generator.state
        return {"steps": self.steps, "active": self.active, "generator": generator}, arrays

    def set_state(self, values: dict[str, Any], arrays: dict[str, np.ndarray], activation: str) -> None:
        """Go on from what `get_state` returned."""
        self.steps, self.active = list(values["steps"]), list(values["active"])
        self.networks = []
        for step in self.steps:
            prefix = f"{step}."
            own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
            self.networks.append(network_of(own, activation))
        self.generator.bit_generator.state = values["generator"]
