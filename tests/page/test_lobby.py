"""Games on the page: creation, invitations, watching, undo, resignation and replay."""

import re

from playwright.async_api import expect

from tests.page.game_fixture import prepare_game
from tests.page.visitor import Visitor, Visitors, start_against_computer
from tests.web.http_game import create_game


async def test_a_link_invites_to_a_private_game_and_the_page_removes_its_token_from_the_url(visitors: Visitors) -> None:
    ana = await visitors.open()
    bo = await visitors.open(await _invite(ana))
    await bo.page.get_by_label("Your name").fill("Bo")
    await bo.press("Join the game")
    await expect(ana.page.locator(".players")).to_contain_text("Bo")
    await expect(bo.page.locator(".players")).to_contain_text("Ana")
    await expect(bo.page).to_have_url(re.compile(r"/#[a-z0-9-]+$"))
    await bo.page.reload()
    await expect(bo.page.locator(".players")).to_contain_text("you")


async def test_the_host_can_remove_a_player_which_opens_the_seat_again(visitors: Visitors) -> None:
    client = visitors.client
    seats = [{"name": "Ana"}, {"open": True}, {"open": True}]
    created = await (await client.post("/v1/games", json={"players": seats})).json()
    game = created["game"]["id"]
    await client.post(f"/v1/games/{game}/seats", json={"name": "Stranger"})
    stored = {"id": game, "owner": created["owner_token"], "spectator": created["spectator_token"], "private": False}
    stored |= {"seats": {"0": created["seats"][0]["token"]}, "opened": 1}
    ana = await visitors.open()
    await ana.page.evaluate("game => localStorage.setItem('south-seas.tables', JSON.stringify([game]))", stored)
    await ana.page.goto(f"{visitors.url}#{game}")
    await ana.page.reload()
    await expect(ana.page.locator(".players")).to_contain_text("Stranger")
    await expect(ana.page.get_by_role("button", name="Remove Ana")).to_have_count(0)
    await ana.press("Remove Stranger")
    await expect(ana.page.locator(".players")).not_to_contain_text("Stranger")
    assert (await client.post(f"/v1/games/{game}/seats", json={"name": "Bo"})).status == 200
    await expect(ana.page.get_by_role("button", name="Remove Bo")).to_be_visible()


async def test_a_player_who_has_joined_leaves(visitors: Visitors) -> None:
    players = [{"name": "Ana"}, {"open": True}, {"open": True}]
    game = await create_game(visitors.client, players, visibility="private")
    bo = await visitors.open(f"{visitors.url}#{game.id}.{game.spectator_token}")
    await bo.page.get_by_label("Your name").fill("Bo")
    await bo.press("Join the game")
    await bo.press("Leave the game")
    await expect(bo.page.get_by_role("button", name="Play with friends")).to_be_visible()
    assert [player["kind"] for player in (await game.get_json())["players"]] == ["human", "open", "open"]


async def test_an_address_that_changes_before_the_first_frame_is_followed(visitors: Visitors) -> None:
    game = await prepare_game(visitors)
    visitor = await visitors.open()
    move = f"() => {{ location.hash = '{game.id}'; }}"
    await visitor.context.add_init_script(
        f"requestAnimationFrame = () => 0; addEventListener('DOMContentLoaded', {move});"
    )
    await visitor.page.goto(visitors.url)
    await expect(visitor.page.locator(".players")).to_contain_text("Ana")


async def test_a_spectator_sees_each_move_and_has_no_choices(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    watcher = await visitors.open()
    await watcher.page.get_by_role("link", name="Watch").click()
    await expect(watcher.action_bar).to_contain_text("turn")
    before = await watcher.version()
    await player.decide()
    await watcher.page.wait_for_function(
        "before => document.querySelector('main').dataset.version > before", arg=before
    )
    await expect(watcher.page.locator("[data-choice]")).to_have_count(0)


async def test_a_placement_can_be_undone_until_hidden_information_is_revealed(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    await player.decide()
    await expect(player.page.locator(".spot").first).to_be_visible()
    await player.press("Take back")
    await expect(player.page.locator(".cell").first).to_be_visible()
    await expect(player.page.locator(".tile")).to_have_count(1)
    await expect(player.page.locator(".log")).to_contain_text("takes the last move back")


async def test_a_player_who_gives_up_loses(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    player.page.on("dialog", lambda dialog: dialog.accept())
    await player.press("Menu")
    await player.press("Give up")
    await expect(player.action_bar).to_contain_text("Computer wins")
    await expect(player.page.locator(".players")).to_contain_text("resigned")


async def test_a_rematch_gives_each_player_the_same_seat(visitors: Visitors) -> None:
    ana = await visitors.open()
    bo = await visitors.open(await _invite(ana))
    await _join_and_give_up(bo)
    await expect(ana.action_bar).to_contain_text("You win!")
    await bo.press("Play again")
    await ana.press("Open the next game")
    await expect(bo.page.locator(".player").nth(1)).to_contain_text("you")
    await expect(ana.page.locator(".player").nth(0)).to_contain_text("you")
    active = [await visitor.page.locator(".action-bar.mine").count() for visitor in (ana, bo)]
    assert sum(active) == 1


async def test_a_finished_game_is_replayed_step_by_step(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    for _ in range(6):
        await player.decide(place_islanders=False)
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
    tile_count = await tiles.count()
    assert tile_count > 5
    await player.press("First step")
    await player.press("Play")
    await expect(tiles).to_have_count(2)
    await player.press("Close the replay")
    await expect(tiles).to_have_count(tile_count)


async def test_the_page_shows_projected_scores_and_the_tiles_left(visitors: Visitors) -> None:
    player = await visitors.open()
    await start_against_computer(player)
    await player.decide()
    await player.page.get_by_role("button", name=re.compile("^Send out a [a-z ]+ to the ")).first.click()
    await player.action_bar.locator(".primary").click()
    await expect(player.page.get_by_role("button", name="Show where the computer\u2019s islanders are")).to_be_visible()
    await player.page.get_by_role("button", name="Show where Captain").click()
    await expect(player.page.locator(".breakdown")).to_contain_text("From incomplete features")
    await player.page.get_by_role("tab", name=re.compile("tiles left")).click()
    async with visitors.client.get("/v1/tilesets/archipelago") as response:
        types = (await response.json())["tiles"]
    await expect(player.page.locator(".tiles-left li")).to_have_count(len(types))


async def _join_and_give_up(bo: Visitor) -> None:
    await bo.page.get_by_label("Your name").fill("Bo")
    await bo.press("Join the game")
    await expect(bo.action_bar).to_contain_text("turn")
    bo.page.on("dialog", lambda dialog: dialog.accept())
    await bo.press("Menu")
    await bo.press("Give up")


async def _invite(host: Visitor) -> str:
    """Create a private game, and return its link."""
    await host.press("Play with friends")
    await host.page.get_by_label("Your name").last.fill("Ana")
    await host.press("Create game")
    link = await host.page.get_by_label("Link to this game").input_value()
    assert re.search(r"/#[a-z0-9-]+\.[\w-]{20,}$", link), (
        "the token must be in the fragment, which browsers do not send"
    )
    return link


async def test_without_local_storage_a_game_can_be_played_until_the_tab_is_closed(visitors: Visitors) -> None:
    player = await visitors.open()
    await player.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    await player.page.reload()
    await expect(player.page.locator("main")).to_contain_text("This browser does not store")
    await start_against_computer(player)
    assert await player.decide()


async def test_the_lobby_offers_the_services_bots(visitors: Visitors) -> None:
    """An added bot, and not `expert`, which this service lacks."""
    player = await visitors.open()
    bots = [
        {"name": name, "version": "1", "description": "", "heavy": False} for name in ("greedy", "magpie", "random")
    ]
    await player.page.route("**/v1/bots", lambda route: route.fulfill(json={"bots": bots}))
    await player.page.reload()
    offered = player.page.get_by_label("Computer").locator("option")
    await expect(offered).to_have_text(["Beginner", "Skilled", "magpie"])


async def test_a_spectator_of_a_private_game_watches_the_rematch(visitors: Visitors) -> None:
    ana = await visitors.open()
    link = await _invite(ana)
    bo = await visitors.open(link)
    watcher = await visitors.open(link)
    await _join_and_give_up(bo)
    await expect(watcher.page.get_by_role("button", name="Play again")).to_have_count(0)
    await ana.press("Play again")
    await watcher.press("Open the next game")
    await expect(watcher.page.locator(".player").nth(0)).to_contain_text("Ana")
    await expect(watcher.page.locator(".players")).not_to_contain_text("resigned")
