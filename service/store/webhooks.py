"""Webhooks in Redis: fields of their game's hash, so that they expire with it, and their due dates."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from service.games.idempotency import IdempotencyRecord, Replayed
from service.games.webhooks.port import (
    Added,
    DeliveryAttempt,
    LeaseTaken,
    LimitReached,
    StoredWebhook,
    WebhookNotFound,
    WebhookRegistration,
    WebhookState,
)
from service.store import keys
from service.store.connection.pipeline import Argument, PipelinedClient
from service.store.schedule import Schedule
from service.store.scripts import Script

__all__ = ["MAX_STORED_ATTEMPTS", "RedisWebhookStore", "decode_webhook_ids", "idempotency_arguments"]

MAX_STORED_ATTEMPTS = 100
"""The number of delivery attempts stored of each webhook."""


class RedisWebhookStore:
    """`service.games.webhooks.port.WebhookStore` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = time.time) -> None:
        self._client = client
        self._clock = clock
        self._schedule = Schedule(client, clock, keys.WEBHOOK_SCHEDULE)
        self._add_script = Script(client, "webhook_add.lua", wait_for_replicas=True)
        self._remove_script = Script(client, "webhook_remove.lua", wait_for_replicas=True)
        self._lease_script = Script(client, "acquire_lease.lua")
        self._ack_script = Script(client, "webhook_ack.lua")

    async def add(
        self,
        game: str,
        webhook: WebhookRegistration,
        state: WebhookState,
        *,
        max_webhooks: int,
        record: IdempotencyRecord | None,
    ) -> Added | LimitReached | Replayed | WebhookNotFound:
        """Add a webhook if the game has fewer than `max_webhooks`, and schedule a delivery.

        The delivery finds changes that are committed meanwhile by instances that do not know the webhook yet.
        """
        await self.schedule(game, [webhook.id], int(self._clock()))
        encoded = _ENCODER.encode(webhook), _ENCODER.encode(state)
        arguments = webhook.id, *encoded, max_webhooks, *idempotency_arguments(record)
        reply = await self._add_script.run([keys.game(game), keys.replica_wait(game)], *arguments)
        match reply:
            case 1:
                return Added()
            case 0:
                return LimitReached()
            case bytes():
                return Replayed(reply)
            case _:
                return WebhookNotFound()

    async def list_by_game(self, game: str) -> list[StoredWebhook]:
        """Return the webhooks of a game, the oldest first."""
        ids = decode_webhook_ids(await self._client.execute("HGET", keys.game(game), "hooks"))
        webhooks = await asyncio.gather(*(self.get(game, webhook_id) for webhook_id in ids))
        return [webhook for webhook in webhooks if webhook is not None]

    async def get(self, game: str, webhook_id: str) -> StoredWebhook | None:
        """Return a webhook of a game; None if there is no such webhook."""
        fields = await self._client.execute("HMGET", keys.game(game), f"hook:{webhook_id}", f"hook:{webhook_id}:state")
        return _decode_webhook(fields) if fields[0] is not None else None

    async def remove(self, game: str, webhook_id: str) -> bool:
        """Remove a webhook, and return whether there was one."""
        return bool(await self._remove_script.run(_script_keys(game, webhook_id), webhook_id))

    async def list_attempts(self, game: str, webhook_id: str) -> list[DeliveryAttempt]:
        """Return the latest delivery attempts, the newest first."""
        entries = await self._client.execute(
            "LRANGE", keys.webhook_attempts(game, webhook_id), 0, MAX_STORED_ATTEMPTS - 1
        )
        return [_ATTEMPT_DECODER.decode(entry) for entry in entries]

    async def acquire_lease(
        self, game: str, webhook_id: str, holder: str, seconds: int
    ) -> StoredWebhook | LeaseTaken | WebhookNotFound:
        """Lease a webhook to one holder for `seconds`, so that nobody else delivers to it."""
        fields = f"hook:{webhook_id}", f"hook:{webhook_id}:state"
        reply = await self._lease_script.run(
            [keys.webhook_lease(game, webhook_id), keys.game(game)], holder, seconds, *fields
        )
        match reply:
            case 0:
                return LeaseTaken()
            case list():
                return _decode_webhook(reply)
            case _:
                return WebhookNotFound()

    async def save_state(
        self,
        game: str,
        state: WebhookState,
        attempt: DeliveryAttempt | None,
        *,
        webhook_id: str,
        holder: str,
        seconds: int | None,
    ) -> bool:
        """Store the state of a leased webhook; extend the lease by `seconds`, or release it (None).

        Return False, and change nothing, if the webhook was removed or the holder's lease has expired.
        """
        entry = "" if attempt is None else _ENCODER.encode(attempt)
        arguments = webhook_id, holder, _ENCODER.encode(state), entry, MAX_STORED_ATTEMPTS
        lease_s = "" if seconds is None else seconds
        return bool(await self._ack_script.run(_script_keys(game, webhook_id), *arguments, lease_s))

    async def schedule(self, game: str, webhook_ids: Sequence[str], at: int) -> None:
        """Schedule webhooks, unless they are due earlier."""
        await asyncio.gather(*(self._schedule.schedule(f"{game} {hook}", at) for hook in webhook_ids))

    async def list_due(self, now: int, limit: int) -> list[tuple[str, str]]:
        """Return games and webhooks that are due, the oldest date first, until `reschedule` moves them."""
        members = [member.partition(" ") for member in await self._schedule.list_due(now, limit)]
        return [(game, hook) for game, _, hook in members]

    async def reschedule(self, game: str, webhook_id: str, until: int | None) -> None:
        """Move the due date of a webhook (None removes it). A date set meanwhile comes up a little later."""
        await self._schedule.reschedule(f"{game} {webhook_id}", until)


def _script_keys(game: str, webhook_id: str) -> list[str]:
    """Return the keys of webhook_ack.lua and webhook_remove.lua."""
    return [keys.game(game), keys.webhook_lease(game, webhook_id), keys.webhook_attempts(game, webhook_id)]


def idempotency_arguments(record: IdempotencyRecord | None) -> tuple[Argument, Argument]:
    """Return the hash field and the record of an idempotency key for a script; both are empty without a key."""
    return ("", "") if record is None else (keys.idempotency_field(record.key), record.record)


def decode_webhook_ids(field: bytes | None) -> list[str]:
    """Decode the ids of a game's webhooks from their hash field."""
    return field.decode().split(",") if field else []


def _decode_webhook(fields: Sequence[Any]) -> StoredWebhook:
    return StoredWebhook(_REGISTRATION_DECODER.decode(fields[0]), _STATE_DECODER.decode(fields[1]))


_ENCODER = msgspec.msgpack.Encoder()
_REGISTRATION_DECODER = msgspec.msgpack.Decoder(WebhookRegistration)
_STATE_DECODER = msgspec.msgpack.Decoder(WebhookState)
_ATTEMPT_DECODER = msgspec.msgpack.Decoder(DeliveryAttempt)
