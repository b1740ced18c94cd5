"""A state of the modelled servers: small, immutable and hashable."""

from typing import NamedTuple

PRIMARY = -1
"""The value of `Node.replicates` for a primary."""


class Settings(NamedTuple):
    """The settings of Redis and the service."""

    replicas: int = 2
    wait: int = 0
    """Replicas that must have a commit before it is acknowledged (`--redis-wait-replicas`)."""
    min_replicas: int = 0
    """`min-replicas-to-write`. In the model, a primary notices at once that a replica is down."""
    durable: bool = True
    """Whether a server restarts with all its data, as with `appendfsync always`.

    Otherwise with any prefix of it, as with `everysec` after a loss of power, or after SIGKILL while its disk is busy.
    """
    fresh_offsets: bool = True
    """Whether sentinels know each replica's current offset when they choose one; otherwise an offset may be stale."""
    early_restart: bool = True
    """Whether a primary that crashed may restart before the sentinels notice."""


class Failures(NamedTuple):
    """The failures that may happen."""

    max_failures: int
    crashes: bool = True
    """Whether servers may crash."""
    restarts: bool = True
    """Whether a crashed server may restart with the data on its disk."""
    partition_sizes: tuple[int, ...] = ()
    """How many servers, among them the primary, a partition may separate from all others and from the sentinels.

    Clients still reach them. A server that is paused and resumed behaves like one in such a partition.
    """
    writes: int = 2
    """The number of commits."""


class Node(NamedTuple):
    """A data server."""

    is_running: bool
    replicates: int
    """The number of its primary, or PRIMARY."""
    memory: tuple[int, ...]
    """Its commits, in order."""
    disk: tuple[int, ...]
    """The commits that survive a crash."""


class State(NamedTuple):
    """The state of all servers."""

    nodes: tuple[Node, ...]
    partitioned: frozenset[int]
    """The servers in the partition, which reach each other."""
    named: int
    """The server that the sentinels name as the primary."""
    offsets: tuple[int, ...]
    """The number of commits of each server, as the sentinels know it."""
    origins: tuple[int, ...]
    """For each commit, the server that accepted it."""
    confirmed: tuple[frozenset[int], ...]
    """For each commit, the replicas that confirmed it to that server."""
    failures: int
    """How many failures may still happen."""

    def are_connected(self, first: int, second: int) -> bool:
        """Return whether two servers reach each other."""
        return (first in self.partitioned) == (second in self.partitioned)

    def is_reachable(self, node: int) -> bool:
        """Return whether the sentinels reach a server."""
        return self.nodes[node].is_running and node not in self.partitioned

    def connected_replicas(self, primary: int) -> list[int]:
        """Return the replicas that replicate a server and reach it."""
        return [
            number
            for number, node in enumerate(self.nodes)
            if node.is_running and node.replicates == primary and self.are_connected(number, primary)
        ]

    def acknowledged(self, settings: Settings) -> list[int]:
        """Return the acknowledged commits."""
        return [commit for commit, replicas in enumerate(self.confirmed) if len(replicas) >= settings.wait]

    def lost_commits(self, settings: Settings) -> list[int]:
        """Return the acknowledged commits that no server has, once all running servers are in sync with the primary."""
        primary = self.nodes[self.named]
        if not self.is_reachable(self.named) or self.partitioned:
            return []
        replicas = [node for number, node in enumerate(self.nodes) if number != self.named and node.is_running]
        if any((node.replicates, node.memory) != (self.named, primary.memory) for node in replicas):
            return []
        return [commit for commit in self.acknowledged(settings) if commit not in primary.memory]


def initial_state(settings: Settings, failures: Failures) -> State:
    """Return the state of a primary and its replicas without data."""
    count = 1 + settings.replicas
    nodes = tuple(Node(True, PRIMARY if number == 0 else 0, (), ()) for number in range(count))
    return State(nodes, frozenset(), 0, (0,) * count, (), (), failures.max_failures)
