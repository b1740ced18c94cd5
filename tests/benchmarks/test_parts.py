"""The parts of the suite: builds, results, figures, the bare ceiling, and the load generator."""

import asyncio
import csv
import doctest
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import msgspec
import pytest
from aiohttp import web
from redis.asyncio import Redis

from benchmarks import builds
from benchmarks.action import pair
from benchmarks.answers import answers
from benchmarks.builds import COMPILED, PURE, ROOT, environments
from benchmarks.commits import Sizes, commits_per_second
from benchmarks.growth import growth
from benchmarks.growth_plot import growth_plot
from benchmarks.instructions import MISSING, instructions
from benchmarks.load_client import NO_MASK, TEXT, WebSocketConnection, encode_frame, post_request, send_load
from benchmarks.processes import redis
from benchmarks.report import columns_table, report_lines
from benchmarks.results import Figure, Result, describe_run, load_result, save
from benchmarks.run import Run
from benchmarks.stages import STAGES, stages
from benchmarks.stored import stored
from benchmarks.traffic import measure_traffic
from benchmarks.watcher_clients import watch_game


async def test_what_a_game_and_an_action_cost_redis() -> None:
    run = Run(rounds=1, quick=True)
    await stored(run)
    figures = {figure.name: figure.median for figure in run.figures}
    assert 0 < figures["stored.mid-game"] < figures["stored.finished"]
    assert 0 < figures["stored.day-old"] < figures["stored.finished"]
    assert 0 < figures["stored.archived"] < figures["stored.day-old"]
    assert min(figures["stored.action.bytes"], figures["stored.action.cpu"]) > 0


async def test_what_is_asked_without_moving() -> None:
    run = Run(rounds=1, quick=True)
    await answers(run)
    figures = {figure.name: figure.median for figure in run.figures}
    assert 0 < figures["answers.scores"] < figures["answers.moves"] < figures["answers.effects"]
    assert figures["answers.features"] > 0


async def test_a_budget_has_the_share_of_each_stage() -> None:
    run = Run(rounds=1, quick=True)
    await stages(run)
    shares = {figure.title: figure.median for figure in run.figures}
    assert shares.keys() == {*STAGES, "the rest"}
    assert sum(shares.values()) == pytest.approx(100)
    assert min(shares.values()) > 0
    assert shares["the rest"] < 10


async def test_where_there_is_no_valgrind_the_suite_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    run = Run(rounds=1, quick=True)
    await instructions(run)
    assert (run.figures, run.notes) == ([], [MISSING])


async def test_growth_has_a_row_for_each_number_of_games_and_a_line_for_each_measurement() -> None:
    run = Run(rounds=1, quick=True)
    await growth(run)
    assert all(figure.median > 0 and isfinite(figure.median) for figure in run.figures)
    result = describe_run("growth", run.figures, [], {}, run.notes)
    rows = [line for line in report_lines(result) if line.startswith("|")]
    assert [row.split("|")[1].strip() for row in rows[2:]] == ["1 game", "100 games"]
    picture = ET.fromstring("\n".join(growth_plot(result)))  # noqa: S314 (our own)
    lines = [path for path in picture.findall("{*}path") if path.get("fill") == "none"]
    assert len(lines) == len({figure.title for figure in run.figures})


PRINT_BUILD = "from benchmarks.builds import current_build; print(current_build())"


def test_each_build_that_there_is_gets_the_process_that_it_is_for() -> None:
    for build, environment in environments().items():
        received = subprocess.run(
            (sys.executable, "-c", PRINT_BUILD), env=environment, capture_output=True, text=True, check=True
        )
        assert received.stdout.strip() == build


def test_a_build_of_other_sources_is_not_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(builds, "ROOT", tmp_path)
    for place in (tmp_path, tmp_path / "build" / "compiled"):
        (place / "service" / "web").mkdir(parents=True)
        (place / "service" / "web" / "app.py").write_text("ONE = 1\n")
    assert [*environments()] == [PURE, COMPILED]
    (tmp_path / "service" / "web" / "app.py").write_text("ONE = 2\n")
    assert [*environments()] == [PURE]


NAMES = ("balance", "peers.boardgame", "peers.colyseus", "results", "report", "tournament")


@pytest.mark.parametrize("module", [import_module(f"benchmarks.{name}") for name in NAMES], ids=NAMES)
def test_they_are_true(module: ModuleType) -> None:
    received = doctest.testmod(module)
    assert received.attempted > 0
    assert received.failed == 0


def test_the_readme_has_the_figures_of_the_last_run() -> None:
    section = (ROOT / "README.md").read_text().partition("## How fast")[2].partition("\n## ")[0]
    figures = re.findall(r"\*\*([^*]+)\*\*", section)
    assert len(figures) >= 5
    table = "\n".join(report_lines(load_result("suite")))
    assert [figure for figure in figures if f" {figure} " not in table] == []


ACTIONS = Figure(
    *("action.rate", "One action", "actions", "actions/s", [2_500.0, 2_400.0, 2_600.0]),
    ceiling=[5_000.0, 4_000.0, 5_200.0],
    ceiling_title="no game",
    target="0.7 of the ceiling",
    note="everything on",
)
LISTING = Figure("engine.pure.list", "Engine", "list < & > apply", "µs", [6.25], better="less", of="pure")
RESULT = Result(
    kind="suite",
    date="2026-11-22T05:43:36Z",
    commit="0123456789ab",
    machine="2 cores",
    python="3.11.7",
    engine="pure",
    versions={"aiohttp": "3.14.5"},
    noise=[],
    figures=[LISTING, ACTIONS],
    notes=["two instances do more"],
)


def test_a_ratio_is_taken_round_by_round_and_inverted_for_times() -> None:
    figure = Figure("name", "group", "title", "unit", [1.0, 4.0, 9.0], ceiling=[2.0, 2.0, 3.0])
    assert (figure.ratio, msgspec.structs.replace(figure, better="less").ratio) == (2.0, 0.5)
    with pytest.raises(ValueError, match="shorter"):
        assert msgspec.structs.replace(figure, ceiling=[1.0]).ratio


def test_the_last_run_of_a_kind_is_saved_as_json_and_every_run_has_a_row(tmp_path: Path) -> None:
    last = msgspec.structs.replace(RESULT, figures=[ACTIONS])
    for result in (msgspec.structs.replace(RESULT, noise=["too loud"]), last):
        save(result, tmp_path)
    assert load_result("suite", tmp_path) == last
    with (tmp_path / "runs.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["noisy"] for row in rows] == ["True", "False"]
    assert [row["engine.pure.list [µs]"] for row in rows] == ["6.25", ""]
    assert {row["action.rate [actions/s]"] for row in rows} == {"2500"}


def test_the_suite_says_with_what_was_measured_and_each_figure_beside_its_ceiling() -> None:
    where = "2026-11-22, 2 cores, Python 3.11.7, pure engine, commit 0123456789ab; aiohttp 3.14.5"
    assert [*report_lines(msgspec.structs.replace(RESULT, noise=["too loud", "too short"]))] == [
        f"Measured on {where}. Medians of interleaved rounds, with their range; more is better in ratios.",
        "",
        "**Noisy run:** too loud; too short.",
        "",
        "|  | measured | bare ceiling | ratio | target |",
        "| --- | --- | --- | --- | --- |",
        "| **Engine** |  |  |  |  |",
        "| list < & > apply (pure) | 6.25 µs |  |  |  |",
        "| **One action** |  |  |  |  |",
        "| actions | 2,500 actions/s (2,400 to 2,600) | 5,000 | 0.5 | 0.7 of the ceiling |",
        "",
        "- The bare ceiling of one action: no game.",
        "- Actions: everything on.",
        "- Two instances do more.",
    ]


def test_peers_have_a_line_each_and_a_column_for_each_question() -> None:
    figures = [
        msgspec.structs.replace(ACTIONS, of="South Seas"),
        Figure("boardgame.p99", "One action", "at half load, p99", "ms", [8.0], of="boardgame.io"),
    ]
    assert [*columns_table(figures)] == [
        "| **One action** | actions, actions/s | at half load, p99, ms |",
        "| --- | ---: | ---: |",
        "| South Seas | 2,500 ±4% |  |",
        "| boardgame.io |  | 8 |",
    ]


async def test_commands_are_counted_by_action() -> None:
    async with redis() as url:

        async def work() -> int:
            async with Redis.from_url(url) as connection:
                for number in range(10):
                    await connection.set(f"key{number % 3}", "x" * 1_000)
            return 5

        traffic = await measure_traffic(url, work)
    assert traffic.commands["set"] == 2
    assert 2_000 < traffic.read_bytes < 3_000


async def test_an_action_and_its_ceiling_send_the_same_commands_to_redis() -> None:
    async with pair() as servers:
        assert rounded(servers.service_traffic.commands) == rounded(servers.baseline_traffic.commands)


def rounded(commands: dict[str, float]) -> dict[str, int]:
    """Return the commands that most actions send."""
    return {name: round(count) for name, count in commands.items() if count > 0.5}


async def test_redis_stores_every_prepared_commit() -> None:
    async with redis() as url:
        assert await commits_per_second(url, Sizes(snapshot=900, entry=100, diff=700), 0, commits=200) > 0
        async with Redis.from_url(url) as connection:
            assert sum([await connection.xlen(key) async for key in connection.scan_iter("bare:*:log")]) == 200


SOCKETS, MESSAGES = 60, 40


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[int]:
    """Start an application and return its port."""
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def test_every_request_gets_its_response_and_an_error_ends_the_load() -> None:
    bodies: list[bytes] = []

    async def handle(request: web.Request) -> web.Response:
        bodies.append(await request.read())
        return web.Response(text="x" * 100_000, status=200 if bodies[-1] != b"bad" else 422)

    app = web.Application()
    app.router.add_post("/", handle)
    async with serving(app) as port:
        requests = [[post_request("/", b"%d.%d" % (one, number)) for number in range(3)] for one in (1, 2)]
        load = await send_load(port, requests, 60)
        assert len(load.seconds) == 6
        assert sorted(bodies) == [b"1.0", b"1.1", b"1.2", b"2.0", b"2.1", b"2.2"]
        with pytest.raises(RuntimeError, match="422"):
            await send_load(port, [[post_request("/", b"bad")]], 60)


@pytest.mark.parametrize(
    ("length", "head"), ((0, b"\x81\x80"), (125, b"\x81\xfd"), (126, b"\x81\xfe\0\x7e"), (65_535, b"\x81\xfe\xff\xff"))
)
def test_a_frame_encodes_its_length_by_rfc_6455(length: int, head: bytes) -> None:
    assert encode_frame(TEXT, b"a" * length) == head + NO_MASK + b"a" * length


@asynccontextmanager
async def broadcasting(*, compress: bool) -> AsyncIterator[tuple[int, asyncio.Event]]:
    """Start a server that sends diffs to every socket once the event is set. Return its port."""
    event = asyncio.Event()

    async def watch(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=compress)
        await socket.prepare(request)
        await event.wait()
        for number in range(MESSAGES):
            await socket.send_str(f'{{"type":"diff","number":{number},"much":"{"x" * 100 * number}"}}')
            if not compress:
                await socket.send_str('{"type":"pong"}')
        await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/ws", watch)
    async with serving(app) as port:
        yield port, event


@pytest.mark.parametrize("compressed", (False, True))
async def test_every_diff_at_every_socket_is_counted(*, compressed: bool) -> None:
    async with (
        broadcasting(compress=compressed) as (port, event),
        watch_game(port, "/ws", SOCKETS, compressed=compressed) as watchers,
    ):

        async def broadcast() -> None:
            event.set()

        assert await watchers.measure(MESSAGES, broadcast) > 0
        assert watchers.received_bytes > SOCKETS * MESSAGES * 10


@pytest.mark.parametrize("compressed", (False, True))
async def test_a_server_with_another_compression_than_requested_is_an_error(*, compressed: bool) -> None:
    app = web.Application()

    async def watch(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False)
        socket.headers.update({} if compressed else {"Sec-WebSocket-Extensions": "permessage-deflate"})
        await socket.prepare(request)
        await socket.receive()
        return socket

    app.router.add_get("/ws", watch)
    async with serving(app) as port:
        with pytest.raises(ConnectionError, match="not upgraded as requested"):
            await WebSocketConnection.open(port, "/ws", lambda _: None, compressed=compressed)
