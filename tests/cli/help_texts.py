"""Prints the help texts of all commands; `help_texts.txt` is what they should be.

After a change that is meant: `python -m tests.cli.help_texts > tests/cli/help_texts.txt`.
"""

from collections.abc import Iterator

import click
from click.testing import CliRunner

from service.main import cli


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
    for path, _ in iter_commands(cli):
        shown = CliRunner().invoke(cli, [*path, "--help"], prog_name="south-seas", terminal_width=98)
        click.echo(f"{shown.output}\n", nl=False)
