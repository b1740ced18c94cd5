"""JSON Patch (RFC 6902), as far as the service's diffs use it: `add` and `remove` of members, never of array items."""

from typing import Any


class CannotApply(Exception):
    """An operation names a place that is not there, or is of a kind that diffs do not have."""

    def __init__(self, operation: dict[str, Any]) -> None:
        super().__init__(operation)
        self.operation = operation


def apply_patch(document: dict[str, Any], operations: list[dict[str, Any]]) -> None:
    """Change `document` in place.

    >>> game = {"version": 1, "players": [{"name": None}]}
    >>> apply_patch(game, [{"op": "add", "path": "/players/0/name", "value": "Ana"}])
    >>> apply_patch(game, [{"op": "remove", "path": "/version"}])
    >>> game
    {'players': [{'name': 'Ana'}]}
    """
    for operation in operations:
        parent, name = _parent(document, operation)
        match operation["op"]:
            case "add":
                parent[name] = operation["value"]
            case "remove" if name in parent:
                del parent[name]
            case _:
                raise CannotApply(operation)


def _parent(document: dict[str, Any], operation: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The object that holds the member which an operation names, and the member's name (RFC 6901)."""
    *way, name = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
    place: Any = document
    for part in way:
        try:
            place = place[int(part)] if isinstance(place, list) else place[part]
        except (LookupError, ValueError, TypeError) as error:
            raise CannotApply(operation) from error
    if not isinstance(place, dict):
        raise CannotApply(operation)
    return place, name
