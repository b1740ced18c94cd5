"""What the service needs of a Redis: a check before the start, and the permissions that its user needs.

`commands.json` has what the service's user must be allowed in Redis; docs/operating.md has it as rules for
`ACL SETUSER`. Each command stands with arguments of a complete call, since Redis may crash when it is asked about an
incomplete one. `K` is a key, and `C` a channel; a vertical bar is before a subcommand.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import msgspec
from redis.asyncio import Redis
from redis.exceptions import NoPermissionError

from schemas.vocabulary import ENDED_STATUSES
from service.games.ports import GameStore, StoreUnavailable, UnreadableGame
from service.store import connection, keys
from service.store.embedded import MIN_VERSION
from service.store.pipeline import PipelinedClient
from service.store.topology import PrimaryUnknown

_COMMANDS = msgspec.json.decode(
    files("service.store").joinpath("commands.json").read_bytes(), type=dict[str, dict[str, str]]
)
CLUSTER_COMMANDS = _COMMANDS.pop("on a Cluster, beside the others")
COMMANDS = dict(item for group in _COMMANDS.values() for item in group.items())

TIMEOUT_S = 3.0

SAMPLE_SIZE = 1000
"""Keys of each primary that are looked at."""

MAX_SAMPLED_GAMES = 100
"""Games among them that are read."""

NO_CLUSTER = "Cluster mode is not enabled"
"""What redis-py says of a single server in the URL of a Cluster."""

_DENIED_SCRIPT = """
local denied = {}
for number, call in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(call, '%S+') do table.insert(words, word) end
  if not redis.acl_check_cmd(unpack(words)) then table.insert(denied, number) end
end
return denied
"""
"""Returns the numbers of those calls of ARGV that the user may not make."""

_FIELD = re.compile(r"^(\w+):(.*)\r$", re.MULTILINE)
"""A line of INFO."""

_URL_SCHEMES = {"standalone": "redis://", "sentinel": "redis+sentinel://", "cluster": "redis+cluster://"}


class Finding(NamedTuple):
    """What a check has found."""

    level: Literal["ok", "warning", "unavailable", "error"]
    """`unavailable` may pass by itself, as a server that does not reply; with an `error` the service cannot work."""
    text: str


async def check_server(client: PipelinedClient, store: GameStore) -> list[Finding]:
    """Check every primary, and what is stored. What fails because a server is unreachable is a finding too."""
    topology = client.topology
    try:
        async with asyncio.timeout(TIMEOUT_S):
            if topology.has_failover:
                await topology.refresh()
            findings = [
                finding
                for primary in sorted(topology.primaries())
                for finding in await _check_primary(client, primary, topology.client_for(primary))
            ]
            if missing := topology.count_missing_slots():
                text = f"the Cluster has no primary for {missing} slots: every game there gets 503"
                findings.append(Finding("unavailable", text))
            if all(finding.level in {"ok", "warning"} for finding in findings):
                findings += await check_data(client, store)
            return findings
    except (*connection.CONNECTION_ERRORS, TimeoutError) as error:
        is_permanent = (
            connection.is_error_reply(error) and connection.error_code(error) not in connection.RETRYABLE_CODES
        )
        if is_permanent or isinstance(error, PrimaryUnknown) or NO_CLUSTER in str(error):
            return [Finding("error", str(connection.to_store_error(error)))]
        reason = str(connection.to_store_error(error)) if str(error) else f"Redis did not reply within {TIMEOUT_S:g} s"
        return [Finding("unavailable", reason)]


async def check_data(client: PipelinedClient, store: GameStore) -> list[Finding]:
    """Return what of a sample of the keys and games this version cannot read; nothing if Redis fails meanwhile."""
    with suppress(StoreUnavailable):
        return [Finding("warning", f"{text}; they stay as they are") async for text in _iter_unreadable(client, store)]
    return []


async def _iter_unreadable(client: PipelinedClient, store: GameStore) -> AsyncIterator[str]:
    scans = [
        client.execute("SCAN", 0, "MATCH", f"{keys.PREFIX}*", "COUNT", SAMPLE_SIZE, primary=primary)
        for primary in sorted(client.topology.primaries())
    ]
    names = [name.decode(errors="replace") for _, page in await asyncio.gather(*scans) for name in page]
    if unknown := sorted(name for name in names if not keys.is_known(name)):
        yield f"{len(unknown)} of {len(names)} keys are of another version of the service, as {unknown[0]}"
    games = [game for name in names if (game := keys.game_of(name)) is not None][:MAX_SAMPLED_GAMES]
    reasons = await asyncio.gather(*(_find_unreadable(store, game) for game in games))
    examples = dict(zip(reasons, games, strict=True))
    for reason, number in Counter(filter(None, reasons)).items():
        yield f"{number} of {len(games)} games cannot be read, as {examples[reason]}: {reason}"


async def _find_unreadable(store: GameStore, game: str) -> str | None:
    """Return why a game, or the end of the log of one in play, cannot be read; None if it can."""
    try:
        loaded = await store.load(game)
        if loaded is not None and loaded.game.status not in ENDED_STATUSES:
            await store.load_diffs(game, loaded.revision.version - 1, 1)
    except UnreadableGame as error:
        return str(error)
    return None


async def _check_primary(client: PipelinedClient, primary: str, redis: Redis) -> list[Finding]:
    topology = client.topology
    hello = {key.decode(): value for key, value in (await _execute(redis, "HELLO")).items()}
    version, mode = hello["version"].decode(), hello["mode"].decode()
    name = f"Redis {version} ({primary})"
    if tuple(map(int, version.split(".")[:2])) < MIN_VERSION:
        return [Finding("error", f"{name} is too old: the service needs Redis 7.0 or later, or Valkey")]
    if mode == "sentinel" or (mode == "cluster") != topology.is_sharded:
        text = f"{name} runs as {mode}, but the URL says {topology.url.topology}: write {_URL_SCHEMES[mode]}..."
        return [Finding("error", text)]
    findings = [*await _check_permissions(name, redis, is_sharded=topology.is_sharded)]
    try:
        info = await _execute(redis, "INFO", "memory", "persistence", "replication")
    except NoPermissionError:
        unknown = "eviction, persistence and replicas cannot be checked: allow its user `info`"
        return [*findings, Finding("warning", f"{name}: {unknown}")]
    findings += _check_info(name, dict(_FIELD.findall(info.decode())), client)
    return findings or [Finding("ok", f"{name}: permissions, eviction, persistence, replicas are as they should be")]


async def _execute(redis: Redis, *command: str | int) -> Any:
    """Return the reply to a command. Raises redis-py's errors."""
    return await redis.execute_command(*command)  # type: ignore[no-untyped-call]


async def _check_permissions(name: str, redis: Redis, *, is_sharded: bool) -> list[Finding]:
    """Check which commands, keys and channels the user may use; `info` is only needed to check the rest."""
    wanted = COMMANDS | (CLUSTER_COMMANDS if is_sharded else {})
    names, samples = [*wanted], {"K": keys.PROBE, "C": keys.game("probe")}
    calls = [
        " ".join(samples.get(word, word) for word in (*name.split("|"), *arguments.split()))
        for name, arguments in wanted.items()
    ]
    try:
        denied = [names[number - 1] for number in await _execute(redis, "EVAL", _DENIED_SCRIPT, 0, *calls)]
    except NoPermissionError:
        denied = ["eval"]
    if not {*denied} - {"info"}:
        return []
    return [Finding("error", f"{name} denies its user {', '.join(denied)}: allow what docs/operating.md lists")]


def _check_info(name: str, info: dict[str, str], client: PipelinedClient) -> Iterator[Finding]:
    policy, replicas = info.get("maxmemory_policy"), int(info.get("connected_slaves", 0))
    if policy != "noeviction":
        text = f"{name} deletes games when its memory is full: set maxmemory-policy noeviction, not {policy}"
        yield Finding("warning", text)
    if info.get("aof_enabled") != "1":
        yield Finding("warning", f"{name} has no append-only file, so a restart loses games: set appendonly yes")
    if info.get("role") == "slave":
        yield Finding("unavailable", f"{name} is a replica, which takes no writes")
    elif client.wait is not None and replicas < client.wait.replicas:
        text = f"{name} has {replicas} replicas, but {client.wait.replicas} must acknowledge: every action gets 503"
        yield Finding("unavailable", text)
