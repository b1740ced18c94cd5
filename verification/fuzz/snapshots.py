"""Fuzzes games: invariants of every legal move, and responses for games whose stored bytes are corrupted."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import jsonpatch
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from schemas.diffs import Diff
from service.engine import (
    Game,
    TileSetIndex,
    apply_action,
    build_view,
    copy_game,
    decode_snapshot,
    encode_snapshot,
    legal_moves,
    move_id,
    parse_move_id,
)
from service.engine.game import CHECKSUM_BYTES
from service.games.diffs import canonical_body, next_digest, record_change
from service.i18n import describe_move, get_translator
from service.store import keys
from service.web.app import CONTEXT
from tests.engine.lockstep import lagoon_index, new_game
from tests.snapshots import seal
from verification.fuzz.frames import ConnectionEnded, RawSocket
from verification.fuzz.harness import Budget, Counts, run_property
from verification.fuzz.target import Target

CREATED_AT = "2026-11-21T21:00:00Z"

MAX_ID_LENGTH, MAX_TEXT_LENGTH = 24, 100

READS = (
    *(
        "",
        "/scores",
        "/features",
        "/tiles",
        "/legal-moves",
        "/diffs",
        "/story",
        "/board.svg",
        "/board.txt",
        "/webhooks",
    ),
    *("/legal-moves?stage=cell", "/diffs?since=1&limit=1", "/board.svg?v=1", "/webhooks/nothing"),
)

CHANGES: tuple[tuple[str, Any], ...] = (
    ("/actions", {"move": "pass.islander"}),
    ("/undo", {}),
    ("/resign", {"seat": 1}),
    ("/return", {}),
    ("/seats", {"name": "Zoë"}),
    ("/rematch", {}),
    ("/webhooks", {"url": "https://bot.example/hook"}),
)


def fuzz(target: Target, budget: Budget, counts: Counts) -> None:
    """Run both properties. Raise the failure of the smallest counterexample."""
    run_property(_check_moves(counts), budget)
    run_property(_check_corrupted_games(target, counts), budget._replace(examples=3 * budget.examples))


def _check_moves(counts: Counts) -> Callable[[], None]:
    index = lagoon_index()

    @given(
        st.integers(0, 10_000), st.integers(2, 5), st.lists(st.integers(0, 10_000), max_size=60), st.integers(0, 2**30)
    )
    def check(game_seed: int, players: int, choices: list[int], move_seed: int) -> None:
        counts["snapshot games"] += 1
        game = new_game(index, game_seed, players)
        rng = Random(move_seed)
        for choice in [*choices, *(rng.randrange(10_000) for _ in range(rng.choice((0, 0, 500))))]:
            moves = legal_moves(index, game)
            if not moves:
                assert game.status == "finished"
                break
            counts["snapshot moves"] += 1
            play_move(index, game, moves, choice)

    return check


def play_move(index: TileSetIndex, game: Game, moves: list[Any], choice: int) -> None:
    """Play a legal move, and check all invariants."""
    ids = [move_id(move) for move in moves]
    assert len({*ids}) == len(ids)
    assert all(len(one) <= MAX_ID_LENGTH and parse_move_id(one) == move for one, move in zip(ids, moves, strict=True))
    chosen = moves[choice % len(moves)]
    for language in ("en", "fr", "de"):
        assert 0 < len(describe_move(get_translator(language), index, game, chosen).text) <= MAX_TEXT_LENGTH
    before, twin = msgspec.to_builtins(build_view(index, game)), copy_game(game)
    assert decode_snapshot(encode_snapshot(game)) == game == twin
    previous = game.digest
    applied, events = apply_action(index, game, chosen)
    assert twin != game
    diff = record_change(
        index, game, events, CREATED_AT, seat=before["turn"]["decider"], move=move_id(applied), by="seat"
    )
    encoded = json.loads(diff.data)
    assert msgspec.json.decode(diff.data, type=Diff).version == game.version == before["version"] + 1
    assert jsonpatch.apply_patch(before, encoded["patch"]) == msgspec.to_builtins(build_view(index, game))
    assert bytes.fromhex(encoded["digest"]) == game.digest == next_digest(previous, canonical_body(encoded))
    repeated, _ = apply_action(index, twin, parse_move_id(move_id(applied)) or chosen)
    record_change(index, twin, events, CREATED_AT, seat=before["turn"]["decider"], move=move_id(repeated), by="seat")
    assert encode_snapshot(twin) == encode_snapshot(game)


def _check_corrupted_games(target: Target, counts: Counts) -> Callable[[], None]:
    intact = _create(target)

    @given(
        st.sampled_from(("snapshot", "access", "snapshot", "access", "both")),
        st.lists(st.tuples(st.integers(0, 100_000), st.binary(max_size=6), st.integers(0, 6)), min_size=1, max_size=3),
        st.booleans(),
    )
    def check(field: str, changes: list[tuple[int, bytes, int]], open_seat: bool) -> None:
        counts["snapshot corruptions"] += 1
        game = _create(target, open_seat=open_seat)
        fields = ("snapshot", "access") if field == "both" else (field,)
        target.call(_corrupt(target, game["game"]["id"], fields, changes))
        counts["snapshot requests"] += send_all_requests(target, game)
        for path in ("/v1/games", f"/v1/games/{intact['game']['id']}", "/v1/seats/me/games"):
            assert target.request("GET", path, token=intact["owner_token"]).status == 200
        target.check()

    return check


async def _corrupt(target: Target, game: str, fields: tuple[str, ...], changes: list[tuple[int, bytes, int]]) -> None:
    """Change the stored bytes, directly in Redis, and seal a snapshot again; empty the cache."""
    redis = target.redis
    for field in fields:
        stored = await redis.hget(keys.game(game), field)
        assert isinstance(stored, bytes)
        data = stored[:-CHECKSUM_BYTES] if field == "snapshot" else stored
        for position, new, cut in changes:
            start = position % (len(data) + 1)
            data = data[:start] + new + data[start + cut :]
        await redis.hset(keys.game(game), field, seal(data) if field == "snapshot" else data)
    while target.app[CONTEXT].cache.pop(game) is not None:
        pass


def send_all_requests(target: Target, created: dict[str, Any]) -> int:
    """Send each request of a game, check that none fails except by `store_unavailable`, and return their number."""
    game, token = created["game"]["id"], created["owner_token"]
    path = f"/v1/games/{game}"
    requests: list[tuple[str, str, Any]] = [("GET", path + suffix, None) for suffix in READS]
    requests += [("POST", path + suffix, body) for suffix, body in CHANGES]
    requests.append(("DELETE", path, None))
    for method, url, body in requests:
        response = target.request(method, url, body, token)
        if response.status >= 500:
            assert (response.status, response.json()["code"]) == (503, "store_unavailable"), (method, url, response)
    raw = RawSocket(target.host, target.port)
    try:
        assert raw.upgrade(f"{path}/ws", token).status == 101
        while raw.receive()["type"] != "snapshot":
            pass
    except ConnectionEnded as ended:
        assert ended.code in {1001, 4401, 4404}, ended
    finally:
        raw.close()
    return len(requests)


def _create(target: Target, *, open_seat: bool = False) -> dict[str, Any]:
    return target.create_game([{"name": "Ana"}, {"open": True} if open_seat else {"name": "Bo"}])
