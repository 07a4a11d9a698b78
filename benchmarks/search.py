"""Simulations per second of the searching players, beside OpenSpiel's, and a match between the two.

    python -m benchmarks.search [--games NAME …] [--rounds N] [--match N] [--json FILE]

Every search decides at the first decision of a game with a choice, with uniformly random playouts to the end. As games
differ in length, the decisions inside simulations count as well: simulations times the mean decisions of random games
from there to their end, forced ones included and chance left out. OpenSpiel's searches are its compiled ones; its MCTS
sees all hidden cards and deals nothing anew. The match, on one game of ours, is against its ISMCTS in Python.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.measure import Case, Run, measure, save
from benchmarks.peers import installed, pick
from benchmarks.report import OUR_SEARCH, search_page
from benchmarks.spiel import match
from lusogames_env.engine.game import Game
from lusogames_env.engine.search import SearchPlayer, Settings
from lusogames_env.engine.state import GameState
from lusogames_env.games import game_names, get_game

SIMULATIONS = 500  # per search
STARTS = 5  # deals searched in turn
RANDOM_GAMES = 100  # whose decisions are counted
EXPLORE = Settings().explore
MATCH = "d_afonso_henriques"  # played by two: short games, for a search in Python
MATCH_ITERATIONS = 50
ISMCTS_GAMES = ("hearts", "oh_hell", "euchre", "gin_rummy")  # its card games that it can deal anew
MCTS_GAMES = (*ISMCTS_GAMES, "spades")


def searched(search: Callable[[int], object]) -> Run:
    """Search the starts in turn; an item is one simulation."""

    def run(n: int) -> int:
        done = 0
        while done < n:
            search(done // SIMULATIONS % STARTS)
            done += SIMULATIONS
        return done

    return run


# ---- ours ----


def first_choice(game: Game, seed: int) -> GameState:
    """Return a game at its first decision with a choice."""
    state = GameState.new(game, seed)
    while len(legal := state.legal_actions()) == 1:
        state.apply(legal[0])
    return state


def our_run(game: Game) -> Run:
    """Search a game of ours."""
    player = SearchPlayer(game, Settings(iterations=SIMULATIONS), seed=1)
    starts = [first_choice(game, seed) for seed in range(STARTS)]
    return searched(lambda i: player.search(starts[i]))


def our_plies(game: Game) -> float:
    """Return the mean decisions of random games from the first choice on."""
    return fmean(_random_plies(first_choice(game, seed)) for seed in range(RANDOM_GAMES))


def _random_plies(state: GameState) -> int:
    first = state.ply
    while not state.over:
        state.apply(pick(state.mask))
    return state.ply - first


# ---- OpenSpiel's ----


def spiel_first_choice(name: str) -> Any:
    """Return a game of OpenSpiel at its first decision with a choice."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) == 1:
        _spiel_random_step(state)
    return state


def _spiel_random_step(state: Any) -> int:
    """Take a random action, or let chance act; return the number of decisions."""
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(random.choices(outcomes, chances)[0])
        return 0
    state.apply_action(random.choice(state.legal_actions()))
    return 1


def spiel_plies(name: str) -> float:
    """Return the mean decisions of random games of OpenSpiel from the first choice on, chance left out."""
    return fmean(_spiel_random_plies(spiel_first_choice(name)) for _ in range(RANDOM_GAMES))


def _spiel_random_plies(state: Any) -> int:
    plies = 0
    while not state.is_terminal():
        plies += _spiel_random_step(state)
    return plies


def spiel_run(name: str, make_bot: Callable[[Any, Any], Any]) -> Run:
    """Search a game of OpenSpiel."""
    import pyspiel

    bot = make_bot(pyspiel.load_game(name), pyspiel.RandomRolloutEvaluator(1, 1))
    starts = [spiel_first_choice(name) for _ in range(STARTS)]
    return searched(lambda i: bot.step(starts[i]))


def ismcts_bot(game: Any, evaluator: Any) -> Any:
    """Return OpenSpiel's compiled ISMCTS with a fresh deal for every simulation, as ours has."""
    import pyspiel

    unlimited, most_visited = -1, pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    return pyspiel.ISMCTSBot(1, evaluator, EXPLORE, SIMULATIONS, unlimited, most_visited)


def mcts_bot(game: Any, evaluator: Any) -> Any:
    """Return OpenSpiel's compiled MCTS, which sees all hidden cards."""
    import pyspiel

    return pyspiel.MCTSBot(
        game, evaluator, EXPLORE, SIMULATIONS, max_memory_mb=1000, solve=False, seed=1, verbose=False
    )


# ---- all of it ----


def game_rows(games: list[Game], peers: bool) -> dict[str, dict[str, float]]:
    """Return players and mean decisions of a simulation by game, those of OpenSpiel by ``OpenSpiel NAME``."""
    rows = {game.name: {"players": first_choice(game, 0).box.num_players, "plies": our_plies(game)} for game in games}
    if peers:
        for name in MCTS_GAMES:
            players = spiel_first_choice(name).num_players()
            rows[f"OpenSpiel {name}"] = {"players": players, "plies": spiel_plies(name)}
    return rows


def search_cases(games: list[Game], peers: bool) -> list[Case]:
    """Return the cases of our games, and of OpenSpiel's."""
    cases = [Case(game.name, OUR_SEARCH, partial(our_run, game)) for game in games]
    if peers:
        pairs = (("ISMCTS", ismcts_bot, ISMCTS_GAMES), ("MCTS, all cards open", mcts_bot, MCTS_GAMES))
        cases += [
            Case(f"OpenSpiel {name}", search, partial(spiel_run, name, make_bot))
            for search, make_bot, names in pairs
            for name in names
        ]
    return cases


def main(arguments: list[str] | None = None) -> None:
    """Measure, print Markdown and save JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=list(game_names()), help="games to measure (default: all)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds over all cases (default 7)")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a slice (default 0.5)")
    parser.add_argument("--match", type=int, default=100, help="games of the match, an even number (default 100)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    args = parser.parse_args(arguments)
    if args.match % 2:
        parser.error(f"--match {args.match}: expected an even number, every deal is played from both seats")
    peers = installed("pyspiel")
    games = [get_game(name) for name in args.games]
    results = measure(search_cases(games, peers), args.rounds, args.seconds)
    content: dict[str, Any] = {
        "simulations": SIMULATIONS,
        "games": game_rows(games, peers),
        "results": [result.to_json() for result in results],
    }
    if peers and args.match:
        content["match"] = match(
            get_game(MATCH).new_box(num_players=2),
            args.match,
            Settings(iterations=MATCH_ITERATIONS, explore=EXPLORE),
        )
    if args.json:
        save(args.json, content)
    print(search_page(content))


if __name__ == "__main__":
    main()
