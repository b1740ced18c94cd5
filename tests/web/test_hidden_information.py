"""Hidden and private is what should be: bag, pile, seed, tokens and games; lists have validators and pages."""

import json
import re
from random import Random

import pytest
from redis.asyncio import Redis
from yarl import URL

from service.engine import Game
from service.store.game_store import RedisStore
from tests.api_key_fixture import add_api_key, api_key_header
from tests.snapshots import change_game
from tests.web.app_server import Client, FrozenClock
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tests.web.raw_http import send_raw
from tests.web.webhook_receiver import WebhookInstance, WebhookReceiver

READS = (
    *("", "/legal-moves", "/legal-moves?stage=cell", "/legal-moves?effects=1", "/diffs?limit=1000"),
    *("/story?limit=1000", "/scores", "/features", "/tiles"),
)


TELLING_NOTHING = {"date", "x-request-id", "ratelimit"}
"""Headers that differ with every answer."""


async def read_all(game: HTTPGame) -> list[bytes]:
    """Read every resource of a game, with every token, without the headers that always differ."""
    answers = [await (await game.client.get("/v1/games")).read()]
    for token in (game.owner_token, game.spectator_token, *game.seat_tokens.values()):
        for path in READS:
            response = await game.get(path, token)
            assert response.status == 200
            headers = [(name, value) for name, value in response.headers.items() if name.lower() not in TELLING_NOTHING]
            answers.append(repr(headers).encode() + await response.read())
    return answers


async def test_no_response_depends_on_the_hidden_order(client: Client, redis: Redis) -> None:
    http_game = await create_game(client, seed="tides")
    await http_game.play_randomly(Random(8), versions=30)
    before = await read_all(http_game)

    def reorder(game: Game) -> None:
        assert len(game.bag) > 10
        assert len(game.ship_pile) > 2
        game.bag.reverse()
        game.ship_pile.reverse()
        game.seed = "quite-another"

    await change_game(redis, http_game.id, reorder)
    assert await read_all(http_game) == before


async def test_the_seed_is_revealed_only_after_the_game(client: Client) -> None:
    seed = "nobody-knows-this"
    game = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}, {"bot": "random"}], seed=seed)
    await game.play_randomly(Random(9), versions=40)
    answers = [*(await read_all(game)), repr(game.created).encode(), repr(await game.act_successfully()).encode()]
    assert [answer for answer in answers if seed.encode() in answer] == []
    await game.delete()
    assert (await game.get_json())["deck"]["seed"] == seed
    assert seed in repr((await game.get_json("/diffs?limit=1000"))["diffs"][-1]["patch"])


async def test_no_token_is_returned_twice(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}])
    joined = await (await game.join()).json()
    acted = await game.act(await game.first_move(), joined["token"])
    answers = [*(await read_all(game)), await acted.read()]
    for token in (game.owner_token, game.spectator_token, joined["token"], *game.seat_tokens.values()):
        assert len(token) == 43
        assert [answer for answer in answers if token.encode() in answer] == []


PRIVATE_GAMES_READS = (
    *("", "/legal-moves", "/diffs", "/story", "/scores", "/features", "/tiles", "/board.svg"),
    *("/board.png", "/board.txt"),
)
PLAYERS = [{"name": "Ana"}, {"open": True}]


@pytest.mark.parametrize(
    ("path", "caching"),
    (
        *((path, "private, no-cache") for path in PRIVATE_GAMES_READS),
        ("/board.svg?v=1", "private, max-age=31536000, immutable"),
    ),
)
async def test_any_token_reads_a_private_game_without_shared_caching(client: Client, path: str, caching: str) -> None:
    game = await create_game(client, visibility="private")
    for token in (game.owner_token, game.spectator_token, *game.seat_tokens.values()):
        response = await game.get(path, token)
        assert (response.status, response.headers["Cache-Control"]) == (200, caching)
        assert "Authorization" in response.headers["Vary"]
        tag = response.headers["ETag"]
        same = await game.get(path, token, **{"If-None-Match": tag})
        assert (same.status, same.headers["Cache-Control"]) == (304, caching)
        assert "Authorization" in same.headers["Vary"]


@pytest.mark.parametrize("path", PRIVATE_GAMES_READS)
async def test_a_private_game_is_not_found_without_a_token(client: Client, path: str) -> None:
    game = await create_game(client, visibility="private")
    stranger = await create_game(client)
    unknown = await check_problem(await client.get(f"/v1/games/k7m2x9qd4t1w{path}"), 404, "not_found")
    for headers in ({}, bearer_header(stranger.owner_token), bearer_header("x")):
        response = await client.get(game.path + path, headers={**headers, "If-None-Match": "*"})
        problem = await check_problem(response, 404, "not_found")
        assert problem["detail"] == unknown["detail"].replace("k7m2x9qd4t1w", game.id)


async def test_a_private_game_cannot_be_changed_without_a_token(client: Client) -> None:
    game = await create_game(client, PLAYERS, visibility="private")
    act, join = {"move": "i0"}, {"name": "Bo"}
    for headers in ({}, bearer_header("x")):
        await check_problem(await client.post(f"{game.path}/actions", json=act, headers=headers), 404, "not_found")
        await check_problem(await client.post(f"{game.path}/seats", json=join, headers=headers), 404, "not_found")
        await check_problem(await client.delete(game.path, headers=headers), 404, "not_found")
    assert (await game.get_json())["version"] == 1


async def test_the_spectator_token_joins_but_does_not_act(client: Client) -> None:
    game = await create_game(client, PLAYERS, visibility="private", first_seat=1)
    response = await game.join(token=game.spectator_token)
    joined = await response.json()
    assert (response.status, response.headers["Cache-Control"]) == (200, "no-store")
    assert response.headers["Vary"] == "Authorization"
    move = await game.first_move()
    await check_problem(await game.act(move, game.spectator_token), 403, "wrong_seat")
    acted = await game.act(move, joined["token"])
    assert (acted.status, acted.headers["Cache-Control"]) == (200, "private, no-cache")


async def test_no_shared_cache_stores_what_a_token_has_changed(client: Client) -> None:
    for visibility, vary in (("public", None), ("private", "Authorization")):
        created = await client.post("/v1/games", json={"players": PLAYERS, "visibility": visibility})
        assert (created.headers["Cache-Control"], created.headers.get("Vary")) == ("no-store", vary)
    game = await create_game(client, [{"name": "Ana"}, {"open": True}, {"open": True}])
    assert (await game.join()).status == 200
    left, replaced = await game.delete("/seats/1"), await game.post("/seats/0/token", {})
    responses = [left, await game.delete(), await game.post("/rematch"), replaced]
    assert [one.status for one in responses] == [200, 200, 201, 200]
    assert [one.headers["Cache-Control"] for one in responses] == ["private, no-cache"] * 3 + ["no-store"]
    assert all("Authorization" in one.headers["Vary"] for one in responses)


LISTS_OF_GAMES = ("/v1/games", "/v1/seats/me/games", "/v1/keys/me/games")
CREATOR_KEY = "c1b2f7d09e5a48c6b3f8e2d4a7901c5e"


@pytest.mark.parametrize(
    ("path", "caching"),
    (
        *(("/", "no-cache"), ("/v1/games", "no-cache"), ("/v1/bots", "no-cache")),
        *(("/v1/seats/me/games", "private, no-cache"), ("/v1/tilesets", "no-cache")),
        ("/v1/tilesets/lagoon", "public, max-age=31536000, immutable"),
        ("/v1/tilesets/lagoon/tiles/start.svg", "public, max-age=86400"),
        ("/v1/tilesets/lagoon/ships/s01.png?theme=dark", "public, max-age=86400"),
    ),
)
async def test_what_is_unchanged_is_not_sent_again(client: Client, path: str, caching: str) -> None:
    owner = bearer_header((await create_game(client)).owner_token)
    first = await client.get(path, headers=owner)
    assert (first.status, first.headers["Cache-Control"]) == (200, caching)
    tag = first.headers["ETag"]
    same = await client.get(path, headers={**owner, "If-None-Match": tag})
    assert (same.status, await same.read(), same.headers["ETag"]) == (304, b"", tag)
    assert "Vary" in first.headers or ".png" in path
    assert [same.headers.get(name) for name in ("Cache-Control", "Vary")] == [caching, first.headers.get("Vary")]
    assert (await client.get(path, headers={**owner, "If-None-Match": '"0"'})).status == 200


@pytest.mark.parametrize("path", ("/v1/games", "/v1/seats/me/games"))
async def test_a_changed_list_is_sent_again(client: Client, http_game: HTTPGame, path: str) -> None:
    owner = bearer_header(http_game.owner_token)
    tag = (await client.get(path, headers=owner)).headers["ETag"]
    await http_game.act_successfully()
    changed = await client.get(path, headers={**owner, "If-None-Match": tag})
    assert (changed.status, changed.headers["ETag"] == tag) == (200, False)


async def test_the_lists_of_webhooks_have_validators(one: WebhookInstance, receiver: WebhookReceiver) -> None:
    game = await create_game(one.client)
    hook = await (await game.post("/webhooks", {"url": receiver.url})).json()
    await one.join()
    for path in ("/webhooks", f"/webhooks/{hook['id']}/deliveries"):
        first = await game.get(path)
        same = await game.get(path, **{"If-None-Match": first.headers["ETag"]})
        assert (same.status, same.headers["Cache-Control"]) == (304, "private, no-cache")


async def follow_links(client: Client, path: str, headers: dict[str, str]) -> list[str]:
    """Return the bodies of all pages, from link to link."""
    pages = []
    while path:
        response = await client.get(path, headers=headers)
        assert response.status == 200, await response.text()
        pages.append(await response.text())
        link = response.links.get("next")
        path = "" if link is None else URL(link["url"]).raw_path_qs
        assert json.loads(pages[-1]).get("next_cursor") == URL(path).query.get("cursor")
    return pages


@pytest.fixture
async def listing(store: RedisStore) -> dict[str, str]:
    """Return headers with which games are created, and listed by each list of games."""
    return {"Creator-Key": CREATOR_KEY, **bearer_header(CREATOR_KEY), **api_key_header(await add_api_key(store))}


@pytest.mark.parametrize("path", (*(f"{path}?limit=2" for path in LISTS_OF_GAMES), "/v1/games?limit=2&status=active"))
async def test_a_list_of_games_has_pages_newest_first(
    timed_client: Client, clock: FrozenClock, listing: dict[str, str], path: str
) -> None:
    created = []
    for second in (0, 0, 1, 1, 1):
        clock.now += second
        created.append((await create_game(timed_client, headers=listing)).id)
    pages = await follow_links(timed_client, path, listing)
    listed = [[one.get("game", one)["id"] for one in json.loads(page)["games"]] for page in pages]
    assert [len(ids) for ids in listed] == [2, 2, 1]
    newest_first = [game for ids in listed for game in ids]
    assert (newest_first[:3], sorted(newest_first)) == (created[:1:-1], sorted(created))


async def test_a_cursor_after_the_last_move_has_an_empty_page(client: Client) -> None:
    game = await create_game(client)
    assert (await game.get_json("/legal-moves?cursor=123456"))["moves"] == []


async def test_legal_moves_have_pages(client: Client) -> None:
    game = await create_game(client, seed="tides")
    moves = await game.legal_moves()
    for limit in (2, 3):
        pages = await follow_links(client, f"{game.path}/legal-moves?limit={limit}&q=place", {})
        assert len(pages) == -(-len(moves) // limit)
        assert [move for page in pages for move in json.loads(page)["moves"]] == moves
    assert len(await follow_links(client, f"{game.path}/legal-moves?limit=3&q=place%20%3E", {})) == 1
    first = await game.get_json("/legal-moves?stage=cell&limit=1")
    assert len(first["cells"]) == 1
    assert first["next_cursor"] is not None


async def test_each_page_of_legal_moves_has_its_effects(client: Client) -> None:
    """The link to the next page keeps `effects`; what a move is said to cause is what its diff then says."""
    game = await create_game(client, seed="tides")
    pages = await follow_links(client, f"{game.path}/legal-moves?limit=3&effects=1", {})
    moves = [move for page in pages for move in json.loads(page)["moves"]]
    assert all(move["effects"][0]["type"] == "tile_placed" for move in moves)
    assert all(len(json.loads(page)["ships"]) == 4 for page in pages)
    assert (await game.get_json("/legal-moves?effects=0"))["moves"] == await game.legal_moves()
    (placed,) = (await game.act_successfully({"move": moves[0]["id"]}))["diffs"]
    assert placed["events"] == moves[0]["effects"]
    islander = (await game.get_json("/legal-moves?effects=true"))["moves"][0]
    assert islander["if_passed"] is None
    (diff,) = (await game.act_successfully({"move": islander["id"]}))["diffs"]
    hidden = {"tile_drawn", "tile_discarded", "ship_revealed"}
    assert [event for event in diff["events"] if event["type"] not in hidden] == islander["effects"]
    assert islander["feature"]["islanders"] == []


@pytest.mark.parametrize("path", ("/diffs", "/story"))
async def test_a_log_links_to_its_next_page(client: Client, path: str) -> None:
    game = await create_game(client, [*TWO_PLAYERS, {"bot": "greedy"}], seed="tides")
    version = (await game.play_randomly(Random(3), versions=20))["version"]
    pages = await follow_links(client, f"{game.path}{path}?limit=8", {})
    assert len(pages) == -(-version // 8)
    assert "Link" not in (await client.get(f"{game.path}{path}?limit=1000")).headers
    assert "Link" not in (await client.get(f"{game.path}{path}?since={version}")).headers
    assert "Link" not in (await client.get(f"{game.path}{path}?since={version + 9}")).headers


async def test_a_link_keeps_the_query(client: Client) -> None:
    for _ in range(2):
        await create_game(client)
    response = await client.get("/v1/games?status=active&limit=1&later=%26%3E%22")
    assert response.headers["Link"].startswith("</v1/games?status=active&limit=1&later=%26%3E%22&cursor=")
    assert response.headers["Link"].endswith('>; rel="next"')


@pytest.mark.parametrize("target", ("/v1/games?limit=1#>;a=", "http://elsewhere.example/v1/games?limit=1"))
async def test_a_link_has_nothing_but_the_path_and_the_query(client: Client, target: str) -> None:
    for _ in range(2):
        await create_game(client)
    response = await send_raw(client, f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert re.fullmatch(r'</v1/games\?limit=1&cursor=[\w-]+>; rel="next"', response.headers["Link"])
