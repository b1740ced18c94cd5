"""The terminal's screens are those in `snapshots/` (WRITE_SNAPSHOTS=1 stores them); programs say what is wrong."""

import asyncio
import io
import os
import random
import re
import runpy
import signal
import sys
from argparse import ArgumentTypeError
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from msgspec import convert, to_builtins
from rich.console import Console

from examples.command_line import service_url
from examples.terminal.board import TileView, draw_single_tile
from examples.terminal.choices import make_menu
from examples.terminal.controller import GameController, open_game
from examples.terminal.options import parse_options
from examples.terminal.saved_seats import SavedSeats
from examples.terminal.screen import build_screen
from examples.terminal.tile_picture import LARGE, MEDIUM, SMALL
from examples.terminal.tile_shape import Size, middle_of, shape, turned
from service.games.tilesets import load_catalogue
from south_seas import Client
from south_seas.models import Bridge, Cost, CreateGame, Deliver, Island, Move, SeatRequest, Ship, TakeShip, Tile, Wares
from tests.polling import TIMEOUT_S
from tests.server_process import start_server
from tests.tools import ROOT, Finished, run_program


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


SNAPSHOTS = Path(__file__).with_name("snapshots")
TILES = convert(to_builtins(load_catalogue(None).get("lagoon").tileset.tiles), list[Tile])
SIZES = (LARGE, MEDIUM, SMALL)


def check(name: str, received: list[str]) -> None:
    """Compare lines with a stored text."""
    file, text = SNAPSHOTS / f"{name}.txt", "".join(f"{line.rstrip()}\n" for line in received)
    if os.environ.get("WRITE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_tiles_of_all_rotations_and_sizes() -> None:
    """Large seas are connected, islands whose tips touch are distinct (R9), and every symbol lies on its segment."""
    lines = []
    for tile in TILES:
        pictures = [draw_single_tile(TileView(tile, turn), size) for size in SIZES for turn in range(4)]
        lines += [
            " ".join(f"{one[row].plain if row < len(one) else '':{len(one[0])}}" for one in pictures)
            for row in range(LARGE.height)
        ]
    check("tiles", lines)


@pytest.mark.parametrize("size", SIZES, ids=("large", "medium", "small"))
def test_edges_show_their_segments(size: Size) -> None:
    """Tiles that fit (R3.3) go on into each other: the middle of an edge shows the segment that reaches it."""
    for tile, rotation in ((tile, rotation) for tile in TILES for rotation in range(4)):
        segments = turned(tile, rotation)
        ground = shape(segments, size)
        for index, segment in enumerate(segments):
            if isinstance(segment, Bridge | Island):
                assert all(ground[middle_of(size, edge)] == index for edge in segment.edges), tile.id


def test_payments_and_ships_are_in_words() -> None:
    ships = {"s1": Ship(id="s1", points=5, cost=Cost(bananas=1, shells=2, fish=1, any=0, same=[]))}
    paid = Deliver(ship="s1", wares=Wares(bananas=1, shells=2, fish=1))
    moves = [
        Move(id=str(one), text="", action=one, effects=None, if_passed=None, feature=None, worth=None)
        for one in (paid, TakeShip(ship="s1"))
    ]
    menu = make_menu(8, moves, ships)
    assert [choice.text for choice in menu.choices] == [
        "deliver 1 banana, 2 shells and 1 fish to the ship worth 5: 1 banana + 2 shells + 1 fish",
        "take the ship worth 5: 1 banana + 2 shells + 1 fish",
    ]
    assert menu.match("worth 5: 1 Banana") == (None, menu.choices)
    assert menu.match("deliver 1").chosen is menu.choices[0]


async def test_a_chosen_move_says_what_it_is_worth(client: Client) -> None:
    """Below the input, in place of the commands."""
    async with open_game(client, await new_game(client, SeatRequest(name="Ana"), SeatRequest(name="Bo"))) as play:
        await ready(play)
        assert play.state.menu is not None
        press(play, *play.state.menu.choices[0].key, "enter")
        await play.wait_for_tasks()
        await ready(play)
        move = play.state.menu.choices[0]
        press(play, *move.key)
        assert re.search(r"The .* is worth .* so far and has \d+ open sides?\.$", move.move.worth or "")
        assert (move.move.worth or "") in seen(play, width=120)


async def test_screens_of_a_game(client: Client) -> None:
    """Boards that fit, scroll, are moved and resized; typed keys with their preview; all pages (R8.1, R8.3, R8.4)."""
    lines: list[str] = []
    chance = random.Random(1)
    players = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(name="Cy")
    async with open_game(client, await new_game(client, *players)) as play:

        async def show(*keys: str, width: int = 80, height: int = 24) -> None:
            press(play, *keys)
            await play.wait_for_tasks()
            lines.extend(["", f"--- {' '.join(keys)} ({width} by {height})", *seen(play, width, height).split("\n")])

        await ready(play)
        menu = play.state.menu
        assert menu is not None
        assert [menu.match(typed).chosen for typed in ("1", " 1A ", "0, 1", "3", "")] == [
            *(menu.choices[0], menu.choices[0], menu.choices[-1], None, None)
        ]
        await show()
        await show("9", "9", "enter")
        await show("clear", *"place", "enter")
        await show("clear", *menu.choices[0].key)
        await show("escape", width=30, height=8)
        decisions, texts = 0, dict[str, str]()
        while await ready(play):
            assert play.state.menu is not None
            texts |= {type(one.move.action).__name__: f"{one.key}: {one.text}" for one in play.state.menu.choices}
            if decisions in (30, 90):
                await show()
                await show(width=160, height=50)
                await show("left", "up")
                await show("home", "z", "enter")
                for page in ("?", "s", "i", "t"):
                    await show(page, "enter")
                await show("pagedown")
                await show("escape")
            await choose(play, chance)
            decisions += 1
        await show()
    lines += ["", *(f"{action} {text}" for action, text in sorted(texts.items()))]
    check("screens", [re.sub(r"http://[\d.:]+", "URL", line.replace(play.state.game.id, "GAME")) for line in lines])


def test_the_default_is_two_players() -> None:
    assert parse_options([]).create.players == [SeatRequest(name="Ana"), SeatRequest(name="Bo")]


def test_seats_are_players_then_bots_then_open_ones() -> None:
    options = parse_options(["--players", "Cy", "--bots", "greedy", "--open", "1", "--edition", "german", "--private"])
    assert options.create.players == [SeatRequest(name="Cy"), SeatRequest(bot="greedy"), SeatRequest(open=True)]
    assert (options.create.edition, options.create.visibility) == ("german", "private")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    (
        (["--players", "Ana"], "2 to 5 players"),
        (["--players", *"ABCDEF"], "2 to 5 players"),
        (["--join", "a", "--watch", "b"], "not allowed with"),
        (["--watch", "../x"], "../x: a game's id has"),
        (["--resume", ""], ": a game's id has"),
        (["--url", "localhost:8080"], "localhost:8080: a URL begins with http:// or https://"),
    ),
)
def test_a_wrong_command_line_is_told(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        parse_options(arguments)
    assert raised.value.code == 2
    assert sentence in capsys.readouterr().err


NOWHERE = "http://127.0.0.1:9"

ON_SERVICE = (("examples.four_bots",), ("examples.menu_bot",), ("examples.two_devices",))
TERMINAL = ("examples.terminal", "--list", "--url")
TELEGRAM = ("examples.telegram_bot", "--url")
TEXT = ("examples.text_bot",)


async def run_example(*program: str, without: str | None = None, **environment: str) -> Finished:
    """Run an example with its arguments in a thread of this process, without a package."""
    return await asyncio.to_thread(_run, program, without, environment)


def _run(program: tuple[str, ...], without: str | None, environment: dict[str, str]) -> Finished:
    name, *arguments = program
    error: object = None
    with (
        chdir(ROOT),
        _fresh_modules(name, without),
        patch.dict(os.environ, environment, clear=True),
        patch.object(sys, "argv", [name, *arguments]),
        patch.object(sys, "stdin", StringIO()),
        redirect_stdout(StringIO()) as output,
        redirect_stderr(StringIO()) as errors,
    ):
        try:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            error = ended.code
    if isinstance(error, str):
        return Finished(1, output.getvalue(), f"{errors.getvalue()}{error}\n")
    return Finished(int(str(error or 0)), output.getvalue(), errors.getvalue())


@contextmanager
def _fresh_modules(program: str, without: str | None) -> Iterator[None]:
    """Import a program anew; if it lacks a package, all examples, so that each looks for it."""
    fresh = (program,) if without is None else ("examples", without)

    def take() -> dict[str, ModuleType]:
        names = [name for name in sys.modules if any(f"{name}.".startswith(f"{one}.") for one in fresh)]
        return {name: sys.modules.pop(name) for name in names}

    before = take()
    if without is not None:
        sys.modules[without] = None  # type: ignore[assignment]  # as the import system has it for absent modules
    try:
        yield
    finally:
        take()
        sys.modules.update(before)


def check_short(ended: Finished, *parts: str) -> None:
    """Check that a program has failed with at most two lines, which contain these parts."""
    assert ended.returncode != 0
    assert ended.stderr.count("\n") <= 2, ended.stderr
    assert all(part in ended.stderr for part in parts), ended.stderr


@pytest.mark.parametrize(
    ("package", "program", "install"),
    (
        ("telegram", "examples.telegram_bot", "pip install click 'python-telegram-bot[rate-limiter]'"),
        ("click", "examples.discord_bot", "pip install click discord.py"),
        ("rich", "examples.terminal", "pip install rich"),
        ("mcp", "examples.mcp", "pip install 'mcp>=2.3'"),
        ("numpy", "examples.self_play", "make .venv/.self-play-installed"),
        *(
            ("south_seas", program[0], f"python -m {program[0]}: see examples/README.md")
            for program in (*ON_SERVICE, TEXT)
        ),
    ),
)
async def test_a_missing_package(package: str, program: str, install: str) -> None:
    check_short(await run_example(program, without=package), install)


@pytest.mark.parametrize("program", (*ON_SERVICE, TERMINAL, ("examples.mcp",)))
async def test_an_unreachable_service(program: tuple[str, ...]) -> None:
    check_short(await run_example(*program, NOWHERE), NOWHERE, "`make serve`")


@pytest.mark.parametrize("program", (ON_SERVICE[0], TERMINAL, TEXT, TELEGRAM))
async def test_what_is_no_url(program: tuple[str, ...]) -> None:
    ended = await run_example(*program, "foo", TELEGRAM_TOKEN="1:token")
    assert ended.returncode == 2
    assert ended.stderr.endswith("foo: a URL begins with http:// or https://, and names a host\n")


@pytest.mark.parametrize("url", ("", "localhost:8080", "ftp://x", "http://", "http://[::1", "http://a:b"))
def test_what_is_no_url_either(url: str) -> None:
    with pytest.raises(ArgumentTypeError):
        service_url(url)


@pytest.mark.parametrize("program", (ON_SERVICE[0], TERMINAL, ("-m", *TEXT), ("-m", *TELEGRAM)))
async def test_another_page_of_the_service(program: tuple[str, ...], url: str, tmp_path: Path) -> None:
    environment = {"TELEGRAM_TOKEN": "1:token", "PYTHONPATH": str(ROOT), "SOUTH_SEAS_BOT_FILE": str(tmp_path / "bot")}
    path = [ROOT / word if word.startswith("examples/") else word for word in program]
    check_short(await run_program(sys.executable, *path, f"{url}/docs", given=b"", cwd=tmp_path, env=environment))


@pytest.mark.parametrize("program", (*ON_SERVICE, TERMINAL, TEXT, TELEGRAM))
async def test_every_program_has_a_help(program: tuple[str, ...]) -> None:
    helped = await run_program(sys.executable, "-m", program[0], "--help", cwd=ROOT)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "usage: " in helped.stdout.lower()


async def test_a_service_that_dies(tmp_path: Path) -> None:
    async with start_server(tmp_path) as instance:
        program = (sys.executable, "-um", "examples.two_devices", instance.url)
        devices = await asyncio.create_subprocess_exec(*program, cwd=ROOT, stdout=PIPE, stderr=PIPE)
        assert devices.stdout is not None
        await devices.stdout.readline()
        await instance.stop(signal.SIGKILL)
        _, errors = await devices.communicate()
    check_short(Finished(devices.returncode or 0, "", errors.decode()), instance.url)


async def test_the_text_bot_says_at_once_that_the_service_is_unreachable(tmp_path: Path) -> None:
    program = (sys.executable, "-m", *TEXT, NOWHERE)
    chat = await run_program(*program, given=b"", cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    assert chat.stderr.startswith(f"{NOWHERE} is unreachable: ")
    assert chat.stderr.count("\n") == 1


@pytest.mark.parametrize(("bot", "variable"), (("discord_bot", "DISCORD_TOKEN"), ("telegram_bot", "TELEGRAM_TOKEN")))
async def test_a_bots_token_and_file(bot: str, variable: str) -> None:
    missing = await run_example(f"examples.{bot}")
    assert missing.stderr.endswith(f"Error: Set {variable} to the bot's token.\n")
    environment = {variable: "1:token", "SOUTH_SEAS_BOT_FILE": "/nowhere/file"}
    ended = await run_program(sys.executable, "-m", f"examples.{bot}", cwd=ROOT, env=environment)
    assert ended.stderr == "Error: cannot run the bot: [Errno 2] No such file or directory: '/nowhere/file'\n"
