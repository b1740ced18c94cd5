"""`python examples/terminal`: start, play, say how to come back."""

import asyncio
import os
import signal
import sys

from rich.console import Console
from rich.live import Live

from examples.terminal.controller import Play, in_words, sit_down
from examples.terminal.keyboard import keyboard
from examples.terminal.options import URL, Options, command, parse
from examples.terminal.phrases import counted
from examples.terminal.saved_seats import NoSuchFile, Seats, default_folder, keep, recall
from examples.terminal.screen import screen
from schemas.lobby import JoinGame
from service.client import APIError, Client, ClientError, UnreachableError


async def take_seats(client: Client, options: Options) -> Seats:
    """Create, join, or look on; seats that were taken are kept in a file."""
    invitation = os.environ.get("SOUTH_SEAS_TOKEN")
    if options.watch is not None:
        return Seats(url=client.url, game=options.watch, seats={}, spectator=invitation)
    if options.join is not None:
        joined = await client.with_token(invitation).join(options.join, JoinGame(name=options.name))
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


async def print_waiting(client: Client) -> None:
    """The games that somebody could join."""
    games = (await client.games("waiting")).games
    for game in games:
        names = [player.name for player in game.players if player.name]
        print(f"{game.id}  {counted(len(game.players) - len(names), 'open seat', 'open seats')}  {', '.join(names)}")
    if not games:
        print("No game waits for players.")


def farewell(play: Play, options: Options) -> None:
    """How it stands, and how to come back."""
    table = play.table
    if play.failure is not None:
        print(in_words(play.failure.problem))
    if table.game.result is not None:
        for score in sorted(table.game.result.scores, key=lambda score: -score.total):
            print(f"{table.name(score.seat)}: {score.total}")
    elif table.seats.seats:
        path = options.folder / f"{table.game.id}.json"
        tokens = [] if options.folder == default_folder() else ["--tokens", str(options.folder)]
        print(f"Come back with: {command('--resume', table.game.id, *tokens)}")
        print(f"The tokens of your seats are in {path}, which only you can read.")


async def run(options: Options, console: Console) -> None:
    """The whole program; raises Refused, Unreachable and NoSuchFile."""
    kept = recall(options.folder, options.resume) if options.resume is not None else None
    async with Client(options.url or (kept.url if kept is not None else URL)) as client:
        if options.list:
            await print_waiting(client)
            return
        seats = kept or await take_seats(client, options)
        async with sit_down(client, seats) as play:
            await play_here(play, console)
        farewell(play, options)


def main() -> int:
    """Run, and tell in one sentence what went wrong."""
    options = parse(sys.argv[1:])
    console = Console()
    if not options.list and not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("This plays in a terminal: its input and output must be one.", file=sys.stderr)
        return 2
    try:
        asyncio.run(run(options, console))
    except APIError as refusal:
        print(in_words(refusal.problem), file=sys.stderr)
    except UnreachableError as failure:
        print(f"{failure}. `make serve` starts a service.", file=sys.stderr)
    except ClientError as failure:
        print(failure, file=sys.stderr)
    except NoSuchFile as missing:
        print(f"There is no file {missing.path}: these seats were not taken from this machine.", file=sys.stderr)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
