"""Webhooks of instances as processes: delivered after a commit, and after a kill -9 by another instance."""

import signal
from pathlib import Path

from aiohttp import ClientSession
from standardwebhooks import Webhook

from tests.polling import wait_until
from tests.server_process import start_server
from tests.web.http_game import HTTPGame, create_game
from tests.web.webhook_receiver import WebhookReceiver, register_webhook, run_receiver

ALLOWED = "--webhooks-allow-private"


async def wait_for_deliveries(receiver: WebhookReceiver, number: int) -> None:
    await wait_until(lambda: len(receiver.received) >= number, timeout_s=30)


async def test_another_instance_retries_a_failed_delivery(tmp_path: Path, redis_url: str) -> None:
    async with run_receiver() as receiver:
        async with start_server(tmp_path, redis_url, ALLOWED) as first, ClientSession(first.url) as session:
            game = await create_game(session)
            hook = await register_webhook(game, receiver.url)
            await game.act_successfully()
            await wait_for_deliveries(receiver, 1)
            receiver.statuses = [503]
            await game.act_successfully()

            async def is_recorded() -> bool:
                deliveries = await game.get_json(f"/webhooks/{hook['id']}/deliveries")
                return bool(deliveries["attempts"][0]["status"] == 503)

            await wait_until(is_recorded)
            await first.stop(signal.SIGKILL)
        async with (
            start_server(tmp_path, redis_url, ALLOWED, "--drain-time-s", "0") as second,
            ClientSession(second.url) as session,
        ):
            await HTTPGame(session, game.created).act_successfully()
            await wait_for_deliveries(receiver, 4)
            assert await second.stop() == 0
    assert receiver.versions == [2, 3, 3, 4]
    assert receiver.received[1].id == receiver.received[2].id
    for received in receiver.received:
        Webhook(hook["secret"]).verify(received.body, received.headers)
