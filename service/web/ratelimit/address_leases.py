"""What goes by addresses, and by the networks of sites above them.

A network of IPv6 is usually one site's, which has 65,536 addresses as they are counted here. So it has a bucket for
everything that an address has one for, a few times as large.
"""

from collections.abc import Callable

from service.games.ports import TokenBucketStore
from service.web.connections.client_ip import site_network
from service.web.ratelimit.leases import LeasePool, TokenLease, retry_when_leased
from service.web.ratelimit.policies import Policy

__all__ = ["AddressLeases"]

MAX_NETWORK_LEASES_BYTES = 1024 * 1024
"""Memory that the accounts of networks may take, of one policy."""


class AddressLeases:
    """The accounts of one policy, and those of networks."""

    def __init__(
        self, policy: Policy, store: TokenBucketStore, clock: Callable[[], float], *, per_network: int, max_bytes: int
    ) -> None:
        self.pool = LeasePool(policy, store, clock, max_bytes)
        """Each address's; and those of known tokens where they have some of their own."""
        self.network_pool = LeasePool(policy.for_network(per_network), store, clock, MAX_NETWORK_LEASES_BYTES)

    def require(self, address: str) -> tuple[TokenLease, ...]:
        """The accounts that a token is to be taken from. Raises RateLimited, or Asking where only the store knows."""
        if ":" not in address:
            return (self.pool.require(address),)
        return self.pool.require(address), self.network_pool.require(site_network(address))

    def get_or_create(self, address: str) -> tuple[TokenLease, ...]:
        """The same accounts, however little is left."""
        if ":" not in address:
            return (self.pool.get_or_create(address),)
        return self.pool.get_or_create(address), self.network_pool.get_or_create(site_network(address))

    async def charge(self, address: str, tokens: int = 1) -> None:
        """Take tokens for what is going to be done, as soon as there is anything left. Raises RateLimited.

        What is left may be less: then it is a debt, and there is nothing for the next one.
        """
        for account in await retry_when_leased(lambda: self.require(address)):
            account.charge(tokens)

    def refund(self, address: str, tokens: int) -> None:
        """Give back what was paid, and was not needed."""
        for account in self.get_or_create(address):
            account.tokens += tokens

    def charge_afterwards(self, address: str, tokens: int = 1) -> None:
        """Take tokens for something that was done already."""
        for account in self.get_or_create(address):
            account.charge_afterwards(tokens)

    async def aclose(self) -> None:
        """End what is under way."""
        await self.pool.aclose()
        await self.network_pool.aclose()
