"""Webhooks of instances as processes: delivered after a commit, and after a kill -9 by another instance."""

import signal
from pathlib import Path
from typing import Any

import aiohttp
from standardwebhooks import Webhook

from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.webhook_receiver import WebhookReceiver, run_receiver

ALLOWED = "--webhooks-allow-private"


async def post(session: aiohttp.ClientSession, url: str, body: Any, token: str | None = None) -> Any:
    """Send a POST, check for success, and return the response's body."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with session.post(url, json=body, headers=headers) as response:
        assert response.status in (200, 201), await response.text()
        return await response.json()


async def act(session: aiohttp.ClientSession, game: str, token: str) -> None:
    """Make the first legal move."""
    async with session.get(f"{game}/legal-moves") as response:
        move = (await response.json())["moves"][0]["id"]
    await post(session, f"{game}/actions", {"move": move}, token)


async def wait_for_deliveries(receiver: WebhookReceiver, number: int) -> None:
    await wait_until(lambda: len(receiver.received) >= number, timeout_s=30)


async def is_recorded(session: aiohttp.ClientSession, url: str, token: str, status: int) -> bool:
    """Return whether the latest delivery attempt had this status."""
    async with session.get(url, headers={"Authorization": f"Bearer {token}"}) as response:
        return bool((await response.json())["attempts"][0]["status"] == status)


async def test_another_instance_retries_a_failed_delivery(tmp_path: Path, redis_url: str) -> None:
    async with run_receiver() as receiver, aiohttp.ClientSession() as session:
        async with start_server(tmp_path, redis_url, ALLOWED) as first:
            created = await post(session, f"{first.url}/v1/games", {"players": [{"name": "Ana"}, {"name": "Bo"}]})
            path, owner = f"/v1/games/{created['game']['id']}", created["owner_token"]
            hook = await post(session, f"{first.url}{path}/webhooks", {"url": receiver.url}, owner)
            await act(session, first.url + path, owner)
            await wait_for_deliveries(receiver, 1)
            receiver.statuses = [503]
            await act(session, first.url + path, owner)
            await wait_until(
                lambda: is_recorded(session, f"{first.url}{path}/webhooks/{hook['id']}/deliveries", owner, 503)
            )
            await first.stop(signal.SIGKILL)
        async with start_server(tmp_path, redis_url, ALLOWED, "--drain-time-s", "0") as second:
            await act(session, second.url + path, owner)
            await wait_for_deliveries(receiver, 4)
            assert await second.stop() == 0
    assert receiver.versions == [2, 3, 3, 4]
    assert receiver.received[1].id == receiver.received[2].id
    for received in receiver.received:
        Webhook(hook["secret"]).verify(received.body, received.headers)


async def test_private_addresses_are_rejected_unless_they_are_allowed(tmp_path: Path) -> None:
    async with start_server(tmp_path) as instance, aiohttp.ClientSession() as session:
        created = await post(session, f"{instance.url}/v1/games", {"players": [{"name": "Ana"}, {"name": "Bo"}]})
        url = f"{instance.url}/v1/games/{created['game']['id']}/webhooks"
        headers = {"Authorization": f"Bearer {created['owner_token']}"}
        async with session.post(url, json={"url": f"{instance.url}/v1/games"}, headers=headers) as response:
            assert (response.status, (await response.json(content_type=None))["code"]) == (422, "url_refused")
