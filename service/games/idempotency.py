"""Records kept for retries: a key counts per path and token, for 24 h; only successes are kept.

A record names what the first request brought about, and holds none of it: the second answer is made of the log, and of
the game as it is now. Source: api.md, "Acting".
"""

import secrets
import struct
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar

from schemas.base import canonical_json
from service.games.access import MIN_SECRET, is_guessable
from service.games.errors import IdempotencyKeyReused, Malformed
from service.games.timestamps import DAY_S

T = TypeVar("T")

_FORM = 1
"""First byte of a record."""

_RECORD = struct.Struct(">BBIIH16s")
"""Form, whose key it is (one byte of the token's hash, which budgets go by), time, version, detail, request."""

SECRET_BYTES = 32
_REQUEST_BYTES = 16
_MAX_DETAIL = 2**16 - 1


class IdempotencyRecord(NamedTuple):
    """A record to keep for retries: `key` is already a hash of path, token and client's key.

    The store knows of a record that its second byte says whose key it is, and the four bytes from the third on when it
    was kept.
    """

    key: str
    record: bytes


class IdempotencyScope(NamedTuple):
    """A client's key in its scope. The key itself is a secret where tokens are handed out, and is never stored."""

    key: bytes
    stored_key: str
    request_hash: bytes
    token_byte: int
    """Stands for the token, or for none, in the record."""


class FirstResponse(NamedTuple):
    """What is known of the first request with a key."""

    version: int
    """Of the game, after it."""
    detail: int
    """Of an action the number of its diffs, of a seat its number."""


class ReplayableResult(NamedTuple, Generic[T]):
    """An answer that hands something out."""

    response: T
    version: int
    """Of the game, after it was done for the first time."""
    replayed: bool = False
    """Whether it was done before: then the answer's game is as it is now."""


def idempotency_scope(key: str | None, path: str, token: str | None, request: Any) -> IdempotencyScope | None:
    """The scope of a key: the path, the token, and the request that it was sent with; None without a key."""
    if key is None:
        return None
    whom = sha256((token or "").encode()).digest()
    parts = sha256(key.encode()).digest(), sha256(path.encode()).digest(), whom
    stored = sha256(b"\0".join(parts)).hexdigest()
    return IdempotencyScope(key.encode(), stored, sha256(canonical_json(request)).digest(), whom[0])


def token_secret(idempotency: IdempotencyScope | None) -> bytes:
    """What tokens are made of: the key, so that a retry gets the same ones, or chance that nobody keeps.

    Raises Malformed where a key may be guessed.
    """
    if idempotency is None:
        return secrets.token_bytes(SECRET_BYTES)
    if is_guessable(idempotency.key.decode()):
        detail = f"where tokens are handed out, the key must be a secret of {MIN_SECRET} or more random characters"
        raise Malformed(detail, "Idempotency-Key")
    return idempotency.key


def new_record(
    idempotency: IdempotencyScope | None, now: float, version: int, detail: int = 0
) -> IdempotencyRecord | None:
    """What to store with the commit; `now` in Unix seconds."""
    if idempotency is None:
        return None
    request = idempotency.request_hash[:_REQUEST_BYTES]
    detail = min(detail, _MAX_DETAIL)
    return IdempotencyRecord(
        idempotency.stored_key, _RECORD.pack(_FORM, idempotency.token_byte, int(now), version, detail, request)
    )


def read_record(idempotency: IdempotencyScope | None, kept: bytes | None, now: float) -> FirstResponse | None:
    """What was kept of the same request in the last 24 h; raises KeyReused where the request was another."""
    if idempotency is None or kept is None:
        return None
    form, _, at, version, detail, request = _RECORD.unpack(kept)
    if form != _FORM or now - at >= DAY_S:
        return None
    if request != idempotency.request_hash[:_REQUEST_BYTES]:
        raise IdempotencyKeyReused
    return FirstResponse(version, detail)
