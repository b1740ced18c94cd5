"""Whole games through the controller, on the real service."""

import random
import sys

import msgspec
import pytest

from examples.terminal.controller import describe_problem, open_game
from examples.terminal.game_state import Page
from examples.terminal.saved_seats import SavedSeats
from south_seas import APIError, Backoff, Client, UnreachableError
from south_seas.models import CreateGame, JoinGame, SeatRequest
from tests.examples.terminal_player import caught_up, choose, new_game, press, ready, seen, until

ANA, BO, GREEDY = SeatRequest(name="Ana"), SeatRequest(name="Bo"), SeatRequest(bot="greedy")


async def test_two_players_and_a_bot_play_a_whole_game_at_one_terminal(client: Client) -> None:
    chance = random.Random(1)
    async with open_game(client, await new_game(client, ANA, BO, GREEDY)) as play:
        turns, questions = set(), set()
        while (await ready(play)) and (turn := play.state.game.turn) is not None:
            turns.add(turn.decider)
            if turn.phase == "islander":  # R4.4: this edition retrieves with none left only
                question = f"{'place' if play.state.game.players[turn.decider].supply else 'retrieve'} an islander?"
                assert f"  {question}" in seen(play)
                questions.add(question)
            seen(play, *chance.choice([(80, 24), (160, 50), (30, 8)]))
            await choose(play, chance)
        assert turns == {0, 1}
        assert questions == {"place an islander?", "retrieve an islander?"}
        assert play.state.page is Page.RESULT
        assert "Greedy wins!" in seen(play)
        await play.wait_for_tasks()
        assert "The game is over" in play.state.story_lines[-1]
        assert play.state.story_version == play.state.game.version


async def test_two_terminals_and_a_watcher_show_the_same_game(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["examples/terminal"])
    chance = random.Random(2)
    anas = await new_game(client, ANA, SeatRequest(open=True))
    async with open_game(client, anas) as ana:
        assert f"--join {anas.game}" in seen(ana)
        joined = await client.join(anas.game, JoinGame(name="Bo"))
        bos = SavedSeats(url=client.url, game=anas.game, seats={joined.seat: joined.token})
        async with (
            open_game(client, bos) as bo,
            open_game(client, SavedSeats(url=client.url, game=anas.game, seats={})) as watcher,
        ):
            await until(ana, lambda: ana.state.game.turn is not None)
            for _ in range(30):
                active = ana if ana.state.token is not None else bo
                await ready(active)
                await choose(active, chance)
                for play in (ana, bo, watcher):
                    await caught_up(play, active)
            await ready(ana if ana.state.token is not None else bo)
            assert ana.state.game == bo.state.game == watcher.state.game
            assert watcher.state.menu is None
            assert "turn." in seen(watcher)


async def test_it_reconnects_and_misses_nothing(client: Client) -> None:
    chance = random.Random(3)
    seats = await new_game(client, ANA, GREEDY)
    async with open_game(client, seats) as player, open_game(client, seats) as watcher:
        for _ in range(5):
            await ready(player)
            await watcher.subscription._socket.disconnect()
            await choose(player, chance)
            await caught_up(watcher, player)
        await until(watcher, lambda: watcher.state.is_connected)
        assert watcher.state.game == player.state.game


async def test_a_wrong_replica_is_replaced(client: Client) -> None:
    chance = random.Random(4)
    seats = await new_game(client, ANA, GREEDY)
    async with open_game(client, seats) as player, open_game(client, seats) as watcher:
        assert watcher.subscription._replica is not None
        watcher.subscription._replica.digest = "0" * 32
        await ready(player)
        await choose(player, chance)
        await caught_up(watcher, player)
        assert watcher.state.game == player.state.game


async def test_a_move_for_another_digest_is_reported(client: Client) -> None:
    async with open_game(client, await new_game(client, ANA, GREEDY)) as play:
        await ready(play)
        play.state.digest = "0" * 32
        press(play, "1", "a", "enter")
        await play.wait_for_tasks()
        assert "The game has changed" in seen(play)


async def test_q_quits(client: Client) -> None:
    async with open_game(client, await new_game(client, ANA, BO)) as play:
        press(play, "q", "enter")
        assert play.is_finished


async def test_a_missing_game_raises(client: Client) -> None:
    with pytest.raises(APIError) as raised:
        async with open_game(client, SavedSeats(url=client.url, game="nowhere", seats={})):
            pass
    assert raised.value.problem.code == "not_found"


async def test_a_private_game_requires_its_spectator_token(client: Client) -> None:
    created = await client.create(CreateGame(players=[ANA, BO], visibility="private"))
    strangers = SavedSeats(url=client.url, game=created.game.id, seats={})
    with pytest.raises(APIError, match="private"):
        async with open_game(client, strangers):
            pass
    async with open_game(client, msgspec.structs.replace(strangers, spectator=created.spectator_token)) as play:
        assert play.state.game.id == created.game.id
        assert play.state.token is None


async def test_an_unreachable_service_raises(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}"
    async with Client(url, backoff=Backoff(initial_wait_s=0.001)) as client:
        with pytest.raises(UnreachableError) as raised:
            async with open_game(client, SavedSeats(url=url, game="nowhere", seats={})):
                pass
    assert raised.value.url == url


async def test_what_is_no_service_is_said_once(url: str) -> None:
    client = Client(f"{url}/docs")
    with pytest.raises(APIError) as raised:
        async with client, open_game(client, SavedSeats(url=url, game="abc", seats={})):
            pass
    assert describe_problem(raised.value.problem) == "the upgrade failed with 404"
