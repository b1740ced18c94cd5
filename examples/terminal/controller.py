"""Playing: keys and the game's messages change the table, moves go to the service."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from examples.terminal.game_state import Page, Table
from examples.terminal.saved_seats import Seats
from schemas.diffs import Diff
from schemas.messages import Snapshot
from schemas.problems import Problem
from service.client import APIError, Client, ClientError, Connected, Disconnected, Subscription, SubscriptionEvent

PANS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
PAGE_ROWS = 10
LONGEST_LINE = 60


class Play:
    """One terminal's part in a game; `changed` is set whenever there is something new to show.

    `client` reads with a token of somebody here, where there is one.
    """

    def __init__(self, client: Client, following: Subscription, table: Table) -> None:
        self.client = client
        self.following = following
        self.table = table
        self.changed = asyncio.Event()
        self.done = False
        self.failure: APIError | None = None
        """Why the service does not let this terminal follow the game any longer."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._moved = asyncio.Event()
        self._fetching = False
        self._telling = False

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

    def on_change(self, change: SubscriptionEvent) -> None:
        """Something came from the service."""
        match change:
            case Connected():
                self.table.online = True
            case Disconnected():
                self.table.online = False
            case Snapshot(game=game, digest=digest):
                self.table.take_whole(game, digest)
            case Diff():
                self.table.take_diff(change, self.following.view)
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

    async def follow(self) -> None:
        """Take what comes until the service wants this terminal no more."""
        self._went_on()
        try:
            async for change in self.following.events():
                self.on_change(change)
        except APIError as refusal:
            self.failure = refusal
            self.done = True
            self.changed.set()

    def _went_on(self) -> None:
        """The game may have changed: ask for the moves of whoever decides here."""
        if not self.table.sending:
            self._start(self._fetch_moves())
        self._start(self._fetch_story())
        self._moved.set()
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
        expected = f"{table.game.version}-{table.digest}"
        table.acted()
        self.changed.set()
        try:
            client = self.client.with_token(token)
            acted = await client.act(game, move, if_match=expected, include_legal_moves=True)
            self.following.apply_diffs(acted.diffs)
            while table.game.version < acted.version:
                self._moved.clear()
                await self._moved.wait()
        finally:
            table.sending = False
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
                legal = await self.client.legal_moves(table.game.id)
                table.take_moves(legal)
                if legal.version >= table.game.version:
                    break
        finally:
            self._fetching = False

    async def _fetch_story(self) -> None:
        """Ask what happened since the last sentence, until all is told."""
        table = self.table
        if self._telling:
            return
        self._telling = True
        try:
            while table.told_until < table.game.version:
                story = await self.client.story(table.game.id, table.told_until)
                if not story.lines:
                    break
                table.take_story(story)
                self.changed.set()
        finally:
            self._telling = False

    async def _show_scores(self, page: Page) -> None:
        self.table.scores = await self.client.scores(self.table.game.id)
        self.table.open_page(page)

    async def _show_tiles(self) -> None:
        self.table.left = await self.client.tiles(self.table.game.id)
        self.table.open_page(Page.TILES)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._kindly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _kindly(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except APIError as refusal:
            self.table.note = in_words(refusal.problem)
        except ClientError as failure:
            self.table.note = f"{failure}. Enter tries again."
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
    reading = client.with_token(seats.reader)
    async with reading.subscribe(seats.game) as following:
        tileset = await reading.tileset(following.view.tileset)
        table = Table(seats, tileset, following.view, following.digest)
        play = Play(reading, following, table)
        task = asyncio.create_task(play.follow())
        try:
            yield play
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await play.leave()
