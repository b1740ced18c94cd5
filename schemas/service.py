"""Responses about the service itself."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel


class Health(ResponseModel):
    """The response of `GET /livez` and `GET /readyz`."""

    status: Annotated[str, Meta(examples=["ok"])]


class ServiceIndex(ResponseModel):
    """The response of `GET /`: links to the API."""

    name: str
    openapi: str
    asyncapi: str
    games: str
    tilesets: str
    websocket: str
