"""`south-seas verify`: download and check a game's log, and say what that proves.

The download of a game's log and tile set from a service, and other requests of the commands to a running one.

Sentences on what a verified log proves, against whom, and what it does not prove.
"""

import asyncio
import os
import re
import sys
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import aiohttp
import click
import msgspec

from schemas.base import DECODING_ERRORS, without_bom
from schemas.diffs import Diffs
from schemas.game import GameView
from schemas.problems import Problem
from schemas.vocabulary import DIGEST
from service.engine.tileset_validation import TileSetInvalid, parse_tileset
from service.files import read_file
from service.games.archive import GameDocument, InvalidDocument, decode_document, is_document, validate_document
from service.games.history import NOTHING_OBSERVED, Check, Observed, verify
from service.games.tilesets import load_catalogue, read_tileset
from service.supervision import run
from service.telemetry.logs import escape_unprintable

T = TypeVar("T")


TIMEOUT = aiohttp.ClientTimeout(total=30.0)
"""The limit of one request."""

MAX_PAUSE_S = 10
"""The longest wait that a rate limit may ask for; after a longer one the request has failed."""


class RequestFailed(click.ClickException):
    """A service does not answer, or not as requested; the message says why."""


async def fetch(session: aiohttp.ClientSession, url: str, expected: type[T], method: str = "GET", **options: Any) -> T:
    """Return the decoded response of a service, with aiohttp's options of a request. Raises RequestFailed."""
    base = url.partition("/v1/")[0]
    try:
        while True:
            async with session.request(method, url, **options) as response:
                content = await response.read()
            pause_s = response.headers.get("Retry-After", "")
            if response.status != HTTPStatus.TOO_MANY_REQUESTS or pause_s not in map(str, range(MAX_PAUSE_S + 1)):
                break
            await asyncio.sleep(int(pause_s))
        if response.ok:
            return msgspec.json.decode(content, type=expected)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise RequestFailed(f"{base} is unreachable: {str(error) or type(error).__name__}") from error
    except DECODING_ERRORS as error:
        raise RequestFailed(f"{base} is not a South Seas service: {error}") from error
    try:
        detail = msgspec.json.decode(content, type=Problem).detail
    except DECODING_ERRORS:
        detail = f"{response.status} {response.reason}"
    raise RequestFailed(f"{url}: {detail}")


class BadLog(Exception):
    """The file contains no log; the message says why."""


class Log(NamedTuple):
    """A game's log: decoded diffs, oldest first, and the JSON of the tile set where the file contains it."""

    diffs: list[dict[str, Any]]
    tileset: bytes | None


def decode_log(data: bytes) -> Log:
    """Return the log of a file. Raises BadLog."""
    document = _decode(without_bom(data))
    tileset = None
    if isinstance(document, dict) and "diffs" in document:
        if "tileset" in document:
            tileset = msgspec.json.encode(document["tileset"])
        document = document["diffs"]
    elif isinstance(document, dict):
        document = [document]
    if not isinstance(document, list) or not all(isinstance(diff, dict) for diff in document):
        raise BadLog("it contains no list of diffs")
    return Log(document, tileset)


def encode_log(log: Log) -> bytes:
    """Return the content of a file, diffs and tile set, for `decode_log`."""
    return msgspec.json.encode({"tileset": msgspec.Raw(log.tileset or b"null"), "diffs": log.diffs})


def _decode(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except DECODING_ERRORS as error:
        try:
            return msgspec.json.Decoder().decode_lines(data)
        except DECODING_ERRORS:
            raise BadLog(f"it is not JSON: {error}") from error


PAGE_SIZE = 500
"""The number of diffs per request."""


async def download_log(url: str, token: str | None) -> Log:
    """Download the log of the game at `url` (`http://host/v1/games/ID`). Raises RequestFailed."""
    url = url.rstrip("/")
    base, separator, game = url.partition("/v1/games/")
    if not separator or "/" in game or urlsplit(url).scheme not in ("http", "https"):
        raise RequestFailed(f"{url} is not the URL of a game, as http://host/v1/games/ID")
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    diffs: list[dict[str, Any]] = []
    async with aiohttp.ClientSession(headers=headers, timeout=TIMEOUT) as session:
        view = await fetch(session, url, GameView)
        tileset = await fetch(session, f"{base}/v1/tilesets/{view.tileset}", msgspec.Raw)
        while True:
            page = await fetch(session, f"{url}/diffs?since={len(diffs)}&limit={PAGE_SIZE}", Diffs[dict[str, Any]])
            diffs += page.diffs
            if not page.diffs or len(diffs) >= page.version:
                return Log(diffs, bytes(tileset))


KNOWN_TO_CREATOR = "That nobody knew the order: the creator of the game chose the seed."
KNOWN_TO_SERVICE = (
    "That nobody knew the order: the service generated the seed and knew it from the beginning. Its operator could "
    "have chosen a seed that looks random."
)


class Verdict(NamedTuple):
    """The claims that a log proves and those that it does not, as sentences."""

    proved: Sequence[str]
    not_proved: Sequence[str]


def make_verdict(log: Sequence[Mapping[str, Any]], checks: Sequence[Check], observed: Observed) -> Verdict:
    """Return the verdict on a log after its checks; nothing is proved if one of them failed."""
    if any(check.passed is False for check in checks):
        return Verdict((), ("Anything: this log contradicts itself, the rules, or what a player saw.",))
    is_complete, digests = all(check.passed for check in checks), {digest for _, digest in observed.digests}
    pinned = max((diff["version"] for diff in log if diff["digest"] in digests), default=0)
    proved, not_proved = _judge_log(len(log), pinned, observed)
    if not is_complete:
        not_proved.append("The order and the rules: the seed is secret until the game ends.")
    else:
        fixed = (
            "before the first move, unless the whole log is forged"
            if observed == NOTHING_OBSERVED
            else "when the player saw it"
        )
        proved += [
            "The game followed the rules: moves were legal; draws, events and scores follow from moves and seed.",
            f"The order of tiles and ships was fixed {fixed}: no other seed fits the commitment.",
        ]
        not_proved.append(KNOWN_TO_CREATOR if _is_seed_chosen(log) else KNOWN_TO_SERVICE)
    not_proved.append(
        "Who sat where, the times, that bots decided for themselves, and who requested the first seat: the log only "
        "states them."
    )
    return Verdict(proved, not_proved)


def _judge_log(last: int, pinned: int, observed: Observed) -> tuple[list[str], list[str]]:
    """Return what is proved and not proved about this being the log of the game that was played.

    `pinned` is the last version whose digest was observed, 0 for none.
    """
    if observed == NOTHING_OBSERVED:
        chained = (
            "No version was changed, added or removed, unless all later digests were forged too: they are a chain."
        )
        forgeable = (
            "That this is the game that was played: whoever stores the log, the service included, can forge one with "
            "another seed and consistent digests. Give what a player wrote down: --commitment, --digest."
        )
        return [chained], [forgeable]
    if not pinned:
        same_commitment = "The commitment of this log is the one that the player saw."
        return [same_commitment], ["That these moves were played: give a digest that a player saw, with --digest."]
    unchanged = (
        f"Up to version {pinned} this is the log that the player saw: nobody changed it since, not even the service."
    )
    later = f"The moves after version {pinned}: give a later digest that a player saw, with --digest."
    return [unchanged], [later] if pinned < last else []


def _is_seed_chosen(log: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the creator of the game chose the seed, as the first patch says."""
    decks = [operation["value"] for operation in log[0]["patch"] if operation["path"] == "/deck"]
    return bool(decks and decks[0]["seed_chosen"])


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
    log, document = (
        (run(download_log(file_or_url, os.environ.get(TOKEN_VARIABLE))), None)
        if "://" in file_or_url
        else _read_file(Path(file_or_url))
    )
    if save is not None:
        save.write_bytes(encode_log(log))
    observed = Observed(commitment, digests)
    checks = verify(log.diffs, _load_tileset(log, tileset_file), observed)
    if document is not None:
        checks.append(_check_document(document))
    for check in checks:
        word = {True: "ok", False: "WRONG", None: "unknown"}[check.passed]
        click.echo(f"{word:8} {check.name:11} {escape_unprintable(check.detail)}")
    conclusion = make_verdict(log.diffs, checks, observed)
    for title, claims in (("Proved:", conclusion.proved), ("Not proved:", conclusion.not_proved)):
        click.echo("\n".join((title, *(f"- {claim}" for claim in claims)) if claims else ()), nl=bool(claims))
    if any(check.passed is False for check in checks):
        sys.exit(1)
    if any(check.passed is None for check in checks):
        sys.exit(3)


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
