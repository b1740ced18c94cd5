"""What `south-seas verify` says that a log proves, and what not, by what a player saw.

The log that `south-seas verify` downloads, or reads from a file.
"""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from service.cli import verify
from service.cli.verify import DownloadFailed, decode_log, download_log, encode_log, make_verdict
from service.games.history import NOTHING_OBSERVED, Check, Observed
from service.store.game_store import RedisStore
from tests.cli.test_commands import south_seas
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


async def test_a_whole_log_is_downloaded_page_by_page(
    store: RedisStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "PAGE_SIZE", 2)
    async with serve(store) as client:
        game = await create_game(client, visibility="private")
        for _ in range(3):
            await game.act_successfully()
        url = str(client.make_url(f"/v1/games/{game.id}"))
        log = await download_log(f"{url}/", game.owner_token)
        with pytest.raises(DownloadFailed, match="or it is private"):
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
    with pytest.raises(DownloadFailed, match="is not the URL of a game"):
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
async def test_something_else_that_answers_is_named(response: dict[str, object], message: str) -> None:
    async def handle(_: web.Request) -> web.Response:
        return web.Response(**response)  # type: ignore[arg-type]  # the cases are correct

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    async with TestServer(app) as server:
        with pytest.raises(DownloadFailed, match=message):
            await download_log(str(server.make_url("/v1/games/g")), None)


@pytest.mark.parametrize(("token", "header"), ((None, None), ("secret", "Bearer secret")))
async def test_only_a_given_token_is_sent(token: str | None, header: str | None) -> None:
    received = []

    async def handle(request: web.Request) -> web.Response:
        received.append(request.headers.get("Authorization"))
        return web.Response(status=404)

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    async with TestServer(app) as server:
        with pytest.raises(DownloadFailed):
            await download_log(str(server.make_url("/v1/games/g")), token)
    assert received == [header]


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    one = '{"version": 1}'
    for text in (f"[{one}]", f'{{"diffs": [{one}]}}', one, f"{one}\n{one}\n"):
        assert decode_log(text.encode("utf-8-sig")) == decode_log(text.encode())
