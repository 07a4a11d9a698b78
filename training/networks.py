"""Policy networks in NumPy: what saved agents and snapshots play with, and how they are saved.

Two kinds: a multilayer perceptron from the flat observation to one logit per action; and, for games whose board is a
graph (`Game.graph`), a network that holds some numbers about every place, lets each hear of its neighbours a few
times, and gives the actions of all places their logits by the same weights; only a bias tells the places apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from lusogames_env.engine.game import Game
from lusogames_env.engine.graph import GraphLayout

MAX_LAYERS, MAX_WIDTH = 16, 8192


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0.0, out=x)


def _tanh(x: np.ndarray) -> np.ndarray:
    return np.tanh(x, out=x)


def _elu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0.0)))


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"tanh": _tanh, "relu": _relu, "elu": _elu}


class Network(Protocol):
    """A policy network."""

    def logits(self, obs: np.ndarray) -> np.ndarray:
        """Return float32 (k, actions) for observations float32 (k, size)."""

    def tensors(self) -> dict[str, np.ndarray]:
        """Return its arrays by name, as they are saved; all float32."""

    def about(self) -> dict[str, Any]:
        """Return what `shapes_of` and `network_of` need besides, plain JSON types."""


class Mlp:
    """A multilayer perceptron: `weights` and `biases` of its layers, all float32; the last gives the logits.

    Saved as ``policy.<i>.weight`` (out, in) and ``policy.<i>.bias`` (out,).
    """

    def __init__(self, weights: list[np.ndarray], biases: list[np.ndarray], activation: str) -> None:
        self.weights = [np.ascontiguousarray(weight.T) for weight in weights]  # (in, out): faster for small batches
        self.biases = biases
        self.activation = activation

    def logits(self, obs: np.ndarray) -> np.ndarray:
        """Return float32 (k, actions) for observations float32 (k, size)."""
        x, activate = obs, ACTIVATIONS[self.activation]
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = x @ weight
            x += bias
            if i < len(self.weights) - 1:
                x = activate(x)
        return x

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the layers as they are saved."""
        saved: dict[str, np.ndarray] = {}
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            saved[f"policy.{i}.weight"] = np.ascontiguousarray(weight.T)
            saved[f"policy.{i}.bias"] = bias
        return saved

    def about(self) -> dict[str, Any]:
        """Return the widths of the hidden layers and the activation."""
        return {"net_arch": [weight.shape[1] for weight in self.weights[:-1]], "activation": self.activation}


class GraphNetwork:
    """A network over the places of a board.

    With f features of every place, m other entries of the observation, w numbers held about every place (``width``),
    h about the whole (``hidden``), and b actions at every place:

    | saved as | shape | |
    | --- | --- | --- |
    | ``graph.neighbours`` | (places, places) | share of each neighbour in what a place hears |
    | ``graph.rest.weight``, ``.bias`` | (h, m), (h,) | the whole, from the other entries |
    | ``graph.place.weight``, ``.bias`` | (w, f), (places, w) | a place, from what is seen there |
    | ``graph.told.weight`` | (w, h) | what every place is told of the whole |
    | ``graph.<i>.own.weight``, ``.bias`` | (w, w), (w,) | round i: added to a place, from itself … |
    | ``graph.<i>.near.weight`` | (w, w) | … and from the mean of its neighbours |
    | ``graph.gather.weight``, ``.bias`` | (h, w + h), (h,) | from the mean of all places and the whole |
    | ``graph.place_logits.weight``, ``.bias`` | (b, w), (b,) | actions of a place |
    | ``graph.other_logits.weight``, ``.bias`` | (actions - b * places, h), (…,) | all others, from what was gathered |
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], layout: GraphLayout, rounds: int, activation: str) -> None:
        self.saved, self.layout, self.rounds, self.activation = dict(tensors), layout, rounds, activation
        self._of = {name: np.ascontiguousarray(tensor.T) for name, tensor in tensors.items() if "weight" in name}
        self._of |= {name: tensor for name, tensor in tensors.items() if "weight" not in name}

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self._of[f"graph.{name}.weight"] + self._of[f"graph.{name}.bias"]

    def logits(self, obs: np.ndarray) -> np.ndarray:
        """Return float32 (k, actions) for observations float32 (k, size)."""
        activate, layout = ACTIVATIONS[self.activation], self.layout
        k, n = len(obs), layout.places
        whole = activate(self._linear("rest", obs[:, layout.rest]))
        told = whole @ self._of["graph.told.weight"]
        width = told.shape[1]
        seen = obs[:, layout.seen].reshape(k * n, layout.seen.shape[1]) @ self._of["graph.place.weight"]
        places = activate(seen.reshape(k, n, width) + self._of["graph.place.bias"] + told[:, None])
        for i in range(self.rounds):
            heard = np.matmul(self._of["graph.neighbours"], places).reshape(k * n, width)
            new = self._linear(f"{i}.own", places.reshape(k * n, width))
            new += heard @ self._of[f"graph.{i}.near.weight"]
            places = places + activate(new).reshape(k, n, width)
        gathered = activate(self._linear("gather", np.concatenate([places.mean(axis=1), whole], axis=1)))
        others = self._linear("other_logits", gathered)
        at_places = len(layout.order) - layout.others
        placed = self._linear("place_logits", places.reshape(k * n, width)).reshape(k, n, at_places // n)
        blocks_first = placed.transpose(0, 2, 1).reshape(k, at_places)
        return np.concatenate([others, blocks_first], axis=1)[:, layout.order]

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the arrays as they are saved."""
        return dict(self.saved)

    def about(self) -> dict[str, Any]:
        """Return the sizes and the activation."""
        hidden, width = (self.saved[f"graph.{name}.weight"].shape[0] for name in ("rest", "place"))
        graph = {"width": width, "rounds": self.rounds, "hidden": hidden}
        return {"graph_net": graph, "activation": self.activation}


def network_of(tensors: Mapping[str, np.ndarray], about: Mapping[str, Any], game: Game) -> Network:
    """Return the network of `game` with these arrays, as `Network.tensors` names them, and `Network.about`."""
    if "graph_net" in about:
        assert game.graph_layout is not None
        return GraphNetwork(tensors, game.graph_layout, about["graph_net"]["rounds"], about["activation"])
    layers = range(len(tensors) // 2)
    weights = [tensors[f"policy.{i}.weight"] for i in layers]
    return Mlp(weights, [tensors[f"policy.{i}.bias"] for i in layers], about["activation"])


# ---- shapes ----


def shapes_of(about: Mapping[str, Any], game: Game) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays of the network that `about` describes.

    Raises:
        ValueError: that cannot be a network of this game.
    """
    if about.get("activation") not in list(ACTIVATIONS):  # a list also looks for what has no hash
        raise ValueError(f"activation {about.get('activation')!r}; expected one of {', '.join(ACTIVATIONS)}")
    return _graph_shapes(about["graph_net"], game) if "graph_net" in about else _mlp_shapes(about, game)


def _is_size(value: Any, high: int) -> bool:
    return type(value) is int and 1 <= value <= high


def _mlp_shapes(about: Mapping[str, Any], game: Game) -> dict[str, tuple[int, ...]]:
    widths = about.get("net_arch")
    good = isinstance(widths, list) and len(widths) < MAX_LAYERS
    if not good or not all(_is_size(width, MAX_WIDTH) for width in widths or ()):
        raise ValueError(f"'net_arch' must be at most {MAX_LAYERS - 1} widths from 1 to {MAX_WIDTH}")
    sizes = [game.observation.size, *(widths or ()), game.actions.n]
    shapes: dict[str, tuple[int, ...]] = {}
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:], strict=False)):
        shapes[f"policy.{i}.weight"], shapes[f"policy.{i}.bias"] = (outputs, inputs), (outputs,)
    return shapes


def _graph_shapes(sizes: Any, game: Game) -> dict[str, tuple[int, ...]]:
    limits = {"width": MAX_WIDTH, "rounds": MAX_LAYERS, "hidden": MAX_WIDTH}
    good = isinstance(sizes, dict) and sizes.keys() == limits.keys()
    if not good or not all(_is_size(sizes[name], high) for name, high in limits.items()):
        raise ValueError(f"'graph_net' must hold width and hidden, up to {MAX_WIDTH}, and rounds, up to {MAX_LAYERS}")
    layout = game.graph_layout
    if layout is None:
        raise ValueError(f"'graph_net': {game.name} has no graph")
    n, width, hidden = layout.places, sizes["width"], sizes["hidden"]
    shapes: dict[str, tuple[int, ...]] = {"graph.neighbours": (n, n)}
    shapes |= _linear_shapes("rest", len(layout.rest), hidden)
    shapes |= {"graph.place.weight": (width, layout.seen.shape[1]), "graph.place.bias": (n, width)}
    shapes["graph.told.weight"] = (width, hidden)
    for i in range(sizes["rounds"]):
        shapes |= _linear_shapes(f"{i}.own", width, width)
        shapes[f"graph.{i}.near.weight"] = (width, width)
    shapes |= _linear_shapes("gather", width + hidden, hidden)
    shapes |= _linear_shapes("place_logits", width, (game.actions.n - layout.others) // n)
    return shapes | _linear_shapes("other_logits", hidden, layout.others)


def _linear_shapes(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"graph.{name}.weight": (outputs, inputs), f"graph.{name}.bias": (outputs,)}
