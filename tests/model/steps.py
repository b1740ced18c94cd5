"""What can happen next. Each step has its words, so that a way to a loss reads as a story."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from tests.model.state import PRIMARY, Failures, Node, Settings, State

__all__ = ["Step", "steps"]


class Step(NamedTuple):
    """One thing that happens, and what is the case after it."""

    words: str
    state: State


def steps(state: State, settings: Settings, failures: Failures) -> Iterator[Step]:
    """Everything that can happen now; commits last, so that of stories of equal length the plainest comes first."""
    yield from _cut(state, failures)
    yield from _watch(state, settings)
    for number, node in enumerate(state.nodes):
        if node.alive:
            yield from _crash(state, failures, number)
            yield from _copy(state, settings, number)
            yield from _sync(state, settings, number)
        else:
            yield from _restart(state, settings, failures, number)
    for number, node in enumerate(state.nodes):
        if node.alive:
            yield from _write(state, settings, failures, number)


def _name(number: int) -> str:
    return "ABCDEFG"[number]


def _with(state: State, number: int, **changed: Any) -> tuple[Node, ...]:
    """Return the servers with one of them changed."""
    nodes = [*state.nodes]
    nodes[number] = nodes[number]._replace(**changed)
    return tuple(nodes)


def _stored(settings: Settings, memory: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the changes when a server has these commits. With `durable` its disk has them first."""
    return {"memory": memory, "disk": memory} if settings.durable else {"memory": memory}


def _write(state: State, settings: Settings, failures: Failures, number: int) -> Iterator[Step]:
    """Commit at a server that accepts writes, even if the sentinels already name another one."""
    node, commit = state.nodes[number], len(state.takers)
    if node.follows != PRIMARY or commit >= failures.writes or len(state.attached(number)) < settings.min_replicas:
        return
    yield Step(
        f"{_name(number)} stores commit {commit + 1}",
        state._replace(
            nodes=_with(state, number, **_stored(settings, (*node.memory, commit))),
            takers=(*state.takers, number),
            confirmed=(*state.confirmed, frozenset()),
        ),
    )


def _copy(state: State, settings: Settings, number: int) -> Iterator[Step]:
    """Copy the next commit to a replica, or all of them if its history differs; then report its offset."""
    node, source = state.nodes[number], state.nodes[number].follows
    if source == PRIMARY or number not in state.attached(source):
        return
    primary = state.nodes[source]
    if not primary.alive or primary.follows != PRIMARY or primary.memory == node.memory:
        return
    had = len(node.memory)
    follows_on = primary.memory[:had] == node.memory
    memory = primary.memory[: had + 1] if follows_on else primary.memory
    confirmed = tuple(
        replicas | {number} if taker == source and commit in memory else replicas
        for commit, (taker, replicas) in enumerate(zip(state.takers, state.confirmed, strict=True))
    )
    nodes = _with(state, number, **_stored(settings, memory))
    words = (
        f"{_name(number)} gets commit {memory[-1] + 1} from {_name(source)}"
        if follows_on
        else f"{_name(number)} takes over all data of {_name(source)}, and drops its own"
    )
    yield Step(words, state._replace(nodes=nodes, confirmed=confirmed))


def _sync(state: State, settings: Settings, number: int) -> Iterator[Step]:
    node = state.nodes[number]
    if not settings.durable and node.disk != node.memory:
        yield Step(f"{_name(number)} writes to its disk", state._replace(nodes=_with(state, number, disk=node.memory)))


def _crash(state: State, failures: Failures, number: int) -> Iterator[Step]:
    if failures.crashes and state.failures:
        nodes = _with(state, number, alive=False, memory=state.nodes[number].disk)
        yield Step(f"{_name(number)} dies", state._replace(nodes=nodes, failures=state.failures - 1))


def _restart(state: State, settings: Settings, failures: Failures, number: int) -> Iterator[Step]:
    if not failures.returns or (number == state.named and not settings.early_restart):
        return
    yield Step(
        f"{_name(number)} starts again with what its disk has", state._replace(nodes=_with(state, number, alive=True))
    )


def _cut(state: State, failures: Failures) -> Iterator[Step]:
    """Partition the named primary, alone or with replicas, and later heal the partition."""
    if state.away:
        yield Step("the network is whole again", state._replace(away=frozenset()))
    elif state.failures:
        others = [number for number in range(len(state.nodes)) if number != state.named]
        for count in failures.cuts:
            for chosen in combinations(others, count - 1):
                away = frozenset({state.named, *chosen})
                names = " and ".join(map(_name, sorted(away)))
                words = f"{names}, with some clients, {'are' if count > 1 else 'is'} cut off"
                yield Step(words, state._replace(away=away, failures=state.failures - 1))


def _watch(state: State, settings: Settings) -> Iterator[Step]:
    """Let the sentinels act: query offsets, promote the replica with the highest, and reconfigure the others."""
    sizes = tuple(len(node.memory) for node in state.nodes)
    known = sizes if settings.fresh_offsets else state.known
    if not settings.fresh_offsets:
        for number, size in enumerate(sizes):
            if state.reached(number) and state.known[number] != size:
                received = (*state.known[:number], size, *state.known[number + 1 :])
                yield Step(f"the sentinels hear how far {_name(number)} is", state._replace(known=received))
    if not state.reached(state.named):
        able = [number for number in range(len(sizes)) if number != state.named and state.reached(number)]
        most = max((known[number] for number in able), default=0)
        for number in able:
            if known[number] == most:
                nodes = _with(state, number, follows=PRIMARY)
                yield Step(f"the sentinels make {_name(number)} the primary", state._replace(nodes=nodes, named=number))
    else:
        for number, node in enumerate(state.nodes):
            if number != state.named and state.reached(number) and node.follows != state.named:
                nodes = _with(state, number, follows=state.named)
                words = f"the sentinels have {_name(number)} follow {_name(state.named)}"
                yield Step(words, state._replace(nodes=nodes))
