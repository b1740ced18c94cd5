"""How long a bot's decision is awaited, by who waits for it."""

from typing import Any

import pytest

from service.games.automatic_turns import DECISION_GRACE_S, UNATTENDED_TIMEOUT_S, play_bots
from service.games.ports import GameStore
from tests.games.game_fixture import TABLES, GameFixture, load_game, make_context, new_game

BUDGET_S = 5.0


async def game_before_its_bot(store: GameStore, people: int) -> GameFixture:
    """Return a game in which a bot is on turn, which had no time to decide."""
    table = await new_game(store, people, ["random"] * (2 - people), bot_budget_s=0.0)
    if people:
        await table.finish_turn()
    return table


@pytest.mark.parametrize(
    ("people", "is_patient", "expected_s"),
    (
        (1, True, None),
        (0, True, (UNATTENDED_TIMEOUT_S, UNATTENDED_TIMEOUT_S)),
        (1, False, (DECISION_GRACE_S, BUDGET_S + DECISION_GRACE_S)),
        (0, False, (DECISION_GRACE_S, BUDGET_S + DECISION_GRACE_S)),
    ),
)
async def test_the_scheduler_waits_for_the_bots_of_people_and_a_request_for_its_budget(
    store: GameStore,
    monkeypatch: pytest.MonkeyPatch,
    people: int,
    is_patient: bool,
    expected_s: tuple[float, float] | None,
) -> None:
    """Between two figures, or without a limit."""
    table = await game_before_its_bot(store, people)
    context, timeouts_s = make_context(store, bot_budget_s=BUDGET_S), list[float | None]()

    async def choose(_bot: str, _index: Any, _game: Any, timeout_s: float | None, _requester: Any) -> None:
        timeouts_s.append(timeout_s)

    monkeypatch.setattr(context.bots, "choose", choose)
    monkeypatch.setattr(context.bots, "is_deferred", lambda _: is_patient)
    assert await play_bots(context, TABLES, await load_game(store, table.id), is_patient=is_patient) == []
    (timeout_s,) = timeouts_s
    if expected_s is None:
        assert timeout_s is None
    else:
        assert timeout_s is not None
        assert expected_s[0] <= timeout_s <= expected_s[1]


async def test_no_request_waits_for_the_bots_of_a_deferred_game(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await game_before_its_bot(store, 0)
    context = make_context(store, bot_budget_s=BUDGET_S)
    monkeypatch.setattr(context.bots, "is_deferred", lambda requester: not requester.attended)
    assert await play_bots(context, TABLES, await load_game(store, table.id)) == []


async def test_a_time_out_is_stored_although_the_next_bot_fails(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await new_game(store, 1, ["random"], timeout_s=60, policy="pass")

    async def fail(*_: object) -> None:
        raise KeyError("a mistake of the bot")

    monkeypatch.setattr(table.context.bots, "choose", fail)
    await table.let_pass(61)
    game = await table.game()
    assert (game.decider, game.turn_number) == (1, 2)


async def test_a_replayed_action_has_the_diffs_of_the_bots_that_answered(store: GameStore) -> None:
    table, number = await new_game(store, 1, ["random"]), 0
    while True:
        move, number = (await table.moves())[0], number + 1
        first = await table.act(move, idempotency_key=f"key-{number}")
        if len(first.diffs) > 1:
            break
    assert (await table.act(move, idempotency_key=f"key-{number}")).diffs == first.diffs
