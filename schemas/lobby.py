"""Creating, joining, listing."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import force_setattr

from schemas.base import Query, RequestModel, ResponseModel
from schemas.commands import LegalMoves
from schemas.game import GameSummary, GameView
from schemas.player_names import normalize_name
from schemas.vocabulary import (
    BotKind,
    Color,
    Digest,
    Edition,
    GameCursor,
    Id,
    Name,
    RequestedTimeoutPolicy,
    SeatNumber,
    Seed,
    Status,
    Visibility,
)

ExternalUser = Annotated[
    str,
    Meta(
        pattern=r"^[!-~]{1,64}(?!\n)$",
        description="A creator's id of a person, as `discord:1234`: 1 to 64 visible ASCII characters.",
    ),
]
Token = Annotated[str, Meta(description="A bearer token. Keep it secret.")]


class SeatRequest(RequestModel):
    """A seat of a new game: a named player, a bot, or an open seat."""

    name: Name | None = None
    """The name of a person or a bot; null names a bot after its kind."""
    color: Color | None = None
    """Null means the first free one."""
    bot: BotKind | None = None
    """The bot that fills the seat."""
    open: bool | None = None
    """True leaves the seat open for a player to join."""
    external_user: ExternalUser | None = None
    """The person, for `GET /v1/seats/me/games`. Requires the header `Creator-Key`; GAME does not show it."""

    def validate(self) -> None:
        """Check what the seat says, and normalise its name. Raises ValueError.

        CreateGame does it, once the number of its seats is known: else thousands of them would be checked in vain.
        """
        if self.open:
            if self.name is not None or self.bot is not None or self.color is not None:
                raise ValueError("`open`: an open seat cannot have a name, colour or bot")
        elif self.name is None and self.bot is None:
            raise ValueError("`name`: a seat needs a name, a bot or `open`")
        if self.external_user is not None and (self.open or self.bot is not None):
            raise ValueError("`external_user`: only a named player can have one")
        if self.name is not None:
            force_setattr(self, "name", normalize_name(self.name))


class CreateGame(RequestModel):
    """A new game of 2 to 5 players (R1.1); only `players` is required."""

    players: Annotated[list[SeatRequest], Meta(min_length=2, max_length=5, description="A game has 2 to 5 players.")]
    edition: Edition | None = None
    """Null means `international`."""
    first_seat: SeatNumber | None = None
    """Null means a random one."""
    tileset: Id | None = None
    """Null means `lagoon`."""
    seed: Seed | None = None
    """The seed of the shuffle; whoever chooses it knows the order of tiles and ships. Null means a random one."""
    visibility: Visibility | None = None
    """Null means `public`."""
    turn_timeout_s: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None
    """Seconds that a player has to decide; null for any time."""
    on_timeout: RequestedTimeoutPolicy | None = None
    """`pass` takes the smallest legal action, `bot` lets a bot take over, `resign` resigns. Null means `pass`."""

    def __post_init__(self) -> None:
        for number, player in enumerate(self.players):
            try:
                player.validate()
            except ValueError as error:
                raise ValueError(str(error).replace("`", f"`players[{number}].", 1)) from error
        if self.first_seat is not None and self.first_seat >= len(self.players):
            raise ValueError(f"`first_seat`: there is no seat {self.first_seat} of {len(self.players)}: the first is 0")
        colors = [player.color for player in self.players if player.color is not None]
        if len(set(colors)) < len(colors):
            raise ValueError("`players`: two players have the same colour")
        if self.on_timeout is not None and self.turn_timeout_s is None:
            raise ValueError("`on_timeout`: it requires `turn_timeout_s`")


class JoinGame(RequestModel):
    """A player for the next open seat."""

    name: Name
    color: Color | None = None
    """Null means the first free one."""
    external_user: ExternalUser | None = None
    """The person, for `GET /v1/seats/me/games`. Requires the header `Creator-Key`."""

    def __post_init__(self) -> None:
        force_setattr(self, "name", normalize_name(self.name))


class Rematch(RequestModel):
    """A new game with the same players; the body may be empty."""

    seed: Seed | None = None
    """The seed of the shuffle; whoever chooses it knows the order of tiles and ships. Null means a random one."""


class ReplaceToken(RequestModel):
    """A new token for a seat, without options; the body may be empty."""


class SeatToken(ResponseModel):
    """A token that acts for a seat."""

    seat: int
    token: Token


class Created(ResponseModel):
    """The response of `POST /v1/games`."""

    game: GameView
    digest: Digest
    """The digest of the game's version."""
    owner_token: Token
    """Acts for every seat filled at creation, and manages the game."""
    spectator_token: Token
    """Reads and joins a private game."""
    seats: list[SeatToken]
    """A token for each seat of a person; none for bots and open seats."""
    legal_moves: LegalMoves | None
    """Null without `include=legal_moves`."""


class Rematched(ResponseModel):
    """The response of `POST /v1/games/{id}/rematch`: all tokens of the game before are valid in this one."""

    game: GameView
    digest: Digest
    """The digest of the game's version."""


class Joined(ResponseModel):
    """The response of `POST /v1/games/{id}/seats`."""

    seat: int
    token: Token
    """Acts for the seat."""
    game: GameView
    digest: Digest
    """The digest of the game's version."""
    legal_moves: LegalMoves | None
    """Null without `include=legal_moves`."""


class Games(ResponseModel):
    """The response of `GET /v1/games`: public games, newest first."""

    games: list[GameSummary]
    next_cursor: str | None
    """The cursor of the next page; null on the last one."""


class MySeat(ResponseModel):
    """A seat that belongs to the request's tokens, or to the creator's key."""

    seat: int
    external_user: ExternalUser | None
    """The person, for requests with a creator's key; null for tokens, and for seats without one."""
    waiting: bool
    """Whether this seat must decide."""


class MyGame(ResponseModel):
    """A game with the caller's seats."""

    game: GameSummary
    digest: Digest
    """The digest of the game's version."""
    seats: list[MySeat]
    """The caller's seats; a creator's game may have none."""
    waiting: bool
    """Whether one of these seats must decide."""


class MyGames(ResponseModel):
    """The response of `GET /v1/seats/me/games`, newest first."""

    games: list[MyGame]
    """May be fewer than `limit`, even none, when filters exclude most games; continue while there is a cursor."""
    next_cursor: str | None
    """The cursor of the next page; null on the last one."""


class GameListQuery(Query, frozen=True):
    """Filters and page of a list of games."""

    status: Annotated[Status, Meta(description="Only games with this status.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of games per page.")] = 50
    cursor: GameCursor | None = None


class MyGameListQuery(GameListQuery, frozen=True):
    """Filters of a player's own games."""

    external_user: Annotated[ExternalUser, Meta(description="Only seats with this external user id.")] | None = None
    waiting: Annotated[bool, Meta(description="Whether the game waits for one of these seats.")] | None = None
