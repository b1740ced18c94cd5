"""GAME at an earlier version, from the patches of the log."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from schemas.game import GameView
from service.games.context import Context
from service.games.history.verify import upgrade_state
from service.games.ports.game_store import StoredDiff, UnreadableGame
from service.games.repository import read_log
from service.json_patch import apply_patch


class _Diff(msgspec.Struct):
    patch: list[dict[str, Any]]


async def load_past_version(context: Context, game: str, version: int) -> GameView:
    """Load GAME at an earlier version, upgraded to this release's fields. Raises UnreadableGame for a damaged log."""
    log = await read_log(context.store, game, version)
    if len(log) < version:
        raise UnreadableGame(f"the log has {len(log)} versions of {version}")
    try:
        return await asyncio.to_thread(_replay, log)
    except (msgspec.DecodeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableGame(f"the log does not give GAME: {type(error).__name__}: {error}") from error


def _replay(log: Sequence[StoredDiff]) -> GameView:
    diffs = [msgspec.json.decode(entry.data, type=_Diff) for entry in log]
    state = apply_patch({}, [operation for diff in diffs for operation in diff.patch])
    return msgspec.convert(upgrade_state(state), GameView)
