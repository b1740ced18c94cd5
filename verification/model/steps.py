"""The steps between states, each with a description that a counterexample consists of."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from verification.model.state import PRIMARY, Failures, Node, Settings, State


class Step(NamedTuple):
    """A step and the state after it."""

    description: str
    state: State


def steps(state: State, settings: Settings, failures: Failures) -> Iterator[Step]:
    """Yield all steps from a state; commits last, so that of equally short counterexamples the simplest comes first."""
    yield from _partition(state, failures)
    yield from _act_as_sentinels(state, settings)
    for number, node in enumerate(state.nodes):
        if node.is_running:
            yield from _crash(state, failures, number)
            yield from _copy(state, settings, number)
            yield from _sync(state, settings, number)
        else:
            yield from _restart(state, settings, failures, number)
    for number, node in enumerate(state.nodes):
        if node.is_running:
            yield from _write(state, settings, failures, number)


def _name(number: int) -> str:
    return "ABCDEFG"[number]


def _replace_node(state: State, number: int, **changed: Any) -> tuple[Node, ...]:
    """Return the servers, one of them changed."""
    nodes = [*state.nodes]
    nodes[number] = nodes[number]._replace(**changed)
    return tuple(nodes)


def _stored(settings: Settings, memory: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return the changed fields of a server with these commits. With `durable` they are on its disk too."""
    return {"memory": memory, "disk": memory} if settings.durable else {"memory": memory}


def _write(state: State, settings: Settings, failures: Failures, number: int) -> Iterator[Step]:
    """Commit at a server that accepts writes, even if the sentinels already name another one."""
    node, commit = state.nodes[number], len(state.origins)
    if node.replicates != PRIMARY or commit >= failures.writes:
        return
    if len(state.connected_replicas(number)) < settings.min_replicas:
        return
    yield Step(
        f"{_name(number)} stores commit {commit + 1}",
        state._replace(
            nodes=_replace_node(state, number, **_stored(settings, (*node.memory, commit))),
            origins=(*state.origins, number),
            confirmed=(*state.confirmed, frozenset()),
        ),
    )


def _copy(state: State, settings: Settings, number: int) -> Iterator[Step]:
    """Copy the next commit to a replica, or all of them if its history differs; then report its offset."""
    node, source = state.nodes[number], state.nodes[number].replicates
    if source == PRIMARY or number not in state.connected_replicas(source):
        return
    primary = state.nodes[source]
    if not primary.is_running or primary.replicates != PRIMARY or primary.memory == node.memory:
        return
    offset = len(node.memory)
    is_prefix = primary.memory[:offset] == node.memory
    memory = primary.memory[: offset + 1] if is_prefix else primary.memory
    confirmed = tuple(
        replicas | {number} if origin == source and commit in memory else replicas
        for commit, (origin, replicas) in enumerate(zip(state.origins, state.confirmed, strict=True))
    )
    nodes = _replace_node(state, number, **_stored(settings, memory))
    description = (
        f"{_name(number)} replicates commit {memory[-1] + 1} from {_name(source)}"
        if is_prefix
        else f"{_name(number)} makes a full resync with {_name(source)}, and discards its own data"
    )
    yield Step(description, state._replace(nodes=nodes, confirmed=confirmed))


def _sync(state: State, settings: Settings, number: int) -> Iterator[Step]:
    node = state.nodes[number]
    if not settings.durable and node.disk != node.memory:
        yield Step(
            f"{_name(number)} syncs its disk", state._replace(nodes=_replace_node(state, number, disk=node.memory))
        )


def _crash(state: State, failures: Failures, number: int) -> Iterator[Step]:
    if failures.crashes and state.failures:
        nodes = _replace_node(state, number, is_running=False, memory=state.nodes[number].disk)
        yield Step(f"{_name(number)} crashes", state._replace(nodes=nodes, failures=state.failures - 1))


def _restart(state: State, settings: Settings, failures: Failures, number: int) -> Iterator[Step]:
    if not failures.restarts or (number == state.named and not settings.early_restart):
        return
    yield Step(
        f"{_name(number)} restarts with the data on its disk",
        state._replace(nodes=_replace_node(state, number, is_running=True)),
    )


def _partition(state: State, failures: Failures) -> Iterator[Step]:
    """Partition the named primary, alone or with replicas, or heal the partition."""
    if state.partitioned:
        yield Step("the partition heals", state._replace(partitioned=frozenset()))
    elif state.failures:
        others = [number for number in range(len(state.nodes)) if number != state.named]
        for size in failures.partition_sizes:
            for chosen in combinations(others, size - 1):
                partitioned = frozenset({state.named, *chosen})
                names = " and ".join(map(_name, sorted(partitioned)))
                description = f"{names}, with some clients, {'are' if size > 1 else 'is'} partitioned"
                yield Step(description, state._replace(partitioned=partitioned, failures=state.failures - 1))


def _act_as_sentinels(state: State, settings: Settings) -> Iterator[Step]:
    """Query offsets, promote the replica with the highest one, and reconfigure the others."""
    current = tuple(len(node.memory) for node in state.nodes)
    offsets = current if settings.fresh_offsets else state.offsets
    if not settings.fresh_offsets:
        for number, offset in enumerate(current):
            if state.is_reachable(number) and state.offsets[number] != offset:
                updated = (*state.offsets[:number], offset, *state.offsets[number + 1 :])
                yield Step(f"the sentinels query the offset of {_name(number)}", state._replace(offsets=updated))
    if not state.is_reachable(state.named):
        candidates = [number for number in range(len(current)) if number != state.named and state.is_reachable(number)]
        highest = max((offsets[number] for number in candidates), default=0)
        for number in candidates:
            if offsets[number] == highest:
                nodes = _replace_node(state, number, replicates=PRIMARY)
                yield Step(f"the sentinels promote {_name(number)}", state._replace(nodes=nodes, named=number))
    else:
        for number, node in enumerate(state.nodes):
            if number != state.named and state.is_reachable(number) and node.replicates != state.named:
                nodes = _replace_node(state, number, replicates=state.named)
                description = f"the sentinels make {_name(number)} replicate {_name(state.named)}"
                yield Step(description, state._replace(nodes=nodes))
