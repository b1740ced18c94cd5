"""Reading a game's log from a file: the diffs as an array, under `diffs`, or one a line; perhaps the `tileset` too."""

from typing import Any, NamedTuple

import msgspec


class BadLog(Exception):
    """The file holds no log; says why."""


class Log(NamedTuple):
    """Diffs decoded from JSON, oldest first, and the tile set's JSON where the file has it."""

    diffs: list[dict[str, Any]]
    tileset: bytes | None


def decode_log(data: bytes) -> Log:
    """The log in a file; raises BadLog."""
    document = _decode(data)
    tileset = None
    if isinstance(document, dict) and "diffs" in document:
        if "tileset" in document:
            tileset = msgspec.json.encode(document["tileset"])
        document = document["diffs"]
    elif isinstance(document, dict):
        document = [document]
    if not isinstance(document, list) or not all(isinstance(diff, dict) for diff in document):
        raise BadLog("it holds no list of diffs")
    return Log(document, tileset)


def encode_log(log: Log) -> bytes:
    """A file that `read_log` reads, complete in itself."""
    return msgspec.json.encode({"tileset": msgspec.Raw(log.tileset or b"null"), "diffs": log.diffs})


def _decode(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:
            return msgspec.json.Decoder().decode_lines(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadLog(f"it is not JSON: {error}") from error
