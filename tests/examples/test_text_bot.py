"""The bot for a text chat, against the service."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from examples.chat.bot import ChatBot
from examples.chat.screens import Screen
from examples.text_bot import HELP, TEXT, TextBot
from service.store.game_store import RedisStore
from south_seas import ApiKeyClient, Client
from tests.api_key_fixture import add_api_key
from tests.examples.terminal_player import TIMEOUT_S
from tests.programs import run_program
from tests.tools import ROOT


@pytest.fixture
async def posted() -> "asyncio.Queue[str]":
    """Collect the announcements."""
    return asyncio.Queue()


@pytest.fixture
async def bot(url: str, tmp_path: Path, posted: "asyncio.Queue[str]") -> AsyncIterator[TextBot]:
    """Create the bot."""
    core = ChatBot(url, tmp_path / "bot.sqlite", TEXT)

    async def post(_channel: str, screen: Screen) -> None:
        await posted.put(screen.text)

    await core.open(post)
    yield TextBot(core)
    await core.close()


async def test_two_people_play_a_whole_game_in_a_chat(
    bot: TextBot, posted: "asyncio.Queue[str]", client: Client
) -> None:
    assert await bot.answer("Ana", "hello") == HELP
    assert await bot.answer("Ana", "new open") == "A new game: Ana, an open seat.\n1. Join"
    assert await bot.answer("Bo", "join") == "You have a seat."
    assert await bot.answer("Cy", "join") == "No seat is open."
    assert await bot.answer("Ana", "rematch") == "That game is not over yet."
    replies = []
    [channel_game] = bot.core.storage.running_games()
    reader = client.with_token(channel_game.spectator_token)
    while (turn := (await reader.game(channel_game.game)).turn) is not None:
        name = ("Ana", "Bo")[turn.decider]
        if turn.number == 1:
            assert (await bot.answer(("Bo", "Ana")[turn.decider], "moves")).endswith("\n1. Scores")
        assert "\n1. " in await bot.answer(name, "moves")
        if (reply := await bot.answer(name, "1")).startswith("Which rotation?"):
            reply = await bot.answer(name, "1")
        replies.append(reply)
    assert any(
        re.search(r"\n\d+\. place a .*: The .* is worth .* so far and has \d+ open sides?\.", one) for one in replies
    )
    async with asyncio.timeout(TIMEOUT_S):
        while "Final scores: " not in (last := await posted.get()):
            assert re.search(r"(Ana|Bo), it is your turn\.$", last)
    assert re.search(r"The game is over: .*\b(Ana wins|Bo wins|Ana and Bo share the win)\.", last)
    result = (await reader.game(channel_game.game)).result
    assert result is not None
    scores = [f"{name}: {score.total}" for name, score in zip(("Ana", "Bo"), result.scores, strict=True)]
    assert await bot.answer("Ana", "scores") == "\n".join([*scores, "1. Play again"])
    assert await bot.answer("Cy", "scores") == "\n".join(scores)
    assert await bot.answer("Ana", "undo") == "That game is over."


async def test_a_game_that_has_not_begun(bot: TextBot) -> None:
    await bot.answer("Ana", "new open")
    for command in ("undo", "resign", "back"):
        assert await bot.answer("Ana", command) == "The game has not begun: a seat is open."
    assert await bot.answer("Ana", "scores") == "Ana: 0"


async def test_games_are_created_and_joined_with_the_api_key(url: str, tmp_path: Path, store: RedisStore) -> None:
    secret = await add_api_key(store)
    core = ChatBot(url, tmp_path / "bot.sqlite", TEXT, api_key=secret)
    await core.open(lambda _channel, _screen: asyncio.sleep(0))
    bot = TextBot(core)
    await bot.answer("Ana", "new open")
    assert await bot.answer("Bo", "join") == "You have a seat."
    await core.close()
    async with ApiKeyClient(url, secret) as host:
        (game,) = (await host.games()).games
    assert [player.name for player in game.players] == ["Ana", "Bo"]


async def test_every_other_command(bot: TextBot) -> None:
    assert await bot.answer("Ana", "board") == "There is no game here yet. Start one with new."
    assert await bot.answer("Ana", "new nobody") == "There is no bot of that name."
    assert (await bot.answer("Ana", "new open open open open open")).startswith("A game needs 2 to 5 players")
    await bot.answer("Ana", "new greedy")
    assert await bot.answer("Ana", "99") == "There is no choice 99: type moves first."
    cells = await bot.answer("Ana", "moves")
    assert cells.startswith("Which cell?\n1. (")
    assert "Undo" not in cells
    last = cells.splitlines()[-1].partition(".")[0]
    assert await bot.answer("Ana", "99") == f"There is no choice 99: choose 1 to {last}."
    board = await bot.answer("Ana", "board")
    assert board.count("\n") > 5
    assert re.search(r"^Turn [12]: ", board, re.MULTILINE), "the drawn tile must be seen before its rotation is chosen"
    assert re.fullmatch(r"1\. (Ana, Greedy|Greedy, Ana) \(\w+\): waits for you", await bot.answer("Ana", "mygames"))
    assert (await bot.answer("Ana", "1")).startswith("Which cell?")
    assert "Ana: 0 now" in await bot.answer("Ana", "scores")
    assert await bot.answer("Ana", "") == HELP
    await bot.answer("Ana", "moves")
    chosen = await bot.answer("Ana", "1")
    if chosen.startswith("Which rotation?"):
        chosen = await bot.answer("Ana", "1")
    assert "Ana places" in chosen
    assert (await bot.answer("Ana", "undo")).startswith("Which cell?")
    assert await bot.answer("Ana", "resign") == "Do you really want to resign?\n1. Resign"
    assert await bot.answer("Ana", "1") == "You have resigned."


async def test_a_player_who_joined_can_leave_before_the_start(bot: TextBot) -> None:
    await bot.answer("Ana", "new open open")
    assert await bot.answer("Bo", "join") == "You have a seat.\n1. Leave"
    assert await bot.answer("Bo", "1") == "You have left the game."
    assert await bot.answer("Bo", "leave") == "You have no seat in this game."
    assert (await bot.answer("Ana", "leave")).startswith("You can only leave a game that you joined")
    assert [await bot.answer(name, "join") for name in ("Cy", "Bo")] == [
        "You have a seat.\n1. Leave",
        "You have a seat.",
    ]
    assert (await bot.answer("Bo", "leave")).endswith("To give up, use resign.")


@pytest.mark.parametrize("number", ("99", "0", "-1", "1.5", "+1", "9" * 5000))
async def test_a_number_that_is_no_choice(bot: TextBot, number: str) -> None:
    await bot.answer("Ana", "new open")
    assert await bot.answer("Ana", number) == f"There is no choice {number}: choose 1 to 1."


@pytest.mark.parametrize("number", ("1", "1.", "\uff11", " 1 "))
async def test_numbers_that_people_type(bot: TextBot, number: str) -> None:
    await bot.answer("Ana", "new open")
    assert await bot.answer("Ana", number) == "You already have a seat."


async def test_the_program_reads_standard_input(url: str, tmp_path: Path) -> None:
    command, lines = (sys.executable, "-m", "examples.text_bot", url), b"Ana: new greedy\nAna: moves\n"
    chat = await run_program(*command, given=lines, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    assert chat.returncode == 0, chat.stderr
    assert "A new game: Ana, Greedy." in chat.stdout
    assert "1. (" in chat.stdout
