"""The charge of a request, or of a WebSocket message."""

from math import inf

from aiohttp import web
from multidict import CIMultiDict

from service.web.connections.protocol import get_connection
from service.web.ratelimit.leases import TokenLease, retry_when_leased

__all__ = ["CHARGE", "MIN_FAILED_STATUS", "Charge", "charge_received_bytes"]

MIN_FAILED_STATUS = 400
"""Responses from this status on changed nothing."""


class Charge:
    """The leases that a request is charged to: of its token or its address, and of what is above these."""

    __slots__ = ("_creation_leases", "_guess_leases", "_leases", "unverified_token")

    def __init__(
        self,
        leases: tuple[TokenLease, ...],
        tokens: int = 1,
        *,
        guesses: tuple[TokenLease, ...] = (),
        creations: tuple[TokenLease, ...] = (),
        unverified_token: bytes | None = None,
    ) -> None:
        self._leases = leases
        self._guess_leases = guesses
        """Charged until the response shows that the request was no guess, so that many concurrent guesses are rejected
        too.
        """
        self._creation_leases = creations
        """Charged unless the response shows that nothing was created."""
        self.unverified_token = unverified_token
        """Hash of a token that is not trusted yet; the response shows whether it is valid."""
        for lease in leases:
            lease.tokens -= tokens
        for lease in (*guesses, *creations) if guesses or creations else ():
            lease.tokens -= 1

    def increase_afterwards(self, tokens: int) -> None:
        """Charge more, for work that was already done."""
        if tokens > 0:
            for lease in self._leases:
                lease.charge_afterwards(tokens)

    async def increase(self, tokens: int) -> None:
        """Charge more, for work that is about to be done, as soon as any token is left. Raises RateLimited.

        The charge may exceed what is left: the leases are then in debt and reject the next request.
        """
        await retry_when_leased(self._check)
        for lease in self._leases:
            lease.charge(tokens)

    def refund(self, tokens: int) -> None:
        """Refund tokens that were charged and not needed."""
        for lease in self._leases:
            lease.tokens += tokens

    def _check(self) -> None:
        """Raise RateLimited or LeasePending unless all leases have tokens."""
        for lease in self._leases:
            lease.check()

    def settle(self, status: int = 200) -> None:
        """Refund the guess, which `RateLimiter` counts itself, and a creation that failed."""
        for lease in self._guess_leases:
            lease.tokens += 1
        self._guess_leases = ()
        if status >= MIN_FAILED_STATUS and self._creation_leases:
            for lease in self._creation_leases:
                lease.tokens += 1
            self._creation_leases = ()

    def set_headers(self, headers: CIMultiDict[str]) -> None:
        """Set the rate-limit headers of the lease with the fewest tokens."""
        nearest, least = self._leases[0], inf
        for lease in (*self._creation_leases, *self._leases) if self._creation_leases else self._leases:
            left = lease.bucket_tokens + lease.tokens
            if left < least:
                nearest, least = lease, left
        nearest.set_headers(headers)


CHARGE = web.RequestKey("charge", Charge)
"""The charge of an admitted request, where clients are limited."""


async def charge_received_bytes(request: web.Request) -> None:
    """Charge a request for the bytes that have arrived, before they are decoded. Raises RateLimited."""
    if (charge := request.get(CHARGE)) is not None and (tokens := get_connection(request).count_received_tokens()):
        await charge.increase(tokens)
