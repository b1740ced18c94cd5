"""Telling a channel whose turn it is: every running game is followed, and its next player is called once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from examples.discord_bot.custom_ids import Pressed
from examples.discord_bot.games import TOLD, Tables
from examples.discord_bot.phrases import Language, say
from examples.discord_bot.screens import Button, Picture, Screen
from examples.discord_bot.storage import Table
from schemas.game import GameView
from service.client import APIError, ClientError, Subscription

Post = Callable[[int, Screen], Awaitable[None]]
"""Sends a screen to a channel."""

RETRY_S = 30.0

log = logging.getLogger(__name__)


class Said(NamedTuple):
    """What was said last of a game: up to which version, and of which moment."""

    version: int
    moment: str

    @classmethod
    def of(cls, kept: str) -> "Said":
        """As the ledger keeps it."""
        version, _, moment = kept.partition(":")
        return cls(int(version or 0), moment)


class Crier:
    """Follows the games; one task a game."""

    def __init__(self, tables: Tables, post: Post) -> None:
        self._tables = tables
        self._post = post
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def follow(self, table: Table) -> None:
        """Follow a game to its end, from wherever it is."""
        task = asyncio.create_task(self._follow(table))
        self._tasks[table.game] = task
        task.add_done_callback(lambda _: self._tasks.pop(table.game, None))

    def follow_running(self) -> None:
        """Follow every game that the ledger says is not over: after a restart."""
        for table in self._tables.ledger.running():
            self.follow(table)

    async def close(self) -> None:
        """Follow no longer."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, table: Table) -> None:
        """Go on through whatever becomes of the connection; a game that is gone is over."""
        while True:
            try:
                await self._to_the_end(table)
            except APIError as refused:
                log.warning("game %s is not to be followed: %s", table.game, refused)
                self._tables.ledger.finish(table.game)
                return
            except ClientError as error:
                log.warning("game %s cannot be followed now: %s", table.game, error)
                await asyncio.sleep(RETRY_S)
            else:
                return

    async def _to_the_end(self, table: Table) -> None:
        async with self._tables.reader(table, "en").subscribe(table.game) as following:
            await self._tell(table, following)
            async for _ in following:
                if not following.has_pending:
                    await self._tell(table, following)
            await self._tell(table, following)
        self._tables.ledger.finish(table.game)

    async def _tell(self, table: Table, following: Subscription) -> None:
        """Call who must decide now, unless they were called already, or a bot is."""
        game = following.view
        moment = _moment(game)
        said = Said.of(self._tables.ledger.announced(table.game))
        if moment in ("", said.moment):
            return
        user = self._whom(table, game)
        language = self._tables.ledger.language(user) if user is not None else self._host_language(table)
        screen = await self._screen(table, game, said, user, language)
        self._tables.ledger.announce(table.game, f"{game.version}:{moment}")
        await self._post(table.channel, screen)

    def _whom(self, table: Table, game: GameView) -> int | None:
        if game.turn is None:
            return None
        seat = self._tables.ledger.seats(table.game).get(game.turn.decider)
        return None if seat is None else seat.user

    def _host_language(self, table: Table) -> Language:
        seats = self._tables.ledger.seats(table.game)
        return self._tables.ledger.language(seats[min(seats)].user) if seats else "en"

    async def _screen(self, table: Table, game: GameView, said: Said, user: int | None, language: Language) -> Screen:
        happened, now = await self._tables.story(table, language, said.version, game.version)
        lines = [happened[-TOLD:]]  # the end of it matters most
        if _says_more(game):
            lines.append(now)
        if user is not None:
            lines.append(say(language, "your_turn", mention=f"<@{user}>"))
        return Screen(
            "\n".join(lines), Picture(table.game, game.version), buttons=_buttons(game, language), mention=user
        )


def _moment(game: GameView) -> str:
    """What there is to be said once: that somebody decides, or that it is over; empty for nothing."""
    if game.status in ("finished", "aborted"):
        return "over"
    if game.turn is None or game.players[game.turn.decider].bot is not None:
        return ""
    return f"{game.turn.number}.{game.turn.decider}"


def _says_more(game: GameView) -> bool:
    """Whether the situation is more than the turn and the tile, which what happened ends with."""
    return game.turn is None or game.turn.phase != "place_tile" or game.turn.deadline is not None


def _buttons(game: GameView, language: Language) -> list[Button]:
    if game.status in ("finished", "aborted"):
        return [Button(say(language, "again"), Pressed(game.id, game.version, "rematch"), "success")]
    buttons = [
        Button(say(language, "play"), Pressed(game.id, game.version, "menu"), "primary"),
        Button(say(language, "scores"), Pressed(game.id, game.version, "scores")),
    ]
    if any(player.kind == "human" and player.bot is not None for player in game.players):
        buttons.append(Button(say(language, "return"), Pressed(game.id, game.version, "return")))
    return buttons
