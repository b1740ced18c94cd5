"""The sequence diagrams of ARCHITECTURE.md: every name exists, and actions and diffs take the drawn path."""

import re
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from service.engine import COMPILED
from service.games.idempotency import ReplayableResult
from service.store.client import connect
from service.store.game_store import RedisStore
from service.web.app_keys import CONTEXT
from tests.call_trace import CallTrace, trace_calls
from tests.web.app_server import serve
from tests.web.http_game import create_game
from tests.web.watcher_client import watch_game

ARCHITECTURE = Path(__file__).parent.parent / "ARCHITECTURE.md"

ACTION = "One action"
FOREIGN_DIFF = "A diff that another instance committed"

SAMPLES = 5
"""Several, since another request's untraced task may send a command in its batch."""
MAX_FUNCTIONS = 25
MAX_MODULES = 15
MAX_FUNCTIONS_OF_AN_ACTION = 95
"""The limit for all functions that an action runs, each counted once, with private helpers."""

NOT_COUNTED = ("service.engine.", "service.games.bots.", "service.telemetry.")
"""The rules and the bots are one step each in the diagram; metrics and spans are not drawn."""

HANDLER = "service.web.routes.actions.post_action"
NOTIFICATION_HANDLERS = (
    "service.store.pubsub.Subscriber._handle_message",
    "service.games.realtime.hub.Hub._receive_notifications",
)
HANDOVERS = (
    "service.store.connection.pipeline.PipelineQueue.append",
    "service.store.connection.pipeline.PipelineQueue._execute_batch",
    "service.store.connection.command.Command.resolve",
    "service.store.notifications.ChangeNotifications._push",
    "service.games.realtime.hub.Hub.publish_commit",
    "service.games.realtime.stream_reader.StreamReader.request_read",
    "service.web.websocket.connection.WebSocketConnection._write_to_transport",
)
"""The functions in which a request leaves its task or the process: their stacks are its path."""


def drawn_functions(title: str) -> set[str]:
    """Return the functions of a section's sequence diagram, each as `service.module.qualified_name`."""
    section = ARCHITECTURE.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    diagram = section.partition("```mermaid\nsequenceDiagram\n")[2].partition("```")[0]
    modules = dict(re.findall(r"participant (\w+) as ([\w.]+)$", diagram, re.MULTILINE))
    calls = re.findall(r"\w+->>(\w+): ([\w.]+)$", diagram, re.MULTILINE)
    return {f"service.{modules[called]}.{name}" for called, name in calls if modules[called] != "Redis"}


def modules_of(functions: Iterable[str]) -> set[str]:
    """Return the modules of functions."""
    return {re.sub(r"(\.[A-Z]\w*)?\.\w+$", "", name) for name in functions}


def import_function(name: str) -> Any:
    """Return a function by its dotted name. Raise AttributeError, ImportError."""
    (module,) = modules_of([name])
    value: Any = import_module(module)
    for part in name.removeprefix(f"{module}.").split("."):
        value = getattr(value, part)
    return value


def exists(name: str) -> bool:
    """Return whether there is a module, or a function of a module, with this name."""
    module, _, attribute = name.rpartition(".")
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the last part is a function
        return find_spec(module) is not None and hasattr(import_module(module), attribute)


def check_drawn(title: str, *traces: CallTrace) -> None:
    """Compare a diagram with traces of the service."""
    drawn = drawn_functions(title)
    path = {name for trace in traces for name in trace.path}
    functions = {name for trace in traces for name in trace.functions}
    assert path - drawn == set(), "functions of the request's path are not drawn"
    not_traced = {name for name in drawn if COMPILED and name.startswith("service.engine.")}
    assert drawn - not_traced - functions == set(), "drawn functions are not called"


@pytest.mark.parametrize("title", (ACTION, FOREIGN_DIFF))
def test_every_function_of_a_diagram_exists(title: str) -> None:
    drawn = drawn_functions(title)
    assert drawn
    assert all(callable(import_function(name)) for name in drawn)


def test_every_module_of_the_text_exists() -> None:
    names = re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", ARCHITECTURE.read_text())
    modules = {name.removeprefix("service.") for name in names if not name.endswith((".json", ".lua"))}
    assert modules
    assert {name for name in modules if not exists(f"service.{name}") and not exists(f"service.games.{name}")} == set()


@pytest.mark.parametrize("title", (ACTION, FOREIGN_DIFF))
def test_the_path_is_short(title: str) -> None:
    drawn = drawn_functions(title)
    assert len(drawn) <= MAX_FUNCTIONS
    assert len(modules_of(drawn)) <= MAX_MODULES


async def test_an_action_takes_the_drawn_path(store: RedisStore) -> None:
    """Act on a cached game and on one that is not cached."""
    async with serve(store) as client:
        game = await create_game(client, seed="tides", first_seat=0)
        await game.act_successfully()
        traces = []
        for is_cached in (True, False) * SAMPLES:
            move = (await game.legal_moves())[0]["id"]
            if not is_cached:
                client.app[CONTEXT].cache.pop(game.id)
            with trace_calls([HANDLER], HANDOVERS, until=web.StreamResponse) as trace:
                assert (await game.act({"move": move})).status == 200
            assert ("service.games.repository.load_game" in trace.path) != is_cached
            traces.append(trace)
        check_drawn(ACTION, *traces)
        counted = [name for name in traces[0].functions if not name.startswith(NOT_COUNTED)]
        assert len(counted) <= MAX_FUNCTIONS_OF_AN_ACTION


async def test_an_action_of_a_socket_takes_the_same_path(store: RedisStore) -> None:
    async with serve(store) as client:
        game = await create_game(client)
        await game.act_successfully()
        move = (await game.legal_moves())[0]["id"]
        async with watch_game(client, game.id, token=game.owner_token) as watcher:
            with trace_calls(["service.games.commands.act.act"], HANDOVERS, until=ReplayableResult) as trace:
                await watcher.request({"type": "act", "game": game.id, "move": move}, "diff")
                await watcher.receive("ack")
        assert trace.path
        assert set(trace.path) <= drawn_functions(ACTION)


async def test_a_diff_of_another_instance_takes_the_drawn_path(store: RedisStore, redis_url: str) -> None:
    async with serve(store) as client, connect(redis_url) as other_store, serve(other_store) as other:
        game = await create_game(client)
        async with watch_game(other, game.id, token=game.owner_token) as watcher:
            traces = []
            for _ in range(SAMPLES):
                with trace_calls(NOTIFICATION_HANDLERS, HANDOVERS) as trace:
                    await game.act_successfully()
                    await watcher.receive("diff")
                traces.append(trace)
        check_drawn(FOREIGN_DIFF, *traces)
