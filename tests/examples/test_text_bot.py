"""The bot for a text chat, against the service."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from typing import Unpack

import msgspec
import pytest

from examples.text_bot import HELP, TextBot
from south_seas import Client
from south_seas.client import PostOptions
from south_seas.models import Created, CreateGame
from tests.examples.terminal_player import TIMEOUT_S
from tests.tools import ROOT


class SeededClient(Client):
    """A client whose games are the same in every run."""

    async def create(self, request: CreateGame, **options: Unpack[PostOptions]) -> Created:
        """Create a game with a seed."""
        return await super().create(msgspec.structs.replace(request, seed="tides", first_seat=0), **options)


@pytest.fixture
async def client(url: str) -> AsyncIterator[Client]:
    """Create a client of the service."""
    async with SeededClient(url) as connected:
        yield connected


async def test_two_people_play_a_whole_game_in_a_chat(client: Client) -> None:
    bot = TextBot(client)
    assert await bot.answer("Ana", "hello") == HELP
    started_at = await bot.answer("Ana", "new open")
    [game] = re.findall(r"Game ([a-z0-9-]+)\.", started_at)
    await bot.answer("Bo", f"join {game}")
    assert "every seat is taken" in await bot.answer("Cy", f"join {game}")
    output = ""
    for _ in range(300):
        view = await client.game(game)
        if view.turn is None:
            break
        name = view.players[view.turn.decider].name or ""
        assert "1. " in await bot.answer(name, "moves")
        output = await bot.answer(name, "1")
    assert "won" in output or "win" in output, output
    assert await bot.answer("Ana", "moves") == "Nothing."
    assert await bot.answer("Ana", "1") == HELP


async def test_every_other_command(client: Client) -> None:
    bot = TextBot(client)
    assert "That does not work" in await bot.answer("Ana", "new")
    await bot.answer("Ana", "new greedy")
    assert "1. place" in await bot.answer("Ana", "moves")
    chosen = [line for line in (await bot.answer("Ana", "moves (0")).splitlines() if ". place" in line]
    assert chosen
    assert all("(0, " in line for line in chosen)
    assert (await bot.answer("Ana", "board")).count("\n") > 5
    assert "Ana: 0" in await bot.answer("Ana", "scores")
    assert await bot.answer("Ana", "99") == HELP
    assert "1. place" in await bot.answer("Ana", "moves")  # The words above may be in no move.
    assert "Ana" in await bot.answer("Ana", "1")
    assert "Ana" in await bot.answer("Ana", "undo")
    assert await bot.answer("Ana", "story")
    assert "Ana" in await bot.answer("Ana", "resign")


async def test_the_program_reads_standard_input(url: str) -> None:
    chat = await asyncio.create_subprocess_exec(
        *(sys.executable, "examples/text_bot.py", url.rstrip("/")),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await asyncio.wait_for(chat.communicate(b"Ana: new greedy\nAna: moves\n"), 3 * TIMEOUT_S)
    assert chat.returncode == 0
    assert output.startswith(b"Game ")
    assert b"1. " in output


def test_it_is_short() -> None:
    assert len((ROOT / "examples/text_bot.py").read_text().splitlines()) <= 100
