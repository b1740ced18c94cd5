"""Webhooks in Redis, and their due dates: fields of the hash of their game, so that they expire with it, or API key."""

import asyncio

import msgspec

from service.games import ports
from service.games.idempotency import IdempotencyRecord
from service.store import keys
from service.store.connection import Argument
from service.store.pipeline import PipelinedClient, Script
from service.telemetry.clock import DAY_S, now

MAX_STORED_ATTEMPTS = 100
"""The number of delivery attempts stored of each webhook."""

ATTEMPTS_TTL_S = 30 * DAY_S
"""How long the log of an API key's webhook is stored after the last attempt; that of a game expires with the game."""


class RedisWebhookStore:
    """`service.games.ports.WebhookStore` on Redis."""

    def __init__(self, client: PipelinedClient, queue: ports.DueQueue) -> None:
        self._client = client
        self._queue = queue
        self._add_script = Script(client, "webhook_add.lua", wait_for_replicas=True)
        self._remove_script = Script(client, "webhook_remove.lua", wait_for_replicas=True)
        self._ack_script = Script(client, "webhook_ack.lua")

    async def add(
        self,
        subject: str,
        webhook: ports.WebhookRegistration,
        state: ports.WebhookState,
        *,
        record: IdempotencyRecord | None = None,
        expected: ports.ExpectedWebhooks | None = None,
    ) -> ports.AddOutcome:
        """Add a webhook if the subject is as expected, and schedule a delivery.

        The delivery finds changes that are committed meanwhile by instances that do not know the webhook yet.
        """
        await self._queue.schedule(ports.webhook_entry(subject, webhook.id), int(now()))
        script_keys = [keys.subject(subject), keys.replica_wait(subject), *_record_keys(subject, record)]
        arguments: list[Argument] = [webhook.id, _encode(webhook), _encode(state), record.record if record else b""]
        if expected is not None:
            arguments += expected.record or b"", ",".join(expected.ids), expected.last_revocation
        outcomes: dict[int, ports.AddOutcome] = {1: "added", 0: "changed"}
        return outcomes.get(await self._add_script.run(script_keys, *arguments), "missing")

    async def list_by_subject(self, subject: str) -> list[ports.StoredWebhook]:
        """Return the webhooks of a subject, the oldest first."""
        ids = decode_webhook_ids(await self._client.execute("HGET", keys.subject(subject), "hooks"))
        webhooks = await asyncio.gather(*(self.get(subject, webhook_id) for webhook_id in ids))
        return [webhook for webhook in webhooks if webhook is not None]

    async def get(self, subject: str, webhook_id: str) -> ports.StoredWebhook | None:
        """Return a webhook of a subject; None if there is no such webhook."""
        fields = await self._client.execute(
            "HMGET", keys.subject(subject), f"hook:{webhook_id}", f"hook:{webhook_id}:state"
        )
        if fields[0] is None:
            return None
        return ports.StoredWebhook(_REGISTRATION_DECODER.decode(fields[0]), _STATE_DECODER.decode(fields[1]))

    async def remove(self, subject: str, webhook_id: str) -> bool:
        """Remove a webhook, and return whether there was one."""
        return bool(await self._remove_script.run(_script_keys(subject, webhook_id), webhook_id))

    async def list_attempts(self, subject: str, webhook_id: str) -> list[ports.DeliveryAttempt]:
        """Return the latest delivery attempts, the newest first."""
        entries = await self._client.execute(
            "LRANGE", keys.webhook_attempts(subject, webhook_id), 0, MAX_STORED_ATTEMPTS - 1
        )
        return [_ATTEMPT_DECODER.decode(entry) for entry in entries]

    async def save(self, subject: str, webhook_id: str, holder: str, change: ports.WebhookChange, lease_s: int) -> bool:
        """Store what changed of a leased webhook, and extend the lease.

        Return False, and change nothing, if the webhook was removed or the holder's lease has expired, unless its state
        is still the one before and nobody else has a lease.
        """
        arguments = webhook_id, holder, _encode(change.state), _encode(change.attempt), MAX_STORED_ATTEMPTS, lease_s
        script_keys = [*_script_keys(subject, webhook_id), *_record_keys(subject, change.record)]
        registered = _encode(change.registration), change.record.record if change.record else b""
        return bool(await self._ack_script.run(script_keys, *arguments, *registered, _encode(change.before)))

    async def load_idempotency_record(self, subject: str, key: str) -> bytes | None:
        """Return what `add` or `save` stored under the hash of an idempotency key; None for nothing."""
        record: bytes | None = await self._client.execute("GET", keys.idempotency_record(subject, key))
        return record

    async def add_attempt(self, subject: str, webhook_id: str, attempt: ports.DeliveryAttempt) -> None:
        """Add an attempt to the log of an API key's webhook. After a lost connection it may be there twice."""
        key = keys.webhook_attempts(subject, webhook_id)
        await asyncio.gather(
            self._client.execute("LPUSH", key, _ENCODER.encode(attempt)),
            self._client.execute("LTRIM", key, 0, MAX_STORED_ATTEMPTS - 1),
            self._client.execute("EXPIRE", key, ATTEMPTS_TTL_S),
        )


def _script_keys(subject: str, webhook_id: str) -> list[str]:
    """Return the keys of webhook_ack.lua and webhook_remove.lua."""
    return [
        keys.subject(subject),
        keys.lease(keys.WEBHOOK_SCHEDULE, ports.webhook_entry(subject, webhook_id)),
        keys.webhook_attempts(subject, webhook_id),
    ]


def _record_keys(subject: str, record: IdempotencyRecord | None) -> list[str]:
    """Return the key of a record that a script stores; none without a record."""
    return [] if record is None else [keys.idempotency_record(subject, record.key)]


def _encode(value: ports.WebhookRegistration | ports.WebhookState | ports.DeliveryAttempt | None) -> bytes:
    """Encode an argument of a script; empty for None."""
    return b"" if value is None else _ENCODER.encode(value)


def decode_webhook_ids(field: bytes | None) -> list[str]:
    """Decode the ids of a game's webhooks from their hash field."""
    return field.decode().split(",") if field else []


_ENCODER = msgspec.msgpack.Encoder()
_REGISTRATION_DECODER = msgspec.msgpack.Decoder(ports.WebhookRegistration)
_STATE_DECODER = msgspec.msgpack.Decoder(ports.WebhookState)
_ATTEMPT_DECODER = msgspec.msgpack.Decoder(ports.DeliveryAttempt)
