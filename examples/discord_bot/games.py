"""What the bot does for its users, as screens. It knows Discord's users by their numbers, and no more of Discord."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from aiohttp import ClientSession

from examples.discord_bot.custom_ids import Pressed
from examples.discord_bot.errors import AlreadySeated, NoTable, NotSeated
from examples.discord_bot.menus import only_move, whole_menu
from examples.discord_bot.phrases import LANGUAGES, Language, say
from examples.discord_bot.prompts import asking, choice_of, common, game_line
from examples.discord_bot.screens import Button, Picture, Screen, clip, escape
from examples.discord_bot.storage import Ledger, Seat, Table
from schemas.bots import BotInfo
from schemas.game import GameView
from schemas.lobby import Created, CreateGame, JoinGame, SeatRequest
from schemas.player_names import unique_name
from service.client import Backoff, Client, ClientError, VersionMismatchError

PATIENCE = Backoff(max_attempts=3, max_wait_s=2.0, timeout_s=8.0)
"""A person waits; what takes longer they ask for again."""

WIDTH = 1000
"""Of a picture, in pixels, where nothing else is asked for."""


SUGGEST_S = 2.0
"""How long somebody who types may be kept waiting for suggestions; Discord waits three seconds."""

MOST_TOKENS = 100
"""As many as one request takes."""

MOST_GAMES = 10

TOLD = 1500
"""Characters of what happened."""


class Person(NamedTuple):
    """A Discord user, as the table calls them."""

    user: int
    name: str
    language: Language


class Wish(NamedTuple):
    """A table as it is asked for, besides whoever asks."""

    people: Sequence[Person] = ()
    bots: Sequence[str] = ()
    open_seats: int = 0
    timeout_s: int | None = None


class Tables:
    """The games that this bot has begun."""

    def __init__(self, url: str, session: ClientSession, ledger: Ledger, width: int = WIDTH) -> None:
        self.ledger = ledger
        self._width = width
        self._clients = {
            language: Client(url, session=session, backoff=PATIENCE, language=language) for language in LANGUAGES
        }

    def client(self, language: Language, token: str | None) -> Client:
        """A client that speaks a language and shows a token."""
        return self._clients[language].with_token(token)

    def reader(self, table: Table, language: Language) -> Client:
        """A client that reads a table's game."""
        return self.client(language, table.spectator_token)

    def find(self, game: str) -> Table:
        """A game of ours; raises NoTable."""
        table = self.ledger.table(game)
        if table is None:
            raise NoTable("unknown_game")
        return table

    def in_channel(self, channel: int, user: int, game: str | None) -> Table:
        """The game that is meant: the one named, else the user's newest in the channel, else the channel's newest.

        A game of another channel is for its players alone. Raises NoTable.
        """
        if game is not None:
            named = self.find(game)
            if named.channel != channel and self.ledger.seat_of(game, user) is None:
                raise NoTable("unknown_game")
            return named
        for seat in self.ledger.seats_of(user):
            table = self.find(seat.game)
            if table.channel == channel:
                return table
        latest = self.ledger.latest(channel)
        if latest is None:
            raise NoTable("no_table")
        return latest

    async def begin(self, channel: int, host: Person, wish: Wish) -> tuple[Table, Screen]:
        """A new table, whose host sits at it."""
        people = [host, *wish.people]
        names: list[str] = []
        for person in people:
            names.append(unique_name(person.name, names))
        asked = CreateGame(
            players=[
                *(SeatRequest(name=name) for name in names),
                *(SeatRequest(bot=bot) for bot in wish.bots),
                *(SeatRequest(open=True) for _ in range(wish.open_seats)),
            ],
            visibility="private",
            turn_timeout_s=wish.timeout_s,
            on_timeout=None if wish.timeout_s is None else "bot",
        )
        created = await self.client(host.language, None).create(asked)
        table = self._keep(channel, created, {seat: person.user for seat, person in enumerate(people)})
        return table, self.opening(table, created.game, host.language)

    async def bots(self) -> list[BotInfo]:
        """The bots that can be played with; none where the service does not answer at once."""
        try:
            async with asyncio.timeout(SUGGEST_S):
                return (await self.client("en", None).bots()).bots
        except (ClientError, TimeoutError):
            return []

    def opening(self, table: Table, game: GameView, language: Language) -> Screen:
        """Who sits at a new table."""
        names = [player.name or say(language, "open") for player in game.players]
        text = say(language, "new", players=escape(", ".join(names)))
        join = Button(say(language, "join"), Pressed(table.game, game.version, "join"), "success")
        is_open = any(player.kind == "open" for player in game.players)
        return Screen(text, Picture(table.game, game.version), buttons=[join] if is_open else [])

    async def join(self, table: Table, person: Person) -> Screen:
        """A seat for a user; raises AlreadySeated."""
        if self.ledger.seat_of(table.game, person.user) is not None:
            raise AlreadySeated
        client = self.client(person.language, table.spectator_token)
        players = (await client.game(table.game)).players
        name = unique_name(person.name, [player.name for player in players if player.name is not None])
        joined = await client.join(table.game, JoinGame(name=name))
        self.ledger.add_seat(Seat(table.game, joined.seat, person.user, joined.token))
        return Screen(say(person.language, "joined"))

    async def board(self, table: Table, language: Language) -> Screen:
        """The board, and what is waited for."""
        told = await self.reader(table, language).story(table.game, limit=1)
        return Screen(
            escape(told.now), Picture(table.game, told.version), buttons=common(language, table.game, told.version)
        )

    async def scores(self, table: Table, language: Language) -> Screen:
        """Everybody's points."""
        client = self.reader(table, language)
        game, scores = await client.game(table.game), await client.scores(table.game)
        lines = [
            say(
                language,
                "score_line",
                name=escape(game.players[player.seat].name or "?"),
                points=player.points_now,
                total=player.if_ended_now.total,
            )
            for player in scores.players
        ]
        return Screen("\n".join(lines), buttons=common(language, table.game, scores.version))

    async def moves(self, table: Table, person: Person, pressed: Pressed | None = None, chosen: str = "") -> Screen:
        """What a user may do now, or the next question about it; what was pressed for another version is stale."""
        seat = self._seat(table, person)
        client = self.client(person.language, seat.token)
        legal = await client.legal_moves(table.game)
        is_stale = pressed is not None and pressed.version != legal.version
        note = say(person.language, "stale") if is_stale else ""
        if legal.seat != seat.seat:
            board = await self.board(table, person.language)
            return board._replace(text=f"{note}\n{board.text}".strip())
        if pressed is not None and pressed.what == "cell" and not is_stale and (move := only_move(legal, chosen)):
            return await self.act(table, person, pressed, move.id)
        choice = choice_of(person.language, table.game, legal, None if is_stale else pressed, chosen)
        return asking(person.language, table.game, legal, choice, note)

    async def act(self, table: Table, person: Person, pressed: Pressed, move: str) -> Screen:
        """Do a move in the position that it was offered in, and ask on where the same user decides again."""
        seat = self._seat(table, person)
        client = self.client(person.language, seat.token)
        try:
            acted = await client.act(table.game, move, if_match=str(pressed.version), include_legal_moves=True)
        except VersionMismatchError:
            return await self.moves(table, person, pressed)
        happened, now = await self.story(table, person.language, pressed.version, acted.version)
        happened = clip(happened, TOLD)
        legal = acted.legal_moves
        if legal is None or legal.seat != seat.seat:
            buttons = common(person.language, table.game, acted.version)
            return Screen(f"{happened}\n{now}", Picture(table.game, acted.version), buttons=buttons)
        choice = whole_menu(person.language, table.game, legal)
        return asking(person.language, table.game, legal, choice, happened)

    async def undo(self, table: Table, person: Person, pressed: Pressed | None = None) -> Screen:
        """Take the user's last move back, in the position that the button was shown in, and ask again."""
        client = self.client(person.language, self._seat(table, person).token)
        try:
            if pressed is None:
                await client.undo(table.game)
            else:
                await client.undo(table.game, if_match=str(pressed.version))
        except VersionMismatchError:
            return await self.moves(table, person, pressed)
        return await self.moves(table, person)

    async def resigning(self, table: Table, person: Person) -> Screen:
        """Ask once more."""
        self._seat(table, person)
        sure = Button(say(person.language, "resign"), Pressed(table.game, 0, "resign"), "danger")
        return Screen(say(person.language, "resign_sure"), buttons=[sure])

    async def resign(self, table: Table, person: Person) -> Screen:
        """Give up for good."""
        await self.client(person.language, self._seat(table, person).token).resign(table.game)
        return Screen(say(person.language, "done"))

    async def take_back(self, table: Table, person: Person) -> Screen:
        """Take the user's seat back from the bot that stands in."""
        await self.client(person.language, self._seat(table, person).token).return_to_seat(table.game)
        return await self.moves(table, person)

    async def rematch(self, table: Table, person: Person) -> tuple[Table, Screen]:
        """The same players again; who had joined keeps their token, all else has new ones."""
        self._seat(table, person)
        created = await self.client(person.language, table.owner_token).rematch(table.game)
        users = {seat.seat: seat.user for seat in self.ledger.seats(table.game).values()}
        again = self._keep(table.channel, created, users)
        handed_out = {seat.seat for seat in created.seats}
        for seat in self.ledger.seats(table.game).values():
            if seat.seat not in handed_out:
                self.ledger.add_seat(seat._replace(game=again.game))
        return again, self.opening(again, created.game, person.language)

    async def story(self, table: Table, language: Language, since: int, upto: int) -> tuple[str, str]:
        """What happened after one version up to another, and what is waited for."""
        told = await self.reader(table, language).story(table.game, since, limit=max(1, upto - since))
        return escape(" ".join(line.text for line in told.lines)), escape(told.now)

    async def picture(self, asked: Picture) -> bytes | None:
        """The board as PNG; None where this bot shows none."""
        if not self._width:
            return None
        path = f"/v1/games/{asked.game}/board.png"
        numbers = 1 if asked.candidates else None
        reader = self.reader(self.find(asked.game), "en")
        return await reader.read(path, width=self._width, side=1, last=1, coordinates=1, candidates=numbers)

    async def mine(self, person: Person) -> Screen:
        """A user's games, those that wait for them first, with a button each."""
        tokens = [seat.token for seat in self.ledger.seats_of(person.user)[:MOST_TOKENS]]
        if not tokens:
            return Screen(say(person.language, "no_games"))
        mine = await self.client(person.language, None).my_games(tokens, limit=MOST_GAMES)
        games = sorted(mine.games, key=lambda one: not one.waiting)
        buttons = [
            Button(
                f"{place}", Pressed(one.game.id, one.game.version, "menu"), "primary" if one.waiting else "secondary"
            )
            for place, one in enumerate(games, start=1)
        ]
        lines = (f"{place}. {game_line(person.language, one)}" for place, one in enumerate(games, start=1))
        return Screen("\n".join(lines), buttons=buttons)

    def _seat(self, table: Table, person: Person) -> Seat:
        seat = self.ledger.seat_of(table.game, person.user)
        if seat is None:
            raise NotSeated
        return seat

    def _keep(self, channel: int, created: Created, users: dict[int, int]) -> Table:
        table = Table(created.game.id, channel, created.owner_token, created.spectator_token)
        self.ledger.add_table(table)
        for seat in created.seats:
            if (user := users.get(seat.seat)) is not None:
                self.ledger.add_seat(Seat(table.game, seat.seat, user, seat.token))
        return table
