"""An API key's secrets: random, stored as hashes, at most two valid at a time."""

import re

import pytest

from service.games.api_key import (
    ApiKey,
    Quotas,
    add_secret,
    check_secret,
    generate_secret,
    is_valid_name,
    name_of_secret,
)
from service.games.errors import ApiKeyRejected
from service.store.game_store import encode_api_key

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
