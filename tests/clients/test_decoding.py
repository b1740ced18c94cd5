"""Responses of newer and older services."""

from typing import Any

import pytest
from msgspec import json, to_builtins

from service.games.tilesets import load_catalogue
from south_seas.decoding import DecodingError, Unknown, convert, decode
from south_seas.models import ActionResult, GameView, LegalMoves, Pass, TileDrawn, TileSet
from tests.tools import ROOT

DIGEST = "0" * 32
GAME = convert(json.decode((ROOT / "tools/openapi/examples.json").read_bytes())["game"]["value"], GameView)


NO_MOVES = LegalMoves(
    version=1,
    digest=DIGEST,
    language="en",
    seat=0,
    phase="deliver",
    moves=[],
    repeated=[],
    cells=None,
    ships=None,
    next_cursor=None,
)


def moves(*actions: dict[str, Any]) -> dict[str, Any]:
    listed = [{"id": f"m{index}", "text": "", "action": action} for index, action in enumerate(actions)]
    return {**to_builtins(NO_MOVES), "phase": "storm", "moves": listed}


def test_a_missing_field_is_null() -> None:
    document = {name: value for name, value in moves().items() if name != "next_cursor"}
    assert convert(document, LegalMoves).next_cursor is None


def test_unknown_values_and_types_pass_through() -> None:
    received = moves({"type": "pass", "phase": "storm"}, {"type": "swim", "to": [1, 2]})
    legal = decode(json.encode(received), LegalMoves)
    assert legal.phase == "storm"
    assert legal.moves[0].action == Pass(phase="storm")
    assert repr(legal.moves[1].action) == repr(Unknown("swim", {"type": "swim", "to": [1, 2]}))


def test_unknown_fields_are_dropped() -> None:
    known = to_builtins(load_catalogue(None).get("lagoon").tileset)
    assert convert({**known, "weather": "fine"}, TileSet) == convert(known, TileSet)


def test_an_unknown_value_does_not_affect_the_rest() -> None:
    document = {**decode(json.encode(GAME), dict), "status": "becalmed"}
    game = convert(document, GameView)
    assert game.status == "becalmed"
    assert (game.players, game.board, game.deck) == (GAME.players, GAME.board, GAME.deck)


def test_an_unknown_event_of_a_response_is_unknown() -> None:
    event = {"type": "tile_drawn", "tile": "cross"}
    diff = {
        "type": "diff",
        "game": "g",
        "version": 2,
        "at": "2026-01-01T00:00:00Z",
        "digest": DIGEST,
        "seat": 0,
        "move": None,
        "by": None,
        "patch": [],
        "events": [event, {"type": "storm"}],
    }
    received = {"version": 2, "digest": DIGEST, "diffs": [diff], "game": None, "legal_moves": None}
    acted = decode(json.encode({**received, "next": {"seat": None, "phase": None}}), ActionResult)
    assert acted.diffs[0].events == [TileDrawn(tile="cross"), Unknown("storm", {"type": "storm"})]
    assert isinstance(acted, ActionResult)


@pytest.mark.parametrize(
    ("change", "path"),
    (
        ({"version": "one"}, "$.version"),
        ({"version": None}, "$.version"),
        ({"version": True}, "$.version"),
        ({"moves": {}}, "$.moves"),
        ({"moves": [7]}, "$.moves[0]"),
        ({"moves": [{}]}, "$.moves[0].id"),
        ({"seat": "first"}, "$.seat"),
        ({"seat": {}}, "$.seat"),
    ),
)
def test_the_error_names_the_first_mismatch(change: dict[str, Any], path: str) -> None:
    with pytest.raises(DecodingError) as raised:
        convert({**moves(), **change}, LegalMoves)
    assert raised.value.path == path


@pytest.mark.parametrize("content", (b"", b"{", b"\xff", "[" * 10_000))
def test_other_than_json_is_an_error(content: bytes | str) -> None:
    with pytest.raises(DecodingError):
        decode(content, GameView)
