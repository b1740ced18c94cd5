"""A typed Python client of the service.

It depends on the API's types (`schemas`) only, not on the rest of the service.
"""

from service.client.backoff import Backoff
from service.client.client import Client
from service.client.decoding import Unknown
from service.client.errors import (
    APIError,
    BadRequestError,
    ClientError,
    ConflictError,
    ForbiddenError,
    IllegalMoveError,
    InvalidResponseError,
    NotFoundError,
    RetryableError,
    UnauthorizedError,
    UnprocessableError,
    UnreachableError,
    VersionMismatchError,
)
from service.client.events import Connected, Disconnected, SubscriptionEvent
from service.client.subscription import Subscription

__all__ = [
    "APIError",
    "Backoff",
    "BadRequestError",
    "Client",
    "ClientError",
    "ConflictError",
    "Connected",
    "Disconnected",
    "ForbiddenError",
    "IllegalMoveError",
    "InvalidResponseError",
    "NotFoundError",
    "RetryableError",
    "Subscription",
    "SubscriptionEvent",
    "UnauthorizedError",
    "Unknown",
    "UnprocessableError",
    "UnreachableError",
    "VersionMismatchError",
]
