"""What is made of the rounds: ours compared with the peer beside it, always so that more is better."""

from pathlib import Path

import pytest

from benchmarks.peers import engines, services
from benchmarks.peers.contenders import Contender
from benchmarks.peers.matches import Match, Played
from benchmarks.peers.programs import NotInstalled, needed
from benchmarks.peers.services import Loaded, Measured
from benchmarks.processes import Server


async def nobody(_: float) -> list[Match]:
    return []


def contender(key: str, of: str) -> Contender:
    return Contender(key, of, Server(0, 0), nobody)


def measured(per_second: float, seconds: float) -> Measured:
    return Measured(Loaded(Played(per_second, [seconds] * 4, 0.1), 200.0), Loaded(Played(1.0, [seconds], 0.1), 200.0))


def test_a_service_is_compared_with_boardgame_io_round_by_round() -> None:
    ours, theirs = contender("post", "South Seas by POST"), contender("boardgame", "boardgame.io 1.2.3")
    unpaced = contender("colyseus-50-ms", "Colyseus")
    made = services._figures(
        {
            ours: [measured(4_000.0, 0.002), measured(3_000.0, 0.004)],
            theirs: [measured(2_000.0, 0.004), measured(2_000.0, 0.004)],
            unpaced: [measured(600.0, 0.05)._replace(half=None)] * 2,
        }
    )
    figures = {figure.name: figure for figure in made}
    rate = figures["peers.service.post.rate"]
    assert rate.ratio is not None
    assert (rate.ratio.rounds, rate.reach_ratio, rate.ceiling_title) == ([2.0, 1.5], 2.0, "boardgame.io")
    half = figures["peers.service.post.half.p99"]
    assert half.ratio is not None
    assert (half.measured.rounds, half.ratio.rounds, half.better) == ([2.0, 4.0], [2.0, 1.0], "less")
    assert figures["peers.service.boardgame.rate"].ratio is None
    assert "peers.service.colyseus-50-ms.half.p99" not in figures


def test_an_engine_is_compared_with_catanatron() -> None:
    keys = ("games", "actions", "apply", "list", "copy", "encode", "decode", "bytes")
    ours = engines.Contender("pure", "pure", "", (), {})
    theirs = engines.Contender("catanatron", "catanatron", ": Catan", (), {})
    told = {ours: [dict.fromkeys(keys, 20.0)], theirs: [dict.fromkeys(keys, 10.0)]}
    figures = {figure.name: figure for figure in engines._figures(told, {"catanatron": "3.2.1"})}
    games, listing = figures["peers.engine.pure.games"], figures["peers.engine.pure.list"]
    assert games.ratio is not None
    assert listing.ratio is not None
    assert (games.ratio.median, listing.ratio.median) == (2.0, 0.5)
    assert figures["peers.engine.catanatron.copy"].of == "catanatron 3.2.1: Catan"


def test_what_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match=r"node_modules is missing: `make bench-peers`"):
        needed(tmp_path, tmp_path / "node_modules")
