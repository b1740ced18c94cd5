"""The screens that a table shows again and again: a question with its menus, and the buttons of any position."""

from examples.discord_bot.custom_ids import Pressed
from examples.discord_bot.menus import Choice, cell_menu, ship_menu, whole_menu
from examples.discord_bot.phrases import Language, say
from examples.discord_bot.screens import Button, Picture, Screen, escape
from schemas.commands import LegalMoves
from schemas.lobby import MyGame


def asking(language: Language, game: str, legal: LegalMoves, choice: Choice, before: str) -> Screen:
    """A question, below what is to be said before it."""
    question = f"{choice.question} {say(language, 'numbers')}"
    undo = Button(say(language, "undo"), Pressed(game, legal.version, "undo"))
    return Screen(
        f"{before}\n{question}".strip(),
        Picture(game, legal.version, candidates=True),
        choice.menus,
        [*choice.buttons, undo],
    )


def choice_of(language: Language, game: str, legal: LegalMoves, pressed: Pressed | None, chosen: str) -> Choice:
    """The question that follows on what was pressed."""
    match pressed:
        case Pressed(what="cell"):
            return cell_menu(language, game, legal, chosen)
        case Pressed(what="ship"):
            return ship_menu(language, game, legal, chosen or pressed.value)
        case Pressed(what="page"):
            return whole_menu(language, game, legal, int(pressed.value or 0))
        case _:
            return whole_menu(language, game, legal)


def game_line(language: Language, one: MyGame) -> str:
    """A game in a list: who plays, and whether it waits for whoever asks."""
    names = ", ".join(player.name or say(language, "open") for player in one.game.players)
    waits = f": {say(language, 'waiting_for_you')}" if one.waiting else ""
    return f"{escape(names)} ({one.game.id}){waits}"


def common(language: Language, game: str, version: int) -> list[Button]:
    """Buttons that are of use in any position."""
    return [
        Button(say(language, "play"), Pressed(game, version, "menu"), "primary"),
        Button(say(language, "scores"), Pressed(game, version, "scores")),
        Button(say(language, "undo"), Pressed(game, version, "undo")),
    ]
