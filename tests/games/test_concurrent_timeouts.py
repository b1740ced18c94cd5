"""Deadlines that several look at, or nobody: each is kept exactly once, and races with the clock have one winner."""

import asyncio
from contextlib import suppress
from random import Random

import msgspec
import pytest

from schemas.commands import Act
from schemas.vocabulary import RequestedTimeoutPolicy
from service.games.commands.execute import CommandRequest
from service.games.commands.play import abort_game, act
from service.games.errors import GameError, NotYourTurn
from service.games.ports import Change, CommitOutcome, GameStore
from service.games.scheduler import advance_due_game, run_scheduler
from tests.background import in_background
from tests.games.game_fixture import event_types, make_context, new_game
from tests.polling import wait_until

POLICIES: tuple[RequestedTimeoutPolicy, ...] = ("pass", "bot", "resign")


@pytest.mark.parametrize("policy", POLICIES)
async def test_exactly_one_instance_decides_for_the_player(store: GameStore, policy: RequestedTimeoutPolicy) -> None:
    table = await new_game(store, 3, timeout_s=60, policy=policy)
    for _ in range(2):
        table.clock.now += 61
        contexts = [make_context(store, table.clock) for _ in range(3)]
        await asyncio.gather(*(advance_due_game(context, table.id) for context in contexts for _ in range(2)))
        diffs = await table.follow()
        assert sum(kind == "turn_timed_out" for diff in diffs for kind in event_types(diff)) == 1


@pytest.mark.parametrize("policy", POLICIES)
async def test_a_deadline_while_every_instance_was_down(store: GameStore, policy: RequestedTimeoutPolicy) -> None:
    """Nobody looks for a day; then three instances come up at once, and find the game by themselves."""
    table = await new_game(store, 3, timeout_s=60, policy=policy, ago_s=86_400)
    await table.follow()
    table.clock.now += 86_400

    async def is_timed_out() -> bool:
        return (await table.game()).version > 1

    instances = [make_context(store, table.clock) for _ in range(3)]
    async with in_background(*(run_scheduler(context, interval_s=0.02) for context in instances)):
        await wait_until(is_timed_out)
        for context in instances:
            await advance_due_game(context, table.id)
    diffs = await table.follow()
    assert sum(kind == "turn_timed_out" for diff in diffs for kind in event_types(diff)) == 1
    assert diffs[0]["at"] == diffs[-1]["at"]


async def test_a_late_action_counts_until_the_time_out(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60)
    table.clock.now += 100
    await table.act(token=table.tokens[0])
    await table.follow()
    assert table.view["turn"]["deadline"] == table.log[-1]["at"]
    await table.let_pass(1)
    await table.follow()
    assert table.log[-1]["by"] == "clock"
    with pytest.raises(NotYourTurn):
        await table.act(token=table.tokens[0])


class _Late:
    """A store whose next commit is stored only after another one's."""

    def __init__(self, store: GameStore, first: asyncio.Event) -> None:
        self._store = store
        self._first = first
        self.is_committing = asyncio.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def commit(self, commit: Change) -> CommitOutcome:
        self.is_committing.set()
        await self._first.wait()
        return await self._store.commit(commit)


@pytest.mark.parametrize("clock_first", (True, False))
async def test_a_race_between_the_player_and_the_clock_has_one_winner(store: GameStore, *, clock_first: bool) -> None:
    table = await new_game(store, timeout_s=60)
    move = (await table.moves())[0]
    table.clock.now += 61
    stored = asyncio.Event()
    late_store = _Late(store, stored)
    late = msgspec.structs.replace(table.context, store=late_store)
    player, clock = (late, table.context) if clock_first else (table.context, late)
    acting = act(player, CommandRequest(id=table.id, body=Act(move=move), token=table.tokens[0]))
    if clock_first:
        task = asyncio.create_task(acting)
        await late_store.is_committing.wait()
        await advance_due_game(clock, table.id)
        stored.set()
        with pytest.raises(NotYourTurn):
            await task
    else:
        looking = asyncio.create_task(advance_due_game(clock, table.id))
        await late_store.is_committing.wait()
        await acting
        stored.set()
        await looking
    diffs = await table.follow()
    assert {diff["by"] for diff in diffs[1:]} == ({"clock"} if clock_first else {"seat"})


async def test_many_simultaneous_deadlines_are_all_met(store: GameStore) -> None:
    tables = [await new_game(store, timeout_s=60, policy="resign", seed=None, ago_s=3600) for _ in range(120)]

    async def are_finished() -> bool:
        return all([(await table.game()).status == "finished" for table in tables])

    async with in_background(run_scheduler(make_context(store), interval_s=0.02)):
        await wait_until(are_finished)


@pytest.mark.parametrize("policy", POLICIES)
async def test_players_clocks_and_undo_on_several_instances_leave_one_history(
    store: GameStore, policy: RequestedTimeoutPolicy
) -> None:
    """Four players in a hurry, who take back, return and give up, and three instances that look at the clock."""
    table = await new_game(store, 4, timeout_s=3, policy=policy, bot_budget_s=0.02)
    chance = Random(policy)

    async def play() -> None:
        for _ in range(60):
            if not (moves := await table.moves()):
                return
            with suppress(GameError):
                await table.act(chance.choice(moves))
                await chance.choices((table.undo, table.return_to_seat, table.resign), (20, 10, 0.1))[0]()

    async def look() -> None:
        context = make_context(store, table.clock, bot_budget_s=0.02)
        for _ in range(60):
            table.clock.now += chance.choice((0, 0, 0.5, 1))
            await advance_due_game(context, table.id)

    await asyncio.gather(*(play() for _ in range(4)), *(look() for _ in range(3)))
    game = await table.game()
    if game.status == "active":
        await abort_game(table.context, table.id, token=table.owner, if_match=None)
    await table.verify()
    received = {kind for diff in table.log for kind in event_types(diff)}
    assert {"turn_timed_out", "tile_placed"} <= received
