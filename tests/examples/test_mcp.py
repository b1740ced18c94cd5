"""The server for assistants, seen by the protocol's own client: as a program, and over HTTP."""

import asyncio
import random
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from south_seas import Client
from tests.polling import wait_until
from tests.tools import ROOT

if TYPE_CHECKING:  # its import takes a tenth of the time of all tests' collection
    from mcp import Client as Assistant
    from mcp.types import ContentBlock


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
