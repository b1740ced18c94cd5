"""The log of a game as a story: a paragraph for each change."""

from collections.abc import Iterable, Iterator

import msgspec

from schemas.events import AnyEvent, TurnStarted, TurnTimedOut
from schemas.story import StoryLine
from schemas.vocabulary import Cell
from service.i18n.events import EventNarrator
from service.i18n.sentences import translate_sentence

PASSES = ("pass.islander", "pass.deliver")
"""The moves that have no event."""


class StoryChange(msgspec.Struct, frozen=True):
    """The part of a diff that a story needs."""

    version: int
    at: str
    seat: int | None
    move: str | None
    events: list[AnyEvent]

    @property
    def turn_started(self) -> TurnStarted | None:
        """Return the turn that starts with this change, if any."""
        return next((event for event in self.events if isinstance(event, TurnStarted)), None)


class PatchedTurn(msgspec.Struct, frozen=True):
    """The part of GAME's `turn` that a story needs; every patch of a started game writes the turn."""

    number: int
    tile: str
    placed: Cell | None


class _Operation(msgspec.Struct, frozen=True):
    path: str
    value: msgspec.Raw = msgspec.Raw(b"null")


class _Patched(msgspec.Struct, frozen=True):
    patch: list[_Operation]


def decode_turn(diff: bytes) -> list[PatchedTurn | None]:
    """Return the turn as a diff's patch writes it, None while there is none; nothing before the game starts."""
    return [_TURN.decode(operation.value) for operation in _PATCHED.decode(diff).patch if operation.path == "/turn"]


def decode_change(diff: bytes) -> StoryChange:
    """Return the decoded part of a stored diff."""
    return _DECODER.decode(diff)


def narrate_story(narrator: EventNarrator, changes: Iterable[StoryChange], turn: int | None) -> Iterator[StoryLine]:
    """Yield a line for each change; `turn` is the number of the turn in which the first of them happened."""
    for change in changes:
        text = _narrate_change(narrator, change)
        yield StoryLine(version=change.version, at=change.at, turn=turn, seat=change.seat, text=text)
        if (new_turn := change.turn_started) is not None:
            turn = new_turn.number


def _narrate_change(narrator: EventNarrator, change: StoryChange) -> str:
    """Return the text of a change; a pass has no event, so its sentence comes from the move, after a time-out."""
    if change.seat is None or change.move not in PASSES:
        return narrator.narrate_change(change.events)
    player = narrator.player_names[change.seat]
    passed = translate_sentence(narrator.translator, change.move, player=player)
    late = sum(isinstance(event, TurnTimedOut) for event in change.events)
    before, after = narrator.narrate_change(change.events[:late]), narrator.narrate_change(change.events[late:])
    return " ".join(text for text in (before, passed, after) if text)


_DECODER = msgspec.json.Decoder(StoryChange)
_PATCHED = msgspec.json.Decoder(_Patched)
_TURN = msgspec.json.Decoder(PatchedTurn | None)
