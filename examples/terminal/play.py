"""Playing: keys and the game's messages change the table, moves go to the service."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

from examples.terminal.client import TRIES, Client, Refused, Unreachable
from examples.terminal.following import Change, Connected, Follower, Lost, Message, Position, Whole
from examples.terminal.memory import Seats
from examples.terminal.replica import OutOfStep, Replica
from examples.terminal.sentences import Teller
from examples.terminal.table import Page, Table
from schemas.problems import Problem

TOLD_AT_FIRST = 12
"""How many changes of the past are told to whoever comes back."""

PANS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
PAGE_ROWS = 10
LONGEST_LINE = 60


class Play:
    """One terminal's part in a game; `changed` is set whenever there is something new to show."""

    def __init__(self, client: Client, follower: Follower, table: Table) -> None:
        self.client = client
        self.follower = follower
        self.table = table
        self.changed = asyncio.Event()
        self.done = False
        self.failure: Refused | None = None
        """Why the service does not let this terminal follow the game any longer."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._fetching = False

    def on_key(self, key: str) -> None:
        """A key was pressed."""
        table = self.table
        table.note = ""
        if key == "end":
            self.done = True
        elif key == "enter":
            self._enter()
        elif key == "escape":
            table.typed = ""
            table.open_page(None)
        elif key == "backspace":
            table.typed = table.typed[:-1]
        elif key == "clear":
            table.typed = ""
        elif len(key) == 1:
            table.typed = (table.typed + key)[:LONGEST_LINE]
        else:
            self._look(key)
        self.changed.set()

    def on_message(self, message: Message) -> None:
        """Something came from the service."""
        match message:
            case Connected():
                self.table.online = True
            case Lost():
                self.table.online = False
            case Whole(game, digest):
                self.table.take_whole(Replica(game, digest))
            case Change(diff):
                self._take_diff(diff)
        self._went_on()

    async def settle(self) -> None:
        """Wait until all that was begun is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def leave(self) -> None:
        """Give up all that was begun."""
        for task in self._tasks:
            task.cancel()
        await self.settle()

    async def follow(self, messages: AsyncIterator[Message]) -> None:
        """Take messages until the service wants this terminal no more."""
        try:
            async for message in messages:
                self.on_message(message)
        except Refused as refusal:
            self.failure = refusal
            self.done = True
            self.changed.set()

    async def tell_past(self) -> None:
        """Tell what happened just before this terminal came."""
        table = self.table
        since = max(0, table.replica.version - TOLD_AT_FIRST)
        past = await self.client.diffs(table.game.id, table.seats.reader, since)
        teller = Teller(table.game, table.tiles, table.ships)
        for diff in past.diffs:
            if diff["version"] <= table.replica.version:
                table.told += teller.tell(diff["events"])

    def _take_diff(self, diff: dict[str, Any]) -> None:
        try:
            self.table.take_diff(diff)
        except OutOfStep:
            self._start(self.follower.resync())

    def _went_on(self) -> None:
        """The copy may have changed: remember how far it is, and ask for the moves of whoever decides here."""
        replica = self.table.replica
        self.follower.at = Position(replica.version, replica.digest)
        if not self.table.sending:
            self._start(self._fetch_moves())
        self.changed.set()

    def _enter(self) -> None:
        typed = self.table.typed.strip().casefold()
        commands: dict[str, Callable[[], None]] = {
            "?": lambda: self.table.open_page(Page.HELP),
            "s": lambda: self._start(self._show_scores(Page.SCORES)),
            "i": lambda: self._start(self._show_scores(Page.ISLANDERS)),
            "t": lambda: self._start(self._show_tiles()),
            "z": self.table.zoom,
            "q": lambda: setattr(self, "done", True),
        }
        if typed in commands:
            self.table.typed = ""
            commands[typed]()
        elif typed:
            self._choose()
        elif self.table.page is not None:
            self.table.open_page(None)
        else:
            self._start(self._fetch_moves())

    def _choose(self) -> None:
        choice = self.table.meaning.chosen
        if choice is None:
            several = "That is not one move yet: type its key, or more of its text."
            self.table.note = several if self.table.meaning.matching else "There is no such move; Esc empties the line."
        elif not self.table.sending:
            self._start(self._act(choice.move.id))

    def _look(self, key: str) -> None:
        table = self.table
        if key == "home":
            table.view = table.view._replace(across=0, down=0)
        elif table.page is not None and key in ("up", "down", "pageup", "pagedown"):
            rows = 1 if key in ("up", "down") else PAGE_ROWS
            table.scroll += -rows if key in ("up", "pageup") else rows
        elif key in PANS:
            table.pan(*PANS[key])

    async def _act(self, move: str) -> None:
        table = self.table
        game, token = table.game.id, table.token
        if token is None:
            return
        expected = f"{table.replica.version}-{table.replica.digest}"
        table.acted()
        self.changed.set()
        try:
            acted = await self.client.act(game, token, move, expected)
        finally:
            table.sending = False
        # Bots may go on in later versions, which only the socket has in order: what does not follow is left to it.
        for diff in acted.diffs:
            if diff["version"] == table.replica.version + 1:
                self._take_diff(diff)
        if acted.legal_moves is not None:
            table.take_moves(acted.legal_moves)
        self._went_on()

    async def _fetch_moves(self) -> None:
        """Ask for the moves, again where the game went on meanwhile; if it did so only there, its diffs are coming."""
        table = self.table
        if self._fetching:
            return
        self._fetching = True
        try:
            while table.needs_moves():
                legal = await self.client.legal_moves(table.game.id, table.seats.reader)
                table.take_moves(legal)
                if legal.version >= table.game.version:
                    break
        finally:
            self._fetching = False

    async def _show_scores(self, page: Page) -> None:
        self.table.scores = await self.client.scores(self.table.game.id, self.table.seats.reader)
        self.table.open_page(page)

    async def _show_tiles(self) -> None:
        self.table.left = await self.client.tiles(self.table.game.id, self.table.seats.reader)
        self.table.open_page(Page.TILES)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._kindly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _kindly(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Refused as refusal:
            self.table.note = in_words(refusal.problem)
        except Unreachable as failure:
            self.table.note = f"{failure.url} does not answer ({failure.reason}). Enter tries again."
        finally:
            self.changed.set()


def in_words(problem: Problem) -> str:
    """A problem for people."""
    if problem.code == "version_mismatch":
        return "Meanwhile the game went on: look again."
    rule = f" (rule {problem.rule})" if problem.rule else ""
    return f"{problem.title}: {problem.detail}{rule}"


@asynccontextmanager
async def sit_down(client: Client, seats: Seats) -> AsyncIterator[Play]:
    """Take part in a game, or watch it: gives the play when the whole game has come. Raises Refused, Unreachable."""
    follower = Follower(client.http, client.url, seats.game, seats.reader)
    async with aclosing(follower.messages()) as messages:
        first = await _whole_game(client.url, messages)
        replica = Replica(first.game, first.digest)
        table = Table(seats, await client.tileset(replica.view.tileset), replica)
        play = Play(client, follower, table)
        await play.tell_past()
        play.on_message(first)
        following = asyncio.create_task(play.follow(messages))
        try:
            yield play
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
            await play.leave()


async def _whole_game(url: str, messages: AsyncIterator[Message]) -> Whole:
    """The first snapshot; raises Unreachable where no connection lasts until it comes."""
    lost: list[str] = []
    async for message in messages:
        if isinstance(message, Whole):
            return message
        if isinstance(message, Lost):
            lost.append(message.reason)
        if len(lost) == TRIES:
            break
    raise Unreachable(url, lost[-1] if lost else "nothing came over its socket")
