"""The bot's actions; each returns a screen. Of Discord, this module only knows user and channel ids."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from aiohttp import ClientSession

from examples.discord_bot.custom_ids import ComponentAction
from examples.discord_bot.errors import AlreadySeated, GameNotFound, NotSeated
from examples.discord_bot.menus import first_choice, single_move
from examples.discord_bot.names import unique_name
from examples.discord_bot.phrases import LANGUAGES, Language, translate
from examples.discord_bot.prompts import common_buttons, game_line, move_prompt, next_choice
from examples.discord_bot.screens import Button, Picture, Screen, clip, escape_markup
from examples.discord_bot.storage import BotStorage, ChannelGame, Seat
from south_seas import Backoff, Client, ClientError, VersionMismatchError
from south_seas.models import BotInfo, Created, CreateGame, GameView, JoinGame, SeatRequest

BACKOFF = Backoff(max_attempts=3, max_wait_s=2.0, timeout_s=8.0)
"""Short, since a person waits."""

PICTURE_WIDTH = 1000
"""The default width of pictures, in pixels."""

SUGGESTION_TIMEOUT_S = 2.0
"""The time limit for suggestions; Discord's is three seconds."""

MAX_TOKENS = 100
"""The limit of one request."""

MAX_GAMES = 10

MAX_STORY_LENGTH = 1500
"""The maximum length of the story in a message."""


class Person(NamedTuple):
    """A Discord user, with their name in games."""

    user: int
    name: str
    language: Language


class NewGameOptions(NamedTuple):
    """The options of a new game, besides its creator."""

    people: Sequence[Person] = ()
    bots: Sequence[str] = ()
    open_seats: int = 0
    timeout_s: int | None = None


class GameActions:
    """The actions of the bot's users, on one service."""

    def __init__(self, url: str, session: ClientSession, storage: BotStorage, width: int = PICTURE_WIDTH) -> None:
        self.storage = storage
        self._width = width
        self._clients = {
            language: Client(url, session=session, backoff=BACKOFF, language=language) for language in LANGUAGES
        }

    def client(self, language: Language, token: str | None) -> Client:
        """Return a client with a language and a token."""
        return self._clients[language].with_token(token)

    def reader(self, channel_game: ChannelGame, language: Language) -> Client:
        """Return a client that can read a game."""
        return self.client(language, channel_game.spectator_token)

    def get_game(self, game: str) -> ChannelGame:
        """Return a game of this bot; raise GameNotFound for others."""
        channel_game = self.storage.game(game)
        if channel_game is None:
            raise GameNotFound("unknown_game")
        return channel_game

    def game_in_channel(self, channel: int, user: int, game: str | None) -> ChannelGame:
        """Return the named game, else the user's newest in the channel, else the channel's newest.

        Only its players can name a game of another channel. Raises GameNotFound.
        """
        if game is not None:
            named = self.get_game(game)
            if named.channel != channel and self.storage.seat_of(game, user) is None:
                raise GameNotFound("unknown_game")
            return named
        for seat in self.storage.seats_of(user):
            channel_game = self.get_game(seat.game)
            if channel_game.channel == channel:
                return channel_game
        latest = self.storage.latest_game(channel)
        if latest is None:
            raise GameNotFound("no_table")
        return latest

    async def create(self, channel: int, host: Person, options: NewGameOptions) -> tuple[ChannelGame, Screen]:
        """Create a game; the host has a seat."""
        people = [host, *options.people]
        names: list[str] = []
        for person in people:
            names.append(unique_name(person.name, names))
        request = CreateGame(
            players=[
                *(SeatRequest(name=name) for name in names),
                *(SeatRequest(bot=bot) for bot in options.bots),
                *(SeatRequest(open=True) for _ in range(options.open_seats)),
            ],
            visibility="private",
            turn_timeout_s=options.timeout_s,
            on_timeout=None if options.timeout_s is None else "bot",
        )
        created = await self.client(host.language, None).create(request)
        channel_game = self._save_game(channel, created, {seat: person.user for seat, person in enumerate(people)})
        return channel_game, self.new_game_screen(channel_game, created.game, host.language)

    async def bots(self) -> list[BotInfo]:
        """Return the service's bots; none if it does not respond at once."""
        try:
            async with asyncio.timeout(SUGGESTION_TIMEOUT_S):
                return (await self.client("en", None).bots()).bots
        except (ClientError, TimeoutError):
            return []

    def new_game_screen(self, channel_game: ChannelGame, game: GameView, language: Language) -> Screen:
        """Return the screen of a new game."""
        names = [player.name or translate(language, "open") for player in game.players]
        text = translate(language, "new", players=escape_markup(", ".join(names)))
        join = Button(translate(language, "join"), ComponentAction(channel_game.game, game.version, "join"), "success")
        is_open = any(player.kind == "open" for player in game.players)
        return Screen(text, Picture(channel_game.game, game.version), buttons=[join] if is_open else [])

    async def join(self, channel_game: ChannelGame, person: Person) -> Screen:
        """Take an open seat for a user. Raises AlreadySeated."""
        if self.storage.seat_of(channel_game.game, person.user) is not None:
            raise AlreadySeated
        client = self.client(person.language, channel_game.spectator_token)
        players = (await client.game(channel_game.game)).players
        name = unique_name(person.name, [player.name for player in players if player.name is not None])
        joined = await client.join(channel_game.game, JoinGame(name=name))
        self.storage.add_seat(Seat(channel_game.game, joined.seat, person.user, joined.token))
        return Screen(translate(person.language, "joined"))

    async def board(self, channel_game: ChannelGame, language: Language) -> Screen:
        """Show the board and whose turn it is."""
        story = await self.reader(channel_game, language).story(channel_game.game, limit=1)
        return Screen(
            escape_markup(story.now),
            Picture(channel_game.game, story.version),
            buttons=common_buttons(language, channel_game.game, story.version),
        )

    async def scores(self, channel_game: ChannelGame, language: Language) -> Screen:
        """Show the scores."""
        client = self.reader(channel_game, language)
        game, scores = await client.game(channel_game.game), await client.scores(channel_game.game)
        lines = [
            translate(
                language,
                "score_line",
                name=escape_markup(game.players[player.seat].name or "?"),
                points=player.points_now,
                total=player.if_ended_now.total,
            )
            for player in scores.players
        ]
        return Screen("\n".join(lines), buttons=common_buttons(language, channel_game.game, scores.version))

    async def moves(
        self, channel_game: ChannelGame, person: Person, action: ComponentAction | None = None, chosen: str = ""
    ) -> Screen:
        """Show the user's legal moves, or the next step of a choice; an action for another version is stale."""
        seat = self._seat(channel_game, person)
        client = self.client(person.language, seat.token)
        legal = await client.legal_moves(channel_game.game)
        is_stale = action is not None and action.version != legal.version
        note = translate(person.language, "stale") if is_stale else ""
        if legal.seat != seat.seat:
            board = await self.board(channel_game, person.language)
            return board._replace(text=f"{note}\n{board.text}".strip())
        if action is not None and action.name == "cell" and not is_stale and (move := single_move(legal, chosen)):
            return await self.act(channel_game, person, action, move.id)
        choice = next_choice(person.language, channel_game.game, legal, None if is_stale else action, chosen)
        return move_prompt(person.language, channel_game.game, legal, choice, note)

    async def act(self, channel_game: ChannelGame, person: Person, action: ComponentAction, move: str) -> Screen:
        """Play a move at the version it was offered for; show the next moves if the same user decides again."""
        seat = self._seat(channel_game, person)
        client = self.client(person.language, seat.token)
        try:
            acted = await client.act(channel_game.game, move, if_match=str(action.version), include_legal_moves=True)
        except VersionMismatchError:
            return await self.moves(channel_game, person, action)
        happened, now = await self.story(channel_game, person.language, action.version, acted.version)
        happened = clip(happened, MAX_STORY_LENGTH)
        legal = acted.legal_moves
        if legal is None or legal.seat != seat.seat:
            buttons = common_buttons(person.language, channel_game.game, acted.version)
            return Screen(f"{happened}\n{now}", Picture(channel_game.game, acted.version), buttons=buttons)
        choice = first_choice(person.language, channel_game.game, legal)
        return move_prompt(person.language, channel_game.game, legal, choice, happened)

    async def undo(self, channel_game: ChannelGame, person: Person, action: ComponentAction | None = None) -> Screen:
        """Undo the user's last move, at the version of the button; show the legal moves again."""
        client = self.client(person.language, self._seat(channel_game, person).token)
        try:
            if action is None:
                await client.undo(channel_game.game)
            else:
                await client.undo(channel_game.game, if_match=str(action.version))
        except VersionMismatchError:
            return await self.moves(channel_game, person, action)
        return await self.moves(channel_game, person)

    async def confirm_resign(self, channel_game: ChannelGame, person: Person) -> Screen:
        """Ask for a confirmation."""
        self._seat(channel_game, person)
        sure = Button(translate(person.language, "resign"), ComponentAction(channel_game.game, 0, "resign"), "danger")
        return Screen(translate(person.language, "resign_sure"), buttons=[sure])

    async def resign(self, channel_game: ChannelGame, person: Person) -> Screen:
        """Resign the user's seat."""
        await self.client(person.language, self._seat(channel_game, person).token).resign(channel_game.game)
        return Screen(translate(person.language, "done"))

    async def return_to_seat(self, channel_game: ChannelGame, person: Person) -> Screen:
        """Take the user's seat back from a bot."""
        await self.client(person.language, self._seat(channel_game, person).token).return_to_seat(channel_game.game)
        return await self.moves(channel_game, person)

    async def rematch(self, channel_game: ChannelGame, person: Person) -> tuple[ChannelGame, Screen]:
        """Start a game with the same players; players who joined keep their tokens, others get new ones."""
        self._seat(channel_game, person)
        created = await self.client(person.language, channel_game.owner_token).rematch(channel_game.game)
        users = {seat.seat: seat.user for seat in self.storage.seats(channel_game.game).values()}
        again = self._save_game(channel_game.channel, created, users)
        handed_out = {seat.seat for seat in created.seats}
        for seat in self.storage.seats(channel_game.game).values():
            if seat.seat not in handed_out:
                self.storage.add_seat(seat._replace(game=again.game))
        return again, self.new_game_screen(again, created.game, person.language)

    async def story(self, channel_game: ChannelGame, language: Language, since: int, upto: int) -> tuple[str, str]:
        """Return what happened from one version to another, and the current status."""
        story = await self.reader(channel_game, language).story(channel_game.game, since, limit=max(1, upto - since))
        return escape_markup(" ".join(line.text for line in story.lines)), escape_markup(story.now)

    async def picture(self, picture: Picture) -> bytes | None:
        """Return the board as PNG; None if pictures are off."""
        if not self._width:
            return None
        path = f"/v1/games/{picture.game}/board.png"
        numbers = 1 if picture.candidates else None
        reader = self.reader(self.get_game(picture.game), "en")
        return await reader.read(path, width=self._width, side=1, last=1, coordinates=1, candidates=numbers)

    async def my_games(self, person: Person) -> Screen:
        """List the user's games, those that wait for them first, with a button for each."""
        tokens = [seat.token for seat in self.storage.seats_of(person.user)[:MAX_TOKENS]]
        if not tokens:
            return Screen(translate(person.language, "no_games"))
        mine = await self.client(person.language, None).my_games(tokens, limit=MAX_GAMES)
        games = sorted(mine.games, key=lambda one: not one.waiting)
        buttons = [
            Button(
                f"{place}",
                ComponentAction(one.game.id, one.game.version, "menu"),
                "primary" if one.waiting else "secondary",
            )
            for place, one in enumerate(games, start=1)
        ]
        lines = (f"{place}. {game_line(person.language, one)}" for place, one in enumerate(games, start=1))
        return Screen("\n".join(lines), buttons=buttons)

    def _seat(self, channel_game: ChannelGame, person: Person) -> Seat:
        seat = self.storage.seat_of(channel_game.game, person.user)
        if seat is None:
            raise NotSeated
        return seat

    def _save_game(self, channel: int, created: Created, users: dict[int, int]) -> ChannelGame:
        channel_game = ChannelGame(created.game.id, channel, created.owner_token, created.spectator_token)
        self.storage.add_game(channel_game)
        for seat in created.seats:
            if (user := users.get(seat.seat)) is not None:
                self.storage.add_seat(Seat(channel_game.game, seat.seat, user, seat.token))
        return channel_game
