"""The bot of any chat: commands and pressed buttons become screens, and turns are announced."""

import logging
from collections.abc import Awaitable
from math import ceil
from pathlib import Path
from typing import Literal

from examples.chat.actions import ChatAction
from examples.chat.errors import BotError
from examples.chat.games import Games, NewGameOptions, Person
from examples.chat.notifier import Post, TurnNotifier
from examples.chat.phrases import LANGUAGES, Language, translate
from examples.chat.player_actions import PlayerActions
from examples.chat.screens import ChatFormat, Picture, Screen
from examples.chat.storage import BotStorage, ChannelGame
from south_seas import APIError, Backoff, Client, InvalidResponseError, RetryableError, UnreachableError

PICTURE_WIDTH = 1000
"""The default width of pictures, in pixels."""

BACKOFF = Backoff(max_attempts=3, max_wait_s=2.0, timeout_s=8.0)
"""Short, since a person waits."""

COMMANDS = {
    "new": "Start a game in this channel.",
    "join": "Take an open seat.",
    "leave": "Leave a game that has not begun.",
    "board": "Show the board, and whose turn it is.",
    "moves": "Choose your move.",
    "scores": "Show the scores.",
    "undo": "Undo your last move.",
    "resign": "Resign the game.",
    "back": "Take your seat back from a bot.",
    "rematch": "Play again with the same players.",
    "mygames": "List your games, those that wait for you first.",
}
"""The commands and their descriptions; all but `new` and `mygames` are about a game."""

PROBLEM_PHRASES = {
    "illegal_move": "illegal_move",
    "malformed": "new_limits",  # only a new game has fields that users choose
    "no_open_seat": "full",
    "not_active": "over",
    "not_found": "unknown_game",
    "not_over": "not_over",
    "not_replaced": "not_replaced",
    "not_your_turn": "not_your_turn",
    "nothing_to_undo": "nothing_to_undo",
    "replaced": "replaced",
    "resigned": "resigned",
    "unknown_bot": "unknown_bot",
}
"""Phrases for problem codes. The service explains problems in English only, so its text goes to the log."""

log = logging.getLogger(__name__)


class ChatBot:
    """The bot of one service. What it returns is sent by the chat, what it announces goes through `post`."""

    def __init__(
        self, url: str, file: Path, chat: ChatFormat, width: int = PICTURE_WIDTH, api_key: str | None = None
    ) -> None:
        self.storage = BotStorage(file)
        self._url = url
        self._api_key = api_key
        """The operator gives it to bots with many users; without it these share the limits of one address."""
        self._chat = chat
        self._width = width
        self._client: Client | None = None

    async def open(self, post: Post) -> None:
        """Open the connections, and watch the running games. Raises ClientError if the URL is not a service's."""
        self._client = client = Client(self._url, api_key=self._api_key, backoff=BACKOFF)
        clients = {language: client.with_language(language) for language in LANGUAGES}
        self.games = Games(clients, self.storage, self._chat, self._watch)
        self.notifier = TurnNotifier(self.games, post)
        try:
            await client.bots()
        except (RetryableError, UnreachableError) as error:
            log.warning("%s; until it answers, users read that it is unavailable", error)
        self.notifier.watch_running()

    async def close(self) -> None:
        """Close the connections and the file; buttons work again after the next start."""
        if self._client is not None:
            await self.notifier.close()
            await self._client.close()
        self.storage.close()

    async def start_game(self, person: Person, channel: str, options: NewGameOptions) -> Screen:
        """Start a game in a channel."""
        return await self._respond(person, self.games.create(channel, person, options), "too_many_games")

    async def run_command(self, person: Person, channel: str, name: str, game: str | None = None) -> Screen:
        """Run a command except `new`, on the named game or the user's game in the channel."""
        return await self._respond(person, self._run_command(person, channel, name, game))

    async def press(self, person: Person, action: ChatAction) -> Screen:
        """Perform the action of a button."""
        return await self._respond(person, self._press(person, action))

    async def picture(self, screen: Screen) -> bytes | None:
        """Return a screen's picture as PNG; None if it has none, or the service cannot draw it now."""
        picture = screen.picture
        if picture is None or not self._width:
            return None
        return await self._read_board(picture, "png", width=self._width)

    async def text_board(self, screen: Screen) -> str:
        """Return a screen's picture in monospace characters; empty if it has none."""
        board = screen.picture and await self._read_board(screen.picture, "txt")
        return board.decode() if board else ""

    async def _read_board(self, picture: Picture, form: Literal["png", "txt"], **query: int) -> bytes | None:
        numbers = 1 if picture.candidates else None
        try:
            reader = self.games.reader(self.games.get_game(picture.game), "en")
            return await reader.board(picture.game, form, coordinates=1, side=1, candidates=numbers, **query)
        except Exception as error:  # noqa: BLE001  a game goes on without its picture
            log.warning("no picture of game %s: %r", picture.game, error)
            return None

    def _watch(self, channel_game: ChannelGame) -> None:
        self.notifier.watch(channel_game)

    async def _run_command(self, person: Person, channel: str, name: str, game: str | None) -> Screen:
        if name == "mygames":
            return await self.games.my_games(person)
        channel_game = self.games.game_in_channel(channel, person.user, game)
        return await PlayerActions(self.games, channel_game, person).perform(name)

    async def _press(self, person: Person, action: ChatAction) -> Screen:
        channel_game = self.games.get_game(action.game)
        return await PlayerActions(self.games, channel_game, person).perform(action.name, action)

    async def _respond(self, person: Person, screen: Awaitable[Screen], rate_limited: str = "too_many") -> Screen:
        """Return the screen, or one that reports the error; `rate_limited` is the phrase for a rate limit."""
        try:
            self.storage.save_language(person.user, person.language)
            return await screen
        except BotError as error:
            return self._error_screen(person.language, error.key)
        except (RetryableError, UnreachableError, InvalidResponseError) as error:
            log.warning("no response for user %s: %s", person.user, error)
            if isinstance(error, RetryableError) and error.code == "rate_limited":
                wait_s = error.retry_after_s or 1
                wait = f"{wait_s} s" if wait_s < 60 else f"{ceil(wait_s / 60)} min"
                return self._error_screen(person.language, rate_limited, wait=wait)
            return self._error_screen(person.language, "away")
        except APIError as error:
            log.info("rejected for user %s: %s", person.user, error)
            return self._error_screen(person.language, PROBLEM_PHRASES.get(error.code, "refused"))
        except Exception:  # the user must not wait for a reply that never comes
            log.exception("cannot respond to user %s", person.user)
            return self._error_screen(person.language, "failed")

    def _error_screen(self, language: Language, key: str, **values: str) -> Screen:
        return Screen(translate(language, key, prefix=self._chat.prefix, **values), is_error=True)
