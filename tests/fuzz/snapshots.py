"""Games: what is true of every one that can be played, and what becomes of one whose stored bytes were damaged."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import jsonpatch
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from schemas.diffs import Diff, canonical_body, next_digest
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
from service.engine.checksum import add_checksum
from service.games.change import Change
from service.games.diffs import record_change
from service.games.i18n import describe_move, get_translator
from service.store import keys
from tests.engine.random_games import archipelago_index, new_game
from tests.fuzz.figures import Effort, Figures, run_property
from tests.fuzz.frames import ConnectionEnded, RawSocket
from tests.fuzz.subject import Subject

CREATED_AT = "2026-11-21T21:00:00Z"

MOST_ID, MOST_TEXT = 24, 100

READS = (
    *("", "/scores", "/tiles", "/legal-moves", "/diffs", "/story", "/board.svg", "/board.txt", "/webhooks"),
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


def fuzz(subject: Subject, effort: Effort, figures: Figures) -> None:
    """All of it; raises what is found, in its smallest form."""
    run_property(_check_played_games(figures), effort)
    run_property(_check_damaged_games(subject, figures), effort._replace(examples=3 * effort.examples))


def _check_played_games(figures: Figures) -> Callable[[], None]:
    index = archipelago_index()

    @given(
        st.integers(0, 10_000), st.integers(2, 5), st.lists(st.integers(0, 10_000), max_size=60), st.integers(0, 2**30)
    )
    def check(start: int, players: int, choices: list[int], more: int) -> None:
        figures["snapshot games"] += 1
        game = new_game(index, start, players)
        chance = Random(more)
        for choice in [*choices, *(chance.randrange(10_000) for _ in range(chance.choice((0, 0, 500))))]:
            moves = legal_moves(index, game)
            if not moves:
                assert game.status == "finished"
                break
            figures["snapshot positions"] += 1
            step(index, game, moves, choice)

    return check


def step(index: TileSetIndex, game: Game, moves: list[Any], choice: int) -> None:
    """One legal move, and all that must be true of it."""
    names = [move_id(move) for move in moves]
    assert len({*names}) == len(names)
    assert all(len(name) <= MOST_ID and parse_move_id(name) == move for name, move in zip(names, moves, strict=True))
    chosen = moves[choice % len(moves)]
    for language in ("en", "fr", "de"):
        assert 0 < len(describe_move(get_translator(language), index, game, chosen).text) <= MOST_TEXT
    before, twin = msgspec.to_builtins(build_view(index, game)), copy_game(game)
    assert (
        decode_snapshot(add_checksum(encode_snapshot(game))) == decode_snapshot(encode_snapshot(game)) == game == twin
    )
    previous = game.digest
    finished, events = apply_action(index, game, chosen)
    assert twin != game
    diff = record_change(
        index, game, Change(events, CREATED_AT, seat=before["turn"]["decider"], move=move_id(finished), by="seat")
    )
    received = json.loads(diff.data)
    assert msgspec.json.decode(diff.data, type=Diff).version == game.version == before["version"] + 1
    assert jsonpatch.apply_patch(before, received["patch"]) == msgspec.to_builtins(build_view(index, game))
    assert received["digest"] == game.digest == next_digest(previous, canonical_body(received))
    again, _ = apply_action(index, twin, parse_move_id(move_id(finished)) or chosen)
    record_change(
        index, twin, Change(events, CREATED_AT, seat=before["turn"]["decider"], move=move_id(again), by="seat")
    )
    assert encode_snapshot(twin) == encode_snapshot(game)


def _check_damaged_games(subject: Subject, figures: Figures) -> Callable[[], None]:
    whole = _create(subject)

    @given(
        st.sampled_from(("snapshot", "access", "snapshot", "access", "both")),
        st.lists(st.tuples(st.integers(0, 100_000), st.binary(max_size=6), st.integers(0, 6)), min_size=1, max_size=3),
        st.booleans(),
    )
    def check(what: str, changes: list[tuple[int, bytes, int]], open_seat: bool) -> None:
        figures["snapshot damages"] += 1
        game = _create(subject, open_seat=open_seat)
        fields = ("snapshot", "access") if what == "both" else (what,)
        subject.call(_damage(subject, game["game"]["id"], fields, changes))
        figures["snapshot requests"] += send_all_requests(subject, game)
        for path in ("/v1/games", f"/v1/games/{whole['game']['id']}", "/v1/seats/me/games"):
            assert subject.request("GET", path, token=whole["owner_token"]).status == 200
        subject.check()

    return check


async def _damage(subject: Subject, game: str, fields: tuple[str, ...], changes: list[tuple[int, bytes, int]]) -> None:
    """Change the stored bytes behind the service's back."""
    redis = subject.redis
    for field in fields:
        data = await redis.hget(keys.game(game), field)
        assert isinstance(data, bytes)
        for place, new, cut in changes:
            at = place % (len(data) + 1)
            data = data[:at] + new + data[at + cut :]
        await redis.hset(keys.game(game), field, data)
    while subject.context.cache.pop(game) is not None:
        pass


def send_all_requests(subject: Subject, created: dict[str, Any]) -> int:
    """Ask for all that a game has; each answer is the documented one of a game or of a store that cannot tell it."""
    game, token = created["game"]["id"], created["owner_token"]
    path = f"/v1/games/{game}"
    requested: list[tuple[str, str, Any]] = [("GET", path + end, None) for end in READS]
    requested += [("POST", path + end, body) for end, body in CHANGES]
    requested.append(("DELETE", path, None))
    for method, where, body in requested:
        response = subject.request(method, where, body, token)
        if response.status >= 500:
            assert (response.status, response.json()["code"]) == (503, "store_unavailable"), (method, where, response)
    raw = RawSocket(subject.host, subject.port)
    try:
        assert raw.upgrade(f"{path}/ws", token).status == 101
        while raw.receive()["type"] != "snapshot":
            pass
    except ConnectionEnded as ended:
        assert ended.code in {1012, 4401, 4404}, ended
    finally:
        raw.close()
    return len(requested)


def _create(subject: Subject, *, open_seat: bool = False) -> dict[str, Any]:
    return subject.create_game([{"name": "Ana"}, {"open": True} if open_seat else {"name": "Bo"}])
