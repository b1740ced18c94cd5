"""A client of the service: what can be asked (`reading`), and what changes something. Source: api.md."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, Unpack

from schemas.acting import Act, ActionResult
from schemas.actions import Action, ActionRequest, Move
from schemas.diffs import Diff
from schemas.game import GameView
from schemas.lobby import Created, CreateGame, Joined, JoinGame, Rematch, ReplaceToken, SeatToken
from schemas.webhooks import RegisterWebhook, Webhook, WebhookCreated
from service.client.events import StartState
from service.client.http import HttpRequest
from service.client.play_loop import MoveChooser, play_seat
from service.client.queries import QueryClient

__all__ = ["ActOptions", "ActionInput", "Client", "PostOptions"]

T = TypeVar("T")

ActionInput = str | Move | Action | ActionRequest | Sequence[Action | ActionRequest] | Act
"""What can be done: a move or its id, an action, or several actions, all or none."""


class IdempotencyOptions(TypedDict, total=False):
    """What can be said of a request that makes something."""

    key: str
    """The idempotency key, where it is to outlive this call; a secret where tokens are handed out."""


class PostOptions(IdempotencyOptions, total=False):
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


class Client(QueryClient):
    """A reader that acts. What is sent again does nothing twice: each request carries an idempotency key."""

    async def create(self, request: CreateGame, **options: Unpack[PostOptions]) -> Created:
        """A new game, with its tokens, which nobody can read again."""
        return await self._post(Created, "/v1/games", request, options, self._creator_headers())

    async def join(self, game: str, request: JoinGame, **options: Unpack[PostOptions]) -> Joined:
        """The next open seat; that of a private game with its spectator token."""
        return await self._post(Joined, f"/v1/games/{game}/seats", request, options, self._creator_headers())

    async def remove_player(self, game: str, seat: int) -> GameView:
        """Send whoever joined there away, as the owner of a game that waits; the seat is open again."""
        return await self._http.request(GameView, HttpRequest("DELETE", f"/v1/games/{game}/seats/{seat}"), self.token)

    async def replace_token(self, game: str, seat: int, **options: Unpack[IdempotencyOptions]) -> SeatToken:
        """A new token for a seat; the old one ends at once, as this client's own may."""
        return await self._post(SeatToken, f"/v1/games/{game}/seats/{seat}/token", ReplaceToken(), options)

    async def rematch(self, game: str, seed: str | None = None, **options: Unpack[PostOptions]) -> Created:
        """The same players again, for the owner of a game that is over."""
        return await self._post(Created, f"/v1/games/{game}/rematch", Rematch(seed=seed), options)

    async def register_webhook(
        self, game: str, request: RegisterWebhook, **options: Unpack[IdempotencyOptions]
    ) -> WebhookCreated:
        """Have another server told what happens in a game, as its owner; the secret is told here only."""
        return await self._post(WebhookCreated, f"/v1/games/{game}/webhooks", request, options)

    async def retry_webhook(self, game: str, hook: str) -> Webhook:
        """Try the message that waits at once, as the game's owner; a webhook that was disabled is active again."""
        return await self._http.request(
            Webhook, HttpRequest("POST", f"/v1/games/{game}/webhooks/{hook}/retry"), self.token
        )

    async def delete_webhook(self, game: str, hook: str) -> None:
        """Forget a webhook, as the game's owner."""
        await self._http.request_bytes(HttpRequest("DELETE", f"/v1/games/{game}/webhooks/{hook}"), self.token)

    async def abort(self, game: str) -> GameView:
        """End a game, as its owner."""
        return await self._http.request(GameView, HttpRequest("DELETE", f"/v1/games/{game}"), self.token)

    async def act(self, game: str, action: ActionInput, **options: Unpack[ActOptions]) -> ActionResult[Diff]:
        """Do a move or several actions."""
        return await self._post_action(game, "actions", _action_body(action, options.get("seat")), options)

    async def undo(self, game: str, **options: Unpack[ActOptions]) -> ActionResult[Diff]:
        """Take the last action of this turn back."""
        return await self._post_action(game, "undo", {"seat": options.get("seat")}, options)

    async def resign(self, game: str, **options: Unpack[ActOptions]) -> ActionResult[Diff]:
        """Give the seat's game up."""
        return await self._post_action(game, "resign", {"seat": options.get("seat")}, options)

    async def return_to_seat(self, game: str, **options: Unpack[ActOptions]) -> ActionResult[Diff]:
        """Take the seat back from the bot that stands in."""
        return await self._post_action(game, "return", {"seat": options.get("seat")}, options)

    async def play(self, game: str, seat: int, choose: MoveChooser, *, start: StartState | None = None) -> GameView:
        """Play a seat to the end: whenever it must decide, do what `choose` chooses. Gives the GAME at the end."""
        return await play_seat(self, game, seat, choose, start)

    async def _post_action(self, game: str, path: str, body: Any, options: ActOptions) -> ActionResult[Diff]:
        return await self._post(ActionResult[Diff], f"/v1/games/{game}/{path}", body, options)

    async def _post(
        self,
        response_type: type[T],
        path: str,
        body: Any,
        options: ActOptions | PostOptions | IdempotencyOptions,
        extra_headers: Mapping[str, str] = MappingProxyType({}),
    ) -> T:
        query = {"include": "legal_moves"} if options.get("include_legal_moves") else {}
        headers = dict(extra_headers)
        if if_match := options.get("if_match"):
            headers["If-Match"] = f'"{if_match}"'
        if options.get("return_game"):
            headers["Prefer"] = "return=representation"
        return await self._http.request(
            response_type, HttpRequest("POST", path, query, body, headers, options.get("key")), self.token
        )


def _action_body(action: ActionInput, seat: int | None) -> Any:
    match action:
        case Act():
            return action
        case str():
            return {"move": action, "seat": seat}
        case Move():
            return {"move": action.id, "seat": seat}
        case Sequence():
            return {"actions": list(action), "seat": seat}
        case _:
            return {"action": action, "seat": seat}
