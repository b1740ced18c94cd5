"""A channel takes what continues it, and is held against what the store says."""

import pytest

from service.games.ports import StoredDiff
from service.games.realtime.channel import Channel
from service.games.realtime.stream_position import StreamPosition
from tests.games.realtime.subscribers import VersionSubscriber
from tests.store.commits import diff, digest


def test_a_feed_refuses_what_does_not_continue() -> None:
    channel, follower = Channel("g", StreamPosition(3, digest(3))), VersionSubscriber(3)
    channel.subscribers.add(follower)
    assert not channel.publish([diff(5)])
    assert not channel.publish([StoredDiff(4, digest(4), "another past", b"")])
    assert not channel.publish([diff(4), diff(6)])
    assert channel.publish([diff(2), diff(3)])
    assert follower.version == 3
    assert channel.publish([diff(3), diff(4), diff(5)])
    assert (follower.version, channel.position) == (5, StreamPosition(5, digest(5)))


@pytest.mark.parametrize(
    ("now", "lost", "behind"),
    (
        (None, True, False),
        (StreamPosition(2, digest(2)), True, False),
        (StreamPosition(3, "another past"), True, False),
        (StreamPosition(3, digest(3)), False, False),
        (StreamPosition(4, digest(4)), False, True),
    ),
)
def test_a_feed_is_held_against_the_store(now: StreamPosition | None, lost: bool, behind: bool) -> None:
    channel = Channel("g", StreamPosition(3, digest(3)))
    assert channel.compare(channel.position, now) == (lost or behind)
    assert (channel.has_diverged, channel.is_behind) == (lost, behind)
