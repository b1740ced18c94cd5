"""People who play by the bot: commands, buttons and menus, on the real service."""

from collections.abc import Callable
from random import Random

import pytest

from examples.discord_bot.bot import SouthSeasBot
from service.client import Client
from tests.examples.discord_bot.fake_discord import CHANNEL, Discord, Person, Seen

pytestmark = pytest.mark.usefixtures("bot")

ANA = Person(1, "Ana")
BO = Person(2, "Bo", "fr")
CY = Person(3, "Cy", "de")


def calls(person: Person) -> Callable[[Seen], bool]:
    """Whether a message in the channel calls a person."""
    return lambda seen: f"<@{person.id}>" in seen.text


def is_over(seen: Seen) -> bool:
    """Whether a message in the channel says that the game is over."""
    return any(":rematch:" in one["custom_id"] for one in seen.components(2))


async def step(discord_side: Discord, person: Person, seen: Seen, chance: Random) -> Seen:
    """Do or choose something of what a message offers."""
    choices = [*(option["value"] for option in seen.options()), *seen.acts()]
    chosen = chance.choice(choices)
    if chosen in seen.acts():
        return await discord_side.use(person, seen, chosen)
    return await discord_side.choose(person, seen, chosen)


async def take_turn(discord_side: Discord, person: Person, called: Seen, chance: Random) -> Seen:
    """Play a whole turn; gives what is shown when nothing is left to choose."""
    seen = await discord_side.do(person, called, "menu")
    while seen.options() or seen.acts():
        seen = await step(discord_side, person, seen, chance)
    return seen


async def next_call(discord_side: Discord, told: int) -> Seen:
    """The next message in the channel that calls somebody, or says that it is over."""

    def wanted(seen: Seen) -> bool:
        return int(seen.payload["id"]) > told and (is_over(seen) or "<@" in seen.text)

    return await discord_side.post_in_channel(wanted)


async def test_a_table_is_begun_and_its_first_player_called(discord_side: Discord) -> None:
    begun = await discord_side.command(ANA, "new", bots=1)
    assert begun.text == "A new game: Ana, Greedy."
    assert not begun.is_private
    called = await discord_side.post_in_channel(calls(ANA))
    assert "it is your turn" in called.text
    assert called.payload["allowed_mentions"] == {"parse": [], "users": [ANA.id]}
    menu = await discord_side.press(ANA, called, "Play")
    assert menu.is_private
    assert menu.text == "Which cell? The numbers are those in the picture."
    assert menu.options()[0]["label"].startswith("1")


async def test_two_people_play_a_whole_game(discord_side: Discord, bot: SouthSeasBot, url: str) -> None:
    """One of them in French, the other in English: every message is held to Discord's limits."""
    await discord_side.command(ANA, "new", opponent=BO)
    await discord_side.command(BO, "board")
    chance, turns, told = Random(7), 0, 0
    while not is_over(called := await next_call(discord_side, told)):
        told = int(called.payload["id"])
        person = ANA if calls(ANA)(called) else BO
        await take_turn(discord_side, person, called, chance)
        turns += 1
    table = bot.storage.latest_game(CHANNEL)
    assert table is not None
    async with Client(url, table.spectator_token) as client:
        game = await client.game(table.game)
    assert game.status == "finished"
    assert turns == sum(tile.order > 0 for tile in game.board.values())
    assert "The scores: " in called.text
    assert bot.storage.running_games() == []


async def test_a_free_seat_is_taken_by_a_button(discord_side: Discord) -> None:
    begun = await discord_side.command(ANA, "new", free=1)
    assert begun.text == "A new game: Ana, an open seat."
    assert (await discord_side.press(BO, begun, "Join")).text == "Vous avez une place."
    assert (await discord_side.press(BO, begun, "Join")).text == "Vous avez déjà une place."
    assert (await discord_side.press(CY, begun, "Join")).text == "Es ist kein Platz mehr frei."


async def test_an_old_button_shows_the_present_position(discord_side: Discord) -> None:
    """It never acts in a position that its presser did not see."""
    await discord_side.command(ANA, "new", bots=1)
    called = await discord_side.post_in_channel(calls(ANA))
    chance = Random(1)
    first = await discord_side.do(ANA, called, "menu")
    second = await discord_side.do(ANA, called, "menu")
    value = first.options()[0]["value"]
    turned = await discord_side.choose(ANA, first, value)
    await step(discord_side, ANA, turned, chance)
    stale = await discord_side.choose(ANA, second, value)
    assert stale.text.startswith("That button is from an earlier position. Here is the current one.")
    assert stale.options() or stale.acts()


async def test_who_does_not_sit_there_is_told_so(discord_side: Discord) -> None:
    assert (await discord_side.command(CY, "moves")).text.startswith("Hier gibt es noch kein Spiel")
    await discord_side.command(ANA, "new", bots=1)
    called = await discord_side.post_in_channel(calls(ANA))
    assert (await discord_side.press(CY, called, "Play")).text == "Du sitzt nicht an diesem Tisch."
    assert (await discord_side.command(CY, "moves", game="nothing")).text == "Dieses Spiel kenne ich nicht (mehr)."


async def test_who_is_not_on_turn_sees_the_board(discord_side: Discord) -> None:
    await discord_side.command(ANA, "new", opponent=BO)
    called = await discord_side.post_in_channel(lambda seen: calls(ANA)(seen) or calls(BO)(seen))
    other = BO if calls(ANA)(called) else ANA
    seen = await discord_side.do(other, called, "menu")
    assert seen.options() == []
    assert seen.text.startswith("C'est à Ana" if other is BO else "It is Bo's turn")


async def test_points_and_games_are_told(discord_side: Discord) -> None:
    assert (await discord_side.command(ANA, "mygames")).text == "You have no games."
    await discord_side.command(ANA, "new", bots=2, strength="random")
    await discord_side.command(ANA, "new", bots=1)
    scores = await discord_side.command(ANA, "scores")
    assert scores.text.splitlines()[0].startswith("Ana: 0 now, ")
    mine = await discord_side.command(ANA, "mygames")
    assert len(mine.text.splitlines()) == 2
    assert "waits for you" in mine.text
    assert (await discord_side.press(ANA, mine, "1")).options()
    games = await discord_side.suggestions(ANA, "board", "game", "")
    assert len(games) == 2
    assert await discord_side.suggestions(ANA, "board", "game", games[0]) == games[:1]


async def test_the_services_bots_are_suggested(discord_side: Discord) -> None:
    assert {"greedy", "random"} <= set(await discord_side.suggestions(ANA, "new", "strength", ""))
    assert await discord_side.suggestions(ANA, "new", "strength", "gree") == ["greedy"]


async def test_names_wake_and_format_nothing(discord_side: Discord) -> None:
    person = Person(4, "*Zoë* @everyone <@1>")
    await discord_side.command(person, "new", bots=1)
    called = await discord_side.post_in_channel(calls(person))
    assert r"\*Zoë\*" in called.text
    assert called.payload["allowed_mentions"]["users"] == [4]
    assert called.payload["allowed_mentions"]["parse"] == []


async def test_the_commands_are_made_known(discord_side: Discord) -> None:
    (group,) = discord_side.commands
    assert group["name"] == "southseas"
    assert {option["name"] for option in group["options"]} == {
        *("new", "join", "board", "moves", "scores", "undo", "resign", "back", "rematch", "mygames")
    }
