"""The commands: what they print on each stream, their exit codes, and their help texts."""

import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Never

import click
import pytest

from service.main import cli
from tests.cli.help_texts import iter_commands
from tests.cli.transcript import TRANSCRIPT, replay, run

HELP_TEXTS = Path(__file__).with_name("help_texts.txt")


def test_commands_print_what_they_printed() -> None:
    assert replay() == TRANSCRIPT.read_text(), "if it should differ, see tests/cli/transcript.py"


def test_no_command_prints_an_escape_sequence_or_a_password() -> None:
    """Escape sequences in a log could hide an error: some of these would replace the line before."""
    output = [line for line in TRANSCRIPT.read_text().splitlines() if not line.startswith("$ ")]
    assert all(line.isprintable() for line in output)
    assert not [line for line in output if "hunter2" in line]


def test_help_texts_are_as_they_were() -> None:
    command = (sys.executable, "-m", "tests.cli.help_texts")
    printed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()
    assert printed == HELP_TEXTS.read_text(), "if they should differ, see tests/cli/help_texts.py"


def test_every_command_and_option_has_a_help_text() -> None:
    for path, command in iter_commands(cli):
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
        assert (path, bool(command.help), [option.name for option in options if not option.help]) == (path, True, [])


def test_without_a_command_the_help_is_printed() -> None:
    ended = run("south-seas")
    assert ended.returncode == 2
    assert "Run the service until SIGTERM or SIGINT." in ended.stderr


def test_an_interrupted_command_has_the_status_of_sigint(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: Any) -> Never:
        raise click.exceptions.Abort

    monkeypatch.setattr(cli, "main", interrupt)
    assert run("south-seas export all").returncode == 128 + signal.SIGINT


def test_the_version_is_that_of_the_services_own_distribution() -> None:
    """The Python client's distribution, `south-seas`, is installed beside it here, and not in the image."""
    distribution = tomllib.loads(Path("pyproject.toml").read_text())["project"]["name"]
    names = {
        name
        for module in Path("service").rglob("*.py")
        for name in re.findall(r"""\bversion\(['"](\S+?)['"]\)""", module.read_text())
    }
    assert names == {distribution}
