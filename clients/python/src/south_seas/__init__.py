"""A typed client of South Seas, the server of Carcassonne: South Seas.

`Client` sends requests, plays seats and subscribes to games; `south_seas.models` has what they send and return.
`ApiKeyClient` is for hosts of many players, whom the operator has given an API key.
"""

from south_seas.api_key_client import ApiKeyClient
from south_seas.backoff import Backoff
from south_seas.client import Client
from south_seas.clock import ServerClock
from south_seas.decoding import Unknown
from south_seas.errors import (
    APIError,
    BadRequestError,
    ClientError,
    ConflictError,
    ForbiddenError,
    IllegalMoveError,
    InvalidResponseError,
    NotFoundError,
    RetryableError,
    SeatReplacedError,
    SeatResignedError,
    UnauthorizedError,
    UnprocessableError,
    UnreachableError,
    VersionMismatchError,
)
from south_seas.events import Connected, Disconnected, SubscriptionEvent
from south_seas.subscription import Subscription

__all__ = [
    "APIError",
    "ApiKeyClient",
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
    "SeatReplacedError",
    "SeatResignedError",
    "ServerClock",
    "Subscription",
    "SubscriptionEvent",
    "UnauthorizedError",
    "Unknown",
    "UnprocessableError",
    "UnreachableError",
    "VersionMismatchError",
]
