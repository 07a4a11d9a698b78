"""The networks that learn, in torch, and their copies in NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from lusogames_env.engine.game import Box
from lusogames_env.engine.graph import GraphLayout
from lusogames_env.training.config import GraphNet
from lusogames_env.training.errors import ConfigError
from lusogames_env.training.networks import GraphNetwork, Mlp, Network

ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU}


class GraphBody(nn.Module):
    """All of `GraphNetwork` but the logits, and the value's last hidden layer beside it.

    Gives latent codes of the policy (batch, places * width + hidden) and of the value (batch, hidden).
    """

    neighbours: torch.Tensor
    seen: torch.Tensor
    unplaced: torch.Tensor

    def __init__(self, layout: GraphLayout, neighbours: np.ndarray, net: GraphNet, activation: type[nn.Module]) -> None:
        super().__init__()
        self.places, self.width = layout.places, net.width
        self.latent_dim_pi, self.latent_dim_vf = layout.places * net.width + net.hidden, net.hidden
        self.register_buffer("neighbours", torch.from_numpy(neighbours), persistent=False)
        self.register_buffer("seen", torch.from_numpy(layout.seen.ravel()), persistent=False)
        self.register_buffer("unplaced", torch.from_numpy(layout.rest), persistent=False)
        self.rest = nn.Linear(len(layout.rest), net.hidden)
        self.place = nn.Linear(layout.seen.shape[1], net.width, bias=False)
        self.place_bias = nn.Parameter(torch.zeros(layout.places, net.width))
        self.told = nn.Linear(net.hidden, net.width, bias=False)
        self.own = nn.ModuleList(nn.Linear(net.width, net.width) for _ in range(net.rounds))
        self.near = nn.ModuleList(nn.Linear(net.width, net.width, bias=False) for _ in range(net.rounds))
        self.gather = nn.Linear(net.width + net.hidden, net.hidden)
        self.value = nn.Linear(net.width + net.hidden, net.hidden)
        self.activate = activation()

    def _trunk(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what is held about every place, (batch, places, width), and the summary (batch, width + hidden)."""
        whole = self.activate(self.rest(obs[:, self.unplaced]))
        seen = obs[:, self.seen].view(len(obs), self.places, -1)
        places = self.activate(self.place(seen) + self.place_bias + self.told(whole)[:, None])
        for own, near in zip(self.own, self.near, strict=True):
            places = places + self.activate(own(places) + near(self.neighbours @ places))
        return places, torch.cat([places.mean(dim=1), whole], dim=1)

    def forward(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both latent codes."""
        places, summary = self._trunk(obs)
        return self._policy(places, summary), self.activate(self.value(summary))

    def forward_actor(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the latent code of the policy."""
        return self._policy(*self._trunk(obs))

    def forward_critic(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the latent code of the value."""
        return self.activate(self.value(self._trunk(obs)[1]))

    def _policy(self, places: torch.Tensor, summary: torch.Tensor) -> torch.Tensor:
        return torch.cat([places.flatten(1), self.activate(self.gather(summary))], dim=1)


class GraphLogits(nn.Module):
    """Logits from the latent code of `GraphBody`; its parameters are those of the last layers alone."""

    order: torch.Tensor

    def __init__(self, layout: GraphLayout, net: GraphNet) -> None:
        super().__init__()
        blocks = (len(layout.order) - layout.others) // layout.places
        self.shape = (layout.places, net.width)
        self.place_logits = nn.Linear(net.width, blocks)
        self.other_logits = nn.Linear(net.hidden, layout.others)
        self.register_buffer("order", torch.from_numpy(layout.order), persistent=False)

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """Return float32 (batch, actions)."""
        split = self.shape[0] * self.shape[1]
        at_places = self.place_logits(latent[:, :split].unflatten(1, self.shape))
        others = self.other_logits(latent[:, split:])
        return torch.cat([others, at_places.transpose(1, 2).flatten(1)], dim=1)[:, self.order]


def graph_policy_kwargs(box: Box, net: GraphNet | None = None) -> dict[str, Any]:
    """Return the `policy_kwargs` with which `GraphPolicy` plays what is in `box`; `net` are its sizes.

    Raises:
        ConfigError: the game has no graph.
    """
    graph = box.game.graph
    if graph is None:
        raise ConfigError(f"{box.game.name} has no board of places: use MlpPolicy")
    return {"layout": box.game.graph_layout, "neighbours": graph.weights(box.record[0]), "net": net or GraphNet()}


class GraphPolicy(MaskableActorCriticPolicy):
    """Policy and value over the places of the board; its own `policy_kwargs` come from `graph_policy_kwargs`.

    Args:
        layout: `Graph.layout` of the game.
        neighbours: `Graph.weights` of the box.
        net: sizes.
    """

    def __init__(self, *args: Any, layout: GraphLayout, neighbours: np.ndarray, net: GraphNet, **kwargs: Any) -> None:
        self.layout, self.neighbours, self.net = layout, neighbours, net
        super().__init__(*args, **kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        own = {"layout": self.layout, "neighbours": self.neighbours, "net": self.net}
        return {**super()._get_constructor_parameters(), **own}

    def _build_mlp_extractor(self) -> None:
        body: Any = GraphBody(self.layout, self.neighbours, self.net, self.activation_fn)
        self.mlp_extractor = body

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # with one linear layer for all logits, which is replaced here
        self.action_net = GraphLogits(self.layout, self.net)
        if self.ortho_init:
            self.action_net.apply(partial(self.init_weights, gain=0.01))
        make_optimizer: Any = self.optimizer_class
        self.optimizer = make_optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def to_numpy(policy: MaskableActorCriticPolicy, activation: str) -> Network:
    """Return a copy of the policy network of `policy` in NumPy."""
    if isinstance(policy, GraphPolicy):
        return GraphNetwork(_graph_tensors(policy), policy.layout, policy.net.rounds, activation)
    layers = [layer for layer in (*policy.mlp_extractor.policy_net, policy.action_net) if hasattr(layer, "weight")]
    weights = [_copy(layer.weight) for layer in layers]
    return Mlp(weights, [_copy(layer.bias) for layer in layers], activation)


def _graph_tensors(policy: GraphPolicy) -> dict[str, np.ndarray]:
    body: Any = policy.mlp_extractor
    logits: Any = policy.action_net
    saved = {"graph.neighbours": _copy(body.neighbours), "graph.place.bias": _copy(body.place_bias)}
    layers = {name: getattr(body, name) for name in ("rest", "place", "told", "gather")}
    layers |= {f"{i}.own": layer for i, layer in enumerate(body.own)}
    layers |= {f"{i}.near": layer for i, layer in enumerate(body.near)}
    layers |= {"place_logits": logits.place_logits, "other_logits": logits.other_logits}
    for name, layer in layers.items():
        saved[f"graph.{name}.weight"] = _copy(layer.weight)
        if layer.bias is not None:
            saved[f"graph.{name}.bias"] = _copy(layer.bias)
    return saved


def _copy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy().copy()
