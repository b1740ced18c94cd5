"""How each fault is injected, and repaired when its context ends. Each yields further lines, as of a command's output.

Those that `make chaos` injects too come from `chaos.faults`.
"""

import asyncio
import os
import resource
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from signal import SIGUSR2
from urllib.parse import urlsplit

import aiohttp
from redis.asyncio import Redis

from service.store import keys
from service.store.embedded import SOCKET
from service.store.health import PROBE_INTERVAL_S
from service.store.log_entries import HEADER_BYTES, ID_BYTES
from tests.polling import in_background, wait_until
from tests.redis_servers import POLL_S, SERVICE_USER, SLOTS, Node, execute_text, standalone
from tests.tcp_proxy import run_proxy
from tests.tools import run_program
from verification.chaos import faults as chaos
from verification.chaos.haproxy import haproxy
from verification.chaos.instances import Instance
from verification.chaos.redis_clock import compile_library, prepare_clock, set_clock
from verification.faults.deployment import Bed, wait_for_moves

Lines = list[str]
Inject = Callable[[Bed], AbstractAsyncContextManager[Lines]]

BACKUP_AGE_S = 2.0
"""How long users play between the last backup and a loss of data."""

OLDER_S = 8.0
"""More than a probe's interval."""

CLOCK_AHEAD_S = 6.0

RESTART_S = 2.0
"""After which a supervisor starts a process again."""

IDLE_CONNECTIONS = 170
"""More than an instance accepts with OPEN_FILES."""

OPEN_FILES = 256
LIMITED_FILES = ("sh", "-c", f'ulimit -n {OPEN_FILES}; exec "$@"', "sh")

SHARED_RATE = "20/10"
"""Requests and seconds: what one of the players needs."""

LEFT_OUT_S = 15.0
"""Within which the proxy leaves out an instance that cannot reach Redis."""

WATCHERS = 24

MEMORY_MARGIN = 6 * 2**20
HUNGRY_CONNECTIONS = 400

DAY_S = 86_400

BLOCKER = """\
import signal, time
signal.signal(signal.SIGUSR2, lambda *_: time.sleep(3600))
"""
"""A module that blocks the event loop of a process upon SIGUSR2, as a callback that never returns."""


def from_chaos(inject: chaos.Inject) -> Inject:
    """Return a fault of `make chaos` as one of these."""

    @asynccontextmanager
    async def injected(bed: Bed) -> AsyncIterator[Lines]:
        async with inject(bed.testbed, bed.rng) as detail:
            yield [str(detail)]

    return injected


def by_command(inject: Sequence[str | int], repair: Sequence[str | int]) -> Inject:
    """Return a fault that is a command to every data node, and that another one repairs."""

    @asynccontextmanager
    async def injected(bed: Bed) -> AsyncIterator[Lines]:
        await bed.execute(*inject)
        yield []
        await bed.execute(*repair)

    return injected


redis_full = by_command(("CONFIG", "SET", "maxmemory", 1), ("CONFIG", "SET", "maxmemory", 0))
eviction_policy = by_command(
    ("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"), ("CONFIG", "SET", "maxmemory-policy", "noeviction")
)
right_missing = by_command(("ACL", "SETUSER", SERVICE_USER, "-xadd"), ("ACL", "SETUSER", SERVICE_USER, "+xadd"))


@asynccontextmanager
async def password_changed(bed: Bed) -> AsyncIterator[Lines]:
    """Change the password of the service's user, and close its connections."""
    await bed.execute("ACL", "SETUSER", SERVICE_USER, "resetpass", ">another")
    await bed.execute("CLIENT", "KILL", "USER", SERVICE_USER)
    yield []
    await bed.execute("ACL", "SETUSER", SERVICE_USER, "resetpass", f">{bed.redis.access.password}")


@asynccontextmanager
async def redis_down(bed: Bed) -> AsyncIterator[Lines]:
    """Stop the only server."""
    (node,) = bed.redis.nodes
    await node.stop()
    yield []
    node.start()
    await node.wait_until_ready()


@asynccontextmanager
async def flushall(bed: Bed) -> AsyncIterator[Lines]:
    """Empty Redis some seconds after a backup, and restore that."""
    async with _restored(bed):
        bed.alerts.begin_fault()
        await bed.execute("FLUSHALL")
        yield []


@asynccontextmanager
async def redis_replaced(bed: Bed) -> AsyncIterator[Lines]:
    """Start Redis without its files some seconds after a backup, and restore that."""
    (node,) = bed.redis.nodes
    async with _restored(bed):
        bed.alerts.begin_fault()
        await node.stop()
        shutil.rmtree(node.directory / "appendonlydir")
        node.start()
        yield []


@asynccontextmanager
async def redis_with_older_files(bed: Bed) -> AsyncIterator[Lines]:
    """Start Redis with the files that it had some seconds before."""
    (node,) = bed.redis.nodes
    files, copy = node.directory / "appendonlydir", bed.directory / "copy"
    shutil.copytree(files, copy)
    await asyncio.sleep(OLDER_S)
    bed.alerts.begin_fault()
    await node.stop()
    shutil.rmtree(files)
    copy.rename(files)
    node.start()
    await node.wait_until_ready()
    yield []


@asynccontextmanager
async def clock_ahead(bed: Bed) -> AsyncIterator[Lines]:
    """Set Redis' clock 70 days ahead for some seconds, some seconds after a backup, and restore that."""
    (node,) = bed.redis.nodes
    await node.stop()
    node.start(**await asyncio.to_thread(prepare_clock, bed.directory))
    await node.wait_until_ready()
    await wait_for_moves(bed.users, len(bed.users.games))
    async with _restored(bed):
        bed.alerts.begin_fault()
        set_clock(node, 70 * DAY_S)
        await asyncio.sleep(CLOCK_AHEAD_S)
        set_clock(node, 0)
        yield []


@asynccontextmanager
async def embedded_files_deleted(bed: Bed) -> AsyncIterator[Lines]:
    """Delete the files of an embedded server some seconds after a backup, then restart it and restore that."""
    async with _restored(bed):
        bed.alerts.begin_fault()
        shutil.rmtree(bed.directory / "data" / "redis")
        yield []
        await _restart(bed, bed.instances[0])


@asynccontextmanager
async def name_moves_late(bed: Bed) -> AsyncIterator[Lines]:
    """Let another server hand over to Redis, and only in the end let the name of a unix socket lead to that."""
    (node,), name = bed.redis.nodes, bed.directory / "name"
    directory = bed.directory / "other"
    directory.mkdir()
    socket = directory / "redis.sock"
    async with standalone(directory, access=bed.redis.access, settings=(f"unixsocket {socket}",)) as other:
        (former,) = other.nodes
        async with aclosing(former.client(POLL_S)) as client, aclosing(node.client(POLL_S)) as own_client:
            await execute_text(client, "REPLICAOF", "127.0.0.1", node.port)
            await _hand_over(own_client, client)
            name.symlink_to(socket)
            for instance in bed.instances:
                instance.redis_url = f"unix://{bed.redis.access.userinfo}{name}"
                await _restart(bed, instance)
            await wait_for_moves(bed.users, len(bed.users.games))
            bed.alerts.begin_fault()
            await _hand_over(client, own_client)
        yield []
        name.unlink()
        name.symlink_to(node.directory / SOCKET)
        await wait_for_moves(bed.users, len(bed.users.games))


async def _hand_over(primary: Redis, replica: Redis) -> None:
    """Let a primary hand over to its replica."""

    async def is_in_sync() -> bool:
        return bool((await primary.info("replication")).get("slave0", {}).get("state") == "online")

    async def is_primary() -> bool:
        return bool((await replica.info("replication"))["role"] == "master")

    await wait_until(is_in_sync)
    await execute_text(primary, "FAILOVER")
    await wait_until(is_primary)


@asynccontextmanager
async def a_replica_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Kill one of the replicas of the only primary."""
    async with _killed((await bed.redis.replicas(await bed.redis.primary()))[:1]):
        yield []


@asynccontextmanager
async def sentinels_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Kill all Sentinels."""
    async with _killed(bed.redis.sentinels):
        yield []


@asynccontextmanager
async def _restored(bed: Bed) -> AsyncIterator[None]:
    """Make a backup, let users play on, and restore it in the end."""
    backup = bed.directory / "backup"
    await south_seas(bed, "export", "--all", str(backup))
    await asyncio.sleep(BACKUP_AGE_S)
    yield
    await south_seas(bed, "import", str(backup))


@asynccontextmanager
async def disk_full_by_rdb(bed: Bed) -> AsyncIterator[Lines]:
    """Let each RDB file fail, by a directory in its place: renaming fails, as writing does on a full disk."""
    (node,) = bed.redis.nodes
    file = node.directory / "dump.rdb"
    file.unlink(missing_ok=True)
    file.mkdir()
    yield []
    file.rmdir()
    await bed.execute("CONFIG", "SET", "save", "")
    await bed.execute("BGSAVE")


@asynccontextmanager
async def replicas_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Kill all replicas of the only primary."""
    async with _killed(await bed.redis.replicas(await bed.redis.primary())):
        yield []


@asynccontextmanager
async def _killed(nodes: Sequence[Node]) -> AsyncIterator[None]:
    """Kill servers, in this order, and start them in the opposite one."""
    for node in nodes:
        node.kill()
    yield
    for node in nodes[::-1]:
        node.start()
        await node.wait_until_ready()


@asynccontextmanager
async def primary_cut_off(bed: Bed) -> AsyncIterator[Lines]:
    """Cut a primary of a Cluster off from all other servers, but not from instances, by a preloaded library."""
    library, cut = bed.directory / "cut_off.so", bed.directory / "cut"
    await asyncio.to_thread(compile_library, Path(__file__).with_name("cut_off.c"), library)
    game = bed.users.games[0]
    former = await bed.redis.primary(game)
    node = (await bed.redis.replicas(former))[0]
    await node.stop()
    node.start(LD_PRELOAD=str(library), CUT_FILE=str(cut), OWN_PORT=str(node.port))
    await node.wait_until_ready()
    await bed.redis.wait_until_healthy()
    async with aclosing(node.client(POLL_S)) as client:
        await execute_text(client, "CLUSTER", "FAILOVER")
    await bed.redis.primary(game, former)
    await bed.redis.wait_until_healthy()
    await wait_for_moves(bed.users, len(bed.users.games))
    bed.alerts.begin_fault()
    cut.touch()
    await node.isolate()
    yield []
    cut.unlink()
    await node.rejoin()
    await bed.redis.wait_until_healthy()


@asynccontextmanager
async def shard_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Kill a primary of a Cluster that has players' games, with its replicas."""
    primary = await bed.redis.primary(bed.users.games[0])
    async with _killed([*await bed.redis.replicas(primary), primary]):
        yield []


@asynccontextmanager
async def slots_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Take all slots from the primaries of a Cluster, and give them back."""
    primaries = bed.redis.nodes[:3]
    bounds = [SLOTS * number // len(primaries) for number in range(len(primaries) + 1)]
    await bed.execute("CLUSTER", "DELSLOTSRANGE", 0, SLOTS - 1)
    yield []
    for number, node in enumerate(primaries):
        async with aclosing(node.client(POLL_S)) as client:
            await execute_text(client, "CLUSTER", "ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)


@asynccontextmanager
async def archive_not_writable(bed: Bed) -> AsyncIterator[Lines]:
    """Put a file in the place of the archive's directory, and end a game. In the end, wait until it is archived."""
    archive = archive_directory(bed)
    shutil.rmtree(archive, ignore_errors=True)
    archive.touch()
    async with aiohttp.ClientSession(bed.testbed.proxy.url) as session:
        async with session.post("/v1/games", json={"players": [{"name": "Ana"}, {"name": "Bo"}]}) as response:
            created = await response.json()
        path, token = f"/v1/games/{created['game']['id']}", created["owner_token"]
        async with session.delete(path, headers={"Authorization": f"Bearer {token}"}) as response:
            assert response.status == 200, await response.text()
    yield []
    archive.unlink()
    await wait_until(lambda: any(archive.rglob(f"*{created['game']['id']}*")), 90)


def archive_directory(bed: Bed) -> Path:
    """Return where the archive is."""
    return bed.directory / "archive"


@asynccontextmanager
async def instance_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Kill an instance that nobody starts again."""
    async with _gone(bed, bed.instances[:1]):
        yield []


@asynccontextmanager
async def all_instances_gone(bed: Bed) -> AsyncIterator[Lines]:
    """Kill all instances, which nobody starts again."""
    async with _gone(bed, bed.instances):
        yield []


@asynccontextmanager
async def _gone(bed: Bed, instances: Sequence[Instance]) -> AsyncIterator[None]:
    for instance in instances:
        instance.kill()
        await instance.wait_until_ended()
    yield
    for instance in instances:
        await instance.start()
    await bed.testbed.proxy.wait_until_up([instance.name for instance in instances])


@asynccontextmanager
async def instance_cut_off(bed: Bed) -> AsyncIterator[Lines]:
    """Drop what an instance sends to Redis. Fail unless all players move again before anybody acts."""
    instance, url = bed.instances[0], bed.redis.url
    (node,) = bed.redis.nodes
    async with run_proxy(f"redis://{node.address}") as road:
        instance.redis_url = url.replace(node.address, urlsplit(road.url).netloc)
        await _restart(bed, instance)
        bed.alerts.begin_fault()
        road.stop_forwarding()
        since = time.monotonic()
        await wait_until(lambda: bed.users.has_moved_since(since), LEFT_OUT_S)
        yield []
        instance.redis_url = url
        await _restart(bed, instance)


@asynccontextmanager
async def loop_blocked(bed: Bed) -> AsyncIterator[Lines]:
    """Block the event loop of an instance for good, and replace the process, as a liveness probe does."""
    instance = bed.instances[0]
    modules = bed.directory / "modules"
    modules.mkdir()
    (modules / "sitecustomize.py").write_text(BLOCKER, encoding="utf-8")
    await _restart(bed, instance, PYTHONPATH=str(modules))
    await wait_until(lambda: "SouthSeasDown" not in bed.alerts.active, 30)
    bed.alerts.begin_fault()
    instance.signal(SIGUSR2)
    yield []
    instance.kill()
    await _restart(bed, instance, PYTHONPATH="")


async def _restart(bed: Bed, instance: Instance, **environment: str) -> None:
    instance.terminate()
    await instance.wait_until_ended()
    instance.environment |= environment
    await instance.start()
    await bed.testbed.proxy.wait_until_up([instance.name])


@asynccontextmanager
async def files_used_up(bed: Bed) -> AsyncIterator[Lines]:
    """Open more connections to each instance than its open files allow."""
    async with AsyncExitStack() as stack:
        for instance in bed.instances:
            for number in range(IDLE_CONNECTIONS):
                local = (f"127.0.{instance.port % 200 + 1}.{number // 20 + 1}", 0)
                _, writer = await asyncio.open_connection("127.0.0.1", instance.port, local_addr=local)
                stack.callback(writer.close)
        yield []


@asynccontextmanager
async def memory_used_up(bed: Bed) -> AsyncIterator[Lines]:
    """Limit the memory of an instance, and send it much to keep. A supervisor starts it again if it ends."""
    instance = bed.instances[0]
    limit = _virtual_memory(instance.pid) + MEMORY_MARGIN
    resource.prlimit(instance.pid, resource.RLIMIT_AS, (limit, limit))
    bed.alerts.begin_fault()
    async with in_background(*(_send_unfinished(instance, number) for number in range(HUNGRY_CONNECTIONS))):
        await wait_until(lambda: not instance.is_running, 60)
    async with _gone(bed, [instance]):
        await asyncio.sleep(RESTART_S)
        yield []


def _virtual_memory(pid: int) -> int:
    """Return the bytes of a process's address space."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


async def _send_unfinished(instance: Instance, number: int) -> None:
    """Send a request whose body does not end, until the connection does."""
    head = "POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    while True:
        try:
            local = (f"127.0.{number % 200 + 1}.2", 0)
            _, writer = await asyncio.open_connection("127.0.0.1", instance.port, local_addr=local)
            writer.write(head.encode() + b" " * 59_000)
            await asyncio.sleep(30)
            writer.close()
        except OSError:
            await asyncio.sleep(0.5)


@asynccontextmanager
async def stopped_in_mid_request(bed: Bed) -> AsyncIterator[Lines]:
    """Stop an instance by SIGTERM while a request's body is on its way, and send the rest 9 s after it."""
    instance = bed.instances[0]
    body = b'{"players": [{"name": "Ana"}, {"name": "Bo"}]}'
    head = (
        f"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", instance.port)
    writer.write(head.encode() + body[:20])
    await asyncio.sleep(0.2)
    instance.terminate()
    await asyncio.sleep(9)
    writer.write(body[20:])
    status = (await reader.readline()).decode().strip()
    writer.close()
    assert await instance.wait_until_ended() == 0, "SIGTERM: another exit code than 0"
    if " 201 " not in status:
        bed.users.note_failure("moves", status or "disconnected")
    await instance.start()
    await bed.testbed.proxy.wait_until_up([instance.name])
    yield [f"the request that began before SIGTERM, its body 9 s after: {status}"]


@asynccontextmanager
async def setting_renamed(bed: Bed) -> AsyncIterator[Lines]:
    """Roll out a release with a setting that does not exist; the update waits for its first instance."""
    instance = Instance("i9", bed.directory, bed.redis.url, (), fake_clock=False)
    instance.environment["SOUTH_SEAS_DRAIN_S"] = "5"
    bed.kube_state.text = (
        'kube_deployment_status_replicas_updated{namespace="south-seas",deployment="south-seas"} 1\n'
        'kube_deployment_spec_replicas{namespace="south-seas",deployment="south-seas"} 2\n'
    )
    try:
        await instance.start()
    except RuntimeError:
        yield instance.log.read_text().splitlines()
    else:
        instance.kill()
        yield ["the instance started"]
    bed.kube_state.text = ""


@asynccontextmanager
async def _restored_game(bed: Bed, *, is_readable: bool) -> AsyncIterator[str]:
    """Make a backup, and in the end restore a game that is played, as the runbook says."""
    backup, game = bed.directory / "backup", bed.users.games[0]
    await south_seas(bed, "export", "--all", str(backup))
    (file,) = backup.rglob(f"*{game}*")
    bed.alerts.begin_fault()
    yield game
    await south_seas(bed, "games", "show", game, code=0 if is_readable else 1)
    source = ("--replace", str(file)) if is_readable else (str(backup),)
    imported = await south_seas(bed, "import", *source)
    assert "imported 1 games" in imported, imported


@asynccontextmanager
async def game_damaged(bed: Bed) -> AsyncIterator[Lines]:
    """Damage the snapshot of a game that is played, and restore the game from a backup."""
    async with _restored_game(bed, is_readable=False) as game:
        await _damage(bed, game)
        yield []


@asynccontextmanager
async def log_without_beginning(bed: Bed) -> AsyncIterator[Lines]:
    """Remove the beginning of the log of a game that is played, and let somebody read it."""

    async def read(session: aiohttp.ClientSession, game: str) -> None:
        while True:
            async with session.get(f"/v1/games/{game}/diffs") as response:
                await response.read()
            await asyncio.sleep(1)

    async with _restored_game(bed, is_readable=True) as game, aiohttp.ClientSession(bed.testbed.proxy.url) as session:
        await bed.execute("XTRIM", keys.log(game), "MINID", "3-0")
        async with in_background(read(session, game)):
            yield []


async def _damage(bed: Bed, game: str) -> None:
    """Damage a game's snapshot and revision, so that no instance goes on with what it has in its cache."""
    await bed.execute("HSET", keys.game(game), "snapshot", "damaged", "revision", "damaged".ljust(20, "!"))


async def _create_game(bed: Bed) -> str:
    """Create a game that nobody plays."""
    async with (
        aiohttp.ClientSession(bed.testbed.proxy.url) as session,
        session.post("/v1/games", json={"players": [{"name": "Ana"}, {"name": "Bo"}]}) as response,
    ):
        return str((await response.json())["game"]["id"])


@asynccontextmanager
async def backup_with_damaged_game(bed: Bed) -> AsyncIterator[Lines]:
    """Make a backup while the snapshot of a game that nobody plays is damaged."""
    game = await _create_game(bed)
    await _damage(bed, game)
    yield (await south_seas(bed, "export", "--all", str(bed.directory / "backup"), code=3)).splitlines()
    await south_seas(bed, "games", "show", game, code=1)
    await south_seas(bed, "games", "delete", "--force", "--yes", game)
    await south_seas(bed, "export", "--all", str(bed.directory / "backup"))


@asynccontextmanager
async def no_backup(bed: Bed) -> AsyncIterator[Lines]:
    """Let the last backup be three days old, as if none had been made since the first start."""
    await bed.execute("SET", keys.BACKUP, f"{time.time() - 3 * DAY_S:.0f} 0 0")
    yield []
    await south_seas(bed, "export", "--all", str(bed.directory / "backup"))


@asynccontextmanager
async def backup_after_loss(bed: Bed) -> AsyncIterator[Lines]:
    """Make a backup after FLUSHALL, restore the one before, and make another."""
    before, after = (str(bed.directory / name) for name in ("backup", "after"))
    async with _restored(bed):
        await bed.execute("FLUSHALL")
        bed.alerts.begin_fault()
        yield (await south_seas(bed, "export", "--all", after, "--since", before, code=4)).splitlines()
        await asyncio.sleep(PROBE_INTERVAL_S + 1)  # all instances know that Redis was emptied
    await south_seas(bed, "export", "--all", after, "--since", before)


REPLACE_DICTIONARY = f"""
local entries = redis.call('XRANGE', KEYS[1], '-', '+')
redis.call('DEL', KEYS[1])
for _, entry in ipairs(entries) do
  local data = entry[2][2]
  data = string.sub(data, 1, {HEADER_BYTES}) .. '\\1\\40' .. string.sub(data, {HEADER_BYTES + ID_BYTES + 1})
  redis.call('XADD', KEYS[1], entry[1], 'd', data)
end
"""


@asynccontextmanager
async def log_of_another_version(bed: Bed) -> AsyncIterator[Lines]:
    """Make a backup while the log of a game that nobody plays needs a dictionary that this version does not have."""
    game = await _create_game(bed)
    await bed.execute("EVAL", REPLACE_DICTIONARY, 1, keys.log(game))
    lines = [line.removeprefix("warning").strip() for line in (await south_seas(bed, "config", "check")).splitlines()]
    bed.alerts.begin_fault()
    yield [*lines, *(await south_seas(bed, "export", "--all", str(bed.directory / "backup"), code=3)).splitlines()]
    await south_seas(bed, "games", "abort", "--yes", game)
    await south_seas(bed, "games", "delete", "--force", "--yes", game)
    await south_seas(bed, "export", "--all", str(bed.directory / "backup"))


@asynccontextmanager
async def flood(bed: Bed) -> AsyncIterator[Lines]:
    """Let one client, from an address of its own, send as many requests as it can."""
    statuses: dict[int, int] = {}

    async def send(session: aiohttp.ClientSession) -> None:
        while True:
            try:
                async with session.get("/v1/bots") as response:
                    statuses[response.status] = statuses.get(response.status, 0) + 1
            except aiohttp.ClientError:
                statuses[0] = statuses.get(0, 0) + 1
                await asyncio.sleep(0.05)

    connector = aiohttp.TCPConnector(limit=0, local_addr=("127.0.0.7", 0))
    url = f"http://127.0.0.1:{bed.instances[0].port}"
    async with (
        aiohttp.ClientSession(url, connector=connector) as session,
        in_background(*(send(session) for _ in range(8))),
    ):
        lines: Lines = []
        yield lines
        lines += [f"the flood got {statuses}"]


@asynccontextmanager
async def proxy_not_trusted(bed: Bed) -> AsyncIterator[Lines]:
    """Restart the instances with settings that no longer name the proxy, and a limit that its clients share."""
    wrong = {
        "SOUTH_SEAS_TRUSTED_PROXIES": "10.0.0.0/8",
        "SOUTH_SEAS_RATE_REQUESTS": SHARED_RATE,
        "SOUTH_SEAS_TOKENS_PER_ADDRESS": "1",
    }
    right = {instance.name: instance.environment for instance in bed.instances}
    for instance in bed.instances:
        instance.environment = {**instance.environment, **wrong}
        await _restart(bed, instance)
    yield (await south_seas(bed, "config", "check", variables=wrong)).splitlines()
    for instance in bed.instances:
        instance.environment = right[instance.name]
        await _restart(bed, instance)


@asynccontextmanager
async def sockets_cut(bed: Bed) -> AsyncIterator[Lines]:
    """Let watchers of a game that nobody plays reach it by a proxy that cuts silent sockets too soon."""
    directory = bed.directory / "impatient"
    directory.mkdir()

    async def watch(session: aiohttp.ClientSession, path: str) -> None:
        while True:
            async with session.ws_connect(f"{path}/ws") as socket:
                async for _ in socket:
                    pass
            bed.users.note_failure("reads", "socket cut")

    async with (
        haproxy(directory, bed.instances, {"timeout tunnel 1h": "timeout tunnel 1s"}) as impatient,
        aiohttp.ClientSession(impatient.url) as session,
        session.post("/v1/games", json={"players": [{"name": "Ana"}, {"name": "Bo"}]}) as response,
    ):
        path = f"/v1/games/{(await response.json())['game']['id']}"
        async with in_background(*(watch(session, path) for _ in range(WATCHERS))):
            yield []


async def south_seas(bed: Bed, *arguments: str, code: int = 0, variables: Mapping[str, str] | None = None) -> str:
    """Run a command of `south-seas` on the Redis of the bed as its operator, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOUTH_SEAS_")}
    environment |= {"SOUTH_SEAS_REDIS_URL": bed.redis.url, **(variables or {})}
    finished = await run_program(sys.executable, "-m", "service.main", *arguments, env=environment)
    assert finished.returncode == code, finished
    return finished.stdout + finished.stderr
