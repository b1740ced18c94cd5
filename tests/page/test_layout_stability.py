"""The layout is stable over a whole game, and choices are in view."""

import re

import pytest
from playwright.async_api import expect

from tests.page.conftest import SHORT
from tests.page.game_fixture import PreparedGame
from tests.page.page_states import offers, open_game, prepare_local_game
from tests.page.visitor import PHONE, Size, Visitor, Visitors, start_against_computer

MAX_SHIFT = 0.05
LAPTOP: Size = (1280, 720)
SIDEWAYS: Size = (844, 390)
AGAINST_THE_COMPUTER = [{"name": "Ana"}, {"bot": "greedy", "name": "Computer"}]

OBSERVE_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver(list => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push([value, sources.map(({ node }) => node?.className ?? node?.parentElement?.className ?? "?")]);
  }).observe({ type: "layout-shift" });
}"""
"""Also counts shifts just after a tap, which browsers exclude from the layout shift score."""

DRAWN_TWICE = "() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"

IN_VIEW = """selector => {
  const frame = document.querySelector(".frame").getBoundingClientRect();
  return [...document.querySelectorAll(selector)].map(one => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return x > frame.left && x < frame.right && y > frame.top && y < frame.bottom;
  });
}"""
"""Returns for each element whether its centre is in the board's frame."""


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS), ids=["phone", "sideways"])
async def test_the_layout_shifts_by_less_than_a_twentieth_over_a_whole_game(visitors: Visitors, size: Size) -> None:
    game = await prepare_local_game(visitors, players=AGAINST_THE_COMPUTER, tileset=SHORT)
    player = await open_game(visitors, game, size, seats=(0,))
    await expect(player.page.locator(".cell").first).to_be_visible()
    await player.page.evaluate(OBSERVE_SHIFTS)
    await player.play(place_islander_every=3)
    await check_shifts(player)


async def test_a_whole_game_against_the_computer_can_be_played_by_mouse(visitors: Visitors) -> None:
    """The layout shifts by less than a twentieth, too."""
    newcomer = await visitors.open(size=LAPTOP)
    await start_against_computer(newcomer)
    await expect(newcomer.action_bar).to_contain_text("Tap a marked cell for this tile")
    await newcomer.page.evaluate(OBSERVE_SHIFTS)
    assert await newcomer.play(place_islander_every=3) >= 30
    await check_shifts(newcomer)
    await expect(newcomer.action_bar).to_contain_text(re.compile("wins?"))
    await expect(newcomer.page.locator(".ranking tbody tr")).to_have_count(2)
    await newcomer.press("Play again")
    await expect(newcomer.page.locator(".bag")).to_have_text(re.compile("^(71|70) tiles left$"))


async def check_shifts(player: Visitor) -> None:
    """Check the sum of all shifts since OBSERVE_SHIFTS."""
    shifts: list[tuple[float, list[str]]] = await player.page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < MAX_SHIFT, sorted(shifts, reverse=True)[:20]


@pytest.mark.parametrize("size", (PHONE, LAPTOP), ids=["phone", "laptop"])
async def test_new_choices_scroll_into_view_and_the_board_stays_where_the_player_drags_it(
    visitors: Visitors, size: Size
) -> None:
    game = await prepare_local_game(visitors, names=("Ana", "Bo"))
    await game.play_until(offers("place_tile"))
    player = await open_game(visitors, game, size)
    await player.page.locator("[data-choice]").first.click()
    await _drag_out_of_view(player)
    before = await _transform(player)
    await player.page.keyboard.press("r")
    await player.page.evaluate(DRAWN_TWICE)
    assert await _transform(player) == before, "the board moved without a new choice"
    await player.action_bar.locator(".primary").click()
    await expect(player.page.locator(".spot.place").first).to_be_attached()
    await expect(player.page.locator(".spot.place").first).to_be_in_viewport()
    assert any(await player.page.evaluate(IN_VIEW, ".spot.place"))
    await _drag_out_of_view(player)
    await player.action_bar.get_by_role("button", name="No islander").click()
    await expect(player.page.locator(".cell").first).to_be_attached()
    await player.page.wait_for_function(f"() => ({IN_VIEW})('[data-choice]').some(Boolean)")


@pytest.mark.parametrize("size", (PHONE, SIDEWAYS, LAPTOP), ids=["phone", "sideways", "laptop"])
async def test_a_finished_game_and_a_replay_open_with_the_board_in_view(visitors: Visitors, size: Size) -> None:
    game = await prepare_local_game(visitors, tileset=SHORT)
    await _play_to_the_last_turn(game)
    player = await open_game(visitors, game, size)
    await _drag_out_of_view(player)
    await game.play_until(lambda moves: not moves)
    await expect(player.page.locator(".action-bar.game-result")).to_be_visible()
    await player.page.wait_for_function(f"() => ({IN_VIEW})('.tile').every(Boolean)")
    await _drag_out_of_view(player)
    await player.press("Replay the game")
    slider = player.page.get_by_role("slider", name="Step of the game")
    for step in ("1", "20", await slider.get_attribute("max") or ""):
        await slider.fill(step)
        assert all(await player.page.evaluate(IN_VIEW, ".tile"))
    await player.page.reload()
    await expect(player.page.locator(".action-bar.game-result")).to_be_visible()
    await player.page.wait_for_function(f"() => ({IN_VIEW})('.tile').every(Boolean)")


async def _play_to_the_last_turn(game: PreparedGame) -> None:
    """Play until the bag is empty."""
    while True:
        await game.play_until(offers("place_tile"))
        if (await game.read())["bag"] == 0:
            return
        await game.act_successfully()


async def _drag_out_of_view(player: Visitor) -> None:
    """Drag the board until no tile or choice is in view."""
    frame = await player.page.locator(".frame").bounding_box()
    assert frame is not None
    left, top = frame["x"] + 8, frame["y"] + frame["height"] / 3
    mouse = player.page.mouse
    for _ in range(40):
        if not any(await player.page.evaluate(IN_VIEW, ".tile, [data-choice]")):
            return
        await mouse.move(left, top)
        await mouse.down()
        await mouse.move(left + frame["width"] - 90, top, steps=3)
        await mouse.up()
    raise AssertionError("the board cannot be dragged out of view")


async def _transform(player: Visitor) -> str:
    return str(await player.page.locator(".drawn").evaluate("drawn => drawn.style.transform"))
