"""`south-seas verify` says what a log proves, and `tileset` shows a set and what it lacks of the printed game."""

import asyncio
import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer
from click.testing import CliRunner

from schemas.tileset import TileSet
from service.cli import verify
from service.cli.tileset import list_gaps, preview_page
from service.cli.verify import RequestFailed, decode_log, download_log, encode_log, make_verdict
from service.engine.tileset_validation import parse_tileset
from service.games.history import NOTHING_OBSERVED, Check, Observed
from service.games.tilesets import BUILT_IN_DIRECTORY
from service.main import cli
from service.store.game_store import RedisStore
from tests.cli.test_commands import south_seas
from tests.polling import wait_until
from tests.reference.board import Json
from tests.reference.random_play import island, sea, ship, tileset
from tests.web.app_server import serve
from tests.web.http_game import create_game


def log(*, seed_chosen: bool | None = False) -> list[dict[str, Any]]:
    """Return a log of two versions; None for one without a deck."""
    deck = [] if seed_chosen is None else [{"path": "/deck", "value": {"seed_chosen": seed_chosen}}]
    return [
        {"version": 1, "digest": "d1", "patch": [{"path": "/seats", "value": []}, *deck]},
        {"version": 2, "digest": "d2", "patch": []},
    ]


PLAYED = ("The game followed the rules", "The order of tiles and ships was fixed when the player saw it")
PLAYED_UNLESS_FORGED = (PLAYED[0], "The order of tiles and ships was fixed before the first move, unless the whole")
FORGEABLE = "That this is the game that was played: whoever stores the log"
KNOWN_TO_CREATOR, KNOWN_TO_SERVICE = (
    f"That nobody knew the order: the {who}" for who in ("creator of the game chose", "service generated")
)
UNKNOWN_SEED, ONLY_STATED = "The order and the rules: the seed is secret", "Who sat where, the times"


@pytest.mark.parametrize(
    ("seed_chosen", "passed", "observed", "proved", "not_proved"),
    (
        (True, False, Observed("c", ()), (), ("Anything: this log contradicts itself",)),
        (
            *(True, True, NOTHING_OBSERVED),
            ("No version was changed", *PLAYED_UNLESS_FORGED),
            (FORGEABLE, KNOWN_TO_CREATOR, ONLY_STATED),
        ),
        (False, None, NOTHING_OBSERVED, ("No version was changed",), (FORGEABLE, UNKNOWN_SEED, ONLY_STATED)),
        (
            *(None, True, Observed("c", ())),
            ("The commitment of this log is the one", *PLAYED),
            ("That these moves were played: give a digest", KNOWN_TO_SERVICE, ONLY_STATED),
        ),
        (
            *(False, True, Observed(None, ((None, "d1"),))),
            ("Up to version 1 this is the log", *PLAYED),
            ("The moves after version 1: give a later digest", KNOWN_TO_SERVICE, ONLY_STATED),
        ),
        (
            *(False, None, Observed(None, ((1, "d1"), (None, "d2")))),
            ("Up to version 2 this is the log",),
            (UNKNOWN_SEED, ONLY_STATED),
        ),
    ),
)
def test_a_log_proves_what_its_checks_and_the_player_confirm(
    seed_chosen: bool | None,
    passed: bool | None,
    observed: Observed,
    proved: tuple[str, ...],
    not_proved: tuple[str, ...],
) -> None:
    checks = [Check("digests", passed=True, detail=""), Check("rules", passed=passed, detail="")]
    verdict = make_verdict(log(seed_chosen=seed_chosen), checks, observed)
    for claims, begins in ((verdict.proved, proved), (verdict.not_proved, not_proved)):
        assert len(claims) == len(begins)
        for claim, begin in zip(claims, begins, strict=True):
            assert claim.startswith(begin)


DEEP = 10_000 * "[" + 10_000 * "]"


async def test_a_log_is_downloaded_in_pages(store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "PAGE_SIZE", 2)
    async with serve(store) as client:
        game = await create_game(client, visibility="private")
        for _ in range(3):
            await game.act_successfully()
        url = str(client.make_url(f"/v1/games/{game.id}"))
        log = await download_log(f"{url}/", game.owner_token)
        with pytest.raises(RequestFailed, match="or it is private"):
            await download_log(url, None)
        file = tmp_path / "log.json"
        online = await south_seas("verify", url, "--save", str(file), SOUTH_SEAS_TOKEN=game.owner_token)
    assert (online.returncode, file.read_bytes()) == (3, encode_log(log)), online.stderr
    assert await south_seas("verify", str(file)) == online
    assert [diff["version"] for diff in log.diffs] == [*range(1, len(log.diffs) + 1)]
    assert len(log.diffs) >= 4
    assert log.tileset is not None
    assert msgspec.json.decode(log.tileset)["id"] == "lagoon"


@pytest.mark.parametrize("url", ("games/1", "ftp://host/v1/games/1", "http://host/v1/games/1/diffs", "http://host/"))
async def test_what_is_no_game_is_not_downloaded(url: str) -> None:
    with pytest.raises(RequestFailed, match="is not the URL of a game"):
        await download_log(url, None)


@pytest.mark.parametrize(
    ("response", "message"),
    (
        ({"status": 502, "text": "a proxy's own"}, "502 Bad Gateway"),
        ({"text": "<html>"}, "is not a South Seas service"),
        ({"body": b"\xff"}, "is not a South Seas service"),
        ({"text": "{}"}, "is not a South Seas service"),
        ({"text": f'{{"unknown": {DEEP}}}'}, "is not a South Seas service"),
        ({"status": 502, "text": f'{{"unknown": {DEEP}}}'}, "502 Bad Gateway"),
    ),
)
async def test_something_else_that_answers_is_named_and_gets_only_a_given_token(
    response: dict[str, object], message: str
) -> None:
    received = []

    async def handle(request: web.BaseRequest) -> web.Response:
        received.append(request.headers.get("Authorization"))
        return web.Response(**response)  # type: ignore[arg-type]  # the cases are correct

    async with RawTestServer(handle) as server:
        for token in (None, "secret"):
            with pytest.raises(RequestFailed, match=message):
                await download_log(str(server.make_url("/v1/games/g")), token)
    assert received == [None, "Bearer secret"]


async def test_a_limit_is_waited_for_unless_it_lasts() -> None:
    pauses = ["0", "3600", "Sun, 06 Nov 2094 08:49:37 GMT"]

    async def handle(_: web.BaseRequest) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": pauses.pop(0)})

    async with RawTestServer(handle) as server:
        for left in (1, 0):
            with pytest.raises(RequestFailed, match="429 Too Many Requests"):
                await download_log(str(server.make_url("/v1/games/g")), None)
            assert len(pauses) == left


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    one = '{"version": 1}'
    for text in (f"[{one}]", f'{{"diffs": [{one}]}}', one, f"{one}\n{one}\n"):
        assert decode_log(text.encode("utf-8-sig")) == decode_log(text.encode())


LAGOON: Json = json.loads((BUILT_IN_DIRECTORY / "lagoon.json").read_bytes())


def draw(tileset: Json) -> str:
    return preview_page(json.dumps(tileset).encode(), "mine.json", reloads=False)


def figures(page: str) -> list[str]:
    return re.findall(r"<figure>(.*?)</figure>", page, re.DOTALL)


def text(html: str) -> str:
    """Return the words that a reader sees."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def change_tile(number: int, **members: object) -> Json:
    tiles = [{**tile, **members} if index == number else tile for index, tile in enumerate(LAGOON["tiles"])]
    return {**LAGOON, "tiles": tiles}


def test_each_tile_and_ship_is_drawn_with_its_position_and_number() -> None:
    page = draw(LAGOON)
    shown = figures(page)
    assert len(shown) == len(LAGOON["tiles"]) + len(LAGOON["ships"])
    assert all("<svg" in figure for figure in shown)
    assert text(shown[0]) == "tiles[0] start \N{MULTIPLICATION SIGN} 2"
    assert text(shown[-1]) == "ships[23] s24"
    assert "73 tiles" in text(page)
    assert "; the printed game has" not in text(page)


def test_it_says_what_the_set_lacks_of_the_printed_game() -> None:
    assert "ships: 23; the printed game has 24 (R1.3)" in text(draw({**LAGOON, "ships": LAGOON["ships"][1:]}))


def test_a_tile_with_faults_has_them_instead_of_its_picture() -> None:
    faulty = change_tile(1, edges={"n": "island", "e": "sea", "s": "bridge", "w": "sea"}, count=9)
    shown = figures(draw(faulty))
    assert "<svg" not in shown[1]
    assert "edges.s: the edge s shows bridge, but no bridge segment lists it" in text(shown[1])
    assert all("<svg" in figure for figure in shown[2:])


def test_one_malformed_tile_hides_neither_the_others_nor_their_faults() -> None:
    faulty = change_tile(1, count="two")
    faulty["tiles"][30] = {**faulty["tiles"][30], "segments": []}
    shown = figures(draw(faulty))
    assert text(shown[1]) == "tiles[1] count: Expected int, got str"
    assert "is in no sea segment" in text(shown[30])
    assert sum("<svg" in figure for figure in shown) == len(shown) - 2


def test_faults_of_the_whole_set_are_above_the_pictures() -> None:
    page = draw({**LAGOON, "start": "<nowhere>", "id": "mine"})
    assert "start: Expected str matching regex" in text(page)
    assert all("<svg" in figure for figure in figures(page))
    assert "start: no tile has the id nowhere" in text(draw({**LAGOON, "start": "nowhere"}))


def test_a_file_that_is_no_json_is_told_with_the_line() -> None:
    page = preview_page(b'{\n  "tiles": [\n  ],\n}', "<mine>.json", reloads=False)
    assert "this is not JSON in UTF-8: JSON is malformed: trailing comma in object, in line 4" in text(page)
    assert "<mine>" not in page
    assert figures(page) == []


def test_the_page_is_written_beside_the_file_or_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(LAGOON))
    assert CliRunner().invoke(cli, ["tileset", "preview", str(file)]).output == f"{tmp_path / 'mine.html'}\n"
    page = (tmp_path / "mine.html").read_text()
    assert 'http-equiv="refresh"' not in page
    CliRunner().invoke(cli, ["tileset", "preview", str(file), "--output", str(tmp_path / "other")])
    assert (tmp_path / "other").read_text() == page


def test_the_page_never_replaces_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.html"
    file.write_text("{}")
    assert CliRunner().invoke(cli, ["tileset", "preview", str(file)]).exit_code == 2
    assert file.read_text() == "{}"


async def test_with_watch_the_page_follows_the_file(tmp_path: Path) -> None:
    file, page = tmp_path / "mine.json", tmp_path / "mine.html"
    file.write_text(json.dumps(LAGOON))
    command = (sys.executable, "-m", "service.main", "tileset", "preview", str(file), "--watch")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    try:
        await wait_until(page.exists)
        assert 'http-equiv="refresh"' in page.read_text()
        file.unlink()
        file.write_text(json.dumps({**LAGOON, "ships": []}))
        await wait_until(lambda: "a set has at least one ship" in page.read_text())
        assert process.returncode is None
    finally:
        process.terminate()
        await process.wait()


SEA_EDGES = dict.fromkeys("nesw", "sea")
ISLET: Json = {"id": "islet", "count": 2, "edges": SEA_EDGES, "segments": [island(""), sea(range(8), (1,))]}


def parse(*tiles: Json, ships: int = 1) -> TileSet:
    listed = tileset("islet", [*tiles], [ship(f"s{number}", 6, any_ware=6) for number in range(ships)])
    return parse_tileset(json.dumps(listed).encode())


def test_a_set_of_two_tiles_lacks_nearly_everything() -> None:
    assert [*list_gaps(parse(ISLET))] == [
        "tiles, with the start tile: 2; the printed game has 73 (R1.2)",
        "ships: 1; the printed game has 24 (R1.3)",
        "tiles with a boat: 0; the printed game has 19 (R1.5)",
        "tiles with a junction of 3 bridges or more: 0; the printed game has at least 1 (R5.1)",
        "tiles with a bridge that ends at an island: 0; the printed game has at least 1 (R5.1)",
        "tiles with a bridge that ends at a market: 0; the printed game has at least 1 (R5.1)",
        "groups of two fish: 0; the printed game has at least 1 (R5.7)",
        "tiles with a bridge, a market and a sea: 0; the printed game has at least 1 (R9)",
        "tiles with a bridge, an island and a sea: 0; the printed game has at least 1 (R9)",
        "tiles with an island from one side to the opposite one and 2 seas: 0; the printed game has at least 1 (R9)",
        "tiles with 2 islands and 3 seas: 0; the printed game has at least 1 (R9)",
        "ships of 5 points for 2 shells, 1 fish and 1 banana: 0; the printed game has at least 1 (R9)",
        "ships of 5 points for 6 wares of any kind: 0; the printed game has at least 1 (R9)",
        "ships of 4 points for 5 wares of any kind: 0; the printed game has at least 1 (R9)",
        "ships of 3 points for 4 identical wares: 0; the printed game has at least 1 (R9)",
        "ships of 3 points for 3 identical wares and 1 of another kind: 0; the printed game has at least 1 (R9)",
        "ships of 2 points: 0; the printed game has at least 1 (R9)",
        "ships of 6 points: 1; the printed game has at least 2 (R9)",
    ]


def test_r1_2_another_tile_may_have_the_start_tiles_picture_and_other_wares() -> None:
    alone = "tiles with the start tile's picture: 1; the printed game has at least 2 (R1.2)"
    start = {**ISLET, "count": 1}
    assert alone in list_gaps(parse(start, {"id": "sea", "count": 1, "edges": SEA_EDGES, "segments": [sea(range(8))]}))
    richer = {**start, "id": "richer", "segments": [island("", 3), sea(range(8), (2,))]}
    assert alone not in list_gaps(parse(start, richer))


def test_more_than_the_printed_game_has_is_told_where_its_number_is_known() -> None:
    gaps = [*list_gaps(parse({**ISLET, "count": 80}, ships=25))]
    assert gaps[:2] == [
        "tiles, with the start tile: 80; the printed game has 73 (R1.2)",
        "ships: 25; the printed game has 24 (R1.3)",
    ]
    assert not [gap for gap in gaps if "6 points" in gap]
