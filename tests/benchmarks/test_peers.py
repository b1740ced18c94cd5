"""The measurements of an engine, with a simple game: two players take up to three objects from a heap.

The figures of the peers: the ratio of South Seas to a peer in the same rounds, always so that more is better.

The peers are installed as they were measured: every version fixed, nothing of where they came from.
"""

import json
import random
import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pytest

from benchmarks.matches import Match, PlayedMatches
from benchmarks.peers import engines, services
from benchmarks.peers.engine_worker import STEPS, mid_game_steps, run_round
from benchmarks.peers.installed import NotInstalled, require
from benchmarks.peers.services import Contender, LoadResult, Measured
from benchmarks.processes import Server


class Nim:
    def new(self, seed: int) -> list[int]:
        return [40 + seed]

    def over(self, state: list[int]) -> bool:
        return state[0] == 0

    def legal(self, state: list[int]) -> Sequence[int]:
        return range(1, min(state[0], 3) + 1)

    listed = legal

    def apply(self, state: list[int], action: int) -> None:
        state[0] -= action

    def copy(self, state: list[int]) -> list[int]:
        return [*state]

    def encode(self, state: list[int]) -> bytes:
        return b"%d" % state[0]

    def decode(self, data: bytes) -> list[int]:
        return [int(data)]


def test_mid_game_steps_are_in_the_middle_of_whole_games() -> None:
    nim = Nim()
    steps = mid_game_steps(nim)
    assert all(state[0] - action > 0 and state[0] < 55 for state, action in steps)
    first = [state[0] for state, _ in steps[:STEPS]]
    assert first == sorted(first, reverse=True)
    assert mid_game_steps(nim) == steps


def test_a_round_has_every_measurement_and_changes_no_state() -> None:
    nim = Nim()
    steps = mid_game_steps(nim)
    result = run_round(nim, {"": steps, ".late": steps[-3:]}, 0.04)
    names = {"apply", "list", "copy", "encode", "decode", "bytes"}
    assert set(result) == {"games", "actions"} | names | {f"{name}.late" for name in names}
    assert all(result[name] > 0 for name in ("games", "actions", "bytes", "bytes.late"))
    assert all(isfinite(value) for value in result.values())  # a very short call may be measured as negative
    assert steps == mid_game_steps(nim)


def test_games_do_not_use_the_global_random_state() -> None:
    random.seed(1)
    before = random.getstate()
    mid_game_steps(Nim())
    assert random.getstate() == before


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


PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"
VERSION = re.compile(r"\d+\.\d+\.\d+")


def test_npm_packages_are_pinned_and_locked() -> None:
    requested = json.loads((PEERS / "node" / "package.json").read_bytes())
    locked = json.loads((PEERS / "node" / "package-lock.json").read_bytes())["packages"]
    for kind in ("dependencies", "optionalDependencies"):
        for name, version in requested[kind].items():
            assert VERSION.fullmatch(version)
            assert locked[f"node_modules/{name}"]["version"] == version
    assert not any("resolved" in package for package in locked.values())


@pytest.mark.parametrize("name", ("catanatron", "open_spiel"))
def test_python_packages_are_pinned_and_locked(name: str) -> None:
    [version] = re.findall(rf"^{name}==(\S+)$", (PEERS / "requirements.in").read_text(), re.MULTILINE)
    locked = (PEERS / "requirements.lock").read_text()
    assert re.search(rf"^{name.replace('_', '-')}=={re.escape(version)} \\\n    --hash=sha256:", locked, re.MULTILINE)
    assert "://" not in locked
