"""The log of a game as a story: a paragraph for each change."""

from collections.abc import Iterable, Iterator

import msgspec

from schemas.events import AnyEvent, TurnStarted
from schemas.story import StoryLine
from service.games.texts.events import Teller


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


def read_change(diff: bytes) -> Change:
    """What a story needs of a diff as it was stored."""
    return _DECODER.decode(diff)


def tell(teller: Teller, changes: Iterable[Change], since: int) -> Iterator[StoryLine]:
    """A line for each change after version `since`; those before it only say which turn it was, and what lay where."""
    turn: int | None = None
    for change in changes:
        text = _paragraph(teller, change)
        if change.version > since:
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
