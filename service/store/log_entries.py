"""The entries of a game's log in Redis: each is the id of its commit, the digest, the time and the compressed diff.

The version is the entry's id in the stream, the previous digest is that of the entry before. What a diff repeats of
these is left out before it is compressed, and put back byte for byte.
"""

from collections.abc import Iterable
from struct import Struct

from schemas.diffs import next_digest
from service.games.ports.game_store import Revision, StoredDiff
from service.store.compression import DIFFS
from service.telemetry.clock import timestamp, unix_seconds

__all__ = [
    "COMMIT_ID_BYTES",
    "REVISION_BYTES",
    "chain",
    "check_digest",
    "pack",
    "pack_revision",
    "shorten",
    "unpack",
    "unpack_revision",
]

COMMIT_ID_BYTES = 7
"""Entries begin with the commit's id: commit.lua and restore.lua look for it there."""

_HEADER = Struct(f">{COMMIT_ID_BYTES}s16sI")
"""The commit's id, the digest, and the time in Unix seconds: 0 if the diff is whole."""

_REVISION = Struct(">I16s")
REVISION_BYTES = _REVISION.size

_DIGEST = slice(11, 43)
_TIME = slice(51, 71)
"""Where the time stands in a diff: after `{"digest":"`, the digest and `","at":"`."""

_COMMITMENT = b'"commitment":"'


def pack_revision(revision: Revision | None) -> bytes:
    """Return a game's revision as it is stored: its version and digest. No revision is all zeros.

    >>> unpack_revision(pack_revision(Revision(7, "0f" * 16))) == Revision(7, "0f" * 16)
    True
    """
    return bytes(REVISION_BYTES) if revision is None else _REVISION.pack(revision[0], bytes.fromhex(revision[1]))


def unpack_revision(packed: bytes) -> Revision:
    """Return a stored revision. Raises ValueError."""
    if len(packed) != REVISION_BYTES:
        raise ValueError("the revision is damaged")
    version, digest = _REVISION.unpack(packed)
    return Revision(version, digest.hex())


def pack(commit_id: bytes, game: str, diff: StoredDiff) -> bytes:
    """Return the entry of a diff.

    >>> data = b'{"digest":"%b","at":"2026-11-25T21:00:00Z","game":"g","patch":[],"version":7}' % (b"0f" * 16)
    >>> diff = StoredDiff(7, "0f" * 16, "", data)
    >>> [*unpack("g", "", [(7, pack(b"commit-id", "g", diff))])] == [diff]
    True
    """
    body, at_s = shorten(game, diff)
    return _HEADER.pack(commit_id, bytes.fromhex(diff.digest), at_s) + DIFFS.compress(body)


def unpack(game: str, previous: str | None, entries: Iterable[tuple[int, bytes]]) -> Iterable[StoredDiff]:
    """Yield the diffs of consecutive entries, each a version and its bytes.

    `previous` is the digest before the first; if it is None, the first entry only says that of the second. Raises
    ValueError for entries that are damaged or not consecutive.
    """
    expected = None
    for version, entry in entries:
        if len(entry) < _HEADER.size or version != (expected or version):
            raise ValueError(f"the entry of version {expected or version} is damaged or missing")
        _, packed, at_s = _HEADER.unpack_from(entry)
        digest, expected = packed.hex(), version + 1
        if previous is not None:
            data = DIFFS.decompress(entry[_HEADER.size :])
            if at_s:
                data = _restore(data, game, version, digest, timestamp(at_s))
            if version == 1:  # the chain of digests begins with the commitment, which the first diff sets
                previous = _find_commitment(data)
            yield StoredDiff(version, digest, previous, data)
        previous = digest


def chain(log: Iterable[bytes]) -> list[StoredDiff]:
    """Return the diffs of a log from its beginning. Raises ValueError if a diff has not the digest that it claims."""
    diffs: list[StoredDiff] = []
    for version, data in enumerate(log, 1):
        previous = diffs[-1].digest if diffs else _find_commitment(data)
        diffs.append(check_digest(StoredDiff(version, data[_DIGEST].decode(), previous, data)))
    return diffs


def check_digest(diff: StoredDiff) -> StoredDiff:
    """Return a diff that has the digest that it claims. Raises ValueError for any other."""
    before, head, body = diff.data.partition(b'{"digest":"%b",' % diff.digest.encode())
    if before or not head or next_digest(diff.previous, b"{" + body) != diff.digest:
        raise ValueError(f"the diff of version {diff.version} is damaged")
    return diff


def _find_commitment(data: bytes) -> str:
    return data.partition(_COMMITMENT)[2].partition(b'"')[0].decode()


def shorten(game: str, diff: StoredDiff) -> tuple[bytes, int]:
    """Return a diff without what its entry repeats, and its time; the whole diff and 0 if that could not be undone."""
    data, at = diff.data, diff.data[_TIME].decode("ascii", "replace")
    head, *members = _repetitions(game, diff.version, diff.digest, at)
    if not data.startswith(head):
        return data, 0
    parts: list[bytes] = []
    rest = data[len(head) :]
    for member, short in zip(members, _SHORT, strict=True):
        before, found, rest = rest.partition(member)
        part = before + short
        if not found or part.index(short) < len(before):
            return data, 0
        parts.append(part)
    return b"".join((*parts, rest)), unix_seconds(at)


def _restore(body: bytes, game: str, version: int, digest: str, at: str) -> bytes:
    head, *members = _repetitions(game, version, digest, at)
    parts, rest = [head], body
    for member, short in zip(members, _SHORT, strict=True):
        before, _, rest = rest.partition(short)
        parts += before, member
    return b"".join((*parts, rest))


def _repetitions(game: str, version: int, digest: str, at: str) -> Iterable[bytes]:
    """Return how a diff begins, and its members that an entry has shorter, in order."""
    return (
        (
            f'{{"digest":"{digest}","at":"{at}\0"game":"{game}"\0"path":"/version","value":{version}}}\0'
            f'"path":"/updated_at","value":"{at}"\0,"version":{version}}}'
        )
        .encode()
        .split(b"\0")
    )


_SHORT = (b'"game":""', b'"path":"/version"}', b'"path":"/updated_at"', b',"version":}')
"""What stands for these members. The first place that looks so is the member's: `shorten` makes sure."""
