"""Timeouts: the warning, the bot that takes over, the return, and the messages."""

import re
from time import time
from typing import Any

import pytest
from playwright.async_api import expect

from service.games.context import Context
from service.games.scheduling.scheduler import advance_due_game
from service.store.game_store import RedisStore
from tests.games.game_logs import CATALOGUE
from tests.page.game_fixture import PASS_OFTEN, PreparedGame, Stop, prepare_game
from tests.page.visitor import DESKTOP, PHONE, Size, Visitors
from tests.polling import wait_until

SIDEWAYS: Size = (844, 390)
BOT_ON_TIMEOUT: dict[str, Any] = {"turn_timeout_s": 60, "on_timeout": "bot"}
STANDS_IN = "The computer is playing for you."


async def time_out(http_game: PreparedGame, store: RedisStore, hours: int = 1) -> None:
    """Let the decider's time run out, by the clock of another instance, which is `hours` ahead."""

    def clock() -> float:
        return time() + 3600 * hours

    context = Context(
        store=store, tilesets=CATALOGUE, clock=clock, on_committed=lambda _game, _diffs: None, bot_budget_s=5.0
    )
    await advance_due_game(context, http_game.id)


def after(number: int) -> Stop:
    """Return a condition that stops after this turn."""
    return lambda game, _moves: game["turn"]["number"] > number


async def wait_for_turn(game: PreparedGame, seat: int) -> int:
    """Wait until a seat must decide, and return the number of the turn."""

    async def is_on_turn() -> bool:
        return bool((await game.read())["turn"]["decider"] == seat)

    await wait_until(is_on_turn)
    number: int = (await game.read())["turn"]["number"]
    return number


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS, DESKTOP), ids=["phone", "sideways", "desktop"])
async def test_the_offer_to_take_over_stays_on_the_screen_and_in_the_title(
    visitors: Visitors, store: RedisStore, size: Size
) -> None:
    """It also stays while other players decide."""
    game = await prepare_game(visitors, "away", **BOT_ON_TIMEOUT)
    ana = await game.open_for(visitors, 0, size=size, touch=size != DESKTOP)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    await time_out(game, store)
    bar, take_over = ana.page.locator(".stand-in"), ana.page.get_by_role("button", name="Take over")
    await expect(bar).to_contain_text(STANDS_IN)
    for _ in range(3):
        number = await wait_for_turn(game, 1)
        await game.play(PASS_OFTEN, after(number))
        await expect(bar).to_be_in_viewport(ratio=1)
        await expect(take_over).to_be_in_viewport(ratio=1)
        await expect(ana.page).to_have_title(re.compile(re.escape(STANDS_IN)))
    if size != DESKTOP:
        await ana.page.get_by_role("button", name="More").tap()
        await expect(take_over).to_be_in_viewport(ratio=1)
        await ana.page.get_by_role("button", name="Back to the board").tap()
    await take_over.click()
    await expect(bar).to_have_count(0)
    assert (await game.read())["players"][0]["bot"] is None
    await expect(ana.page).not_to_have_title(re.compile("computer"))


async def test_the_bar_does_not_shift_the_board(visitors: Visitors, store: RedisStore) -> None:
    game = await prepare_game(visitors, "away", **BOT_ON_TIMEOUT)
    ana = await game.open_for(visitors, 0, size=PHONE, touch=True)
    await expect(ana.page.locator(".cell").first).to_be_visible()
    before = await ana.page.locator(".board").bounding_box()
    top = before and before["y"]
    await time_out(game, store)
    await expect(ana.page.locator(".stand-in")).to_be_visible()
    after = await ana.page.locator(".board").bounding_box()
    assert after is not None
    assert after["y"] == top


async def test_a_game_waits_once_bots_replace_all_players(visitors: Visitors, store: RedisStore) -> None:
    game = await prepare_game(visitors, "away", **BOT_ON_TIMEOUT)
    ana = await game.open_for(visitors, 0, size=PHONE, touch=True)
    bo = await game.open_for(visitors, 1)
    for hours in range(1, 5):
        await time_out(game, store, hours)
    assert (await game.read())["status"] == "active"
    for visitor in (ana, bo):
        await expect(visitor.page.locator(".stand-in")).to_contain_text("the game waits for you")
        await expect(visitor.action_bar).to_contain_text("The game waits until one of its players is back.")
    await bo.press("Take over")
    await expect(bo.action_bar).to_contain_text("Your turn")
    await expect(ana.page.locator(".stand-in")).not_to_contain_text("the game waits for you")
    await expect(bo.page.locator(".log")).to_contain_text("The computer, for Ana, places a tile.")


async def test_the_result_lists_the_turns_that_the_computer_played(visitors: Visitors, store: RedisStore) -> None:
    game = await prepare_game(visitors, "away", **BOT_ON_TIMEOUT)
    await time_out(game, store)
    await game.play(PASS_OFTEN, after(4))
    await game.post_successfully("/return", {"seat": 0}, game.seat_tokens[0])
    await game.post_successfully("/resign", {"seat": 1}, game.seat_tokens[1])
    ana = await game.open_for(visitors, 0)
    await expect(ana.action_bar).to_contain_text("You win!")
    await expect(ana.action_bar).to_contain_text("The computer played for Ana in turns 1, 3 and 5.")


async def test_the_result_lists_the_turns_that_the_clock_decided(visitors: Visitors, store: RedisStore) -> None:
    game = await prepare_game(visitors, "away", turn_timeout_s=60, on_timeout="pass")
    await time_out(game, store)
    await game.post_successfully("/resign", {"seat": 1}, game.seat_tokens[1])
    ana = await game.open_for(visitors, 0)
    await expect(ana.action_bar).to_contain_text("time ran out, and the clock decided, in turn 1.")
    await expect(ana.page.locator(".log")).to_contain_text("The clock, for Ana, places a tile.")


@pytest.mark.parametrize(
    ("policy", "phase", "then"),
    (
        ("bot", "place_tile", "Then the computer plays for you."),
        ("pass", "place_tile", "Then the clock places your tile, and nothing more."),
        ("pass", "islander", "Then your turn ends."),
        ("resign", "place_tile", "Then you resign."),
    ),
)
async def test_the_page_warns_before_time_runs_out(visitors: Visitors, policy: str, phase: str, then: str) -> None:
    """It warns on the page, in the title, and once for screen readers; not earlier."""
    game = await prepare_game(visitors, "away", turn_timeout_s=60, on_timeout=policy)
    await game.play(PASS_OFTEN, lambda game, _moves: game["turn"]["phase"] == phase)
    ana = await game.open_for(visitors, 0, size=PHONE, touch=True)
    await expect(ana.page.locator(".countdown")).to_be_visible()
    hurry, live_region = ana.page.locator(".hurry"), ana.page.locator(".unseen[aria-live=polite]").last
    assert await hurry.count() == 0, "warned with most of the time left"
    await ana.page.clock.install()
    await ana.page.clock.fast_forward("46")
    await expect(hurry).to_contain_text(then)
    await expect(hurry).to_contain_text(re.compile(r"Only 0:\d\d left!"))
    await expect(ana.page).to_have_title(re.compile("Only 0:.. left!"))
    first = await live_region.inner_text()
    assert then in first
    await expect(hurry).not_to_have_text(await hurry.inner_text())
    assert await live_region.inner_text() == first, "a screen reader would announce every second"


async def test_a_spectator_gets_no_warning_and_no_offer_to_take_over(visitors: Visitors, store: RedisStore) -> None:
    game = await prepare_game(visitors, "away", **BOT_ON_TIMEOUT)
    watcher = await visitors.open(f"{visitors.url}#{game.id}")
    await expect(watcher.action_bar).to_contain_text("turn")
    await time_out(game, store)
    await expect(watcher.page.locator(".log")).to_contain_text("The bot Skilled stands in for Ana.")
    await expect(watcher.page.locator(".stand-in, .hurry")).to_have_count(0)
