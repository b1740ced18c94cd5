"""Tests which failures lose an acknowledged commit with which settings, in any order of steps within the bounds."""

import pytest

from tests.tools import ROOT
from verification.model.guarantees import CASES, GUARANTEES, Guarantee, markdown_table
from verification.model.search import search
from verification.model.state import Failures, Settings, initial_state
from verification.model.steps import steps


@pytest.mark.timeout(600)
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda guarantee: guarantee.description)
def test_each_setting_tolerates_exactly_the_expected_failures(guarantee: Guarantee) -> None:
    result = dict(guarantee.verdicts())
    assert {name: "-" if verdict.counterexample else "+" for name, verdict in result.items()} == dict(
        zip(CASES, guarantee.expected, strict=True)
    )
    assert all(verdict.acknowledged for verdict in result.values())  # otherwise nothing could be lost
    for name, verdict in result.items():
        if verdict.counterexample:
            assert loses(guarantee.settings, CASES[name], verdict.counterexample)


def loses(settings: Settings, failures: Failures, counterexample: tuple[str, ...]) -> bool:
    """Return whether the steps of a counterexample end with a loss."""
    state = initial_state(settings, failures)
    for description in counterexample:
        (state,) = [step.state for step in steps(state, settings, failures) if step.description == description]
    return bool(state.lost_commits(settings))


def test_wait_1_of_2_loses_by_a_replica_that_still_replicates_the_old_primary() -> None:
    """No replica lags and all offsets are fresh, so the choice of the sentinels does not cause the loss."""
    verdict = search(Settings(2, wait=1), CASES["the primary is partitioned or paused"])
    assert in_order(
        verdict.counterexample,
        "A, with some clients, is partitioned",
        "the sentinels promote B",
        "the partition heals",
        "C replicates commit 1 from A",
        "the sentinels make C replicate B",
    )


def test_wait_1_of_2_loses_by_the_choice_of_sentinels_with_stale_offsets() -> None:
    verdict = search(Settings(2, wait=1, fresh_offsets=False), CASES["a server crashes for good"])
    assert in_order(
        verdict.counterexample,
        "B replicates commit 1 from A",
        "A crashes",
        "the sentinels promote C",
        "B makes a full resync with C",
    )


def test_wait_for_all_loses_if_the_primary_restarts_early_without_its_last_commit() -> None:
    verdict = search(Settings(2, wait=2, durable=False), CASES["a server crashes and restarts"])
    assert in_order(
        verdict.counterexample,
        "B replicates commit 1",
        "C replicates commit 1",
        "A restarts",
        "B makes a full resync with A",
        "C makes a full resync",
    )


def in_order(counterexample: tuple[str, ...], *parts: str) -> bool:
    """Return whether a counterexample has these steps, in this order."""
    remaining = iter(counterexample)
    return all(any(part in description for description in remaining) for part in parts)


@pytest.mark.parametrize("settings", [guarantee.settings for guarantee in GUARANTEES], ids=str)
def test_without_failures_every_commit_is_acknowledged_and_none_lost(settings: Settings) -> None:
    verdict = search(settings, Failures(0))
    assert (verdict.counterexample, verdict.acknowledged) == ((), 2)


def test_the_document_has_the_table() -> None:
    document = (ROOT / "docs" / "durability.md").read_text(encoding="utf-8")
    assert "\n".join(markdown_table()) in document
