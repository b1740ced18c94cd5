"""A feed takes what continues it, and is held against what the store says."""

import pytest

from service.games.ports import StoredDiff
from service.games.realtime.channel import Feed
from service.games.realtime.messages import Position
from tests.games.realtime.watchers import Follower
from tests.store.commits import diff, digest


def test_a_feed_refuses_what_does_not_continue() -> None:
    feed, follower = Feed("g", Position(3, digest(3))), Follower(3)
    feed.watchers.enter(follower)
    assert not feed.offer([diff(5)])
    assert not feed.offer([StoredDiff(4, digest(4), "another past", b"")])
    assert not feed.offer([diff(4), diff(6)])
    assert feed.offer([diff(2), diff(3)])
    assert follower.version == 3
    assert feed.offer([diff(3), diff(4), diff(5)])
    assert (follower.version, feed.position) == (5, Position(5, digest(5)))


@pytest.mark.parametrize(
    ("now", "lost", "behind"),
    (
        (None, True, False),
        (Position(2, digest(2)), True, False),
        (Position(3, "another past"), True, False),
        (Position(3, digest(3)), False, False),
        (Position(4, digest(4)), False, True),
    ),
)
def test_a_feed_is_held_against_the_store(now: Position | None, lost: bool, behind: bool) -> None:
    feed = Feed("g", Position(3, digest(3)))
    assert feed.judge(feed.position, now) == (lost or behind)
    assert (feed.lost, feed.behind) == (lost, behind)
