"""Idempotency keys: a retry with the same key gets the first response again. Only successes are recorded, for 24 h.

A key is scoped by path and token. A record does not hold the response, but says which version it was of: a replay is
made of the log and the current game.
"""

import secrets
import struct
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from schemas.base import canonical_json
from service.games.access import MIN_SECRET_LENGTH, is_guessable
from service.games.errors import IdempotencyKeyReused, Malformed, TokensNoLongerShown
from service.telemetry.clock import DAY_S

T = TypeVar("T")

_FORMAT = 1
"""First byte of a record."""

_RECORD = struct.Struct(">BBIIH4s")
"""Format, one byte of the token's hash (quotas count by it), time, version, detail, hash of the request.

Where the response has tokens, the hashes of the client's lasting secrets follow.
"""

SECRET_BYTES = 32
TOKENS_SHOWN_S = 600
"""How long a key alone shows tokens again."""
_CLIENT_BYTES = 8
_REQUEST_BYTES = 4
_MAX_DETAIL = 2**16 - 1


class IdempotencyRecord(msgspec.Struct, frozen=True):
    """A record to store with a commit: `key` is a hash of path, token and the client's key.

    The store reads two parts of a record: byte 2, a hash of the token, and bytes 3 to 6, the time.
    """

    key: str
    record: bytes


class Replayed(msgspec.Struct, frozen=True):
    """The idempotency key has a record already: nothing was changed."""

    record: bytes


class IdempotencyScope(msgspec.Struct, frozen=True):
    """A client's key in its scope, as a hash: tokens may be derived from the key."""

    key_hash: str
    request_hash: bytes
    token_hash_byte: int
    """First byte of the token's hash."""
    client_hashes: frozenset[bytes] | None
    """Of the client's API key and `Creator-Key`; None where the response has no tokens."""


class FirstResponse(NamedTuple):
    """What the record says of the first response."""

    version: int
    """Of the game after the first request."""
    detail: int
    """For an action the number of its diffs, for a seat its number."""


class ReplayableResult(NamedTuple, Generic[T]):
    """A response that is the first one, or its replay."""

    response: T
    version: int
    """Of the game after the first request."""
    replayed: bool = False
    """Whether the request is a retry: then the response has the current game."""


def idempotency_scope(
    key: str | None, path: str, token: str | None, request: Any, identities: Sequence[str] | None = None
) -> IdempotencyScope | None:
    """Return the scope of a key and the hash of its request, None without a key."""
    if key is None:
        return None
    token_digest = sha256((token or "").encode()).digest()
    stored = sha256(f"{key}\0{path}\0".encode() + token_digest).hexdigest()
    clients = None
    if identities is not None:
        clients = frozenset(sha256(one.encode()).digest()[:_CLIENT_BYTES] for one in identities)
    return IdempotencyScope(stored, sha256(canonical_json(request)).digest(), token_digest[0], clients)


def token_secret(key: str | None) -> bytes:
    """Return the secret that tokens are derived from: the key, so that a retry gets the same tokens, or random bytes.

    Raises Malformed for a key that is easy to guess.
    """
    if key is None:
        return secrets.token_bytes(SECRET_BYTES)
    if is_guessable(key):
        detail = f"tokens derive from this key: send {MIN_SECRET_LENGTH} random characters (`openssl rand -hex 16`)"
        raise Malformed(detail, "Idempotency-Key")
    return key.encode()


def new_record(scope: IdempotencyScope | None, now: float, version: int, detail: int = 0) -> IdempotencyRecord | None:
    """Return the record to store with a commit, None without a key; `now` in Unix seconds."""
    if scope is None:
        return None
    request = scope.request_hash[:_REQUEST_BYTES]
    detail = min(detail, _MAX_DETAIL)
    record = _RECORD.pack(_FORMAT, scope.token_hash_byte, int(now), version, detail, request)
    return IdempotencyRecord(scope.key_hash, record + b"".join(scope.client_hashes or ()))


def read_record(scope: IdempotencyScope | None, record: bytes | None, now: float) -> FirstResponse | None:
    """Return what a stored record says, None for none of the last 24 h.

    Raises IdempotencyKeyReused if the first request was another one, TokensNoLongerShown if it may be another client's.
    """
    if scope is None or record is None:
        return None
    record_format, _, recorded_at, version, detail, request = _RECORD.unpack_from(record)
    if record_format != _FORMAT or now - recorded_at >= DAY_S:
        return None
    if request != scope.request_hash[:_REQUEST_BYTES]:
        raise IdempotencyKeyReused
    if scope.client_hashes is not None and now - recorded_at >= TOKENS_SHOWN_S:
        known = {record[start : start + _CLIENT_BYTES] for start in range(_RECORD.size, len(record), _CLIENT_BYTES)}
        if known.isdisjoint(scope.client_hashes):
            raise TokensNoLongerShown
    return FirstResponse(version, detail)
