"""Who pays for a request, or for a message of a socket."""

from math import inf

from multidict import CIMultiDict

from service.web.ratelimit.leases import TokenLease, retry_when_leased

__all__ = ["MIN_FAILED_STATUS", "Charge"]

MIN_FAILED_STATUS = 400
"""From this status on nothing was done."""


class Charge:
    """The accounts that are charged, each as much as the others: of the token or else the address, and those above."""

    __slots__ = ("_creation_leases", "_guess_leases", "_leases", "unverified_token")

    def __init__(
        self,
        accounts: tuple[TokenLease, ...],
        tokens: int = 1,
        *,
        guesses: tuple[TokenLease, ...] = (),
        creations: tuple[TokenLease, ...] = (),
        stranger: bytes | None = None,
    ) -> None:
        self._leases = accounts
        self._guess_leases = guesses
        """Where it counts as a guess, until the answer tells: else many at once would be as good as few."""
        self._creation_leases = creations
        """Where it counts as making something new, unless the answer tells that it did not."""
        self.unverified_token = stranger
        """The key of a token that is not known: the answer tells whether it is good."""
        for account in accounts:  # all of them are ready
            account.tokens -= tokens
        for account in (*guesses, *creations) if guesses or creations else ():
            account.tokens -= 1

    def increase_afterwards(self, tokens: int) -> None:
        """Charge for what was done already."""
        for account in self._leases:
            account.charge_afterwards(tokens)

    async def increase(self, tokens: int) -> None:
        """Charge for what is going to be done, as soon as there is anything left. Raises RateLimited.

        What is left may be less than the charge: then it is a debt, and there is nothing for the next one.
        """
        await retry_when_leased(self._check)
        for account in self._leases:
            account.charge(tokens)

    def refund(self, tokens: int) -> None:
        """Give back what was paid, and was not needed."""
        for account in self._leases:
            account.tokens += tokens

    def _check(self) -> None:
        """Raise RateLimited where there is nothing left, or Asking where only the store knows."""
        for account in self._leases:
            account.check()

    def settle(self, status: int = 200) -> None:
        """Count it as a guess no more: whoever finds that it was one counts that. What was not made does not count."""
        for account in self._guess_leases:
            account.tokens += 1
        self._guess_leases = ()
        if status >= MIN_FAILED_STATUS and self._creation_leases:
            for account in self._creation_leases:
                account.tokens += 1
            self._creation_leases = ()

    def set_headers(self, headers: CIMultiDict[str]) -> None:
        """Say in an answer how much is left of what is used up first."""
        nearest, least = self._leases[0], inf
        for account in (*self._creation_leases, *self._leases) if self._creation_leases else self._leases:
            left = account.bucket_tokens + account.tokens
            if left < least:
                nearest, least = account, left
        nearest.set_headers(headers)
