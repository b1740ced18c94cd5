"""What the error in reply to a malformed message echoes of it."""

from typing import Any, NamedTuple

import msgspec

from schemas.vocabulary import is_valid_id

__all__ = ["MAX_ENVELOPE_LENGTH", "Envelope", "read_envelope"]

MAX_ENVELOPE_LENGTH = 1_024
"""Characters of a malformed message whose id and game are read: that takes a second decoding."""

MAX_ID_LENGTH = 64
"""As schemas.messages.MessageId."""


class Envelope(NamedTuple):
    """The id and the game of a message; each is None if it is missing or itself malformed."""

    id: str | None = None
    game: str | None = None


class _AnyEnvelope(msgspec.Struct):
    id: Any = None
    game: Any = None


def read_envelope(text: str) -> Envelope:
    """Read the id and the game of a message that is not what it should be."""
    try:
        envelope = _DECODER.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return Envelope()
    message_id, game = envelope.id, envelope.game
    return Envelope(
        message_id if isinstance(message_id, str) and len(message_id) <= MAX_ID_LENGTH else None,
        game if isinstance(game, str) and is_valid_id(game) else None,
    )


_DECODER = msgspec.json.Decoder(_AnyEnvelope)
