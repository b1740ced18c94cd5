"""Recording a change as a DIFF, chained by its digest to the one before."""

from schemas.base import canonical_json
from schemas.diffs import DiffBody, next_digest
from schemas.game import GameView
from service.engine import Game, TileSetIndex, build_view
from service.games.change import Change
from service.games.diffs.patch import build_patch, compare_views, full_patch
from service.games.lifecycle import advance_version
from service.games.ports.game_store import StoredDiff


def record_change(index: TileSetIndex, game: Game, change: Change, before: GameView | None = None) -> StoredDiff:
    """Make a change the game's next version, and return its diff as clients get it.

    The patch is made from the events; where they do not say what changed (an undo), from GAME as it was `before`. The
    diff is encoded once, in its canonical form, which the digest is computed of; the digest is put in front.
    """
    advance_version(game, change)
    if game.version == 1:
        patch = full_patch(index, game)
    elif before is None:
        patch = build_patch(index, game, change.events)
    else:
        patch = compare_views(before, build_view(index, game))
    previous = game.digest or game.commitment
    body = canonical_json(
        DiffBody(
            game=game.id,
            version=game.version,
            at=change.at,
            seat=change.seat,
            move=change.move,
            by=change.by,
            events=change.events,
            patch=patch,
        )
    )
    game.digest = next_digest(previous, body)
    return StoredDiff(game.version, game.digest, previous, b'{"digest":"%b",%b' % (game.digest.encode(), body[1:]))
