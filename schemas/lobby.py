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
    """Of a person, or of a bot."""
    color: Color | None = None
    """Null takes the first that is free."""
    bot: BotKind | None = None
    """Fills the seat with a bot."""
    open: bool | None = None
    """True leaves the seat for whoever comes."""

    def __post_init__(self) -> None:
        if self.open:
            if self.name is not None or self.bot is not None or self.color is not None:
                raise ValueError("`open`: an open seat gets its name and colour from whoever takes it")
        elif self.name is None and self.bot is None:
            raise ValueError("`name`: a seat needs a name, a bot, or to be open")
        if self.name is not None:
            check_name(self.name)


class CreateGame(Request):
    """A new game of 2 to 5 players (R1.1); only `players` is required, null stands for each default."""

    players: Annotated[list[SeatAsked], Meta(min_length=2, max_length=5)]
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
    """Not yet: leave it null."""

    def __post_init__(self) -> None:
        if self.first_seat is not None and self.first_seat >= len(self.players):
            raise ValueError(f"`first_seat`: there are {len(self.players)} players, so no seat {self.first_seat}")
        colors = [player.color for player in self.players if player.color is not None]
        if len(set(colors)) < len(colors):
            raise ValueError("`players`: two of them ask for the same colour")
        if self.turn_timeout_s is not None:
            raise ValueError("`turn_timeout_s`: there are no turn time-outs yet, leave it null")


class JoinGame(Request):
    """Somebody for the next open seat."""

    name: Name
    color: Color | None = None
    """Null takes the first that is free."""

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
    """Of the game's version."""
    owner_token: Token
    """Acts for every seat filled here, and manages the game."""
    spectator_token: Token
    """Reads, and joins a private game."""
    seats: list[SeatToken]
    """A token for each seat that a person has."""
    legal_moves: LegalMoves | None
    """With `include=legal_moves`, else null."""


class Joined(Answer):
    """The answer to `POST /v1/games/{id}/seats`."""

    seat: int
    token: Token
    """Acts for the seat."""
    game: GameView
    digest: Digest
    """Of the game's version."""
    legal_moves: LegalMoves | None
    """With `include=legal_moves`, else null."""


class Games(Answer):
    """The answer to `GET /v1/games`: public games, newest first."""

    games: list[GameSummary]
    next_cursor: str | None
    """Null at the end."""
