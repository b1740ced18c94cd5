"""Commands whose replies count only when replicas have what they wrote.

`WAIT` follows each batch on its connection, which takes nothing else meanwhile: what is asked then is the next batch.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from service.store.asked import Asked
from service.store.lane import Lane, Owner
from service.store.link import Link, pack
from service.store.refusals import Refused

__all__ = ["Confirmed", "ConfirmingLane", "Wait"]


class Wait(NamedTuple):
    """How many replicas must have a commit before it is acknowledged, and how long to wait for them."""

    replicas: int
    timeout_ms: int = 1000


_NONE = object()


class Confirmed(Asked):
    """A command whose reply is held back until the replicas have it."""

    __slots__ = ("batch", "reply")

    def __init__(self, packed: bytes, future: asyncio.Future[Any], until: float, slot: int) -> None:
        super().__init__(packed, future, until, slot)
        self.reply: Any = _NONE
        self.batch: _Replicas | None = None
        """With what it was sent last: only the replicas that have that count."""

    def answer(self, reply: Any) -> None:
        """Hold it back; a refusal needs no replica."""
        if type(reply) is Refused:
            self.refused(reply)
        else:
            self.reply = reply

    def refused(self, refusal: Refused) -> None:
        """Ask again where that may help; what was answered before does not count."""
        self.reply = _NONE
        super().refused(refusal)

    def lost(self, reason: str) -> None:
        """Ask again; what was answered before does not count."""
        self.reply = _NONE
        super().lost(reason)


class ConfirmingLane(Lane):
    """A lane of such commands."""

    def __init__(self, owner: Owner, connections: int, wait: Wait) -> None:
        super().__init__(owner, connections)
        self.silence_s += wait.timeout_ms / 1000
        self._wait = wait
        self._packed = pack("WAIT", wait.replicas, wait.timeout_ms)

    def _free(self) -> Link | None:
        return next((link for link in self._links if not link.expected), None)

    def _send(self, link: Link, batch: list[Asked]) -> None:
        super()._send(link, batch)
        replicas = _Replicas(self, batch, self._wait.replicas)
        for asked in batch:
            if isinstance(asked, Confirmed):
                asked.batch = replicas
        link.expected.append(replicas)
        link.write([self._packed])

    def counted(self) -> None:
        """A connection is free again."""
        self._flush()


class _Replicas:
    """Waits for the number of replicas that have a batch."""

    def __init__(self, lane: ConfirmingLane, batch: Sequence[Asked], needed: int) -> None:
        self._lane = lane
        self._batch = batch
        self._needed = needed

    def answer(self, reply: Any) -> None:
        """Give the replies that were held back, or say that replicas lack what was done."""
        for asked in self._held():
            if isinstance(reply, Refused):
                asked.refused(reply)
            elif reply >= self._needed:
                asked.done(asked.reply)
            else:
                asked.fail(f"Redis has done it, but {reply} of {self._needed} replicas have it so far")
        self._lane.counted()

    def lost(self, reason: str) -> None:
        """The connection broke: what was held back is asked again."""
        for asked in self._held():
            asked.lost(reason)

    def late(self, now: float) -> bool:
        """Whether all that was held back is too old."""
        return not [asked for asked in self._held() if not asked.future.done() and not asked.late(now)]

    def _held(self) -> list[Confirmed]:
        """What Redis has done; not what it refused, which may have been sent again with another batch meanwhile."""
        return [
            asked
            for asked in self._batch
            if isinstance(asked, Confirmed) and asked.batch is self and asked.reply is not _NONE
        ]
