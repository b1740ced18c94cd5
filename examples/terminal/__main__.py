"""The program: `python -m examples.terminal`."""

import asyncio
import os
import signal
import sys

try:
    from rich.console import Console
    from rich.live import Live

    from examples.command_line import describe_error
    from examples.terminal.controller import GameController, describe_problem, open_game
    from examples.terminal.keyboard import read_keys
    from examples.terminal.options import DEFAULT_URL, Options, command_line, parse_options
    from examples.terminal.phrases import count_of
    from examples.terminal.saved_seats import SavedSeats, UnreadableSeats, default_folder, load_seats, save_seats
    from examples.terminal.screen import build_screen
    from south_seas import APIError, Client, ClientError, UnreachableError
    from south_seas.models import JoinGame
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. See examples/README.md, and: pip install rich")


async def take_seats(client: Client, options: Options) -> SavedSeats:
    """Create, join or watch a game; save the tokens of seats in a file."""
    invitation = os.environ.get("SOUTH_SEAS_TOKEN")
    if options.watch is not None:
        return SavedSeats(url=client.url, game=options.watch, seats={}, spectator=invitation)
    if options.join is not None:
        joined = await client.with_token(invitation).join(options.join, JoinGame(name=options.name))
        seats = SavedSeats(url=client.url, game=joined.game.id, seats={joined.seat: joined.token}, spectator=invitation)
    else:
        created = await client.create(options.create)
        seats = SavedSeats(
            url=client.url,
            game=created.game.id,
            seats={seat.seat: seat.token for seat in created.seats},
            owner=created.owner_token,
            spectator=created.spectator_token,
        )
    save_seats(options.folder, seats)
    return seats


async def run_screen(play: GameController, console: Console) -> None:
    """Show the game and read keys until the user leaves."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, play.on_key, "end")
    loop.add_signal_handler(signal.SIGWINCH, play.changed.set)
    with Live(console=console, screen=True, auto_refresh=False) as live, read_keys(play.on_key):
        while not play.is_finished:
            live.update(build_screen(play.state, console.width, console.height), refresh=True)
            await play.changed.wait()
            play.changed.clear()


async def print_waiting(client: Client) -> None:
    """Print the games with open seats."""
    games = (await client.games("waiting")).games
    for game in games:
        names = [player.name for player in game.players if player.name]
        print(f"{game.id}  {count_of(len(game.players) - len(names), 'open seat', 'open seats')}  {', '.join(names)}")
    if not games:
        print("No game waits for players.")


def print_summary(play: GameController, options: Options) -> None:
    """Print the result, or how to resume."""
    state = play.state
    if play.failure is not None:
        print(describe_problem(play.failure.problem))
    if state.game.result is not None:
        for score in sorted(state.game.result.scores, key=lambda score: -score.total):
            print(f"{state.name(score.seat)}: {score.total}")
    elif state.seats.seats:
        path = options.folder / f"{state.game.id}.json"
        tokens = [] if options.folder == default_folder() else ["--tokens", str(options.folder)]
        print(f"Resume with: {command_line('--resume', state.game.id, *tokens)}")
        print(f"The tokens of your seats are in {path}, which only you can read.")


async def run(options: Options, console: Console) -> None:
    """Run the program. Raises ClientError, UnreadableSeats and OSError."""
    saved = load_seats(options.folder, options.resume) if options.resume is not None else None
    async with Client(options.url or (saved.url if saved is not None else DEFAULT_URL)) as client:
        if options.list:
            await print_waiting(client)
            return
        seats = saved or await take_seats(client, options)
        async with open_game(client, seats) as play:
            await run_screen(play, console)
        print_summary(play, options)


def main() -> int:
    """Run the program; print errors as one sentence."""
    options = parse_options(sys.argv[1:])
    console = Console()
    if not options.list and not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("Input and output must be a terminal.", file=sys.stderr)
        return 2
    try:
        asyncio.run(run(options, console))
    except APIError as refusal:
        print(describe_problem(refusal.problem), file=sys.stderr)
    except UnreachableError as failure:
        print(describe_error(failure, failure.url), file=sys.stderr)
    except (ClientError, UnreadableSeats, OSError) as failure:
        print(failure, file=sys.stderr)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
