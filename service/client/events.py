"""What a followed game tells, and where following may begin."""

from typing import NamedTuple

from schemas.diffs import Diff
from schemas.game import GameView
from schemas.lobby import Created, Joined
from schemas.messages import Snapshot

__all__ = ["Connected", "Disconnected", "StartState", "SubscriptionEvent", "SubscriptionState"]

StartState = Created | Joined | Snapshot
"""An answer that holds GAME and its digest."""


class Connected(NamedTuple):
    """Everything that was missed follows now."""


class Disconnected(NamedTuple):
    """There is no connection, because of `reason`; the next try comes after `wait_s`."""

    reason: str
    wait_s: float


SubscriptionEvent = Diff | Snapshot | Connected | Disconnected
"""A snapshot comes where GAME is read for the first time, or is not what was told before."""


class SubscriptionState(NamedTuple):
    """A change, and the copy after it."""

    event: SubscriptionEvent
    view: GameView | None
    digest: str | None
