"""The port that sends payloads to webhooks' servers, and the result of an attempt."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

__all__ = ["POSTPONED", "TIMEOUT", "WRONG_ANSWER", "SendResult", "WebhookSender"]

TIMEOUT = "timeout"
WRONG_ANSWER = "wrong_answer"
"""A challenge got a 2xx response that does not repeat it."""
POSTPONED = "postponed"
"""Nothing was sent, as its address has received too many challenges."""


class SendResult(NamedTuple):
    """The result of an attempt: the response's status, or an error."""

    status: int | None
    error: str | None
    """None for success."""
    latency_ms: int
    response_body: bytes = b""
    """The start of the response to a challenge."""


class WebhookSender(Protocol):
    """Sends a body with headers to a URL, and reads the response to a challenge. Raises nothing."""

    async def __call__(
        self, url: str, headers: Mapping[str, str], body: bytes, /, *, challenge: bool = False
    ) -> SendResult:
        """Send one message."""
        ...
