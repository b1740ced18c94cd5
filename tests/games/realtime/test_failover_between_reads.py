"""A failover just after the first read of a game: subscribers whom diffs bring up to date get no snapshot."""

from redis.asyncio import Redis

from schemas.vocabulary import COLORS
from service.engine import Player, encode_snapshot, take_seat
from service.games.diffs import record_change
from service.games.hub import Hub
from service.games.ports import Revision
from service.store import keys
from tests.engine.lockstep import start_game
from tests.games.game_logs import AT, LAGOON
from tests.games.realtime.subscribers import SnapshotSubscriber, UnreliableStore
from tests.store.commits import creation
from tests.store.test_topology import Failover, dump_game

GAME = "branched"


async def store_branch(store: UnreliableStore, redis: Redis, *names: str) -> tuple[list[Revision], dict[str, bytes]]:
    """Store a game that these players join; return its revisions, version 0 first, and what the server has of it."""
    index, open_seat = LAGOON.index, Player(name=None, color=None, kind="open")
    players = [Player(name="Ana", color=COLORS[0], kind="human"), *[open_seat] * 3]
    game, events = start_game(index, players, game_id=GAME)
    log = [record_change(index, game, events, AT)]
    for seat, name in enumerate(names, 1):
        log.append(record_change(index, game, take_seat(index, game, seat, name, COLORS[seat]), AT))
    await redis.delete(keys.game(GAME), keys.log(GAME))
    await store.commit(creation(GAME, snapshot=encode_snapshot(game), diffs=log))
    return [Revision(0, b""), *(Revision(diff.version, diff.digest) for diff in log)], await dump_game(redis, GAME)


async def test_who_subscribes_has_what_the_promoted_replica_has(hub: Hub, store: UnreliableStore, redis: Redis) -> None:
    """It subscribes where others follow what the former primary had."""
    kept, promoted = await store_branch(store, redis, "Bo")
    undone, _ = await store_branch(store, redis, "Cy", "Di")
    other, subscriber = SnapshotSubscriber(), SnapshotSubscriber()
    await hub.subscribe(other, GAME, undone[3])
    failover = Failover(store, redis, promoted)
    await hub.subscribe(subscriber, GAME, kept[2])
    assert failover.has_happened
    assert [one.view.version for one in other.snapshots] == [2]
    assert subscriber.snapshots == []
    assert hub.unsubscribe(subscriber, GAME) == kept[2]


async def test_a_channel_that_seemed_to_have_diverged_goes_on(hub: Hub, store: UnreliableStore, redis: Redis) -> None:
    kept, promoted = await store_branch(store, redis)
    subscriber = SnapshotSubscriber()
    await hub.subscribe(subscriber, GAME, kept[1])
    await store_branch(store, redis, "Cy")
    failover, channel = Failover(store, redis, promoted), hub._channels[GAME]
    channel.has_diverged = True
    hub._reader.request_read(channel)
    assert channel.reader is not None
    await channel.reader
    assert failover.has_happened
    assert (subscriber.snapshots, channel.position, channel.has_diverged) == ([], kept[1], False)
