"""Creating, joining, listing. Source: api.md, "Creating, joining, starting"."""

from typing import Annotated

from msgspec import Meta

from schemas.acting import LegalMoves
from schemas.base import Answer, Request
from schemas.game import GameSummary, GameView
from schemas.vocabulary import (
    BotKind,
    Color,
    Digest,
    Edition,
    Id,
    Name,
    SeatNumber,
    Seed,
    Visibility,
    check_name,
)

Token = Annotated[str, Meta(description="A bearer token: 256 random bits, stored only hashed.")]


class SeatAsked(Request):
    """A seat of a new game: a named player, a bot (named after itself unless named), or an open seat."""

    name: Name | None = None
    color: Color | None = None
    bot: BotKind | None = None
    open: bool | None = None

    def __post_init__(self) -> None:
        if self.open:
            if self.name is not None or self.bot is not None or self.color is not None:
                raise ValueError("an open seat gets its name and colour from whoever takes it")
        elif self.name is None and self.bot is None:
            raise ValueError("a seat needs a `name`, a `bot`, or `open`: true")
        if self.name is not None:
            check_name(self.name)


class CreateGame(Request):
    """A new game of 2 to 5 players (R1.1); only `players` is required, null stands for each default."""

    players: Annotated[list[SeatAsked], Meta(min_length=2, max_length=5)]
    edition: Edition | None = None
    first_seat: SeatNumber | None = None
    tileset: Id | None = None
    seed: Seed | None = None
    visibility: Visibility | None = None
    turn_timeout_s: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None

    def __post_init__(self) -> None:
        if self.first_seat is not None and self.first_seat >= len(self.players):
            raise ValueError(f"`first_seat` is {self.first_seat}, but there are {len(self.players)} players")
        colors = [player.color for player in self.players if player.color is not None]
        if len(set(colors)) < len(colors):
            raise ValueError("two players ask for the same colour")
        if self.turn_timeout_s is not None:
            raise ValueError("`turn_timeout_s`: this service has no turn time-outs yet; leave it null")


class JoinGame(Request):
    """Somebody for the next open seat."""

    name: Name
    color: Color | None = None

    def __post_init__(self) -> None:
        check_name(self.name)


class SeatToken(Answer):
    """The token that acts for a seat."""

    seat: int
    token: Token


class Created(Answer):
    """The answer to `POST /v1/games`; no token for bots and open seats."""

    game: GameView
    digest: Digest
    owner_token: Token
    spectator_token: Token
    seats: list[SeatToken]
    legal_moves: LegalMoves | None


class Joined(Answer):
    """The answer to `POST /v1/games/{id}/seats`."""

    seat: int
    token: Token
    game: GameView
    digest: Digest
    legal_moves: LegalMoves | None


class Games(Answer):
    """The answer to `GET /v1/games`: public games, newest first."""

    games: list[GameSummary]
    next_cursor: str | None
