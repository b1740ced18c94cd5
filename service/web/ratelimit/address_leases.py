"""Leases by address, and by the IPv6 network of the address.

An IPv6 /48 network usually belongs to one site and has 65,536 clients as they are counted here. Each bucket of an
address therefore has a bucket of its network above it, a few times as large.
"""

from collections.abc import Callable

from service.games.ports.game_store import TokenBucketStore
from service.web.client_ip import get_site_network
from service.web.ratelimit.leases import LeasePool, TokenLease, retry_when_leased
from service.web.ratelimit.policies import Policy

__all__ = ["AddressLeases"]

MAX_NETWORK_LEASES_BYTES = 1024 * 1024
"""Memory for the network leases of a policy."""


class AddressLeases:
    """The leases of addresses and networks for one policy."""

    def __init__(
        self, policy: Policy, store: TokenBucketStore, clock: Callable[[], float], *, per_network: int, max_bytes: int
    ) -> None:
        self.pool = LeasePool(policy, store, clock, max_bytes)
        """Leases of addresses, and of trusted tokens where these have leases of their own."""
        self.network_pool = LeasePool(policy.for_network(per_network), store, clock, MAX_NETWORK_LEASES_BYTES)

    def require(self, address: str) -> tuple[TokenLease, ...]:
        """Return the leases of an address if all of them have tokens. Raises RateLimited, LeasePending."""
        if ":" not in address:
            return (self.pool.require(address),)
        return self.pool.require(address), self.network_pool.require(get_site_network(address))

    def get_or_create(self, address: str) -> tuple[TokenLease, ...]:
        """Return the leases of an address, however many tokens they have."""
        if ":" not in address:
            return (self.pool.get_or_create(address),)
        return self.pool.get_or_create(address), self.network_pool.get_or_create(get_site_network(address))

    async def charge(self, address: str, tokens: int = 1) -> None:
        """Charge work that is about to be done, as soon as any token is left. Raises RateLimited.

        The charge may exceed what is left: the lease is then in debt and rejects the next request.
        """
        for lease in await retry_when_leased(self.require, address):
            lease.charge(tokens)

    def charge_afterwards(self, address: str, tokens: int = 1) -> None:
        """Charge work that was already done."""
        for lease in self.get_or_create(address):
            lease.charge_afterwards(tokens)

    async def aclose(self) -> None:
        """Cancel running renewals."""
        await self.pool.aclose()
        await self.network_pool.aclose()
