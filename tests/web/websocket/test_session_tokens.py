"""The tokens of one WebSocket: one for each game, and a bounded number."""

from service.web.websocket.session_tokens import SessionTokens


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
