"""The command line."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec

from examples.terminal.saved_seats import default_folder
from schemas.lobby import CreateGame, SeatRequest
from schemas.vocabulary import Edition

URL = "http://127.0.0.1:8080"

EXAMPLES = """\
examples:
  %(prog)s --players Ana Bo --bots greedy      two people at this terminal, and a bot
  %(prog)s --players Ana --open 1              one here, one at another terminal, who types:
  %(prog)s --join GAME --name Bo
  %(prog)s --watch GAME                        look on
  %(prog)s --resume GAME                       come back
  %(prog)s --list                              games that wait for players

For a private game, whoever joins or watches sets SOUTH_SEAS_TOKEN to its spectator token.
"""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    url: str | None
    """None is the default, or where a game that is resumed was."""
    folder: Path
    join: str | None
    watch: str | None
    resume: str | None
    list: bool
    name: str
    create: CreateGame
    """The new game, where nothing else is asked for."""


def command(*arguments: str) -> str:
    """A command line that starts this program again, from the folder that it was started in."""
    return " ".join([os.path.relpath(sys.executable), os.path.relpath(sys.argv[0]), *arguments])


def parse(arguments: Sequence[str]) -> Options:
    """The options of a command line; a wrong one ends the program with a sentence."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        create = CreateGame(
            players=[
                *(SeatRequest(name=name) for name in given.players),
                *(SeatRequest(bot=bot) for bot in given.bots),
                *(SeatRequest(open=True) for _ in range(given.open)),
            ],
            edition=given.edition,
            tileset=given.tileset,
            seed=given.seed,
            visibility="private" if given.private else None,
        )
    except ValueError as error:
        parser.error(str(error))
    if not 2 <= len(create.players) <= 5:
        parser.error("a game has 2 to 5 players, bots and open seats among them (rule R1.1)")
    return Options(
        url=given.url,
        folder=given.tokens,
        join=given.join,
        watch=given.watch,
        resume=given.resume,
        list=given.list,
        name=given.name,
        create=create,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=command(),
        description="Play Carcassonne: South Seas in the terminal, on a running service.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--url", metavar="URL", help=f"where the service runs (default {URL})")
    parser.add_argument("--tokens", type=Path, default=default_folder(), metavar="DIR", help="where seats are kept")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--join", metavar="GAME", help="take the next open seat of a game")
    way.add_argument("--watch", metavar="GAME", help="look on")
    way.add_argument("--resume", metavar="GAME", help="come back to seats taken from this machine")
    way.add_argument("--list", action="store_true", help="print the games that wait for players")
    parser.add_argument("--name", default="Guest", help="who joins (default %(default)s)")
    new = parser.add_argument_group("a new game")
    new.add_argument("--players", nargs="*", default=["Ana", "Bo"], metavar="NAME", help="people here (default Ana Bo)")
    new.add_argument("--bots", nargs="*", default=[], metavar="BOT", help="bots, as random, greedy, expert")
    new.add_argument("--open", type=int, default=0, metavar="N", help="seats for people at other terminals")
    new.add_argument("--edition", choices=get_args(Edition), help="which rules (default international)")
    new.add_argument("--tileset", metavar="ID", help="which tiles (default archipelago)")
    new.add_argument("--seed", help="the seed of the shuffle, for the same tiles again")
    new.add_argument("--private", action="store_true", help="only those with a token may look on")
    return parser
