"""The games of the bot's users: found in channels, created, listed."""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from examples.chat.actions import ChatAction
from examples.chat.errors import BotError
from examples.chat.names import send_names
from examples.chat.phrases import Language, translate
from examples.chat.screens import Button, ChatFormat, Picture, Screen
from examples.chat.ship_labels import ship_label
from examples.chat.storage import BotStorage, ChannelGame, Seat
from south_seas import Client, ClientError, ConflictError
from south_seas.models import BotInfo, CreateGame, GameView, MyGame, SeatRequest

SUGGESTION_TIMEOUT_S = 2.0
"""The time limit for suggestions while a user types."""

MAX_TOKENS = 100
"""The limit of one request."""

MAX_GAMES = 10


class Person(NamedTuple):
    """A user of the chat, with the name that others see there."""

    user: str
    name: str
    language: Language


class NewGameOptions(NamedTuple):
    """The options of a new game, besides its creator."""

    people: Sequence[Person] = ()
    bots: Sequence[str] = ()
    open_seats: int = 0
    timeout_s: int | None = None

    @classmethod
    def parse(cls, words: Sequence[str]) -> "NewGameOptions":
        """Return the options of words: `open`, names of bots, and minutes for a decision; without players, one bot.

        >>> NewGameOptions.parse(["open", "greedy", "10m"])
        NewGameOptions(people=(), bots=['greedy'], open_seats=1, timeout_s=600)
        """
        minutes = [int(word[:-1]) for word in words if re.fullmatch(r"\d{1,5}m", word)]
        players = [word for word in words if not re.fullmatch(r"\d{1,5}m", word)] or ["greedy"]
        return cls(
            bots=[word for word in players if word != "open"],
            open_seats=players.count("open"),
            timeout_s=60 * minutes[-1] if minutes else None,
        )

    def request(self, names: Iterable[str]) -> CreateGame:
        """Return the request for a game of these people."""
        return CreateGame(
            players=[
                *(SeatRequest(name=name) for name in names),
                *(SeatRequest(bot=bot) for bot in self.bots),
                *(SeatRequest(open=True) for _ in range(self.open_seats)),
            ],
            visibility="private",
            turn_timeout_s=self.timeout_s,
            on_timeout=None if self.timeout_s is None else "bot",
        )


class Games:
    """The games of the bot's users, on one service."""

    def __init__(
        self,
        clients: Mapping[Language, Client],
        storage: BotStorage,
        chat: ChatFormat,
        on_created: Callable[[ChannelGame], None],
    ) -> None:
        self.storage = storage
        self.chat = chat
        self._clients = clients
        self._on_created = on_created

    def reader(self, channel_game: ChannelGame, language: Language) -> Client:
        """Return a client that can read a game."""
        return self._clients[language].with_token(channel_game.spectator_token)

    def get_game(self, game: str) -> ChannelGame:
        """Return a game of this bot; raise BotError for others."""
        channel_game = self.storage.game(game)
        if channel_game is None:
            raise BotError("unknown_game")
        return channel_game

    def game_in_channel(self, channel: str, user: str, game: str | None) -> ChannelGame:
        """Return the named game, else the user's newest in the channel, else the channel's newest.

        Only its players can name a game of another channel. Raises BotError.
        """
        if game is not None:
            named = self.get_game(game)
            if named.channel != channel and self.storage.seat_of(game, user) is None:
                raise BotError("unknown_game")
            return named
        for seat in self.storage.seats_of(user):
            channel_game = self.get_game(seat.game)
            if channel_game.channel == channel:
                return channel_game
        latest = self.storage.latest_game(channel)
        if latest is None:
            raise BotError("no_table")
        return latest

    async def create(self, channel: str, host: Person, options: NewGameOptions) -> Screen:
        """Create a game; the host has a seat."""
        people, client = [host, *options.people], self._clients[host.language]
        created = await send_names(
            [person.name for person in people], (), lambda names: client.create(options.request(names))
        )
        channel_game = ChannelGame(created.game.id, channel, created.owner_token, created.spectator_token)
        seats = [Seat(channel_game.game, one.seat, people[one.seat].user, one.token) for one in created.seats]
        self._save_game(channel_game, seats)
        return self._new_game_screen(created.game, host.language)

    async def bots(self) -> list[BotInfo]:
        """Return the service's bots; none if it does not respond at once."""
        try:
            async with asyncio.timeout(SUGGESTION_TIMEOUT_S):
                return (await self._clients["en"].bots()).bots
        except (ClientError, TimeoutError):
            return []

    async def rematch(self, channel_game: ChannelGame, language: Language) -> Screen:
        """Start a game with the same players, or take over the one that a player started; all tokens stay valid."""
        owner = self._clients[language].with_token(channel_game.owner_token)
        try:
            game = (await owner.rematch(channel_game.game)).game
        except ConflictError as error:
            rematch = error.problem.next_game
            if rematch is None:
                raise
            if self.storage.game(rematch) is not None:
                raise BotError("rematch_exists") from error
            game = await owner.game(rematch)
        seats = self.storage.seats(channel_game.game).values()
        self._save_game(channel_game._replace(game=game.id), [seat._replace(game=game.id) for seat in seats])
        return self._new_game_screen(game, language)

    async def story(self, channel_game: ChannelGame, language: Language, since: int, upto: int) -> tuple[str, str]:
        """Return what happened from one version to another, and the current status, both without markup."""
        story = await self.reader(channel_game, language).story(channel_game.game, since, limit=max(1, upto - since))
        return " ".join(line.text for line in story.lines), story.now

    async def ship_labels(self, channel_game: ChannelGame, language: Language) -> dict[str, str]:
        """Return the label of each ship, by its id."""
        reader = self.reader(channel_game, language)
        tileset = await reader.tileset((await reader.game(channel_game.game)).tileset)
        return {ship.id: ship_label(language, ship) for ship in tileset.ships}

    async def my_games(self, person: Person) -> Screen:
        """List the user's games, those that wait for them first, with a button for each."""
        tokens = [seat.token for seat in self.storage.seats_of(person.user)[:MAX_TOKENS]]
        if not tokens:
            return Screen(translate(person.language, "no_games"))
        mine = await self._clients[person.language].my_games(tokens, limit=MAX_GAMES)
        games = sorted(mine.games, key=lambda one: not one.waiting)
        buttons = [
            Button(
                f"{number}",
                ChatAction(one.game.id, one.game.version, "menu"),
                "primary" if one.waiting else "secondary",
            )
            for number, one in enumerate(games, start=1)
        ]
        lines = (f"{number}. {self._game_line(person.language, one)}" for number, one in enumerate(games, start=1))
        return Screen("\n".join(lines), buttons=buttons)

    def _new_game_screen(self, game: GameView, language: Language) -> Screen:
        names = [player.name or translate(language, "open") for player in game.players]
        text = translate(language, "new", players=self.chat.escape(", ".join(names)))
        join = Button(translate(language, "join"), ChatAction(game.id, game.version, "join"), "success")
        is_open = any(player.kind == "open" for player in game.players)
        return Screen(text, Picture(game.id, game.version), buttons=[join] if is_open else [])

    def _game_line(self, language: Language, one: MyGame) -> str:
        """Return a line about a game: its players, and whether it waits for the user."""
        names = ", ".join(player.name or translate(language, "open") for player in one.game.players)
        waits = f": {translate(language, 'waiting_for_you')}" if one.waiting else ""
        return f"{self.chat.escape(names)} ({one.game.id}){waits}"

    def _save_game(self, channel_game: ChannelGame, seats: Iterable[Seat]) -> None:
        """Store a game and its users' seats."""
        self.storage.add_game(channel_game)
        for seat in seats:
            self.storage.add_seat(seat)
        self._on_created(channel_game)


def game_buttons(game: GameView, language: Language, seat: int | None) -> list[Button]:
    """Return what the player at a seat can do in a game, or a spectator."""
    if game.status in ("finished", "aborted"):
        again = Button(translate(language, "again"), ChatAction(game.id, game.version, "rematch"), "success")
        return [] if seat is None else [again]
    if game.turn is None:
        return []
    play = Button(translate(language, "play"), ChatAction(game.id, game.version, "menu"), "primary")
    scores = Button(translate(language, "scores"), ChatAction(game.id, game.version, "scores"))
    return [play, scores] if game.turn.decider == seat else [scores]
