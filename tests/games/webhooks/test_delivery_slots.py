"""Delivery slots: responsive hosts share most of them fairly, all others get one each."""

import asyncio

import pytest

from service.games.webhooks import delivery_slots as module
from service.games.webhooks.delivery_slots import DeliverySlot, DeliverySlots, HostStatus, SlotLimits, site_of_url
from tests.games.game_fixture import Clock
from tests.polling import wait_until

LIMITS = SlotLimits(slow_after_s=0.02)


@pytest.fixture
def clock() -> Clock:
    return Clock(0.0)


@pytest.fixture
def slots(clock: Clock) -> DeliverySlots:
    return DeliverySlots(LIMITS, clock)


def acquire(slots: DeliverySlots, url: str) -> DeliverySlot:
    slot = slots.acquire(url)
    assert slot is not None, url
    return slot


def record_hosts(slots: DeliverySlots, kind: HostStatus, *hosts: str) -> None:
    for host in hosts:
        slots.record_host(host, kind)


def acquire_all(slots: DeliverySlots, *urls: str) -> int:
    """Acquire as many slots as possible, in turn; return how many."""
    number = 0
    for url in urls:
        while slots.acquire(url) is not None:
            number += 1
    return number


@pytest.mark.parametrize("kind", (HostStatus.UNKNOWN, HostStatus.SLOW))
def test_an_unknown_or_slow_host_gets_one_slot(slots: DeliverySlots, kind: HostStatus) -> None:
    record_hosts(slots, kind, "a.example")
    with acquire(slots, "https://a.example/"):
        assert slots.acquire("https://a.example/other") is None
        assert slots.acquire("https://b.example/") is not None
    assert slots.acquire("https://a.example/") is not None


def test_a_site_gets_a_few_slots_for_all_its_hosts(slots: DeliverySlots) -> None:
    hosts = [f"{number}.one.example" for number in range(50)]
    assert acquire_all(slots, *(f"https://{host}/" for host in hosts)) == LIMITS.unknown_per_site
    record_hosts(slots, HostStatus.SLOW, *hosts)
    assert acquire_all(slots, *(f"https://{host}/" for host in hosts[10:])) == LIMITS.slow_per_site == 2
    prompt = [f"{number}.two.example" for number in range(50)]
    record_hosts(slots, HostStatus.RESPONSIVE, *prompt)
    assert acquire_all(slots, *(f"https://{host}/" for host in prompt)) == LIMITS.responsive_per_site


def test_addresses_of_one_network_are_one_site(slots: DeliverySlots) -> None:
    assert acquire_all(slots, *(f"https://192.0.2.{number}/" for number in range(256))) == LIMITS.unknown_per_site
    assert (
        acquire_all(slots, *(f"https://[2001:db8:0:{number:x}::1]/" for number in range(256)))
        == LIMITS.unknown_per_site
    )


def test_slow_hosts_leave_slots_to_unknown_and_responsive_ones(slots: DeliverySlots) -> None:
    hanging = [f"slow{number}.example" for number in range(100)]
    record_hosts(slots, HostStatus.SLOW, *hanging)
    assert acquire_all(slots, *(f"https://{host}/" for host in hanging)) == LIMITS.slow
    assert acquire_all(slots, *(f"https://new{number}.example/" for number in range(100))) == LIMITS.unknown
    record_hosts(slots, HostStatus.RESPONSIVE, "good.example")
    assert acquire_all(slots, "https://good.example/") == LIMITS.responsive_per_site


def test_responsive_sites_share_and_leave_slots_to_new_ones(slots: DeliverySlots) -> None:
    sites = [f"site{number}.example" for number in range(40)]
    record_hosts(slots, HostStatus.RESPONSIVE, *sites)
    first = acquire_all(slots, *(f"https://{host}/" for host in sites[:6]))
    assert LIMITS.responsive_shared <= first <= LIMITS.responsive_shared + 6
    assert acquire_all(slots, *(f"https://{host}/" for host in sites[6:16])) == 10
    assert len(slots._in_use) <= LIMITS.responsive


def test_sites_that_no_longer_need_slots_leave_theirs_to_the_others(slots: DeliverySlots) -> None:
    sites = [f"site{number}.example" for number in range(40)]
    record_hosts(slots, HostStatus.RESPONSIVE, *sites)
    for host in sites[1:]:
        with acquire(slots, f"https://{host}/"):
            pass
    assert acquire_all(slots, f"https://{sites[0]}/") == LIMITS.responsive_per_site


async def test_a_response_in_time_stops_the_timer(slots: DeliverySlots) -> None:
    url = "https://a.example/"
    with acquire(slots, url) as slot:
        async with slot.track_response():
            slot.record_response()
        later = asyncio.create_task(deliver_slowly(slots, "https://later.example/"))
        await wait_for_slow(slots, 1)
        assert slots.host_status("https://later.example/") is HostStatus.SLOW
        assert (slot.status, slots.host_status(url)) == (HostStatus.RESPONSIVE, HostStatus.RESPONSIVE)
    later.cancel()
    await asyncio.gather(later, return_exceptions=True)


async def deliver_slowly(slots: DeliverySlots, url: str) -> bool:
    """Deliver to a host that never responds; return whether the delivery was aborted."""
    try:
        with acquire(slots, url) as slot:
            async with slot.track_response():
                await asyncio.Event().wait()
    except TimeoutError:
        return True
    return False


def count_in_use(slots: DeliverySlots, status: HostStatus) -> int:
    return sum(slot.status is status for slot in slots._in_use)


async def wait_for_slow(slots: DeliverySlots, number: int) -> None:
    await wait_until(lambda: count_in_use(slots, HostStatus.SLOW) >= number, 5)


async def test_a_slow_delivery_frees_its_slot(slots: DeliverySlots) -> None:
    record_hosts(slots, HostStatus.RESPONSIVE, *(f"{number}.example" for number in range(100)))
    tasks = [
        asyncio.create_task(deliver_slowly(slots, f"https://{number}.example/")) for number in range(LIMITS.responsive)
    ]
    await asyncio.sleep(0)
    assert slots.acquire("https://99.example/") is None
    await wait_for_slow(slots, LIMITS.responsive)
    assert count_in_use(slots, HostStatus.RESPONSIVE) == 0
    assert slots.host_status("https://3.example/") is HostStatus.SLOW
    with acquire(slots, "https://99.example/") as slot:
        assert slot.status is HostStatus.RESPONSIVE
    assert slots.acquire("https://3.example/") is None
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (len(slots._in_use), slots._slow) == (0, {})


async def test_the_slowest_deliveries_are_aborted_when_too_many_are_slow(slots: DeliverySlots) -> None:
    tasks: list[asyncio.Task[bool]] = []
    for _ in range(4):
        before = len(tasks)
        tasks += [
            asyncio.create_task(deliver_slowly(slots, f"https://new{number}.example/"))
            for number in range(before, before + LIMITS.unknown)
        ]
        await asyncio.sleep(0)
        assert slots.acquire("https://other.example/") is None
        await wait_for_slow(slots, min(LIMITS.all_slow, len(tasks)))
        await wait_until(lambda: not count_in_use(slots, HostStatus.UNKNOWN))
    aborted, hanging = tasks[: -LIMITS.all_slow], tasks[-LIMITS.all_slow :]
    async with asyncio.timeout(20):
        assert all(await asyncio.gather(*aborted))
    assert not any(task.done() for task in hanging)
    for task in hanging:
        task.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)
    assert len(slots._in_use) == 0


async def test_a_slow_host_gets_one_slot_for_a_while(slots: DeliverySlots, clock: Clock) -> None:
    url = "https://a.example/"
    with acquire(slots, url) as slot:
        slot.record_timeout()
    assert slots.host_status(url) is HostStatus.SLOW
    with acquire(slots, url) as slot:
        slot.record_response()
        assert slot.status is HostStatus.UNKNOWN
    clock.now = LIMITS.slow_memory_s + 1
    with acquire(slots, url) as slot:
        slot.record_response()
        assert slot.status is HostStatus.RESPONSIVE
        assert acquire(slots, url).status is HostStatus.RESPONSIVE


def test_a_host_that_fails_at_once_is_unknown(slots: DeliverySlots) -> None:
    record_hosts(slots, HostStatus.RESPONSIVE, "a.example")
    with acquire(slots, "https://a.example/") as slot:
        slot.record_failure()
    assert slots.host_status("https://a.example/") is HostStatus.UNKNOWN
    record_hosts(slots, HostStatus.SLOW, "a.example")
    with acquire(slots, "https://a.example/") as slot:
        slot.record_failure()
    assert slots.host_status("https://a.example/") is HostStatus.SLOW


def test_the_number_of_remembered_hosts_is_bounded(slots: DeliverySlots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HOSTS", 3)
    record_hosts(slots, HostStatus.RESPONSIVE, *(f"{number}.example" for number in range(5)))
    assert [slots.host_status(f"https://{number}.example/") for number in range(5)] == [
        *[HostStatus.UNKNOWN] * 2,
        *[HostStatus.RESPONSIVE] * 3,
    ]


@pytest.mark.parametrize(
    ("url", "expected"),
    (
        ("https://bot.example/x", "bot.example"),
        ("https://A.B.Bot.Example./x", "bot.example"),
        ("https://a.bot.co.uk:8443/", "bot.co.uk"),
        ("https://a.bot.com.au/", "bot.com.au"),
        ("https://co.uk/", "co.uk"),
        ("https://a.b.shop/", "b.shop"),
        ("https://192.0.2.77/", "192.0.2.0/24"),
        ("https://[2001:db8:1:2::3]:8443/", "2001:db8:1::/48"),
        ("http://localhost:1/", "localhost"),
    ),
)
def test_a_site_is_the_registered_domain_or_network(url: str, expected: str) -> None:
    assert site_of_url(url) == expected
