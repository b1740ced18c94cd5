"""What a webhook of an API key needs done for all games of the key: they are attached, replayed and resumed.

The games are walked page by page under the lease of the key's webhook. The webhook's state says how far the walk is, so
that another instance goes on after a crash.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from schemas.vocabulary import ENDED_STATUSES
from service.engine import Game
from service.games.access import key_of_subject
from service.games.game_failures import record_failure
from service.games.ports.game_store import GameStore, UnreadableGame
from service.games.ports.webhook_store import LeaseTaken, StoredWebhook, WebhookRegistration, WebhookState
from service.games.repository import decode_game, read_access
from service.games.webhooks.updates import attach_game, restart, update_webhook
from service.telemetry.clock import unix_seconds

__all__ = ["KeyGames"]

BATCH_SIZE = 50
"""Games that are processed at once."""

PAGE_PAUSE_S = 0.05
"""Pause after a page, so that a walk over very many games delays no request."""

LEASED_GAME_DELAY_S = 1.0
"""Delay before a game is tried again that is being delivered to."""

SaveState = Callable[[WebhookState], Awaitable[bool]]
"""Stores the state of the key's webhook and extends its lease; returns False if the lease was lost."""


class _ChangeTime(msgspec.Struct):
    """The decoded part of a diff."""

    at: str


class KeyGames:
    """The games of an API key, for one of its webhooks."""

    def __init__(self, store: GameStore, clock: Callable[[], float], key: str, webhook: WebhookRegistration) -> None:
        self._store = store
        self._clock = clock
        self._key = key
        """The key's subject."""
        self._webhook = webhook

    async def process(self, state: WebhookState, save: SaveState) -> WebhookState | None:
        """Do what the webhook's state asks for, and return the state afterwards; None if the lease was lost.

        `resumes` stays set while all games with missed messages are leased.
        """
        while state.next_games is not None:
            page = await self._store.list_by_keys([self._key], BATCH_SIZE, state.next_games or None)
            if not await self._process_page(page.games, state, save):
                return None
            since = None if page.next_cursor is None else state.replays_since
            state = msgspec.structs.replace(state, next_games=page.next_cursor, replays_since=since)
            if not await save(state):
                return None
            await asyncio.sleep(PAGE_PAUSE_S)
        return state if not state.resumes else await self._resume_missed(state, save)

    async def _resume_missed(self, state: WebhookState, save: SaveState) -> WebhookState | None:
        """Resume the games that miss messages now, each once; return the state afterwards, None if the lease was lost.

        Those that miss some again meanwhile come after them, and wait for the next retry.
        """
        webhooks = self._store.webhooks
        remaining = await webhooks.count_missed(self._key, self._webhook.id)
        while remaining > 0:
            games = await webhooks.list_missed(self._key, self._webhook.id, min(BATCH_SIZE, remaining))
            resumed = await asyncio.gather(*(self._resume(game) for game in games))
            if not await save(state):
                return None
            if games and not any(resumed):
                return state
            remaining -= max(1, sum(resumed))
        return msgspec.structs.replace(state, resumes=False)

    async def _process_page(self, games: Sequence[str], state: WebhookState, save: SaveState) -> bool:
        """Attach games, and rewind them for a replay; return False if the lease was lost."""
        while games:
            done = await asyncio.gather(*(self._attach_and_rewind(game, state.replays_since) for game in games))
            games = [game for game, is_done in zip(games, done, strict=True) if not is_done]
            if games:
                await asyncio.sleep(LEASED_GAME_DELAY_S)
                if not await save(state):
                    return False
        return True

    async def _attach_and_rewind(self, game_id: str, since: int | None) -> bool:
        """Attach a game that goes on, and rewind it to `since` unless that is None.

        Return False if it is leased and must be tried again.
        """
        try:
            game = await self._load(game_id)
        except UnreadableGame as error:
            record_failure("webhooks", game_id, error, "is not reported to its API key's webhook")
            return True
        if game is None:
            return True
        if game.status not in ENDED_STATUSES:
            api_key = key_of_subject(self._key) or ""
            await attach_game(self._store.webhooks, game_id, self._webhook, api_key, game.version)
        return since is None or unix_seconds(game.updated_at) < since or await self._rewind(game, since)

    async def _load(self, game_id: str) -> Game | None:
        """Return a game, or None if it is not the key's. Raises UnreadableGame."""
        loaded = await self._store.load(game_id)
        if loaded is None or read_access(loaded).api_key != key_of_subject(self._key):
            return None
        return decode_game(loaded)

    async def _rewind(self, game: Game, since: int) -> bool:
        """Deliver the changes of a game since a Unix second again; return False if it is leased."""
        version = await self._last_version_before(game, since)

        def rewind(stored: StoredWebhook) -> StoredWebhook:
            restarted = restart(stored)
            delivered = min(restarted.state.delivered_version, version)
            return StoredWebhook(
                restarted.registration, msgspec.structs.replace(restarted.state, delivered_version=delivered)
            )

        now = int(self._clock())
        outcome = await update_webhook(self._store.webhooks, game.id, self._webhook.id, now, rewind)
        return not isinstance(outcome, LeaseTaken)

    async def _last_version_before(self, game: Game, since: int) -> int:
        """Return the last version of a game before a Unix second, 0 for none: by binary search in its log."""
        low, high = 0, game.version
        while low < high:
            middle = (low + high + 1) // 2
            diffs = await self._store.load_diffs(game.id, middle - 1, 1)
            if diffs and unix_seconds(_DECODER.decode(diffs[0].data).at) < since:
                low = middle
            else:
                high = middle - 1
        return low

    async def _resume(self, game: str) -> bool:
        """Deliver what the webhook missed of a game; return False if the game is leased, and stays missed.

        The game is no longer missed, unless another instance has failed with it since.
        """
        webhooks, webhook_id = self._store.webhooks, self._webhook.id
        outcome = await update_webhook(webhooks, game, webhook_id, int(self._clock()), restart)
        if isinstance(outcome, LeaseTaken):
            return False
        await webhooks.remove_missed(self._key, webhook_id, [game])
        stored = await webhooks.get(game, webhook_id)
        if stored is not None and stored.state.disabled_reason is not None:
            await webhooks.add_missed(self._key, webhook_id, game)
        return True


_DECODER = msgspec.json.Decoder(_ChangeTime)
