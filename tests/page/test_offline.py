"""Moves made while offline, and the messages about them."""

import re
from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Route, expect

from tests.page.game_fixture import PreparedGame, prepare_game
from tests.page.visitor import PHONE, Visitor, Visitors

UNSENT = "Your move will be sent"
DROPPED = "Your move was not played"


class OfflinePlayer:
    """Ana, who must decide, on a phone."""

    def __init__(self, game: PreparedGame, visitors: Visitors, ana: Visitor) -> None:
        self.game = game
        self.visitors = visitors
        self.ana = ana

    async def disconnect(self) -> None:
        await self.ana.context.set_offline(offline=True)
        self.visitors.expect_error("ERR_INTERNET_DISCONNECTED")

    async def reconnect(self) -> None:
        await self.ana.context.set_offline(offline=False)

    async def place_tile(self) -> None:
        """Choose the first cell for the tile, and confirm."""
        await self.ana.page.locator(".cells [data-choice]").first.click()
        await self.ana.action_bar.locator(".primary").click()

    async def act_in_another_client(self) -> None:
        """Act for Ana's seat without this browser."""
        await self.game.post_successfully("/actions", {"move": (await self.game.legal_moves())[-1]["id"]})

    async def count_contradictions(self) -> None:
        """From now on, count how often the page shows an error and "Connected" together."""
        await self.ana.page.evaluate(
            """() => {
              window.contradictions = 0;
              const check = () => {
                const problem = document.querySelector('.problem');
                const connected = document.querySelector('.connection.connected');
                if (problem && connected) window.contradictions++;
              };
              new MutationObserver(check).observe(document.body, { subtree: true, childList: true, attributes: true });
            }"""
        )


@pytest_asyncio.fixture(loop_scope="session")
async def offline(visitors: Visitors) -> AsyncIterator[OfflinePlayer]:
    """Disconnect a player who must place a tile."""
    game = await prepare_game(visitors, "offline")
    ana = await game.open_for(visitors, 0, size=PHONE, touch=True)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    player = OfflinePlayer(game, visitors, ana)
    await player.count_contradictions()
    await player.disconnect()
    yield player
    assert await ana.page.evaluate("window.contradictions") == 0
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")


async def test_a_tile_can_be_rotated_offline(visitors: Visitors) -> None:
    game = await prepare_game(visitors, "offline")
    ana = await game.open_for(visitors, 0, size=PHONE, touch=True)
    tile = (await game.read())["turn"]["tile"]
    await expect(ana.page.locator(f"svg.shelf symbol[id*='-{tile}-']")).to_have_count(4)
    await ana.context.set_offline(offline=True)
    shown = set()
    for _ in range(4):
        image = await ana.page.locator(".current-tile use").get_attribute("href")
        await expect(ana.page.locator(f"svg.shelf {image}")).to_have_count(1)
        shown.add(image)
        await ana.page.locator(".current-tile").tap()
        await expect(ana.page.locator(".current-tile use")).not_to_have_attribute("href", image or "")
    assert len(shown) > 1
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")


async def test_an_offline_move_is_sent_after_reconnecting(offline: OfflinePlayer) -> None:
    ana = offline.ana
    await offline.place_tile()
    await expect(ana.page.locator(".problem")).to_contain_text(UNSENT)
    await expect(ana.page.locator(".connection")).not_to_have_text("Connected")
    assert (await offline.game.read())["version"] == 1
    await offline.reconnect()
    await expect(ana.page.locator(".spot, .cell").first).to_be_visible()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    await expect(ana.page.locator(".problem, .notice")).to_have_count(0)
    await expect(ana.page.locator(".connection")).to_have_text("Connected")
    assert (await offline.game.read())["version"] > 1


async def test_an_offline_move_is_dropped_if_the_game_has_changed(offline: OfflinePlayer) -> None:
    ana = offline.ana
    await offline.place_tile()
    await expect(ana.page.locator(".problem")).to_contain_text(UNSENT)
    await offline.act_in_another_client()
    await offline.game.post_successfully("/undo", {"seat": 0})
    assert (await offline.game.read())["version"] == 3
    await offline.reconnect()
    await expect(ana.page.locator(".notice")).to_contain_text(DROPPED)
    await expect(ana.page.locator(".problem")).to_have_count(0)
    await expect(ana.page.locator(".tile")).to_have_count(1)
    assert (await offline.game.read())["version"] == 3
    await ana.page.locator(".cells [data-choice]").first.click()
    await expect(ana.page.locator(".notice")).to_have_count(0)
    await ana.action_bar.locator(".primary").click()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    offline.visitors.expect_error("412")


async def test_an_offline_move_can_be_cancelled(offline: OfflinePlayer) -> None:
    ana = offline.ana
    await offline.place_tile()
    await ana.press("Cancel the move")
    await expect(ana.page.get_by_text(UNSENT)).to_have_count(0)
    await offline.reconnect()
    await expect(ana.page.locator(".connection")).to_have_text("Connected")
    await expect(ana.page.locator(".cell").first).to_be_visible()
    assert (await offline.game.read())["version"] == 1
    await offline.place_tile()
    await expect(ana.page.locator(".tile")).to_have_count(2)


async def test_a_move_with_a_lost_response_is_made_once(visitors: Visitors) -> None:
    """The page retries with the same key."""
    game = await prepare_game(visitors, "offline")
    ana = await game.open_for(visitors, 0)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    actions = re.compile(r"/actions(\?|$)")
    keys: list[str] = []

    async def drop_response(route: Route) -> None:
        """Forward the request, and drop the response."""
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 6:
            await route.continue_()
            return
        await route.fetch()
        await route.abort()

    await ana.page.route(actions, drop_response)
    await ana.page.locator(".cells [data-choice]").first.click()
    await ana.action_bar.locator(".primary").click()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    await expect(ana.page.locator(".problem, .notice")).to_have_count(0)
    await expect(ana.page.locator(".connection")).to_have_text("Connected")
    await expect(ana.page.locator(".action-bar.mine:not(.busy), .action-bar.theirs")).to_be_visible()
    assert len(keys) > 6
    assert len(set(keys)) == 1
    diffs = (await game.get_json("/diffs?since=0&limit=1000"))["diffs"]
    placed = [event for diff in diffs for event in diff["events"] if event["type"] == "tile_placed"]
    assert len(placed) == 1
    visitors.expect_error("ERR_FAILED")


async def test_missed_changes_are_loaded_after_reconnecting(offline: OfflinePlayer) -> None:
    """The page shows no outdated message."""
    ana = offline.ana
    await expect(ana.page.locator(".connection")).not_to_have_text("Connected")
    await offline.act_in_another_client()
    await offline.reconnect()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    await expect(ana.page.locator(".problem, .notice")).to_have_count(0)


async def test_a_game_opened_offline_loads_after_reconnecting(visitors: Visitors) -> None:
    game = await prepare_game(visitors, "offline")
    ana = await visitors.open()
    await ana.context.set_offline(offline=True)
    await ana.page.evaluate("id => { location.hash = id; }", game.id)
    await expect(ana.page.locator("main")).to_contain_text("No connection.")
    await expect(ana.page.get_by_text("This game does not exist")).to_have_count(0)
    await ana.context.set_offline(offline=False)
    await expect(ana.page.locator(".board")).to_be_visible()
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")


async def test_the_lobby_removes_its_error_after_reconnecting(visitors: Visitors) -> None:
    ana = await visitors.open()
    await expect(ana.page.get_by_role("button", name="Play against the computer")).to_be_visible()
    await ana.context.set_offline(offline=True)
    await ana.press("Play against the computer")
    await expect(ana.page.locator(".problem")).to_contain_text("No connection.")
    await ana.context.set_offline(offline=False)
    await expect(ana.page.locator(".problem")).to_have_count(0)
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")
