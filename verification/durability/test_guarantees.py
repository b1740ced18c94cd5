"""Each guarantee for acknowledged actions, tested once under load."""

import asyncio
from pathlib import Path

import pytest

from verification.durability.guarantees import GUARANTEES, Guarantee
from verification.durability.trials import Load, TrialResult, find_breach, run_trial

SHORT = Load(seconds=1.0, writers=10)

PARTITIONS = tuple(guarantee for guarantee in GUARANTEES if guarantee.fault == "partition")
"""These mostly wait, so they run concurrently."""


@pytest.mark.parametrize(
    "guarantee",
    [guarantee for guarantee in GUARANTEES if guarantee not in PARTITIONS],
    ids=lambda guarantee: guarantee.name,
)
async def test_guarantee_holds(guarantee: Guarantee, short_path: Path) -> None:
    check(guarantee, await run_trial(guarantee, short_path, SHORT))


async def test_guarantees_hold_in_a_partition(short_path: Path) -> None:
    directories = [short_path / str(number) for number in range(len(PARTITIONS))]
    for directory in directories:
        directory.mkdir()
    results = await asyncio.gather(*(run_trial(*each, SHORT) for each in zip(PARTITIONS, directories, strict=True)))
    for guarantee, result in zip(PARTITIONS, results, strict=True):
        check(guarantee, result)


def check(guarantee: Guarantee, result: TrialResult) -> None:
    """Fail if the guarantee does not hold, or the trial tested nothing."""
    assert result.losses.acknowledged > 100, guarantee.name
    assert find_breach(guarantee, result) is None, guarantee.name
