"""A channel publishes diffs that follow its position, and compares the position with the store's."""

import pytest

from service.games.channel import Channel
from service.games.ports import Revision, StoredDiff
from tests.games.realtime.subscribers import VersionSubscriber
from tests.store.commits import diff, digest


def test_diffs_that_do_not_follow_the_position_are_not_published() -> None:
    channel, subscriber = Channel("g", Revision(3, digest(3))), VersionSubscriber(3)
    channel.subscribers.add(subscriber)
    assert not channel.publish([diff(5)])
    assert not channel.publish([StoredDiff(4, digest(4), "another past", b"")])
    assert not channel.publish([diff(4), diff(6)])
    assert channel.publish([diff(2), diff(3)])
    assert subscriber.version == 3
    assert channel.publish([diff(3), diff(4), diff(5)])
    assert (subscriber.version, channel.position) == (5, Revision(5, digest(5)))


@pytest.mark.parametrize(
    ("stored", "has_diverged", "is_behind"),
    (
        (None, True, False),
        (Revision(2, digest(2)), True, False),
        (Revision(3, "another past"), True, False),
        (Revision(3, digest(3)), False, False),
        (Revision(4, digest(4)), False, True),
    ),
)
def test_the_stored_position_tells_whether_to_read(
    stored: Revision | None, has_diverged: bool, is_behind: bool
) -> None:
    channel = Channel("g", Revision(3, digest(3)))
    assert channel.compare(channel.position, stored) == (has_diverged or is_behind)
    assert (channel.has_diverged, channel.is_behind) == (has_diverged, is_behind)
