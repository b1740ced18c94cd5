"""Recording a change as a DIFF, chained by its digest to the one before."""

from schemas.base import canonical_json
from schemas.diffs import DiffBody, next_digest
from schemas.events import AnyEvent
from schemas.game import GameView
from service.engine import Game, TileSetIndex, build_view
from service.games.diffs.patch import build_patch, compare_views, full_patch
from service.games.lifecycle import advance_version
from service.games.ports.game_store import StoredDiff


def record_change(  # noqa: PLR0913  what a diff says of a change, each by name
    index: TileSetIndex,
    game: Game,
    events: list[AnyEvent],
    at: str,
    *,
    seat: int | None = None,
    move: str | None = None,
    by: str | None = None,
    before: GameView | None = None,
) -> StoredDiff:
    """Make a change the game's next version, and return its diff as clients get it.

    The patch is made from the events; where they do not say what changed (an undo), from GAME as it was `before`. The
    diff is encoded once, in its canonical form, which the digest is computed of; the digest is put in front. All else
    is as in `advance_version`.
    """
    advance_version(game, events, at, seat=seat, move=move, by=by)
    if game.version == 1:
        patch = full_patch(index, game)
    elif before is None:
        patch = build_patch(index, game, events)
    else:
        patch = compare_views(before, build_view(index, game))
    previous = game.digest or game.commitment
    body = canonical_json(
        DiffBody(game=game.id, version=game.version, at=at, seat=seat, move=move, by=by, events=events, patch=patch)
    )
    game.digest = next_digest(previous, body)
    return StoredDiff(game.version, game.digest, previous, b'{"digest":"%b",%b' % (game.digest.encode(), body[1:]))
