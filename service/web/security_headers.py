"""What every answer tells a browser not to do with it."""

from aiohttp import web
from multidict import CIMultiDict

from service.web.limits import Limits

__all__ = ["SECURITY_HEADERS", "SecurityHeaders"]

CSP = "Content-Security-Policy"

_COMMON_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}

PAGE_HEADERS = {
    CSP: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    **_COMMON_HEADERS,
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""For pages: they run this service's scripts and ask this service, nothing else, whatever they may be made to hold."""

API_HEADERS = {
    CSP: "default-src 'none'; frame-ancestors 'none'",
    **_COMMON_HEADERS,
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""For what is no page: it loads nothing and is framed nowhere, but every origin may read it, as CORS says too."""


class SecurityHeaders:
    """The headers of one instance's answers."""

    def __init__(self, limits: Limits) -> None:
        always = CIMultiDict({"Server": "south-seas"})
        if limits.hsts_max_age_s:
            always["Strict-Transport-Security"] = f"max-age={limits.hsts_max_age_s}; includeSubDomains"
        self._page_headers = always
        self._api_headers = CIMultiDict({**always, **API_HEADERS})

    def add_to(self, headers: CIMultiDict[str]) -> None:
        """Add them to those of an answer; pages have a policy of their own, and all that goes with it."""
        headers.extend(self._page_headers if CSP in headers else self._api_headers)


SECURITY_HEADERS = web.AppKey("security", SecurityHeaders)
