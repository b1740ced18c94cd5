"""Journeys of players through the page, in a real browser."""

import re
from typing import Any

from playwright.async_api import Locator, Page, expect

from tests.page.conftest import RICH
from tests.page.visitor import PHONE, SIDEWAYS, PreparedGame, Visitor, Visitors, decisions, offers, prepare_game

MAX_SHIFT = 0.05
MAX_DECISIONS = 400

OBSERVE_SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver(list => {
    for (const { value, sources } of list.getEntries())
      window.shifts.push([value, sources.map(({ node }) => node?.className ?? node?.parentElement?.className ?? "?")]);
  }).observe({ type: "layout-shift" });
}"""
"""Also counts shifts just after a tap, which browsers exclude from the layout shift score."""

ALL_TILES_IN_VIEW = """() => {
  const frame = document.querySelector(".frame").getBoundingClientRect();
  return [...document.querySelectorAll(".tile")].every(tile => {
    const { left, top, width, height } = tile.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    return x > frame.left && x < frame.right && y > frame.top && y < frame.bottom;
  });
}"""

OBSERVE_CONTRADICTIONS = """() => {
  window.contradictions = 0;
  const check = () => {
    if (document.querySelector(".problem") && document.querySelector(".connection.connected")) window.contradictions++;
  };
  new MutationObserver(check).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Counts how often the page shows an error and "Connected" together."""

WITHOUT_STORAGE = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("no", "SecurityError"); },
});"""

LOSE_FIRST_PICTURES = """
  const lost = new Set();
  const { fetch } = window;
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    if (!/tiles.+svg/.test(response.url) || lost.has(response.url)) return response;
    lost.add(response.url);
    return new Response(new ReadableStream({ start: body => body.error(new TypeError("connection lost")) }));
  };
"""
"""Loses the connection after the head of the first response to each request for a tile's picture."""

PICTURES_SHOWN = """() => {
  const tiles = [...document.querySelectorAll(".tiles use")];
  return tiles.length > 0 && tiles.every(tile => document.querySelector(tile.getAttribute("href")));
}"""

LANGUAGES_LOADED = r"""() => performance.getEntriesByType("resource")
  .flatMap(({ name }) => name.match(/(?<=\/)(en|fr|de)(?=-\w+\.js$)/)?.[0] ?? [])"""

GO_TO = """path => {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}"""

START_WORKER = """async () => {
  await navigator.serviceWorker.register("/service_worker.js");
  while (!navigator.serviceWorker.controller) await new Promise(resolve => setTimeout(resolve, 50));
}"""
"""Starts the service worker at once, as the page does after some seconds."""

CHANGE_ADDRESS = f"""requestAnimationFrame = () => 0;
addEventListener("DOMContentLoaded", () => ({GO_TO})("%s"));"""
"""Changes the address before the first frame."""

BELOW_PLAYERS = """tooltip => {
  const { bottom } = document.querySelector(".players").getBoundingClientRect();
  return tooltip.getBoundingClientRect().top >= bottom;
}"""


async def test_a_whole_game_against_the_computer_by_touch_on_a_phone(visitors: Visitors) -> None:
    player = await visitors.open(size=PHONE, touch=True)
    await _offer_bots(player.page, "greedy", "magpie", "random")
    await player.press("Play against the computer")
    await expect(player.page.locator(".cell").first).to_be_visible()
    for needed in (".harbour", ".players", ".board", ".action-bar .primary"):
        await expect(player.page.locator(needed)).to_be_in_viewport(ratio=1)
    await _tap_ships(player)
    await player.page.evaluate(OBSERVE_SHIFTS)
    assert await player.play(place_islander_every=3) >= 20
    await _check_shifts(player)
    await expect(player.action_bar).to_contain_text(re.compile("wins?"))
    await expect(player.page.locator(".ranking tbody tr")).to_have_count(2)
    await player.press("More")
    await expect(player.page.locator(".log")).to_contain_text("Captain places ")
    await player.press("Back to the board")
    await player.press("Play again")
    await expect(player.page.locator(".action-bar:is(.mine, .theirs)")).to_be_visible()


async def test_two_browsers_play_a_whole_game_and_one_recovers_from_a_lost_connection(visitors: Visitors) -> None:
    """Ana plays by mouse, Bo on a phone held sideways; a spectator watches the private game."""
    ana = await visitors.open(size=(1280, 720))
    link = await _invite(ana)
    bo = await visitors.open(link, size=SIDEWAYS, touch=True)
    await _join(bo)
    await expect(ana.page.locator(".players")).to_contain_text("Bo")
    await expect(bo.page).to_have_url(re.compile(r"/games/[a-z0-9-]+$"))
    await bo.page.reload()
    await expect(bo.page.locator(".players")).to_contain_text("you")
    watcher = await visitors.open(link)
    await _hover_ship(ana)
    players = (ana, bo)
    for player in players:
        await expect(player.action_bar.locator(".hint")).to_be_visible()
        await player.page.evaluate(OBSERVE_SHIFTS)
    await _drag_tile(await _decider(*players))
    count = 0
    while decider := await _decider(*players):
        if count == 10:
            await _miss_turns(decider, bo if decider is ana else ana)
        else:
            await decider.decide(place_islanders=count % 9 == 0)
        count += 1
        assert count < MAX_DECISIONS
    for player in players:
        await _check_shifts(player)
    await expect(watcher.action_bar).to_contain_text("win")
    await expect(watcher.page.locator("[data-choice]")).to_have_count(0)
    logs = [await visitor.page.locator(".log .unseen").all_text_contents() for visitor in (*players, watcher)]
    assert logs == [logs[0]] * 3
    assert "The game is over:" in str(logs[0])
    assert len(logs[0]) == await watcher.version()
    await expect(watcher.page.locator(".log .entry").last).to_be_in_viewport()
    await watcher.page.reload()
    await expect(watcher.action_bar).to_contain_text("win")
    harbours = [await visitor.page.locator(".harbour .ship").all_text_contents() for visitor in (*players, watcher)]
    assert harbours == [harbours[0]] * 3
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")


async def test_turns_are_played_and_ships_paid_by_keyboard_alone(visitors: Visitors) -> None:
    """The first turns in a browser that stores nothing. What happens is said to screen readers."""
    player = await visitors.open()
    await player.context.add_init_script(WITHOUT_STORAGE)
    await player.page.reload()
    await expect(player.page.locator("main")).to_contain_text("This browser does not store")
    await player.button("Play against the computer").focus()
    await _check_help(player.page)
    await _press_keys(player.page, "Enter")
    await expect(player.page.locator(".cell").first).to_be_visible()
    await _check_help(player.page)
    await _play_by_keys(player)
    await player.page.get_by_role("tab", name="My moves").press("Enter")
    await expect(player.page.locator(".moves li button").first).to_be_enabled()
    await player.page.locator(".moves li button").first.press("Enter")
    await expect(player.page.locator("[aria-live=polite]")).to_contain_text("Captain places ")
    await expect(player.page.locator("[data-part=panel]:focus")).to_have_count(1)

    names = ("Ana", "Bo", "Cy", "Di", "Ed")
    game = await prepare_game(visitors, "payments-3", names, tileset=RICH, turn_timeout_s=60, on_timeout="bot")
    await game.play_until(offers("deliver", 12))
    player = await game.open_for(visitors, *range(5))
    await expect(player.page.locator(".ship.choosable").first).to_be_visible()
    await _check_warning(player.page)
    await _pay_by_keys(player)


async def test_a_first_game_is_a_lesson_until_its_player_skips_it(visitors: Visitors) -> None:
    """Two turns by keyboard, doing what is suggested."""
    player = await visitors.open(size=(1280, 720))
    lesson, shining = player.page.locator(".lesson"), player.page.locator("[data-choice].shining")
    await player.button("Learn by playing").press("Enter")
    await expect(lesson).to_have_attribute("data-topic", "place")
    await expect(shining).to_have_count(1)
    await _press_keys(player.page, "ArrowRight", "Enter")
    await expect(shining).to_have_attribute("aria-pressed", "true")
    await expect(lesson).to_have_attribute("data-topic", "turn")
    await _press_keys(player.page, "r")
    await expect(lesson).to_have_attribute("data-topic", "confirm")
    await _press_keys(player.page, "Enter")
    await expect(player.page.locator(".spot").first).to_be_visible()
    await expect(lesson).to_contain_text("Now you may send")
    await _press_keys(player.page, "PageDown", "Enter")
    await expect(lesson).to_have_attribute("data-topic", "send")
    await _press_keys(player.page, "Enter")
    news = re.compile("computer|finished")
    await expect(lesson).to_have_attribute("data-topic", news)
    await player.page.reload()
    await expect(lesson).to_have_attribute("data-topic", news)
    await player.press("Skip")
    await expect(lesson).to_have_count(0)
    await player.page.reload()
    await expect(player.page.locator(".cell").first).to_be_visible()
    await expect(lesson).to_have_count(0)
    await _press_keys(player.page, "?")
    await player.page.get_by_role("dialog").get_by_role("button", name="Learn by playing").press("Enter")
    await expect(lesson).to_have_attribute("data-topic", "place")


async def test_a_player_without_a_network_sees_so_and_plays_on_with_it(visitors: Visitors) -> None:
    visitors.expect_error("ERR_INTERNET_DISCONNECTED|ERR_FAILED")
    game = await prepare_game(visitors, "offline")
    ana = await game.open_for(visitors, 0, size=PHONE, touch=True, worker=True)
    await ana.page.goto(visitors.url)
    await ana.page.add_init_script(LOSE_FIRST_PICTURES)
    await ana.page.reload()
    await expect(ana.button("Play against the computer")).to_be_visible()
    await ana.page.evaluate(START_WORKER)
    await ana.context.set_offline(offline=True)
    await ana.press("Play against the computer")
    await expect(ana.page.locator(".problem")).to_contain_text("No connection.")
    await ana.reconnect()
    await expect(ana.page.locator(".problem")).to_have_count(0)
    await ana.context.set_offline(offline=True)
    await ana.page.evaluate(GO_TO, f"/games/{game.id}")
    await expect(ana.page.locator("main")).to_contain_text("No connection.")
    await ana.reconnect()
    await expect(ana.page.locator(".cell").first).to_be_visible()
    await ana.page.wait_for_function(PICTURES_SHOWN)
    await _turn_tile_offline(ana)
    await ana.page.locator(".cells [data-choice]").first.tap()
    await ana.use(ana.action_bar.locator(".primary"))
    await expect(ana.page.locator(".problem")).to_contain_text("Your move will be sent")
    await expect(ana.page.locator(".connection")).not_to_have_text("Connected")
    await ana.page.reload()
    await expect(ana.page.locator(".problem")).to_contain_text("Your move will be sent")
    await expect(ana.action_bar).to_contain_text("Your move waits to be sent.")
    await expect(ana.page.locator(".trial")).to_be_visible()
    await ana.page.wait_for_function(PICTURES_SHOWN)
    assert (await game.get_json())["version"] == 1
    await ana.page.evaluate(OBSERVE_CONTRADICTIONS)
    await ana.reconnect()
    await expect(ana.page.locator(".tile")).to_have_count(2)
    await _check_connected(ana)
    await ana.disconnect()
    await expect(ana.page.locator(".connection")).not_to_have_text("Connected")
    await game.play_until(decisions(2))
    await ana.reconnect()
    await expect(ana.page.locator("main")).to_have_attribute("data-version", str((await game.get_json())["version"]))
    await _check_connected(ana)
    assert await ana.page.evaluate("window.contradictions") == 0


async def test_the_result_the_replay_and_the_rematch_of_two_players(visitors: Visitors) -> None:
    game = await prepare_game(visitors, "rematch", visibility="private")
    await game.play_until(decisions(20))
    ana = await game.open_for(visitors, 0)
    bo = await game.open_for(visitors, 1, size=PHONE, touch=True)
    watcher = await visitors.open(game.link)
    await expect(watcher.action_bar).to_contain_text("turn")
    await _give_up(bo)
    await expect(ana.action_bar).to_contain_text("You win!")
    for visitor in (bo, watcher):
        await expect(visitor.action_bar).to_contain_text("Ana wins")
        await expect(visitor.page.locator(".players")).to_contain_text("out of the game")
        await expect(visitor.action_bar).to_contain_text("You resigned." if visitor is bo else "Bo resigned.")
        await visitor.page.wait_for_function(ALL_TILES_IN_VIEW)
    await _check_totals(ana, game)
    for player in (ana, bo):
        await _check_replay(player)
        await _check_proof(player)
    await expect(watcher.button("Play again")).to_have_count(0)
    await bo.press("Play again")
    for visitor in (ana, watcher):
        await visitor.press("Open the next game")
    for seat, player in enumerate((ana, bo)):
        await expect(player.page.locator(".player").nth(seat)).to_contain_text("you")
    await expect(watcher.page.locator(".players")).not_to_contain_text("out of the game")
    assert await _decider(ana, bo)
    await watcher.context.add_init_script(CHANGE_ADDRESS % f"/games/{game.id}")
    await watcher.page.goto(f"{visitors.url}?")
    await expect(watcher.page.locator(".players")).to_contain_text("Ana")


async def test_back_closes_what_is_open_and_then_leaves(visitors: Visitors) -> None:
    """As Android's gesture does; a page that is loaded again has nothing open."""
    player = await (await prepare_game(visitors)).open_for(visitors, 0, size=PHONE, touch=True)
    page = player.page
    for names, shown in (
        (("More",), ".play.aside"),
        (("Menu", "Help"), "dialog"),
        (("Menu",), ".menu-list"),
        (("Menu", "Replay"), ".action-bar.replay"),
    ):
        await page.locator(".cell").first.wait_for()
        for name in names:
            await player.press(name)
        await expect(page.locator(shown)).to_have_count(1)
        for _ in range(2 if shown == "dialog" else 1):
            await page.go_back()
        await expect(page.locator(shown)).to_have_count(0)
    await player.press("More")
    await page.reload()
    await page.locator(".cell").first.wait_for()
    await page.go_back()
    await expect(page.locator(".lobby")).to_be_visible()


async def test_the_page_speaks_the_language_of_the_browser_and_the_one_chosen_in_a_game(visitors: Visitors) -> None:
    game = await prepare_game(visitors, "language")
    ana = await game.open_for(visitors, 0, locale="fr-CA")
    await expect(ana.action_bar).to_contain_text("À vous de jouer")
    assert await ana.page.evaluate(LANGUAGES_LOADED) == ["fr"]
    await ana.page.locator(".cells [data-choice]").first.press("Enter")
    await ana.press("Menu")
    await ana.page.get_by_label("Langue").select_option("de")
    await expect(ana.action_bar).to_contain_text("Du bist am Zug")
    await expect(ana.page.locator(".trial")).to_be_visible()
    await expect(ana.page).to_have_title("(1) Du bist am Zug · Südsee")
    await expect(ana.page.locator("link[rel=manifest]")).to_have_attribute("href", "/manifests/de.webmanifest")
    await ana.press("Menü")
    await ana.page.get_by_role("tab", name="Meine Züge").click()
    await expect(ana.page.locator(".moves li").first).to_contain_text(": Kreuzung von 3 Stegen")
    await ana.page.reload()
    await expect(ana.action_bar).to_contain_text("Du bist am Zug")
    await expect(ana.page.locator("html")).to_have_attribute("lang", "de")
    await expect(ana.page.locator(".trial")).to_be_visible()


async def _give_up(player: Visitor) -> None:
    """Give up, after a first thought that leads back to where the focus was."""
    question = player.page.get_by_role("alertdialog", name="Give up")
    await player.press("Menu")
    await player.button("Give up").press("Enter")
    await expect(question.get_by_role("button", name="No")).to_be_focused()
    await player.page.keyboard.press("Enter")
    await expect(question).to_have_count(0)
    await expect(player.button("Give up")).to_be_focused()
    await player.press("Give up")
    await player.use(question.get_by_role("button", name="Give up"))


async def _offer_bots(page: Page, *names: str) -> None:
    """Let the service have these bots; check that the page offers them by their names there, and by others' own."""
    bots = [{"name": name, "version": "1", "description": "", "heavy": False} for name in names]
    await page.route("**/v1/bots", lambda route: route.fulfill(json={"bots": bots}))
    await page.reload()
    await expect(page.get_by_label("Computer").locator("option")).to_have_text(["Beginner", "Skilled", "magpie"])


async def _tap_ships(player: Visitor) -> None:
    """Check that a tap on a ship opens its tooltip on the screen, not over the players, and another one closes it."""
    tooltip, ships = player.page.locator(".ship-tooltip"), player.page.locator(".harbour .ship")
    for ship in await ships.all():
        await ship.tap()
        await expect(tooltip).to_contain_text("Ship of ")
        await expect(tooltip).to_be_in_viewport(ratio=1)
        assert await tooltip.evaluate(BELOW_PLAYERS)
    await ships.last.tap()
    await expect(tooltip).to_have_count(0)


async def _hover_ship(player: Visitor) -> None:
    """Check that the tooltip is open while the mouse is over its ship."""
    await player.page.locator(".harbour .ship").first.hover()
    await expect(player.page.locator(".ship-tooltip")).to_contain_text(re.compile("You lack|You have its wares"))
    await player.page.mouse.move(5, 500)
    await expect(player.page.locator(".ship-tooltip")).to_have_count(0)


async def _check_shifts(player: Visitor) -> None:
    """Check the sum of all shifts since OBSERVE_SHIFTS."""
    shifts: list[tuple[float, list[str]]] = await player.page.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < MAX_SHIFT, sorted(shifts, reverse=True)[:20]


async def _invite(host: Visitor) -> str:
    """Create a private game, and return its link."""
    await host.press("Play with friends")
    await host.page.get_by_label("Your name").last.fill("Ana")
    await host.press("Create game")
    link = await host.page.get_by_label("Link to this game").input_value()
    assert re.search(r"/games/[a-z0-9-]+#spectator=[\w-]{20,}$", link)
    return link


async def _join(visitor: Visitor) -> None:
    await visitor.page.get_by_label("Your name").fill("Bo")
    await visitor.press("Join the game")


async def _decider(*players: Visitor) -> Visitor | None:
    """Return the player who must decide; None where the game is over. Wait until the browsers agree."""
    while True:
        for player in players:
            await player.page.locator(".action-bar:is(.mine, .theirs, .game-result)").first.wait_for()
        deciding = [player for player in players if await player.page.locator(".action-bar.mine").count()]
        over = [await player.page.locator(".action-bar.game-result").count() for player in players]
        if len(deciding) == 1 or all(over):
            return next(iter(deciding), None)
        await players[0].page.wait_for_timeout(20)


async def _drag_tile(player: Visitor | None) -> None:
    """Drag the tile to a cell and on to where it does not fit, drag it to the cell again, and place it."""
    assert player is not None
    trial, hand = player.page.locator(".trial"), player.page.locator(".current-tile")
    x, y = await _middle(player.page.locator("[data-choice]").first)
    mouse = player.page.mouse
    for is_on, targets in ((0, ((x, y), (x - 350, y))), (1, ((x, y),))):
        await mouse.move(*await _middle(hand))
        await mouse.down()
        for target in targets:
            await mouse.move(*target, steps=6)
        await mouse.up()
        await expect(trial).to_have_count(is_on)
        await expect(player.action_bar.get_by_text("It does not fit there.")).to_have_count(1 - is_on)
    await player.press("Place it")
    await expect(player.page.locator(".tile")).to_have_count(2)


async def _middle(element: Locator) -> tuple[float, float]:
    box = await element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def _miss_turns(decider: Visitor, other: Visitor) -> None:
    """Take one player offline while the other plays, and check that it then shows all changes."""
    await other.disconnect()
    while await decider.page.locator(".action-bar.mine").count():
        await decider.decide(place_islanders=False)
    await other.reconnect()
    await expect(other.page.locator(".action-bar.mine")).to_be_visible()
    await _check_connected(other)


async def _check_connected(visitor: Visitor) -> None:
    await expect(visitor.page.locator(".connection")).to_have_text("Connected")
    await expect(visitor.page.locator(".problem, .notice")).to_have_count(0)


async def _press_keys(page: Page, *keys: str) -> None:
    for key in keys:
        await page.keyboard.press(key)


async def _check_help(page: Page) -> None:
    """Check that the question mark opens the help once, and Escape closes it."""
    dialog = page.get_by_role("dialog")
    await _press_keys(page, "?", "?")
    await expect(dialog).to_contain_text("How it works")
    await _press_keys(page, "Escape")
    await expect(dialog).to_have_count(0)


async def _play_by_keys(player: Visitor) -> None:
    """Place a tile, take it back, place it on another cell, and pass. The focus stays on the cell.

    A key for which there is nothing to do says what there is to do.
    """
    keys, focused = player.page, player.page.locator("[data-choice]:focus")
    walked = player.page.locator(".walked:focus")
    cell, spot = player.page.locator(".cell").first, player.page.locator(".spot").first
    asked = player.page.locator(".unseen[aria-live=polite] p", has_text="Your turn. Tile: ")
    await expect(asked).to_have_count(1)
    await _press_keys(keys, "p")
    await expect(asked).to_have_count(2)
    await _press_keys(keys, "PageDown")
    await expect(focused).to_have_attribute("aria-label", re.compile("of the start: .* to the "))
    await _press_keys(keys, "Enter")
    await expect(focused).to_have_attribute("aria-pressed", "true")
    await _press_keys(keys, "r", "Enter")
    await expect(spot).to_be_visible()
    await expect(walked).to_have_attribute("aria-label", re.compile("^Tile .*, the last one placed"))
    await _press_keys(keys, "u")
    await expect(cell).to_be_visible()
    await expect(focused).to_have_count(1)
    await expect(player.page.locator(".tile")).to_have_count(1)
    await expect(player.page.locator(".log")).to_contain_text("takes back the tile")
    await _press_keys(keys, "PageDown", "Enter", "Enter")
    await expect(spot).to_be_visible()
    before = await player.version()
    await _press_keys(keys, "p")
    await player.wait_for_change(before)
    await expect(player.action_bar).to_contain_text("Your turn")


async def _check_warning(page: Page) -> None:
    """Let most of a minute pass, and check the warning on the page, in the title, and said once and at the end."""
    hurry, said = page.locator(".action-bar .hurry"), page.locator(".unseen[aria-live=polite] p", has_text="left!")
    await expect(hurry).to_have_count(0)
    await page.clock.install()
    await page.clock.fast_forward("46")
    await expect(hurry).to_contain_text("Then the computer plays for you.")
    await expect(page).to_have_title(re.compile("Only 0:.. left!"))
    await expect(said.first).to_contain_text("Then the computer plays for you.")
    for _ in range(3):
        await expect(hurry).not_to_have_text(await hurry.inner_text())
    assert await said.count() <= 2, "a screen reader would announce every second"


async def _pay_by_keys(player: Visitor) -> None:
    """Choose a ship, whose tooltip is open while it has the focus, and wares for it."""
    keys, tooltip = player.page, player.page.locator(".ship-tooltip")
    await _press_keys(keys, "ArrowRight")
    ship = player.page.locator(".ship:focus")
    await expect(tooltip).to_contain_text("You can load it")
    await expect(ship).to_have_attribute("aria-describedby", await tooltip.get_attribute("id") or "")
    await _press_keys(keys, "Escape")
    await expect(tooltip).to_have_count(0)
    await _press_keys(keys, "Enter")
    focused = player.page.locator("[role=spinbutton]:focus")
    await expect(focused).to_have_accessible_name("Bananas")
    status = player.action_bar.locator(".payment-status")
    await expect(status).to_contain_text("All 7 chosen.")
    await _press_keys(keys, *("Home", "ArrowRight") * 3)
    await _press_keys(keys, "ArrowUp", "+", "ArrowDown", "ArrowRight", "End")
    await expect(focused).to_have_accessible_name("Shells")
    await expect(status).to_contain_text("All 7 chosen.")
    before = await player.version()
    await _press_keys(keys, "Enter")
    await player.wait_for_change(before)
    await expect(player.page.locator(".log")).to_contain_text("delivers 1 banana and 6 shells")


async def _turn_tile_offline(player: Visitor) -> None:
    """Check that the tile has a picture for each rotation once the network is gone."""
    image = player.page.locator(".current-tile use")
    tile = re.fullmatch(r"#(.+-)\d", await image.get_attribute("href") or "")
    assert tile
    await player.disconnect()
    for rotation in (1, 2, 3, 0):
        await player.page.locator(".current-tile").tap()
        await expect(image).to_have_attribute("href", f"#{tile[1]}{rotation}")
        await expect(player.page.locator(f"svg.shelf symbol[id='{tile[1]}{rotation}']")).to_have_count(1)


async def _check_totals(player: Visitor, game: PreparedGame) -> None:
    """Check that cards, ranking and lobby show the same totals."""
    scores: list[dict[str, Any]] = (await game.get_json())["result"]["scores"]
    totals = [str(score["total"]) for score in scores]
    await expect(player.page.locator(".player .points b")).to_have_text(totals)
    await expect(player.page.locator(".ranking td:last-child")).to_have_text(totals)  # Ana, who won, is first
    await player.page.get_by_role("link", name="All games").click()
    row = player.page.locator(f".game-row:has(a[href='/games/{game.id}'])")
    await expect(row.locator("small.points")).to_have_text(totals)
    await expect(row.locator(".winner")).to_contain_text("Ana")
    await row.get_by_role("link").click()


async def _check_replay(player: Visitor) -> None:
    """Step through a replay: the board is in view in each step, and the winner is shown in the last one only."""
    tiles, winner = player.page.locator(".tile"), player.page.locator(".player.winner")
    await expect(winner).to_have_count(1)
    count = await tiles.count()
    await player.press("Replay the game")
    await expect(tiles).to_have_count(1)
    await expect(winner).to_have_count(0)
    slider = player.page.get_by_role("slider", name="Step of the game")
    last = int(await slider.get_attribute("max") or 0)
    for step in (2, last // 2, last):
        await slider.fill(str(step))
        await expect(player.page.locator(".replay")).to_contain_text(f"Step {step} of {last}")
        await player.page.wait_for_function(ALL_TILES_IN_VIEW)
    await expect(winner).to_have_count(1)
    await player.press("First step")
    await player.press("Next step")
    await expect(tiles).to_have_count(2)
    await player.press("First step")
    await player.press("Play")
    await expect(tiles).to_have_count(2)
    await _press_keys(player.page, "End", " ", "Home", "ArrowRight")
    await expect(player.page.locator(".replay")).to_contain_text(f"Step 2 of {last}")
    await player.page.goto(f"{player.page.url}#move=1")
    await expect(player.page.locator(".replay")).to_contain_text(f"Step 1 of {last}")
    await player.press("Close the replay")
    await expect(tiles).to_have_count(count)


async def _check_proof(player: Visitor) -> None:
    """Check the game's log in the browser, and that the focus is back where it was."""
    await player.button("Check this game").focus()
    await _press_keys(player.page, "Enter")
    await expect(player.page.get_by_role("dialog")).to_contain_text("All is right: no step was changed")
    await _press_keys(player.page, "Escape")
    await expect(player.button("Check this game")).to_be_focused()
