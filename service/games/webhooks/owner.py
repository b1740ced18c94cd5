"""Who owns webhooks, and what their token or API key allows.

A game's owner sees and changes all webhooks of the game, a seat's token those that it has registered, and the holder of
an API key those of the key. What a game receives as one of an API key's games belongs to the key alone.
"""

from typing import NamedTuple

from service.games import repository
from service.games.access import authorize_owner_or_player, key_of_subject, subject_of_key
from service.games.context import Context
from service.games.ports.game_store import GameRecord
from service.games.ports.webhook_store import WebhookRegistration

__all__ = ["MAX_SEAT_WEBHOOKS", "Owner", "Rights", "authorize", "owner_by_key", "owner_by_token"]

MAX_SEAT_WEBHOOKS = 2
"""Maximum number of webhooks of a seat: one of its player's app, and one to move to."""


class Owner(NamedTuple):
    """Whose webhooks a request is about, by its path and its secret."""

    subject: str
    """The game, or the API key."""
    path: str
    """Path of the webhooks."""
    credential: str | None
    """The token, or the API key: the scope of idempotency keys."""
    max_webhooks: int
    """Maximum number of webhooks of a game's owner, or of an API key."""

    @property
    def api_key(self) -> str | None:
        """Return the name of the API key; None for a game."""
        return key_of_subject(self.subject)


def owner_by_token(game_id: str, token: str | None, max_webhooks: int) -> Owner:
    """Return the owner, or the player, of a game; `authorize` checks the token."""
    return Owner(game_id, f"/v1/games/{game_id}/webhooks", token, max_webhooks)


def owner_by_key(name: str, max_webhooks: int) -> Owner:
    """Return the holder of an API key, which the caller has checked."""
    subject = subject_of_key(name)
    return Owner(subject, "/v1/keys/me/webhooks", subject, max_webhooks)


class Rights(NamedTuple):
    """What an owner may do."""

    max_webhooks: int
    seat: int | None = None
    """Of a seat's token."""
    game: GameRecord | None = None
    """The game as it was when its access record allowed this."""

    def sees(self, webhook: WebhookRegistration) -> bool:
        """Return whether the owner sees and changes a webhook."""
        return webhook.api_key is None and self.seat in (None, webhook.seat)

    def has_registered(self, webhook: WebhookRegistration) -> bool:
        """Return whether a webhook counts against the maximum."""
        return webhook.api_key is None and self.seat == webhook.seat


async def authorize(context: Context, owner: Owner) -> Rights:
    """Return what an owner may do now. Raises NoSuchGame, and what `authorize_owner_or_player` does."""
    if owner.api_key is not None:
        return Rights(owner.max_webhooks)
    record, access = await repository.load_game(context, owner.subject)
    principal = authorize_owner_or_player(access, owner.subject, owner.credential)
    limit = owner.max_webhooks if principal.seat is None else MAX_SEAT_WEBHOOKS
    return Rights(limit, principal.seat, record)
