"""The tournament of bots, matches on the service and on its peers, and the figures beside those of the peers."""

from argparse import Namespace
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pytest

from benchmarks import matches
from benchmarks.matches import Match, PlayedMatches, ServiceMatch, service_matches
from benchmarks.matches import play as play_match
from benchmarks.peers import engines, services
from benchmarks.peers.engine_worker import mid_game_steps, run_round
from benchmarks.peers.installed import NotInstalled, require
from benchmarks.peers.services import Contender, LoadResult, Measured
from benchmarks.processes import Server
from benchmarks.request_corpus import create
from benchmarks.sample_games import samples
from benchmarks.tournament import fixtures, main, play, read_results, wilson_interval
from schemas.actions import Action, Deliver, Pass
from service.games.bots.greedy import GreedyBot, choose_move
from service.games.bots.interface import GameState
from service.games.tilesets import SeededRNG


def options(**changed: object) -> Namespace:
    """Return the options of a small tournament."""
    small = {"bot": "greedy", "others": "random", "games": 4, "players": [3], "editions": ["german"], "seed": "s"}
    return Namespace(**(small | changed))


def test_every_deck_is_played_from_every_seat() -> None:
    requested = [*fixtures(options())]
    assert [(one.seed, one.seat) for one in requested] == [
        *(("s.3.0", 0), ("s.3.0", 1), ("s.3.0", 2)),
        *(("s.3.1", 0), ("s.3.1", 1), ("s.3.1", 2)),
    ]
    assert {one.edition for one in requested} == {"german"}


def test_the_interval_is_wilsons() -> None:
    low, high = wilson_interval(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    low, high = wilson_interval(0, 20)
    assert (round(low, 4), round(high, 4)) == (0.0, 0.1611)


def test_a_game_is_told_with_points_and_times() -> None:
    for fixture in fixtures(options(games=2, players=[2])):
        game = play(fixture)
        assert (game.fixture, game.share) == (fixture, 1.0)
        assert game.points > game.best_rival
        assert game.deliveries > game.passed
        assert all(ms >= 0 for ms in game.turns_ms)


def test_a_bot_that_hoards_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(_: GreedyBot, state: GameState, rng: SeededRNG) -> Action:
        chosen = choose_move(state, rng)
        return Pass() if isinstance(chosen, Deliver) else chosen

    monkeypatch.setattr(GreedyBot, "choose", choose)
    game = play(next(fixtures(options())))
    assert game.passed == game.deliveries > 0


def test_the_table_has_a_row_for_each_number_of_players_and_edition(capsys: pytest.CaptureFixture[str]) -> None:
    main(["greedy", "random", "--games", "2", "--players", "2", "3", "--editions", "international", "german"])
    printed = capsys.readouterr()
    assert "10 of 10 games" in printed.err
    rows = printed.out.splitlines()[2:]
    assert [row.split(" | ")[:4] for row in rows] == [
        ["| 2", "international", "2", "100.0%"],
        ["| 2", "german", "2", "100.0%"],
        ["| 3", "international", "3", "100.0%"],
        ["| 3", "german", "3", "100.0%"],
    ]
    assert rows[0].split(" | ")[4] == "34.2% to 100.0%"


def test_a_tournament_can_be_played_in_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.jsonl"
    arguments = ["random", "greedy", "--results", str(file), "--games"]
    main([*arguments, "2"])
    first = read_results(file)
    main([*arguments, "4"])
    assert "2 of 2 games" in capsys.readouterr().err
    assert (len(read_results(file)), read_results(file)[:2]) == (4, first)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    (
        (["greedy"], "required: others"),
        (["greedy", "clever"], "invalid choice"),
        (["greedy", "random", "--games", "0"], "at least 1"),
    ),
)
def test_a_wrong_line_is_explained(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert sentence in capsys.readouterr().err


@pytest.fixture
def port(service_url: str) -> int:
    return int(service_url.rpartition(":")[2])


@pytest.mark.parametrize("by_post", (True, False), ids=("post", "socket"))
async def test_every_move_reaches_the_other_player(port: int, by_post: bool) -> None:
    service = await service_matches(port, 2, 20, by_post=by_post)
    try:
        few = await play_match(service, 5.0, max_moves=3)
        fast = await play_match(service, 0.2)
        paced = await play_match(service, 0.4, per_second=20)
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
            await play_match([match], 5.0)
    finally:
        match.close()


class SilentMatch(Match):
    def send(self) -> int:
        return 0


async def test_a_match_without_updates_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "GRACE_PERIOD_S", 0.05)
    with pytest.raises(RuntimeError, match="1 of 1 matches got no update"):
        await play_match([SilentMatch()], 0.05)


def test_an_update_counts_at_the_client_that_did_not_move() -> None:
    match = SilentMatch()
    assert not match.on_update(1), "before the first move"
    match.moves = 1
    assert not match.on_update(0), "the mover"
    assert match.on_update(1)
    match.moves, match.mover = 2, 1
    assert not match.on_update(1)
    assert match.on_update(0)


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


def test_a_round_has_every_measurement_and_changes_no_state() -> None:
    nim = Nim()
    steps = mid_game_steps(nim)
    result = run_round(nim, {"": steps, ".late": steps[-3:]}, 0.04)
    names = {"apply", "list", "copy", "encode", "decode", "bytes"}
    assert set(result) == {"games", "actions"} | names | {f"{name}.late" for name in names}
    assert all(result[name] > 0 for name in ("games", "actions", "bytes", "bytes.late"))
    assert all(isfinite(value) for value in result.values())  # a very short call may be measured as negative
    assert steps == mid_game_steps(nim)


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
