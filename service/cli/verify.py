"""The commands that check something without serving it: `south-seas verify` and `south-seas tileset check`."""

import asyncio
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from schemas.vocabulary import DIGEST
from service.cli.log_file import BadLog, Log, decode_log, encode_log
from service.cli.verdict import make_verdict
from service.client.errors import ClientError
from service.client.fetching import download_log
from service.engine.tileset_validation import Fault, TileSetInvalid, parse_tileset
from service.escaping import escape_unprintable
from service.games.archive.document import GameDocument, InvalidDocument, decode_document, is_document
from service.games.archive.validation import validate_document
from service.games.tilesets import load_catalogue
from service.games.verify import Check, Observed, verify

TOKEN_VARIABLE = "SOUTH_SEAS_TOKEN"  # noqa: S105  the name of a variable

_HEX_64 = re.compile(r"[0-9a-f]{64}")
_DIGEST = re.compile(rf'"?(?:(\d{{1,10}})-)?({DIGEST})"?', re.ASCII)


def _parse_commitment(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Refuse what no commitment could be."""
    if text is None or _HEX_64.fullmatch(text):
        return text
    raise click.BadParameter("a commitment is 64 hex digits, as deck.commitment says")


def _parse_digests(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> tuple[tuple[int | None, str], ...]:
    """Refuse what no digest could be."""
    found = [_DIGEST.fullmatch(text) for text in texts]
    if not all(found):
        raise click.BadParameter("a digest is 32 hex digits, or VERSION-DIGEST as an ETag has it")
    return tuple((int(one[1]) if one[1] else None, one[2]) for one in found if one)


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
@click.option(
    "--commitment",
    callback=_parse_commitment,
    metavar="HEX",
    help="The game's deck.commitment, as a player saw it: refuse the log of another game, or one made anew.",
)
@click.option(
    "--digest",
    "digests",
    callback=_parse_digests,
    metavar="HEX",
    multiple=True,
    help="A digest that a player saw, or VERSION-DIGEST as an ETag has it: refuse a log that was changed up to there. "
    "May be given several times.",
)
def verify_command(
    file_or_url: str,
    tileset_file: Path | None,
    save: Path | None,
    commitment: str | None,
    digests: tuple[tuple[int | None, str], ...],
) -> None:
    """Replay a game's whole log and check commitment, shuffle, digests, rules and result.

    FILE_OR_URL is http://HOST/v1/games/ID (for a private game put one of its tokens in SOUTH_SEAS_TOKEN), a document
    of the archive or of `export`, whose snapshot is checked too, or a file with the diffs: an array, an object with
    `diffs`, or one a line. Says what is proved and what is not: whoever makes a whole log anew makes all digests fit,
    unless --commitment or --digest say what a player saw. Ends with 0 when all checks passed, 1 when something is
    wrong, 3 when the game is not over yet, so that its seed is not known.
    """
    log, document = (_fetch_log(file_or_url), None) if "://" in file_or_url else _read_file(Path(file_or_url))
    if save is not None:
        save.write_bytes(encode_log(log))
    seen = Observed(commitment, digests)
    checks = verify(log.diffs, _load_tileset(log, tileset_file), seen)
    if document is not None:
        checks.append(_check_document(document))
    for check in checks:
        click.echo(_format_check(check))
    conclusion = make_verdict(log.diffs, checks, seen)
    for title, claims in (("Proved:", conclusion.proved), ("Not proved:", conclusion.not_proved)):
        click.echo("\n".join((title, *(f"- {claim}" for claim in claims)) if claims else ()), nl=bool(claims))
    if any(check.passed is False for check in checks):
        sys.exit(1)
    if any(check.passed is None for check in checks):
        sys.exit(3)


@click.group("tileset")
def tileset_group() -> None:
    """Tile sets: the tiles and ships that games are played with."""


@tileset_group.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def check_tileset_command(file: Path) -> None:
    """Check a tile set's file; says for each fault where and why, and ends with 1 if there is any."""
    try:
        tileset = parse_tileset(file.read_bytes())
    except TileSetInvalid as invalid:
        for fault in invalid.faults:
            click.echo(escape_unprintable(f"{file}: {describe_fault(fault)}"), err=True)
        sys.exit(1)
    tiles = sum(tile.count for tile in tileset.tiles)
    click.echo(
        f"{file}: {tileset.id} is a playable tile set: {tiles} tiles of {len(tileset.tiles)} types, "
        f"{len(tileset.ships)} ships"
    )


def describe_fault(fault: Fault) -> str:
    """Return a fault as `PATH: REASON`."""
    return fault.reason if fault.path == "$" else f"{fault.path}: {fault.reason}"


def _fetch_log(url: str) -> Log:
    try:
        fetched = asyncio.run(download_log(url, os.environ.get(TOKEN_VARIABLE)))
    except ClientError as failed:
        raise click.ClickException(str(failed)) from failed
    return Log(fetched.diffs, fetched.tileset)


def _read_file(path: Path) -> tuple[Log, GameDocument | None]:
    """The log in a file, and the document that it is of, where it is one."""
    try:
        data = path.read_bytes()
        if not is_document(data):
            return decode_log(data), None
        document = decode_document(data)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror}") from error
    except (BadLog, InvalidDocument) as bad:
        raise click.ClickException(f"{path}: {bad}") from bad
    return Log([msgspec.json.decode(diff) for diff in document.diffs], bytes(document.tileset)), document


def _check_document(document: GameDocument) -> Check:
    """Whether the document's snapshot is the game that its log tells."""
    try:
        validate_document(document)
    except InvalidDocument as bad:
        return Check("snapshot", passed=False, detail=str(bad))
    return Check("snapshot", passed=True, detail=f"{document.kind} of version {document.version}, {document.digest}")


def _load_tileset(log: Log, file: Path | None) -> Any:
    """The tile set that the log was played with: the one named, the one beside the diffs, or a built-in one."""
    data = file.read_bytes() if file is not None else log.tileset
    if data is not None:
        try:
            return parse_tileset(data)
        except TileSetInvalid as invalid:
            raise click.ClickException(
                f"the tile set cannot be played: {describe_fault(invalid.faults[0])}"
            ) from invalid
    patch = log.diffs[0].get("patch") if log.diffs else None
    operations = [one for one in patch if isinstance(one, dict)] if isinstance(patch, list) else []
    named = [operation.get("value") for operation in operations if operation.get("path") == "/tileset"]
    for loaded in load_catalogue(None):
        if loaded.tileset.id in named:
            return loaded.tileset
    raise click.ClickException("the log names no tile set that this program has: name its file with --tileset")


def _format_check(check: Check) -> str:
    words = {True: "ok", False: "WRONG", None: "unknown"}
    return f"{words[check.passed]:8} {check.name:11} {escape_unprintable(check.detail)}"
