"""A typed client of the service, for programs in Python.

It knows the contract (`schemas`) and nothing else of the service.
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
