"""Secrets that clients choose must not be guessable, and responses with secrets are never cached."""

import secrets
from typing import Any

import pytest

from service.games.access import is_guessable
from service.store.game_store import RedisStore
from service.web.limits import Limits
from tests.web.app_server import Client, serve
from tests.web.http_game import TWO_PLAYERS, bearer_header, check_problem, create_game

OPEN = [{"name": "Ana"}, {"open": True}]

GUESSABLE = (
    *("", "short", "a" * 31, "a" * 32, "k" * 200, "ab" * 20, "abcdefgh" * 4, "passwordpassword" * 3),
    *("abcdefghijklmnopqrstuvwxyz0123456789", "zyxwvutsrqponmlkjihgfedcba9876543210"),
    *("0123456789" * 4, "0123456789abcdef" * 4, "0" * 31 + "1", "00000000-0000-0000-0000-000000000001"),
    *("a" * 30 + "secret", "abc" * 50 + "x"),
    "6e2f0c9b8d4a7153f0e1d2c3b4a5968",  # one character too few
)

GOOD = (
    "6e2f0c9b8d4a7153f0e1d2c3b4a59687",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwX7a",
    "71828182845904523536028747135266",
    "acegikmoqsuwyACEGIKMOQSUWY0246813",
)


@pytest.mark.parametrize(("key", "guessable"), (*((key, True) for key in GUESSABLE), *((key, False) for key in GOOD)))
def test_a_key_that_repeats_or_counts_is_guessable(key: str, guessable: bool) -> None:
    assert is_guessable(key) == guessable


def test_random_keys_are_not_guessable() -> None:
    """However they are written. One that is refused by chance would be one in millions."""
    for _ in range(1_000):
        key = secrets.token_bytes(24)
        assert not is_guessable(key.hex())
        assert not is_guessable(secrets.token_urlsafe(24))
        assert not is_guessable(str(int.from_bytes(key)).zfill(40))


REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/games", {"json": {"players": TWO_PLAYERS}}),
    ("{game}/seats", {"json": {"name": "Bo"}}),
    ("{game}/seats/0/token", {}),
)


@pytest.mark.parametrize(
    ("key", "reason"), (("6e2f0c9b8d4a7153f0e1d2c3b4a5968", "length >= 32"), ("abcdefgh" * 4, "random"))
)
@pytest.mark.parametrize(("path", "options"), REQUESTS)
async def test_tokens_are_not_derived_from_guessable_keys(
    client: Client, path: str, options: dict[str, Any], key: str, reason: str
) -> None:
    game = await create_game(client, OPEN)
    headers = {**bearer_header(game.owner_token), "Idempotency-Key": key}
    answer = await client.post(path.format(game=game.path), headers=headers, **options)
    problem = await check_problem(answer, 400, "malformed", "Idempotency-Key")
    assert reason in problem["detail"]


async def test_the_idempotency_key_of_an_action_may_be_guessable(client: Client) -> None:
    """Nothing is made of the key of an action."""
    game = await create_game(client)
    move = await game.first_move()
    assert (await game.act(move, **{"Idempotency-Key": "1"})).status == 200


async def no_store(client: Client, path: str, token: str | None, body: Any, **headers: str) -> Any:
    """Send a POST; return its response, which must not be cached."""
    authorization = bearer_header(token) if token is not None else {}
    answer = await client.post(path, json=body, headers={**authorization, **headers})
    assert answer.status in (200, 201), await answer.text()
    assert answer.headers["Cache-Control"] == "no-store"
    return await answer.json()


@pytest.mark.parametrize("visibility", ("public", "private"))
async def test_responses_with_tokens_are_not_cached(store: RedisStore, visibility: str) -> None:
    key = {"Idempotency-Key": secrets.token_hex(16)}
    async with serve(store, Limits(webhooks_allow_private=True)) as client:
        requested = {"players": OPEN, "visibility": visibility}
        first, created = [await no_store(client, "/v1/games", None, requested, **key) for _ in range(2)]
        assert first["owner_token"] == created["owner_token"]
        path, owner = f"/v1/games/{created['game']['id']}", created["owner_token"]
        for _ in range(2):
            await no_store(client, f"{path}/seats", created["spectator_token"], {"name": "Bo"}, **key)
        await no_store(client, f"{path}/webhooks", owner, {"url": "http://127.0.0.1:9/"})
        assert (await client.get(path, headers=bearer_header(owner))).headers["Cache-Control"] != "no-store"
