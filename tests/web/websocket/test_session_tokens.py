"""The tokens of one WebSocket: one for each game, and a bounded number."""

import pytest

from schemas.messages import ActMessage, Auth, ClientMessage, Ping, Subscribe, Sync, Undo, Unsubscribe
from service.web.headers import make_token_id
from service.web.rate_limiter import MessageInfo
from service.web.subscriptions import SessionTokens


def test_the_tokens_are_a_bounded_number() -> None:
    tokens = SessionTokens(2)
    for game in ("a", "b", "c"):
        tokens.add(game, f"of {game}")
    assert [tokens.get_verified(game) for game in ("a", "b", "c")] == ["of a", "of b", None]
    assert [tokens.has_room(game) for game in ("a", "c")] == [True, False]
    tokens.add("a", "another of a")
    assert tokens.get_verified("a") == "another of a"


def test_a_revoked_token_is_forgotten_and_leaves_room_for_another() -> None:
    tokens = SessionTokens(1)
    tokens.upgrade_token = "of the upgrade"
    tokens.add("a", "of a")
    assert tokens.get("a") == "of a"
    tokens.remove("a")
    assert (tokens.get_verified("a"), tokens.get("a"), tokens.has_room("b")) == (None, "of the upgrade", True)


FIRST, LATEST = make_token_id("first"), make_token_id("latest")


@pytest.mark.parametrize(
    ("message", "info"),
    (
        (ActMessage(game="a", move="i0"), MessageInfo("upgrade", FIRST, "a")),
        (Undo(game="a", key="k"), MessageInfo("upgrade", FIRST, "a", has_idempotency_key=True)),
        (ActMessage(game="x", move="i0"), MessageInfo("upgrade", None, "x")),
        (Auth(game="a", token="new"), MessageInfo("new", None, "a")),
        (Subscribe(game="a"), MessageInfo("upgrade", FIRST, "a")),
        (Sync(game="x"), MessageInfo("upgrade", LATEST, "x")),
        (Unsubscribe(game="a"), MessageInfo("upgrade", LATEST)),
        (Ping(), MessageInfo("upgrade", LATEST)),
    ),
    ids=str,
)
def test_a_message_is_charged_to_the_token_of_its_game_or_else_the_latest(
    message: ClientMessage, info: MessageInfo
) -> None:
    """A command needs the token of its game."""
    tokens = SessionTokens(2)
    tokens.upgrade_token = "upgrade"
    tokens.add("a", "first")
    tokens.add("b", "latest")
    assert tokens.message_info(message) == info
