"""Policy networks: what torch learns is what NumPy plays, and a graph network treats all places alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from safetensors.numpy import load_file

from lusogames_env.engine.graph import Graph
from lusogames_env.games import get_game
from lusogames_env.training import checkpoints
from lusogames_env.training.agents import load_agent, save_agent
from lusogames_env.training.config import GraphNet, load_config, make_config
from lusogames_env.training.errors import AgentError, ConfigError
from lusogames_env.training.networks import GraphNetwork, network_of, shapes_of
from lusogames_env.training.policies import ACTIVATIONS, GraphPolicy, graph_policy_kwargs, to_numpy
from lusogames_env.training.train import Silence, resume, train

MAPPED = ("aljubarrota", "anno_domini")
NET = GraphNet(width=6, rounds=2, hidden=10)
SMALL = """\
game: anno_domini
options: {skip_forced: true}
num_envs: 8
total_steps: 256
imitation: {decisions: 1, games_at_once: 2}
opponents: {players: {random: 1.0}, self_play: {interval: 64, active: 1}}
algorithm: {n_steps: 8, batch_size: 32, n_epochs: 1, graph_net: {width: 6, rounds: 2, hidden: 10}}
evaluation: {interval: 1000, games: 4, final_games: 4, opponents: [random]}
checkpoint: {interval: 128}
"""


def make_policy(name: str, activation: str = "relu") -> GraphPolicy:
    """Return a policy with random weights, those of the last layers and all biases included."""
    torch.manual_seed(0)
    game = get_game(name)
    assert game.graph is not None
    seen = spaces.Box(-1.0, 1.0, (game.observation.size,), np.float32)
    policy = GraphPolicy(
        seen,
        spaces.Discrete(game.actions.n),
        lambda left: 1e-3,
        activation_fn=ACTIVATIONS[activation],
        **graph_policy_kwargs(game.new_box(), NET),
    )
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.normal_(std=0.4)
    return policy


def observations(name: str, k: int = 7) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(k, get_game(name).observation.size)).astype(np.float32)


def torch_logits(policy: GraphPolicy, obs: np.ndarray) -> np.ndarray:
    everything = np.ones((len(obs), policy.action_space.n), np.bool_)
    with torch.no_grad():
        logits = policy.get_distribution(torch.from_numpy(obs), action_masks=everything).distribution.logits
    return np.asarray(logits)


@pytest.mark.parametrize("name", MAPPED)
def test_the_layout_holds_every_entry_and_action_once(name: str) -> None:
    game = get_game(name)
    assert game.graph is not None
    layout = game.graph.layout(game.observation, game.actions)
    entries = np.concatenate([layout.seen.ravel(), layout.rest])
    assert sorted(entries) == list(range(game.observation.size))
    assert sorted(layout.order) == list(range(game.actions.n))
    for i, block in enumerate(game.graph.blocks):
        start = game.actions[block]
        expected = layout.others + i * layout.places + np.arange(layout.places)
        assert (layout.order[start : start + layout.places] == expected).all()
    field = game.graph.fields[0]
    rows = np.arange(game.observation.size)[game.observation.slice(field)].reshape(layout.places, -1)
    assert (layout.seen[:, : rows.shape[1]] == rows).all()


@pytest.mark.parametrize("name", MAPPED)
def test_neighbours_are_mutual_and_the_board_is_in_one_piece(name: str) -> None:
    game = get_game(name)
    assert game.graph is not None
    record = game.new_box().record[0]
    near = game.graph.neighbours(record)
    assert (near == near.T).all() and not near.diagonal().any()
    reached = np.linalg.matrix_power(near.astype(float) + np.eye(len(near)), len(near)) > 0
    used = near.any(axis=1)
    assert reached[np.ix_(used, used)].all()
    assert game.graph.weights(record).sum(axis=1) == pytest.approx(used.astype(float))


def test_borders_are_those_of_the_map() -> None:
    game = get_game("anno_domini")
    assert game.graph is not None
    rows = game.components.value["territories"]
    borders = {frozenset(pair) for group in game.components.value["land_borders"] for pair in group["pairs"]}
    near = game.graph.neighbours(game.new_box().record[0])
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            at_sea = bool(set(a["seas"]) & set(b["seas"])) and i != j
            assert near[i, j] == (at_sea or frozenset((a["name"], b["name"])) in borders)


def test_hexes_touch_up_to_six_others() -> None:
    game = get_game("aljubarrota")
    assert game.graph is not None
    record = game.new_box().record[0]
    near = game.graph.neighbours(record)
    x, h = record.x.astype(int), record.h.astype(int)
    for i, j in zip(*np.nonzero(near), strict=True):
        assert (abs(x[i] - x[j]), abs(h[i] - h[j])) in ((0, 2), (1, 1))
    assert near.sum(axis=1).max() == 6


def test_a_graph_of_fields_that_do_not_fit_is_refused() -> None:
    game = get_game("anno_domini")
    for fields, blocks in (
        (("board_owner", "money"), ("build",)),
        (("board_owner", "nothing"), ("build",)),
        (("board_owner", "attacks_left"), ("build",)),
        (("board_owner",), ("end_turn",)),
        ((), ("build",)),
        (("board_owner",), ()),
    ):
        graph = Graph(fields, blocks, lambda record: np.zeros((36, 36), np.bool_))
        with pytest.raises(ValueError, match="needs fields and blocks with one number of places"):
            replace(game, graph=graph)


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
@pytest.mark.parametrize("name", MAPPED)
def test_numpy_computes_what_torch_does(name: str, activation: str) -> None:
    policy, obs = make_policy(name, activation), observations(name)
    found = to_numpy(policy, activation).logits(obs)
    found -= np.log(np.exp(found).sum(axis=1, keepdims=True))  # torch normalises
    assert found == pytest.approx(torch_logits(policy, obs), rel=1e-3, abs=1e-3)


def test_actor_and_critic_are_what_both_together_are() -> None:
    policy, obs = make_policy("anno_domini"), torch.from_numpy(observations("anno_domini"))
    body = policy.mlp_extractor
    with torch.no_grad():
        for_policy, for_value = body(obs)
        assert torch.equal(for_policy, body.forward_actor(obs)) and torch.equal(for_value, body.forward_critic(obs))
    assert for_policy.shape == (7, body.latent_dim_pi) and for_value.shape == (7, body.latent_dim_vf)


def test_places_that_change_names_change_actions() -> None:
    """With the places in another order everything that belongs to places comes out in that order, all else the same."""
    game = get_game("anno_domini")
    network = to_numpy(make_policy("anno_domini"), "relu")
    assert isinstance(network, GraphNetwork)
    layout, obs = network.layout, observations("anno_domini")
    moved = np.random.default_rng(2).permutation(layout.places)
    tensors = network.tensors()
    tensors["graph.neighbours"] = tensors["graph.neighbours"][np.ix_(moved, moved)]
    tensors["graph.place.bias"] = tensors["graph.place.bias"][moved]
    renamed = obs.copy()
    renamed[:, layout.seen] = obs[:, layout.seen[moved]]
    before = network.logits(obs)
    after = network_of(tensors, network.about(), game).logits(renamed)
    expected = before.copy()
    for block in ("pick_territory", "build", "attack_from"):
        at = game.actions[block] + np.arange(layout.places)
        expected[:, at] = before[:, at[moved]]
    assert after == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert not np.allclose(before, expected)


def test_what_is_far_away_is_heard_of_by_nobody_in_time() -> None:
    """In two rounds a place hears of places two borders away through the board; the whole tells no single place."""
    game = get_game("anno_domini")
    policy = make_policy("anno_domini")
    network = to_numpy(policy, "relu")
    assert isinstance(network, GraphNetwork)
    layout, obs = network.layout, observations("anno_domini", 1)
    near = (network.tensors()["graph.neighbours"] > 0) | np.eye(layout.places, dtype=np.bool_)
    changed = obs.copy()
    changed[0, layout.seen[0]] += 1.0
    at = game.actions["build"] + np.arange(layout.places)
    differ = np.abs(network.logits(changed)[0, at] - network.logits(obs)[0, at]) > 1e-6
    within = (near @ near)[0]
    assert differ[0] and differ.sum() > 1
    assert not differ[~within].any() and not within.all()


def test_stable_baselines3_saves_and_loads_it(tmp_path: Path) -> None:
    policy, obs = make_policy("anno_domini"), observations("anno_domini")
    policy.save(str(tmp_path / "policy.pt"))
    assert np.array_equal(torch_logits(GraphPolicy.load(str(tmp_path / "policy.pt")), obs), torch_logits(policy, obs))


def test_no_observations_have_no_logits() -> None:
    game = get_game("anno_domini")
    network = to_numpy(make_policy("anno_domini"), "relu")
    assert network.logits(observations("anno_domini", 0)).shape == (0, game.actions.n)


@pytest.mark.parametrize("name", MAPPED)
def test_saved_graph_networks_come_back(name: str, tmp_path: Path) -> None:
    game, network = get_game(name), to_numpy(make_policy(name), "relu")
    assert {n: t.shape for n, t in network.tensors().items()} == shapes_of(network.about(), game)
    save_agent(tmp_path / "agent", network, game, game.new_box().options, {})
    agent = load_agent(tmp_path / "agent")
    obs = observations(name)
    assert (agent.network.logits(obs) == network.logits(obs)).all()
    assert agent.network.about() == {"graph_net": NET.model_dump(), "activation": "relu"}


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({"graph_net": {"width": 6, "rounds": 2}, "activation": "relu"}, "must hold width and hidden"),
        ({"graph_net": {"width": 6, "rounds": 99, "hidden": 4}, "activation": "relu"}, "rounds, up to 16"),
        ({"graph_net": {"width": True, "rounds": 2, "hidden": 4}, "activation": "relu"}, "width and hidden, up to"),
        ({"graph_net": [6], "activation": "relu"}, "must hold width"),
        ({"graph_net": {"width": 6, "rounds": 2, "hidden": 4}, "activation": "exec"}, "activation 'exec'"),
        ({"graph_net": None, "activation": "relu"}, "must hold width"),
        ({"net_arch": [4], "activation": []}, r"activation \[\]"),
    ],
)
def test_hostile_descriptions_are_refused(about: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        shapes_of(about, get_game("anno_domini"))


def test_a_graph_network_needs_a_game_with_a_board(tmp_path: Path) -> None:
    game, network = get_game("anno_domini"), to_numpy(make_policy("anno_domini"), "relu")
    assert game.graph is not None
    with pytest.raises(ValueError, match="'graph_net': reis_de_portugal has no graph"):
        shapes_of(network.about(), get_game("reis_de_portugal"))
    with pytest.raises(ConfigError, match="reis_de_portugal has no board of places: use MlpPolicy"):
        graph_policy_kwargs(get_game("reis_de_portugal").new_box())
    with pytest.raises(ConfigError, match=r"algorithm\.graph_net: reis_de_portugal has no board of places"):
        make_config({"game": "reis_de_portugal", "algorithm": {"graph_net": {}}})
    save_agent(tmp_path / "agent", network, game, game.new_box().options, {})
    other = replace(game, graph=replace(game.graph, blocks=game.graph.blocks[::-1]))
    with pytest.raises(AgentError, match="made for other layouts"):
        load_agent(tmp_path / "agent", other)
    (tmp_path / "agent" / "agent.json").write_text(
        (tmp_path / "agent" / "agent.json").read_text().replace('"width": 6', '"width": 7')
    )
    with pytest.raises(AgentError, match=r"graph\.place\.weight is float32 \(6, 10\); expected float32 \(7, 10\)"):
        load_agent(tmp_path / "agent")


class StopAt(Silence):
    """Asks to stop once the run has come to a step."""

    def __init__(self, at: int) -> None:
        self.at, self.reached = at, 0

    def step(self, step: int, total: int, text: str) -> None:
        if text != "imitation":
            self.reached = step

    def __call__(self) -> bool:
        return self.reached >= self.at


def test_a_graph_network_trains_and_goes_on_bit_for_bit(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL)
    whole = train(load_config(tmp_path / "small.yaml", [f"run={tmp_path / 'whole'}"]))
    stop = StopAt(128)
    stopped = train(load_config(tmp_path / "small.yaml", [f"run={tmp_path / 'stopped'}"]), report=stop, stop=stop)
    assert whole.complete and not stopped.complete and 128 <= stopped.step < 256
    assert resume(stopped.run).complete
    one, two = (checkpoints.load_checkpoint(run).arrays for run in (whole.run, stopped.run))
    assert any(name.startswith("pool.") for name in one) and one.keys() == two.keys()
    for name, array in one.items():
        if name != "env.states":  # records hold scratch space
            assert np.array_equal(array, two[name]), name
    start = load_file(tmp_path / "whole" / "checkpoints" / f"step_{0:012d}" / checkpoints.TENSORS)
    assert all(not np.array_equal(start[name], one[name]) for name in one if name.startswith("policy."))
