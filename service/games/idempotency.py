"""Answers kept for retries: a key counts per path and token, for 24 h; only successes are kept.

Source: api.md, "Acting".
"""

from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from schemas.base import canonical
from service.games.errors import KeyReused, Malformed
from service.games.key_strength import MIN_SECRET, is_guessable
from service.games.port import Keep

KEPT_S = 86_400


class KeptAnswer(msgspec.Struct, array_like=True, gc=False):
    """What is stored under a key: what was asked, and what was answered."""

    request: bytes
    answer: bytes
    since: int | None = None
    """The answer's diffs are left out: they are those of the log after this version, up to the answer's own."""


class Idempotency(NamedTuple):
    """A client's key in its scope. The key itself is a secret where tokens are handed out, and is never stored."""

    key: bytes
    stored_key: str
    request: bytes


def scope(key: str | None, path: str, token: str | None, request: Any) -> Idempotency | None:
    """The scope of a key: the path, the token, and the request that it was sent with; None without a key."""
    if key is None:
        return None
    whom = sha256((token or "").encode()).digest()
    parts = sha256(key.encode()).digest(), sha256(path.encode()).digest(), whom
    stored = sha256(b"\0".join(parts)).hexdigest()
    return Idempotency(key.encode(), stored, sha256(canonical(request)).digest())


def check_secret(idempotency: Idempotency | None) -> None:
    """Raise Malformed unless the key is one that tokens may be made of."""
    if idempotency is not None and is_guessable(idempotency.key.decode()):
        detail = f"where tokens are handed out, the key must be a secret of {MIN_SECRET} or more random characters"
        raise Malformed(detail, "Idempotency-Key")


def keep(idempotency: Idempotency | None, answer: bytes, since: int | None = None) -> Keep | None:
    """What to store with the commit."""
    if idempotency is None:
        return None
    return Keep(idempotency.stored_key, _ENCODER.encode(KeptAnswer(idempotency.request, answer, since)), KEPT_S)


def find(idempotency: Idempotency | None, kept: bytes | None) -> KeptAnswer | None:
    """What was kept of the same request; raises KeyReused where the request was another."""
    if idempotency is None or kept is None:
        return None
    found = _DECODER.decode(kept)
    if found.request != idempotency.request:
        raise KeyReused
    return found


def replay(idempotency: Idempotency | None, kept: bytes | None) -> bytes | None:
    """The answer given before to the same request, where it has no diffs; raises KeyReused as `find` does."""
    found = find(idempotency, kept)
    return None if found is None else found.answer


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(KeptAnswer)
