"""API keys for tests, added to a store as `south-seas keys add` does."""

import time

from service.games.api_key import ApiKey, Quotas, add_secret, generate_secret
from service.games.ports import GameStore

QUOTAS = Quotas(games_per_hour=1_000, requests_per_minute=1_000, bot_turns_per_hour=1_000)


async def add_api_key(store: GameStore, name: str = "discord-bot", quotas: Quotas = QUOTAS) -> str:
    """Add an API key, and return its secret."""
    now, secret = int(time.time()), generate_secret(name)
    assert await store.api_keys.save(add_secret(ApiKey(name, now, quotas, []), secret, now, 0), 0)
    return secret


def api_key_header(secret: str) -> dict[str, str]:
    """Return the header with an API key."""
    return {"Api-Key": secret}
