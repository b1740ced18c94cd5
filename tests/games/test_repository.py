"""Reading what is stored of a game."""

import pytest

from schemas.vocabulary import Status
from service.games import repository
from service.games.commands.play import abort_game
from service.games.errors import TooManyIdempotencyKeys
from service.games.ports import Change, KeyQuotaExceeded
from service.games.repository import read_log
from service.store.game_store import RedisStore
from tests.games.game_fixture import create_game, human_seats, make_context
from tests.games.stored_games import store_game
from tests.telemetry.metric_samples import grown, read_samples

GAME_EVENTS = ("created", "started", "finished", "aborted")


@pytest.mark.parametrize("version", (0, 1, 3))
async def test_a_log_is_read_up_to_a_version(store: RedisStore, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "LOG_PAGE_SIZE", 2)
    stored = await store_game(store, "finished")
    assert [diff.version for diff in await read_log(store, stored.id, version)] == [*range(1, version + 1)]


@pytest.mark.parametrize(("reset_in_s", "retry_after_s"), ((-1, 1), (0, 1), (1, 1), (2, 2), (60, 60)))
async def test_a_client_with_too_many_keys_retries_when_its_quota_is_reset(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch, reset_in_s: int, retry_after_s: int
) -> None:
    """The reset may have passed when the store's answer arrives."""
    context = make_context(store, clock=lambda: 1_000.0)

    async def exceed(_: Change) -> KeyQuotaExceeded:
        return KeyQuotaExceeded(1_000 + reset_in_s)

    monkeypatch.setattr(store, "commit", exceed)
    with pytest.raises(TooManyIdempotencyKeys) as error:
        await create_game(context, *human_seats("Ana", "Bo"))
    assert error.value.retry_after_s == retry_after_s


@pytest.mark.parametrize(
    ("status", "counted"), (("waiting", ["created", "aborted"]), ("active", ["created", "started", "aborted"]))
)
async def test_a_game_that_is_aborted_while_it_waits_has_not_started(
    store: RedisStore, status: Status, counted: list[str]
) -> None:
    before = read_samples()
    stored = await store_game(store, status)
    await abort_game(stored.context, stored.id, token=stored.created.owner_token, if_match=None)
    games = {event: grown(before, "games_total", event=event) for event in GAME_EVENTS}
    assert games == {event: float(event in counted) for event in GAME_EVENTS}
