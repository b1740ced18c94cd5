"""Games in a store, created as a client does and played to a given status in one commit."""

from collections import Counter
from random import Random
from typing import Any, NamedTuple

from schemas.lobby import Created, CreateGame, SeatRequest
from schemas.vocabulary import Status, Visibility
from schemas.webhooks import RegisterWebhook
from service.engine import Game, apply_action, build_view, decode_snapshot, legal_moves, mark_aborted, move_id
from service.games import repository
from service.games.api_key import ApiKey, Quotas
from service.games.commands.create import CreationRequest, create
from service.games.commands.webhooks import register_webhook
from service.games.diffs import record_change
from service.games.ports import StoredDiff, StoredGame
from service.games.repository import Context
from service.games.webhook_owner import Owner
from service.store.game_store import RedisStore
from service.store.pipeline import PipelinedClient
from tests.games.game_fixture import make_context
from tests.games.game_logs import LAGOON
from tests.store.commits import load_record

CREATOR = "a chat bot's own key, which is long"
USER = "user-4711"
MOVES_OF_ACTIVE_GAME = 12
"""Number of moves of a game that stays active."""


class CountingStore(RedisStore):
    """A store that counts the loads of each game."""

    def __init__(self, client: PipelinedClient) -> None:
        super().__init__(client)
        self.loads: Counter[str] = Counter()

    async def load(self, game: str, key: str | None = None) -> StoredGame | None:
        self.loads[game] += 1
        return await super().load(game, key)


class OwnedGame(NamedTuple):
    """A game in a store, with its tokens."""

    id: str
    created: Created
    context: Context


async def store_game(
    store: RedisStore,
    status: Status = "active",
    *,
    context: Context | None = None,
    visibility: Visibility = "public",
    seed: str | None = None,
    webhooks: int = 0,
    api_key: str | None = None,
    **options: Any,
) -> OwnedGame:
    """Store a two-player game of a given status."""
    context = context or make_context(store)
    seats = [
        SeatRequest(name="Ana", external_user=USER),
        SeatRequest(open=True) if status == "waiting" else SeatRequest(name="Bo"),
    ]
    request = CreateGame(players=seats, visibility=visibility, seed=seed, **options)
    key = None if api_key is None else ApiKey(api_key, 0, Quotas(1, 1, 1), [])
    creation = CreationRequest(body=request, creator_key=CREATOR, api_key=key)
    created = (await create(context, creation)).response
    stored = OwnedGame(created.game.id, created, context)
    for number in range(webhooks):
        body = RegisterWebhook(url=f"https://example.org/{number}")
        await register_webhook(context, Owner(stored.id, 10, created.owner_token), body)
    if status != "waiting":
        await play_to(stored, status)
    return stored


async def play_to(stored: OwnedGame, status: Status) -> None:
    """Play random moves until the game has a status, and store them in one commit."""
    table = await repository.load_game(stored.context, stored.id)
    game, chance, diffs = table.game, Random(stored.id), list[StoredDiff]()
    while game.status == "active" and (status == "finished" or len(diffs) < MOVES_OF_ACTIVE_GAME):
        diffs.append(_move(stored.context, game, chance))
    if status == "aborted":
        diffs.append(record_change(LAGOON.index, game, mark_aborted(game), stored.context.now()))
    assert await repository.commit(stored.context, table, diffs)


def _move(context: Context, game: Game, chance: Random) -> StoredDiff:
    seat, index = game.decider, LAGOON.index
    action, events = apply_action(index, game, chance.choice(legal_moves(index, game)))
    return record_change(index, game, events, context.now(), seat=seat, move=move_id(action), by="owner")


class WholeGame(NamedTuple):
    """Everything of a game that a transfer must preserve."""

    game: bytes
    digest: bytes
    version: int
    access: bytes
    log: list[StoredDiff]
    webhooks: list[Any]


async def load_whole_game(store: RedisStore, game: str) -> WholeGame:
    """Return everything of a stored game."""
    loaded = await load_record(store, game)
    log = await store.load_diffs(game, 0, 10_000)
    hooks = await store.webhooks.list_by_subject(game)
    assert build_view(LAGOON.index, decode_snapshot(loaded.snapshot)).version == loaded.revision.version
    return WholeGame(loaded.snapshot, loaded.revision.digest, loaded.revision.version, loaded.access_record, log, hooks)
