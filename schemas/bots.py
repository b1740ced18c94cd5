"""The bots that can fill a seat. Source: api.md, "Creating, joining, starting"."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel
from schemas.vocabulary import BotKind

BotVersion = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9._-]{1,32}(?!\n)$", description="A bot of the same version decides the same again."),
]


class BotInfo(ResponseModel):
    """A bot."""

    name: BotKind
    """What `bot` of a seat says."""
    version: BotVersion
    description: Annotated[str, Meta(max_length=200)]
    """For people."""
    heavy: bool
    """Whether it takes its time: its moves may follow in later versions."""


class BotList(ResponseModel):
    """The answer to `GET /v1/bots`."""

    bots: list[BotInfo]
    """By name."""
