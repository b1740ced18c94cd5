"""Payloads: which events of which seats a webhook gets, and whose decision follows."""

import base64
from typing import Any

import msgspec
import pytest

from schemas.webhooks import Secret
from service.games.ports import StoredDiff, WebhookRegistration
from service.games.webhook_payloads import build_payload, generate_secret

PLACED = {"type": "tile_placed", "seat": 0, "tile": "cross", "x": 1, "y": 0, "rotation": 0}
TURN = {"type": "turn_started", "number": 2, "seat": 1}
DRAWN = {"type": "tile_drawn", "tile": "start"}
FUTURE = {"type": "volcano_erupted", "seat": 0, "ash": 3}


def make_diff(events: list[Any], decider: int | None = 0, seat: int | None = 0, phase: str = "islander") -> StoredDiff:
    """Return a change in which `seat` acted and after which `decider` decides."""
    turn = None if decider is None else {"number": 1, "seat": 0, "decider": decider, "phase": phase}
    received = {
        "type": "diff",
        "game": "g",
        "version": 7,
        "at": "2026-11-21T21:00:00Z",
        "digest": "0" * 32,
        "seat": seat,
        "move": None,
        "by": None,
        "events": events,
        "patch": [{"op": "add", "path": "/version", "value": 7}, {"op": "add", "path": "/turn", "value": turn}],
    }
    return StoredDiff(7, "0" * 32, "", msgspec.json.encode(received))


def build_message(change: StoredDiff, events: list[str] | None = None, seats: list[int] | None = None) -> Any:
    """Return the decoded message of a webhook, or None."""
    hook = WebhookRegistration("h", "https://bot.example/", events, seats, generate_secret(), "2026-11-21T21:00:00Z")
    message = build_payload(hook, change)
    return None if message is None else msgspec.json.decode(message.body)


def test_without_filters_a_message_has_the_whole_change() -> None:
    message = build_message(make_diff([PLACED, DRAWN, FUTURE]))
    assert message["type"] == "diff"
    assert message["data"]["events"] == [PLACED, DRAWN, FUTURE]
    assert message["data"]["next"] == {"seat": 0, "phase": "islander"}


def test_the_type_is_the_first_listed_event_of_the_change() -> None:
    change = make_diff([PLACED, TURN, DRAWN], decider=1)
    assert build_message(change, ["game_finished", "tile_drawn", "tile_placed"])["type"] == "tile_drawn"
    assert build_message(change, ["tile_placed", "tile_drawn"])["type"] == "tile_placed"
    assert build_message(change, ["tile_placed", "tile_drawn"])["data"]["events"] == [PLACED, DRAWN]
    assert build_message(change, ["game_finished"]) is None


def test_a_seat_filter_excludes_events_of_other_seats() -> None:
    change = make_diff([PLACED, TURN, DRAWN], decider=1)
    assert build_message(change, ["turn_started"], [1])["data"]["events"] == [TURN]
    assert build_message(change, ["turn_started"], [0, 2]) is None
    assert build_message(change, ["tile_placed", "tile_drawn"], [2])["data"]["events"] == [DRAWN]
    assert build_message(change, None, [2])["data"]["events"] == [DRAWN]
    assert build_message(make_diff([PLACED]), None, [2]) is None


@pytest.mark.parametrize(
    ("change", "decides"),
    (
        (make_diff([PLACED]), None),
        (make_diff([PLACED], decider=1, phase="take_ship"), 1),
        (make_diff([PLACED, TURN, DRAWN], decider=1), 1),
        (make_diff([{**TURN, "seat": 0}], decider=0), 0),
        (make_diff([{"type": "turn_timed_out", "seat": 0, "policy": "pass"}], decider=1, seat=None), 1),
        (make_diff([{"type": "game_aborted"}], decider=None, seat=None), None),
    ),
)
def test_a_decision_message_goes_to_the_next_decider(change: StoredDiff, decides: int | None) -> None:
    for seat in range(3):
        message = build_message(change, ["decision"], [seat])
        if seat != decides:
            assert message is None
        else:
            assert (message["type"], message["data"]["events"]) == ("decision", [])
            assert message["data"]["next"]["seat"] == seat


def is_secret(text: str) -> bool:
    """Return whether requests may have the secret."""
    try:
        msgspec.convert(text, Secret)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.parametrize("length", (23, 24, 25, 26, 62, 63, 64, 65))
def test_a_secret_is_24_to_64_bytes(length: int) -> None:
    secret = "whsec_" + base64.b64encode(bytes(length)).decode()
    assert is_secret(secret) == (24 <= length <= 64)
    assert not is_secret(secret[:-1] + "~")
    assert not is_secret(secret + "A")


def test_a_generated_secret_is_valid_and_random() -> None:
    first, second = generate_secret(), generate_secret()
    assert is_secret(first)
    assert first != second
    assert len(first) == len("whsec_") + 44
