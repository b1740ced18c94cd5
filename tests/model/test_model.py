"""What may lose an acknowledged commit, and what cannot, whatever happens in whatever order (within the bounds)."""

import pytest

from tests.model.guarantees import CASES, GUARANTEES, Guarantee, markdown_table
from tests.model.search import search
from tests.model.state import Failures, Settings, initial
from tests.model.steps import steps
from tests.tools import ROOT


@pytest.mark.timeout(240)
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda one: one.words)
def test_each_setting_holds_what_is_said_and_loses_in_every_other_case(guarantee: Guarantee) -> None:
    result = dict(guarantee.verdicts())
    assert {name: "-" if verdict.story else "+" for name, verdict in result.items()} == dict(
        zip(CASES, guarantee.holds, strict=True)
    )
    assert all(verdict.acknowledged for verdict in result.values())  # else nothing could have been lost
    for name, verdict in result.items():
        if verdict.story:
            assert loses(guarantee.settings, CASES[name], verdict.story)


def loses(settings: Settings, failures: Failures, story: tuple[str, ...]) -> bool:
    """Whether a story, told from the beginning, ends with a loss."""
    state = initial(settings, failures)
    for words in story:
        (state,) = [step.state for step in steps(state, settings, failures) if step.words == words]
    return bool(state.lost_commits(settings))


def test_waiting_for_one_of_two_loses_by_a_replica_that_still_follows_the_old_primary() -> None:
    """No replica is behind, and the sentinels know all: it is not their choice that loses the commit."""
    verdict = search(Settings(2, wait=1), CASES["the primary is cut off, or paused"])
    assert in_order(
        verdict.story,
        "A, with some clients, is cut off",
        "the sentinels make B the primary",
        "the network is whole again",
        "C gets commit 1 from A",
        "the sentinels have C follow B",
    )


def test_waiting_for_one_of_two_loses_by_the_choice_where_sentinels_have_old_news() -> None:
    verdict = search(Settings(2, wait=1, fresh_offsets=False), CASES["a server dies for good"])
    assert in_order(
        verdict.story,
        "B gets commit 1 from A",
        "A dies",
        "the sentinels make C the primary",
        "B takes over all data of C",
    )


def test_all_that_replicas_have_is_lost_where_the_primary_comes_back_first_without_it() -> None:
    verdict = search(Settings(2, wait=2, durable=False), CASES["a server dies and comes back"])
    assert in_order(
        verdict.story,
        "B gets commit 1",
        "C gets commit 1",
        "A starts again",
        "B takes over all data of A",
        "C takes over",
    )


def in_order(story: tuple[str, ...], *parts: str) -> bool:
    """Whether these are steps of a story, in this order."""
    rest = iter(story)
    return all(any(part in words for words in rest) for part in parts)


@pytest.mark.parametrize("settings", [guarantee.settings for guarantee in GUARANTEES], ids=str)
def test_without_failures_all_is_acknowledged_and_nothing_lost(settings: Settings) -> None:
    verdict = search(settings, Failures(0))
    assert (verdict.story, verdict.acknowledged) == ((), 2)


def test_the_document_has_the_table() -> None:
    document = (ROOT / "docs" / "durability.md").read_text(encoding="utf-8")
    assert "\n".join(markdown_table()) in document
