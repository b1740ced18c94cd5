"""`play` goes on after the service was away, whatever it was doing, and plays each move once."""

import asyncio
import json
import resource
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import msgspec
import pytest

from south_seas import Backoff, Client, UnauthorizedError
from south_seas.models import CreateGame, GameView, Move, PlayerReturned, SeatRequest, Snapshot
from tests.clients.node_programs import run_script
from tests.docs.blocks import blocks
from tests.polling import TIMEOUT_S, wait_until
from tests.server_process import ServerProcess, start_server
from tests.tcp_proxy import Proxy, run_proxy

PEOPLE = CreateGame(players=[SeatRequest(name="Ana"), SeatRequest(name="Bo")], first_seat=0)
LATE = CreateGame(
    players=[SeatRequest(name="Ana"), SeatRequest(bot="greedy")], first_seat=0, turn_timeout_s=1, on_timeout="bot"
)

IMPATIENT = Backoff(initial_wait_s=0.01, max_wait_s=0.1, max_attempts=1, timeout_s=TIMEOUT_S)
"""A request of such a client fails at once."""

NOWHERE = "http://127.0.0.1:9"
HOST_GAMES = 1_100
ATTEMPTS = 20
"""The connections that an outage rejects."""


PAGE, JSON, PROBLEM = "text/html", "application/json", "application/problem+json"


def wrong_page(status: int, kind: str = PAGE, body: str = "<html>", location: str = "") -> bytes:
    """Return a response as of a portal, a firewall, a proxy or another application."""
    redirect = f"Location: {location}\r\n" if location else ""
    head = f"HTTP/1.1 {status} No\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{redirect}"
    return f"{head}Connection: close\r\n\r\n{body}".encode()


WRONG_PAGES = (
    *(wrong_page(status) for status in (200, 403, 404, 408, 425, 429, 500, 502, 503, *range(520, 525))),
    *(wrong_page(status, location=f"{NOWHERE}/login") for status in (302, 307)),
    *(wrong_page(status, JSON, body) for status in (200, 404) for body in ('{"id": 7}', "[]", "")),
    wrong_page(401, PROBLEM, '{"title": "a session is missing"}'),
    *(
        wrong_page(
            status, PROBLEM, json.dumps({"type": type_, "title": "", "status": status, "detail": "", "code": code})
        )
        for status in (401, 404, 409)
        for type_, code in (("https://api.example/problems/x", "RESOURCE_MISSING"), ("about:blank", "not_found"))
    ),
)

REFUSED, CUT = [wrong_page(403)] * 10_000, [b""] * 10_000
UPGRADES = pytest.mark.parametrize("upgrades", (WRONG_PAGES, REFUSED, CUT), ids=("for a while", "refused", "cut"))


@pytest.fixture
async def road(service_url: str) -> AsyncIterator[Proxy]:
    """Start the proxy that the players use."""
    async with run_proxy(service_url) as running:
        yield running


@pytest.fixture
async def client(road: Proxy) -> AsyncIterator[Client]:
    """Create an impatient client behind it."""
    async with Client(road.url, backoff=IMPATIENT) as connected:
        yield connected


def begin_outage(road: Proxy) -> asyncio.Task[None]:
    """Take the service away; return the task that brings it back after ATTEMPTS connections."""
    service, accepted, road.target = road.target, road.accepted, NOWHERE
    road.cut()

    async def end() -> None:
        await wait_until(lambda: road.accepted > accepted + ATTEMPTS)
        road.target = service

    return asyncio.create_task(end())


@pytest.fixture(params=("legal moves", "return"))
async def start(request: pytest.FixtureRequest, client: Client) -> tuple[str, Snapshot]:
    """Return the token of seat 0, and the state of a game that waits for it, or in which a bot plays for it."""
    created = await client.create(LATE)
    async with client.subscribe(created.game.id, start=created) as game:
        while request.param == "return" and game.view.players[0].bot is None:
            await game.next_event()
        return created.seats[0].token, Snapshot(digest=game.digest, game=game.view)


class Chooser:
    """Plays the first legal move, and remembers for which version."""

    def __init__(self) -> None:
        self.versions: list[int] = []

    async def __call__(self, moves: list[Move], game: GameView) -> Move:
        """Return the first move."""
        self.versions.append(game.version)
        return moves[0]


async def test_python_goes_on_when_the_service_comes(client: Client, road: Proxy, start: tuple[str, Snapshot]) -> None:
    token, state = start
    outage, ana = begin_outage(road), client.with_token(token)
    final = await ana.play(state.game.id, 0, Chooser(), start=state, return_when_replaced=True)
    assert (outage.done(), final.status) == (True, "finished")
    events = [event for diff in (await ana.diffs(final.id)).diffs for event in diff.events]
    assert any(isinstance(event, PlayerReturned) for event in events) or state.game.players[0].bot is None


@UPGRADES
async def test_python_plays_a_whole_game_through_every_wrong_page(
    client: Client, road: Proxy, upgrades: Sequence[bytes]
) -> None:
    """The service gets every request, so its key is what has a move played once."""
    created, chooser = await client.create(PEOPLE), Chooser()
    road.wrong_upgrades.extend(upgrades)
    road.wrong_responses.extend(WRONG_PAGES)
    seats = [client.with_token(seat.token) for seat in created.seats]
    finals = await asyncio.gather(
        *(one.play(created.game.id, seat, chooser, start=created) for seat, one in enumerate(seats))
    )
    assert [final.status for final in finals] == ["finished"] * 2
    assert (bool(road.wrong_upgrades), [*road.wrong_responses]) == (upgrades is not WRONG_PAGES, [])
    assert [*dict.fromkeys(chooser.versions)] == chooser.versions


@UPGRADES
async def test_typescript_plays_through_every_wrong_page(
    node: str, built: Path, client: Client, road: Proxy, upgrades: Sequence[bytes]
) -> None:
    created = await client.create(PEOPLE)
    road.wrong_upgrades.extend(upgrades)
    road.wrong_responses.extend(WRONG_PAGES)
    start = msgspec.json.encode(created).decode()
    received = await run_script("wrong_pages.mjs", node, built, road.url, start)
    assert (bool(road.wrong_upgrades), [*road.wrong_responses]) == (upgrades is not WRONG_PAGES, [])
    assert received["readByHttp"]
    assert received["statuses"] == ["finished"] * 2
    assert [*dict.fromkeys(received["versions"])] == received["versions"]


async def test_the_module_for_phones_sends_until_the_service_responds(road: Proxy, tmp_path: Path) -> None:
    (module,) = (block.code for block in blocks("phone-app") if block.file == "phone.py")
    (tmp_path / "phone.py").write_text(module.replace("http://127.0.0.1:8080", road.url))
    send = run_path(str(tmp_path / "phone.py"))["send"]
    send.__globals__["time"] = SimpleNamespace(sleep=lambda _: None)
    unlike_json = [page for page in WRONG_PAGES if not page.endswith(b'{"id": 7}') or b" 404 " in page]
    road.wrong_responses.extend((*unlike_json, b"", wrong_page(200, JSON, "{}")[:-1]))
    while road.wrong_responses:
        status, content = await asyncio.to_thread(send, "GET", "/v1/bots")
        assert (status, [*content]) == (200, ["bots"])
        status, content = await asyncio.to_thread(send, "DELETE", "/v1/games/none")
        assert (status, content["code"]) == (404, "not_found")


async def test_what_is_final_ends_play(client: Client) -> None:
    created = await client.create(PEOPLE)
    with pytest.raises(UnauthorizedError):
        await client.with_token("nobody's").play(created.game.id, 0, Chooser(), start=created)


@asynccontextmanager
async def mortal_service(folder: Path, port: int, *flags: str) -> AsyncIterator["MortalService"]:
    """Run a service that can be killed and started again on the same data."""
    async with AsyncExitStack() as stack:
        mortal = MortalService(folder, stack, port, *flags)
        await mortal.start()
        yield mortal


class MortalService:
    """A service that always has the same port and data."""

    _running: ServerProcess

    def __init__(self, folder: Path, stack: AsyncExitStack, port: int, *flags: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._folder, self._stack = folder, stack
        self._flags = ("--port", str(port), "--drain-time-s", "0", *flags)

    async def start(self) -> None:
        """Start the service."""
        self._running = await self._stack.enter_async_context(start_server(self._folder, None, *self._flags))

    async def restart(self, number: signal.Signals) -> None:
        """End the service by a signal, and start it again."""
        await self._running.stop(number)
        await self.start()


async def restart_often(service: MortalService) -> None:
    """Restart the service in the middle of the game that the players are in."""
    async with Client(service.url) as client:
        for number, version in ((signal.SIGKILL, 5), (signal.SIGTERM, 30)):

            async def is_reached(version: int = version) -> bool:
                return any(game.version >= version for game in (await client.games()).games)

            await wait_until(is_reached)
            await service.restart(number)


def memory_kb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1000


async def test_a_host_has_eleven_hundred_games_on_two_sockets_and_all_back_after_a_restart(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    """At some 15 KB each, and with as few connections as two sockets need, within the service's rate limits."""
    async with (
        mortal_service(tmp_path, unused_tcp_port, "--rate-creations", f"{2 * HOST_GAMES}/3600") as service,
        run_proxy(service.url) as road,
        Client(road.url) as client,
        AsyncExitStack() as stack,
    ):
        created = [await client.create(PEOPLE) for _ in range(HOST_GAMES)]
        owners = [client.with_token(one.owner_token) for one in created]
        before_kb = memory_kb()
        games = [
            await stack.enter_async_context(owner.subscribe(one.game.id, start=one))
            for owner, one in zip(owners, created, strict=True)
        ]
        await wait_until(lambda: all(game.is_connected for game in games))
        assert road.accepted == 2
        assert memory_kb() - before_kb < 40 * HOST_GAMES
        await service.restart(signal.SIGTERM)
        await wait_until(lambda: all(game.is_connected for game in games))
        assert road.accepted < 100
        for owner, game in list(zip(owners, games, strict=True))[::100]:
            await owner.act(game.id, (await owner.legal_moves(game.id)).moves[0], seat=0)
            assert (await anext(game)).version == 2


async def test_typescript_plays_on_after_the_service_was_killed(
    node: str, built: Path, tmp_path: Path, unused_tcp_port: int
) -> None:
    async with (
        mortal_service(tmp_path, unused_tcp_port, "--rate-limits", "off") as service,
        asyncio.TaskGroup() as tasks,
    ):
        playing = tasks.create_task(run_script("outages.mjs", node, built, service.url))
        await restart_often(service)
        received = await playing
    (status, version), other = received["ended"]
    assert ([status, version], status) == (other, "finished")
    assert [*dict.fromkeys(received["versions"])] == received["versions"]
    assert {"reconnecting", "closed"} <= {*received["statuses"]}
    assert (received["rejected"], received["abandoned"]) == ("unauthorized", "enough")


async def test_typescript_goes_on_when_the_service_comes(
    node: str, built: Path, road: Proxy, start: tuple[str, Snapshot]
) -> None:
    token, state = start
    outage = begin_outage(road)
    received = await run_script("away_at_first.mjs", node, built, road.url, token, msgspec.json.encode(state).decode())
    assert (outage.done(), received) == (True, {"status": "finished"})
