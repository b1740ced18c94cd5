"""What a user does in a game; each action returns a screen."""

from collections.abc import Mapping
from contextlib import suppress

from examples.chat.actions import ChatAction
from examples.chat.errors import BotError
from examples.chat.games import Games, Person, game_buttons
from examples.chat.menus import MoveMenus, starts_with_ships, worth_lines
from examples.chat.names import send_names
from examples.chat.phrases import translate
from examples.chat.screens import Button, Picture, Screen, clip
from examples.chat.storage import ChannelGame, Seat
from south_seas import Client, ConflictError, UnauthorizedError, VersionMismatchError
from south_seas.models import Deliver, GameView, JoinGame, LegalMoves, PlayerScores


class PlayerActions:
    """The actions of a user in a game. They raise BotError and ClientError."""

    def __init__(self, games: Games, channel_game: ChannelGame, person: Person) -> None:
        self._games = games
        self._chat = games.chat
        self._channel_game = channel_game
        self._game = channel_game.game
        self._person = person
        self._reader = games.reader(channel_game, person.language)

    async def perform(self, name: str, action: ChatAction | None = None) -> Screen:
        """Perform a command, or the action of a button."""
        match name:
            case "board":
                return await self._board()
            case "scores":
                return await self._scores()
            case "join":
                return await self._join()
            case "leave":
                return await self._leave()
            case "move" if action is not None:
                return await self._act(action)
            case "undo":
                return await self._undo(action)
            case "resign":
                return await self._resign(action)
            case "back" | "return":
                return await self._return_to_seat()
            case "rematch":
                return await self._rematch()
            case _:
                return await self._moves(action)

    async def _board(self) -> Screen:
        """Show the board and whose turn it is."""
        story = await self._reader.story(self._game, limit=1)
        return await self._game_screen(self._chat.escape(story.now))

    async def _scores(self) -> Screen:
        game, scores = await self._reader.game(self._game), await self._reader.scores(self._game)
        lines = [self._score_line(game, player) for player in scores.players if game.players[player.seat].name]
        return Screen("\n".join(lines), buttons=self._game_buttons(game))

    def _score_line(self, game: GameView, scores: PlayerScores) -> str:
        """Return a player's points; an end is supposed only of a game that goes on."""
        name, total = self._chat.escape(game.players[scores.seat].name or "?"), scores.if_ended_now.total
        if game.status == "active":
            return self._phrase("score_line", name=name, points=scores.points_now, total=total)
        return self._phrase("final_line", name=name, points=total if game.status == "finished" else scores.points_now)

    async def _join(self) -> Screen:
        """Take an open seat; the button gives it back."""
        if self._games.storage.seat_of(self._game, self._person.user) is not None:
            raise BotError("already")
        players = (await self._reader.game(self._game)).players
        taken = [player.name for player in players if player.name is not None]
        joined = await send_names(
            [self._person.name], taken, lambda names: self._reader.join(self._game, JoinGame(name=names[0]))
        )
        self._games.storage.add_seat(Seat(self._game, joined.seat, self._person.user, joined.token))
        leave = Button(self._phrase("leave"), ChatAction(self._game, joined.game.version, "leave"))
        return Screen(self._phrase("joined"), buttons=[leave] if joined.game.status == "waiting" else [])

    async def _leave(self) -> Screen:
        """Give the seat back, before the game begins."""
        client, seat = self._client()
        try:
            with suppress(UnauthorizedError):  # a request whose response was lost has ended the token
                await client.remove_player(self._game, seat)
        except ConflictError as error:
            raise BotError("cannot_leave") from error
        self._games.storage.remove_seat(self._game, seat)
        return Screen(self._phrase("left"))

    async def _moves(self, action: ChatAction | None = None) -> Screen:
        """Show the user's legal moves, or the next step of a choice; an action for another version is stale."""
        client, seat = self._client()
        legal = await client.legal_moves(self._game, effects=True)
        is_stale = action is not None and action.version != legal.version
        note = self._phrase("stale") if is_stale else ""
        if legal.seat != seat:
            board = await self._board()
            return board._replace(text=f"{note}\n{board.text}".strip(), is_others_turn=True)
        if action is not None and action.name == "cell" and not is_stale:
            move = self._menus(legal, {}).single_move(action.value)
            if move is not None:
                return await self._act(action._replace(name="move", value=move.id))
        return await self._move_screen(legal, None if is_stale else action, note)

    async def _act(self, action: ChatAction) -> Screen:
        """Play a move at the version it was offered for; show the next moves if the same user decides again."""
        client, seat = self._client()
        try:
            acted = await client.act(self._game, action.value, if_match=str(action.version))
        except VersionMismatchError:
            return await self._moves(action)
        happened, now = await self._games.story(
            self._channel_game, self._person.language, action.version, acted.version
        )
        happened = self._chat.escape(clip(happened, self._chat.max_story))
        if acted.next.seat == seat:
            legal = await client.legal_moves(self._game, effects=True)
            if legal.seat == seat:
                return await self._move_screen(legal, None, happened)
        return await self._game_screen(f"{happened}\n{self._chat.escape(now)}")

    async def _undo(self, action: ChatAction | None) -> Screen:
        """Undo the user's last move, at the version of the button; show the legal moves again."""
        client, _ = await self._active_client()
        try:
            if action is None:
                await client.undo(self._game)
            else:
                await client.undo(self._game, if_match=str(action.version))
        except VersionMismatchError:
            return await self._moves(action)
        return await self._moves()

    async def _resign(self, confirmation: ChatAction | None) -> Screen:
        """Resign the user's seat; ask for a confirmation first, which counts for that seat only."""
        client, seat = await self._active_client()
        if confirmation is None or confirmation.value != str(seat):
            action = ChatAction(self._game, 0, "resign", str(seat))
            return Screen(self._phrase("resign_sure"), buttons=[Button(self._phrase("resign"), action, "danger")])
        await client.resign(self._game)
        return Screen(self._phrase("resigned"))

    async def _return_to_seat(self) -> Screen:
        """Take the user's seat back from a bot."""
        client, _ = await self._active_client()
        await client.return_to_seat(self._game)
        return await self._moves()

    async def _rematch(self) -> Screen:
        """Start a game with the same players."""
        self._client()
        return await self._games.rematch(self._channel_game, self._person.language)

    def _client(self) -> tuple[Client, int]:
        """Return a client that acts for the user, and the user's seat. Raises BotError."""
        seat = self._games.storage.seat_of(self._game, self._person.user)
        if seat is None:
            raise BotError("unseated")
        return self._reader.with_token(seat.token), seat.seat

    async def _active_client(self) -> tuple[Client, int]:
        """Return the same for what only a player of an active game can do. Raises BotError."""
        client, seat = self._client()
        game = await self._reader.game(self._game)
        if game.status != "active":
            raise BotError("not_begun" if game.status == "waiting" else "over")
        if game.players[seat].resigned:
            raise BotError("resigned")
        return client, seat

    def _menus(self, legal: LegalMoves, ships: Mapping[str, str]) -> MoveMenus:
        return MoveMenus(self._chat, self._person.language, self._game, legal, ships)

    async def _move_screen(self, legal: LegalMoves, action: ChatAction | None, before: str) -> Screen:
        """Return the screen of a choice, below a text."""
        ships: Mapping[str, str] = {}
        if starts_with_ships(self._chat, legal):
            ships = await self._games.ship_labels(self._channel_game, self._person.language)
        choice = self._menus(legal, ships).choice(action)
        question = f"{choice.question} {self._phrase('numbers')}" if self._chat.has_pictures else choice.question
        worth = [*worth_lines(choice)] if self._chat.has_pictures else []
        if legal.phase == "deliver":
            offered = {move.action.ship for move in legal.moves if isinstance(move.action, Deliver)}
            worth += [offer.text for offer in legal.ships or () if offer.ship not in offered]
        appraisal = self._chat.escape(clip("\n".join(worth), self._chat.max_story))
        return Screen(
            f"{before}\n{question}\n{appraisal}".strip(),
            Picture(self._game, legal.version, candidates=True),
            choice.question,
            choice.options,
            [*choice.buttons, *self._undo_buttons(legal)],
        )

    async def _game_screen(self, text: str) -> Screen:
        """Return a screen with the board, and what the user can do."""
        game = await self._reader.game(self._game)
        return Screen(text, Picture(self._game, game.version), buttons=self._game_buttons(game))

    def _game_buttons(self, game: GameView) -> list[Button]:
        seat = self._games.storage.seat_of(self._game, self._person.user)
        return game_buttons(game, self._person.language, None if seat is None else seat.seat)

    def _undo_buttons(self, legal: LegalMoves) -> list[Button]:
        """Return the button that undoes a move; none at the start of a turn, before the player has moved."""
        undo = Button(self._phrase("undo"), ChatAction(self._game, legal.version, "undo"))
        return [] if legal.phase == "place_tile" else [undo]

    def _phrase(self, key: str, **values: object) -> str:
        return translate(self._person.language, key, **values)
