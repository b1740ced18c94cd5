"""An example that cannot run says in one or two lines what is wrong and what to do."""

import asyncio
import signal
import sys
from argparse import ArgumentTypeError
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from examples.command_line import service_url
from tests.programs import Finished, run_program
from tests.server_process import start_server
from tests.tools import ROOT

NOWHERE = "http://127.0.0.1:9"

ON_SERVICE = (("examples/four_bots.py",), ("examples/menu_bot.py",), ("examples/two_devices.py",))
TERMINAL = ("examples/terminal", "--list", "--url")
TELEGRAM = ("-m", "examples.telegram_bot", "--url")

WITHOUT = """
import runpy, sys
sys.modules[sys.argv[1]] = None
sys.argv = sys.argv[2:]
sys.path.insert(0, ".")
if sys.argv[0].startswith("examples."):
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs an example without one package."""


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
    check_short(await run_program(sys.executable, "-c", WITHOUT, package, program, cwd=ROOT), install)


@pytest.mark.parametrize("program", (*ON_SERVICE, TERMINAL))
async def test_an_unreachable_service(program: tuple[str, ...]) -> None:
    check_short(await run_program(sys.executable, *program, NOWHERE, cwd=ROOT), NOWHERE, "`make serve`")


@pytest.mark.parametrize("program", (ON_SERVICE[0], TERMINAL, ("-m", "examples.text_bot"), TELEGRAM))
async def test_what_is_no_url(program: tuple[str, ...]) -> None:
    ended = await run_program(sys.executable, *program, "foo", cwd=ROOT, env={"TELEGRAM_TOKEN": "1:token"})
    assert ended.returncode == 2
    assert ended.stderr.endswith("foo: a URL begins with http:// or https://, and names a host\n")


@pytest.mark.parametrize("url", ("", "localhost:8080", "ftp://x", "http://", "http://[::1", "http://a:b"))
def test_what_is_no_url_either(url: str) -> None:
    with pytest.raises(ArgumentTypeError):
        service_url(url)


@pytest.mark.parametrize("program", (ON_SERVICE[0], TERMINAL, ("-m", "examples.text_bot"), TELEGRAM))
async def test_another_page_of_the_service(program: tuple[str, ...], url: str, tmp_path: Path) -> None:
    environment = {"TELEGRAM_TOKEN": "1:token", "PYTHONPATH": str(ROOT), "SOUTH_SEAS_BOT_FILE": str(tmp_path / "bot")}
    path = [ROOT / word if word.startswith("examples/") else word for word in program]
    check_short(await run_program(sys.executable, *path, f"{url}/docs", given=b"", cwd=tmp_path, env=environment))


@pytest.mark.parametrize("program", (*ON_SERVICE, ("examples/terminal",), ("-m", "examples.text_bot"), TELEGRAM[:2]))
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
    program = (sys.executable, "-m", "examples.text_bot", NOWHERE)
    chat = await run_program(*program, given=b"", cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    assert chat.stderr.startswith(f"{NOWHERE} is unreachable: ")
    assert chat.stderr.count("\n") == 1


@pytest.mark.parametrize(("bot", "variable"), (("discord_bot", "DISCORD_TOKEN"), ("telegram_bot", "TELEGRAM_TOKEN")))
async def test_a_bots_token_and_file(bot: str, variable: str) -> None:
    program = (sys.executable, "-m", f"examples.{bot}")
    missing = await run_program(*program, cwd=ROOT, env={})
    assert missing.stderr.endswith(f"Error: Set {variable} to the bot's token.\n")
    environment = {variable: "1:token", "SOUTH_SEAS_BOT_FILE": "/nowhere/file"}
    ended = await run_program(*program, cwd=ROOT, env=environment)
    assert ended.stderr == "Error: cannot run the bot: [Errno 2] No such file or directory: '/nowhere/file'\n"
