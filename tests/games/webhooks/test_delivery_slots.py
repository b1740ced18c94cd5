"""Who gets a slot for a delivery: hosts that answer share most, fairly; all others get one each, and few in all."""

import asyncio

import pytest

from service.games.webhooks import delivery_slots as module
from service.games.webhooks.delivery_slots import Kind, Slot, SlotLimits, Slots
from service.games.webhooks.sites import site

LIMITS = SlotLimits(prompt_s=0.02)


class Clock:
    """Seconds, moved on by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def slots(clock: Clock) -> Slots:
    return Slots(LIMITS, clock)


def taken(slots: Slots, url: str) -> Slot:
    slot = slots.take(url)
    assert slot is not None, url
    return slot


def learn(slots: Slots, kind: Kind, *hosts: str) -> None:
    for host in hosts:
        slots.learn(host, kind)


def take_all(slots: Slots, *urls: str) -> int:
    """Take as many as there are, in turn; gives how many."""
    number = 0
    for url in urls:
        while slots.take(url) is not None:
            number += 1
    return number


@pytest.mark.parametrize("kind", (Kind.UNKNOWN, Kind.HANGING))
def test_a_host_of_which_nothing_good_is_known_gets_one(slots: Slots, kind: Kind) -> None:
    learn(slots, kind, "a.example")
    with taken(slots, "https://a.example/"):
        assert slots.take("https://a.example/other") is None
        assert slots.take("https://b.example/") is not None
    assert slots.take("https://a.example/") is not None


def test_a_site_with_any_number_of_hosts_gets_a_few(slots: Slots) -> None:
    hosts = [f"{number}.one.example" for number in range(50)]
    assert take_all(slots, *(f"https://{host}/" for host in hosts)) == LIMITS.unknown_site
    learn(slots, Kind.HANGING, *hosts)
    assert take_all(slots, *(f"https://{host}/" for host in hosts[10:])) == LIMITS.hanging_site
    prompt = [f"{number}.two.example" for number in range(50)]
    learn(slots, Kind.PROMPT, *prompt)
    assert take_all(slots, *(f"https://{host}/" for host in prompt)) == LIMITS.prompt_site


def test_addresses_of_one_network_are_one_site(slots: Slots) -> None:
    assert take_all(slots, *(f"https://192.0.2.{number}/" for number in range(256))) == LIMITS.unknown_site
    assert take_all(slots, *(f"https://[2001:db8:0:{number:x}::1]/" for number in range(256))) == LIMITS.unknown_site


def test_hosts_that_hang_leave_room_for_unknown_ones_and_both_for_prompt_ones(slots: Slots) -> None:
    hanging = [f"slow{number}.example" for number in range(100)]
    learn(slots, Kind.HANGING, *hanging)
    assert take_all(slots, *(f"https://{host}/" for host in hanging)) == LIMITS.hanging
    assert take_all(slots, *(f"https://new{number}.example/" for number in range(100))) == LIMITS.unknown
    learn(slots, Kind.PROMPT, "good.example")
    assert take_all(slots, "https://good.example/") == LIMITS.prompt_site


def test_prompt_sites_share_and_leave_room_for_others(slots: Slots) -> None:
    sites = [f"site{number}.example" for number in range(40)]
    learn(slots, Kind.PROMPT, *sites)
    first = take_all(slots, *(f"https://{host}/" for host in sites[:6]))
    assert LIMITS.shared <= first <= LIMITS.shared + 6
    assert take_all(slots, *(f"https://{host}/" for host in sites[6:16])) == 10
    assert len(slots) <= LIMITS.prompt


async def hang(slots: Slots, url: str) -> bool:
    """Deliver to a host that never answers; gives whether the delivery was given up early."""
    try:
        with taken(slots, url) as slot:
            async with slot.sending():
                await asyncio.Event().wait()
    except TimeoutError:
        return True
    return False


async def until_hanging(slots: Slots, number: int) -> None:
    async with asyncio.timeout(5):
        while slots.taken(Kind.HANGING) < number:  # noqa: ASYNC110  a timer wakes nobody
            await asyncio.sleep(0.005)


async def test_what_takes_long_gives_its_place_back_while_it_hangs(slots: Slots) -> None:
    learn(slots, Kind.PROMPT, *(f"{number}.example" for number in range(100)))
    tasks = [asyncio.create_task(hang(slots, f"https://{number}.example/")) for number in range(LIMITS.prompt)]
    await asyncio.sleep(0)
    assert slots.take("https://99.example/") is None
    await until_hanging(slots, LIMITS.prompt)
    assert slots.taken(Kind.PROMPT) == 0
    assert slots.kind_of("https://3.example/") is Kind.HANGING
    with taken(slots, "https://99.example/") as slot:
        assert slot.kind is Kind.PROMPT
    assert slots.take("https://3.example/") is None
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(slots) == 0


async def test_when_too_many_hang_those_that_took_longest_are_given_up(slots: Slots) -> None:
    tasks: list[asyncio.Task[bool]] = []
    for _ in range(4):
        before = len(tasks)
        tasks += [
            asyncio.create_task(hang(slots, f"https://new{number}.example/"))
            for number in range(before, before + LIMITS.unknown)
        ]
        await asyncio.sleep(0)
        assert slots.take("https://other.example/") is None
        await until_hanging(slots, min(LIMITS.all_hanging, len(tasks)))
        async with asyncio.timeout(5):
            while slots.taken(Kind.UNKNOWN):  # noqa: ASYNC110  a timer wakes nobody
                await asyncio.sleep(0.005)
    done, hanging = await asyncio.wait(tasks, timeout=0.1)
    assert done == {*tasks[: 4 * LIMITS.unknown - LIMITS.all_hanging]}
    assert all(task.result() for task in done)
    for task in hanging:
        task.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)
    assert len(slots) == 0


async def test_a_host_that_hung_gets_one_until_it_has_answered_for_a_while(slots: Slots, clock: Clock) -> None:
    url = "https://a.example/"
    with taken(slots, url) as slot:
        slot.hang()
    assert slots.kind_of(url) is Kind.HANGING
    with taken(slots, url) as slot:
        slot.answer()
        assert slot.kind is Kind.UNKNOWN
    clock.now = LIMITS.forgive_s + 1
    with taken(slots, url) as slot:
        slot.answer()
        assert slot.kind is Kind.PROMPT
        assert taken(slots, url).kind is Kind.PROMPT


def test_one_that_fails_at_once_is_neither_prompt_nor_hanging(slots: Slots) -> None:
    learn(slots, Kind.PROMPT, "a.example")
    with taken(slots, "https://a.example/") as slot:
        slot.fail()
    assert slots.kind_of("https://a.example/") is Kind.UNKNOWN
    learn(slots, Kind.HANGING, "a.example")
    with taken(slots, "https://a.example/") as slot:
        slot.fail()
    assert slots.kind_of("https://a.example/") is Kind.HANGING


def test_what_is_known_of_hosts_is_bounded(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HOSTS", 3)
    learn(slots, Kind.PROMPT, *(f"{number}.example" for number in range(5)))
    assert [slots.kind_of(f"https://{number}.example/") for number in range(5)] == [
        *[Kind.UNKNOWN] * 2,
        *[Kind.PROMPT] * 3,
    ]


@pytest.mark.parametrize(
    ("url", "expected"),
    (
        ("https://bot.example/x", "bot.example"),
        ("https://A.B.Bot.Example./x", "bot.example"),
        ("https://a.bot.co.uk:8443/", "bot.co.uk"),
        ("https://co.uk/", "co.uk"),
        ("https://a.b.shop/", "b.shop"),
        ("https://192.0.2.77/", "192.0.2.0/24"),
        ("https://[2001:db8:1:2::3]:8443/", "2001:db8:1::/48"),
        ("http://localhost:1/", "localhost"),
    ),
)
def test_a_site_is_what_one_owner_has(url: str, expected: str) -> None:
    assert site(url) == expected
