"""What the service takes from aiohttp beyond its public interface is there, and stands in one module.

These tests are to fail where a new version of aiohttp changes that; they say what to do then.
"""

import ast
import asyncio
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from aiohttp import web

import service
from service.store.game_store import RedisStore
from service.web.connections import protocol
from service.web.connections.limiter import CONNECTION_LIMITER
from service.web.limits import Limits
from tests.polling import wait_until
from tests.web.app_server import serve

PRIVATE = {"_messages"}

ADVICE = (
    "service/web/connections/protocol.py reads `_messages` of aiohttp's RequestHandler; its docstring says what for. "
    "The aiohttp that is installed has changed it. Look up in aiohttp/web_protocol.py what tells now whether a head is "
    "whole; better a public way. Until then keep aiohttp below that version in pyproject.toml. What was not so: "
)

ELSEWHERE = (
    "Private attributes of aiohttp stand in service/web/connections/protocol.py alone, each with its reason: use a "
    "public one, or say there why there is none, and add it here."
)

POST = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


async def expect(what: str, holds: Callable[[], bool]) -> None:
    try:
        await wait_until(holds)
    except (TimeoutError, AttributeError) as error:
        pytest.fail(f"{ADVICE}{what}. {error!r}")


async def test_a_connection_tells_whether_a_head_is_whole(store: RedisStore) -> None:
    async with serve(store, Limits(request_timeout_s=3600, rate_limits=False)) as client:
        reader, writer = await asyncio.open_connection(client.host, client.port)
        try:
            await expect("a connection is open", lambda: bool(client.app[CONNECTION_LIMITER].connections))
            (connection,) = client.app[CONNECTION_LIMITER].connections
            writer.write(b"GET /livez HTTP/1.1\r\n")
            await expect("the time runs for a head that is not whole", lambda: connection.requests.head_started_at > 0)
            writer.write(b"Host: x\r\n\r\n")
            await expect(
                "`_messages` tells that it is whole",
                lambda: (connection.requests.head_started_at, connection.requests.received_bytes) == (0.0, 32),
            )
            writer.write(POST + b"1\r\n{\r\n")
            writer.write(b"no chunk")
            await expect("`_messages` tells that it is no chunk", lambda: b" 400 " in bytes(reader._buffer))  # type: ignore[attr-defined]
        finally:
            writer.transport.abort()


def used_names(code: ast.AST) -> Iterator[str]:
    """Yield the attributes of `self` and `super()` that code uses, and the methods that it defines."""
    for part in ast.walk(code):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.Attribute) and ast.unparse(part.value) in ("self", "super()"):
            yield part.attr


def private_names_by_module() -> dict[str, set[str]]:
    """Return the private names of aiohttp that classes use or override, by module of the service."""
    names_by_module: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(service.__path__, "service."):
        if module.name.endswith("__main__"):
            continue
        for cls in vars(import_module(module.name)).values():
            if inspect.isclass(cls) and cls.__module__ == module.name:
                peers = {
                    name
                    for base in cls.__mro__
                    if base.__module__.startswith("aiohttp.")
                    for name in (
                        *vars(base),
                        *getattr(base, "__slots__", ()),
                        *used_names(ast.parse(inspect.getsource(base))),
                    )
                    if name.startswith("_") and not name.startswith("__")
                }
                if peers and (private := peers & {*used_names(ast.parse(inspect.getsource(cls)))}):
                    names_by_module.setdefault(module.name, set()).update(private)
    return names_by_module


def test_one_module_reads_one_private_attribute() -> None:
    assert set(web.RequestHandler.__slots__) >= PRIVATE, ADVICE
    assert private_names_by_module() == {protocol.__name__: PRIVATE}, ELSEWHERE


def test_a_new_minor_version_of_aiohttp_does_not_come_by_itself() -> None:
    project = (Path(service.__file__).parents[1] / "pyproject.toml").read_text()
    (bounds,) = [line for line in project.splitlines() if line.strip().startswith('"aiohttp>=')]
    assert bounds.strip() == '"aiohttp>=3.14.5,<3.15",', "run these tests with the new version, and raise the bound"
