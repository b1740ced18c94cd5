"""What goes by addresses, and by the networks of sites above them.

A network of IPv6 is usually one site's, which has 65,536 addresses as they are counted here. So it has a bucket for
everything that an address has one for, a few times as large.
"""

from collections.abc import Callable

from service.games.ports import TokenBucketStore
from service.web.connections.client_ip import network_of
from service.web.ratelimit.leases import Account, Accounts, settled
from service.web.ratelimit.policies import Policy

__all__ = ["AddressAccounts"]

NETWORKS_BYTES = 1024 * 1024
"""Memory that the accounts of networks may take, of one policy."""


class AddressAccounts:
    """The accounts of one policy, and those of networks."""

    def __init__(
        self, policy: Policy, store: TokenBucketStore, clock: Callable[[], float], *, per_network: int, max_bytes: int
    ) -> None:
        self.own = Accounts(policy, store, clock, max_bytes)
        """Each address's; and those of known tokens where they have some of their own."""
        self.of_networks = Accounts(policy.of_network(per_network), store, clock, NETWORKS_BYTES)

    def ready(self, address: str) -> tuple[Account, ...]:
        """The accounts that a token is to be taken from. Raises RateLimited, or Asking where only the store knows."""
        if ":" not in address:
            return (self.own.ready(address),)
        return self.own.ready(address), self.of_networks.ready(network_of(address))

    def find(self, address: str) -> tuple[Account, ...]:
        """The same accounts, however little is left."""
        if ":" not in address:
            return (self.own.find(address),)
        return self.own.find(address), self.of_networks.find(network_of(address))

    async def pay(self, address: str, tokens: int = 1) -> None:
        """Take tokens for what is going to be done, as soon as there is anything left. Raises RateLimited.

        What is left may be less: then it is a debt, and there is nothing for the next one.
        """
        for account in await settled(lambda: self.ready(address)):
            account.pay(tokens)

    def give_back(self, address: str, tokens: int) -> None:
        """Give back what was paid, and was not needed."""
        for account in self.find(address):
            account.left += tokens

    def spend(self, address: str, tokens: int = 1) -> None:
        """Take tokens for something that was done already."""
        for account in self.find(address):
            account.spend(tokens)

    async def aclose(self) -> None:
        """End what is under way."""
        await self.own.aclose()
        await self.of_networks.aclose()
