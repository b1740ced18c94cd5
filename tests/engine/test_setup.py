"""Games that wait for players, start, and are aborted; nobody acts where nobody is on turn."""

import pytest

from schemas.actions import Pass, PlaceTile
from schemas.events import GameAborted, GameCreated, GameStarted, PlayerJoined, PlayerLeft, TileDrawn, TurnStarted
from service.engine import (
    Game,
    GameNotActive,
    Player,
    abort,
    apply,
    empty_seat,
    encode,
    is_finished,
    legal_moves,
    open_seat,
    set_up,
    take_seat,
    view,
)
from tests.engine.games import archipelago_tables, new_game

TABLES = archipelago_tables()


def waiting() -> Game:
    """A game of three with two open seats, which the last seat begins."""
    game, events = set_up(
        TABLES,
        game_id="waiting",
        edition="international",
        players=[
            Player(name="Ana", color="red", kind="human"),
            Player(name=None, color=None, kind="open"),
            Player(name=None, color=None, kind="open"),
        ],
        first_seat=2,
        bag=[TABLES.start] * 3,
        ships=range(len(TABLES.ships)),
        seed="secret",
        seed_chosen=False,
        commitment="0" * 64,
        created_at="2026-11-21T21:00:00Z",
    )
    assert events == [GameCreated()]
    return game


def refused(game: Game) -> str:
    """The status for which an action is refused; asserts that nothing has changed."""
    before = encode(game)
    for action in (PlaceTile(1, 0, 0), Pass()):
        with pytest.raises(GameNotActive) as refusal:
            apply(TABLES, game, action)
        assert refusal.value.status == game.status
    assert legal_moves(TABLES, game) == []
    assert encode(game) == before
    return game.status


def test_a_game_with_open_seats_waits() -> None:
    game = waiting()
    seen = view(TABLES, game)
    assert (seen.status, seen.turn, [*seen.board]) == ("waiting", None, ["0,0"])
    assert open_seat(game) == 1
    assert refused(game) == "waiting"
    assert not is_finished(game)


def test_a_seat_is_open_again_whose_player_has_to_leave() -> None:
    game = waiting()
    before = view(TABLES, game)
    take_seat(TABLES, game, 1, "Bo", "blue")
    assert empty_seat(game, 1) == [PlayerLeft(seat=1, name="Bo")]
    assert view(TABLES, game) == before
    assert open_seat(game) == 1


def test_it_starts_when_the_last_open_seat_is_taken() -> None:
    game = waiting()
    assert take_seat(TABLES, game, 1, "Bo", "blue") == [PlayerJoined(seat=1, name="Bo", color="blue")]
    assert open_seat(game) == 2
    events = take_seat(TABLES, game, 2, "Cy", "black")
    assert events == [
        PlayerJoined(seat=2, name="Cy", color="black"),
        GameStarted(seat=2),
        TurnStarted(number=1, seat=2),
        TileDrawn(tile="start"),
    ]
    assert open_seat(game) is None
    assert [(player.name, player.color, player.kind) for player in view(TABLES, game).players] == [
        ("Ana", "red", "human"),
        ("Bo", "blue", "human"),
        ("Cy", "black", "human"),
    ]


def test_an_aborted_game_is_over_and_shows_its_seed() -> None:
    for game in (waiting(), new_game(TABLES, 1)):
        assert view(TABLES, game).deck.seed is None
        assert abort(game) == [GameAborted()]
        assert refused(game) == "aborted"
        assert is_finished(game)
        seen = view(TABLES, game)
        assert (seen.turn, seen.result, seen.deck.seed) == (None, None, game.seed)


def test_nobody_acts_in_a_finished_game() -> None:
    game = new_game(TABLES, 1)
    while moves := legal_moves(TABLES, game):
        assert view(TABLES, game).deck.seed is None
        apply(TABLES, game, moves[-1])
    assert refused(game) == "finished"
    assert view(TABLES, game).deck.seed == game.seed
