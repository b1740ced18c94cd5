"""What the service says of itself."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel


class Health(ResponseModel):
    """The answer to `GET /livez` and `GET /readyz`."""

    status: Annotated[str, Meta(examples=["ok"])]


class Index(ResponseModel):
    """The answer to `GET /`: where to go on."""

    name: str
    openapi: str
    asyncapi: str
    games: str
    tilesets: str
    websocket: str
