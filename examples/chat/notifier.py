"""Turn notifications: the bot watches every running game, and mentions its next player once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from examples.chat.actions import ChatAction
from examples.chat.games import Games, game_buttons
from examples.chat.phrases import Language, translate
from examples.chat.screens import Button, Picture, Screen
from examples.chat.storage import ChannelGame
from south_seas import ClientError, NotFoundError, Subscription, UnauthorizedError
from south_seas.models import GameView

Post = Callable[[str, Screen], Awaitable[None]]
"""Sends a screen to a channel."""

RETRY_INTERVAL_S = 30.0

log = logging.getLogger(__name__)


class Announcement(NamedTuple):
    """The last announcement of a game: its version and decision."""

    version: int
    decision: str

    @classmethod
    def parse(cls, stored: str) -> "Announcement":
        """Parse a stored announcement."""
        version, _, moment = stored.partition(":")
        return cls(int(version or 0), moment)


class TurnNotifier:
    """Watches running games, with a task for each."""

    def __init__(self, games: Games, post: Post) -> None:
        self._games = games
        self._post = post
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def watch(self, channel_game: ChannelGame) -> None:
        """Watch a game until it is over."""
        task = asyncio.create_task(self._watch(channel_game))
        self._tasks[channel_game.game] = task
        task.add_done_callback(lambda _: self._tasks.pop(channel_game.game, None))

    def watch_running(self) -> None:
        """Watch every game that is not over, after a restart."""
        for channel_game in self._games.storage.running_games():
            self.watch(channel_game)

    async def close(self) -> None:
        """Cancel all tasks."""
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, channel_game: ChannelGame) -> None:
        """Watch a game across connection failures; a game that cannot be read is over."""
        while True:
            try:
                await self._watch_until_over(channel_game)
            except (NotFoundError, UnauthorizedError) as refused:
                log.warning("game %s is not readable: %s", channel_game.game, refused)
                self._games.storage.mark_over(channel_game.game)
                return
            except ClientError as error:
                log.warning("cannot watch game %s now: %s", channel_game.game, error)
                await asyncio.sleep(RETRY_INTERVAL_S)
            else:
                return

    async def _watch_until_over(self, channel_game: ChannelGame) -> None:
        async with self._games.reader(channel_game, "en").subscribe(channel_game.game) as subscription:
            await self._announce(channel_game, subscription)
            async for _ in subscription:
                if not subscription.has_pending:
                    await self._announce(channel_game, subscription)
            await self._announce(channel_game, subscription)
        self._games.storage.mark_over(channel_game.game)

    async def _announce(self, channel_game: ChannelGame, subscription: Subscription) -> None:
        """Mention the player who must decide, unless it is a bot or was announced already."""
        game = subscription.view
        decision = _current_decision(game)
        last = Announcement.parse(self._games.storage.last_announcement(channel_game.game))
        if decision in ("", last.decision):
            return
        user = self._deciding_user(channel_game, game)
        language = self._games.storage.language(user) if user is not None else self._host_language(channel_game)
        screen = await self._screen(channel_game, game, last, user, language)
        self._games.storage.save_announcement(channel_game.game, f"{game.version}:{decision}")
        await self._post(channel_game.channel, screen)

    def _deciding_user(self, channel_game: ChannelGame, game: GameView) -> str | None:
        if game.turn is None:
            return None
        seat = self._games.storage.seats(channel_game.game).get(game.turn.decider)
        return None if seat is None else seat.user

    def _host_language(self, channel_game: ChannelGame) -> Language:
        seats = self._games.storage.seats(channel_game.game)
        return self._games.storage.language(seats[min(seats)].user) if seats else "en"

    async def _screen(
        self, channel_game: ChannelGame, game: GameView, last: Announcement, user: str | None, language: Language
    ) -> Screen:
        happened, now = await self._games.story(channel_game, language, last.version, game.version)
        chat = self._games.chat
        lines = [chat.escape(happened[-chat.max_story :])]  # the latest events matter most
        if _adds_status(game):
            lines.append(chat.escape(now))
        if user is not None and game.turn is not None:
            name = chat.escape(game.players[game.turn.decider].name or "?")
            lines.append(translate(language, "your_turn", mention=chat.mention(user, name)))
        return Screen(
            "\n".join(lines), Picture(channel_game.game, game.version), buttons=_buttons(game, language), mention=user
        )


def _current_decision(game: GameView) -> str:
    """Return a key of the current decision, `over` at the end, or "" if a bot decides."""
    if game.status in ("finished", "aborted"):
        return "over"
    if game.turn is None or game.players[game.turn.decider].bot is not None:
        return ""
    return f"{game.turn.number}.{game.turn.decider}"


def _adds_status(game: GameView) -> bool:
    """Return whether the status adds to the story, which ends with the turn and the tile."""
    return game.turn is None or game.turn.phase != "place_tile" or game.turn.deadline is not None


def _buttons(game: GameView, language: Language) -> list[Button]:
    """Return the buttons for the player who must decide, and for any whom a bot replaces."""
    anybody = 0  # each player may ask for a rematch
    buttons = game_buttons(game, language, anybody if game.turn is None else game.turn.decider)
    if game.turn is not None and any(player.kind == "human" and player.bot is not None for player in game.players):
        buttons.append(Button(translate(language, "return"), ChatAction(game.id, game.version, "return")))
    return buttons
