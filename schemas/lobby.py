"""Creating, joining, listing. Source: api.md, "Creating, joining, starting"."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import force_setattr

from schemas.acting import LegalMoves
from schemas.base import RequestModel, ResponseModel
from schemas.game import GameSummary, GameView
from schemas.names import normalize_name
from schemas.vocabulary import (
    BotKind,
    Color,
    Digest,
    Edition,
    Id,
    Name,
    RequestedTimeoutPolicy,
    SeatNumber,
    Seed,
    Visibility,
)

ExternalUser = Annotated[
    str,
    Meta(
        pattern=r"^[!-~]{1,64}(?!\n)$",
        description="What a creator calls a person, as `discord:1234`: 1 to 64 visible ASCII characters.",
    ),
]
Token = Annotated[str, Meta(description="A bearer token: 256 random bits, stored only hashed.")]


class SeatRequest(RequestModel):
    """A seat of a new game: a named player, a bot (named after itself unless named), or an open seat."""

    name: Name | None = None
    """Of a person, or of a bot."""
    color: Color | None = None
    """Null takes the first that is free."""
    bot: BotKind | None = None
    """Fills the seat with a bot."""
    open: bool | None = None
    """True leaves the seat for whoever comes."""
    external_user: ExternalUser | None = None
    """Whom the creator finds this seat's games by; it needs the header `Creator-Key`, and GAME does not tell it."""

    def __post_init__(self) -> None:
        if self.open:
            if self.name is not None or self.bot is not None or self.color is not None:
                raise ValueError("`open`: an open seat gets its name and colour from whoever takes it")
        elif self.name is None and self.bot is None:
            raise ValueError("`name`: a seat needs a name, a bot, or to be open")
        if self.external_user is not None and (self.open or self.bot is not None):
            raise ValueError("`external_user`: only a person's seat has one")
        if self.name is not None:
            force_setattr(self, "name", normalize_name(self.name))


class CreateGame(RequestModel):
    """A new game of 2 to 5 players (R1.1); only `players` is required, null stands for each default."""

    players: Annotated[list[SeatRequest], Meta(min_length=2, max_length=5)]
    edition: Edition | None = None
    """Null for `international`."""
    first_seat: SeatNumber | None = None
    """Null for a random one."""
    tileset: Id | None = None
    """Null for `archipelago`."""
    seed: Seed | None = None
    """Null for a random one. Who chooses it knows the order of bag and ships."""
    visibility: Visibility | None = None
    """Null for `public`."""
    turn_timeout_s: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None
    """Seconds that a player has to decide; null for any time."""
    on_timeout: RequestedTimeoutPolicy | None = None
    """What happens then: `pass` (null means it) decides as little as the rules allow, `bot` stands in, `resign`."""

    def __post_init__(self) -> None:
        if self.first_seat is not None and self.first_seat >= len(self.players):
            raise ValueError(f"`first_seat`: there are {len(self.players)} players, so no seat {self.first_seat}")
        colors = [player.color for player in self.players if player.color is not None]
        if len(set(colors)) < len(colors):
            raise ValueError("`players`: two of them ask for the same colour")
        if self.on_timeout is not None and self.turn_timeout_s is None:
            raise ValueError("`on_timeout`: there is no time-out without `turn_timeout_s`")


class JoinGame(RequestModel):
    """Somebody for the next open seat."""

    name: Name
    color: Color | None = None
    """Null takes the first that is free."""
    external_user: ExternalUser | None = None
    """Whom the bearer of `Creator-Key` finds this seat's games by; it needs that header."""

    def __post_init__(self) -> None:
        force_setattr(self, "name", normalize_name(self.name))


class Rematch(RequestModel):
    """The same players again; an empty body asks for the same as `{}`."""

    seed: Seed | None = None
    """Null for a random one. Who chooses it knows the order of bag and ships."""


class ReplaceToken(RequestModel):
    """A new token for a seat: there is nothing to say; an empty body asks for the same as `{}`."""


class SeatToken(ResponseModel):
    """The token that acts for a seat."""

    seat: int
    token: Token


class Created(ResponseModel):
    """The answer to `POST /v1/games`; no token for bots and open seats."""

    game: GameView
    digest: Digest
    """Of the game's version."""
    owner_token: Token
    """Acts for every seat filled here, and manages the game."""
    spectator_token: Token
    """Reads, and joins a private game."""
    seats: list[SeatToken]
    """A token for each seat that a person has."""
    legal_moves: LegalMoves | None
    """With `include=legal_moves`, else null."""


class Joined(ResponseModel):
    """The answer to `POST /v1/games/{id}/seats`."""

    seat: int
    token: Token
    """Acts for the seat."""
    game: GameView
    digest: Digest
    """Of the game's version."""
    legal_moves: LegalMoves | None
    """With `include=legal_moves`, else null."""


class Games(ResponseModel):
    """The answer to `GET /v1/games`: public games, newest first."""

    games: list[GameSummary]
    next_cursor: str | None
    """Null at the end."""


class MySeat(ResponseModel):
    """A seat that the shown tokens act for, or that the creator's key finds."""

    seat: int
    external_user: ExternalUser | None
    """What the creator whose key was shown calls the person; null for a token, and without one."""
    waiting: bool
    """Whether the game waits for this seat to decide."""


class MyGame(ResponseModel):
    """A game of mine."""

    game: GameSummary
    digest: Digest
    """Of the game's version."""
    seats: list[MySeat]
    """Mine in it; a creator's game may have none."""
    waiting: bool
    """Whether the game waits for one of these seats."""


class MyGames(ResponseModel):
    """The answer to `GET /v1/seats/me/games`: the newest first."""

    games: list[MyGame]
    """May be fewer than asked for, even none, where most games were filtered out: go on while there is a cursor."""
    next_cursor: str | None
    """Null at the end."""
