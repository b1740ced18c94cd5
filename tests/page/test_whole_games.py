"""Two browsers play a whole game."""

from playwright.async_api import expect

from tests.page.conftest import SHORT
from tests.page.visitor import Visitor, Visitors

MAX_DECISIONS = 400
SMALL = (900, 640)
"""Browsers draw faster in a small window."""


async def test_two_browsers_play_a_whole_game_and_one_recovers_from_a_lost_connection(visitors: Visitors) -> None:
    link = await _create_private_game(visitors)
    ana, bo = [await visitors.open(link, size=SMALL) for _ in range(2)]
    for visitor, name in ((ana, "Ana"), (bo, "Bo")):
        await visitor.page.get_by_label("Your name").fill(name)
        await visitor.press("Join the game")
    decisions = 0
    while not await _is_over(ana, bo):
        decider, other = (ana, bo) if await ana.page.locator(".action-bar.mine").count() else (bo, ana)
        if decisions == 10:
            await _disconnect(decider, other)
        else:
            await decider.decide(place_islanders=decisions % 9 == 0)
        decisions += 1
        assert decisions < MAX_DECISIONS
    logs = [await visitor.page.locator(".log").inner_text() for visitor in (ana, bo)]
    assert logs[0] == logs[1]
    assert "The game is over:" in logs[0]
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")


async def _create_private_game(visitors: Visitors) -> str:
    """Return the link to a private game for two."""
    request = {"players": [{"open": True}] * 2, "visibility": "private", "tileset": SHORT}
    async with visitors.client.post("/v1/games", json=request) as response:
        created = await response.json()
    return f"{visitors.url}#{created['game']['id']}.{created['spectator_token']}"


async def _is_over(*visitors: Visitor) -> bool:
    """Return whether the game is over in all browsers. Wait until each shows whose turn it is."""
    action_bars = [
        visitor.page.locator(".action-bar.mine, .action-bar.theirs, .action-bar.game-result").first
        for visitor in visitors
    ]
    for action_bar in action_bars:
        await action_bar.wait_for()
    active = [await visitor.page.locator(".action-bar.mine").count() for visitor in visitors]
    over = [await visitor.page.locator(".action-bar.game-result").count() for visitor in visitors]
    if sum(active) != 1 and not all(over):
        await visitors[0].page.wait_for_timeout(20)
        return await _is_over(*visitors)
    return all(over)


async def _disconnect(decider: Visitor, other: Visitor) -> None:
    """Take one player offline while the other plays, and check that it then shows all changes."""
    await other.context.set_offline(True)
    await other.page.evaluate("dispatchEvent(new Event('offline'))")
    while await decider.page.locator(".action-bar.mine").count():
        await decider.decide(place_islanders=False)
    await other.context.set_offline(False)
    await expect(other.page.locator(".action-bar.mine")).to_be_visible()
    await expect(other.page.locator(".connection")).to_have_text("Connected")
