"""What posts messages to webhooks' servers, and what comes of it."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

__all__ = ["POSTPONED", "TIMEOUT", "WRONG_ANSWER", "SendResult", "WebhookSender"]

TIMEOUT = "timeout"
WRONG_ANSWER = "wrong_answer"
"""A challenge was answered with 2xx, and not repeated."""
POSTPONED = "postponed"
"""Nothing was sent: there are too many challenges at this address."""


class SendResult(NamedTuple):
    """What came of an attempt: the answer's status, or why there was none."""

    status: int | None
    error: str | None
    """None for success."""
    latency_ms: int
    response_body: bytes = b""
    """To a challenge: the answer's body, as far as it may be a right one."""


class WebhookSender(Protocol):
    """Posts a body with headers to a URL; reads the answer to a challenge. Raises nothing."""

    async def __call__(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Send one message."""
        ...
