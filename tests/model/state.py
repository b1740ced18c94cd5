"""What the model knows of the servers: small, immutable, and equal where nothing differs."""

from typing import NamedTuple

__all__ = ["PRIMARY", "Failures", "Node", "Settings", "State", "initial"]

PRIMARY = -1
"""Whom a primary follows."""


class Settings(NamedTuple):
    """How Redis and the service are set up."""

    replicas: int = 2
    wait: int = 0
    """Replicas that must have a commit before it is acknowledged (`--redis-wait-replicas`)."""
    min_replicas: int = 0
    """`min-replicas-to-write`, and a primary notices at once that a replica is away."""
    durable: bool = True
    """Whether a server comes back with all that it had, as with `appendfsync always`.

    Else with any part of it, as with `everysec` after a loss of power, or after SIGKILL while its disk is busy.
    """
    fresh_offsets: bool = True
    """Whether sentinels know how far each replica is when they choose; else they may know what was true before."""
    early_restart: bool = True
    """Whether a primary that died may be back before the sentinels have noticed."""


class Failures(NamedTuple):
    """What may happen, and how often altogether."""

    at_most: int
    crashes: bool = True
    """A server dies."""
    returns: bool = True
    """Whether it may come back, with what its disk has."""
    cuts: tuple[int, ...] = ()
    """So many servers together, the primary among them, are cut off from all others and from the sentinels.

    They are not cut off from their clients. A server that is paused and goes on is one that was cut off.
    """
    writes: int = 2
    """Commits that are tried altogether."""


class Node(NamedTuple):
    """A server that holds data."""

    alive: bool
    follows: int
    memory: tuple[int, ...]
    """The commits that it has, in its order."""
    disk: tuple[int, ...]
    """Those of them that it comes back with."""


class State(NamedTuple):
    """Everything at one moment."""

    nodes: tuple[Node, ...]
    away: frozenset[int]
    """Servers that are cut off, together."""
    named: int
    """Whom the sentinels name."""
    known: tuple[int, ...]
    """How many commits each server has, as far as the sentinels know."""
    takers: tuple[int, ...]
    """Of each commit, the server that took it."""
    confirmed: tuple[frozenset[int], ...]
    """Of each commit, the replicas that told that server that they have it."""
    failures: int
    """How many may still happen."""

    def connected(self, one: int, other: int) -> bool:
        """Whether two servers reach each other."""
        return (one in self.away) == (other in self.away)

    def reached(self, node: int) -> bool:
        """Whether the sentinels reach a server."""
        return self.nodes[node].alive and node not in self.away

    def attached(self, primary: int) -> list[int]:
        """Return the replicas that follow a server and reach it."""
        return [
            number
            for number, node in enumerate(self.nodes)
            if node.alive and node.follows == primary and self.connected(number, primary)
        ]

    def acknowledged(self, settings: Settings) -> list[int]:
        """Return the commits that were acknowledged to clients."""
        return [commit for commit, replicas in enumerate(self.confirmed) if len(replicas) >= settings.wait]

    def lost_commits(self, settings: Settings) -> list[int]:
        """Acknowledged commits that no server has, once all that run follow the one that the sentinels name."""
        one = self.nodes[self.named]
        if not self.reached(self.named) or self.away:
            return []
        others = [node for number, node in enumerate(self.nodes) if number != self.named and node.alive]
        if any((node.follows, node.memory) != (self.named, one.memory) for node in others):
            return []
        return [commit for commit in self.acknowledged(settings) if commit not in one.memory]


def initial(settings: Settings, failures: Failures) -> State:
    """One primary, its replicas, and nothing stored."""
    count = 1 + settings.replicas
    nodes = tuple(Node(True, PRIMARY if number == 0 else 0, (), ()) for number in range(count))
    return State(nodes, frozenset(), 0, (0,) * count, (), (), failures.at_most)
