"""Timestamps of the API: UTC, whole seconds, `Z`."""

from datetime import UTC, datetime
from functools import lru_cache

DAY_S = 86_400


@lru_cache(maxsize=4)
def timestamp(seconds: int) -> str:
    """Format Unix seconds; cached, because all actions of a second have the same."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=1024)
def unix_seconds(at: str) -> int:
    """Parse a timestamp. Raises ValueError."""
    return int(datetime.fromisoformat(at).timestamp())
