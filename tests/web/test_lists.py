"""Lists: validators, and links to the next page."""

import re
from random import Random

import pytest
from yarl import URL

from tests.web.app_server import Client
from tests.web.http_game import TWO_PLAYERS, bearer_header, create_game
from tests.web.raw_http import send_raw
from tests.web.webhook_receiver import WebhookInstance, WebhookReceiver

VALIDATED = ("/", "/v1/games", "/v1/bots", "/v1/tilesets", "/v1/seats/me/games")


@pytest.mark.parametrize("path", VALIDATED)
async def test_an_unchanged_list_is_not_sent_again(client: Client, path: str) -> None:
    owner = bearer_header((await create_game(client)).owner_token)
    first = await client.get(path, headers=owner)
    assert first.status == 200
    tag = first.headers["ETag"]
    same = await client.get(path, headers={**owner, "If-None-Match": tag})
    assert (same.status, await same.read(), same.headers["ETag"]) == (304, b"", tag)
    for name in ("Cache-Control", "Vary"):
        assert same.headers[name] == first.headers[name]
    assert (await client.get(path, headers={**owner, "If-None-Match": '"0"'})).status == 200


@pytest.mark.parametrize("path", ("/v1/games", "/v1/seats/me/games"))
async def test_a_changed_list_is_sent_again(client: Client, path: str) -> None:
    game = await create_game(client)
    owner = bearer_header(game.owner_token)
    tag = (await client.get(path, headers=owner)).headers["ETag"]
    await game.act_successfully()
    changed = await client.get(path, headers={**owner, "If-None-Match": tag})
    assert (changed.status, changed.headers["ETag"] == tag) == (200, False)


async def test_the_lists_of_webhooks_have_validators(one: WebhookInstance, receiver: WebhookReceiver) -> None:
    game = await create_game(one.client)
    hook = await (await game.post("/webhooks", {"url": receiver.url})).json()
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
    return pages


@pytest.mark.parametrize("path", ("/v1/games?limit=2&status=active", "/v1/seats/me/games?limit=2"))
async def test_a_list_of_games_links_to_its_next_page(client: Client, path: str) -> None:
    games = [await create_game(client) for _ in range(5)]
    tokens = bearer_header(", ".join(game.owner_token for game in games)) if "/me/" in path else {}
    pages = await follow_links(client, path, tokens)
    assert len(pages) == 3
    assert all(sum(game.id in page for page in pages) == 1 for game in games)


async def test_legal_moves_link_to_their_next_page(client: Client) -> None:
    game = await create_game(client, seed="tides")
    moves = await game.legal_moves()
    pages = await follow_links(client, f"{game.path}/legal-moves?limit=3&q=place%20%3E", {})
    assert len(pages) == 1
    pages = await follow_links(client, f"{game.path}/legal-moves?limit=3&q=place", {})
    assert len(pages) == -(-len(moves) // 3)
    assert all(sum(f'"{move["id"]}"' in page for page in pages) == 1 for move in moves)


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


async def test_browsers_may_read_links(client: Client) -> None:
    response = await client.get("/v1/games")
    assert "Link" in response.headers["Access-Control-Expose-Headers"].split(", ")
