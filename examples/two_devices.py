"""Two devices of one player, before and after a rematch: `python -m examples.two_devices [URL]`.

Ana plays on a phone and a tablet, which share her seat's token. Bo joined from another app. Whoever asks for a rematch,
all three devices go on in it with the tokens that they have.
"""

import asyncio
import sys

try:
    from examples.command_line import run_on_service
    from south_seas import Client, ConflictError
    from south_seas.models import CreateGame, GameView, JoinGame, SeatRequest
except ModuleNotFoundError as missing:
    sys.exit(f"{missing}. Install the client, then run python -m examples.two_devices: see examples/README.md.")

FOLLOW_TIMEOUT_S = 20.0


class Device:
    """An app with a seat's token, which it never replaces."""

    def __init__(self, name: str, client: Client, token: str, seat: int) -> None:
        self.name = name
        self.client = client.with_token(token)
        self.seat = seat

    async def wait_for_version(self, game: str, version: int) -> GameView:
        """Watch a game up to a version, and return it."""
        async with self.client.subscribe(game, past_end=True) as watched, asyncio.timeout(FOLLOW_TIMEOUT_S):
            while watched.version < version:
                await watched.next_event()
            return watched.view

    async def wait_for_rematch(self, game: str) -> str:
        """Watch a game that is over until it has a rematch, and return that game's id."""
        async with self.client.subscribe(game, past_end=True) as watched, asyncio.timeout(FOLLOW_TIMEOUT_S):
            while watched.view.next_game is None:
                await watched.next_event()
            return watched.view.next_game

    async def play(self, game: str) -> int:
        """Make the first legal move, and return the game's version."""
        move = (await self.client.legal_moves(game)).moves[0]
        return (await self.client.act(game, move)).version

    async def ask_for_rematch(self, game: str) -> str:
        """Create the rematch, or find the one that another device was faster to create; return its id."""
        try:
            return (await self.client.rematch(game)).game.id
        except ConflictError as error:
            if error.problem.next_game is None:
                raise
            return error.problem.next_game


async def play_turns(devices: list[Device], game: str) -> None:
    """Let each device play when it is its player's turn, and the others see it."""
    for device in devices:
        while (await device.client.legal_moves(game)).seat != device.seat:
            other = next(one for one in devices if one.seat != device.seat)
            await other.play(game)
        version = await device.play(game)
        await asyncio.gather(*(one.wait_for_version(game, version) for one in devices))
        print(f"{game}: the move of the {device.name} is on every device.")


async def main(url: str) -> None:
    """Play two rematches: one that Bo asks for, and one that both devices of Ana ask for at once."""
    async with Client(url) as client:
        request = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(open=True)], visibility="private")
        created = await client.create(request)
        game = created.game.id
        joined = await client.with_token(created.spectator_token).join(game, JoinGame(name="Bo"))
        phone, tablet = (Device(name, client, created.seats[0].token, 0) for name in ("phone", "tablet"))
        bo = Device("other player's app", client, joined.token, joined.seat)
        devices = [phone, tablet, bo]
        for askers in ([bo], [phone, tablet]):
            await play_turns(devices, game)
            await bo.client.resign(game)
            followed = [asyncio.create_task(device.wait_for_rematch(game)) for device in devices]
            found = {*await asyncio.gather(*(asker.ask_for_rematch(game) for asker in askers), *followed)}
            if len(found) != 1:
                sys.exit(f"The devices are in different games: {found}")
            game = found.pop()
        await play_turns(devices, game)


if __name__ == "__main__":
    run_on_service(main, __doc__)
