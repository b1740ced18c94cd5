"""The bots that can fill a seat."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.vocabulary import BotKind

BotVersion = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9._-]{1,32}(?!\n)$", description="A bot of the same version repeats its decisions."),
]


class BotInfo(ResponseModel):
    """A bot that can fill a seat."""

    name: BotKind
    """The value of `bot` in a seat."""
    version: BotVersion
    description: Annotated[str, Meta(max_length=200)]
    """A description for people."""
    heavy: bool
    """Whether its decisions take long: its moves may come in later versions."""


class BotList(ResponseModel):
    """The response of `GET /v1/bots`."""

    bots: list[BotInfo]
    """Sorted by name."""
