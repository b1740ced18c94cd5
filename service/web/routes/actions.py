"""The commands of a game in play: `POST /v1/games/{id}/actions`, `/undo`, `/resign` and `/return`."""

from functools import partial
from typing import Any, ClassVar, TypeVar

from aiohttp import web
from msgspec import Raw

from schemas.commands import Act, ActionResult, SeatCommand
from schemas.diffs import Diff
from service.games.commands import play
from service.games.commands.execute import CommandRequest
from service.games.idempotency import ReplayableResult
from service.i18n import ENGLISH
from service.web.app import CONTEXT, HttpRequest
from service.web.headers import PREFER_REPRESENTATION, IdempotencyKey, IfMatch, Prefer, PreferredLanguage
from service.web.responses import game_etag, json_response, mark_replayed
from service.web.routing import Access, Id, Route

B = TypeVar("B", Act, SeatCommand)

COMMAND_PROBLEMS = ("wrong_seat", "not_active", "conflict")
"""The problem codes that every command of an active game may return."""


class CommandFields(CommandRequest[B], frozen=True, kw_only=True):
    """What every command of an active game takes besides its body."""

    access: ClassVar[Access] = "required"
    id: Id
    if_match: IfMatch = None
    idempotency_key: IdempotencyKey = None
    prefers_game: Prefer = False
    language: PreferredLanguage = ENGLISH


class ActionRequest(CommandFields[Act], frozen=True, kw_only=True):
    """A request to act."""

    body: Act


class SeatRequest(CommandFields[SeatCommand], frozen=True, kw_only=True):
    """A request about the seat that the body names, or else the token's."""

    body: SeatCommand = SeatCommand()


def command_response(params: CommandFields[Any], answer: ReplayableResult[ActionResult[Raw]]) -> web.Response:
    """Return the response to a command."""
    result, version, replayed = answer
    etag = game_etag(version, result.digest)
    response = json_response(result, etag=etag, private=True, moves=result.legal_moves)
    mark_replayed(response, replayed=replayed)
    if params.prefers_game:
        response.headers["Preference-Applied"] = PREFER_REPRESENTATION
    return response


command_route = partial(Route, "POST", tag="playing")


@command_route(
    "/v1/games/{id}/actions",
    "Act",
    ActionResult[Diff],
    "The diffs of the action, and the next decision.",
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "resigned", "illegal_move", "list_too_long"),
)
async def act(request: HttpRequest, params: ActionRequest) -> web.Response:
    """Perform one action, one legal move by its id, or a list of actions, all or none.

    The response contains what bots answer at once; later answers of theirs are further versions. Checks run in this
    order: shape, token, completed idempotency key, `not_active`, `If-Match`, seat, rule. Without `If-Match` the action
    is applied to whatever version is current. In a list, no action may follow one that reveals hidden information.
    `version` and `ETag` are those of the last diff. If a bot plays for the seat, the problem is `replaced`: return to
    the seat first. An action after the deadline is accepted until the time-out has been applied.
    """
    return command_response(params, await play.act(request.app[CONTEXT], params))


@command_route(
    "/v1/games/{id}/undo",
    "Take a move back",
    ActionResult[Diff],
    "The diff that undoes the action.",
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "resigned", "nothing_to_undo"),
)
async def undo(request: HttpRequest, params: SeatRequest) -> web.Response:
    """Undo the last action of the deciding seat, as a new version with the event `move_undone`.

    Each request undoes one action; `turn.undoable` is the number left. With `If-Match` or an `Idempotency-Key`, a
    repeated request undoes no second one. Only a seat's own actions of this turn can be undone, and only until hidden
    information (a tile, a ship) is revealed or another seat acts. The deadline does not change. Headers, query and
    response are those of `POST /v1/games/{id}/actions`.
    """
    return command_response(params, await play.undo(request.app[CONTEXT], params))


@command_route(
    "/v1/games/{id}/resign",
    "Resign",
    ActionResult[Diff],
    "The diffs of the resignation.",
    problems=(*COMMAND_PROBLEMS, "resigned"),
)
async def resign(request: HttpRequest, params: SeatRequest) -> web.Response:
    """Resign from the game permanently, at any time, with the event `player_resigned`.

    The player's islanders return to the supply. Wares and ships still count, but the player cannot win. The turn passes
    to the next player; a tile that was drawn and not placed returns to the top of the bag. When one player is left, the
    game ends with the reason `resigned`, and that player wins. With the owner token, `seat` is required. Headers, query
    and response are those of `POST /v1/games/{id}/actions`.
    """
    return command_response(params, await play.resign_seat(request.app[CONTEXT], params))


@command_route(
    "/v1/games/{id}/return",
    "Take a seat back from a bot",
    ActionResult[Diff],
    "The diffs of the action, and the next decision.",
    problems=(*COMMAND_PROBLEMS, "not_replaced", "resigned"),
)
async def return_to_seat(request: HttpRequest, params: SeatRequest) -> web.Response:
    """Take a seat back from the bot that replaced the player after a time-out, with the event `player_returned`.

    A player who is not on turn so resumes a paused game, with the event `game_resumed`. With the owner token, `seat` is
    required. Headers, query and response are those of `POST /v1/games/{id}/actions`.
    """
    return command_response(params, await play.return_to_seat(request.app[CONTEXT], params))


ROUTES = (act, undo, resign, return_to_seat)
