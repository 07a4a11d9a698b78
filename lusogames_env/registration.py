"""Registration of every game in Gymnasium and PettingZoo, by strings: no kernel is imported or compiled."""

from __future__ import annotations

import gymnasium

from lusogames_env.games import game_names, get_game


def register_all() -> None:
    """Register every game; doing it twice is harmless and silent."""
    for name in game_names():
        game = get_game(name)
        _register_gymnasium(game.id, name)
        _register_pettingzoo(f"lusogames/{name}-v{game.version}", f"lusogames_env.{name}_v{game.version}")


def _register_gymnasium(env_id: str, name: str) -> None:
    if env_id not in gymnasium.registry:
        gymnasium.register(
            env_id,
            entry_point="lusogames_env.wrappers.gym_env:SingleAgentEnv",
            vector_entry_point="lusogames_env.wrappers.vector:GameVectorEnv",
            kwargs={"game": name},
        )


def _register_pettingzoo(env_id: str, module: str) -> None:
    """PettingZoo has registries from 1.27 on."""
    try:
        from pettingzoo import env_registry, register
    except ImportError:
        return
    for kind, function, registry in (
        ("aec", "env", env_registry.registration.aec_registry),
        ("parallel", "parallel_env", env_registry.registration.parallel_registry),
    ):
        if env_id not in registry:
            register(kind, env_id, f"{module}:{function}")
