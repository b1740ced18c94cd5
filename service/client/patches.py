"""JSON Patch (RFC 6902), as far as the service's diffs use it: `add` and `remove` of members, never of array items."""

from collections.abc import Sequence
from typing import Any

__all__ = ["CannotApply", "patched"]


class CannotApply(Exception):
    """An operation names a place that is not there, or is of a kind that diffs do not have."""

    def __init__(self, operation: dict[str, Any]) -> None:
        super().__init__(operation)
        self.operation = operation


def patched(document: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """A document after a patch. What does not change is shared with the one before, which stays as it is.

    >>> game = {"version": 1, "players": [{"name": None}]}
    >>> name = {"op": "add", "path": "/players/0/name", "value": "Ana"}
    >>> patched(game, [name, {"op": "remove", "path": "/version"}])
    {'players': [{'name': 'Ana'}]}
    """
    for operation in operations:
        way = [part.replace("~1", "/").replace("~0", "~") for part in operation.get("path", "").split("/")[1:]]
        document = _changed(document, way, operation)
    return document


def _changed(place: Any, way: list[str], operation: dict[str, Any]) -> Any:
    """A part of the document after an operation on what lies `way` further in it (RFC 6901)."""
    match place, way:
        case list(), [index, _, *_] if index.isdecimal() and int(index) < len(place):
            at = int(index)
            return [*place[:at], _changed(place[at], way[1:], operation), *place[at + 1 :]]
        case dict(), [name, _, *_] if name in place:
            return {**place, name: _changed(place[name], way[1:], operation)}
        case dict(), [name] if operation["op"] == "add":
            return {**place, name: operation["value"]}
        case dict(), [name] if operation["op"] == "remove" and name in place:
            return {member: value for member, value in place.items() if member != name}
        case _:
            raise CannotApply(operation)
