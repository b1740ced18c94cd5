"""A typed client of the service, for programs in Python.

It knows the contract (`schemas`) and nothing else of the service.
"""

from service.client.backoff import Backoff
from service.client.client import Client
from service.client.decoding import Unknown
from service.client.errors import (
    Busy,
    ClientError,
    Conflict,
    Forbidden,
    IllegalMove,
    Malformed,
    NotFound,
    NotPossible,
    Refused,
    Unauthorized,
    Unreachable,
    Unreadable,
    VersionMismatch,
)
from service.client.events import Change, Connected, Lost
from service.client.subscription import Following

__all__ = [
    "Backoff",
    "Busy",
    "Change",
    "Client",
    "ClientError",
    "Conflict",
    "Connected",
    "Following",
    "Forbidden",
    "IllegalMove",
    "Lost",
    "Malformed",
    "NotFound",
    "NotPossible",
    "Refused",
    "Unauthorized",
    "Unknown",
    "Unreachable",
    "Unreadable",
    "VersionMismatch",
]
