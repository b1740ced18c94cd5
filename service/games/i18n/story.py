"""The log of a game as a story: a paragraph for each change."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from schemas.events import AnyEvent, TurnStarted
from schemas.game import Placed
from schemas.story import StoryLine
from service.games.i18n.events import EventNarrator


class StoryChange(msgspec.Struct, frozen=True):
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


class PatchedTurn(msgspec.Struct, frozen=True):
    """What a story needs of the turn that a patch writes into GAME."""

    number: int
    tile: str
    placed: Placed | None


class TurnAfterDiff(NamedTuple):
    """The turn that a diff leads to."""

    version: int
    turn: PatchedTurn | None
    """None where nobody is on turn (any more)."""


class _Operation(msgspec.Struct, frozen=True):
    path: str
    value: msgspec.Raw = msgspec.Raw(b"null")


class _Patched(msgspec.Struct, frozen=True):
    version: int
    patch: list[_Operation]


def decode_turn(diff: bytes) -> TurnAfterDiff | None:
    """The turn that a diff leads to, which every patch writes since the game began; None where it did not begin."""
    patched = _PATCHED.decode(diff)
    for operation in patched.patch:
        if operation.path == "/turn":
            return TurnAfterDiff(patched.version, _TURN.decode(operation.value))
    return None


def decode_change(diff: bytes) -> StoryChange:
    """What a story needs of a diff as it was stored."""
    return _DECODER.decode(diff)


def narrate_story(teller: EventNarrator, changes: Iterable[StoryChange], turn: int | None) -> Iterator[StoryLine]:
    """A line for each change; `turn` is the number of the turn in which the first of them happened."""
    for change in changes:
        text = _paragraph(teller, change)
        yield StoryLine(version=change.version, at=change.at, turn=turn, seat=change.seat, text=text)
        if (started := change.starts) is not None:
            turn = started.number


def _paragraph(teller: EventNarrator, change: StoryChange) -> str:
    """What happened; passing is no event, so the move tells it."""
    told = teller.narrate_change(change.events)
    if change.seat is None:
        return told
    translator, player = teller.translator, teller.player_names[change.seat]
    match change.move:
        case "pass.islander":
            passed = translator.gettext("{player} places no islander.", player=player)
        case "pass.deliver":
            passed = translator.gettext("{player} delivers nothing.", player=player)
        case _:
            return told
    return f"{passed} {told}".rstrip()


_DECODER = msgspec.json.Decoder(StoryChange)
_PATCHED = msgspec.json.Decoder(_Patched)
_TURN = msgspec.json.Decoder(PatchedTurn | None)
