"""The commands that check something without serving it: `south-seas verify` and `south-seas tileset check`."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import click

from service.client.errors import ClientError
from service.client.fetching import fetch_log
from service.engine.tileset_check import Fault, TileSetInvalid, parse
from service.games.logfile import BadLog, Log, read_log, write_log
from service.games.tilesets import load_catalogue
from service.games.verify import Check, verify

VERIFY_AS = "SOUTH_SEAS_TOKEN"


@click.command("verify")
@click.argument("file_or_url")
@click.option(
    "--tileset",
    "tileset_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The tile set, where neither the file nor this program has it.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep what a URL gave in a file that can be verified without the service.",
)
def verify_command(file_or_url: str, tileset_file: Path | None, save: Path | None) -> None:
    """Replay a game's whole log and check commitment, shuffle, digests, rules and result.

    FILE_OR_URL is http://HOST/v1/games/ID (for a private game put one of its tokens in SOUTH_SEAS_TOKEN), or a file
    with the diffs: an array, an object with `diffs`, or one a line. Ends with 0 when all is proven, 1 when something is
    wrong, 3 when the game is not over yet, so that its seed is not known.
    """
    log = _fetch(file_or_url) if "://" in file_or_url else _read(Path(file_or_url))
    if save is not None:
        save.write_bytes(write_log(log))
    checks = verify(log.diffs, _tileset_of(log, tileset_file))
    for check in checks:
        click.echo(_line(check))
    if any(check.passed is False for check in checks):
        sys.exit(1)
    if any(check.passed is None for check in checks):
        sys.exit(3)


@click.group("tileset")
def tileset_group() -> None:
    """Tile sets: the tiles and ships that games are played with."""


@tileset_group.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check_command(file: Path) -> None:
    """Check a tile set's file; says for each fault where and why, and ends with 1 if there is any."""
    try:
        tileset = parse(file.read_bytes())
    except TileSetInvalid as invalid:
        for fault in invalid.faults:
            click.echo(f"{file}: {_where(fault)}", err=True)
        sys.exit(1)
    tiles = sum(tile.count for tile in tileset.tiles)
    click.echo(
        f"{file}: {tileset.id} is a playable tile set: {tiles} tiles of {len(tileset.tiles)} types, "
        f"{len(tileset.ships)} ships"
    )


def _where(fault: Fault) -> str:
    return fault.reason if fault.path == "$" else f"{fault.path}: {fault.reason}"


def _fetch(url: str) -> Log:
    try:
        fetched = asyncio.run(fetch_log(url, os.environ.get(VERIFY_AS)))
    except ClientError as failed:
        raise click.ClickException(str(failed)) from failed
    return Log(fetched.diffs, fetched.tileset)


def _read(path: Path) -> Log:
    try:
        return read_log(path.read_bytes())
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from error
    except BadLog as bad:
        raise click.ClickException(f"{path}: {bad}") from bad


def _tileset_of(log: Log, file: Path | None) -> Any:
    """The tile set that the log was played with: the one named, the one beside the diffs, or a built-in one."""
    data = file.read_bytes() if file is not None else log.tileset
    if data is not None:
        try:
            return parse(data)
        except TileSetInvalid as invalid:
            raise click.ClickException(f"the tile set cannot be played: {_where(invalid.faults[0])}") from invalid
    named = [
        operation.get("value")
        for diff in log.diffs[:1]
        for operation in diff.get("patch", ())
        if operation.get("path") == "/tileset"
    ]
    for loaded in load_catalogue(None):
        if loaded.tileset.id in named:
            return loaded.tileset
    raise click.ClickException("the log names no tile set that this program has: name its file with --tileset")


def _line(check: Check) -> str:
    words = {True: "ok", False: "WRONG", None: "unknown"}
    return f"{words[check.passed]:8} {check.name:11} {check.detail}"
