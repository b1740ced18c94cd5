"""The controller: keys and events change the state, moves go to the service."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from examples.terminal.game_state import GameState, Page
from examples.terminal.saved_seats import SavedSeats
from south_seas import APIError, Client, ClientError, Connected, Disconnected, Subscription, SubscriptionEvent
from south_seas.models import Diff, Problem, Snapshot

PAN_KEYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
PAGE_ROWS = 10
MAX_INPUT_LENGTH = 60


class GameController:
    """Controls a game at one terminal; `changed` is set when the screen must be redrawn.

    `client` has a token of a player here, if there is one.
    """

    def __init__(self, client: Client, subscription: Subscription, state: GameState) -> None:
        self.client = client
        self.subscription = subscription
        self.state = state
        self.changed = asyncio.Event()
        self.is_finished = False
        self.failure: APIError | None = None
        """The error that ended the subscription."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._version_changed = asyncio.Event()
        self._is_fetching_moves = False
        self._is_fetching_story = False

    def on_key(self, key: str) -> None:
        """Handle a key."""
        state = self.state
        state.note = ""
        if key == "end":
            self.is_finished = True
        elif key == "enter":
            self._enter()
        elif key == "escape":
            state.typed = ""
            state.open_page(None)
        elif key == "backspace":
            state.typed = state.typed[:-1]
        elif key == "clear":
            state.typed = ""
        elif len(key) == 1:
            state.typed = (state.typed + key)[:MAX_INPUT_LENGTH]
        else:
            self._navigate(key)
        self.changed.set()

    def on_event(self, event: SubscriptionEvent) -> None:
        """Handle an event of the subscription."""
        match event:
            case Connected():
                self.state.is_connected, self.state.note = True, ""
            case Disconnected():
                self.state.is_connected = False
                self.state.note = f"No answer from {self.client.url}. Start it again, or leave with q."
            case Snapshot(game=game, digest=digest):
                self.state.apply_snapshot(game, digest)
            case Diff():
                self.state.apply_diff(event, self.subscription.view)
        self._refresh()

    async def wait_for_tasks(self) -> None:
        """Wait until all tasks are finished."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def cancel_tasks(self) -> None:
        """Cancel all tasks."""
        for task in self._tasks:
            task.cancel()
        await self.wait_for_tasks()

    async def read_events(self) -> None:
        """Handle events until the service ends the subscription."""
        self._refresh()
        try:
            async for event in self.subscription.events():
                self.on_event(event)
        except APIError as refusal:
            self.failure = refusal
            self.is_finished = True
            self.changed.set()

    def _refresh(self) -> None:
        """Fetch moves and story after a possible change of the game."""
        if not self.state.is_sending:
            self._start(self._fetch_moves())
        self._start(self._fetch_story())
        self._version_changed.set()
        self.changed.set()

    def _enter(self) -> None:
        typed = self.state.typed.strip().casefold()
        commands: dict[str, Callable[[], None]] = {
            "?": lambda: self.state.open_page(Page.HELP),
            "s": lambda: self._start(self._show_scores(Page.SCORES)),
            "i": lambda: self._start(self._show_scores(Page.ISLANDERS)),
            "t": lambda: self._start(self._show_tiles()),
            "z": self.state.zoom,
            "q": lambda: setattr(self, "is_finished", True),
        }
        if typed in commands:
            self.state.typed = ""
            commands[typed]()
        elif typed:
            self._choose()
        elif self.state.page is not None:
            self.state.open_page(None)
        elif (seat := self.state.absent_seat) is not None:
            self._start(self._return_to(seat))
        else:
            self._start(self._fetch_moves())

    async def _return_to(self, seat: int) -> None:
        client = self.client.with_token(self.state.seats.seats[seat])
        result = await client.return_to_seat(self.state.game.id, seat=seat)
        self.subscription.apply_diffs(result.diffs)

    def _choose(self) -> None:
        choice = self.state.menu_match.chosen
        if choice is None:
            several = "Several moves match: type a key, or more text."
            self.state.note = several if self.state.menu_match.matching else "No move matches. Esc clears the line."
        elif not self.state.is_sending:
            self._start(self._act(choice.move.id))

    def _navigate(self, key: str) -> None:
        state = self.state
        if key == "home":
            state.viewport = state.viewport._replace(across=0, down=0)
        elif state.page is not None and key in ("up", "down", "pageup", "pagedown"):
            rows = 1 if key in ("up", "down") else PAGE_ROWS
            state.scroll += -rows if key in ("up", "pageup") else rows
        elif key in PAN_KEYS:
            state.pan(*PAN_KEYS[key])

    async def _act(self, move: str) -> None:
        state = self.state
        game, token = state.game.id, state.token
        if token is None:
            return
        expected = f"{state.game.version}-{state.digest}"
        state.start_sending()
        self.changed.set()
        try:
            client = self.client.with_token(token)
            result = await client.act(game, move, if_match=expected)
            self.subscription.apply_diffs(result.diffs)
            while state.game.version < result.version:
                self._version_changed.clear()
                await self._version_changed.wait()
        finally:
            state.is_sending = False
        self._refresh()

    async def _fetch_moves(self) -> None:
        """Fetch the legal moves until they match the shown version; newer diffs may still be on their way."""
        state = self.state
        if self._is_fetching_moves:
            return
        self._is_fetching_moves = True
        try:
            while state.needs_moves():
                legal = await self.client.legal_moves(state.game.id, effects=True)
                state.set_legal_moves(legal)
                if legal.version >= state.game.version:
                    break
        finally:
            self._is_fetching_moves = False

    async def _fetch_story(self) -> None:
        """Fetch the story up to the current version."""
        state = self.state
        if self._is_fetching_story:
            return
        self._is_fetching_story = True
        try:
            while state.story_version < state.game.version:
                story = await self.client.story(state.game.id, state.story_version)
                if not story.lines:
                    break
                state.add_story(story)
                self.changed.set()
        finally:
            self._is_fetching_story = False

    async def _show_scores(self, page: Page) -> None:
        self.state.scores = await self.client.scores(self.state.game.id)
        self.state.open_page(page)

    async def _show_tiles(self) -> None:
        self.state.tiles_left = await self.client.tiles(self.state.game.id)
        self.state.open_page(Page.TILES)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._report_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _report_errors(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except APIError as refusal:
            self.state.note = describe_problem(refusal.problem)
        except ClientError as failure:
            self.state.note = f"{failure}. Press Enter to retry."
        finally:
            self.changed.set()


def describe_problem(problem: Problem) -> str:
    """Return a problem as text."""
    if problem.code == "version_mismatch":
        return "The game has changed in the meantime."
    rule = f" (rule {problem.rule})" if problem.rule else ""
    reason = "" if problem.detail == problem.title else f": {problem.detail}"
    return f"{problem.title}{reason}{rule}"


@asynccontextmanager
async def open_game(client: Client, seats: SavedSeats) -> AsyncIterator[GameController]:
    """Open a game to play or watch. Raises ClientError."""
    reader = client.with_token(seats.reader_token)
    async with reader.subscribe(seats.game) as subscription:
        tileset = await reader.tileset(subscription.view.tileset)
        state = GameState(seats, tileset, subscription.view, subscription.digest)
        controller = GameController(reader, subscription, state)
        task = asyncio.create_task(controller.read_events())
        try:
            yield controller
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await controller.cancel_tasks()
