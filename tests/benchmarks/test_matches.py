"""Matches on the service by POST and by socket, and on a server that sends no updates."""

import pytest

from benchmarks import matches
from benchmarks.matches import Match, ServiceMatch, play, service_matches
from benchmarks.request_corpus import create
from benchmarks.sample_games import samples


@pytest.fixture
def port(service_url: str) -> int:
    return int(service_url.rpartition(":")[2])


@pytest.mark.parametrize("by_post", (True, False), ids=("post", "socket"))
async def test_every_move_reaches_the_other_player(port: int, by_post: bool) -> None:
    service = await service_matches(port, 2, 20, by_post=by_post)
    try:
        few = await play(service, 5.0, max_moves=3)
        fast = await play(service, 0.2)
        paced = await play(service, 0.4, per_second=20)
    finally:
        for match in service:
            match.close()
    assert len(few.seconds) == 6
    assert len(fast.seconds) >= 2
    assert 2 <= len(paced.seconds) <= 10
    assert all(second > 0 for second in [*fast.seconds, *paced.seconds])


async def test_a_rejected_move_ends_the_run(port: int) -> None:
    sample = samples()[0]._replace(moves=["p9.9.0"], seats=samples()[0].seats[:1])
    match = ServiceMatch(await create(port, [sample.seed]), [sample], by_post=True)
    await match.open(port)
    try:
        with pytest.raises(RuntimeError, match="illegal_move"):
            await play([match], 5.0)
    finally:
        match.close()


class SilentMatch(Match):
    def send(self) -> int:
        return 0


async def test_a_match_without_updates_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "GRACE_PERIOD_S", 0.05)
    with pytest.raises(RuntimeError, match="1 of 1 matches got no update"):
        await play([SilentMatch()], 0.05)


def test_an_update_counts_at_the_client_that_did_not_move() -> None:
    match = SilentMatch()
    assert not match.on_update(1), "before the first move"
    match.moves = 1
    assert not match.on_update(0), "the mover"
    assert match.on_update(1)
    match.moves, match.mover = 2, 1
    assert not match.on_update(1)
    assert match.on_update(0)
