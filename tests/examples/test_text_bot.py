"""The bot for a text chat, against the service.

Whole games through the controller, on the real service.
"""

import asyncio
import random
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from examples.chat.bot import ChatBot
from examples.chat.screens import Screen
from examples.terminal.controller import open_game
from examples.terminal.game_state import Page
from examples.terminal.saved_seats import SavedSeats
from examples.text_bot import HELP, TEXT, TextBot
from service.store.game_store import RedisStore
from south_seas import APIError, ApiKeyClient, Backoff, Client, UnreachableError
from south_seas.models import CreateGame, JoinGame, SeatRequest
from south_seas.websocket import Ended
from tests.api_key_fixture import add_api_key
from tests.examples.test_terminal_screens import caught_up, choose, new_game, press, ready, seen, until
from tests.polling import TIMEOUT_S
from tests.tools import ROOT, run_program


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
    assert cells.startswith("Which move?\n1. (")
    assert "Undo" not in cells
    last = cells.splitlines()[-1].partition(".")[0]
    assert await bot.answer("Ana", "99") == f"There is no choice 99: choose 1 to {last}."
    board = await bot.answer("Ana", "board")
    assert board.count("\n") > 5
    assert re.search(r"^Turn [12]: ", board, re.MULTILINE), "the drawn tile must be seen before its rotation is chosen"
    assert re.fullmatch(r"1\. (Ana, Greedy|Greedy, Ana) \(\w+\): waits for you", await bot.answer("Ana", "mygames"))
    assert (await bot.answer("Ana", "1")).startswith("Which move?")
    assert "Ana: 0 now" in await bot.answer("Ana", "scores")
    assert await bot.answer("Ana", "") == HELP
    await bot.answer("Ana", "moves")
    assert "Ana places" in await bot.answer("Ana", "1")
    assert (await bot.answer("Ana", "undo")).startswith("Which move?")
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


ANA, BO, GREEDY = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(bot="greedy")


async def test_two_players_and_a_bot_play_a_whole_game_at_one_terminal(client: Client) -> None:
    chance = random.Random(1)
    async with open_game(client, await new_game(client, ANA, BO, GREEDY)) as play:
        turns, questions = set(), set()
        while (await ready(play)) and (turn := play.state.game.turn) is not None:
            turns.add(turn.decider)
            if turn.phase == "islander":  # R4.4: this edition retrieves with none left only
                question = f"{'place' if play.state.game.players[turn.decider].supply else 'retrieve'} an islander?"
                assert f"  {question}" in seen(play)
                questions.add(question)
            seen(play, *chance.choice([(80, 24), (160, 50), (30, 8)]))
            await choose(play, chance)
        assert turns == {0, 1}
        assert questions == {"place an islander?", "retrieve an islander?"}
        assert play.state.page is Page.RESULT
        assert "Greedy wins!" in seen(play)
        await play.wait_for_tasks()
        assert "The game is over" in play.state.story_lines[-1]
        assert play.state.story_version == play.state.game.version


async def test_two_terminals_and_a_watcher_show_the_same_game(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["examples/terminal"])
    chance = random.Random(2)
    anas = await new_game(client, ANA, SeatRequest(open=True))
    async with open_game(client, anas) as ana:
        assert f"--join {anas.game}" in seen(ana)
        joined = await client.join(anas.game, JoinGame(name="Bo"))
        bos = SavedSeats(url=client.url, game=anas.game, seats={joined.seat: joined.token})
        async with (
            open_game(client, bos) as bo,
            open_game(client, SavedSeats(url=client.url, game=anas.game, seats={})) as watcher,
        ):
            await until(ana, lambda: ana.state.game.turn is not None)
            for _ in range(30):
                active = ana if ana.state.token is not None else bo
                await ready(active)
                await choose(active, chance)
                for play in (ana, bo, watcher):
                    await caught_up(play, active)
            await ready(ana if ana.state.token is not None else bo)
            assert ana.state.game == bo.state.game == watcher.state.game
            assert watcher.state.menu is None
            assert "turn." in seen(watcher)


async def test_it_reconnects_and_misses_nothing(client: Client) -> None:
    chance = random.Random(3)
    seats = await new_game(client, ANA, GREEDY)
    async with open_game(client, seats) as player, open_game(client, seats) as watcher:
        for _ in range(5):
            await ready(player)
            assert watcher.subscription._messages is not None
            watcher.subscription._messages.put_nowait(Ended("lost"))
            await choose(player, chance)
            await caught_up(watcher, player)
        await until(watcher, lambda: watcher.state.is_connected)
        assert watcher.state.game == player.state.game


async def test_a_move_for_another_digest_is_reported(client: Client) -> None:
    async with open_game(client, await new_game(client, ANA, GREEDY)) as play:
        await ready(play)
        play.state.digest = "0" * 32
        press(play, "1", "a", "enter")
        await play.wait_for_tasks()
        assert "The game has changed" in seen(play)


async def test_q_quits(client: Client) -> None:
    async with open_game(client, await new_game(client, ANA, BO)) as play:
        press(play, "q", "enter")
        assert play.is_finished


async def test_a_missing_game_raises(client: Client) -> None:
    with pytest.raises(APIError) as raised:
        async with open_game(client, SavedSeats(url=client.url, game="nowhere", seats={})):
            pass
    assert raised.value.problem.code == "not_found"


async def test_a_private_game_requires_its_spectator_token(client: Client) -> None:
    created = await client.create(CreateGame(players=[ANA, BO], visibility="private"))
    strangers = SavedSeats(url=client.url, game=created.game.id, seats={})
    with pytest.raises(APIError, match="private"):
        async with open_game(client, strangers):
            pass
    async with open_game(client, msgspec.structs.replace(strangers, spectator=created.spectator_token)) as play:
        assert play.state.game.id == created.game.id
        assert play.state.token is None


async def test_an_unreachable_service_raises(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    async with Client(url, backoff=Backoff(initial_wait_s=0.001)) as client:
        with pytest.raises(UnreachableError) as raised:
            async with open_game(client, SavedSeats(url=url, game="nowhere", seats={})):
                pass
    assert raised.value.url == url
