"""`python examples/terminal`: start, play, say how to come back."""

import asyncio
import os
import signal
import sys

import aiohttp
from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid

from examples.terminal.client import Client, Refused, Unreachable
from examples.terminal.keys import keyboard
from examples.terminal.memory import NoSuchFile, Seats, keep, recall
from examples.terminal.options import URL, Options, parse
from examples.terminal.play import Play, in_words, sit_down
from examples.terminal.screen import screen
from schemas.lobby import JoinGame


async def take_seats(client: Client, options: Options) -> Seats:
    """Create, join, or look on; seats that were taken are kept in a file."""
    invitation = os.environ.get("SOUTH_SEAS_TOKEN")
    if options.watch is not None:
        return Seats(url=client.url, game=options.watch, seats={}, spectator=invitation)
    if options.join is not None:
        joined = await client.join(options.join, JoinGame(name=options.name), invitation)
        seats = Seats(url=client.url, game=joined.game.id, seats={joined.seat: joined.token}, spectator=invitation)
    else:
        created = await client.create(options.create)
        seats = Seats(
            url=client.url,
            game=created.game.id,
            seats={seat.seat: seat.token for seat in created.seats},
            owner=created.owner_token,
            spectator=created.spectator_token,
        )
    keep(options.folder, seats)
    return seats


async def play_here(play: Play, console: Console) -> None:
    """Show the table and take keys until somebody leaves."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, play.on_key, "end")
    loop.add_signal_handler(signal.SIGWINCH, play.changed.set)
    with Live(console=console, screen=True, auto_refresh=False) as live, keyboard(play.on_key):
        while not play.done:
            live.update(screen(play.table, console.width, console.height), refresh=True)
            await play.changed.wait()
            play.changed.clear()


async def print_waiting(client: Client, console: Console) -> None:
    """The games that somebody could join."""
    grid = Grid("game", "players", "open seats", box=None)
    for game in (await client.waiting()).games:
        names = [player.name for player in game.players if player.name]
        grid.add_row(game.id, ", ".join(names), str(len(game.players) - len(names)))
    console.print(grid)


def farewell(play: Play, options: Options, console: Console) -> None:
    """How it stands, and how to come back."""
    if play.failure is not None:
        console.print(in_words(play.failure.problem), style="bold")
    if play.table.game.status == "finished":
        for score in (
            sorted(play.table.game.result.scores, key=lambda score: -score.total) if play.table.game.result else ()
        ):
            console.print(f"{play.table.name(score.seat)}: {score.total}", highlight=False)
    elif play.table.seats.seats:
        game = play.table.game.id
        path = options.folder / f"{game}.json"
        console.print(f"Come back with: python examples/terminal --resume {game}", soft_wrap=True, highlight=False)
        console.print(
            f"The tokens of your seats are in {path}, which only you can read.", soft_wrap=True, highlight=False
        )


async def run(options: Options, console: Console) -> None:
    """The whole program; raises Refused, Unreachable and NoSuchFile."""
    kept = recall(options.folder, options.resume) if options.resume is not None else None
    async with aiohttp.ClientSession() as http:
        client = Client(http, options.url or (kept.url if kept is not None else URL))
        if options.list:
            await print_waiting(client, console)
            return
        seats = kept or await take_seats(client, options)
        async with sit_down(client, seats) as play:
            await play_here(play, console)
        farewell(play, options, console)


def main() -> int:
    """Run, and tell in one sentence what went wrong."""
    options = parse(sys.argv[1:])
    console = Console()
    if not options.list and not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("This plays in a terminal: its input and output must be one.", file=sys.stderr)
        return 2
    try:
        asyncio.run(run(options, console))
    except Refused as refusal:
        print(in_words(refusal.problem), file=sys.stderr)
    except Unreachable as failure:
        print(f"{failure.url} does not answer: {failure.reason}. `make serve` starts a service.", file=sys.stderr)
    except NoSuchFile as missing:
        print(f"There is no file {missing.path}: these seats were not taken from this machine.", file=sys.stderr)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
