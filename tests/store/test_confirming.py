"""Which replicas count for a command: those that have what its last connection has sent."""

import asyncio
from collections.abc import Sequence

from service.games.port import StoreUnavailable
from service.store.asked import Asked
from service.store.confirming import Confirmed, ConfirmingLane, Wait
from service.store.lane import Lane, Owner
from service.store.link import Link, pack
from service.store.refusals import Refused


class Sink(asyncio.Transport):
    """Takes what is written."""

    def writelines(self, list_of_data: object) -> None:
        """Forget it."""

    def abort(self) -> None:
        """Nothing is open."""


class Insisting(Owner):
    """Has what was refused sent again at once."""

    grace_s = 5.0

    def __init__(self) -> None:
        self.links: list[Link] = []

    async def open(self, lane: Lane) -> Link:
        """A connection to nobody."""
        del lane
        self.links.append(link := Link())
        link.connection_made(Sink())
        return link

    def refused(self, asked: Asked, refusal: Refused) -> bool:
        """Send it again."""
        del refusal
        assert asked.lane is not None
        asked.lane.put(asked)
        return True

    def stray(self, lane: Lane, asked: Sequence[Asked]) -> None:
        """Nothing gets lost here."""
        assert not asked, lane


async def test_what_was_sent_again_waits_for_its_own_replicas() -> None:
    loop = asyncio.get_running_loop()
    owner = Insisting()
    lane = ConfirmingLane(owner, 2, Wait(1, 1000))
    refused, done = (Confirmed(pack("SET", "k", "v"), loop.create_future(), loop.time() + 60, 0) for _ in range(2))
    lane.put(refused)
    lane.put(done)
    async with asyncio.timeout(5):
        while len(owner.links) < 2 or not any(link.expected for link in owner.links):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        first = next(link for link in owner.links if link.expected)
        second = next(link for link in owner.links if link is not first)
        first.data_received(b"-NOREPLICAS not enough\r\n+OK\r\n")
        while not second.expected:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    second.data_received(b"+OK\r\n")
    first.data_received(b":1\r\n")  # a replica has what the first connection has sent
    assert (await done.future, refused.future.done()) == (b"OK", False)
    second.data_received(b":0\r\n")
    assert isinstance(refused.future.exception(), StoreUnavailable)
    await lane.aclose()
