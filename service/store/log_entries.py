"""The entries of a game's log in Redis: each is the id of its commit, the digest, the time and the compressed diff.

The version is the entry's id in the stream, the previous digest is that of the entry before. What a diff repeats of
these is left out before it is compressed, and put back byte for byte.

A notification has the entries that a commit adds to the log. An instance that has missed nothing passes the diffs on
without reading the log.

Compression of diffs: zstd (RFC 8878) with a dictionary of real ones.

A compressed value is the id of its dictionary (how its SHA-256 begins), then the frame without its magic number.
Dictionaries stay, since they are needed to read what they wrote. `tools/dictionaries` makes new ones.
"""

import sys
from collections.abc import Iterable
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from struct import Struct

import msgspec

from service.games.diffs import next_digest, prepend_digest
from service.games.ports import ChangeNotification, Revision, StoredDiff
from service.telemetry.clock import timestamp, unix_seconds

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdDict, ZstdError
else:
    from backports.zstd import CompressionParameter, ZstdCompressor, ZstdDecompressor, ZstdDict, ZstdError


MAX_BYTES = 16 << 20
"""Of a value: a few forged bytes could become gigabytes."""

_MAGIC_NUMBER = bytes.fromhex("28b52ffd")

DICTIONARIES: Traversable = files(__package__).joinpath("dictionaries")
"""One file each: `diffs-ID.zdict`, the id in hexadecimal digits."""

ID_BYTES = 2
"""Of a dictionary."""

NEWEST = bytes.fromhex("c80e")
"""The dictionary that compresses."""


class Codec:
    """Compresses diffs with a dictionary.

    >>> DIFFS.decompress(DIFFS.compress(b'{"op":"add","path":"/turn"}'))
    b'{"op":"add","path":"/turn"}'
    """

    def __init__(self, level: int, *, checksum: bool = False) -> None:
        self._level = level
        self._checksum = checksum

    def compress(self, value: bytes) -> bytes:
        """Compress a value."""
        return NEWEST + self._compressor.compress(value, ZstdCompressor.FLUSH_FRAME)[len(_MAGIC_NUMBER) :]

    def decompress(self, stored: bytes) -> bytes:
        """Return the value that was compressed. Raises ValueError for what is damaged, or needs another dictionary."""
        decompressor = ZstdDecompressor(_load_dictionary(stored[:ID_BYTES]))
        try:
            value = decompressor.decompress(_MAGIC_NUMBER + stored[ID_BYTES:], MAX_BYTES)
        except ZstdError as error:
            raise ValueError(f"it cannot be decompressed: {error}") from error
        if not decompressor.eof or decompressor.unused_data:
            raise ValueError("it cannot be decompressed: it is cut, too long or too large")
        return value

    @cached_property
    def _compressor(self) -> ZstdCompressor:
        options: dict[int, int] = {
            CompressionParameter.compression_level: self._level,
            CompressionParameter.checksum_flag: self._checksum,
            CompressionParameter.content_size_flag: False,
            CompressionParameter.dict_id_flag: False,
        }
        return ZstdCompressor(options=options, zstd_dict=_load_dictionary(NEWEST).as_digested_dict)


@cache
def _load_dictionary(dictionary_id: bytes) -> ZstdDict:
    file = DICTIONARIES.joinpath(f"diffs-{dictionary_id.hex()}.zdict")
    if not file.is_file():
        raise ValueError(f"it needs the dictionary {dictionary_id.hex()}, which this version does not have")
    return ZstdDict(file.read_bytes())


DIFFS = Codec(3)
"""Level 5 takes twice as many instructions for 13 % of a diff. No checksum: the digests tell what is damaged."""

LOGS = Codec(9, checksum=True)
"""Whole logs: the only copy of a game's proof."""


COMMIT_ID_BYTES = 7
"""Entries begin with the commit's id: commit.lua and restore.lua look for it there."""

_HEADER = Struct(f">{COMMIT_ID_BYTES}s16sI")
"""The commit's id, the digest, and the time in Unix seconds."""

HEADER_BYTES = _HEADER.size

_REVISION = Struct(">I16s")
REVISION_BYTES = _REVISION.size

_WHOLE = b"\0"
"""What a diff begins with in its entry if it leaves nothing out."""


def pack_revision(revision: Revision) -> bytes:
    r"""Return a game's revision as it is stored: its version and digest. NO_REVISION is all zeros.

    >>> unpack_revision(pack_revision(Revision(7, b"\x0f" * 16))) == Revision(7, b"\x0f" * 16)
    True
    """
    return _REVISION.pack(*revision)


def unpack_revision(packed: bytes) -> Revision:
    """Return a stored revision. Raises ValueError."""
    if len(packed) != REVISION_BYTES:
        raise ValueError("the revision is damaged, or of another version of the service")
    return Revision(*_REVISION.unpack(packed))


def pack(commit_id: bytes, game: str, diff: StoredDiff) -> bytes:
    r"""Return the entry of a diff.

    >>> data = b'{"digest":"%b","at":"2026-11-25T21:00:00Z","game":"g","patch":[],"version":7}' % (b"0f" * 16)
    >>> diff = StoredDiff(7, b"\x0f" * 16, b"", "2026-11-25T21:00:00Z", data)
    >>> [*unpack("g", b"", [(7, pack(b"commit-id", "g", diff))])] == [diff]
    True
    """
    header = _HEADER.pack(commit_id, diff.digest, unix_seconds(diff.at))
    return header + DIFFS.compress(shorten(game, diff))


def unpack(game: str, previous: bytes | None, entries: Iterable[tuple[int, bytes]]) -> Iterable[StoredDiff]:
    """Yield the diffs of consecutive entries, each a version and its bytes.

    `previous` is the digest before the first; if it is None, the first entry only says that of the second. Raises
    ValueError for entries that are damaged or not consecutive.
    """
    expected = None
    for version, entry in entries:
        if len(entry) < HEADER_BYTES or version != (expected or version):
            raise ValueError(f"the entry of version {expected or version} is damaged or missing")
        _, digest, at_s = _HEADER.unpack_from(entry)
        expected = version + 1
        if previous is not None:
            body, at = DIFFS.decompress(entry[HEADER_BYTES:]), timestamp(at_s)
            is_whole = body.startswith(_WHOLE)
            data = body[len(_WHOLE) :] if is_whole else _restore(body, game, version, digest, at)
            if version == 1:  # the chain of digests begins with the commitment, which the first diff sets
                previous = bytes.fromhex(_find(data, b'"commitment":"'))
            yield StoredDiff(version, digest, previous, at, data)
        previous = digest


def chain(log: Iterable[bytes]) -> list[StoredDiff]:
    """Return the diffs of a log from its beginning. Raises ValueError if a diff has not the digest that it claims."""
    diffs: list[StoredDiff] = []
    for version, data in enumerate(log, 1):
        previous = diffs[-1].digest if diffs else bytes.fromhex(_find(data, b'"commitment":"'))
        claimed = bytes.fromhex(_find(data, b'"digest":"'))
        diffs.append(check_digest(StoredDiff(version, claimed, previous, _find(data, b'"at":"'), data)))
    return diffs


def check_digest(diff: StoredDiff) -> StoredDiff:
    """Return a diff that has the digest that it claims. Raises ValueError for any other."""
    body = b"{" + diff.data.partition(b",")[2]
    if next_digest(diff.previous, body) != diff.digest or prepend_digest(diff.digest, body) != diff.data:
        raise ValueError(f"the diff of version {diff.version} is damaged")
    return diff


def _find(data: bytes, member: bytes) -> str:
    return data.partition(member)[2].partition(b'"')[0].decode()


def shorten(game: str, diff: StoredDiff) -> bytes:
    """Return a diff without what its entry repeats; the whole diff, marked so, if that could not be undone."""
    data, whole = diff.data, _WHOLE + diff.data
    head, *members = _repetitions(game, diff.version, diff.digest, diff.at)
    if not data.startswith(head) or data.startswith(_WHOLE, len(head)):
        return whole
    parts: list[bytes] = []
    rest = data[len(head) :]
    for member, short in zip(members, _SHORT, strict=True):
        before, found, rest = rest.partition(member)
        part = before + short
        if not found or part.index(short) < len(before):
            return whole
        parts.append(part)
    return b"".join((*parts, rest))


def _restore(body: bytes, game: str, version: int, digest: bytes, at: str) -> bytes:
    head, *members = _repetitions(game, version, digest, at)
    parts, rest = [head], body
    for member, short in zip(members, _SHORT, strict=True):
        before, _, rest = rest.partition(short)
        parts += before, member
    return b"".join((*parts, rest))


def _repetitions(game: str, version: int, digest: bytes, at: str) -> Iterable[bytes]:
    """Return how a diff begins, and its members that an entry has shorter, in order."""
    return (
        (
            f'{{"digest":"{digest.hex()}","at":"{at}\0"game":"{game}"\0"path":"/version","value":{version}}}\0'
            f'"path":"/updated_at","value":"{at}"\0,"version":{version}}}'
        )
        .encode()
        .split(b"\0")
    )


_SHORT = (b'"game":""', b'"path":"/version"}', b'"path":"/updated_at"', b',"version":}')
"""What stands for these members. The first place that looks so is the member's: `shorten` makes sure."""


def decode_notification(game: str, message: bytes) -> ChangeNotification:
    """Return the notification that commit.lua published.

    Raises ValueError for any other message: whoever may publish there could send it. Each diff has to have the digest
    that it claims, so a damaged one is never passed on.
    """
    expected, revokes_token, sent_us, entries = _DECODER.decode(message)
    version, digest = unpack_revision(expected)
    diffs, size = [], 0
    for diff in unpack(game, digest, enumerate(entries, version + 1)):
        diffs.append(check_digest(diff))
        size += len(diff.data)
        if size > MAX_BYTES:
            raise ValueError("the diffs are too large")
    return ChangeNotification(game, diffs, revokes_token, sent_us)


_DECODER = msgspec.msgpack.Decoder(tuple[bytes, bool, int, list[bytes]])
"""Of the packed revision before the commit, whether it revokes a token, its time in Unix microseconds, its entries."""
