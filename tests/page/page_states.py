"""Every state of the page, with five players whose names have the maximum length."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from playwright.async_api import Error, Locator, expect

from tests.page.conftest import RICH, SHORT
from tests.page.game_fixture import Moves, PreparedGame, prepare_game
from tests.page.visitor import Size, Visitor, Visitors

NAMES = (
    "Wilhelmina-Maximiliana of Hawaii",
    "WwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwW",
    "Bartholomäus von den Osterinseln",
    "Penelope Featherstonehaugh-Smyth",
    "Kapitän Jörg Ølberg-Ångström III",
)
"""Each 32 characters long."""

SEED = "payments-4"
"""The seed of the tiles and the moves, with which all players get many wares."""

DRAWN = """() => {
  const tiles = [...document.querySelectorAll(".tiles use")];
  return tiles.length > 0 && tiles.every(tile => document.querySelector(tile.getAttribute("href")));
}"""
"""Whether the images of all tiles on the board have loaded."""

LOADING = """() => ({
  text: document.body.innerText.slice(0, 300),
  missing: [...document.querySelectorAll(".tiles use")].map(tile => tile.getAttribute("href"))
    .filter(href => !document.querySelector(href)),
  latest: performance.getEntriesByType("resource").slice(-5)
    .map(({ name, startTime, duration, responseStatus }) => [name, startTime, duration, responseStatus]),
  now: performance.now(),
})"""
"""What a page shows that is not drawn yet."""

prepare_local_game = partial(prepare_game, seed=SEED, names=NAMES)
"""Create a game of five players at one device."""


def offers(action_type: str, count: int = 1) -> Callable[[Moves], bool]:
    """Return a condition: at least `count` legal moves of a type; for deliveries, for the same ship."""

    def condition(moves: Moves) -> bool:
        actions = [move["action"] for move in moves if move["action"]["type"] == action_type]
        counts = Counter(action["ship"] if action_type == "deliver" else action_type for action in actions)
        return max(counts.values(), default=0) >= count

    return condition


async def open_game(
    visitors: Visitors, game: PreparedGame, size: Size, seats: tuple[int, ...] = (0, 1, 2, 3, 4)
) -> Visitor:
    """Open a game in a browser that has the tokens of these seats."""
    visitor = await game.open_for(visitors, *seats, owner=game.owner_token, size=size, touch=True)
    try:
        await visitor.page.wait_for_function(DRAWN)
    except Error as timeout:
        raise AssertionError(await visitor.page.evaluate(LOADING)) from timeout
    return visitor


async def _lobby(visitors: Visitors, size: Size) -> Visitor:
    for status in ("waiting", "active", "finished"):
        await _create_lobby_game(visitors, status)
    game = await prepare_local_game(visitors)
    visitor = await open_game(visitors, game, size)
    await expect(visitor.action_bar).to_be_visible()
    await visitor.page.goto(f"{visitors.url}#")
    await expect(visitor.page.locator(".game-row")).to_have_count(4)
    return visitor


async def _create_lobby_game(visitors: Visitors, status: str) -> None:
    if status == "waiting":
        request = {"players": [*({"name": name} for name in NAMES[:4]), {"open": True}]}
        await visitors.client.post("/v1/games", json=request)
        return
    game = await prepare_local_game(visitors)
    for seat in range(4) if status == "finished" else ():
        await game.post_successfully("/resign", {"seat": seat})


async def _creating(visitors: Visitors, size: Size) -> Visitor:
    visitor = await visitors.open(size=size, touch=True)
    await visitor.press("Play with friends")
    dialog = visitor.page.locator("dialog")
    await dialog.get_by_label("Your name").fill(NAMES[0])
    for seat in range(2, 6):
        await dialog.locator(".seat select").nth(seat - 1).select_option("here")
        await dialog.get_by_label(f"Name for seat {seat}").fill(NAMES[seat - 1])
    await dialog.get_by_label("Time for each decision").select_option("60")
    return visitor


async def _inviting(visitors: Visitors, size: Size) -> Visitor:
    visitor = await visitors.open(size=size, touch=True)
    await visitor.press("Play with friends")
    await visitor.page.locator("dialog").get_by_label("Your name").fill(NAMES[0])
    await visitor.press("Create game")
    await expect(visitor.page.get_by_label("Link to this game")).to_be_visible()
    return visitor


async def _joining(visitors: Visitors, size: Size) -> Visitor:
    request = {"players": [*({"name": name} for name in NAMES[:4]), {"open": True}], "visibility": "private"}
    async with visitors.client.post("/v1/games", json=request) as response:
        created = await response.json()
    link = f"{visitors.url}#{created['game']['id']}.{created['spectator_token']}"
    visitor = await visitors.open(link, size=size, touch=True)
    await expect(visitor.page.get_by_role("button", name="Join the game")).to_be_visible()
    return visitor


async def _placing(visitors: Visitors, size: Size, *, chosen: bool = False) -> Visitor:
    game = await prepare_local_game(visitors)
    for _ in range(2 * len(NAMES)):
        await game.play_until(offers("place_tile"))
        await game.act_successfully()
    await game.play_until(offers("place_tile"))
    visitor = await open_game(visitors, game, size)
    await expect(visitor.page.locator(".cell").first).to_be_visible()
    return await _choose(visitor, visitor.page.locator("[data-choice]")) if chosen else visitor


async def _placing_islander(visitors: Visitors, size: Size, *, chosen: bool = False) -> Visitor:
    game = await prepare_local_game(visitors)
    await game.play_until(offers("place_islander", 3))
    visitor = await open_game(visitors, game, size)
    await expect(visitor.page.locator(".spot.place").first).to_be_visible()
    return await _choose(visitor, visitor.page.locator("[data-choice]")) if chosen else visitor


async def _retrieving(visitors: Visitors, size: Size, *, chosen: bool = False) -> Visitor:
    game = await prepare_local_game(visitors, edition="german")
    await game.play_until(offers("retrieve_islander", 2))
    visitor = await open_game(visitors, game, size)
    await expect(visitor.page.locator(".spot.retrieve").first).to_be_visible()
    return await _choose(visitor, visitor.page.get_by_role("button", name="Take back your")) if chosen else visitor


async def _choose(visitor: Visitor, choices: Locator) -> Visitor:
    await choices.first.press("Enter")
    await expect(visitor.action_bar.locator(".primary")).to_be_enabled()
    return visitor


async def _delivering(visitors: Visitors, size: Size, *, payments: int = 0, tileset: str = "archipelago") -> Visitor:
    game = await prepare_local_game(visitors, tileset=tileset)
    await game.play_until(offers("deliver", max(payments, 1)))
    ships = Counter(
        move["action"].get("ship") for move in await game.legal_moves() if move["action"]["type"] == "deliver"
    )
    visitor = await open_game(visitors, game, size)
    await expect(visitor.page.locator(".ship.choosable").first).to_be_visible()
    if payments:
        ship = max(ships, key=lambda ship: ships[ship])
        position = (await game.read())["display"].index(ship)
        await visitor.page.locator(".ship").nth(position).press("Enter")
        await expect(visitor.action_bar.get_by_role("group", name="Pay with")).to_be_visible()
    return visitor


async def _others_turn(visitors: Visitors, size: Size) -> Visitor:
    game = await prepare_local_game(visitors, first_seat=0)
    visitor = await open_game(visitors, game, size, seats=(1,))
    await expect(visitor.page.locator(".action-bar.theirs")).to_be_visible()
    return visitor


async def _timed_out(visitors: Visitors, size: Size) -> Visitor:
    """Let seat 0's time run out, and the computer play its turn."""
    game = await prepare_local_game(visitors, turn_timeout_s=1, on_timeout="bot")
    visitor = await open_game(visitors, game, size, seats=(0,))
    await expect(visitor.page.locator(".countdown")).to_have_text("Time is up")
    await expect(visitor.page.locator(".players")).to_contain_text("played by the computer")
    return visitor


async def _after_pressing(visitors: Visitors, size: Size, names: tuple[str, ...]) -> Visitor:
    visitor = await _placing(visitors, size)
    for name in names:
        await visitor.page.get_by_role("button", name=name, exact=True).dispatch_event("click")
    return visitor


async def _tab(visitors: Visitors, size: Size, number: int) -> Visitor:
    visitor = await _after_pressing(visitors, size, ("More",))
    await visitor.page.get_by_role("tab").nth(number).dispatch_event("click")
    await visitor.page.locator("[role=tabpanel] li").first.wait_for(state="attached")
    return visitor


async def _inspecting(visitors: Visitors, size: Size) -> Visitor:
    """Show the values of a player's islanders, and of one islander."""
    visitor = await _after_pressing(visitors, size, ("More",))
    await visitor.page.locator(".holds button").first.dispatch_event("click")
    await visitor.page.locator(".breakdown").wait_for(state="attached")
    await visitor.page.locator(".islander").first.dispatch_event("click")
    await visitor.page.locator(".inspected").wait_for(state="attached")
    return visitor


async def _finished(visitors: Visitors, size: Size) -> Visitor:
    game = await prepare_local_game(visitors, tileset=SHORT)
    await game.play_until(lambda moves: not moves)
    visitor = await open_game(visitors, game, size)
    await expect(visitor.page.locator(".action-bar.game-result")).to_be_visible()
    return visitor


async def _replaying(visitors: Visitors, size: Size) -> Visitor:
    visitor = await _finished(visitors, size)
    await visitor.press("Replay the game")
    slider = visitor.page.get_by_role("slider", name="Step of the game")
    await slider.fill(await slider.get_attribute("max") or "")
    return visitor


async def _offline(visitors: Visitors, size: Size) -> Visitor:
    """Try a move without a network."""
    visitor = await _placing(visitors, size, chosen=True)
    await visitor.context.set_offline(offline=True)
    await visitor.page.evaluate("dispatchEvent(new Event('offline'))")
    await visitor.action_bar.locator(".primary").dispatch_event("click")
    await expect(visitor.page.locator(".problem")).to_be_visible()
    visitors.expect_error("ERR_INTERNET_DISCONNECTED")
    return visitor


async def _missing(visitors: Visitors, size: Size) -> Visitor:
    visitor = await visitors.open("#nothing-here", size=size, touch=True)
    await expect(visitor.page.get_by_role("link", name="All games").last).to_be_visible()
    visitors.expect_error("404")
    return visitor


STATES: Mapping[str, Callable[[Visitors, Size], Awaitable[Visitor]]] = {
    "lobby": _lobby,
    "creating": _creating,
    "inviting": _inviting,
    "joining": _joining,
    "placing": _placing,
    "placing-chosen": partial(_placing, chosen=True),
    "placing-islander": _placing_islander,
    "placing-islander-chosen": partial(_placing_islander, chosen=True),
    "retrieving": _retrieving,
    "retrieving-chosen": partial(_retrieving, chosen=True),
    "delivering": _delivering,
    "delivering-small": partial(_delivering, payments=2),
    "delivering-large": partial(_delivering, payments=25, tileset=RICH),
    "others-turn": _others_turn,
    "timed-out": _timed_out,
    "menu": partial(_after_pressing, names=("Menu",)),
    "help": partial(_after_pressing, names=("Menu", "Help")),
    "link": partial(_after_pressing, names=("Menu", "Link to watch this game")),
    "log": partial(_tab, number=0),
    "tiles-left": partial(_tab, number=1),
    "moves": partial(_tab, number=2),
    "islanders": _inspecting,
    "result": _finished,
    "replay": _replaying,
    "offline": _offline,
    "missing": _missing,
}
