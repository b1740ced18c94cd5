"""An example that cannot run says in one or two lines what is wrong and what to do."""

import asyncio
import os
import runpy
import signal
import sys
from argparse import ArgumentTypeError
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from examples.command_line import service_url
from tests.programs import Finished, run_program
from tests.server_process import start_server
from tests.tools import ROOT

NOWHERE = "http://127.0.0.1:9"

ON_SERVICE = (("examples/four_bots.py",), ("examples/menu_bot.py",), ("examples/two_devices.py",))
TERMINAL = ("examples/terminal", "--list", "--url")
TELEGRAM = ("examples.telegram_bot", "--url")
TEXT = ("examples.text_bot",)


async def run_example(*program: str, without: str | None = None, **environment: str) -> Finished:
    """Run an example with its arguments in a thread of this process: a path or module, without a package."""
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
            if name.startswith("examples."):
                runpy.run_module(name, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(name, run_name="__main__")
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
        ("telegram", "examples.telegram_bot", "'.[telegram]'"),
        ("click", "examples.telegram_bot", "'.[telegram]'"),
        ("discord", "examples.discord_bot", "'.[discord]'"),
        ("rich", "examples/terminal", "'.[play]'"),
        ("msgspec", "examples/terminal", "'.[play]'"),
        ("numpy", "examples.self_play", "make .venv/.self-play-installed"),
        ("south_seas", "examples.text_bot", "make serve"),
        *(("south_seas", program[0], "make serve") for program in ON_SERVICE),
    ),
)
async def test_a_missing_package(package: str, program: str, install: str) -> None:
    check_short(await run_example(program, without=package), install)


@pytest.mark.parametrize("program", (*ON_SERVICE, TERMINAL))
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


@pytest.mark.parametrize("program", (*ON_SERVICE, TERMINAL[:1], ("-m", *TEXT), ("-m", TELEGRAM[0])))
async def test_every_program_has_a_help(program: tuple[str, ...]) -> None:
    helped = await run_program(sys.executable, *program, "--help", cwd=ROOT)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "usage: " in helped.stdout.lower()


async def test_a_service_that_dies(tmp_path: Path) -> None:
    async with start_server(tmp_path) as instance:
        program = (sys.executable, "-u", "examples/two_devices.py", instance.url)
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
