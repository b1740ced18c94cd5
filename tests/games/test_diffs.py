"""Diffs give exactly the GAME of each version, and say whose time runs and who attends the game."""

import json
from random import Random
from typing import Any

import jsonpatch
import msgspec
import pytest

from schemas.actions import Action, Pass, TakeShip
from schemas.base import encode_json
from schemas.events import AnyEvent
from schemas.lobby import SeatRequest
from schemas.vocabulary import COLORS, Edition, RequestedTimeoutPolicy
from service.engine import (
    Game,
    Player,
    apply_action,
    build_view,
    legal_moves,
    mark_aborted,
    move_id,
    next_open_seat,
    take_seat,
)
from service.games.automatic_turns import apply_timeout
from service.games.bots import greedy
from service.games.bots.registry import run_bot
from service.games.commands.create import RematchRequest, rematch
from service.games.commands.execute import GameRequest
from service.games.commands.play import abort_game
from service.games.diffs import next_digest, record_change
from service.games.lifecycle import advance_version, hash_creator, is_attended, requester_of
from service.games.ports import GameStore, StoredDiff
from service.games.tilesets import DEFAULT_TILESET, load_catalogue
from tests.engine.lockstep import start_game
from tests.games.game_fixture import GameFixture, bot_seats, create_game, human_seats, load_game, make_context
from tests.games.game_logs import AT, check_patch_form
from tests.rules.rules_game import BLUE, BOARDS, GREEN, RED, Table
from tests.rules.test_r5_evaluation import one_market, two_markets, worth

TABLES = load_catalogue(None).get(DEFAULT_TILESET).index


class Follower:
    """A client that knows a game by its diffs alone, and compares it with GAME each time."""

    def __init__(self) -> None:
        self.game: Any = {}
        self.digest: str | None = None
        self.versions = 0

    def follow(self, game: Game, stored: StoredDiff) -> None:
        """Apply one diff."""
        diff = json.loads(stored.data)
        check_patch_form(diff["patch"])
        self.game = jsonpatch.apply_patch(self.game, diff["patch"])
        self.versions += 1
        assert diff["version"] == self.versions == game.version
        assert self.game == json.loads(encode_json(build_view(TABLES, game)))
        assert self.game["updated_at"] == diff["at"]
        self._follow_digest(game, diff)

    def _follow_digest(self, game: Game, diff: dict[str, Any]) -> None:
        """Compute the digests again from the diffs' bodies."""
        previous = bytes.fromhex(self.digest or self.game["deck"]["commitment"])
        self.digest = diff.pop("digest")
        body = json.dumps(diff, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        assert bytes.fromhex(self.digest) == next_digest(previous, body) == game.digest


def new_game(seed: str, edition: Edition, kinds: str) -> tuple[Game, list[AnyEvent]]:
    """Set up a game with a person (p), a bot (b) or nobody yet (o) in each seat."""
    players = [
        Player(name=None, color=None, kind="open")
        if kind == "o"
        else Player(name=f"Zoë {seat}", color=COLORS[seat], kind="human")
        if kind == "p"
        else Player(name="Greedy", color=COLORS[seat], kind="bot", bot="greedy")
        for seat, kind in enumerate(kinds)
    ]
    return start_game(TABLES, players, seed=seed, edition=edition)


def change(follower: Follower, game: Game, events: list[AnyEvent], **of_action: Any) -> None:
    """Make a diff of a change, and follow it."""
    at = f"2026-11-21T21:{game.version // 60 % 60:02}:{game.version % 60:02}Z"
    follower.follow(game, record_change(TABLES, game, events, at, **of_action))


def act(follower: Follower, game: Game, chance: Random) -> None:
    """One action of whoever decides: a bot's, or a person's by chance."""
    seat, is_bot = game.decider, game.players[game.decider].bot is not None
    legal = list(legal_moves(TABLES, game))
    chosen = run_bot(greedy.BOT, TABLES, game) if is_bot else chance.choice(legal)
    finished, events = apply_action(TABLES, game, chosen)
    change(follower, game, events, seat=seat, move=move_id(finished), by="bot" if is_bot else "seat")


@pytest.mark.parametrize("edition", ("international", "german"))
@pytest.mark.parametrize("kinds", ("pp", "pb", "bbbbb", "poo", "obop"))
@pytest.mark.parametrize("seed", ("tides", "reef"))
def test_the_patches_of_a_whole_game(seed: str, kinds: str, edition: Edition) -> None:
    chance, follower = Random(f"{seed} {kinds} {edition}"), Follower()
    game, events = new_game(seed, edition, kinds)
    change(follower, game, events)
    while (seat := next_open_seat(game)) is not None:
        change(follower, game, take_seat(TABLES, game, seat, f"Late {seat}", COLORS[seat]))
    while game.status == "active":
        act(follower, game, chance)
    assert follower.game["result"]["scores"]
    assert follower.game["deck"]["seed"] == seed


def test_the_patch_of_a_turn_that_discards_the_rest_of_the_bag() -> None:
    """R3.5: the last tile fits nowhere."""
    table = Table(BOARDS["last tile fits nowhere"], spares=0)
    record_change(table.index, table.game, table.beginning, table.game.created_at)
    before = msgspec.to_builtins(table.view())
    diff = json.loads(record_change(table.index, table.game, table.lay(RED), table.game.created_at).data)
    after = msgspec.to_builtins(table.view())
    assert (before["bag"], after["bag"], after["discarded"]) == (1, 0, ["tile-2"])
    assert jsonpatch.apply_patch(before, diff["patch"]) == after


@pytest.mark.parametrize("actions", (0, 1, 20))
def test_the_patch_of_an_abort(actions: int) -> None:
    chance, follower = Random(actions), Follower()
    game, events = new_game("tides", "international", "pp")
    change(follower, game, events)
    for _ in range(actions):
        act(follower, game, chance)
    change(follower, game, mark_aborted(game))
    assert (follower.game["status"], follower.game["turn"], follower.game["result"]) == ("aborted", None, None)


SOON = "2026-11-21T21:00:30Z"
LATE = "2026-11-21T21:02:00Z"


def step(table: Table, action: Action, at: str = AT) -> tuple[int, int]:
    """Act, and count it as a seat's own; gives who decides then, and how much they may take back."""
    seat = table.game.decider
    finished, events = apply_action(table.index, table.game, action)
    advance_version(table.game, events, at, seat=seat, move=move_id(finished), by="seat")
    return table.game.decider, table.game.undoable


def test_a_choice_of_ships_in_anothers_turn_can_be_undone_alone() -> None:
    """R5.10: Red is owed two ships in Green's turn, and without a pile nothing is turned up."""
    table, _ = two_markets(worth(6, 6, 6, 6), players=3)
    table.give(GREEN, bananas=20)
    assert (table.game.seat, table.game.decider, table.game.undoable) == (GREEN, RED, 0)
    assert step(table, TakeShip("s0-6")) == (RED, 1)
    assert step(table, TakeShip("s1-6")) == (GREEN, 0)
    assert table.phase() == "deliver"


@pytest.mark.parametrize(("points", "undoable"), (((6, 6, 2), 1), ((6, 6, 2, 2, 2), 0)))
def test_a_ship_of_ones_own_market_is_undone_unless_another_is_revealed(points: tuple[int, ...], undoable: int) -> None:
    """R5.10, and R6.4 with a pile."""
    table, _ = one_market(worth(*points), players=2)
    table.give(RED, bananas=20)
    assert step(table, TakeShip("s0-6")) == (RED, undoable)


def timed(table: Table, policy: RequestedTimeoutPolicy = "pass") -> Table:
    """Return the board's game with a minute for each decision, the first of which began at AT."""
    table.game.turn_timeout_s, table.game.on_timeout = 60, policy
    table.game.deadline = "2026-11-21T21:01:00Z"
    table.game.version = 1
    return table


def test_a_choice_in_the_turn_of_another_is_no_second_absence() -> None:
    """R5.10: Red misses two decisions before Blue misses a first one."""
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    deciders: list[int] = []
    while not table.game.paused:
        deciders.append(table.game.decider)
        assert [*apply_timeout(table.index, table.game, LATE)]
    assert deciders == [RED, GREEN, RED, BLUE]


def test_a_player_who_acts_ends_a_row_of_time_outs() -> None:
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    assert len([*apply_timeout(table.index, table.game, LATE)]) == 2
    advance_version(table.game, [], LATE, by="bot")
    assert table.game.absent == 1 << RED
    advance_version(table.game, [], LATE, by="seat")
    assert table.game.absent == 0


def test_a_decision_in_anothers_turn_has_its_own_deadline() -> None:
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    step(table, TakeShip("s0-6"), SOON)
    assert (table.game.decider, table.game.deadline) == (RED, "2026-11-21T21:01:00Z")
    step(table, TakeShip("s1-6"), SOON)
    assert (table.game.decider, table.game.deadline) == (GREEN, "2026-11-21T21:01:30Z")


def test_a_time_out_ends_at_the_next_decider() -> None:
    table = timed(two_markets(worth(6, 6, 6, 6), players=3)[0])
    table.give(GREEN, bananas=20)
    versions = [diff.version for diff in apply_timeout(table.index, table.game, LATE)]
    assert (versions, table.ships(RED)) == ([2, 3], ["s0-6", "s1-6"])
    assert (table.game.decider, table.game.phase, table.game.deadline) == (GREEN, "deliver", "2026-11-21T21:03:00Z")
    assert len([*apply_timeout(table.index, table.game, LATE)]) == 1
    assert (table.game.seat, table.ships(GREEN)) == (RED, [])


def test_who_resigns_at_the_deadline_leaves_the_choice_to_the_next() -> None:
    table = timed(one_market(worth(6, 6, 6, 6), players=3)[0], "resign")
    table.give(GREEN, bananas=20)
    assert (table.game.decider, table.game.seat) == (RED, GREEN)
    assert len([*apply_timeout(table.index, table.game, LATE)]) == 1
    assert (table.game.decider, table.game.phase, table.game.deadline) == (GREEN, "deliver", "2026-11-21T21:03:00Z")


@pytest.mark.parametrize("at", (SOON, LATE))
def test_a_deadline_is_never_before_its_version(at: str) -> None:
    table = timed(one_market(worth(6, 6, 2), players=2)[0])
    table.give(RED, bananas=20)
    assert step(table, TakeShip("s0-6"), at) == (RED, int(at == SOON))
    assert table.game.deadline == max("2026-11-21T21:01:00Z", at)
    step(table, Pass(), at)
    assert table.game.deadline == {SOON: "2026-11-21T21:01:30Z", LATE: "2026-11-21T21:03:00Z"}[at]


ANA = hash_creator("192.0.2.1")
TIMEOUT_S = 60


async def seated(store: GameStore, *seats: SeatRequest, policy: RequestedTimeoutPolicy | None = None) -> GameFixture:
    """Return a game created from Ana's address."""
    context, timeout_s = make_context(store, bot_budget_s=0.0), None if policy is None else TIMEOUT_S
    return await create_game(context, *seats, client=ANA, seed="tides", turn_timeout_s=timeout_s, on_timeout=policy)


async def test_a_game_of_bots_is_unattended(store: GameStore) -> None:
    game = await (await seated(store, *bot_seats("random", "random"))).game()
    assert requester_of(game) == (ANA, False)


async def test_a_game_is_attended_until_all_people_time_out(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana", "Bo"), *bot_seats("random"), policy="pass")
    assert requester_of(await table.game()) == (ANA, True)
    passed = []
    for _ in range(2):
        await table.let_pass(TIMEOUT_S + 1)
        passed.append(is_attended(await table.game()))
    assert passed == [True, False]
    while (await table.game()).decider == 2:
        await table.let_pass(0)
    assert not is_attended(await table.game())
    await table.act()
    assert is_attended(await table.game())


@pytest.mark.parametrize("policy", ("bot", "resign"))
async def test_players_who_left_do_not_attend(store: GameStore, policy: RequestedTimeoutPolicy) -> None:
    table = await seated(store, *human_seats("Ana", "Bo", "Cy"), policy=policy)
    for _ in range(2):
        assert is_attended(await table.game())
        await table.let_pass(TIMEOUT_S + 1)
    game = await table.game()
    assert sum(player.bot is not None or player.resigned for player in game.players) == 2
    assert is_attended(game)


async def test_bots_play_on_unattended_after_the_only_person_resigned(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana"), *bot_seats("random", "random"))
    await table.resign(seat=0)
    assert requester_of(await table.game()) == (ANA, False)
    await table.let_pass(1)
    assert (await table.game()).status == "finished"


async def test_the_creator_is_deleted_when_the_game_ends(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana", "Bo"))
    assert (await table.game()).creator == ANA
    await abort_game(table.context, GameRequest(id=table.id, token=table.owner))
    assert (await table.game()).creator == b""
    again = await rematch(table.context, RematchRequest(id=table.id, token=table.owner, client=ANA))
    assert (await load_game(store, again.response.game.id)).creator == ANA


async def test_a_move_is_undone_although_the_log_has_no_creator(store: GameStore) -> None:
    table = await seated(store, *human_seats("Ana", "Bo"))
    move = next(move for move in await table.moves() if move.startswith("p"))
    await table.act(move)
    assert (await table.game()).undoable == 1
    await table.undo()
    assert (await table.game()).creator == ANA


def test_a_creator_hash_stands_for_hundreds_of_addresses() -> None:
    assert 2 ** (8 * len(ANA)) * 200 < 2**32
    assert hash_creator("192.0.2.2") != ANA
