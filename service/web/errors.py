"""What the web side itself refuses, as types with data; `service.web.problems` maps them.

WebError
├── TooLarge               a body above the limit
├── UnsupportedMediaType   a body that does not call itself JSON
└── NotReady               this instance is stopping
"""

__all__ = ["NotReady", "TooLarge", "UnsupportedMediaType", "WebError"]


class WebError(Exception):
    """Base of what the web side refuses; nothing was changed."""


class TooLarge(WebError):
    """The body has more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class UnsupportedMediaType(WebError):
    """The body is not sent as application/json."""


class NotReady(WebError):
    """The instance is about to stop: ask another one."""
