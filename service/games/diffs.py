"""Making a DIFF of a change, chained by digest to the one before. Source: api.md, "Versions and diffs"."""

from schemas.base import canonical_json
from schemas.diffs import DiffBody, PatchOperation, next_digest
from schemas.events import AnyEvent
from schemas.game import GameView
from service.engine import Game, TileSetIndex, build_view
from service.games.lifecycle import advance_version
from service.games.patch import build_patch, compare_views, full_patch
from service.games.ports import StoredDiff


def record_change(  # noqa: PLR0913 (what a diff says of an action)
    index: TileSetIndex,
    game: Game,
    events: list[AnyEvent],
    *,
    at: str,
    seat: int | None = None,
    move: str | None = None,
    by: str | None = None,
    before: GameView | None = None,
) -> StoredDiff:
    """Make the change that `events` tell the game's next version, and give its diff as clients get it.

    Where the events do not tell what they touch, `before` is GAME as it was. The diff is encoded once: its canonical
    form, which the digest is made of, with the digest put before it.
    """
    advance_version(game, events, at=at, seat=seat, move=move, by=by)
    previous = game.digest or game.commitment
    body = canonical_json(
        DiffBody(
            game=game.id,
            version=game.version,
            at=at,
            seat=seat,
            move=move,
            by=by,
            events=events,
            patch=_patch(index, game, events, before),
        )
    )
    game.digest = next_digest(previous, body)
    return StoredDiff(game.version, game.digest, previous, b'{"digest":"%b",%b' % (game.digest.encode(), body[1:]))


def _patch(index: TileSetIndex, game: Game, events: list[AnyEvent], before: GameView | None) -> list[PatchOperation]:
    if game.version == 1:
        return full_patch(index, game)
    if before is not None:
        return compare_views(before, build_view(index, game))
    return build_patch(index, game, events)
