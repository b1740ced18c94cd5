"""The examples as programs: bots, the terminal, the server for assistants, and the bot for a text chat."""

import asyncio
import os
import pty
import random
import re
import stat
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from examples.chat.bot import ChatBot
from examples.chat.screens import Screen
from examples.terminal.controller import open_game
from examples.terminal.game_state import Page
from examples.terminal.saved_seats import SavedSeats, UnreadableSeats, default_folder, load_seats, save_seats
from examples.text_bot import HELP, TEXT, TextBot
from service.store.game_store import RedisStore
from south_seas import APIError, ApiKeyClient, Client
from south_seas.models import CreateGame, JoinGame, SeatRequest
from south_seas.websocket import Ended
from tests.api_key_fixture import add_api_key
from tests.examples.test_terminal_screens import caught_up, choose, new_game, press, ready, seen, until
from tests.polling import TIMEOUT_S, wait_until
from tests.tools import CURL, ROOT, require, run_program

if TYPE_CHECKING:  # its import takes a tenth of the time of all tests' collection
    from mcp import Client as Assistant
    from mcp.types import ContentBlock


class Terminal:
    """A terminal of 80 by 24 with a program in it."""

    def __init__(self) -> None:
        self.screen, self.side = pty.openpty()
        termios.tcsetwinsize(self.side, (24, 80))
        self.modes = termios.tcgetattr(self.side)
        self.written = b""
        self.more = asyncio.Event()

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        asyncio.get_running_loop().add_reader(self.screen, self._read)
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "examples.terminal", *arguments),
            cwd=ROOT,
            env=environment,
            stdin=self.side,
            stdout=self.side,
            stderr=self.side,
        )

    async def shows(self, text: str) -> str:
        """Wait until something is written; gives, and forgets, what came before it."""
        async with asyncio.timeout(2 * TIMEOUT_S):
            while text.encode() not in self.written:
                await self.more.wait()
                self.more.clear()
        before, _, self.written = self.written.partition(text.encode())
        return before.decode(errors="replace")

    def type(self, keys: str) -> None:
        os.write(self.screen, keys.encode())

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.screen)
        os.close(self.screen)
        os.close(self.side)

    def _read(self) -> None:
        self.written += os.read(self.screen, 65536)
        self.more.set()


async def test_four_bots_play_a_game(url: str) -> None:
    bots = await run_program(sys.executable, "-m", "examples.four_bots", url, cwd=ROOT)
    assert bots.returncode == 0, bots.stderr
    assert "each seen once and in order" in bots.stdout
    assert "won" in bots.stdout


async def test_a_bot_plays_whole_games_from_menus_alone(url: str) -> None:
    bot = await run_program(sys.executable, "-m", "examples.menu_bot", url, cwd=ROOT)
    assert bot.returncode == 0, bot.stderr
    for kind in ("PlaceTile", "PlaceIslander", "RetrieveIslander", "TakeShip", "Deliver", "Pass"):
        assert kind in bot.stdout


async def test_two_devices_of_a_player_go_on_in_rematches(url: str) -> None:
    program = await run_program(sys.executable, "-m", "examples.two_devices", url, cwd=ROOT)
    assert program.returncode == 0, program.stderr
    assert program.stdout.count("is on every device") == 9  # three devices in three games


async def test_the_quick_start_is_played_with_curl_in_any_shell(url: str) -> None:
    require(CURL)
    played = await run_program("sh", "examples/quick_start.sh", f"{url}/", "3", cwd=ROOT)
    assert played.returncode == 0, played.stderr
    assert "Ana: place " in played.stdout
    assert "It is Ana’s turn to place a tile." in played.stdout
    seen = re.search(r"The watcher has seen (\d+) versions of (\d+)\.", played.stdout)
    assert seen
    assert seen[1] == seen[2]


async def test_the_quick_start_says_that_no_service_answers() -> None:
    require(CURL)
    ended = await run_program("sh", "examples/quick_start.sh", "http://127.0.0.1:9", cwd=ROOT)
    assert ended.returncode == 1
    assert ended.stderr == (
        "http://127.0.0.1:9 does not answer: start the service with `make serve`, or name its URL.\n"
    )


@pytest.mark.parametrize("arguments", (["http://a", "x"], ["http://a", "-3"], ["http://a", "1.5"], ["a"], ["--help"]))
async def test_the_quick_start_explains_its_arguments(arguments: list[str]) -> None:
    ended = await run_program("sh", "examples/quick_start.sh", *arguments, cwd=ROOT)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert ended.stderr.startswith("Usage: sh examples/quick_start.sh [URL [TURNS]]; ")


async def test_the_terminal_is_restored_and_the_game_resumes(url: str, tmp_path: Path) -> None:
    terminal = Terminal()
    try:
        program = await terminal.start("--url", url, "--tokens", str(tmp_path), "--players", "Ana", "--bots", "greedy")
        await terminal.shows("place the tile")
        await terminal.shows("q leave")
        terminal.type("?\r")
        await terminal.shows("type the key of a legal move")
        terminal.type("\x1b")
        await terminal.shows("q leave")
        terminal.type("q\r")
        await terminal.shows("Resume with: ")
        await terminal.shows("examples.terminal --resume ")
        game = await terminal.shows(" --tokens")
        assert await asyncio.wait_for(program.wait(), TIMEOUT_S) == 0
        assert termios.tcgetattr(terminal.side) == terminal.modes

        program = await terminal.start("--tokens", str(tmp_path), "--resume", game)
        await terminal.shows("place the tile")
        program.terminate()
        assert await asyncio.wait_for(program.wait(), TIMEOUT_S) == 0
        assert termios.tcgetattr(terminal.side) == terminal.modes
    finally:
        terminal.close()


async def test_a_missing_terminal_is_reported(url: str) -> None:
    program = await run_program(sys.executable, "-m", "examples.terminal", "--url", url, cwd=ROOT)
    assert (program.returncode, program.stderr) == (2, "Input and output must be a terminal.\n")


@pytest.mark.parametrize(
    ("name", "most"), (("self_play.py", 360), ("text_bot.py", 100), ("telegram_bot.py", 199), ("phone_app.mts", 129))
)
def test_an_example_is_short(name: str, most: int) -> None:
    assert len((ROOT / "examples" / name).read_text(encoding="utf-8").splitlines()) <= most


SEATS = SavedSeats(url="http://localhost:1", game="abc", seats={0: "secret", 2: "other"}, owner="own", spectator="see")


def test_saved_seats_are_loaded(tmp_path: Path) -> None:
    save_seats(tmp_path / "new" / "folder", SEATS)
    assert load_seats(tmp_path / "new" / "folder", "abc") == SEATS


def test_only_the_owner_can_read_saved_seats(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    (tmp_path / "abc.json").touch(0o666)
    for path in (save_seats(folder, SEATS), save_seats(tmp_path, SEATS)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_missing_seats_raise(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSeats, match=f"There is no file {tmp_path / 'xyz.json'}: "):
        load_seats(tmp_path, "xyz")


@pytest.mark.parametrize("damaged", (b"garbage", b"{}", b'{"url": "\xff"}'))
def test_a_damaged_file_raises(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "abc.json").write_bytes(damaged)
    with pytest.raises(UnreadableSeats, match=f"The file {tmp_path / 'abc.json'} cannot be read: "):
        load_seats(tmp_path, "abc")


def test_the_reader_token_is_a_seat_s_or_the_spectator_s() -> None:
    assert SEATS.reader_token == "secret"
    assert SavedSeats(url="", game="abc", seats={}, spectator="see").reader_token == "see"
    assert SavedSeats(url="", game="abc", seats={}).reader_token is None


def test_the_default_folder_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "south-seas"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/ana")
    assert default_folder() == Path("/home/ana/.local/state/south-seas")


def connect(server: object) -> "Assistant":
    assistant: Assistant = import_module("mcp").Client(server)
    return assistant


def connect_in_process(client: Client) -> "Assistant":
    return connect(import_module("examples.mcp.server").build_server(client))


def read_text(content: "Sequence[ContentBlock]") -> str:
    return "\n".join(block.text for block in content if block.type == "text")


async def call(assistant: "Assistant", tool: str, **arguments: object) -> str:
    result = await assistant.call_tool(tool, arguments)
    text = read_text(result.content)
    assert not result.is_error, text
    return text


async def is_listening(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionRefusedError:
        return False
    writer.close()
    return True


async def create_game(assistant: "Assistant") -> str:
    found = re.match(r"Game (\S+)\. ", await call(assistant, "new_game", opponents=["greedy"]))
    assert found
    return found[1]


async def test_an_assistant_plays_a_whole_game_against_greedy(url: str) -> None:
    parameters = {"command": sys.executable, "args": ["-m", "examples.mcp", url], "cwd": str(ROOT)}
    choices = random.Random(5)
    async with connect(import_module("mcp").StdioServerParameters(**parameters)) as assistant:
        assert {tool.name for tool in (await assistant.list_tools()).tools} == {
            *("new_game", "look", "list_moves", "play", "resign")
        }
        game, told = await create_game(assistant), ""
        while menu := re.findall(r"^([a-z][-\w.+]*): ", await call(assistant, "list_moves", game=game), re.MULTILINE):
            told = await call(assistant, "play", game=game, move=choices.choice(menu))
        assert "wins" in told


async def test_the_board_is_a_picture_and_a_text_and_every_move_can_be_paged(client: Client) -> None:
    async with connect_in_process(client) as assistant:
        game = await create_game(assistant)
        shown = (await assistant.call_tool("look", {"game": game})).content
        assert [block.mime_type for block in shown if block.type == "image"] == ["image/png"]
        assert "Assistant has 0 bananas, 0 shells and 0 fish, and 0 points" in read_text(shown)
        moves = (await client.legal_moves(game)).moves
        listed, cursor = list[str](), ""
        while True:
            menu = await call(assistant, "list_moves", game=game, cursor=cursor)
            listed += re.findall(r"^(p\S+): place the tile", menu, re.MULTILINE)
            assert menu.count("Ship: ") == 4
            found = re.search(r"cursor=(\S+)", menu)
            if found is None:
                break
            cursor = found[1]
        assert listed == [move.id for move in moves]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    (
        ("play", {"game": "nothing", "move": "pass"}, "There is no game nothing of yours: new_game creates one."),
        ("new_game", {"opponents": ["magpie"]}, "magpie"),
        ("new_game", {"opponents": []}, "at least 1 item"),
    ),
)
async def test_an_assistant_hears_an_error(client: Client, tool: str, arguments: dict[str, object], told: str) -> None:
    async with connect_in_process(client) as assistant:
        result = await assistant.call_tool(tool, arguments)
        assert result.is_error
        assert told in read_text(result.content)


async def test_a_rejected_move_is_told_with_its_reason_and_a_game_can_be_given_up(client: Client) -> None:
    async with connect_in_process(client) as assistant:
        game = await create_game(assistant)
        result = await assistant.call_tool("play", {"game": game, "move": "pass.islander"})
        assert result.is_error
        assert "place_tile" in read_text(result.content)
        assert "resigns" in await call(assistant, "resign", game=game)
        assert "You have no move now" in await call(assistant, "list_moves", game=game)


async def test_over_http_two_assistants_play_at_once_until_it_is_interrupted(url: str, unused_tcp_port: int) -> None:
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "examples.mcp", url, "--http", str(unused_tcp_port)), cwd=ROOT
    )
    await wait_until(lambda: is_listening(unused_tcp_port))
    address = f"http://127.0.0.1:{unused_tcp_port}/mcp"
    async with connect(address) as first, connect(address) as second:
        games = [await create_game(assistant) for assistant in (first, second)]
        assert len({*games}) == 2
    program.terminate()
    await program.wait()


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


async def test_two_people_play_a_game_in_a_chat(bot: TextBot, posted: "asyncio.Queue[str]", client: Client) -> None:
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
    (file,) = await asyncio.to_thread(lambda: [*tmp_path.glob("*.sqlite")])
    assert file.name == f"text-bot-http-127-0-0-1-{url.rpartition(':')[2]}.sqlite"


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


async def test_two_terminals_and_a_watcher_show_the_same_game(client: Client) -> None:
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


async def test_enter_resumes_a_paused_game_in_the_turn_of_another_player(service_url: str) -> None:
    async with Client(service_url) as client:
        created = await client.create(CreateGame(players=[ANA, BO], first_seat=0, turn_timeout_s=1))
        seats = SavedSeats(url=client.url, game=created.game.id, seats={1: created.seats[1].token})
        async with open_game(client, seats) as bo:
            await until(bo, lambda: "The game is paused: press Enter" in seen(bo))
            paused = bo.state.game.version
            press(bo, "enter")
            # Nothing else changes a paused game; it may be paused again before this is seen.
            await until(bo, lambda: bo.state.game.version > paused)


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


async def test_a_private_game_requires_its_spectator_token(client: Client) -> None:
    created = await client.create(CreateGame(players=[ANA, BO], visibility="private"))
    strangers = SavedSeats(url=client.url, game=created.game.id, seats={})
    with pytest.raises(APIError, match="private"):
        async with open_game(client, strangers):
            pass
    async with open_game(client, msgspec.structs.replace(strangers, spectator=created.spectator_token)) as play:
        assert play.state.game.id == created.game.id
        assert play.state.token is None
