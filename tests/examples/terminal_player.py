"""A player at the keyboard of a terminal, and the screen."""

import asyncio
import io
import random
from collections.abc import Callable

from rich.console import Console

from examples.terminal.controller import GameController
from examples.terminal.saved_seats import SavedSeats
from examples.terminal.screen import build_screen
from south_seas import Client
from south_seas.models import CreateGame, SeatRequest

TIMEOUT_S = 10.0


async def new_game(client: Client, *players: SeatRequest, seed: str = "examples") -> SavedSeats:
    created = await client.create(CreateGame(players=[*players], seed=seed, first_seat=0))
    seats = {seat.seat: seat.token for seat in created.seats}
    return SavedSeats(url=client.url, game=created.game.id, seats=seats, spectator=created.spectator_token)


def press(play: GameController, *keys: str) -> None:
    for key in keys:
        play.on_key(key)


async def until(play: GameController, condition: Callable[[], bool]) -> None:
    """Wait until something holds of a terminal."""
    async with asyncio.timeout(TIMEOUT_S):
        while not condition():
            await play.changed.wait()
            play.changed.clear()


async def caught_up(play: GameController, other: GameController) -> None:
    """Wait until one terminal is where another one is."""
    digest = other.state.digest
    await until(play, lambda: play.state.digest == digest)


async def ready(play: GameController) -> bool:
    """Wait until somebody here can choose; False when the game is over."""
    await until(
        play, lambda: play.state.game.turn is None or (play.state.menu is not None and not play.state.is_sending)
    )
    return play.state.game.turn is not None


async def choose(play: GameController, chance: random.Random) -> None:
    """Type the key of some move, and Enter."""
    assert play.state.menu is not None
    press(play, *chance.choice(play.state.menu.choices).key, "enter")
    await play.wait_for_tasks()
    assert not play.state.note


def seen(play: GameController, width: int = 80, height: int = 24) -> str:
    """Return the text of the screen."""
    console = Console(width=width, height=height, file=io.StringIO(), color_system=None)
    lines = console.render_lines(
        build_screen(play.state, width, height), console.options.update(width=width, height=height)
    )
    assert len(lines) == height
    return "\n".join("".join(segment.text for segment in line) for line in lines)
