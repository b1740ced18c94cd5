"""Log files: a JSON array of diffs, an object with `diffs` and perhaps `tileset`, or one diff per line."""

from typing import Any, NamedTuple

import msgspec

from schemas.base import without_bom


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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:
            return msgspec.json.Decoder().decode_lines(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadLog(f"it is not JSON: {error}") from error
