"""JSON Patch (RFC 6902), limited to what diffs use: `add` and `remove` of object members, not of array items."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any


class PatchError(ValueError):
    """An operation of the patch does not apply to the document, or is of another kind."""

    def __init__(self, operation: Any) -> None:
        super().__init__(f"the patch does not apply: {operation}")
        self.operation = operation


def apply_patch(document: Any, operations: Sequence[Mapping[str, Any]]) -> Any:
    """Return the patched document, which shares what is unchanged with the original; the original stays as it is.

    Raises PatchError.

    >>> game = {"version": 1, "players": [{"name": None}]}
    >>> name = {"op": "add", "path": "/players/0/name", "value": "Ana"}
    >>> apply_patch(game, [name, {"op": "remove", "path": "/version"}])
    {'players': [{'name': 'Ana'}]}
    """
    for operation in operations:
        try:
            document = _apply(document, operation)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise PatchError(operation) from error
    return document


def _apply(document: Any, operation: Mapping[str, Any]) -> Any:
    """Apply one operation to copies of everything on its path (RFC 6901)."""
    *parents, name = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
    changed = parent = copy(document)
    for part in parents:
        key = int(part) if isinstance(parent, list) and part.isdecimal() else part
        child = copy(parent[key])
        parent[key] = child
        parent = child
    match operation["op"], parent:
        case "add", dict():
            parent[name] = operation["value"]
        case "remove", dict():
            del parent[name]
        case _:
            raise PatchError(operation)
    return changed
