"""The games of a client, by its games' tokens or by a creator's key.

A creator, such as a chat bot, chooses one secret key and sends it when it creates or joins games. Only the key's hash
is stored: with the game, and with each of its seats beside the creator's name for that user. The store indexes games
under the hashes of tokens and keys (`access.index_keys`). The index may be stale, so the access record decides.
"""

import hmac
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from schemas.lobby import CreateGame, JoinGame, MyGame, MyGames, MySeat
from schemas.vocabulary import Status
from service.engine import Game, build_view
from service.games.access import AccessRecord, SeatTag, hash_token, index_key
from service.games.context import Context
from service.games.errors import Malformed, Unauthorized
from service.games.queries.games import is_known_secret
from service.games.queries.lobby import collect_page, summarize
from service.games.repository import decode_with_index, read_access


class MyGamesQuery(NamedTuple):
    """Which of the client's games to list."""

    external_user: str | None
    waiting: bool | None
    status: Status | None
    limit: int
    cursor: str | None


def creator_hash(creator: str | None) -> bytes | None:
    """Return the hash of a creator's key, as it is stored."""
    return None if creator is None else hash_token(creator)


def check_external_users(body: CreateGame | JoinGame, creator: str | None) -> None:
    """Raise Malformed for an `external_user` without a creator's key, under which it would be indexed."""
    if creator is not None:
        return
    detail = "a user's games are listed by the creator's key: send it in the header Creator-Key"
    if isinstance(body, JoinGame):
        if body.external_user is not None:
            raise Malformed(detail, "$.external_user")
        return
    for seat, player in enumerate(body.players):
        if player.external_user is not None:
            raise Malformed(detail, f"$.players[{seat}].external_user")


def tag_seat(access: AccessRecord, seat: int, creator: str | None, user: str | None) -> None:
    """Tag a seat with its creator and user."""
    access.tags[seat] = None if creator is None else SeatTag(hash_token(creator), user)


async def collect_my_games(context: Context, secrets: Sequence[str], wanted: MyGamesQuery) -> tuple[MyGames, int]:
    """Return a page of the games of these tokens and creators' keys, and how many were loaded.

    Raises Malformed for an invalid cursor, Unauthorized if no game has any of these secrets.
    """
    hashes = [hash_token(secret) for secret in dict.fromkeys(secrets)]
    under = [index_key(one, wanted.external_user) for one in hashes]
    read_page, show = partial(context.store.list_by_keys, under), partial(_load_entry, context, wanted, hashes, under)
    games, next_cursor, scanned = await collect_page(read_page, show, wanted.limit, wanted.cursor)
    if not games and next_cursor is None and not await is_known_secret(context, hashes):
        raise Unauthorized(missing=False)
    return MyGames(games=games, next_cursor=next_cursor), scanned


async def _load_entry(
    context: Context, wanted: MyGamesQuery, hashes: Sequence[bytes], under: Sequence[str], game_id: str
) -> MyGame | None:
    """Load an indexed game and return its entry; None if it is not the client's, or not requested.

    Raises TileSetMissing, UnreadableGame.
    """
    loaded = await context.store.load(game_id)
    if loaded is None:
        await context.store.unindex_missing(under, game_id)
        return None
    index, game = decode_with_index(context.tilesets, loaded)
    seats = _own_seats(read_access(loaded), game, hashes, wanted.external_user)
    if seats is None or wanted.status not in (None, game.status):
        return None
    waiting = any(seat.waiting for seat in seats)
    if wanted.waiting not in (None, waiting):
        return None
    return MyGame(game=summarize(build_view(index, game)), digest=loaded.revision.digest, seats=seats, waiting=waiting)


def _own_seats(access: AccessRecord, game: Game, hashes: Sequence[bytes], user: str | None) -> list[MySeat] | None:
    """Return the client's seats in a game; None if it has no part in the game."""
    mine = {
        seat: tag.user
        for seat, tag in enumerate(access.tags)
        if tag is not None and _contains_hash(tag.creator, hashes)
    }
    if user is not None:
        mine = {seat: called for seat, called in mine.items() if called == user}
        known = bool(mine)
    else:
        owner, creator = _contains_hash(access.owner, hashes), _contains_hash(access.creator, hashes)
        by_token = [seat for seat, stored in enumerate(access.seats) if _contains_hash(stored, hashes)]
        mine = dict.fromkeys([*(access.owner_seats if owner else ()), *by_token]) | mine
        known = owner or creator or bool(mine)
    if not known:
        return None
    return [MySeat(seat=seat, external_user=mine[seat], waiting=_is_waiting_for(game, seat)) for seat in sorted(mine)]


def _is_waiting_for(game: Game, seat: int) -> bool:
    """Return whether a person must decide at a seat now."""
    return game.status == "active" and game.decider == seat and game.players[seat].bot is None


def _contains_hash(digest: bytes | None, hashes: Sequence[bytes]) -> bool:
    return digest is not None and sum(hmac.compare_digest(digest, one) for one in hashes) > 0
