"""Webhooks in Redis: fields of their game's hash, so that they end with it, and the dates at which to look at them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from service.games.ports import IdempotencyRecord
from service.games.webhooks.port import (
    Added,
    DeliveryAttempt,
    LeaseTaken,
    LimitReached,
    Replayed,
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
"""Attempts that are kept of each webhook."""


class RedisWebhookStore:
    """`service.games.webhooks.port.HookStore` on Redis."""

    def __init__(self, client: PipelinedClient, clock: Callable[[], float] = time.time) -> None:
        self._client = client
        self._clock = clock
        self._schedule = Schedule(client, clock, keys.WEBHOOK_SCHEDULE)
        self._add_script = Script(client, "webhook_add.lua", wait_for_replicas=True)
        self._remove_script = Script(client, "webhook_remove.lua", wait_for_replicas=True)
        self._claim_script = Script(client, "claim.lua")
        self._ack_script = Script(client, "webhook_ack.lua")

    async def add(
        self,
        game: str,
        hook: WebhookRegistration,
        state: WebhookState,
        *,
        max_webhooks: int,
        keep: IdempotencyRecord | None,
    ) -> Added | LimitReached | Replayed | WebhookNotFound:
        """Add a webhook where the game has fewer than `most`, and have it looked at.

        A change that is committed by somebody who does not know of it yet is found by that look, or by the next.
        """
        await self.schedule(game, [hook.id], int(self._clock()))
        reply = await self._add_script.run(
            [keys.game(game), keys.replica_wait(game)],
            *(hook.id, _ENCODER.encode(hook), _ENCODER.encode(state), max_webhooks, *idempotency_arguments(keep)),
        )
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
        """The webhooks of a game, the oldest first."""
        names = decode_webhook_ids(await self._client.execute("HGET", keys.game(game), "hooks"))
        found = await asyncio.gather(*(self.get(game, name) for name in names))
        return [hook for hook in found if hook is not None]

    async def get(self, game: str, hook: str) -> StoredWebhook | None:
        """A webhook of a game; None where there is no such one."""
        found = await self._client.execute("HMGET", keys.game(game), f"hook:{hook}", f"hook:{hook}:state")
        return _decode_registered(found) if found[0] is not None else None

    async def remove(self, game: str, hook: str) -> bool:
        """Forget a webhook; whether there was one."""
        return bool(
            await self._remove_script.run(
                [keys.game(game), keys.webhook_lease(game, hook), keys.webhook_attempts(game, hook)], hook
            )
        )

    async def list_attempts(self, game: str, hook: str) -> list[DeliveryAttempt]:
        """The latest attempts, the newest first."""
        entries = await self._client.execute("LRANGE", keys.webhook_attempts(game, hook), 0, MAX_STORED_ATTEMPTS - 1)
        return [_TRIED.decode(entry) for entry in entries]

    async def acquire_lease(
        self, game: str, hook: str, holder: str, seconds: int
    ) -> StoredWebhook | LeaseTaken | WebhookNotFound:
        """Take a webhook for so long, so that nobody else delivers to it."""
        fields = f"hook:{hook}", f"hook:{hook}:state"
        reply = await self._claim_script.run(
            [keys.webhook_lease(game, hook), keys.game(game)], holder, seconds, *fields
        )
        match reply:
            case 0:
                return LeaseTaken()
            case list():
                return _decode_registered(reply)
            case _:
                return WebhookNotFound()

    async def save_state(
        self,
        game: str,
        state: WebhookState,
        attempt: DeliveryAttempt | None,
        *,
        hook: str,
        holder: str,
        seconds: int | None,
    ) -> bool:
        """Store how far it has come; hold it for `seconds` more, or (None) let go.

        False where it was forgotten meanwhile, or the holder had held it for too long: nothing was changed.
        """
        entry = "" if attempt is None else _ENCODER.encode(attempt)
        return bool(
            await self._ack_script.run(
                [keys.game(game), keys.webhook_lease(game, hook), keys.webhook_attempts(game, hook)],
                *(hook, holder, _ENCODER.encode(state), entry, MAX_STORED_ATTEMPTS, "" if seconds is None else seconds),
            )
        )

    async def schedule(self, game: str, hooks: Sequence[str], at: int) -> None:
        """Have webhooks looked at by then, or earlier where that was promised before."""
        await asyncio.gather(*(self._schedule.schedule(f"{game} {hook}", at) for hook in hooks))

    async def list_due(self, now: int, limit: int) -> list[tuple[str, str]]:
        """Games and webhooks to look at, the most urgent first, until `settle`."""
        names = [name.partition(" ") for name in await self._schedule.due(now, limit)]
        return [(game, hook) for game, _, hook in names]

    async def reschedule(self, game: str, hook: str, until: int | None) -> None:
        """It was looked at: not before then (None: never) again; what was promised meanwhile comes a little later."""
        await self._schedule.reschedule(f"{game} {hook}", until)


def idempotency_arguments(keep: IdempotencyRecord | None) -> tuple[Argument, Argument]:
    """The field and the record of an idempotency key, as scripts take them; both empty without one."""
    return ("", "") if keep is None else (keys.idempotency_field(keep.key), keep.record)


def decode_webhook_ids(field: bytes | None) -> list[str]:
    """The ids of a game's webhooks, as its hash lists them."""
    return field.decode().split(",") if field else []


def _decode_registered(found: Sequence[Any]) -> StoredWebhook:
    return StoredWebhook(_HOOK.decode(found[0]), _STATE.decode(found[1]))


_ENCODER = msgspec.msgpack.Encoder()
_HOOK = msgspec.msgpack.Decoder(WebhookRegistration)
_STATE = msgspec.msgpack.Decoder(WebhookState)
_TRIED = msgspec.msgpack.Decoder(DeliveryAttempt)
