"""Whole games on the page, against bots and people."""

import re

from playwright.async_api import expect

from tests.page.conftest import SHORT
from tests.page.visitor import Visitor, Visitors, starts_against_the_computer

MOST_DECISIONS = 400
SMALL = (900, 640)
"""A whole game is drawn faster in a small window."""


async def test_a_newcomer_plays_a_whole_game_against_the_computer_by_clicking_only(visitors: Visitors) -> None:
    newcomer = await visitors.come(size=SMALL)
    await starts_against_the_computer(newcomer)
    await expect(newcomer.action_bar).to_contain_text("Tap a marked cell for this tile")
    decisions = 0
    while await newcomer.decide(sends=decisions % 5 == 0):
        decisions += 1
        assert decisions < MOST_DECISIONS
    assert decisions >= 30
    await expect(newcomer.action_bar).to_contain_text(re.compile("wins?"))
    await expect(newcomer.page.locator(".ranking tbody tr")).to_have_count(2)
    await newcomer.press("Play again")
    await expect(newcomer.page.locator(".bag")).to_have_text(re.compile("^(71|70) tiles left$"))


async def test_two_browsers_play_a_whole_game_and_one_that_loses_its_network_catches_up(visitors: Visitors) -> None:
    link = await _private_table(visitors)
    ana, bo = [await visitors.come(link, size=SMALL) for _ in range(2)]
    for visitor, name in ((ana, "Ana"), (bo, "Bo")):
        await visitor.page.get_by_label("Your name").fill(name)
        await visitor.press("Join the game")
    decisions = 0
    while not await _over(ana, bo):
        decider, other = (ana, bo) if await ana.page.locator(".action-bar.mine").count() else (bo, ana)
        if decisions == 10:
            await _cut_off(decider, other)
        else:
            await decider.decide(sends=decisions % 9 == 0)
        decisions += 1
        assert decisions < MOST_DECISIONS
    logs = [await one.page.locator(".log").inner_text() for one in (ana, bo)]
    assert logs[0] == logs[1]
    assert "The game is over:" in logs[0]
    visitors.excuse("ERR_INTERNET_DISCONNECTED")


async def _private_table(visitors: Visitors) -> str:
    """Return the link to a private game for two."""
    requested = {"players": [{"open": True}] * 2, "visibility": "private", "tileset": SHORT}
    async with visitors.client.post("/v1/games", json=requested) as answer:
        created = await answer.json()
    return f"{visitors.url}#{created['game']['id']}.{created['spectator_token']}"


async def _over(*visitors: Visitor) -> bool:
    """Whether the game is over on all screens, once each shows whose turn it is."""
    displayed = [
        visitor.page.locator(".action-bar.mine, .action-bar.theirs, .action-bar.game-result").first
        for visitor in visitors
    ]
    for one in displayed:
        await one.wait_for()
    mine = [await visitor.page.locator(".action-bar.mine").count() for visitor in visitors]
    over = [await visitor.page.locator(".action-bar.game-result").count() for visitor in visitors]
    if sum(mine) != 1 and not all(over):
        await visitors[0].page.wait_for_timeout(20)
        return await _over(*visitors)
    return all(over)


async def _cut_off(decider: Visitor, other: Visitor) -> None:
    """Take one player offline while the other plays; it then sees every missed change."""
    await other.context.set_offline(True)
    await other.page.evaluate("dispatchEvent(new Event('offline'))")
    while await decider.page.locator(".action-bar.mine").count():
        await decider.decide(sends=False)
    await other.context.set_offline(False)
    await expect(other.page.locator(".action-bar.mine")).to_be_visible(timeout=20_000)
    await expect(other.page.locator(".connection")).to_have_text("Connected")
