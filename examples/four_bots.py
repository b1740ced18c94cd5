"""Four simple bots play a game that a subscription watches: `python -m examples.four_bots [URL]`."""

import asyncio
import random
import sys

try:
    from examples.command_line import run_on_service
    from south_seas import Client
    from south_seas.models import (
        Created,
        CreateGame,
        Deliver,
        GameView,
        Move,
        Pass,
        PlaceIslander,
        PlaceTile,
        RetrieveIslander,
        SeatRequest,
        TakeShip,
    )
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. Install the client, then run python -m examples.four_bots: see examples/README.md.")

NAMES = ("Ana", "Bo", "Cy", "Di")
PREFERENCE = (Deliver, TakeShip, PlaceIslander, PlaceTile, RetrieveIslander, Pass)


def choose(moves: list[Move], game: GameView) -> Move:
    """Choose at random among the moves of the most preferred type."""
    del game  # a better bot would use it
    ranks = [PREFERENCE.index(type(move.action)) for move in moves]
    return random.choice([move for move, rank in zip(moves, ranks, strict=True) if rank == min(ranks)])


async def watch_versions(client: Client, created: Created) -> list[int]:
    """Return every version after the creation, as the subscription delivers them."""
    async with client.subscribe(created.game.id, start=created) as game:
        return [diff.version async for diff in game]


async def main(url: str) -> None:
    """Create a game, play and watch it at the same time, and compare the versions."""
    async with Client(url) as client:
        created = await client.create(CreateGame(players=[SeatRequest(name=name) for name in NAMES]))
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(watch_versions(client, created))
            for seat in created.seats:
                bot = client.with_token(seat.token)
                tasks.create_task(bot.play(created.game.id, seat.seat, choose, start=created))
        versions, game = watching.result(), await client.game(created.game.id)
        if versions != [*range(created.game.version + 1, game.version + 1)] or game.result is None:
            sys.exit(f"The subscription did not deliver every version up to {game.version} once and in order.")
        print(f"Game {game.id}: {len(versions)} changes, each seen once and in order ({game.result.reason}).")
        for score in sorted(game.result.scores, key=lambda score: -score.total):
            won = "  won" if score.seat in game.result.winners else ""
            print(f"{NAMES[score.seat]:>4} {score.total:>3} = {score.ships} + {score.wares}{won}")


if __name__ == "__main__":
    run_on_service(main, __doc__)
