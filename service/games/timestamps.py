"""Times as the contract writes them: UTC, whole seconds, `Z`."""

from datetime import UTC, datetime
from functools import lru_cache

DAY_S = 86_400


@lru_cache(maxsize=4)
def timestamp(seconds: int) -> str:
    """Unix seconds as the contract writes them; a busy second's is made once."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=1024)
def unix_seconds(at: str) -> int:
    """The inverse of `timestamp`."""
    return int(datetime.fromisoformat(at).timestamp())
