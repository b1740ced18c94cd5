"""What every answer tells a browser not to do with it."""

from aiohttp import web
from multidict import CIMultiDict

from service.web.limits import Limits

__all__ = ["SECURITY", "Security"]

POLICY = "Content-Security-Policy"

NOTHING = {
    POLICY: "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""For what is no page: it loads nothing and is framed nowhere, but every origin may read it, as CORS says too."""


class Security:
    """The headers of one instance's answers."""

    def __init__(self, limits: Limits) -> None:
        always = CIMultiDict({"Server": "south-seas"})
        if limits.hsts_max_age_s:
            always["Strict-Transport-Security"] = f"max-age={limits.hsts_max_age_s}; includeSubDomains"
        self._always = always
        self._plain = CIMultiDict({**always, **NOTHING})

    def add_to(self, headers: CIMultiDict[str]) -> None:
        """Add them to those of an answer; pages have a policy of their own, and all that goes with it."""
        headers.extend(self._always if POLICY in headers else self._plain)


SECURITY = web.AppKey("security", Security)
