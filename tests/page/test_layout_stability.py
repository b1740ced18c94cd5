"""The layout is stable over a whole game, and choices are in sight."""

import pytest
from playwright.async_api import expect

from tests.page.conftest import SHORT
from tests.page.game_fixture import PreparedGame
from tests.page.page_states import offers, seated, sit
from tests.page.visitor import PHONE, Size, Visitor, Visitors

MOST_DECISIONS = 400
MOST_SHIFT = 0.1
LAPTOP: Size = (1280, 720)
SIDEWAYS: Size = (844, 390)
AGAINST_THE_COMPUTER = [{"name": "Ana"}, {"bot": "greedy", "name": "Computer"}]

WATCH_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver(list => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push([value, sources.map(({ node }) => node?.className ?? node?.parentElement?.className ?? "?")]);
  }).observe({ type: "layout-shift" });
}"""
"""Also counts the shifts just after a tap, which browsers excuse."""

IN_SIGHT = """selector => {
  const frame = document.querySelector(".frame").getBoundingClientRect();
  return [...document.querySelectorAll(selector)].map(one => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return x > frame.left && x < frame.right && y > frame.top && y < frame.bottom;
  });
}"""
"""Of each thing on the board, whether its middle is in the board's frame."""


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS, LAPTOP), ids=["phone", "sideways", "laptop"])
async def test_the_layout_shifts_by_less_than_a_tenth_over_a_whole_game(visitors: Visitors, size: Size) -> None:
    game = await seated(visitors, players=AGAINST_THE_COMPUTER)
    player = await sit(visitors, game, size, seats=(0,))
    await expect(player.page.locator(".cell").first).to_be_visible()
    await player.page.evaluate(WATCH_SHIFTS)
    decisions = 0
    while await player.decide(sends=decisions % 3 == 0):
        decisions += 1
        assert decisions < MOST_DECISIONS
    assert decisions >= 30
    shifts: list[tuple[float, list[str]]] = await player.page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < MOST_SHIFT, sorted(shifts, reverse=True)[:20]


@pytest.mark.parametrize("size", (PHONE, LAPTOP), ids=["phone", "laptop"])
async def test_what_can_be_chosen_is_brought_into_sight_and_left_where_the_player_moves_it(
    visitors: Visitors, size: Size
) -> None:
    game = await seated(visitors, names=("Ana", "Bo"))
    await game.play_until(offers("place_tile"))
    player = await sit(visitors, game, size)
    await player.page.locator("[data-choice]").first.click()
    await _push_away(player)
    pushed = await _transform(player)
    await player.page.keyboard.press("r")
    await player.page.wait_for_timeout(100)
    assert await _transform(player) == pushed, "whoever looks elsewhere may"
    await player.action_bar.locator(".primary").click()
    await expect(player.page.locator(".spot.place").first).to_be_attached()
    await expect(player.page.locator(".spot.place").first).to_be_in_viewport()
    assert any(await player.page.evaluate(IN_SIGHT, ".spot.place"))
    await _push_away(player)
    await player.action_bar.get_by_role("button", name="No islander").click()
    await expect(player.page.locator(".cell").first).to_be_attached()
    await player.page.wait_for_function(f"() => ({IN_SIGHT})('[data-choice]').some(Boolean)")


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS, LAPTOP), ids=["phone", "sideways", "laptop"])
async def test_a_finished_game_and_a_replay_open_with_the_board_in_view(visitors: Visitors, size: Size) -> None:
    game = await seated(visitors, tileset=SHORT)
    await _play_to_the_last_turn(game)
    player = await sit(visitors, game, size)
    await _push_away(player)
    await game.play_until(lambda moves: not moves)
    await expect(player.page.locator(".action-bar.game-result")).to_be_visible()
    await player.page.wait_for_function(f"() => ({IN_SIGHT})('.tile').every(Boolean)")
    await _push_away(player)
    await player.press("Replay the game")
    slider = player.page.get_by_role("slider", name="Step of the game")
    for step in ("1", "20", await slider.get_attribute("max") or ""):
        await slider.fill(step)
        assert all(await player.page.evaluate(IN_SIGHT, ".tile"))
    await player.page.reload()
    await expect(player.page.locator(".action-bar.game-result")).to_be_visible()
    await player.page.wait_for_function(f"() => ({IN_SIGHT})('.tile').every(Boolean)")


async def _play_to_the_last_turn(game: PreparedGame) -> None:
    """Play until no tile is left to draw."""
    while True:
        await game.play_until(offers("place_tile"))
        if (await game.read())["bag"] == 0:
            return
        await game.act_successfully()


async def _push_away(player: Visitor) -> None:
    """Drag the board until nothing of it is in sight."""
    frame = await player.page.locator(".frame").bounding_box()
    assert frame is not None
    left, top = frame["x"] + 8, frame["y"] + frame["height"] / 3
    mouse = player.page.mouse
    for _ in range(40):
        if not any(await player.page.evaluate(IN_SIGHT, ".tile, [data-choice]")):
            return
        await mouse.move(left, top)
        await mouse.down()
        await mouse.move(left + frame["width"] - 90, top, steps=3)
        await mouse.up()
    raise AssertionError("the board cannot be moved away")


async def _transform(player: Visitor) -> str:
    return str(await player.page.locator(".drawn").evaluate("drawn => drawn.style.transform"))
