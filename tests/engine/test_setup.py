"""Games that wait for players, start and are aborted; nobody can act unless the game is active."""

import pytest

from schemas.actions import Pass, PlaceTile
from schemas.events import GameAborted, GameCreated, GameStarted, PlayerJoined, PlayerLeft, TileDrawn, TurnStarted
from service.engine import (
    Game,
    GameNotActive,
    Player,
    apply_action,
    build_view,
    encode_snapshot,
    is_finished,
    legal_moves,
    mark_aborted,
    next_open_seat,
    take_seat,
    vacate_seat,
)
from tests.engine.new_games import start_game
from tests.engine.random_games import lagoon_index, new_game

TABLES = lagoon_index()


def waiting() -> Game:
    """Return a game of three players with two open seats; the last seat has the first turn."""
    open_seats = [Player(name=None, color=None, kind="open") for _ in range(2)]
    players = [Player(name="Ana", color="red", kind="human"), *open_seats]
    game, events = start_game(TABLES, players, first_seat=2, bag=[TABLES.start_tile] * 3)
    assert events == [GameCreated()]
    return game


def refused(game: Game) -> str:
    """Return the status for which an action is rejected; assert that nothing has changed."""
    before = encode_snapshot(game)
    for action in (PlaceTile(1, 0, 0), Pass()):
        with pytest.raises(GameNotActive) as refusal:
            apply_action(TABLES, game, action)
        assert refusal.value.status == game.status
    assert legal_moves(TABLES, game) == []
    assert encode_snapshot(game) == before
    return game.status


def test_a_game_with_open_seats_waits() -> None:
    game = waiting()
    view = build_view(TABLES, game)
    assert (view.status, view.turn, [*view.board]) == ("waiting", None, ["0,0"])
    assert next_open_seat(game) == 1
    assert refused(game) == "waiting"
    assert not is_finished(game)


def test_a_seat_is_open_again_whose_player_has_to_leave() -> None:
    game = waiting()
    before = build_view(TABLES, game)
    take_seat(TABLES, game, 1, "Bo", "blue")
    assert vacate_seat(game, 1) == [PlayerLeft(seat=1, name="Bo")]
    assert build_view(TABLES, game) == before
    assert next_open_seat(game) == 1


def test_it_starts_when_the_last_open_seat_is_taken() -> None:
    game = waiting()
    assert take_seat(TABLES, game, 1, "Bo", "blue") == [PlayerJoined(seat=1, name="Bo", color="blue")]
    assert next_open_seat(game) == 2
    events = take_seat(TABLES, game, 2, "Cy", "black")
    assert events == [
        PlayerJoined(seat=2, name="Cy", color="black"),
        GameStarted(seat=2),
        TurnStarted(number=1, seat=2),
        TileDrawn(tile="start"),
    ]
    assert next_open_seat(game) is None
    assert [(player.name, player.color, player.kind) for player in build_view(TABLES, game).players] == [
        ("Ana", "red", "human"),
        ("Bo", "blue", "human"),
        ("Cy", "black", "human"),
    ]


def test_an_aborted_game_is_over_and_shows_its_seed() -> None:
    for game in (waiting(), new_game(TABLES, 1)):
        assert build_view(TABLES, game).deck.seed is None
        assert mark_aborted(game) == [GameAborted()]
        assert refused(game) == "aborted"
        assert is_finished(game)
        view = build_view(TABLES, game)
        assert (view.turn, view.result, view.deck.seed) == (None, None, game.seed)


def test_nobody_acts_in_a_finished_game() -> None:
    game = new_game(TABLES, 1)
    while moves := legal_moves(TABLES, game):
        assert build_view(TABLES, game).deck.seed is None
        apply_action(TABLES, game, moves[-1])
    assert refused(game) == "finished"
    assert build_view(TABLES, game).deck.seed == game.seed
