"""Whether a token or a creator's key is known."""

from collections.abc import Sequence

from service.games.access import authenticate, hash_token, index_key
from service.games.context import Context
from service.games.repository import read_access


async def is_valid_token(context: Context, game: str | None, token: str) -> bool:
    """Return whether a token is one of a game's, or, without a game, whether any game is indexed under it."""
    if game is None:
        return await is_known_secret(context, [hash_token(token)])
    loaded = await context.store.load(game)
    if loaded is None:
        return False
    return authenticate(read_access(loaded), token) is not None


async def is_known_secret(context: Context, hashes: Sequence[bytes]) -> bool:
    """Return whether any game is indexed under one of these hashes."""
    return bool((await context.store.list_by_keys([index_key(one, None) for one in hashes], 1, None)).games)
