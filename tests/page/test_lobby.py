"""Games on the page: creation, invitations, watching, undo, resignation and replay."""

import re

from playwright.async_api import expect

from tests.page.visitor import Visitor, Visitors, starts_against_the_computer


async def test_a_link_brings_a_friend_to_a_private_table_and_shows_no_token_once_used(visitors: Visitors) -> None:
    ana = await visitors.come()
    bo = await visitors.come(await _invited(ana))
    await bo.page.get_by_label("Your name").fill("Bo")
    await bo.press("Join the game")
    await expect(ana.page.locator(".players")).to_contain_text("Bo")
    await expect(bo.page.locator(".players")).to_contain_text("Ana")
    await expect(bo.page).to_have_url(re.compile(r"/#[a-z0-9-]+$"))
    await bo.page.reload()
    await expect(bo.page.locator(".players")).to_contain_text("you")


async def test_the_host_sends_a_stranger_away_and_the_seat_is_open_again(visitors: Visitors) -> None:
    client = visitors.client
    seats = [{"name": "Ana"}, {"open": True}, {"open": True}]
    created = await (await client.post("/v1/games", json={"players": seats})).json()
    game = created["game"]["id"]
    await client.post(f"/v1/games/{game}/seats", json={"name": "Stranger"})
    known = {"id": game, "owner": created["owner_token"], "spectator": created["spectator_token"], "private": False}
    known |= {"seats": {"0": created["seats"][0]["token"]}, "opened": 1}
    ana = await visitors.come()
    await ana.page.evaluate("known => localStorage.setItem('south-seas.tables', JSON.stringify([known]))", known)
    await ana.page.goto(f"{visitors.url}#{game}")
    await ana.page.reload()
    await expect(ana.page.locator(".players")).to_contain_text("Stranger")
    await expect(ana.page.get_by_role("button", name="Remove Ana")).to_have_count(0)
    await ana.press("Remove Stranger")
    await expect(ana.page.locator(".players")).not_to_contain_text("Stranger")
    assert (await client.post(f"/v1/games/{game}/seats", json={"name": "Bo"})).status == 200
    await expect(ana.page.get_by_role("button", name="Remove Bo")).to_be_visible()


async def test_a_spectator_sees_a_move_as_it_is_made_and_has_nothing_to_decide(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    watcher = await visitors.come()
    await watcher.page.get_by_role("link", name="Watch").click()
    await expect(watcher.action_bar).to_contain_text("turn")
    before = await watcher.version()
    await player.decide()
    await watcher.page.wait_for_function(
        "before => document.querySelector('main').dataset.version > before", arg=before
    )
    await expect(watcher.page.locator("[data-choice]")).to_have_count(0)


async def test_what_is_placed_can_be_taken_back_as_long_as_nothing_hidden_was_revealed(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    await player.decide()
    await expect(player.page.locator(".spot").first).to_be_visible()
    await player.press("Take back")
    await expect(player.page.locator(".cell").first).to_be_visible()
    await expect(player.page.locator(".tile")).to_have_count(1)
    await expect(player.page.locator(".log")).to_contain_text("takes the last move back")


async def test_who_gives_up_has_lost(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    player.page.on("dialog", lambda dialog: dialog.accept())
    await player.press("Menu")
    await player.press("Give up")
    await expect(player.action_bar).to_contain_text("Computer wins")
    await expect(player.page.locator(".players")).to_contain_text("resigned")


async def test_friends_play_again_and_who_had_joined_has_the_same_seat(visitors: Visitors) -> None:
    ana = await visitors.come()
    bo = await visitors.come(await _invited(ana))
    await _joins_and_gives_up(bo)
    await expect(ana.action_bar).to_contain_text("You win!")
    await ana.press("Play again")
    await bo.press("Open the next game")
    await expect(bo.page.locator(".player").nth(1)).to_contain_text("you")
    await expect(ana.page.locator(".player").nth(0)).to_contain_text("you")
    mine = [await one.page.locator(".action-bar.mine").count() for one in (ana, bo)]
    assert sum(mine) == 1


async def test_a_finished_game_is_replayed_step_by_step(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    for _ in range(6):
        await player.decide(sends=False)
    player.page.on("dialog", lambda dialog: dialog.accept())
    await player.press("Menu")
    await player.press("Give up")
    await player.press("Replay the game")
    tiles = player.page.locator(".tile")
    await expect(tiles).to_have_count(1)
    slider = player.page.get_by_role("slider", name="Step of the game")
    last = int(await slider.get_attribute("max") or 0)
    await player.press("Next step")
    await expect(tiles).to_have_count(2)
    await slider.fill(str(last))
    await expect(player.page.locator(".replay")).to_contain_text(f"Step {last} of {last}")
    everything = await tiles.count()
    assert everything > 5
    await player.press("First step")
    await player.press("Play")
    await expect(tiles).to_have_count(2)
    await player.press("Close the replay")
    await expect(tiles).to_have_count(everything)


async def test_scores_remaining_tiles_and_what_islanders_would_bring_are_told(visitors: Visitors) -> None:
    player = await visitors.come()
    await starts_against_the_computer(player)
    await player.decide()
    await player.page.get_by_role("button", name=re.compile("^Send out a ")).first.click()
    await player.action_bar.locator(".primary").click()
    await player.page.get_by_role("button", name="Show where Captain").click()
    await expect(player.page.locator(".breakdown")).to_contain_text("From incomplete features")
    await player.page.get_by_role("tab", name=re.compile("tiles left")).click()
    async with visitors.client.get("/v1/tilesets/archipelago") as answer:
        types = (await answer.json())["tiles"]
    await expect(player.page.locator(".tiles-left li")).to_have_count(len(types))


async def _joins_and_gives_up(bo: Visitor) -> None:
    await bo.page.get_by_label("Your name").fill("Bo")
    await bo.press("Join the game")
    await expect(bo.action_bar).to_contain_text("turn")
    bo.page.on("dialog", lambda dialog: dialog.accept())
    await bo.press("Menu")
    await bo.press("Give up")


async def _invited(host: Visitor) -> str:
    """Return the link to a private game that the host has created."""
    await host.press("Play with friends")
    await host.page.get_by_label("Your name").last.fill("Ana")
    await host.press("Create game")
    link = await host.page.get_by_label("Link to this game").input_value()
    assert re.search(r"/#[a-z0-9-]+\.[\w-]{20,}$", link), "the token is in the fragment, which is never sent"
    return link


async def test_a_browser_that_keeps_nothing_plays_as_well_until_the_tab_is_closed(visitors: Visitors) -> None:
    player = await visitors.come()
    await player.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    await player.page.reload()
    await expect(player.page.locator("main")).to_contain_text("This browser does not store")
    await starts_against_the_computer(player)
    assert await player.decide()


async def test_the_lobby_offers_the_services_bots(visitors: Visitors) -> None:
    """One that was added to the service, and not `expert`, which this one does without."""
    player = await visitors.come()
    bots = [
        {"name": name, "version": "1", "description": "", "heavy": False} for name in ("greedy", "magpie", "random")
    ]
    await player.page.route("**/v1/bots", lambda route: route.fulfill(json={"bots": bots}))
    await player.page.reload()
    offered = player.page.get_by_label("Computer").locator("option")
    await expect(offered).to_have_text(["Beginner", "Skilled", "magpie"])


async def test_a_rematch_that_a_spectators_link_does_not_open_is_told_kindly(visitors: Visitors) -> None:
    ana = await visitors.come()
    link = await _invited(ana)
    bo = await visitors.come(link)
    watcher = await visitors.come(link)
    await _joins_and_gives_up(bo)
    await ana.press("Play again")
    await expect(watcher.action_bar).to_contain_text("The next game is private.")
    await expect(watcher.page.get_by_role("button", name="Open the next game")).to_have_count(0)
    await expect(bo.page.get_by_role("button", name="Open the next game")).to_be_visible()
