"""Names that are invisible, or the same as another, are rejected wherever a player gets a name."""

from contextlib import suppress
from hashlib import sha256
from unittest.mock import Mock

import msgspec
import pytest

from schemas.lobby import CreateGame
from schemas.player_names import is_visible, name_key, normalize_name
from tests.web.app_server import Client
from tests.web.http_game import check_problem, create_game

INVISIBLE = ("\u200b", "\u2060\u2060", "\u3164", "\u2800", "\u0301", "\ufe0f", " \u00a0\u2003", "\u034f", "\U000e0041")
HIDING = ("Ana\u202e", "A\u200bna", "\u2066Ana\u2069", "Ana\u3164", "A\x07na", "Ana\u2028x", "\ufeffAna", "A\u00adna")
JOINING_NOTHING = (
    "A\u200dna",
    "An\u200ca",
    "\u0639\u200c",
    "\u200d\U0001f469",
    "\U0001f469\u200d",
    "a\u200d\U0001f469",
)
RESERVED = ("A\ufffe", "A\ufdd0", "A\ue000", "A\u2065", "\U000e0fff", "A\U0001343f", "A\U0010ffff")

ALIKE = (
    *("ana lee", "ANA LEE", "  Ana Lee ", "Ana\u00a0Lee", "Ana  Lee", "Ana Lee\ufe0f"),
    *("\uff21\uff4e\uff41 \uff2c\uff45\uff45", "\U0001d400na Lee"),
)
"""Spellings of `Ana Lee`."""

SHOWN_AS_THEY_ARE = (
    *("\u2764\ufe0f", "\U0001f469\U0001f3fd", "\u845b\U000e0100"),
    *("\u0639\u0644\u064a", "\u0915\u094d\u0937", "a" * 32, "..."),
    *(
        "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
        "\u0627\u0645\u06cc\u0631\u200c\u062d\u0633\u06cc\u0646",
    ),  # Persian
    *(
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
        "\u0915\u094d\u200c\u0937",
        "\u0d05\u0d30\u0d41\u0d23\u0d4d\u200d",
    ),  # Sinhala, Malayalam
    *("\u09b0\u200d\u09cd\u09af\u09be\u099a\u09c7\u09b2", "\u0c86\u0cb0\u200d\u0ccd\u0caf"),  # Bengali, Kannada
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468",
    "\U0001f469\U0001f3fd\u200d\U0001f680",
    "\U0001f642\u200d\u2194\ufe0f",
    *("\U0001fae8", "\U0001fae9", "\U0001fac6\u200d\U0001fadc", "\ua7cb", "\U0001fbfa"),  # Unicode 15 to 17
)


ANSWERS = "aaf19493c82c51fbaa220d9edea83fb953ad3f0f6b7e899369af3a273b5b3b34"
"""The hash of the answers for all characters, some of them in a sequence."""


async def test_a_bad_name_is_rejected_wherever_a_player_gets_one(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana Lee"}, {"open": True}])
    hidden, other = "A\u200bna", {"bot": "random", "name": "Bo"}
    await check_problem(await game.join(hidden), 400, "malformed", "$.name")
    await check_problem(await game.join("ANA LEE"), 409, "conflict")
    for players, status, code, path in (
        ([{"name": hidden}, other], 400, "malformed", "$.players[0].name"),
        ([other, {"bot": "random", "name": hidden}], 400, "malformed", "$.players[1].name"),
        ([{"name": "Ana Lee"}, {"name": "ANA LEE"}], 409, "conflict", None),
    ):
        await check_problem(await client.post("/v1/games", json={"players": players}), status, code, path)
    joined = await (await game.join(" Ana\u0301 ")).json()
    assert joined["game"]["players"][1]["name"] == "An\u00e1"


@pytest.mark.parametrize("name", (*INVISIBLE, *HIDING, *JOINING_NOTHING, *RESERVED, "\u0958" * 17), ids=ascii)
def test_invisible_names_and_hidden_characters_are_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        normalize_name(name)


@pytest.mark.parametrize("name", ALIKE, ids=ascii)
def test_another_spelling_is_the_same_name(name: str) -> None:
    assert name_key(normalize_name(name)) == name_key("Ana Lee") != name_key("Ana Leek")


def test_names_that_differ_in_joiners_only_are_the_same() -> None:
    for name in ("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "\U0001f468\u200d\U0001f469"):
        assert name_key(name) == name_key(name.replace("\u200c", "").replace("\u200d", ""))


@pytest.mark.parametrize(
    ("name", "shown"), ((" Ana\u0301 ", "An\u00e1"), *((name, name) for name in SHOWN_AS_THEY_ARE)), ids=ascii
)
def test_names_of_all_scripts_are_accepted_trimmed_and_in_nfc(name: str, shown: str) -> None:
    assert normalize_name(name) == shown


def test_the_length_of_a_name_is_that_of_its_normal_form() -> None:
    assert len(normalize_name("\u0958" * 16)) == 32


def test_every_supported_python_answers_alike() -> None:
    """Each knows another version of Unicode. If this fails on a new Python, UNICODE_14 lacks what is new or changed."""
    answers = sha256()
    for character in map(chr, (*range(0x20000), *range(0xE0000, 0xE1000))):
        try:
            name = normalize_name(f"a{character}\u0323\u0301")
        except ValueError:
            name = ""
        key = name_key(f"{character}\u0323")
        answers.update(f"{name}\t{key}\t{is_visible(character)}\n".encode("utf-8", "surrogatepass"))
    assert answers.hexdigest() == ANSWERS


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
