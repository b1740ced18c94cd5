"""A client resumes from a state in the stream, or from a snapshot."""

import pytest

from service.games.channel import build_snapshot
from service.games.ports import Revision, StoreUnavailable
from tests.games.realtime.subscribers import TILESETS, UnreliableStore
from tests.store.commits import action, digest, load_record


@pytest.mark.parametrize(
    ("since", "client_digest", "position"),
    (
        (None, None, None),
        (4, None, Revision(4, digest(4))),
        (4, digest(4), Revision(4, digest(4))),
        (4, digest(3), None),
        (5, None, None),
        (2, None, Revision(2, digest(2))),
        (2, digest(2), Revision(2, digest(2))),
        (2, digest(4), None),
        (0, None, Revision(0, digest(0))),
    ),
)
async def test_a_client_resumes_from_a_state_in_the_stream(
    store: UnreliableStore, since: int | None, client_digest: str | None, position: Revision | None
) -> None:
    await store.commit(action(1, count=3))
    loaded = await load_record(store, since=since)
    assert loaded.resume_from(client_digest) == position


async def test_an_unreadable_snapshot_raises_store_unavailable(store: UnreliableStore) -> None:
    loaded = await load_record(store)
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        build_snapshot(TILESETS, "g", loaded)
