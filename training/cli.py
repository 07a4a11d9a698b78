"""The command line, installed as ``lusogames``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from threadpoolctl import threadpool_limits

from lusogames_env.engine.errors import LusogamesError

STOPPED = 130  # what a shell reports for a command that Ctrl-C ended
WRONG = 2
MOST_GAMES = 10_000_000
MOST_WATCHED = 100_000  # a report keeps them all in memory
UNWRAPPED = 240

app = typer.Typer(
    help="Tabletop games about the history of Portugal as reinforcement-learning environments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
GameOptions = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="Option of the game as name=value; may be repeated.")
]


@app.command()
def train(
    items: Annotated[list[str] | None, typer.Argument(help="CONFIG, then key=value overrides.", metavar="…")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.", metavar="RUN")] = None,
) -> None:
    """Train an agent, or go on with a run.

    lusogames train CONFIG [key=value …], or lusogames train --resume RUN [total_steps=N]
    """
    given = items or []
    if resume is None and (not given or ("=" in given[0] and not Path(given[0]).is_file())):
        raise LusogamesError("train needs a configuration file, or --resume RUN; see configs/ for examples")
    from rich.console import Console

    from lusogames_env.training.config import load_config
    from lusogames_env.training.progress import TerminalReport

    console = Console()
    config = load_config(given[0], given[1:]) if resume is None else None
    console.print("loading torch …", style="dim")
    from lusogames_env.training import train as training

    with TerminalReport(console) as report:
        if config is not None:
            outcome = training.train(config, Path(given[0]).stem, report)
        else:
            assert resume is not None
            outcome = training.resume(resume, tuple(given), report)
    if not outcome.complete:
        console.print(f"stopped at step {outcome.step:,}; go on with: lusogames train --resume {outcome.run}")
        raise typer.Exit(STOPPED)
    _show_outcome(console, outcome)


def _show_outcome(console: Any, outcome: Any) -> None:
    from rich.table import Table

    table = Table(title=f"after {outcome.step:,} steps; 95 % intervals")
    for heading in ("against", "games", "wins", "utility", "points"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for name, result in outcome.evaluations.items():
        own = result.players[0]
        table.add_row(name, str(result.games), str(own.wins), own.utility.short(2), own.points.short(1))
    console.print(table)
    console.print(f"learning curve: {outcome.run / 'curve.png'}", soft_wrap=True)
    console.print(f"agent: {outcome.run}  (lusogames evaluate {outcome.run})", soft_wrap=True)


@app.command()
def evaluate(
    players: Annotated[
        list[str], typer.Argument(help="Run folders, saved agents, random, heuristic, ppo:<game>.", metavar="PLAYER …")
    ],
    games: Annotated[int, typer.Option(help="At least so many games.", min=2, max=MOST_GAMES)] = 1000,
    game: Annotated[str | None, typer.Option(help="The game; default: that of the first saved agent.")] = None,
    option: GameOptions = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    threads: Annotated[int, typer.Option(min=1)] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result here; - for the screen.")] = None,
) -> None:
    """Let players meet in every seat arrangement.

    One player alone meets random and the rule-based players in turn. Fewer players than seats: the last one takes
    all seats that are left.
    """
    from lusogames_env.training.evaluate import evaluate as run_evaluation
    from lusogames_env.training.evaluate import rich_table, sides_of

    box = _box_for(players, game, option)
    rounds = [players]
    if len(players) == 1 and len(sides_of(box)) > 1:
        rounds = [[players[0], name] for name in ("random", *box.game.bots)]
    results = [run_evaluation(line, box, games, seed, threads) for line in rounds]
    console = wide_console()
    _tell(
        json_file, [result.to_json() for result in results], *(partial(console.print, rich_table(r)) for r in results)
    )


def wide_console() -> Any:
    """Return the console of tables: where there is no terminal, a file or a pipe, lines are not wrapped at 80 signs."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=UNWRAPPED)


def _tell(json_file: Path | None, data: Any, *show: Callable[[], None]) -> None:
    """Show a result, then write it as JSON if that is wanted; with the file "-" the JSON alone is shown."""
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if str(json_file) == "-":
        print(text, end="")
        return
    for line in show:
        line()
    try:
        if json_file is not None:
            json_file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LusogamesError(f"cannot write {json_file}: {error.strerror}") from error


def _box_for(players: list[str], game: str | None, pairs: list[str] | None) -> Any:
    """Return the box that the players meet on: the named game, or what the first saved agent was trained on."""
    from lusogames_env.games import get_game
    from lusogames_env.training.agents import is_agent, read_agent_info
    from lusogames_env.training.yaml_files import parse_options

    options = parse_options(pairs or ())
    if game is not None:
        return get_game(game).new_box(**options)
    for player in players:
        if player.startswith("ppo:") or "/" in player or is_agent(player):
            info = read_agent_info(player)
            if not isinstance(info.get("options"), dict):
                raise LusogamesError(f"{player}: its agent.json does not tell the options it was trained on")
            try:
                return get_game(info["game"]).new_box(**{**info["options"], **options})
            except LusogamesError as error:
                raise LusogamesError(f"{player}, with the options it was trained on: {error}") from error
    raise LusogamesError(f"which game? None of {', '.join(players)} is a saved agent: give --game")


@app.command()
def tournament(
    items: Annotated[
        list[str], typer.Argument(help="CONFIG, then key=value overrides.", metavar="CONFIG [key=value …]")
    ],
) -> None:
    """Let many players meet each other: payoff matrix, ratings, plots.

    The same command on the same output folder goes on where it stopped.
    """
    from rich.console import Console

    from lusogames_env.training.progress import games_bar
    from lusogames_env.training.tournament import load_tournament, rich_table, run_tournament

    config = load_tournament(items[0], items[1:])
    console = Console()
    try:
        with games_bar(console) as progress:
            results = run_tournament(config, Path(items[0]).stem, progress)
    except KeyboardInterrupt:
        console.print("stopped; the same command goes on")
        raise typer.Exit(STOPPED) from None
    wide_console().print(rich_table(results))
    console.print(f"results: {results.folder}", soft_wrap=True)


@app.command()
def reproduce(
    table: Annotated[str, typer.Argument(help="Name or folder of a results table.", metavar="TABLE")],
    quick: Annotated[bool, typer.Option("--quick", help="A part of the games, and the agent of the package.")] = False,
    processes: Annotated[int, typer.Option(help="Processes that share the runs and games.", min=1, max=256)] = 1,
    output: Annotated[
        Path | None, typer.Option(help="Folder of runs and games; default: reproduced/TABLE.", metavar="FOLDER")
    ] = None,
    publish: Annotated[bool, typer.Option("--publish", help="Replace the published table by this one.")] = False,
) -> None:
    """Measure a published table anew, and say row by row whether the intervals agree.

    The same command goes on where it stopped. The exit code is 1 if a row differs.
    """
    from rich.console import Console

    from lusogames_env.training import published, results
    from lusogames_env.training.progress import TableReport

    if publish and quick:
        raise LusogamesError("--quick measures a part of the table: it cannot be published")
    folder, console = results.find_table(table), Console()
    if not publish:
        published.read_published(folder)  # before hours of work for nothing
    output = output or Path("reproduced") / f"{folder.name}{'-quick' if quick else ''}"
    try:
        measured = results.measure(folder, output, TableReport(console), quick, processes)
    except KeyboardInterrupt:
        measured = None
    if measured is None:
        console.print("stopped; the same command goes on")
        raise typer.Exit(STOPPED)
    if publish:
        published.publish(folder, output, measured)
        console.print(f"published: {folder}", soft_wrap=True)
        return
    found = published.compare(folder, measured)
    wide_console().print(published.rich_table(folder.name, found))
    raise typer.Exit(int(any(one.verdict == published.DIFFERS for one in found)))


@app.command()
def report(
    game: Annotated[str, typer.Argument(help="Name of the game; `lusogames games` lists them.", metavar="GAME")],
    option: GameOptions = None,
    games: Annotated[int, typer.Option(help="Games among equals.", min=2, max=MOST_WATCHED)] = 200,
    player: Annotated[str | None, typer.Option(help="Who sits in all seats; default: the rule-based player.")] = None,
    positions: Annotated[int, typer.Option(help="Positions that are dealt anew.", min=1, max=MOST_WATCHED)] = 200,
    ladder: Annotated[int, typer.Option(help="Search budget that the ladder starts from; 0: no ladder.", min=0)] = 25,
    ladder_games: Annotated[int, typer.Option(help="Games per rung of the ladder.", min=2, max=MOST_GAMES)] = 40,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result here; - for the screen.")] = None,
) -> None:
    """Measure a game: branching, length, seats, hidden information, skill.

    In a terminal the report is laid out, elsewhere it is Markdown.
    """
    from rich.console import Console
    from rich.markdown import Markdown

    from lusogames_env.games import get_game
    from lusogames_env.training.report import ReportPlan, to_markdown
    from lusogames_env.training.report import report as measure
    from lusogames_env.training.yaml_files import parse_options

    the_game = get_game(game)
    box = the_game.new_box(**parse_options(option or ()))
    equals = player or (the_game.bots[0] if the_game.bots else "random")
    plan = ReportPlan(games, equals, positions, ladder=ladder, ladder_games=ladder_games, seed=seed)
    found = measure(box, plan)
    text, console = to_markdown(found, box), Console()
    _tell(
        json_file,
        found.to_json(),
        lambda: console.print(Markdown(text)) if console.is_terminal else print(text, end=""),
    )


@app.command()
def games(
    name: Annotated[str | None, typer.Argument(help="Show this game in full.", metavar="[GAME]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the games with options and spaces."""
    from lusogames_env.games import game_names, get_game

    found = [get_game(game) for game in ([name] if name else game_names())]
    if as_json:
        print(json.dumps([_describe(game) for game in found], indent=2, ensure_ascii=False, default=str))
        return
    for game in found:
        _show_game(wide_console(), game)


def _describe(game: Any) -> dict[str, Any]:
    from lusogames_env.training.agents import shipped_agents

    agents = [agent for agent in shipped_agents() if agent.partition(":")[2].partition("/")[0] == game.name]
    return {
        "name": game.name,
        "title": game.title,
        "id": game.id,
        "version": game.version,
        "players": list(game.players),
        "observation": game.observation.size,
        "actions": game.actions.n,
        "bots": list(game.bots),
        "agents": agents,
        "variants": game.variants,
        "options": [
            {"name": o.name, "default": o.default, "expected": o.expected(), "doc": o.doc} for o in game.options
        ],
    }


def _show_game(console: Any, game: Any) -> None:
    from rich.table import Table

    facts = _describe(game)
    table = Table(title=f"{game.title}: {game.name}_v{game.version}, {game.id}", title_justify="left")
    for heading in ("option", "default", "values", "meaning"):
        table.add_column(heading, overflow="fold")
    for option in facts["options"]:
        table.add_row(option["name"], repr(option["default"]), option["expected"], option["doc"])
    console.print(table)
    console.print(f"  players {facts['players']}, observation ({facts['observation']},), actions {facts['actions']}")
    console.print(f"  variants: {', '.join(facts['variants'])}")
    console.print(f"  players to meet: {', '.join(['random', *facts['bots'], *facts['agents']])}\n")


@app.command()
def play(
    game: Annotated[str, typer.Argument(help="Name of the game; `lusogames games` lists them.", metavar="GAME")],
    against: Annotated[
        list[str] | None, typer.Option("--against", "-a", help="Opponent; may be repeated, clockwise from you.")
    ] = None,
    option: GameOptions = None,
    seat: Annotated[int, typer.Option(help="Your seat.", min=0)] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed of the game; default: a fresh one.", min=0)] = None,
) -> None:
    """Play a game in the terminal.

    Opponents can be random, rule-based, saved agents or run folders; the default is the rule-based player.
    """
    from lusogames_env.games import get_game
    from lusogames_env.training.play import Left
    from lusogames_env.training.play import play as play_game
    from lusogames_env.training.yaml_files import parse_options

    the_game = get_game(game)
    opponents = against or [the_game.bots[0] if the_game.bots else "random"]
    try:
        play_game(the_game.new_box(**parse_options(option or ())), list(opponents), seat, seed, input, print)
    except Left:
        print("You have left the table.")


@app.command()
def crossplay(
    players: Annotated[list[str], typer.Argument(help="Players that pair up in one team.", metavar="PLAYER …")],
    games: Annotated[int, typer.Option(help="Games per pair.", min=2, max=MOST_GAMES)] = 400,
    game: Annotated[str | None, typer.Option(help="The game; default: that of the first saved agent.")] = None,
    option: GameOptions = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result here; - for the screen.")] = None,
) -> None:
    """Pair players that never met in one team: the matrix of team win rates."""
    from lusogames_env.training.cooperation import cross_play, cross_play_table

    result = cross_play(players, _box_for(players, game, option), games, seed)
    _tell(json_file, result.to_json(), lambda: wide_console().print(cross_play_table(result)))


@app.command()
def selfishness(
    cooperative: Annotated[str, typer.Argument(help="Player of the cooperative seats.", metavar="COOPERATIVE")],
    selfish: Annotated[str, typer.Argument(help="Player of the selfish seats.", metavar="SELFISH")],
    games: Annotated[int, typer.Option(help="Games per number of selfish seats.", min=2, max=MOST_GAMES)] = 400,
    game: Annotated[str | None, typer.Option(help="The game; default: that of the first saved agent.")] = None,
    option: GameOptions = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result here; - for the screen.")] = None,
) -> None:
    """Show what it costs the team, and brings a seat, when 0, 1, … all seats play for themselves."""
    from lusogames_env.training.cooperation import price_of_selfishness, selfishness_table

    box = _box_for([cooperative, selfish], game, option)
    rows = price_of_selfishness(cooperative, selfish, box, games, seed)
    _tell(json_file, [asdict(row) for row in rows], lambda: wide_console().print(selfishness_table(rows)))


def main() -> None:
    """Run the command line; errors a user can cause end with a message and exit code 2, Ctrl-C with 130."""
    threadpool_limits(1, user_api="blas")  # idle BLAS threads spin: agents would play several times slower
    try:
        app(prog_name="lusogames")
    except LusogamesError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(WRONG)
    except RecursionError:
        print("error: the input is nested without end (a YAML file that refers to itself?)", file=sys.stderr)
        sys.exit(WRONG)
    except KeyboardInterrupt:
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
