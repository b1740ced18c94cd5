"""Webhooks in Redis: fields of their game's hash, so that they end with it, and the dates at which to look at them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from service.games.ports import Keep
from service.games.webhooks.port import Added, Gone, Held, Hook, Kept, Registered, State, TooMany, Tried
from service.store import keys
from service.store.connection.pipeline import Batches, Value
from service.store.schedule import Due
from service.store.scripts import Script

__all__ = ["MOST_TRIED", "RedisHooks", "ids", "keeping_arguments"]

MOST_TRIED = 100
"""Attempts that are kept of each webhook."""


class RedisHooks:
    """`service.games.webhooks.port.HookStore` on Redis."""

    def __init__(self, batches: Batches, clock: Callable[[], float] = time.time) -> None:
        self._batches = batches
        self._clock = clock
        self._due = Due(batches, clock, keys.HOOKS_DUE)
        self._add = Script(batches, "webhook_add.lua", confirmed=True)
        self._remove = Script(batches, "webhook_remove.lua", confirmed=True)
        self._claim = Script(batches, "claim.lua")
        self._note = Script(batches, "webhook_ack.lua")

    async def add(
        self, game: str, hook: Hook, state: State, *, most: int, keep: Keep | None
    ) -> Added | TooMany | Kept | Gone:
        """Add a webhook where the game has fewer than `most`, and have it looked at.

        A change that is committed by somebody who does not know of it yet is found by that look, or by the next.
        """
        await self.promise(game, [hook.id], int(self._clock()))
        reply = await self._add.run(
            [keys.game(game), keys.waited(game)],
            *(hook.id, _ENCODER.encode(hook), _ENCODER.encode(state), most, *keeping_arguments(keep)),
        )
        match reply:
            case 1:
                return Added()
            case 0:
                return TooMany()
            case bytes():
                return Kept(reply)
            case _:
                return Gone()

    async def of_game(self, game: str) -> list[Registered]:
        """The webhooks of a game, the oldest first."""
        names = ids(await self._batches.send("HGET", keys.game(game), "hooks"))
        found = await asyncio.gather(*(self.one(game, name) for name in names))
        return [hook for hook in found if hook is not None]

    async def one(self, game: str, hook: str) -> Registered | None:
        """A webhook of a game; None where there is no such one."""
        found = await self._batches.send("HMGET", keys.game(game), f"hook:{hook}", f"hook:{hook}:state")
        return _registered(found) if found[0] is not None else None

    async def remove(self, game: str, hook: str) -> bool:
        """Forget a webhook; whether there was one."""
        return bool(await self._remove.run([keys.game(game), keys.lease(game, hook), keys.tried(game, hook)], hook))

    async def tried(self, game: str, hook: str) -> list[Tried]:
        """The latest attempts, the newest first."""
        entries = await self._batches.send("LRANGE", keys.tried(game, hook), 0, MOST_TRIED - 1)
        return [_TRIED.decode(entry) for entry in entries]

    async def claim(self, game: str, hook: str, holder: str, seconds: int) -> Registered | Held | Gone:
        """Take a webhook for so long, so that nobody else delivers to it."""
        fields = f"hook:{hook}", f"hook:{hook}:state"
        reply = await self._claim.run([keys.lease(game, hook), keys.game(game)], holder, seconds, *fields)
        match reply:
            case 0:
                return Held()
            case list():
                return _registered(reply)
            case _:
                return Gone()

    async def note(
        self, game: str, state: State, tried: Tried | None, *, hook: str, holder: str, seconds: int | None
    ) -> bool:
        """Store how far it has come; hold it for `seconds` more, or (None) let go.

        False where it was forgotten meanwhile, or the holder had held it for too long: nothing was changed.
        """
        entry = "" if tried is None else _ENCODER.encode(tried)
        return bool(
            await self._note.run(
                [keys.game(game), keys.lease(game, hook), keys.tried(game, hook)],
                *(hook, holder, _ENCODER.encode(state), entry, MOST_TRIED, "" if seconds is None else seconds),
            )
        )

    async def promise(self, game: str, hooks: Sequence[str], at: int) -> None:
        """Have webhooks looked at by then, or earlier where that was promised before."""
        await asyncio.gather(*(self._due.promise(f"{game} {hook}", at) for hook in hooks))

    async def due(self, now: int, limit: int) -> list[tuple[str, str]]:
        """Games and webhooks to look at, the most urgent first, until `settle`."""
        names = [name.partition(" ") for name in await self._due.due(now, limit)]
        return [(game, hook) for game, _, hook in names]

    async def settle(self, game: str, hook: str, until: int | None) -> None:
        """It was looked at: not before then (None: never) again; what was promised meanwhile comes a little later."""
        await self._due.settle(f"{game} {hook}", until)


def keeping_arguments(keep: Keep | None) -> tuple[Value, Value]:
    """The field and the record of an idempotency key, as scripts take them; both empty without one."""
    return ("", "") if keep is None else (keys.record(keep.key), keep.record)


def ids(field: bytes | None) -> list[str]:
    """The ids of a game's webhooks, as its hash lists them."""
    return field.decode().split(",") if field else []


def _registered(found: Sequence[Any]) -> Registered:
    return Registered(_HOOK.decode(found[0]), _STATE.decode(found[1]))


_ENCODER = msgspec.msgpack.Encoder()
_HOOK = msgspec.msgpack.Decoder(Hook)
_STATE = msgspec.msgpack.Decoder(State)
_TRIED = msgspec.msgpack.Decoder(Tried)
