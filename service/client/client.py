"""A client of the service: what can be asked (`reading`), and what changes something. Source: api.md."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, Unpack

from schemas.acting import Act, Acted
from schemas.actions import Action, ActionAsked, Move
from schemas.diffs import Diff
from schemas.game import GameView
from schemas.lobby import Created, CreateGame, Joined, JoinGame, Rematch, ReplaceToken, SeatToken
from schemas.webhooks import RegisterWebhook, Webhook, WebhookCreated
from service.client.events import Start
from service.client.http import Asked
from service.client.play_loop import Choose, play
from service.client.queries import Reader

__all__ = ["ActOptions", "Client", "Doing", "PostOptions"]

T = TypeVar("T")

Doing = str | Move | Action | ActionAsked | Sequence[Action | ActionAsked] | Act
"""What can be done: a move or its id, an action, or several actions, all or none."""


class KeyOption(TypedDict, total=False):
    """What can be said of a request that makes something."""

    key: str
    """The idempotency key, where it is to outlive this call; a secret where tokens are handed out."""


class PostOptions(KeyOption, total=False):
    """What can be said of a request that changes a game."""

    include_legal_moves: bool
    """Have the legal moves after it in the answer."""


class ActOptions(PostOptions, total=False):
    """What can be said of an action."""

    seat: int
    """Who acts, where the token acts for several."""
    if_match: str
    """Count only for this `VERSION` or `VERSION-DIGEST`."""
    return_game: bool
    """Have the whole GAME in the answer."""


class Client(Reader):
    """A reader that acts. What is sent again does nothing twice: each request carries an idempotency key."""

    async def create(self, asked: CreateGame, **options: Unpack[PostOptions]) -> Created:
        """A new game, with its tokens, which nobody can read again."""
        return await self._post(Created, "/v1/games", asked, options, self._creator())

    async def join(self, game: str, asked: JoinGame, **options: Unpack[PostOptions]) -> Joined:
        """The next open seat; that of a private game with its spectator token."""
        return await self._post(Joined, f"/v1/games/{game}/seats", asked, options, self._creator())

    async def remove_player(self, game: str, seat: int) -> GameView:
        """Send whoever joined there away, as the owner of a game that waits; the seat is open again."""
        return await self._http.ask(GameView, Asked("DELETE", f"/v1/games/{game}/seats/{seat}"), self.token)

    async def replace_token(self, game: str, seat: int, **options: Unpack[KeyOption]) -> SeatToken:
        """A new token for a seat; the old one ends at once, as this client's own may."""
        return await self._post(SeatToken, f"/v1/games/{game}/seats/{seat}/token", ReplaceToken(), options)

    async def rematch(self, game: str, seed: str | None = None, **options: Unpack[PostOptions]) -> Created:
        """The same players again, for the owner of a game that is over."""
        return await self._post(Created, f"/v1/games/{game}/rematch", Rematch(seed=seed), options)

    async def register_webhook(self, game: str, asked: RegisterWebhook, **options: Unpack[KeyOption]) -> WebhookCreated:
        """Have another server told what happens in a game, as its owner; the secret is told here only."""
        return await self._post(WebhookCreated, f"/v1/games/{game}/webhooks", asked, options)

    async def retry_webhook(self, game: str, hook: str) -> Webhook:
        """Try the message that waits at once, as the game's owner; a webhook that was disabled is active again."""
        return await self._http.ask(Webhook, Asked("POST", f"/v1/games/{game}/webhooks/{hook}/retry"), self.token)

    async def delete_webhook(self, game: str, hook: str) -> None:
        """Forget a webhook, as the game's owner."""
        await self._http.read(Asked("DELETE", f"/v1/games/{game}/webhooks/{hook}"), self.token)

    async def abort(self, game: str) -> GameView:
        """End a game, as its owner."""
        return await self._http.ask(GameView, Asked("DELETE", f"/v1/games/{game}"), self.token)

    async def act(self, game: str, doing: Doing, **options: Unpack[ActOptions]) -> Acted[Diff]:
        """Do a move or several actions."""
        return await self._change(game, "actions", _body(doing, options.get("seat")), options)

    async def undo(self, game: str, **options: Unpack[ActOptions]) -> Acted[Diff]:
        """Take the last action of this turn back."""
        return await self._change(game, "undo", {"seat": options.get("seat")}, options)

    async def resign(self, game: str, **options: Unpack[ActOptions]) -> Acted[Diff]:
        """Give the seat's game up."""
        return await self._change(game, "resign", {"seat": options.get("seat")}, options)

    async def return_to_seat(self, game: str, **options: Unpack[ActOptions]) -> Acted[Diff]:
        """Take the seat back from the bot that stands in."""
        return await self._change(game, "return", {"seat": options.get("seat")}, options)

    async def play(self, game: str, seat: int, choose: Choose, *, start: Start | None = None) -> GameView:
        """Play a seat to the end: whenever it must decide, do what `choose` chooses. Gives the GAME at the end."""
        return await play(self, game, seat, choose, start)

    async def _change(self, game: str, path: str, body: Any, options: ActOptions) -> Acted[Diff]:
        return await self._post(Acted[Diff], f"/v1/games/{game}/{path}", body, options)

    async def _post(
        self,
        kind: type[T],
        path: str,
        body: Any,
        options: ActOptions | PostOptions | KeyOption,
        more_headers: Mapping[str, str] = MappingProxyType({}),
    ) -> T:
        query = {"include": "legal_moves"} if options.get("include_legal_moves") else {}
        headers = dict(more_headers)
        if if_match := options.get("if_match"):
            headers["If-Match"] = f'"{if_match}"'
        if options.get("return_game"):
            headers["Prefer"] = "return=representation"
        return await self._http.ask(kind, Asked("POST", path, query, body, headers, options.get("key")), self.token)


def _body(doing: Doing, seat: int | None) -> Any:
    match doing:
        case Act():
            return doing
        case str():
            return {"move": doing, "seat": seat}
        case Move():
            return {"move": doing.id, "seat": seat}
        case Sequence():
            return {"actions": list(doing), "seat": seat}
        case _:
            return {"action": doing, "seat": seat}
