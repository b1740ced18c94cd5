"""Games to keep: made as anybody makes them, and played to where a test wants them in one commit."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from schemas.lobby import Created, CreateGame, SeatRequest
from schemas.vocabulary import Status, Visibility
from schemas.webhooks import RegisterWebhook
from service.engine import Game, apply_action, build_view, decode_snapshot, legal_moves, mark_aborted, move_id
from service.games import repository
from service.games.bot_turns import next_due_at
from service.games.commands.create import create
from service.games.context import Context, Retention
from service.games.diffs import record_change
from service.games.ports import StoredDiff
from service.games.webhooks.registration import WebhookRequest, register_webhook
from service.store.game_store import RedisStore
from tests.games.logs import ARCHIPELAGO, CATALOGUE
from tests.games.seated import Clock

CREATOR = "a chat bot's own key, which is long"
USER = "user-4711"
SOME = 12
"""Moves of a game that is left in the middle."""


class Kept(NamedTuple):
    """A game in a store, and who may do what there."""

    id: str
    created: Created
    context: Context


def context_on(store: RedisStore, clock: Clock | None = None, retention: Retention = Retention()) -> Context:  # noqa: B008
    """The means of one instance."""

    def committed(game: str, diffs: Sequence[StoredDiff]) -> None:
        del game, diffs

    return Context(store=store, tilesets=CATALOGUE, clock=clock or Clock(), on_committed=committed, retention=retention)


async def kept_game(
    store: RedisStore,
    status: Status = "active",
    *,
    context: Context | None = None,
    visibility: Visibility = "public",
    seed: str | None = None,
    hooks: int = 0,
    **asked: Any,
) -> Kept:
    """A game of two people that has come so far."""
    context = context or context_on(store)
    seats = [
        SeatRequest(name="Ana", external_user=USER),
        SeatRequest(open=True) if status == "waiting" else SeatRequest(name="Bo"),
    ]
    wanted = CreateGame(players=seats, visibility=visibility, seed=seed, **asked)
    created = (await create(context, wanted, key=None, include_moves=False, creator=CREATOR)).response
    kept = Kept(created.game.id, created, context)
    for number in range(hooks):
        url = RegisterWebhook(url=f"https://example.org/{number}")
        await register_webhook(context, kept.id, WebhookRequest(url, created.owner_token, None, 10))
    if status != "waiting":
        await play(kept, status)
    return kept


async def play(kept: Kept, status: Status) -> None:
    """Play on, any way at all, and store it in one commit."""
    loaded, access = await repository.load_game(kept.context, kept.id)
    table = repository.open_session(kept.context, loaded, access)
    game, chance, diffs = table.game, Random(kept.id), list[StoredDiff]()
    while game.status == "active" and (status == "finished" or len(diffs) < SOME):
        diffs.append(_move(kept.context, game, chance))
    if status == "aborted":
        diffs.append(record_change(ARCHIPELAGO.index, game, mark_aborted(game), at=kept.context.now()))
    assert await repository.commit(kept.context, table, diffs, due_at=next_due_at(kept.context, game))


def _move(context: Context, game: Game, chance: Random) -> StoredDiff:
    seat, index = game.decider, ARCHIPELAGO.index
    action, events = apply_action(index, game, chance.choice(legal_moves(index, game)))
    return record_change(index, game, events, at=context.now(), seat=seat, move=move_id(action), by="owner")


class Whole(NamedTuple):
    """All that must be the same after a game was moved."""

    game: bytes
    digest: str
    version: int
    access: bytes
    log: list[StoredDiff]
    hooks: list[Any]


async def whole(store: RedisStore, game: str) -> Whole:
    """A game as it is stored."""
    loaded = await store.load(game)
    assert loaded is not None
    log = [diff._replace(meta=b"") for diff in await store.load_diffs(game, 0, 10_000)]  # which tells of a commit here
    hooks = await store.webhooks.list_by_game(game)
    assert build_view(ARCHIPELAGO.index, decode_snapshot(loaded.snapshot)).version == loaded.version
    return Whole(loaded.snapshot, loaded.digest, loaded.version, loaded.access, log, hooks)
