"""The cache of clients forgets what was not used lately, and never grows beyond its bound."""

from service.web.ratelimit.recent_cache import RecentCache
from tests.web.app_server import FrozenClock


def make_cache(clock: FrozenClock, max_entries: int = 100) -> RecentCache[int]:
    return RecentCache[int](60.0, max_entries, clock)


def test_an_entry_is_forgotten_after_two_windows_without_use() -> None:
    clock = FrozenClock()
    cache = make_cache(clock)
    cache.put("used", 1)
    cache.put("unused", 2)
    for number in range(3):
        clock.now += 61
        cache.put(f"other {number}", number)
        assert cache.get("used") == 1
    assert cache.get("unused") is None


def test_an_entry_that_is_used_again_is_stored_once() -> None:
    clock = FrozenClock()
    cache = make_cache(clock)
    cache.put("used", 1)
    clock.now += 61
    assert cache.get("used") == 1
    cache.put("used", 2)
    assert (cache.get("used"), len(cache)) == (2, 1)


def test_the_least_recently_used_entries_are_forgotten_at_the_bound() -> None:
    cache = make_cache(FrozenClock(), max_entries=10)
    for number in range(100):
        cache.put(str(number), number)
        assert len(cache) <= 10
    assert cache.get("99") == 99
    assert cache.get("89") is None
