"""The pages have the figures of the code, and the tests of each promise and threat run."""

import re
import tomllib
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec
import pytest

from service.fair_queue import UnattendedLimits
from service.games import hub
from service.games.access import MIN_SECRET_LENGTH
from service.games.automatic_turns import DECISION_GRACE_S
from service.games.bots.registry import LIGHT_BOT_LIMITS, BotProcessPool
from service.games.commands import execute
from service.games.lifecycle import CREATOR_HASH_BYTES
from service.games.repository import Context
from service.games.webhook_delivery import MAX_DELIVERIES
from service.store.connection import InFlightLimits
from service.web import (
    accounts,
    charge,
    client_ip,
    connection,
    frames,
    images,
    outbound,
    problems,
    rate_limiter,
    server,
    websocket_connection,
)
from service.web import connection_limiter as limiter
from service.web import headers as lists
from service.web.limits import Limits
from service.web.parsing import MAX_BODY_CHUNKS
from service.web.rate_limiter import MAX_CHECKS_PER_S
from service.web.streams import SENT_DIFF_S
from tests.docs.blocks import DOCS, pages, read_page
from tests.tools import ROOT

LIMITS = Limits()

IN_FLIGHT = InFlightLimits()


MIB = 2**20


@pytest.mark.parametrize(
    ("page", "words", "figures"),
    (
        ("threat-model", "at most {} a second for an address", [MAX_CHECKS_PER_S]),
        ("threat-model", "have {} or more characters", [MIN_SECRET_LENGTH]),
        ("threat-model", "At most {} commands of {} MB", [IN_FLIGHT.commands, IN_FLIGHT.bytes // MIB]),
        ("threat-model", "A body has at most {} chunks", [MAX_BODY_CHUNKS]),
        ("threat-model", "a short queue, {} for an address", [images.MAX_PICTURES_PER_ADDRESS]),
        (
            "threat-model",
            "{} replays run at once; {} of an address may wait",
            [{2: "Two"}[accounts.MAX_REPLAYS], charge.MAX_REPLAYS_PER_ADDRESS],
        ),
        ("threat-model", "at a time to a host, {} in all", [MAX_DELIVERIES]),
        (
            "threat-model",
            "While {} hosts hang, others wait up to the time-out, {:.0f} s",
            [MAX_DELIVERIES, LIMITS.webhook_timeout_s],
        ),
        ("threat-model", "{} bits of a hash", [8 * CREATOR_HASH_BYTES]),
        ("threat-model", "A subscriber waits at most {:.0f} s", [hub.SUBSCRIBE_TIMEOUT_S]),
        ("threat-model", "At most {} attempts with growing delays", [execute.MAX_ATTEMPTS]),
        ("threat-model", "cut off after {:.0f} s", [LIMITS.response_timeout_s]),
        ("threat-model", "An address has {} MB of all kinds", [LIMITS.max_unsent_bytes_per_address // MIB]),
        ("threat-model", "an instance {} MB;", [LIMITS.max_unsent_bytes_total // MIB]),
        (
            "threat-model",
            "{:.0f} s for each; {:.0f} s for idle connections",
            [LIMITS.request_timeout_s, LIMITS.keep_alive_timeout_s],
        ),
        (
            "threat-model",
            "at most {} s, {} at once, {} for a site",
            [outbound.LOOKUP_TIMEOUT_S, outbound.MAX_LOOKUPS, outbound.MAX_LOOKUPS_PER_SITE],
        ),
        ("threat-model", "each new one takes {:g} ms of its address's time", [1000 * limiter.CONNECTION_S]),
        (
            "threat-model",
            "A list has at most {} characters and {} elements over all its header lines, a target {} bytes",
            [lists.MAX_LIST_LENGTH, lists.MAX_LIST_ELEMENTS, problems.MAX_TARGET_BYTES],
        ),
        (
            "threat-model",
            "the process that draws a picture, {:g} ms for each game of a list, and {:g} ms for each diff",
            [1000 * rate_limiter.LOADED_GAME_S, 1000 * SENT_DIFF_S],
        ),
        ("threat-model", "{:g} ms are reserved until a response", [accounts.RESERVED_MS]),
        ("limits", "{} tokens each, {} for a heavy bot", [charge.BOT_TURN_TOKENS, charge.HEAVY_BOT_TURN_TOKENS]),
        ("threat-model", "by hashes of {} bytes", [client_ip.HASH_BYTES]),
        (
            "threat-model",
            "After a close {:g} MB are read, for {:g} s",
            [connection.MAX_DISCARDED_BYTES / 1024**2, websocket_connection.DISCARD_TIMEOUT_S],
        ),
        ("threat-model", "After its response, {:g} KB of a body are read", [connection.MAX_DRAINED_BYTES / 1024]),
        ("threat-model", "the kernel takes {:g} KB for each connection", [server.MAX_KERNEL_UNSENT_BYTES / 1024]),
        (
            "threat-model",
            "A socket that is silent for {:g} s is closed",
            [websocket_connection.PONG_TIMEOUT_INTERVALS * LIMITS.ping_interval_s],
        ),
        (
            "threat-model",
            "One message may come in {:,d} frames",
            [LIMITS.max_message_bytes // frames.MIN_FRAGMENT_BYTES],
        ),
        ("threat-model", "an address gets {} and then two a second", [outbound.CHALLENGES_PER_ADDRESS.quota]),
    ),
)
def test_a_page_has_the_figures_of_the_code(page: str, words: str, figures: list[object]) -> None:
    assert words.format(*figures) in read_page(page)


def test_an_address_gets_two_challenges_a_second() -> None:
    assert outbound.CHALLENGES_PER_ADDRESS == (200, 100)


def test_games_without_people_get_half_of_the_processes_time_and_a_tenth_of_the_event_loops() -> None:
    """Page bots, "When bots decide"; one process of several is reserved for games with people."""
    assert LIGHT_BOT_LIMITS.time_share == 0.1
    limits = [BotProcessPool(processes).queue._unattended_limits for processes in (1, 2, 4)]
    assert limits == [UnattendedLimits(slots, time_share=0.5) for slots in (1, 1, 3)]


def test_a_request_waits_at_most_a_second_for_bots() -> None:
    budget_s = next(field.default for field in msgspec.structs.fields(Context) if field.name == "bot_budget_s")
    assert budget_s + DECISION_GRACE_S <= 1


PROMISES = tomllib.loads(Path(__file__).with_name("promises.toml").read_text(encoding="utf-8"))

WITHOUT = PROMISES.pop("pages without promises of their own")
"""Why a page has no table."""

NotCollected = Callable[[Collection[str]], list[str]]


@pytest.fixture
def not_collected(request: pytest.FixtureRequest) -> NotCollected:
    """Return a function that returns those of the named tests that pytest did not collect, or skips.

    In a run of some files or with -k, it looks for the names in the others.
    """
    session = [] if request.config.option.keyword else request.session.items
    items = {item.nodeid.partition("[")[0] for item in session if not item.get_closest_marker("skip")}
    files = {test.partition("::")[0] for test in items}

    def is_missing(test: str) -> bool:
        file, _, name = _path(test).partition("::")
        return f"{file}::{name}" not in items if name and file in files else not _is_defined(test)

    return lambda tests: [test for test in tests if is_missing(test)]


def _path(test: str) -> str:
    """Return the path of a named test: below `tests`, unless it is one of `verification`."""
    return test if test.startswith("verification/") else f"tests/{test}"


def _is_defined(test: str) -> bool:
    file, _, name = _path(test).partition("::")
    path = ROOT / file
    return path.is_file() and f"def {name or 'test_'}" in path.read_text(encoding="utf-8")


def test_every_page_has_a_table_or_a_reason() -> None:
    assert {*PROMISES, *WITHOUT} >= {*pages()}


@pytest.mark.parametrize("page", PROMISES)
def test_the_page_promises_this_and_the_tests_run(page: str, not_collected: NotCollected) -> None:
    text = read_page(page)
    for words, tests in PROMISES[page].items():
        assert words in text
        assert not_collected([tests] if isinstance(tests, str) else tests) == [], words


def test_each_threat_has_tests_that_run(not_collected: NotCollected) -> None:
    table = (DOCS / "threat-model.md").read_text(encoding="utf-8").partition("| Threat |")[2].partition("\n\n")[0]
    rows = table.splitlines()[2:]
    assert len(rows) > 20
    for row in rows:
        tests = re.findall(r"`([\w/]+\.py(?:::\w+)?)`", row.split(" | ")[2])
        assert tests, row
        assert not_collected(tests) == [], row
