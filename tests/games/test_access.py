"""A game's access record, and an API key's secrets: random, hashed, at most two valid, and soon over once revoked."""

import re
from unittest.mock import AsyncMock

import msgspec
import pytest

from service.games.access import AccessRecord, SeatTag, decode_access, encode_access, index_keys
from service.games.api_key import (
    CACHE_TTL_S,
    ApiKey,
    ApiKeyAuthenticator,
    Quotas,
    add_secret,
    check_secret,
    generate_secret,
    is_valid_name,
    name_of_secret,
)
from service.games.errors import ApiKeyRejected
from service.store.game_store import RedisStore, encode_api_key
from tests.api_key_fixture import add_api_key
from tests.games.game_fixture import Clock


def record() -> AccessRecord:
    return AccessRecord("private", b"salt", b"owner", b"spectator", [b"seat 0", None], [0], [None, None])


def test_a_record_is_read_as_it_was_written() -> None:
    assert decode_access(encode_access(record())) == record()
    assert index_keys(record()) == [b"owner".hex(), b"seat 0".hex()]


def test_index_keys_are_owner_seats_creators_and_users_each_once() -> None:
    access = record()
    access.creator = b"bot"
    access.tags = [SeatTag(b"bot", "discord:1"), SeatTag(b"other", None)]
    assert index_keys(access) == [
        *(name.hex() for name in (b"owner", b"seat 0", b"bot", b"other")),
        f"{b'bot'.hex()}:discord:1",
    ]


def test_a_record_of_a_later_release_is_rejected() -> None:
    with pytest.raises(msgspec.DecodeError, match="schema 2, of a later release"):
        decode_access(encode_access(msgspec.structs.replace(record(), schema=2)))


NOW = 1_800_000_000
DAY_S = 86_400


def key_with(*secrets: str, **fields: int) -> ApiKey:
    """Return a key that was rotated to these secrets, one a minute, with a grace period of a day."""
    key = ApiKey("bot", NOW, Quotas(10, 10, 10), [], **fields)
    for minute, secret in enumerate(secrets):
        key = add_secret(key, secret, NOW + 60 * minute, DAY_S)
    return key


def test_a_secret_names_its_key_and_is_random() -> None:
    first, second = generate_secret("discord-bot"), generate_secret("discord-bot")
    assert re.fullmatch(r"ssk_discord-bot_[A-Za-z0-9_-]{43}", first)
    assert first != second
    assert name_of_secret(first) == "discord-bot"


@pytest.mark.parametrize("text", ("", "ssk_bot_short", "ssk__" + 43 * "x", "ssk_Bot_" + 43 * "x", "x_bot_" + 43 * "x"))
def test_other_texts_name_no_key(text: str) -> None:
    assert name_of_secret(text) is None
    assert name_of_secret(generate_secret("bot") + "\n") is None


def test_names_are_ids() -> None:
    assert is_valid_name("a" * 32)
    assert not any(map(is_valid_name, ("", "a" * 33, "Bot", "a.b", "a_b", "bot\n")))


def test_a_stored_key_does_not_contain_its_secret() -> None:
    secret = generate_secret("bot")
    record = encode_api_key(key_with(secret))
    assert secret.encode() not in record
    assert secret.split("_", 2)[2].encode() not in record


def test_the_previous_secret_is_valid_until_the_grace_period_ends() -> None:
    old, new = generate_secret("bot"), generate_secret("bot")
    key = key_with(old, new)
    rotated_at = NOW + 60
    for secret in (old, new):
        check_secret(key, secret, rotated_at + DAY_S - 1)
    with pytest.raises(ApiKeyRejected, match="has expired"):
        check_secret(key, old, rotated_at + DAY_S)
    check_secret(key, new, rotated_at + 1000 * DAY_S)


def test_a_second_rotation_ends_the_oldest_secret() -> None:
    first, second, third = (generate_secret("bot") for _ in range(3))
    key = key_with(first, second, third)
    assert len(key.secrets) == 2
    for secret in (second, third):
        check_secret(key, secret, NOW + 180)
    with pytest.raises(ApiKeyRejected, match="is unknown"):
        check_secret(key, first, NOW + 180)


def test_a_revoked_key_has_no_valid_secret() -> None:
    secret = generate_secret("bot")
    key = key_with(secret, revoked_at=NOW)
    with pytest.raises(ApiKeyRejected, match="the API key bot was revoked"):
        check_secret(key, secret, NOW)
    with pytest.raises(ApiKeyRejected, match="is unknown"):  # nothing about the key to those without its secret
        check_secret(key, generate_secret("bot"), NOW)


@pytest.fixture
def load(store: RedisStore, monkeypatch: pytest.MonkeyPatch) -> AsyncMock:
    """Return what counts the reads of keys."""
    counted = AsyncMock(wraps=store.api_keys.load)
    monkeypatch.setattr(store.api_keys, "load", counted)
    return counted


async def test_a_valid_secret_is_read_once_in_five_seconds(store: RedisStore, load: AsyncMock) -> None:
    clock, secret = Clock(), await add_api_key(store)
    authenticator = ApiKeyAuthenticator(store.api_keys, clock)
    keys: list[ApiKey] = [await authenticator.authenticate(secret) for _ in range(10)]
    assert {key.name for key in keys} == {"discord-bot"}
    assert load.await_count == 1
    clock.now += CACHE_TTL_S
    await authenticator.authenticate(secret)
    assert load.await_count == 2


async def test_an_invalid_secret_is_never_cached(store: RedisStore, load: AsyncMock) -> None:
    await add_api_key(store)
    authenticator = ApiKeyAuthenticator(store.api_keys, Clock())
    for secret in (generate_secret("discord-bot"), generate_secret("nobody"), "no secret at all"):
        for _ in range(2):
            with pytest.raises(ApiKeyRejected, match="is unknown"):
                await authenticator.authenticate(secret)
            assert not authenticator.is_cached(secret)
    assert load.await_count == 4  # a text without a name is rejected without a read


@pytest.mark.parametrize(("end", "after_s"), (("was revoked", CACHE_TTL_S), ("has expired", 2)))
async def test_a_cached_secret_ends_with_its_grace_period_and_a_revoked_one_with_the_cache(
    store: RedisStore, end: str, after_s: float
) -> None:
    clock, secret, newer = Clock(), await add_api_key(store), generate_secret("discord-bot")
    authenticator, stored = ApiKeyAuthenticator(store.api_keys, clock), await store.api_keys.load("discord-bot")
    assert stored is not None
    if end == "has expired":
        assert await store.api_keys.save(add_secret(stored.key, newer, int(clock.now), 2), stored.revision)
        await authenticator.authenticate(newer)
    await authenticator.authenticate(secret)
    if end == "was revoked":
        revoked = msgspec.structs.replace(stored.key, revoked_at=int(clock.now))
        assert await store.api_keys.save(revoked, stored.revision)
    assert authenticator.is_cached(secret)
    clock.now += after_s
    with pytest.raises(ApiKeyRejected, match=end):
        await authenticator.authenticate(secret)
    assert not authenticator.is_cached(secret)
