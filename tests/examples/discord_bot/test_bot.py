"""Users who play with the bot's commands, buttons and menus, on the real service."""

from collections.abc import Callable
from random import Random

import pytest

from examples.discord_bot.bot import SouthSeasBot
from south_seas import Client
from tests.examples.discord_bot.discord_objects import CHANNEL, DiscordUser, SeenMessage
from tests.examples.discord_bot.fake_discord import FakeDiscord

pytestmark = pytest.mark.usefixtures("bot")

ANA = DiscordUser(1, "Ana")
BO = DiscordUser(2, "Bo", "fr")
CY = DiscordUser(3, "Cy", "de")


def calls(person: DiscordUser) -> Callable[[SeenMessage], bool]:
    """Whether a message in the channel calls a person."""
    return lambda seen: f"<@{person.id}>" in seen.text


def is_over(seen: SeenMessage) -> bool:
    """Whether a message in the channel says that the game is over."""
    return any(":rematch:" in one["custom_id"] for one in seen.components(2))


async def begun_alone(fake_discord: FakeDiscord) -> SeenMessage:
    """Start a game of Ana and a bot; return the message that calls Ana."""
    await fake_discord.command(ANA, "new", bots=1)
    return await fake_discord.wait_for_post(calls(ANA))


async def step(fake_discord: FakeDiscord, person: DiscordUser, seen: SeenMessage, chance: Random) -> SeenMessage:
    """Do or choose something of what a message offers."""
    choices = [*(option["value"] for option in seen.options()), *seen.acts()]
    chosen = chance.choice(choices)
    if chosen in seen.acts():
        return await fake_discord.use(person, seen, chosen)
    return await fake_discord.choose(person, seen, chosen)


async def take_turn(fake_discord: FakeDiscord, person: DiscordUser, called: SeenMessage, chance: Random) -> SeenMessage:
    """Play a whole turn; gives what is shown when nothing is left to choose."""
    shown = await fake_discord.press_action(person, called, "menu")
    while shown.options() or shown.acts():
        shown = await step(fake_discord, person, shown, chance)
    return shown


async def next_call(fake_discord: FakeDiscord, after: int) -> SeenMessage:
    """Wait for the next message that mentions a player, or says that the game is over."""

    def wanted(seen: SeenMessage) -> bool:
        return int(seen.payload["id"]) > after and (is_over(seen) or "<@" in seen.text)

    return await fake_discord.wait_for_post(wanted)


async def test_a_new_game_notifies_its_first_player(fake_discord: FakeDiscord) -> None:
    started_at = await fake_discord.command(ANA, "new", bots=1)
    assert started_at.text == "A new game: Ana, Greedy."
    assert not started_at.is_private
    called = await fake_discord.wait_for_post(calls(ANA))
    assert "it is your turn" in called.text
    assert called.payload["allowed_mentions"] == {"parse": [], "users": [ANA.id]}
    menu = await fake_discord.press(ANA, called, "Play")
    assert menu.is_private
    assert menu.text == "Which cell? The numbers are those in the picture."
    assert menu.options()[0]["label"].startswith("1")


async def test_two_people_play_a_whole_game(fake_discord: FakeDiscord, bot: SouthSeasBot, url: str) -> None:
    """One of them in French, the other in English: every message is checked against Discord's limits."""
    await fake_discord.command(ANA, "new", opponent=BO)
    await fake_discord.command(BO, "board")
    chance, turns, received = Random(7), 0, 0
    while not is_over(called := await next_call(fake_discord, received)):
        received = int(called.payload["id"])
        person = ANA if calls(ANA)(called) else BO
        await take_turn(fake_discord, person, called, chance)
        turns += 1
    table = bot.core.storage.latest_game(str(CHANNEL))
    assert table is not None
    async with Client(url, table.spectator_token) as client:
        game = await client.game(table.game)
    assert game.status == "finished"
    assert turns == sum(tile.order > 0 for tile in game.board.values())
    assert "Final scores: " in called.text
    assert bot.core.storage.running_games() == []


async def test_a_button_takes_an_open_seat(fake_discord: FakeDiscord) -> None:
    started_at = await fake_discord.command(ANA, "new", free=1)
    assert started_at.text == "A new game: Ana, an open seat."
    assert (await fake_discord.press(BO, started_at, "Join")).text == "Vous avez une place."
    assert (await fake_discord.press(BO, started_at, "Join")).text == "Vous avez déjà une place."
    assert (await fake_discord.press(CY, started_at, "Join")).text == "Es ist kein Platz mehr frei."


async def test_a_stale_button_shows_the_current_position(fake_discord: FakeDiscord) -> None:
    """It never acts in a position that its presser did not see."""
    called = await begun_alone(fake_discord)
    chance = Random(1)
    first = await fake_discord.press_action(ANA, called, "menu")
    second = await fake_discord.press_action(ANA, called, "menu")
    value = first.options()[0]["value"]
    turned = await fake_discord.choose(ANA, first, value)
    await step(fake_discord, ANA, turned, chance)
    stale = await fake_discord.choose(ANA, second, value)
    assert stale.text.startswith("That button is from an earlier position. Here is the current one.")
    assert stale.options() or stale.acts()


async def test_a_user_without_a_seat_gets_an_error(fake_discord: FakeDiscord) -> None:
    assert (await fake_discord.command(CY, "moves")).text.startswith("Hier gibt es noch kein Spiel")
    called = await begun_alone(fake_discord)
    assert (await fake_discord.press(CY, called, "Play")).text == "Du hast keinen Platz in diesem Spiel."
    assert (await fake_discord.command(CY, "moves", game="nothing")).text == "Dieses Spiel kenne ich nicht (mehr)."


async def test_moves_of_another_turn_show_the_board(fake_discord: FakeDiscord) -> None:
    await fake_discord.command(ANA, "new", opponent=BO)
    called = await fake_discord.wait_for_post(lambda seen: calls(ANA)(seen) or calls(BO)(seen))
    other = BO if calls(ANA)(called) else ANA
    seen = await fake_discord.press_action(other, called, "menu")
    assert seen.options() == []
    assert seen.text.startswith("C'est à Ana" if other is BO else "It is Bo's turn")


async def test_scores_and_my_games(fake_discord: FakeDiscord) -> None:
    assert (await fake_discord.command(ANA, "mygames")).text == "You have no games."
    await fake_discord.command(ANA, "new", bots=2, strength="random")
    await fake_discord.command(ANA, "new", bots=1)
    scores = await fake_discord.command(ANA, "scores")
    assert scores.text.splitlines()[0].startswith("Ana: 0 now, ")
    mine = await fake_discord.command(ANA, "mygames")
    assert len(mine.text.splitlines()) == 2
    assert "waits for you" in mine.text
    assert (await fake_discord.press(ANA, mine, "1")).options()
    games = await fake_discord.suggestions(ANA, "board", "game", "")
    assert len(games) == 2
    assert await fake_discord.suggestions(ANA, "board", "game", games[0]) == games[:1]


async def test_bots_are_suggested(fake_discord: FakeDiscord) -> None:
    assert {"greedy", "random"} <= set(await fake_discord.suggestions(ANA, "new", "strength", ""))
    assert await fake_discord.suggestions(ANA, "new", "strength", "gree") == ["greedy"]


async def test_names_cannot_mention_or_format(fake_discord: FakeDiscord) -> None:
    person = DiscordUser(4, "*Zoë* @everyone <@1>")
    await fake_discord.command(person, "new", bots=1)
    called = await fake_discord.wait_for_post(calls(person))
    assert r"\*Zoë\*" in called.text
    assert called.payload["allowed_mentions"]["users"] == [4]
    assert called.payload["allowed_mentions"]["parse"] == []


async def test_commands_are_registered(fake_discord: FakeDiscord) -> None:
    (group,) = fake_discord.commands
    assert group["name"] == "southseas"
    assert {option["name"] for option in group["options"]} == {
        *("new", "join", "leave", "board", "moves", "scores", "undo", "resign", "back", "rematch", "mygames")
    }
