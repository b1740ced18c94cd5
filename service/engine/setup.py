"""R1: components and set-up. The caller shuffles: the order of bag and ships is an argument."""

from collections.abc import Sequence

from schemas.events import AnyEvent, GameAborted, GameCreated, GameStarted, PlayerJoined, PlayerLeft
from schemas.vocabulary import Color, Edition, RequestedTimeoutPolicy
from service.engine.game import SCHEMA_VERSION, Game, Player
from service.engine.placement import place_tile
from service.engine.tileset_index import TileSetIndex
from service.engine.turn import start_turn

DISPLAY_SIZE = 4


def set_up(  # noqa: PLR0913 (one keyword for each initial value)
    index: TileSetIndex,
    *,
    game_id: str,
    edition: Edition,
    players: Sequence[Player],
    first_seat: int,
    bag: Sequence[int],
    ships: Sequence[int],
    seed: str,
    seed_chosen: bool,
    commitment: bytes,
    created_at: str,
    turn_timeout_s: int | None = None,
    on_timeout: RequestedTimeoutPolicy | None = None,
) -> tuple[Game, list[AnyEvent]]:
    """Return a new game of 2 to 5 players (R1.1) and its events; it starts unless a seat is open.

    `bag` and `ships` are numbers of the tile set index in drawing order.
    """
    pile = [*reversed(ships)]
    game = Game(
        schema_version=SCHEMA_VERSION,
        id=game_id,
        tileset=index.tileset.id,
        edition=edition,
        seed=seed,
        seed_chosen=seed_chosen,
        commitment=commitment,
        created_at=created_at,
        players=[*players],
        first_seat=first_seat,
        bag=[*reversed(bag)],
        ship_pile=pile,
        display=[pile.pop() for _ in range(min(DISPLAY_SIZE, len(pile)))],
        turn_timeout_s=turn_timeout_s,
        on_timeout=on_timeout,
    )
    place_tile(index, game, 0, index.start_tile * 4)
    events: list[AnyEvent] = [GameCreated()]
    _start_if_full(index, game, events)
    return game, events


def next_open_seat(game: Game) -> int | None:
    """Return the next open seat, or None."""
    if game.status != "waiting":
        return None
    return next((seat for seat, player in enumerate(game.players) if player.kind == "open"), None)


def take_seat(index: TileSetIndex, game: Game, seat: int, name: str, color: Color) -> list[AnyEvent]:
    """Seat a player in an open seat, and start the game if it was the last one."""
    game.players[seat] = Player(name=name, color=color, kind="human")
    events: list[AnyEvent] = [PlayerJoined(seat=seat, name=name, color=color)]
    _start_if_full(index, game, events)
    return events


def vacate_seat(game: Game, seat: int) -> list[AnyEvent]:
    """Open the seat of a player again, before the game starts."""
    name = game.players[seat].name
    game.players[seat] = Player(name=None, color=None, kind="open")
    return [PlayerLeft(seat=seat, name=name or "")]


def mark_aborted(game: Game) -> list[AnyEvent]:
    """Abort a game."""
    game.status = "aborted"
    return [GameAborted()]


def _start_if_full(index: TileSetIndex, game: Game, events: list[AnyEvent]) -> None:
    if any(player.kind == "open" for player in game.players):
        return
    game.status = "active"
    game.seat = game.first_seat
    events.append(GameStarted(seat=game.first_seat))
    start_turn(index, game, events)
