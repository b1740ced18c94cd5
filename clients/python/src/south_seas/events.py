"""Events of a subscription, and the states that it can start from."""

from typing import NamedTuple

from south_seas.models import Created, Diff, GameView, Joined, Rematched, Snapshot

__all__ = ["Connected", "Disconnected", "StartState", "SubscriptionEvent", "SubscriptionState"]

StartState = Created | Rematched | Joined | Snapshot
"""A response or message with GAME and its digest."""


class Connected(NamedTuple):
    """The connection is established; missed diffs follow."""


class Disconnected(NamedTuple):
    """The connection is lost; the next attempt follows after `wait_s` seconds."""

    reason: str
    wait_s: float


SubscriptionEvent = Diff | Snapshot | Connected | Disconnected
"""A snapshot comes at the start, and when missed diffs are not available."""


class SubscriptionState(NamedTuple):
    """An event, and the replica after it."""

    event: SubscriptionEvent
    view: GameView | None
    digest: str | None
