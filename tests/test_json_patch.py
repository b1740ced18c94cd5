"""The JSON Patch implementations of the service and its client, compared with a public library."""

from copy import deepcopy
from types import ModuleType
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

import service.json_patch
import south_seas.json_patch

IMPLEMENTATIONS = (service.json_patch, south_seas.json_patch)

NAMES = st.sampled_from(["a", "b", "~", "/", "0,1", "-1,0", ""])
DOCUMENTS = st.dictionaries(NAMES, st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers())))


def pointer(*names: str | int) -> str:
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a document, and operations that apply to it."""
    document = draw(DOCUMENTS)
    document["players"] = {}
    players: Any = [{"name": None}, {"name": "Bo"}]
    operations: list[dict[str, Any]] = [{"op": "add", "path": "/players", "value": players}]
    for name, members in document.items():
        if name != "players" and draw(st.booleans()):
            operations.append({"op": "add", "path": pointer(name, draw(NAMES)), "value": draw(st.integers())})
        removed = [member for member in members if draw(st.booleans())]
        operations += [{"op": "remove", "path": pointer(name, member)} for member in removed]
    operations.append({"op": "add", "path": pointer("players", 1, "name"), "value": draw(st.text())})
    return document, operations


@given(case=cases())
def test_the_result_equals_that_of_a_public_library(case: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    document, operations = case
    expected = jsonpatch.apply_patch(deepcopy(document), operations)
    before = deepcopy(document)
    for json_patch in IMPLEMENTATIONS:
        assert json_patch.apply_patch(document, operations) == expected
        assert document == before


@pytest.mark.parametrize("json_patch", IMPLEMENTATIONS)
@pytest.mark.parametrize(
    "operation",
    (
        {"op": "remove", "path": "/no"},
        {"op": "add", "path": "/no/where", "value": 1},
        {"op": "add", "path": "/list/7/name", "value": 1},
        {"op": "add", "path": "/list/x/name", "value": 1},
        {"op": "add", "path": "/list/0", "value": 1},
        {"op": "add", "path": "/number/x", "value": 1},
        {"op": "replace", "path": "/number", "value": 1},
        {"op": "add", "path": "/new"},
        {"op": "add", "path": {"n": 1}, "value": 1},
        {"op": "add", "path": "", "value": 1},
        {"path": "/number"},
        5,
    ),
)
def test_an_inapplicable_operation_is_an_error(json_patch: ModuleType, operation: Any) -> None:
    with pytest.raises(json_patch.PatchError) as raised:
        json_patch.apply_patch({"list": [{"name": "Ana"}], "number": 3}, [operation])
    assert raised.value.operation == operation
