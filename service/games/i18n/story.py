"""The log of a game as a story: a paragraph for each change."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from schemas.events import AnyEvent, TurnStarted
from schemas.game import Placed
from schemas.story import StoryLine
from service.games.i18n.events import Teller


class Change(msgspec.Struct, frozen=True):
    """What a story needs of a diff."""

    version: int
    at: str
    seat: int | None
    move: str | None
    events: list[AnyEvent]

    @property
    def starts(self) -> TurnStarted | None:
        """The turn that begins with it, if one does."""
        return next((event for event in self.events if isinstance(event, TurnStarted)), None)


class TurnThen(msgspec.Struct, frozen=True):
    """What a story needs of the turn that a patch writes into GAME."""

    number: int
    tile: str
    placed: Placed | None


class TurnWritten(NamedTuple):
    """The turn that a diff leads to."""

    version: int
    turn: TurnThen | None
    """None where nobody is on turn (any more)."""


class _Operation(msgspec.Struct, frozen=True):
    path: str
    value: msgspec.Raw = msgspec.Raw(b"null")


class _Patched(msgspec.Struct, frozen=True):
    version: int
    patch: list[_Operation]


def read_turn(diff: bytes) -> TurnWritten | None:
    """The turn that a diff leads to, which every patch writes since the game began; None where it did not begin."""
    patched = _PATCHED.decode(diff)
    for operation in patched.patch:
        if operation.path == "/turn":
            return TurnWritten(patched.version, _TURN.decode(operation.value))
    return None


def read_change(diff: bytes) -> Change:
    """What a story needs of a diff as it was stored."""
    return _DECODER.decode(diff)


def tell(teller: Teller, changes: Iterable[Change], turn: int | None) -> Iterator[StoryLine]:
    """A line for each change; `turn` is the number of the turn in which the first of them happened."""
    for change in changes:
        text = _paragraph(teller, change)
        yield StoryLine(version=change.version, at=change.at, turn=turn, seat=change.seat, text=text)
        if (started := change.starts) is not None:
            turn = started.number


def _paragraph(teller: Teller, change: Change) -> str:
    """What happened; passing is no event, so the move tells it."""
    told = teller.paragraph(change.events)
    if change.seat is None:
        return told
    say, player = teller.speech.say, teller.names[change.seat]
    match change.move:
        case "pass.islander":
            passed = say("{player} places no islander.", player=player)
        case "pass.deliver":
            passed = say("{player} delivers nothing.", player=player)
        case _:
            return told
    return f"{passed} {told}".rstrip()


_DECODER = msgspec.json.Decoder(Change)
_PATCHED = msgspec.json.Decoder(_Patched)
_TURN = msgspec.json.Decoder(TurnThen | None)
