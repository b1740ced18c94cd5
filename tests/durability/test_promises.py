"""Each promise about acknowledged actions, tried once under load."""

import asyncio
from pathlib import Path

import pytest

from tests.durability.promises import PROMISES, Promise
from tests.durability.trying import Load, Tried, attempt

SLACK_S = 0.5
"""What a busy machine takes to see that something was acknowledged, also by a server that is killed meanwhile."""

SHORT = Load(seconds=1.0, writers=10)

CUT_OFF = tuple(promise for promise in PROMISES if promise.fault == "cut off")
"""Mostly waiting: these are tried beside each other."""


@pytest.mark.parametrize(
    "promise", [promise for promise in PROMISES if promise not in CUT_OFF], ids=lambda promise: promise.name
)
async def test_what_is_promised_is_kept(promise: Promise, short_path: Path) -> None:
    check(promise, await attempt(promise, short_path, SHORT))


async def test_what_is_promised_of_a_primary_that_is_cut_off_is_kept(short_path: Path) -> None:
    directories = [short_path / str(number) for number in range(len(CUT_OFF))]
    for directory in directories:
        directory.mkdir()
    tried = await asyncio.gather(*(attempt(*each, SHORT) for each in zip(CUT_OFF, directories, strict=True)))
    for promise, one in zip(CUT_OFF, tried, strict=True):
        check(promise, one)


def check(promise: Promise, tried: Tried) -> None:
    """Fail where the promise was broken, or nothing was tried."""
    assert tried.counted.acknowledged > 100, promise.name
    assert (tried.counted.twice, tried.counted.broken) == (0, 0), promise.name
    if promise.loses:
        assert tried.counted.lost, promise.name
    if promise.within_s == 0:
        assert tried.counted.lost == [], promise.name
    elif promise.within_s is not None:
        limit = promise.within_s + SLACK_S
        assert tried.oldest_s <= limit, promise.name
        assert tried.newest_s <= (limit if promise.fault == "cut off" else SLACK_S), promise.name
