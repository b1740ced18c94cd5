"""The commands that check something without serving it: `south-seas verify` and `south-seas tileset check`."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from service.client.errors import ClientError
from service.client.fetching import fetch_log
from service.engine.tileset_check import Fault, TileSetInvalid, parse
from service.games.archive.document import BadDocument, GameDocument, is_document, read
from service.games.archive.proving import prove
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

    FILE_OR_URL is http://HOST/v1/games/ID (for a private game put one of its tokens in SOUTH_SEAS_TOKEN), a document
    of the archive or of `export`, whose snapshot is checked too, or a file with the diffs: an array, an object with
    `diffs`, or one a line. Ends with 0 when all is proven, 1 when something is
    wrong, 3 when the game is not over yet, so that its seed is not known.
    """
    log, document = (_fetch(file_or_url), None) if "://" in file_or_url else _read(Path(file_or_url))
    if save is not None:
        save.write_bytes(write_log(log))
    checks = verify(log.diffs, _tileset_of(log, tileset_file))
    if document is not None:
        checks.append(_check_document(document))
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


def _read(path: Path) -> tuple[Log, GameDocument | None]:
    """The log in a file, and the document that it is of, where it is one."""
    try:
        data = path.read_bytes()
        if not is_document(data):
            return read_log(data), None
        document = read(data)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from error
    except (BadLog, BadDocument) as bad:
        raise click.ClickException(f"{path}: {bad}") from bad
    return Log([msgspec.json.decode(diff) for diff in document.diffs], bytes(document.tileset)), document


def _check_document(document: GameDocument) -> Check:
    """Whether the document's snapshot is the game that its log tells."""
    try:
        prove(document)
    except BadDocument as bad:
        return Check("snapshot", passed=False, detail=str(bad))
    return Check("snapshot", passed=True, detail=f"{document.kind} of version {document.version}, {document.digest}")


def _tileset_of(log: Log, file: Path | None) -> Any:
    """The tile set that the log was played with: the one named, the one beside the diffs, or a built-in one."""
    data = file.read_bytes() if file is not None else log.tileset
    if data is not None:
        try:
            return parse(data)
        except TileSetInvalid as invalid:
            raise click.ClickException(f"the tile set cannot be played: {_where(invalid.faults[0])}") from invalid
    patch = log.diffs[0].get("patch") if log.diffs else None
    operations = [one for one in patch if isinstance(one, dict)] if isinstance(patch, list) else []
    named = [operation.get("value") for operation in operations if operation.get("path") == "/tileset"]
    for loaded in load_catalogue(None):
        if loaded.tileset.id in named:
            return loaded.tileset
    raise click.ClickException("the log names no tile set that this program has: name its file with --tileset")


def _line(check: Check) -> str:
    words = {True: "ok", False: "WRONG", None: "unknown"}
    return f"{words[check.passed]:8} {check.name:11} {check.detail}"
