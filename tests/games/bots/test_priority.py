"""Attended games, and the stored hash of a game's creator."""

import pytest

from schemas.lobby import SeatRequest
from schemas.vocabulary import RequestedTimeoutPolicy
from service.games.commands.execute import GameRequest
from service.games.commands.play import abort_game
from service.games.commands.rematch import RematchRequest, rematch
from service.games.lifecycle import hash_creator, is_attended, requester_of
from service.games.ports import GameStore
from tests.games.game_fixture import GameFixture, bot_seats, create_game, human_seats, load_game, make_context

ANA = hash_creator("192.0.2.1")
TIMEOUT_S = 60


async def seated(store: GameStore, *seats: SeatRequest, policy: RequestedTimeoutPolicy | None = None) -> GameFixture:
    """Return a game created from Ana's address."""
    context, timeout_s = make_context(store, bot_budget_s=0.0), None if policy is None else TIMEOUT_S
    return await create_game(context, *seats, client=ANA, seed="tides", turn_timeout_s=timeout_s, on_timeout=policy)


async def test_a_game_of_bots_is_unattended(store: GameStore) -> None:
    game = await (await seated(store, *bot_seats("random", "random"))).game()
    assert requester_of(game) == (ANA, False)


async def test_a_game_is_attended_until_all_people_time_out(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana", "Bo"), *bot_seats("random"), policy="pass")
    assert requester_of(await table.game()) == (ANA, True)
    passed = []
    for _ in range(2):
        await table.let_pass(TIMEOUT_S + 1)
        passed.append(is_attended(await table.game()))
    assert passed == [True, False]
    while (await table.game()).decider == 2:
        await table.let_pass(0)
    assert not is_attended(await table.game())
    await table.act()
    assert is_attended(await table.game())


@pytest.mark.parametrize("policy", ("bot", "resign"))
async def test_players_who_left_do_not_attend(store: GameStore, policy: RequestedTimeoutPolicy) -> None:
    table = await seated(store, *human_seats("Ana", "Bo", "Cy"), policy=policy)
    for _ in range(2):
        assert is_attended(await table.game())
        await table.let_pass(TIMEOUT_S + 1)
    game = await table.game()
    assert sum(player.bot is not None or player.resigned for player in game.players) == 2
    assert is_attended(game)


async def test_bots_play_on_after_a_resignation(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana"), *bot_seats("random", "random"))
    await table.resign(seat=0)
    assert requester_of(await table.game()) == (ANA, False)


async def test_the_creator_is_deleted_when_the_game_ends(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana", "Bo"))
    assert (await table.game()).creator == ANA
    await abort_game(table.context, GameRequest(id=table.id, token=table.owner))
    assert (await table.game()).creator == b""
    again = await rematch(table.context, RematchRequest(id=table.id, token=table.owner, client=ANA))
    assert (await load_game(store, again.response.game.id)).creator == ANA


async def test_a_move_is_undone_although_the_log_has_no_creator(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana", "Bo"))
    move = next(move for move in await table.moves() if move.startswith("p"))
    await table.act(move)
    assert (await table.game()).undoable == 1
    await table.undo()
    assert (await table.game()).creator == ANA


def test_a_creator_hash_stands_for_hundreds_of_addresses() -> None:
    assert 2 ** (8 * len(ANA)) * 200 < 2**32
    assert hash_creator("192.0.2.2") != ANA
