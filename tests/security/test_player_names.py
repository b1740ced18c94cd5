"""Names that are invisible or look alike are rejected wherever a player gets a name."""

from contextlib import suppress
from unittest.mock import Mock

import msgspec
import pytest

from schemas.lobby import CreateGame
from schemas.player_names import normalize_name
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, check_problem, create_game

INVISIBLE = ("\u200b", "\u2060\u2060", "\u3164", "\u2800", "\u0301", "\ufe0f", " \u00a0\u2003", "\u034f", "\U000e0041")
HIDING = ("Ana\u202e", "A\u200bna", "\u2066Ana\u2069", "Ana\u3164", "A\x07na", "Ana\u2028x", "\ufeffAna", "A\u00adna")

ALIKE = (
    *("ana lee", "ANA LEE", "  Ana Lee ", "Ana\u00a0Lee", "Ana  Lee", "Ana Lee\ufe0f"),
    *("\uff21\uff4e\uff41 \uff2c\uff45\uff45", "\U0001d400na Lee"),
)
"""Spellings that look like `Ana Lee`."""

SHOWN_AS_THEY_ARE = (
    *("\u2764\ufe0f", "\U0001f469\U0001f3fd", "\u845b\U000e0100"),
    *("\u0639\u0644\u064a", "\u0915\u094d\u0937", "a" * 32, "..."),
)


async def with_open_seat(client: Client) -> HTTPGame:
    """Create Ana Lee's game with an open seat."""
    return await create_game(client, [{"name": "Ana Lee"}, {"open": True}])


@pytest.mark.parametrize("name", (*INVISIBLE, *HIDING), ids=ascii)
async def test_invisible_names_and_hidden_characters_are_rejected(client: Client, name: str) -> None:
    game = await with_open_seat(client)
    await check_problem(await game.join(name), 400, "malformed", "$.name")
    created = await client.post("/v1/games", json={"players": [{"name": name}, {"bot": "random", "name": "Bo"}]})
    await check_problem(created, 400, "malformed", "$.players[0].name")
    created = await client.post("/v1/games", json={"players": [{"name": "Bo"}, {"bot": "random", "name": name}]})
    await check_problem(created, 400, "malformed", "$.players[1].name")


@pytest.mark.parametrize("name", ALIKE, ids=ascii)
async def test_names_that_look_alike_are_rejected(client: Client, name: str) -> None:
    game = await with_open_seat(client)
    await check_problem(await game.join(name), 409, "conflict")
    requested = {"players": [{"name": "Ana Lee"}, {"name": name}]}
    await check_problem(await client.post("/v1/games", json=requested), 409, "conflict")
    assert (await game.join("Ana Leek")).status == 200


@pytest.mark.parametrize(
    ("name", "shown"), ((" Ana\u0301 ", "An\u00e1"), *((name, name) for name in SHOWN_AS_THEY_ARE)), ids=ascii
)
async def test_names_of_all_scripts_are_accepted_trimmed_and_in_nfc(client: Client, name: str, shown: str) -> None:
    game = await with_open_seat(client)
    response = await game.join(name)
    assert response.status == 200, await response.text()
    assert (await response.json())["game"]["players"][1]["name"] == shown


async def test_the_length_of_a_name_is_that_of_its_normal_form(client: Client) -> None:
    game = await with_open_seat(client)
    await check_problem(await game.join("\u0958" * 17), 400, "malformed", "$.name")
    assert (await game.join("\u0958" * 16)).status == 200


async def test_bots_of_the_same_name_are_numbered(client: Client) -> None:
    greedy = {"bot": "greedy"}
    game = await create_game(client, [greedy, {"name": "Greedy"}, greedy, {"bot": "greedy", "name": "GREEDY"}])
    names = [player["name"] for player in (await game.get_json())["players"]]
    assert names == ["Greedy 2", "Greedy", "Greedy 3", "GREEDY 4"]
    long = "a" * 32
    other = await create_game(client, [{"bot": long, "name": long} | greedy, {"bot": "greedy", "name": long}])
    assert [player["name"] for player in (await other.get_json())["players"]] == [long, "a" * 30 + " 2"]


def test_no_name_is_normalized_before_the_number_of_seats_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body has room for thousands."""
    monkeypatch.setattr("schemas.lobby.normalize_name", normalize := Mock(side_effect=normalize_name))
    for seats in (2, 5_000):
        with suppress(msgspec.ValidationError):
            msgspec.json.decode(msgspec.json.encode({"players": [{"name": "Ana"}] * seats}), type=CreateGame)
        assert normalize.call_count == 2
