"""Views for cooperative learning: one reward per team, a team map, and the joint state for centralised critics.

One policy that commands a whole team needs no view of its own: ``SingleAgentEnv(game, seat="all")`` (or ``"team"``)
decides for every seat in turn, and each decision sees only what that seat sees.
"""

from __future__ import annotations

from typing import Any

from lusogames_env.engine.aec import GameAECEnv
from lusogames_env.engine.parallel import GameParallelEnv
from lusogames_env.games import get_game


def team_map(agents: list[str], teams: tuple[int, ...]) -> dict[str, list[str]]:
    """Return ``{"team_0": [agents], …}``."""
    found: dict[str, list[str]] = {}
    for agent, team in zip(agents, teams, strict=True):
        found.setdefault(f"team_{team}", []).append(agent)
    return found


def share(rewards: dict[str, float], teams: dict[str, list[str]]) -> dict[str, float]:
    """Return rewards in which every agent has the mean of its team."""
    return {agent: sum(rewards[mate] for mate in team) / len(team) for team in teams.values() for agent in team}


class CooperativeAECEnv(GameAECEnv):
    """The AEC environment with one reward per team: the mean of its members' utilities.

    ``teams`` maps each team to its agents (what MAPPO-like trainers call the group map). ``state()`` is the joint
    observation of all seats, float32 (agents * size,), for centralised critics. After an illegal action every member of
    the offender's team gets its share of the loss, and the others nothing.
    """

    def __init__(self, game: str, **options: Any) -> None:
        """Prepare the environment; options as in `GameAECEnv`."""
        super().__init__(get_game(game), **options)
        self.teams = team_map(self.possible_agents, self.table.box.game.teams(self.table.box.options))

    def _finish(self) -> None:
        super()._finish()
        own, shared = self.rewards, share(self.rewards, self.teams)
        for agent in self.agents:
            self._cumulative_rewards[agent] += shared[agent] - own[agent]
        self.rewards = shared


class CooperativeParallelEnv(GameParallelEnv):
    """The turn-based parallel environment with one reward per team, as `CooperativeAECEnv`."""

    def __init__(self, game: str, **options: Any) -> None:
        """Prepare the environment; options as in `GameAECEnv`."""
        super().__init__(get_game(game), **options)
        self.teams = team_map(self.possible_agents, self.table.box.game.teams(self.table.box.options))

    def step(self, actions: dict[str, int]) -> Any:
        """Take the action of the agent on turn, as `GameParallelEnv.step`, with rewards shared in each team."""
        observations, rewards, terminations, truncations, infos = super().step(actions)
        if rewards:
            rewards = share(rewards, self.teams)
        return observations, rewards, terminations, truncations, infos
