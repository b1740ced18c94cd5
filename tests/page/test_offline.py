"""Moves made while offline, and what the page says about them."""

import re
from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Route, expect

from tests.page.game_fixture import PreparedGame, prepare_game
from tests.page.visitor import PHONE, Visitor, Visitors

UNSENT = "Your move will be sent"
DROPPED = "Your move was not played"
BACK_MS = 25_000
"""How long a page may take to see that its network is back."""


class Offline:
    """Ana, who decides, on a phone."""

    def __init__(self, game: PreparedGame, visitors: Visitors, ana: Visitor) -> None:
        self.game = game
        self.visitors = visitors
        self.ana = ana

    async def leave(self) -> None:
        await self.ana.context.set_offline(offline=True)
        self.visitors.excuse("ERR_INTERNET_DISCONNECTED")

    async def come_back(self) -> None:
        await self.ana.context.set_offline(offline=False)

    async def place(self) -> None:
        """Choose the first place for the tile, and confirm."""
        await self.ana.page.locator(".cells [data-choice]").first.click()
        await self.ana.action_bar.locator(".primary").click()

    async def decide_elsewhere(self) -> None:
        """Somebody else who has Ana's seat does something, so that the game goes on without this browser."""
        await self.game.post_successfully("/actions", {"move": (await self.game.legal_moves())[-1]["id"]})

    async def never_both(self) -> None:
        """From now on, note when red box and green sign are seen together."""
        await self.ana.page.evaluate(
            """() => {
              window.seenBoth = 0;
              const look = () => {
                const red = document.querySelector('.problem');
                const green = document.querySelector('.connection.connected');
                if (red && green) window.seenBoth++;
              };
              new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
            }"""
        )


@pytest_asyncio.fixture(loop_scope="session")
async def offline(visitors: Visitors) -> AsyncIterator[Offline]:
    """Somebody whose network is gone when they are to place a tile."""
    game = await prepare_game(visitors, "offline")
    ana = await game.opened_by(visitors, 0, size=PHONE, touch=True)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    removed = Offline(game, visitors, ana)
    await removed.never_both()
    await removed.leave()
    yield removed
    assert await ana.page.evaluate("window.seenBoth") == 0
    visitors.excuse("ERR_INTERNET_DISCONNECTED")


async def test_a_tile_can_be_turned_without_a_network(visitors: Visitors) -> None:
    game = await prepare_game(visitors, "offline")
    ana = await game.opened_by(visitors, 0, size=PHONE, touch=True)
    tile = (await game.read())["turn"]["tile"]
    await expect(ana.page.locator(f"svg.shelf symbol[id*='-{tile}-']")).to_have_count(4)
    await ana.context.set_offline(offline=True)
    displayed = set()
    for _ in range(4):
        picture = await ana.page.locator(".current-tile use").get_attribute("href")
        await expect(ana.page.locator(f"svg.shelf {picture}")).to_have_count(1)
        displayed.add(picture)
        await ana.page.locator(".current-tile").tap()
        await expect(ana.page.locator(".current-tile use")).not_to_have_attribute("href", picture or "")
    assert len(displayed) > 1
    visitors.excuse("ERR_INTERNET_DISCONNECTED")


async def test_a_move_made_without_a_network_is_sent_on_return(offline: Offline) -> None:
    ana = offline.ana
    await offline.place()
    await expect(ana.page.locator(".problem")).to_contain_text(UNSENT)
    await expect(ana.page.locator(".connection")).not_to_have_text("Connected")
    assert (await offline.game.read())["version"] == 1
    await offline.come_back()
    await expect(ana.page.locator(".spot, .cell").first).to_be_visible(timeout=BACK_MS)
    await expect(ana.page.locator(".tile")).to_have_count(2)
    await expect(ana.page.locator(".problem, .notice")).to_have_count(0)
    await expect(ana.page.locator(".connection")).to_have_text("Connected")
    assert (await offline.game.read())["version"] > 1


async def test_a_move_is_dropped_and_offered_again_where_the_game_went_on(offline: Offline) -> None:
    ana = offline.ana
    await offline.place()
    await expect(ana.page.locator(".problem")).to_contain_text(UNSENT)
    await offline.decide_elsewhere()
    await offline.game.post_successfully("/undo", {"seat": 0})
    assert (await offline.game.read())["version"] == 3
    await offline.come_back()
    await expect(ana.page.locator(".notice")).to_contain_text(DROPPED, timeout=BACK_MS)
    await expect(ana.page.locator(".problem")).to_have_count(0)
    await expect(ana.page.locator(".tile")).to_have_count(1)
    assert (await offline.game.read())["version"] == 3
    await ana.page.locator(".cells [data-choice]").first.click()
    await expect(ana.page.locator(".notice")).to_have_count(0)
    await ana.action_bar.locator(".primary").click()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    offline.visitors.excuse("412")


async def test_a_move_that_waits_can_be_taken_back(offline: Offline) -> None:
    ana = offline.ana
    await offline.place()
    await ana.press("Cancel the move")
    await expect(ana.page.get_by_text(UNSENT)).to_have_count(0)
    await offline.come_back()
    await expect(ana.page.locator(".connection")).to_have_text("Connected", timeout=BACK_MS)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    assert (await offline.game.read())["version"] == 1
    await offline.place()
    await expect(ana.page.locator(".tile")).to_have_count(2)


async def test_a_move_whose_answer_was_lost_is_not_made_twice(visitors: Visitors) -> None:
    """The service did it, and nobody heard: the same key gets that answer."""
    game = await prepare_game(visitors, "offline")
    ana = await game.opened_by(visitors, 0)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    acts = re.compile(r"/actions(\?|$)")
    keys: list[str] = []

    async def lose(route: Route) -> None:
        """Let the requests arrive, and lose every response."""
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) > 6:
            await route.continue_()
            return
        await route.fetch()
        await route.abort()

    await ana.page.route(acts, lose)
    await ana.page.locator(".cells [data-choice]").first.click()
    await ana.action_bar.locator(".primary").click()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    await expect(ana.page.locator(".problem, .notice")).to_have_count(0, timeout=BACK_MS)
    await expect(ana.page.locator(".connection")).to_have_text("Connected", timeout=BACK_MS)
    await expect(ana.page.locator(".action-bar.mine:not(.busy), .action-bar.theirs")).to_be_visible(timeout=BACK_MS)
    assert len(keys) > 6
    assert len(set(keys)) == 1
    diffs = (await game.get_json("/diffs?since=0&limit=1000"))["diffs"]
    placed = [event for diff in diffs for event in diff["events"] if event["type"] == "tile_placed"]
    assert len(placed) == 1
    visitors.excuse("ERR_FAILED")


async def test_what_could_not_be_read_is_read_on_return(offline: Offline) -> None:
    """Ana's page had nothing to do, and says nothing that is no longer true."""
    ana = offline.ana
    await expect(ana.page.locator(".connection")).not_to_have_text("Connected")
    await offline.decide_elsewhere()
    await offline.come_back()
    await expect(ana.page.locator(".tile")).to_have_count(2, timeout=BACK_MS)
    await expect(ana.page.locator(".problem, .notice")).to_have_count(0)


async def test_a_table_opened_without_a_network_opens_on_return(visitors: Visitors) -> None:
    game = await prepare_game(visitors, "offline")
    ana = await visitors.come()
    await ana.context.set_offline(offline=True)
    await ana.page.evaluate("id => { location.hash = id; }", game.id)
    await expect(ana.page.locator("main")).to_contain_text("No connection.", timeout=BACK_MS)
    await expect(ana.page.get_by_text("This game does not exist")).to_have_count(0)
    await ana.context.set_offline(offline=False)
    await expect(ana.page.locator(".board")).to_be_visible(timeout=BACK_MS)
    visitors.excuse("ERR_INTERNET_DISCONNECTED")


async def test_the_lobby_says_nothing_of_the_network_once_it_is_back(visitors: Visitors) -> None:
    ana = await visitors.come()
    await expect(ana.page.get_by_role("button", name="Play against the computer")).to_be_visible()
    await ana.context.set_offline(offline=True)
    await ana.press("Play against the computer")
    await expect(ana.page.locator(".problem")).to_contain_text("No connection.", timeout=BACK_MS)
    await ana.context.set_offline(offline=False)
    await expect(ana.page.locator(".problem")).to_have_count(0, timeout=BACK_MS)
    visitors.excuse("ERR_INTERNET_DISCONNECTED")
