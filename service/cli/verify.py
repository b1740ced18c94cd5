"""`south-seas verify`: check a game's log."""

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
from service.cli.log_download import BadLog, DownloadFailed, Log, decode_log, download_log, encode_log
from service.cli.verdict import make_verdict
from service.engine.tileset_validation import TileSetInvalid, parse_tileset
from service.files import read_file
from service.games.archive.document import GameDocument, InvalidDocument, decode_document, is_document
from service.games.archive.validation import validate_document
from service.games.history.verify import Check, Observed, verify
from service.games.tilesets import load_catalogue, read_tileset
from service.telemetry.logs import escape_unprintable

TOKEN_VARIABLE = "SOUTH_SEAS_TOKEN"  # noqa: S105  the name of a variable

_HEX_64 = re.compile(r"[0-9a-f]{64}")
_DIGEST = re.compile(rf'"?(?:(\d{{1,10}})-)?({DIGEST})"?', re.ASCII)


def _parse_commitment(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Return a commitment. Raises click.BadParameter."""
    if text is None or _HEX_64.fullmatch(text):
        return text
    raise click.BadParameter("a commitment is 64 hex digits, as deck.commitment says")


def _parse_digests(
    _context: click.Context, _option: click.Parameter, texts: Sequence[str]
) -> tuple[tuple[int | None, str], ...]:
    """Return digests with their versions, where given. Raises click.BadParameter."""
    matches = [_DIGEST.fullmatch(text) for text in texts]
    if not all(matches):
        raise click.BadParameter("a digest is 32 hex digits, or VERSION-DIGEST as an ETag has it")
    return tuple((int(match[1]) if match[1] else None, match[2]) for match in matches if match)


@click.command("verify")
@click.argument("file_or_url")
@click.option(
    "--tileset",
    "tileset_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Tile set, if neither the file nor this program has it.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the log of a URL to a file that can be verified without the service.",
)
@click.option(
    "--commitment",
    callback=_parse_commitment,
    metavar="HEX",
    help="The deck.commitment that a player saw: reject the log of another game, or a forged one.",
)
@click.option(
    "--digest",
    "digests",
    callback=_parse_digests,
    metavar="HEX",
    multiple=True,
    help="A digest that a player saw, or VERSION-DIGEST as in an ETag: reject a log that was changed before it. May be "
    "given several times.",
)
def verify_command(
    file_or_url: str,
    tileset_file: Path | None,
    save: Path | None,
    commitment: str | None,
    digests: tuple[tuple[int | None, str], ...],
) -> None:
    """Replay a game's whole log and check commitment, shuffle, digests, rules and result.

    FILE_OR_URL is http://HOST/v1/games/ID (for a private game put one of its tokens in SOUTH_SEAS_TOKEN), a document of
    the archive or of `export`, whose snapshot is checked too, or a file with the diffs: an array, an object with
    `diffs`, or one diff per line. Prints what is proved and what is not: a completely forged log passes, unless
    --commitment or --digest give what a player saw. Exits with 0 if all checks passed, 1 if one failed, 3 if the game
    is not over, so that its seed is still secret.
    """
    log, document = (_fetch_log(file_or_url), None) if "://" in file_or_url else _read_file(Path(file_or_url))
    if save is not None:
        save.write_bytes(encode_log(log))
    observed = Observed(commitment, digests)
    checks = verify(log.diffs, _load_tileset(log, tileset_file), observed)
    if document is not None:
        checks.append(_check_document(document))
    for check in checks:
        click.echo(_format_check(check))
    conclusion = make_verdict(log.diffs, checks, observed)
    for title, claims in (("Proved:", conclusion.proved), ("Not proved:", conclusion.not_proved)):
        click.echo("\n".join((title, *(f"- {claim}" for claim in claims)) if claims else ()), nl=bool(claims))
    if any(check.passed is False for check in checks):
        sys.exit(1)
    if any(check.passed is None for check in checks):
        sys.exit(3)


def _fetch_log(url: str) -> Log:
    try:
        return asyncio.run(download_log(url, os.environ.get(TOKEN_VARIABLE)))
    except DownloadFailed as error:
        raise click.ClickException(str(error)) from error


def _read_file(path: Path) -> tuple[Log, GameDocument | None]:
    """Return the log of a file, and the document if the file is one."""
    try:
        data = read_file(path)
        if not is_document(data):
            return decode_log(data), None
        document = decode_document(data)
    except (BadLog, InvalidDocument) as error:
        raise click.ClickException(f"{path}: {error}") from error
    return Log([msgspec.json.decode(diff) for diff in document.diffs], bytes(document.tileset)), document


def _check_document(document: GameDocument) -> Check:
    """Check that the document's snapshot is the result of its log."""
    try:
        validate_document(document)
    except InvalidDocument as error:
        return Check("snapshot", passed=False, detail=str(error))
    return Check("snapshot", passed=True, detail=f"{document.kind} of version {document.version}, {document.digest}")


def _load_tileset(log: Log, file: Path | None) -> Any:
    """Return the tile set of a log: that of the file given, that beside the diffs, or a built-in one."""
    try:
        if file is not None:
            return read_tileset(file)
        if log.tileset is not None:
            return parse_tileset(log.tileset)
    except TileSetInvalid as invalid:
        raise click.ClickException(f"the tile set cannot be played: {invalid.faults[0]}") from invalid
    patch = log.diffs[0].get("patch") if log.diffs else None
    operations = [item for item in patch if isinstance(item, dict)] if isinstance(patch, list) else []
    tileset_ids = [operation.get("value") for operation in operations if operation.get("path") == "/tileset"]
    for loaded in load_catalogue(None):
        if loaded.tileset.id in tileset_ids:
            return loaded.tileset
    raise click.ClickException("the log names no tile set that this program has: name its file with --tileset")


def _format_check(check: Check) -> str:
    words = {True: "ok", False: "WRONG", None: "unknown"}
    return f"{words[check.passed]:8} {check.name:11} {escape_unprintable(check.detail)}"
