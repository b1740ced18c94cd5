"""Making a DIFF of a change, chained by digest to the one before. Source: api.md, "Versions and diffs"."""

from hashlib import sha256

from schemas.base import canonical
from schemas.diffs import DiffBody
from schemas.events import AnyEvent
from service.engine import Game, Tables
from service.games.patch import patch, whole
from service.games.port import StoredDiff

DIGEST_DIGITS = 32


def chain(previous: str, body: bytes) -> str:
    """The digest of a diff: of the digest before it (the commitment before version 1) and its RFC 8785 form."""
    return sha256(previous.encode("ascii") + body).hexdigest()[:DIGEST_DIGITS]


def record(  # noqa: PLR0913 (what a diff says of an action)
    tables: Tables,
    game: Game,
    events: list[AnyEvent],
    *,
    at: str,
    seat: int | None = None,
    move: str | None = None,
    by: str | None = None,
) -> StoredDiff:
    """Make the change that `events` tell the game's next version, and give its diff as clients get it.

    The diff is encoded once: its canonical form, which the digest is made of, with the digest put before it.
    """
    game.version += 1
    game.updated_at = at
    previous = game.digest or game.commitment
    body = canonical(
        DiffBody(
            game=game.id,
            version=game.version,
            at=at,
            seat=seat,
            move=move,
            by=by,
            events=events,
            patch=whole(tables, game) if game.version == 1 else patch(tables, game, events),
        )
    )
    game.digest = chain(previous, body)
    return StoredDiff(game.version, game.digest, previous, b'{"digest":"%b",%b' % (game.digest.encode(), body[1:]))
