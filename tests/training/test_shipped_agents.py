"""The agents that come with the package: each loads by name, fits its size, and wins more than random play would."""

from __future__ import annotations

import pytest

from lusogames_env.games import get_game
from lusogames_env.training.agents import agents_folder, load_agent, read_agent_info, shipped_agents
from lusogames_env.training.evaluate import evaluate, sides_of

MAX_BYTES = 3_000_000
FLOORS = {  # opponents (none: copies of itself against the cards) and share of wins; measured ones are well above
    "ppo:aljubarrota": (["heuristic"], 0.15),  # beside random players the battle is always lost
    "ppo:aljubarrota/cooperative": ([], 0.5),
    "ppo:aljubarrota/solitary": ([], 0.6),
    "ppo:anno_domini": (["random"], 0.95),
    "ppo:d_afonso_henriques": (["random"], 0.93),
    "ppo:portao_para_o_mundo": (["random"], 0.95),
    "ppo:reis_de_portugal": (["random"], 0.90),
}


def test_every_shipped_agent_has_a_floor() -> None:
    assert shipped_agents() == sorted(FLOORS)


def test_shipped_agents_are_small() -> None:
    for path in agents_folder().glob("**/*"):
        assert not path.is_file() or path.stat().st_size < MAX_BYTES


@pytest.mark.parametrize("name", sorted(FLOORS))
def test_a_shipped_agent_does_better_than_random_play(name: str) -> None:
    info = read_agent_info(name)
    box = get_game(info["game"]).new_box(**info["options"])
    opponents, floor = FLOORS[name]
    assert (len(sides_of(box)) == 1) == (not opponents)
    agent, random = (evaluate([player, *opponents], box, games=200, seed=77) for player in (load_agent(name), "random"))
    assert agent.players[0].wins.mean >= floor > 1.5 * random.players[0].wins.mean
