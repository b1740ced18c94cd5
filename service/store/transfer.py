"""Whole games out of and into Redis."""

from collections.abc import AsyncIterator

import msgspec

from service.games.archive.port import RestoreRequest
from service.store import keys
from service.store.connection.pipeline import Argument, PipelinedClient
from service.store.connection.scan import START, scan
from service.store.game_index import GameIndex
from service.store.schedule import Schedule
from service.store.scripts import Script

__all__ = ["RedisGameTransfer"]

_SCAN_BATCH_SIZE = 1000


class RedisGameTransfer(GameIndex):
    """`service.games.archive.port.Moving` on Redis."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self._schedule = Schedule(client)
        self._webhook_schedule = Schedule(client, key=keys.WEBHOOK_SCHEDULE)
        self._restore_script = Script(client, "restore.lua", wait_for_replicas=True)

    async def iter_games(self) -> AsyncIterator[str]:
        """Ids of all games, in any order; each at least once that is there from beginning to end."""
        position = START
        while True:
            portion = await scan(self._client, position, _SCAN_BATCH_SIZE, keys.game("*"))
            for key in portion.keys:
                if (game := keys.game_of(key)) is not None:
                    yield game
            position = portion.cursor
            if position == START:
                return

    async def restore(self, request: RestoreRequest) -> bool:
        """Store a whole game at once; False, and nothing changed, where it is there and not to be replaced.

        What finds it and when it is due is written before, as with every commit; where the game is there already, that
        names it too early or too often, which whoever reads it finds out.
        """
        commit, hooks = request.commit, request.webhooks
        if commit.is_public:
            await self.list_game(commit.game, commit.status, commit.created_at)
        await self.index_before_commit(commit)
        if commit.due_at is not None:
            await self._schedule.schedule(commit.game, commit.due_at)
        for one in hooks:
            if one.state.disabled_reason is None and one.state.delivered_version < commit.diffs[-1].version:
                await self._webhook_schedule.schedule(
                    f"{commit.game} {one.registration.id}", one.state.next_attempt_at or commit.created_at
                )
        game_keys = [keys.game(commit.game), keys.log(commit.game)]
        game_keys += [keys.webhook_attempts(commit.game, one.registration.id) for one in hooks]
        stored = bool(await self._restore_script.run(game_keys, *_restore_arguments(request)))
        if stored:  # once more, for whoever saw that there was no such game, and mended what finds it
            await self.index_game(commit.game, commit.index_keys(), commit.created_at, commit.index_ttl_s)
        if stored and commit.is_public:
            await self.list_game(commit.game, commit.status, commit.created_at)
        return stored


def _restore_arguments(restoring: RestoreRequest) -> list[Argument]:
    """ARGV of restore.lua."""
    commit, hooks = restoring.commit, restoring.webhooks
    last = commit.diffs[-1]
    fields: list[Argument] = ["version", last.version, "digest", last.digest, "snapshot", commit.snapshot]
    fields += "access", commit.access or b""
    if hooks:
        fields += "hooks", ",".join(one.registration.id for one in hooks)
    for one in hooks:
        fields += f"hook:{one.registration.id}", _ENCODER.encode(one.registration)
        fields += f"hook:{one.registration.id}:state", _ENCODER.encode(one.state)
    arguments: list[Argument] = [commit.id, "1" if restoring.replace else "", commit.ttl_s, len(fields), *fields]
    for one in hooks:
        arguments += len(one.attempts), *(_ENCODER.encode(tried) for tried in one.attempts)
    for diff in commit.diffs:
        arguments += diff.version, diff.digest, diff.previous, diff.data
    return arguments


_ENCODER = msgspec.msgpack.Encoder()
