"""The service logs no secret, whatever happens and at any log level."""

import asyncio
import json
from contextlib import AbstractAsyncContextManager, aclosing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from redis.asyncio import Redis

from tests.redis_servers import Deployment, create_access, standalone
from tests.redis_servers.access import SERVICE_USER
from tests.server_process import ServerProcess, start_server
from tests.snapshots import change_game
from tests.web.http_game import bearer_header

PASSWORD = "hunter2-of-redis-p@ss/word"
ENCODED = quote(PASSWORD, safe="")
KEY = "idempotency-key-which-makes-tokens-0123456789"
CREATOR = "creator-key-that-finds-all-my-games-0123456789"
HOOK = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
WRONG = "a-token-that-opens-nothing-but-is-somebodys-0123"
COOKIE = "session=a-cookie-of-another-service-0123456789"


class Visitor:
    """A client that does everything once, and remembers all secrets that it received."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self.session = session
        self.secrets = [KEY, CREATOR, HOOK, WRONG, COOKIE, PASSWORD, ENCODED]
        self.path = ""
        self.owner = ""

    async def request(self, method: str, path: str, token: str | None = None, **options: Any) -> tuple[int, Any]:
        """Send a request; return its status and body."""
        headers = {**(bearer_header(token) if token else {}), **options.pop("headers", {}), "Cookie": COOKIE}
        async with self.session.request(method, path, headers=headers, **options) as response:
            text = await response.text()
            return response.status, json.loads(text) if "json" in response.content_type else text

    async def create(self) -> None:
        """Create a game with everything."""
        players = [{"name": "Ana", "external_user": "u1"}, {"open": True}, {"bot": "random"}]
        headers = {"Idempotency-Key": KEY, "Creator-Key": CREATOR}
        body = {"players": players, "visibility": "private"}
        first = await self.request("POST", "/v1/games", json=body, headers=headers)
        status, created = await self.request("POST", "/v1/games", json=body, headers=headers)
        assert (status, created) == first
        assert status == 201, created
        self.path, self.owner = f"/v1/games/{created['game']['id']}", created["owner_token"]
        self.secrets += [self.owner, created["spectator_token"], *(seat["token"] for seat in created["seats"])]
        status, joined = await self.request(
            "POST", self.path + "/seats", created["spectator_token"], json={"name": "Bo"}
        )
        assert status == 200, joined
        self.secrets.append(joined["token"])

    async def play(self) -> None:
        """Play, with legal and illegal moves."""
        for _ in range(3):
            _, moves = await self.request("GET", self.path + "/legal-moves", self.owner)
            if not moves["moves"]:
                break
            move = {"move": moves["moves"][0]["id"]}
            await self.request(
                "POST", self.path + "/actions", self.owner, json=move, headers={"Idempotency-Key": "turn-1"}
            )
        await self.request("POST", self.path + "/undo", self.owner)
        hook = {"url": "http://127.0.0.1:9/hook", "secret": HOOK}
        status, received = await self.request("POST", self.path + "/webhooks", self.owner, json=hook)
        assert status == 201, received
        for what in ("", "/diffs", "/story", "/scores", "/board.svg", "/webhooks"):
            assert (await self.request("GET", self.path + what, self.owner))[0] == 200, what
        await self.request("GET", "/v1/seats/me/games", f"{self.owner}, {WRONG}")
        await self.request("GET", "/v1/seats/me/games", CREATOR)

    async def provoke_rejections(self) -> None:
        """Send requests that are rejected."""
        await self.request("GET", self.path, WRONG)
        await self.request("GET", f"{self.path}?token={WRONG}")
        await self.request("POST", self.path + "/actions", WRONG, json={"move": WRONG, "token": WRONG})
        await self.request("POST", self.path + "/actions", self.owner, data=f'{{"token": "{WRONG}"')
        await self.request("GET", f"/nowhere/{WRONG}", self.owner)
        await self.request("POST", "/v1/games", json={"players": [], "token": WRONG}, headers={"Idempotency-Key": KEY})
        await self.request("GET", self.path, headers={"Authorization": f"Basic {WRONG}"})

    async def watch(self) -> None:
        """Watch over a WebSocket."""
        async with self.session.ws_connect("/v1/ws", headers=bearer_header(self.owner)) as socket:
            game = self.path.rpartition("/")[2]
            for token in (self.owner, WRONG):
                await socket.send_json({"type": "auth", "game": game, "token": token})
            await socket.send_json({"type": "subscribe", "game": game})
            await socket.send_str(f'{{"type": "auth", "token": "{WRONG}"')
            await socket.send_json({"type": "act", "game": game, "move": "i9", "key": KEY})
            await socket.send_json({"type": "ping", "id": "last"})
            async with asyncio.timeout(10):
                while (await socket.receive_json()).get("id") != "last":
                    pass

    async def provoke_failures(self, redis: Redis) -> None:
        """Provoke an unexpected exception, and then an unavailable store."""
        await change_game(redis, self.path.rpartition("/")[2], lambda game: setattr(game, "display", [10_000]))
        assert (await self.request("GET", self.path, self.owner))[0] == 500
        await redis.acl_setuser(SERVICE_USER, enabled=False)
        await redis.client_kill_filter(_type="normal", skipme=True)
        for _ in range(3):
            await self.request("GET", self.path, self.owner)
            await self.request("GET", "/readyz")


FLAGS = (
    *("--log-level", "debug", "--access-log", "--redis-timeout-s", "1"),
    *("--drain-time-s", "0", "--close-window-s", "0", "--webhooks-allow-private"),
)
"""A service that logs as much as it can."""


def password_redis(directory: Path) -> AbstractAsyncContextManager[Deployment]:
    """Start a Redis server whose user for the service has PASSWORD."""
    return standalone(directory, access=create_access(directory)._replace(password=PASSWORD))


async def stop_and_check(service: ServerProcess, logged: pytest.CaptureFixture[str], secrets: list[str]) -> str:
    """Stop a service, return what it has logged, and fail if a secret, or most of one, is in it, or was printed."""
    await service.stop()
    assert service.process.stdout is not None
    log = logged.readouterr().err
    text = log + service.printed + (await service.process.stdout.read()).decode()
    for secret in secrets:
        assert secret not in text
        assert secret[: len(secret) // 2 + 4] not in text
    return log


async def test_no_secret_is_logged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with (
        password_redis(tmp_path) as deployment,
        start_server(tmp_path, deployment.url, *FLAGS) as service,
        aiohttp.ClientSession(service.url) as session,
        aclosing(deployment.nodes[0].client()) as redis,
    ):
        visitor = Visitor(session)
        await visitor.create()
        await visitor.play()
        await visitor.provoke_rejections()
        await visitor.watch()
        await visitor.provoke_failures(redis)
        log = await stop_and_check(service, capfd, visitor.secrets)
    assert "Traceback" in log
    assert "Redis fails commands" in log
    assert "GET /v1/games/{id} 200 [request_id=" in log


async def test_a_wrong_password_of_redis_is_not_logged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = "not-the-password-of-redis"
    async with password_redis(tmp_path) as deployment:
        with pytest.raises(RuntimeError, match="exited before it listened"):
            async with start_server(tmp_path, deployment.url.replace(ENCODED, wrong), *FLAGS):
                pass
    log = "".join(capfd.readouterr())
    assert "Redis does not accept this user and password" in log
    assert not any(secret in log for secret in (wrong, PASSWORD))
