"""The ACL that is written down names all that the service sends. That it is enough is shown by the suite on it."""

import re
from contextlib import aclosing
from pathlib import Path

from service import store
from service.store.acl import ACL, CLUSTER_ACL, SENTINEL_ACL
from service.store.client import connect
from tests.redis_servers import sentinel
from tests.redis_servers.node import execute_text

FOLDER = Path(store.__path__[0])

CONTAINERS = {"cluster", "sentinel"}
"""Commands of which only some subcommands are allowed."""


def allowed(acl: str) -> set[str]:
    return {word.removeprefix("+") for word in acl.split() if word.startswith("+")}


def test_every_command_in_the_source_is_allowed() -> None:
    said = {
        word.lower()
        for file in (*FOLDER.rglob("*.lua"), *FOLDER.rglob("*.py"))
        for word in re.findall(r"""(?:call\(|execute\()['"]([A-Z]{3,})['"]""", file.read_text())
    }
    assert {"hmget", "zadd", "xadd", "scan"} <= said
    assert said - CONTAINERS <= allowed(ACL)


def test_nothing_is_allowed_that_looks_at_others_or_changes_the_server() -> None:
    risky = {"keys", "flushall", "flushdb", "config", "debug", "shutdown", "acl", "client", "monitor", "replicaof"}
    assert not allowed(CLUSTER_ACL) & risky
    assert not [word for word in CLUSTER_ACL.split() if word.startswith("+@")]
    assert CLUSTER_ACL.startswith("~south-seas:* &south-seas:* -@all ")


async def test_a_user_of_the_sentinels_needs_no_more_than_is_written_down(tmp_path: Path) -> None:
    async with sentinel(tmp_path, replicas=1, sentinels=1) as deployment:
        async with aclosing(deployment.sentinels[0].client()) as client:
            await execute_text(client, "ACL", "SETUSER", "asking", "on", ">secret", "-@all", *SENTINEL_ACL.split())
        url = deployment.url.partition("?")[0]
        async with connect(f"{url}?sentinel_username=asking&sentinel_password=secret") as found:
            await found.ping()
