"""The client: requests that create and change games; `queries` has those that only read."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar, Unpack

from south_seas.events import StartState
from south_seas.http import HttpRequest
from south_seas.models import (
    Act,
    ActionRequest,
    ActionResult,
    Created,
    CreateGame,
    GameAction,
    GameView,
    Joined,
    JoinGame,
    Move,
    RegisterWebhook,
    Rematch,
    Rematched,
    ReplaceToken,
    SeatToken,
    Webhook,
    WebhookCreated,
)
from south_seas.play_loop import MoveChooser, play_seat
from south_seas.queries import QueryClient

__all__ = ["ActOptions", "ActionInput", "Client", "PostOptions"]

T = TypeVar("T")

ActionInput = str | Move | GameAction | ActionRequest | Sequence[GameAction | ActionRequest] | Act
"""A move or its id, an action, or several actions to apply all or none."""


class IdempotencyOptions(TypedDict, total=False):
    """Options of requests that create something."""

    key: str
    """The idempotency key, to repeat the request in a later call; keep it secret if the response has tokens."""


class PostOptions(IdempotencyOptions, total=False):
    """Options of requests that create or join a game."""

    include_legal_moves: bool
    """Whether the response has the legal moves after the request."""


class ActOptions(PostOptions, total=False):
    """Options of requests that act in a game."""

    seat: int
    """The seat that acts, if the token acts for several."""
    if_match: str
    """The `VERSION` or `VERSION-DIGEST` that the game must have, with or without the quotes of the header."""
    return_game: bool
    """Whether the response has the whole GAME."""


class Client(QueryClient):
    """A client that reads and changes games. Every POST has an idempotency key, so retries have no further effect."""

    async def create(self, request: CreateGame, **options: Unpack[PostOptions]) -> Created:
        """Create a game. Store the tokens of the response: they cannot be read again."""
        return await self._post(Created, "/v1/games", request, options, self._creation_headers())

    async def join(self, game: str, request: JoinGame, **options: Unpack[PostOptions]) -> Joined:
        """Take the next open seat; a private game requires its spectator token."""
        return await self._post(Joined, f"/v1/games/{game}/seats", request, options, self._creation_headers())

    async def remove_player(self, game: str, seat: int) -> GameView:
        """Remove a player who joined, before the start, as the owner or that player; the seat is open again."""
        return await self._http.request(GameView, HttpRequest("DELETE", f"/v1/games/{game}/seats/{seat}"), self.token)

    async def replace_token(self, game: str, seat: int, **options: Unpack[IdempotencyOptions]) -> SeatToken:
        """Replace the token of a seat; the old one becomes invalid at once, even if it is this client's."""
        path = f"/v1/games/{game}/seats/{seat}/token"
        return await self._post(SeatToken, path, ReplaceToken(), options, self._creation_headers())

    async def rematch(self, game: str, seed: str | None = None, **options: Unpack[IdempotencyOptions]) -> Rematched:
        """Create a game with the same players, as the owner or a player of a game that is over.

        The same tokens are valid in it. If there is one already, the ConflictError's problem names it in `next_game`.
        """
        return await self._post(
            Rematched, f"/v1/games/{game}/rematch", Rematch(seed=seed), options, self._api_key_headers()
        )

    async def register_webhook(
        self, game: str, request: RegisterWebhook, **options: Unpack[IdempotencyOptions]
    ) -> WebhookCreated:
        """Register a webhook, as the owner or a player. Store the secret of the response: it cannot be read again."""
        return await self._post(WebhookCreated, f"/v1/games/{game}/webhooks", request, options, self._api_key_headers())

    async def retry_webhook(self, game: str, hook: str) -> Webhook:
        """Retry the next message of a webhook at once; a disabled webhook becomes active."""
        return await self._http.request(
            Webhook, HttpRequest("POST", f"/v1/games/{game}/webhooks/{hook}/retry"), self.token
        )

    async def delete_webhook(self, game: str, hook: str) -> None:
        """Delete a webhook."""
        await self._http.request_bytes(HttpRequest("DELETE", f"/v1/games/{game}/webhooks/{hook}"), self.token)

    async def abort(self, game: str) -> GameView:
        """Abort a game, as its owner."""
        return await self._http.request(GameView, HttpRequest("DELETE", f"/v1/games/{game}"), self.token)

    async def act(self, game: str, action: ActionInput, **options: Unpack[ActOptions]) -> ActionResult:
        """Play a move or several actions."""
        return await self._post_action(game, "actions", _action_body(action, options.get("seat")), options)

    async def undo(self, game: str, **options: Unpack[ActOptions]) -> ActionResult:
        """Undo the last action of this turn."""
        return await self._post_action(game, "undo", {"seat": options.get("seat")}, options)

    async def resign(self, game: str, **options: Unpack[ActOptions]) -> ActionResult:
        """Resign the seat; with the owner's token, `seat` is required."""
        return await self._post_action(game, "resign", {"seat": options.get("seat")}, options)

    async def return_to_seat(self, game: str, **options: Unpack[ActOptions]) -> ActionResult:
        """Take the seat back from a bot; with the owner's token, `seat` is required."""
        return await self._post_action(game, "return", {"seat": options.get("seat")}, options)

    async def play(
        self,
        game: str,
        seat: int,
        choose: MoveChooser,
        *,
        start: StartState | None = None,
        return_when_replaced: bool = False,
    ) -> GameView:
        """Play a seat until the game is over; return the final GAME. `choose` selects a move for every decision.

        While the service is away, it waits and goes on when the service is back, as a subscription does: a move whose
        response was lost is sent again, and played once. Raises SeatReplacedError when a bot plays for the seat, which
        missed a deadline, or takes the seat back with `return_when_replaced`. Raises SeatResignedError when the
        player of the seat resigned and the others play on.
        """
        return await play_seat(self, game, seat, choose, start, return_when_replaced=return_when_replaced)

    async def _post_action(self, game: str, path: str, body: Any, options: ActOptions) -> ActionResult:
        return await self._post(ActionResult, f"/v1/games/{game}/{path}", body, options)

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
            revision = str(if_match).strip('"')
            headers["If-Match"] = f'"{revision}"'
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
