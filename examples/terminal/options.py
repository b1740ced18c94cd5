"""The command line."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec

from examples.command_line import DEFAULT_URL, service_url
from examples.terminal.saved_seats import default_folder
from south_seas.models import CreateGame, Edition, SeatRequest

__all__ = ["DEFAULT_URL", "Options", "command_line", "parse_options"]

EXAMPLES = """\
examples:
  %(prog)s --players Ana Bo --bots greedy      two people at this terminal, and a bot
  %(prog)s --players Ana --open 1              one here, one at another terminal with:
  %(prog)s --join GAME --name Bo
  %(prog)s --watch GAME                        watch a game
  %(prog)s --resume GAME                       resume a game
  %(prog)s --list                              list games with open seats

To join or watch a private game, set SOUTH_SEAS_TOKEN to its spectator token.
"""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed command line."""

    url: str | None
    """None means the default, or the URL of a resumed game."""
    folder: Path
    join: str | None
    watch: str | None
    resume: str | None
    list: bool
    name: str
    create: CreateGame
    """The new game, unless another mode is chosen."""


def command_line(*arguments: str) -> str:
    """Return a command line of this program, for the current folder."""
    return " ".join([os.path.relpath(sys.executable), "-m", "examples.terminal", *arguments])


def game_id(text: str) -> str:
    """Return the id of a game. Raises ArgumentTypeError."""
    if re.fullmatch("[a-z0-9-]{1,32}", text) is None:
        raise argparse.ArgumentTypeError(f"{text}: a game's id has letters a to z, digits and hyphens only")
    return text


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the command line; exit with a message if it is invalid."""
    parser = _parser()
    given = parser.parse_args(arguments)
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
    if not 2 <= len(create.players) <= 5:
        parser.error("a game has 2 to 5 players, including bots and open seats (rule R1.1)")
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
        prog=command_line(),
        description="Play Carcassonne: South Seas in the terminal, on a running service.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--url", type=service_url, metavar="URL", help=f"the URL of the service (default {DEFAULT_URL})"
    )
    parser.add_argument(
        "--tokens", type=Path, default=default_folder(), metavar="DIR", help="the folder of saved seats"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--join", type=game_id, metavar="GAME", help="take the next open seat of a game")
    mode.add_argument("--watch", type=game_id, metavar="GAME", help="watch a game")
    mode.add_argument("--resume", type=game_id, metavar="GAME", help="resume seats saved on this machine")
    mode.add_argument("--list", action="store_true", help="list games with open seats")
    parser.add_argument("--name", default="Guest", help="your name when joining (default %(default)s)")
    new = parser.add_argument_group("a new game")
    new.add_argument(
        "--players", nargs="*", default=["Ana", "Bo"], metavar="NAME", help="players at this terminal (default Ana Bo)"
    )
    new.add_argument("--bots", nargs="*", default=[], metavar="BOT", help="bots: random, greedy or expert")
    new.add_argument("--open", type=int, default=0, metavar="N", help="open seats for other terminals")
    new.add_argument("--edition", choices=get_args(Edition), help="the edition of the rules (default international)")
    new.add_argument("--tileset", metavar="ID", help="the tile set (default lagoon)")
    new.add_argument("--seed", help="the seed of the shuffle")
    new.add_argument("--private", action="store_true", help="require a token to watch")
    return parser
