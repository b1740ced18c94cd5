"""Runs the commands of `transcript.txt`, and prints them with their output, errors (`! `) and exit code.

After a change that is meant, or with a new line `$ ...`: `python -m tests.cli.transcript`.

Prints the help texts of all commands; `help_texts.txt` is what they should be.

After a change that is meant: `python -m tests.cli.transcript > tests/cli/help_texts.txt`.
"""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import click
import msgspec
from click.testing import CliRunner

from service.games.tilesets import BUILT_IN_DIRECTORY
from service.main import cli, main
from tests.games.game_logs import decode_log, play_game, rechain
from tests.tools import ROOT, Finished

TRANSCRIPT = Path(__file__).with_name("transcript.txt")
TRICK = "\x1b[1A\x1b[2Kok       digests\n\u202e"
"""It replaces the line before on a terminal."""
INVALID_LOGS = (b"", b"{", b"7", b"[1]", b"\xff", b'{"diffs": {}}', b'[{"patch": [5]}]', b'[{"patch": 5}]')


def write_files() -> None:
    """Write the files that the commands name."""
    for directory in ("fit", "unfit", "tricky"):
        Path(directory).mkdir()
    lagoon = (BUILT_IN_DIRECTORY / "lagoon.json").read_bytes()
    bad = msgspec.json.decode(lagoon)
    bad["start"] = "nowhere"
    bad["tiles"][2]["segments"] = bad["tiles"][2]["segments"][:-1]
    log, forged = decode_log(play_game("file")), decode_log(play_game("file"))
    forged[30]["events"].pop()
    files = {
        "lagoon.json": lagoon,
        "fit/mine.json": lagoon,
        "unfit/bad.json": b"{}",
        "tricky/\x1b[2J.json": b"{}",
        "bad.json": bad,
        "tricky-set.json": {"id": "\x1b]0;owned\x07", "\x1b[2J": 1},
        "log.json": log,
        "object.json": {"diffs": log},
        "lines.json": b"\n".join(map(msgspec.json.encode, log)),
        "early.json": log[:9],
        "forged.json": forged,
        "another.json": decode_log(play_game("another")),
        "tricky.json": {"schema": TRICK, "kind": TRICK, "diffs": [{"patch": [{"path": "/tileset", "value": TRICK}]}]},
        **{f"invalid-{number}.json": content for number, content in enumerate(INVALID_LOGS)},
    }
    for member in ("game", "version", "move", "at", "digest"):
        tricky = decode_log(play_game("file"))
        tricky[9][member] = TRICK
        files[f"tricky-{member}.json"] = tricky if member == "digest" else rechain(tricky)
    for name, content in files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else msgspec.json.encode(content))
    Path("large.json").touch()
    os.truncate("large.json", 2**40)


def run(command: str) -> Finished:
    """Run a command, such as `NAME=VALUE south-seas serve`, in this process, with data in the current directory."""
    words = shlex.split(command)
    start = words.index("south-seas")
    variables = dict(word.split("=", 1) for word in words[:start])
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
    code: object = None
    with (
        patch.dict(os.environ, {**clean, "XDG_DATA_HOME": str(Path.cwd()), **variables, "COLUMNS": "120"}, clear=True),
        patch.object(sys, "argv", words[start:]),
        redirect_stdout(StringIO()) as output,
        redirect_stderr(StringIO()) as errors,
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    return Finished(int(str(code or 0)), output.getvalue(), errors.getvalue())


def replay() -> str:
    """Return the transcript as the commands are now."""
    blocks = []
    with TemporaryDirectory() as directory, chdir(directory):
        write_files()
        for line in TRANSCRIPT.read_text().splitlines():
            if line.startswith("$ "):
                ended = run(line.removeprefix("$ "))
                errors = "".join(f"! {one}\n" for one in ended.stderr.splitlines())
                blocks.append(f"{line}\n{ended.stdout}{errors}exit {ended.returncode}\n")
    return "\n".join(blocks).replace(str(ROOT), "PROJECT")


def iter_commands(command: click.Command, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Iterate over a command and those below it, each with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from iter_commands(below, *path, name)


if __name__ == "__main__":
    TRANSCRIPT.write_text(replay())
    for path, _ in iter_commands(cli):
        shown = CliRunner().invoke(cli, [*path, "--help"], prog_name="south-seas", terminal_width=98)
        click.echo(f"{shown.output}\n", nl=False)
