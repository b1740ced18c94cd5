"""A stored game and its players, with a clock that only tests move.

`GameFixture.follow` builds GAME from the diffs alone, and compares it with the stored game.
"""

import asyncio
from collections.abc import Callable, Sequence
from time import time
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from schemas.base import encode_json
from schemas.commands import Act, ActionResult, IncludeQuery, SeatCommand
from schemas.lobby import Created, CreateGame, SeatRequest
from schemas.vocabulary import RequestedTimeoutPolicy
from service.engine import Game, TileSetIndex, build_view, decode_snapshot, legal_moves, move_id
from service.games.commands.create import CreationRequest, create
from service.games.commands.execute import CommandRequest
from service.games.commands.play import act, resign_seat, return_to_seat, undo
from service.games.due_work import DueWorker
from service.games.history import verify
from service.games.ports import GameStore
from service.games.repository import Context
from service.games.scheduler import advance_due_game
from service.json_patch import apply_patch
from service.telemetry.clock import unix_seconds
from tests.games.game_logs import CATALOGUE, LAGOON, check_patch_form
from tests.polling import TIMEOUT_S
from tests.store.commits import load_record

B = TypeVar("B")

TABLES: TileSetIndex = LAGOON.index
NAMES = ("Ana", "Bo", "Cy", "Di", "Eve")


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self, now: float | None = None) -> None:
        self.now = float(int(time())) if now is None else now
        """Unix seconds."""

    def __call__(self) -> float:
        return self.now


def make_context(store: GameStore, clock: Callable[[], float] | None = None, **options: Any) -> Context:
    """Return the context of one instance, by default with a clock of its own and with patience for bots."""
    defaults: dict[str, Any] = {"clock": clock or Clock(), "on_committed": lambda _change: None}
    return Context(store=store, tilesets=CATALOGUE, **(defaults | {"bot_budget_s": TIMEOUT_S} | options))


async def process_due(worker: DueWorker) -> int:
    """Process what is due now, once; return how many entries that were."""
    due = await worker.list_due()
    await asyncio.gather(*(worker._process_in_slot(entry) for entry in due))
    return len(due)


async def load_game(store: GameStore, game: str) -> Game:
    """Load a stored game."""
    return decode_snapshot((await load_record(store, game)).snapshot)


class GameFixture:
    """A game with its tokens and its clock."""

    def __init__(self, context: Context, created: Created) -> None:
        self.context = context
        self.created = created
        self.id = created.game.id
        self.owner = created.owner_token
        self.tokens = {one.seat: one.token for one in created.seats}
        self.view: dict[str, Any] = {}
        """GAME, built from the patches."""
        self.log: list[dict[str, Any]] = []

    @property
    def clock(self) -> Clock:
        """The clock of the context, which must be one that a test moves."""
        assert isinstance(self.context.clock, Clock)
        return self.context.clock

    async def game(self) -> Game:
        """Load the stored game."""
        return await load_game(self.context.store, self.id)

    async def moves(self) -> list[str]:
        """Return the ids of the legal moves."""
        return [move_id(action) for action in legal_moves(TABLES, await self.game())]

    def request(self, body: B, token: str | None = None, **more: Any) -> CommandRequest[B]:
        """Return a command, by default the owner's."""
        return CommandRequest(id=self.id, body=body, token=token or self.owner, **more)

    async def act(self, move: str | None = None, token: str | None = None, **more: Any) -> ActionResult[Raw]:
        """Act, by default with the first legal move."""
        body = Act(move=move or (await self.moves())[0])
        return (await act(self.context, self.request(body, token, **more))).response

    async def undo(self, seat: int | None = None, token: str | None = None, **more: Any) -> ActionResult[Raw]:
        """Undo the last action."""
        return (await undo(self.context, self.request(SeatCommand(seat=seat), token, **more))).response

    async def resign(self, seat: int | None = None, token: str | None = None, **more: Any) -> ActionResult[Raw]:
        """Resign."""
        return (await resign_seat(self.context, self.request(SeatCommand(seat=seat), token, **more))).response

    async def return_to_seat(self, seat: int | None = None, token: str | None = None, **more: Any) -> ActionResult[Raw]:
        """Take a seat back from a bot."""
        return (await return_to_seat(self.context, self.request(SeatCommand(seat=seat), token, **more))).response

    async def let_pass(self, seconds: float, bot_budget_s: float = TIMEOUT_S) -> None:
        """Move the clock, and process the game as due, with this budget for bots."""
        self.clock.now += seconds
        await advance_due_game(msgspec.structs.replace(self.context, bot_budget_s=bot_budget_s), self.id)

    async def finish_turn(self) -> None:
        """Do the first legal move until another turn begins."""
        number = (await self.game()).turn_number
        while (game := await self.game()).status == "active" and game.turn_number == number:
            await self.act()

    async def follow(self) -> list[dict[str, Any]]:
        """Return the diffs since the last call, and check that their patches give the stored game."""
        new = [
            msgspec.json.decode(diff.data) for diff in await self.context.store.load_diffs(self.id, len(self.log), 1000)
        ]
        for diff in new:
            check_patch_form(diff["patch"])
            self.view = apply_patch(self.view, diff["patch"])
            self.log.append(diff)
            assert self.view["version"] == diff["version"] == len(self.log)
            turn = self.view["turn"]
            assert turn is None or turn["deadline"] is None or turn["deadline"] >= diff["at"]
        assert self.view == msgspec.json.decode(encode_json(build_view(TABLES, await self.game())))
        return new

    async def verify(self) -> None:
        """Verify the game by its whole log."""
        await self.follow()
        game = await self.game()
        checks = verify(self.log, LAGOON.tileset)
        expected = True if game.status in ("finished", "aborted") else None
        assert [check.passed for check in checks] == [True, True, expected, expected, expected], checks


def human_seats(*names: str) -> list[SeatRequest]:
    """Return seats of people."""
    return [SeatRequest(name=name) for name in names]


def bot_seats(*names: str) -> list[SeatRequest]:
    """Return seats of bots."""
    return [SeatRequest(bot=name) for name in names]


async def create_game(
    context: Context, *seats: SeatRequest, include_moves: bool = False, client: bytes = b"", **options: Any
) -> GameFixture:
    """Create a game, seat 0 first; `options` are other members of the request."""
    requested = CreateGame(players=list(seats), first_seat=0, **options)
    query = IncludeQuery(include="legal_moves" if include_moves else None)
    created = await create(context, CreationRequest(body=requested, query=query, client=client))
    return GameFixture(context, created.response)


async def new_game(
    store: GameStore,
    people: int = 2,
    bots: Sequence[str] = (),
    *,
    timeout_s: int | None = None,
    policy: RequestedTimeoutPolicy | None = None,
    seed: str | None = "tides",
    bot_budget_s: float = TIMEOUT_S,
    ago_s: int = 0,
) -> GameFixture:
    """Create a game of people and bots, seat 0 first, `ago_s` seconds ago."""
    clock = Clock()
    clock.now -= ago_s
    context = make_context(store, clock, bot_budget_s=bot_budget_s)
    seats = [*human_seats(*NAMES[:people]), *bot_seats(*bots)]
    return await create_game(context, *seats, seed=seed, turn_timeout_s=timeout_s, on_timeout=policy)


def event_types(diff: dict[str, Any]) -> list[str]:
    """Return the types of a diff's events."""
    return [event["type"] for event in diff["events"]]


def seconds_left(game: Game, clock: Clock) -> int | None:
    """Return the decider's remaining time."""
    return None if game.deadline is None else unix_seconds(game.deadline) - int(clock.now)
