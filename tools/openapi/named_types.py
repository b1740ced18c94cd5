"""Unions and enumerations that the documents name, so that generated clients have one type for each.

Only requests and tile edges have closed enumerations: those of responses may grow, so they are plain strings.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from schemas.actions import Action, ActionType
from schemas.diffs import PatchOperation
from schemas.events import AnyEvent
from schemas.messages import ClientMessage, ServerMessage
from schemas.tileset import Segment
from schemas.vocabulary import Color, Edge, Edition, PassPhase, RequestedTimeoutPolicy, Status, Visibility
from schemas.webhooks import WEBHOOK_EVENT_TYPES
from service.drawing.palette import Theme

__all__ = ["ENUMERATIONS", "UNIONS", "NamedType"]


class NamedType(NamedTuple):
    """The values of an enumeration or the Structs of a union, and a description for clients."""

    members: tuple[Any, ...]
    description: str


def _named(alias: Any, description: str) -> NamedType:
    return NamedType(get_args(alias), description)


UNIONS: Mapping[str, NamedType] = {
    "ClientMessage": _named(ClientMessage, "A message from a client; `type` says which."),
    "GameAction": _named(Action, "An action of a legal move; `type` says which."),
    "GameEvent": _named(AnyEvent, "An event of a game; `type` says which. More may be added: ignore unknown ones."),
    "PatchOperation": _named(PatchOperation, "An operation of a JSON Patch; `op` says which."),
    "Segment": _named(Segment, "A segment of a tile; `kind` says which."),
    "ServerMessage": _named(
        ServerMessage, "A message from the service; `type` says which. More may be added: ignore unknown ones."
    ),
}

ENUMERATIONS: Mapping[str, NamedType] = {
    "ActionType": _named(ActionType, "The type of an action."),
    "Color": _named(Color, "The colour of a player."),
    "Edge": _named(Edge, "An edge of a tile."),
    "Edition": _named(Edition, "The edition of the rules."),
    "GameStatus": _named(Status, "The status of a game."),
    "Include": NamedType(("legal_moves",), "An optional part of a response."),
    "LegalMovesStage": NamedType(("cell",), "A stage of a menu of legal moves."),
    "PassPhase": _named(PassPhase, "A phase that can be passed."),
    "Theme": _named(Theme, "The colours of a picture."),
    "TimeoutPolicy": _named(RequestedTimeoutPolicy, "What happens when a player misses a deadline."),
    "WebhookEventType": NamedType(WEBHOOK_EVENT_TYPES, "An event type that a webhook can subscribe to."),
    "Visibility": _named(Visibility, "Who can see a game."),
}
