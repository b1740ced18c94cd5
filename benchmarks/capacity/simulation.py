"""A simulation of the service as serial processes that share some cores: how long actions take at a rate.

It knows nothing of the service but its costs. Actions come at random (Poisson), each to its instance; a process does
one thing at a time, in the order in which it came; a core runs one process at a time.
"""

import heapq
import itertools
import random
from collections import Counter, deque
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.capacity.model import Costs, Load

Then = Callable[[float], None]
"""Called with the time, when a piece of work is done."""

BEFORE_COMMIT = 0.6
"""The share of an action's work in the instance that comes before Redis is asked."""


class Simulated(NamedTuple):
    """What came of it."""

    seconds: list[float]
    """Of each action, from when it was sent to its answer."""
    busy_s: dict[str, float]
    """Processor seconds of each process."""


class Cores:
    """Processes on so many cores; `run` ends when nothing is left to do."""

    def __init__(self, cores: int) -> None:
        self.busy_s: dict[str, float] = {}
        self._free = cores
        self._ready: deque[str] = deque()
        self._queues: dict[str, deque[tuple[float, Then]]] = {}
        self._running: set[str] = set()
        self._events: list[tuple[float, int, Then]] = []
        self._numbers = itertools.count()

    def at(self, time: float, then: Then) -> None:
        """Call `then` at a time."""
        heapq.heappush(self._events, (time, next(self._numbers), then))

    def work(self, now: float, process: str, microseconds: float, then: Then) -> None:
        """Give a process work, which it does after all that it was given before."""
        queue = self._queues.setdefault(process, deque())
        queue.append((microseconds / 1e6, then))
        if len(queue) == 1 and process not in self._running:
            self._ready.append(process)
        self._start(now)

    def run(self) -> None:
        """Let time pass."""
        while self._events:
            now, _, then = heapq.heappop(self._events)
            then(now)

    def _start(self, now: float) -> None:
        while self._free and self._ready:
            process = self._ready.popleft()
            seconds, then = self._queues[process].popleft()
            self._free -= 1
            self._running.add(process)
            self.busy_s[process] = self.busy_s.get(process, 0.0) + seconds
            self.at(now + seconds, self._finished(process, then))

    def _finished(self, process: str, then: Then) -> Then:
        def finish(now: float) -> None:
            self._free += 1
            self._running.remove(process)
            if self._queues[process]:
                self._ready.append(process)
            then(now)
            self._start(now)

        return finish


def simulate(costs: Costs, load: Load, instances: int, cores: int, seconds: float) -> Simulated:
    """So many seconds of a load on a machine of so many cores, on which the clients run too."""
    simulation = Simulation(costs, load, instances, cores)
    simulation.arrive(0.0, until=seconds)
    simulation.machine.run()
    return Simulated(simulation.seconds, simulation.machine.busy_s)


class Simulation:
    """One load on one machine."""

    def __init__(self, costs: Costs, load: Load, instances: int, cores: int) -> None:
        self.machine = Cores(cores)
        self.seconds: list[float] = []
        self._costs, self._load, self._instances = costs, load, instances
        self._chance = random.Random(7)
        self._last: dict[int, int] = {}

    def arrive(self, now: float, until: float) -> None:
        """An action comes, and after it, until the time is up, the next."""
        if now > until:
            return
        self.machine.at(now + self._chance.expovariate(self._load.actions_s), lambda time: self.arrive(time, until))
        game = self._chance.randrange(self._load.games)
        instance = self._place(game)
        moved, self._last[game] = self._last.get(game, instance) != instance, instance
        sockets = Counter(self._place(game) for _ in range(round(self._load.sockets_per_game)))
        self._act(now, _Action(now, instance, moved, sockets))

    def _place(self, game: int) -> int:
        """The instance at which somebody of a game is."""
        return game % self._instances if self._load.by_game else self._chance.randrange(self._instances)

    def _act(self, now: float, action: "_Action") -> None:
        """The client sends, the instance begins, Redis commits, the instance ends, others hear of it."""
        costs, machine = self._costs, self.machine
        own = costs.action_us + action.moved * costs.reload_us
        told = action.sockets[action.instance] * costs.delivery_us
        others = self._instances - 1
        redis_us = costs.redis_action_us + action.moved * costs.redis_reload_us + others * costs.redis_hint_us
        instance = _name(action.instance)

        def sent(now: float) -> None:
            machine.work(now, instance, BEFORE_COMMIT * own, asked)

        def asked(now: float) -> None:
            machine.work(now, "redis", redis_us, committed)

        def committed(now: float) -> None:
            machine.work(now, instance, (1 - BEFORE_COMMIT) * own + told, answered)
            for other in set(range(self._instances)) - {action.instance}:
                self._hear(now, other, action.sockets[other])

        def answered(now: float) -> None:
            self.seconds.append(now - action.begin)

        machine.work(now, "client", costs.client_us, sent)

    def _hear(self, now: float, instance: int, sockets: int) -> None:
        """Another instance hears of a change, and tells the sockets that it has of the game."""
        costs = self._costs
        work = costs.hint_us
        if sockets:
            work += costs.follow_us + sockets * costs.delivery_us
            self.machine.work(now, "redis", costs.redis_follow_us, _nothing)
        self.machine.work(now, _name(instance), work, _nothing)


class _Action(NamedTuple):
    begin: float
    instance: int
    moved: bool
    sockets: Counter[int]
    """How many of the game's sockets each instance has."""


def _name(instance: int) -> str:
    return f"instance {instance}"


def _nothing(_: float) -> None:
    pass
