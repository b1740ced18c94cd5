"""An example that cannot run says in one or two lines what is wrong and what to do."""

import sys
from pathlib import Path

import pytest

from tests.programs import Finished, run_program
from tests.tools import ROOT

NOWHERE = "http://127.0.0.1:9"

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
        ("discord", "examples.discord_bot", "'.[discord]'"),
        ("rich", "examples/terminal", "'.[play]'"),
        ("numpy", "examples.self_play", "make .venv/.self-play-installed"),
    ),
)
async def test_a_missing_package(package: str, program: str, install: str) -> None:
    check_short(await run_program(sys.executable, "-c", WITHOUT, package, program, cwd=ROOT), "Install", install)


@pytest.mark.parametrize("url", (NOWHERE, "localhost", "localhost:8080"))
async def test_an_unreachable_service(url: str) -> None:
    check_short(await run_program(sys.executable, "examples/four_bots.py", url, cwd=ROOT), url, "`make serve`")
    check_short(
        await run_program(sys.executable, "examples/terminal", "--list", "--url", url, cwd=ROOT), url, "`make serve`"
    )


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
    ended = await run_program(*program, "--file", "/nowhere/file", cwd=ROOT, env={variable: "1:token"})
    assert ended.stderr == "Error: cannot run the bot: [Errno 2] No such file or directory: '/nowhere/file'\n"
