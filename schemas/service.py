"""Responses about the service itself."""

from typing import Annotated

from msgspec import Meta

from schemas.base import ResponseModel


class Health(ResponseModel):
    """The response of `GET /livez` and `GET /readyz`."""

    status: Annotated[str, Meta(examples=["ok"])]


class ServiceIndex(ResponseModel):
    """The response of `GET /`: which release this is, and links to the API."""

    name: str
    version: Annotated[str, Meta(examples=["1.0.0"])]
    revision: Annotated[str, Meta(description="The commit that it was built from, or `unknown`.")]
    openapi: str
    asyncapi: str
    games: str
    tilesets: str
    websocket: str
    docs: Annotated[str, Meta(description="The documentation, with search.", examples=["/docs/"])]
    clients: Annotated[str, Meta(description="Client libraries of this release, to install.", examples=["/clients/"])]
