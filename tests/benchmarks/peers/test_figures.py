"""The figures of the peers: the ratio of South Seas to a peer in the same rounds, always so that more is better."""

from pathlib import Path

import pytest

from benchmarks.matches import Match, PlayedMatches
from benchmarks.peers import engines, services
from benchmarks.peers.installed import NotInstalled, require
from benchmarks.peers.services import Contender, LoadResult, Measured
from benchmarks.processes import Server


async def open_no_matches() -> list[Match]:
    return []


def contender(key: str, of: str) -> Contender:
    return Contender(key, of, Server(0, 0), open_no_matches)


def measured(per_second: float, seconds: float) -> Measured:
    return Measured(
        LoadResult(PlayedMatches(per_second, [seconds] * 4, 0.1), 200.0),
        LoadResult(PlayedMatches(1.0, [seconds], 0.1), 200.0),
    )


def test_a_service_is_compared_with_the_peer_of_the_same_promise_round_by_round() -> None:
    rounds = {
        "post": [measured(4_000.0, 0.002), measured(3_000.0, 0.004)],
        "boardgame-durable": [measured(2_000.0, 0.004), measured(2_000.0, 0.004)],
        "colyseus-50-ms": [measured(600.0, 0.05)._replace(half=None)] * 2,
    }
    results = {key: (contender(key, f"{key}'s name"), measured) for key, measured in rounds.items()}
    figures = {figure.name: figure for figure in services.figures(results)}
    rate = figures["peers.service.post.rate"]
    assert (rate.ratio, rate.target, rate.of) == (1.75, "1 times", "post's name")
    assert rate.ceiling_title == "boardgame-durable's name"
    half = figures["peers.service.post.half.p99"]
    assert (half.rounds, half.ceiling, half.ratio, half.better) == ([2.0, 4.0], [4.0, 4.0], 1.5, "less")
    assert figures["peers.service.boardgame-durable.rate"].ratio is None
    assert "peers.service.colyseus-50-ms.half.p99" not in figures


def test_an_engine_is_compared_with_catanatron() -> None:
    keys = ("games", "actions", "apply", "list", "copy", "encode", "decode", "bytes")
    rounds = {
        "pure": (engines.Contender("pure", engines.SOUTH_SEAS, ", pure", (), {}), [dict.fromkeys(keys, 20.0)]),
        "catanatron": (engines.Contender("catanatron", "catanatron", ": Catan", (), {}), [dict.fromkeys(keys, 10.0)]),
    }
    figures = {figure.name: figure for figure in engines.figures(rounds, {"catanatron": "3.2.1"})}
    assert figures["peers.engine.pure.games"].ratio == 2.0
    assert figures["peers.engine.pure.list"].ratio == 0.5
    assert figures["peers.engine.pure.copy"].of == "South Seas, pure"
    assert figures["peers.engine.catanatron.copy"].of == "catanatron 3.2.1: Catan"


def test_what_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match=r"node_modules is missing: `make bench-peers`"):
        require(tmp_path, tmp_path / "node_modules")
