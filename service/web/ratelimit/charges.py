"""Who pays for a request, or for a message of a socket."""

from math import inf

from multidict import CIMultiDict

from service.web.ratelimit.leases import Account, settled

__all__ = ["FAILED", "Payer"]

FAILED = 400
"""From this status on nothing was done."""


class Payer:
    """The accounts that are charged, each as much as the others: of the token or else the address, and those above."""

    __slots__ = ("_accounts", "_creations", "_guesses", "stranger")

    def __init__(
        self,
        accounts: tuple[Account, ...],
        tokens: int = 1,
        *,
        guesses: tuple[Account, ...] = (),
        creations: tuple[Account, ...] = (),
        stranger: bytes | None = None,
    ) -> None:
        self._accounts = accounts
        self._guesses = guesses
        """Where it counts as a guess, until the answer tells: else many at once would be as good as few."""
        self._creations = creations
        """Where it counts as making something new, unless the answer tells that it did not."""
        self.stranger = stranger
        """The key of a token that is not known: the answer tells whether it is good."""
        for account in accounts:  # all of them are ready
            account.left -= tokens
        for account in (*guesses, *creations) if guesses or creations else ():
            account.left -= 1

    def spend(self, tokens: int) -> None:
        """Charge for what was done already."""
        for account in self._accounts:
            account.spend(tokens)

    async def pay(self, tokens: int) -> None:
        """Charge for what is going to be done, as soon as there is anything left. Raises RateLimited.

        What is left may be less than the charge: then it is a debt, and there is nothing for the next one.
        """
        await settled(self._check)
        for account in self._accounts:
            account.pay(tokens)

    def give_back(self, tokens: int) -> None:
        """Give back what was paid, and was not needed."""
        for account in self._accounts:
            account.left += tokens

    def _check(self) -> None:
        """Raise RateLimited where there is nothing left, or Asking where only the store knows."""
        for account in self._accounts:
            account.check()

    def answered(self, status: int = 200) -> None:
        """Count it as a guess no more: whoever finds that it was one counts that. What was not made does not count."""
        for account in self._guesses:
            account.left += 1
        self._guesses = ()
        if status >= FAILED and self._creations:
            for account in self._creations:
                account.left += 1
            self._creations = ()

    def tell(self, headers: CIMultiDict[str]) -> None:
        """Say in an answer how much is left of what is used up first."""
        nearest, least = self._accounts[0], inf
        for account in (*self._creations, *self._accounts) if self._creations else self._accounts:
            left = account.bucket + account.left
            if left < least:
                nearest, least = account, left
        nearest.tell(headers)
