"""How long a bot's decision is awaited, and when deadlines are set and what happens then."""

from unittest.mock import AsyncMock

import msgspec
import pytest

from schemas.lobby import JoinGame, MyGameListQuery, SeatRequest
from service.games.automatic_turns import DECISION_GRACE_S, UNATTENDED_TIMEOUT_S, play_bots
from service.games.commands.create import RematchRequest, rematch
from service.games.commands.execute import GameRequest
from service.games.commands.play import abort_game
from service.games.commands.seats import JoinRequest, join
from service.games.errors import SeatNotPlayedByBot, SeatPlayedByBot, SeatResigned, WrongSeat
from service.games.legal_moves import list_legal_moves
from service.games.lifecycle import next_due_at
from service.games.ports import GameStore
from service.games.queries import collect_my_games
from service.games.tilesets import TileSetCatalogue
from tests.games.game_fixture import (
    TABLES,
    GameFixture,
    create_game,
    event_types,
    human_seats,
    load_game,
    make_context,
    new_game,
    seconds_left,
)
from tests.games.game_logs import LAGOON
from tests.polling import TIMEOUT_S, rounds


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
        (1, False, (DECISION_GRACE_S, TIMEOUT_S + DECISION_GRACE_S)),
        (0, False, (DECISION_GRACE_S, TIMEOUT_S + DECISION_GRACE_S)),
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
    context, choose = make_context(store, bot_budget_s=TIMEOUT_S), AsyncMock(return_value=None)
    monkeypatch.setattr(context.bots, "choose", choose)
    monkeypatch.setattr(context.bots, "is_deferred", lambda _: is_patient)
    assert await play_bots(context, TABLES, await load_game(store, table.id), is_patient=is_patient) == []
    (asked,) = choose.await_args_list
    timeout_s = asked.args[3]
    if expected_s is None:
        assert timeout_s is None
    else:
        assert timeout_s is not None
        assert expected_s[0] <= timeout_s <= expected_s[1]


async def test_no_request_waits_for_bots_of_a_deferred_game(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await game_before_its_bot(store, 0)
    context = make_context(store, bot_budget_s=TIMEOUT_S)
    monkeypatch.setattr(context.bots, "is_deferred", lambda requester: not requester.attended)
    assert await play_bots(context, TABLES, await load_game(store, table.id)) == []


async def test_a_time_out_is_stored_if_the_next_bot_fails(store: GameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await new_game(store, 1, ["random"], timeout_s=60, policy="pass")
    monkeypatch.setattr(table.context.bots, "choose", AsyncMock(side_effect=KeyError("a mistake of the bot")))
    await table.let_pass(61)
    game = await table.game()
    assert (game.decider, game.turn_number) == (1, 2)


async def test_a_replayed_action_has_the_diffs_of_the_bots_that_answered(store: GameStore) -> None:
    table, number = await new_game(store, 1, ["random"]), 0
    left = rounds()
    while True:
        next(left)
        move, number = (await table.moves())[0], number + 1
        first = await table.act(move, idempotency_key=f"key-{number}")
        if len(first.diffs) > 1:
            break
    assert (await table.act(move, idempotency_key=f"key-{number}")).diffs == first.diffs


async def test_a_turn_has_a_deadline_which_its_own_actions_do_not_move(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60)
    assert seconds_left(await table.game(), table.clock) == 60
    due = [await store.due_games.list_due(int(table.clock.now) + second, 10) for second in (60, 61)]
    assert due == [[], [table.id]], "the deadline's own second is in time"
    table.clock.now += 40
    await table.act()
    assert seconds_left(await table.game(), table.clock) == 20
    await table.finish_turn()
    assert seconds_left(await table.game(), table.clock) == 60
    await table.verify()


async def test_a_game_without_time_outs_has_no_deadline_and_is_never_due(store: GameStore) -> None:
    table = await new_game(store)
    await table.finish_turn()
    assert (await table.game()).deadline is None
    assert await store.due_games.list_due(2**31, 10) == []


async def test_a_waiting_game_has_no_deadline(store: GameStore) -> None:
    table = await create_game(make_context(store), *human_seats("Ana"), SeatRequest(open=True), turn_timeout_s=60)
    assert (table.created.game.turn, table.created.game.on_timeout) == (None, "pass")
    table.clock.now += 1000
    joined = (await join(table.context, JoinRequest(id=table.id, body=JoinGame(name="Bo")))).response
    assert joined.game.turn is not None
    assert seconds_left(await table.game(), table.clock) == 60
    await table.follow()


async def test_there_is_no_deadline_while_a_bot_decides(store: GameStore) -> None:
    table = await new_game(store, 1, ["random"], timeout_s=60, bot_budget_s=0.0)
    await table.finish_turn()
    game = await table.game()
    assert (game.decider, game.deadline) == (1, None)
    table.clock.now += 100
    await table.let_pass(0)
    assert (await table.game()).decider == 0
    assert seconds_left(await table.game(), table.clock) == 60
    await table.follow()


async def test_pass_makes_minimal_decisions_to_the_end_of_the_turn(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60, policy="pass")
    await table.finish_turn()
    await table.finish_turn()
    first = list_legal_moves(TABLES, await table.game()).moves[0].id
    assert first != (await table.moves())[0], "the engine lists moves in another order"
    await table.follow()
    await table.let_pass(61)
    diffs = await table.follow()
    assert {(diff["by"], diff["seat"]) for diff in diffs} == {("clock", 0)}
    assert diffs[0]["events"][0] == {"type": "turn_timed_out", "seat": 0, "policy": "pass"}
    assert [diff["move"] for diff in diffs] == [first, "pass.islander"]
    turns = [operation["value"] for diff in diffs for operation in diff["patch"] if operation["path"] == "/turn"]
    assert [turn["deadline"] is None for turn in turns] == [True, False], "the clock has no deadline"
    assert sum(kind == "turn_timed_out" for diff in diffs for kind in event_types(diff)) == 1
    game = await table.game()
    assert (game.seat, game.turn_number, game.undoable) == (1, 4, 0)
    assert seconds_left(game, table.clock) == 60


async def test_the_clock_plays_once_for_each_person_and_waits_for_one_of_them(store: GameStore) -> None:
    table = await new_game(store, 2, ["random"], timeout_s=60, policy="pass")
    for _ in range(3):
        await table.let_pass(61)
    timed_out = [diff for diff in await table.follow() if diff["by"] == "clock"]
    assert [event_types(diff)[-1] for diff in timed_out].count("game_paused") == 1
    assert event_types(timed_out[-1])[-1] == "game_paused"
    version = (game := await table.game()).version
    assert (game.decider, game.paused, game.deadline) == (0, True, None)
    await table.let_pass(60_000)
    assert (await table.game()).version == version
    await table.act()
    (resumed,) = await table.follow()
    assert event_types(resumed)[:2] == ["game_resumed", "tile_placed"]
    assert seconds_left(await table.game(), table.clock) == 60
    table.clock.now += 10
    await table.undo()
    (undone,) = await table.follow()
    assert event_types(undone) == ["move_undone"]
    assert seconds_left(await table.game(), table.clock) == 50
    await abort_game(table.context, GameRequest(id=table.id, token=table.owner))
    await table.verify()


async def test_whoever_resigns_in_a_paused_game_resumes_it(store: GameStore) -> None:
    table = await new_game(store, 3, timeout_s=60, policy="pass")
    for _ in range(3):
        await table.let_pass(61)
    await table.follow()
    await table.resign(1)
    (resumed,) = await table.follow()
    assert event_types(resumed)[:2] == ["game_resumed", "player_resigned"]
    assert seconds_left(await table.game(), table.clock) == 60
    await table.verify()


async def test_a_player_who_is_not_on_turn_resumes_a_paused_game_by_returning(store: GameStore) -> None:
    """As one whose opponent is away, and who missed a turn too."""
    table = await new_game(store, timeout_s=60, policy="pass")
    await table.finish_turn()
    for _ in range(2):
        await table.let_pass(61)
    assert ((game := await table.game()).decider, game.paused) == (1, True)
    await table.follow()
    await table.return_to_seat(seat=0)
    (resumed,) = await table.follow()
    assert (event_types(resumed), resumed["by"], resumed["seat"]) == (["game_resumed"], "owner", 0)
    await table.let_pass(61)
    assert ((game := await table.game()).decider, game.paused) == (0, False)
    assert seconds_left(game, table.clock) == 60
    await table.verify()


async def test_pass_continues_where_the_player_stopped(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60)
    await table.act()
    assert (await table.game()).phase == "islander"
    await table.let_pass(61)
    diffs = await table.follow()
    assert [diff["move"] for diff in diffs[2:]] == ["pass.islander"]
    assert (await table.game()).seat == 1


async def test_the_clock_plays_to_the_end_for_players_who_act_once_a_round(store: GameStore) -> None:
    table, left = await new_game(store, 3, timeout_s=30), rounds()
    while (game := await table.game()).status == "active":
        next(left)
        await (table.act() if game.paused else table.let_pass(31))
    assert game.deadline is None
    await table.let_pass(100)
    assert (await table.game()).version == game.version
    await table.verify()
    assert {diff["by"] for diff in table.log[1:]} == {"clock", "owner"}


async def test_a_bot_plays_until_the_player_returns(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60, policy="bot")
    await table.follow()
    await table.let_pass(61)
    first, *rest = await table.follow()
    assert (first["by"], first["seat"], first["move"]) == ("clock", 0, None)
    assert event_types(first) == ["turn_timed_out", "player_replaced"]
    assert {(diff["by"], diff["seat"]) for diff in rest} == {("bot", 0)}
    assert (table.view["players"][0]["kind"], table.view["players"][0]["bot"]) == ("human", "greedy")
    assert table.view["turn"]["seat"] == 1
    await table.finish_turn()
    diffs = await table.follow()
    assert (diffs[-1]["by"], table.view["turn"]["seat"]) == ("bot", 1)
    await table.return_to_seat(token=table.tokens[0])
    (diff,) = await table.follow()
    assert (diff["by"], diff["seat"], event_types(diff)) == ("seat", 0, ["player_returned"])
    await table.finish_turn()
    assert ((await table.game()).seat, table.view["players"][0]["bot"]) == (0, None)
    assert seconds_left(await table.game(), table.clock) == 60
    while (await table.game()).status == "active":
        await table.act()
    await table.verify()


async def test_a_game_waits_while_bots_play_all_seats_of_people(store: GameStore) -> None:
    """Two people who both look away find their game where the second of them left it; a third has resigned."""
    table = await new_game(store, 3, bots=("random",), timeout_s=60, policy="bot")
    await table.resign(2)
    await table.let_pass(61)
    assert (await table.game()).decider == 1
    await table.let_pass(61)
    resting = await table.game()
    assert [player.bot for player in resting.players] == ["greedy", "greedy", None, "random"]
    assert (resting.decider, resting.phase, resting.deadline, resting.paused) == (1, "place_tile", None, False)
    for _ in range(3):
        await table.let_pass(3600)
    assert (await table.game()).version == resting.version
    assert next_due_at(resting, table.clock()) is None
    await table.return_to_seat(token=table.tokens[0])
    game = await table.game()
    assert (game.decider, game.players[1].bot) == (0, "greedy")
    assert {diff["by"] for diff in (await table.follow())[resting.version + 1 :]} == {"bot"}
    assert seconds_left(game, table.clock) == 60
    await table.verify()


async def test_a_player_returns_during_the_bots_turn(store: GameStore) -> None:
    table = await new_game(store, timeout_s=60, policy="bot", bot_budget_s=0.0)
    await table.let_pass(61, bot_budget_s=0.0)
    game = await table.game()
    assert (game.decider, game.players[0].bot, game.deadline) == (0, "greedy", None)
    waiting = MyGameListQuery(waiting=True)
    assert (await collect_my_games(table.context, [table.tokens[0]], waiting))[0].games == []
    with pytest.raises(SeatPlayedByBot):
        await table.act()
    with pytest.raises(SeatPlayedByBot):
        await table.undo()
    await table.return_to_seat(seat=0)
    assert seconds_left(await table.game(), table.clock) == 60
    assert len((await collect_my_games(table.context, [table.tokens[0]], waiting))[0].games) == 1
    await table.act()
    await table.follow()


async def test_who_may_return(store: GameStore) -> None:
    table = await new_game(store, 3, timeout_s=60, policy="bot")
    with pytest.raises(SeatNotPlayedByBot):
        await table.return_to_seat(seat=0)
    await table.let_pass(61)
    for token in (table.tokens[1], table.owner):
        with pytest.raises(WrongSeat if token != table.owner else SeatNotPlayedByBot):
            await table.return_to_seat(seat=0 if token != table.owner else 1, token=token)
    await table.return_to_seat(seat=0)
    assert (await table.game()).players[0].bot is None
    await table.resign(seat=0)
    with pytest.raises(SeatResigned):
        await table.return_to_seat(seat=0)
    await table.follow()


async def test_players_whose_seats_bots_play_may_resign_and_play_the_rematch(store: GameStore) -> None:
    tilesets = TileSetCatalogue([LAGOON.tileset, msgspec.structs.replace(LAGOON.tileset, id="own")])
    context, people = msgspec.structs.replace(make_context(store), tilesets=tilesets), human_seats("Ana", "Bo", "Cy")
    table = await create_game(context, *people, tileset="own", turn_timeout_s=60, on_timeout="bot")
    for _ in range(2):
        await table.let_pass(61)
    await table.resign(seat=0)
    player, other, _ = (await table.game()).players
    assert (player.bot, player.resigned, other.bot) == (None, True, "greedy")
    await abort_game(table.context, GameRequest(id=table.id, token=table.owner))
    await table.follow()
    again = await rematch(table.context, RematchRequest(id=table.id, token=table.owner))
    assert [(player.bot, player.resigned) for player in again.response.game.players] == [(None, False)] * 3
    assert again.response.game.tileset == "own"


async def test_at_the_deadline_the_player_resigns(store: GameStore) -> None:
    table = await new_game(store, 3, timeout_s=60, policy="resign")
    await table.follow()
    await table.let_pass(61)
    (diff,) = await table.follow()
    assert (diff["by"], diff["seat"], diff["move"]) == ("clock", 0, None)
    assert event_types(diff) == ["turn_timed_out", "player_resigned", "turn_started", "tile_drawn"]
    assert seconds_left(await table.game(), table.clock) == 60
    await table.let_pass(61)
    (diff,) = await table.follow()
    assert event_types(diff)[:2] == ["turn_timed_out", "player_resigned"]
    assert (table.view["result"]["reason"], table.view["result"]["winners"]) == ("resigned", [2])
    await table.verify()


async def test_no_turn_is_timed_out_before_the_second_after_its_own_deadline(store: GameStore) -> None:
    """Nor at that of the turn before, which ended in time."""
    table = await new_game(store, timeout_s=60)
    table.clock.now += 50
    await table.finish_turn()
    version = (await table.game()).version
    await table.let_pass(11)
    assert (await table.game()).version == version
    assert seconds_left(await table.game(), table.clock) == 49
    for passed_s in (49, 0.999):
        await table.let_pass(passed_s)
        assert (await table.game()).version == version
    await table.let_pass(0.001)
    assert (await table.game()).version > version
    await table.follow()
