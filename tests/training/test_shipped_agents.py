"""The agents that come with the package: each loads by name, fits its size, and beats random play by its floor."""

from __future__ import annotations

import pytest

from lusogames_env.games import get_game
from lusogames_env.training.agents import agents_folder, load_agent, read_agent_info, shipped_agents
from lusogames_env.training.evaluate import evaluate, sides_of

MAX_BYTES = 3_000_000
FLOORS = {  # share of wins against a field of random players, or alone against the cards; measured ones are well above
    "ppo:aljubarrota": 0.02,  # in the solitary battle, which random play never wins
    "ppo:anno_domini": 0.85,
    "ppo:d_afonso_henriques": 0.93,
    "ppo:portao_para_o_mundo": 0.95,
    "ppo:reis_de_portugal": 0.90,
}


def test_every_shipped_agent_has_a_floor() -> None:
    assert shipped_agents() == sorted(FLOORS)


def test_shipped_agents_are_small() -> None:
    for path in agents_folder().glob("**/*"):
        assert not path.is_file() or path.stat().st_size < MAX_BYTES


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_a_shipped_agent_beats_random_play(name: str) -> None:
    info = read_agent_info(name)
    box = get_game(info["game"]).new_box(**info["options"])
    agent = load_agent(name, box.game)
    alone = len(sides_of(box)) == 1
    result = evaluate([agent] if alone else [agent, "random"], box, games=200, seed=77)
    assert result.players[0].wins.mean >= FLOORS[name]
    equals = evaluate(["random"], box, games=200, seed=77).players[0].wins.mean if alone else 1 / len(sides_of(box))
    assert FLOORS[name] > 1.5 * equals
