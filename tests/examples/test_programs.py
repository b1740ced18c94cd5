"""The examples as programs of their own, against the service.

Saved seats: files that only their owner can read.

The server for assistants, seen by the protocol's own client: as a program, and over HTTP.
"""

import asyncio
import os
import pty
import random
import re
import stat
import sys
import termios
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from examples.terminal.saved_seats import SavedSeats, UnreadableSeats, default_folder, load_seats, save_seats
from south_seas import Client
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
            *(sys.executable, "examples/terminal", *arguments),
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
    bots = await run_program(sys.executable, "examples/four_bots.py", url, cwd=ROOT)
    assert bots.returncode == 0, bots.stderr
    assert "each seen once and in order" in bots.stdout
    assert "won" in bots.stdout


async def test_a_bot_plays_whole_games_from_menus_alone(url: str) -> None:
    bot = await run_program(sys.executable, "examples/menu_bot.py", url, cwd=ROOT)
    assert bot.returncode == 0, bot.stderr
    for kind in ("PlaceTile", "PlaceIslander", "RetrieveIslander", "TakeShip", "Deliver", "Pass"):
        assert kind in bot.stdout


async def test_two_devices_of_a_player_go_on_in_rematches(url: str) -> None:
    program = await run_program(sys.executable, "examples/two_devices.py", url, cwd=ROOT)
    assert program.returncode == 0, program.stderr
    assert program.stdout.count("is on every device") == 9  # three devices in three games


async def test_the_quick_start_is_played_with_curl_in_any_shell(url: str) -> None:
    require(CURL)
    played = await run_program("sh", "examples/quick_start.sh", f"{url}/", "3", cwd=ROOT, timeout_s=110)
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
        await terminal.shows("examples/terminal --resume ")
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
    program = await run_program(sys.executable, "examples/terminal", "--url", url, cwd=ROOT)
    assert (program.returncode, program.stderr) == (2, "Input and output must be a terminal.\n")


@pytest.mark.parametrize(("name", "most"), (("self_play", 360), ("text_bot", 100), ("telegram_bot", 199)))
def test_an_example_is_short(name: str, most: int) -> None:
    assert len((ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= most


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
async def test_what_is_wrong_is_told_to_the_assistant(
    client: Client, tool: str, arguments: dict[str, object], told: str
) -> None:
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


async def test_without_a_service_the_program_says_so_in_a_line(unused_tcp_port: int) -> None:
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "examples.mcp", f"http://127.0.0.1:{unused_tcp_port}"),
        cwd=ROOT,
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await program.communicate()
    assert program.returncode == 1
    assert "`make serve` starts a service." in told.decode()
    assert len(told.splitlines()) == 1
