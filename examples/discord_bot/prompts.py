"""Screens with a question and its menus, and buttons for any position."""

from examples.discord_bot.custom_ids import ComponentAction
from examples.discord_bot.menus import Choice, first_choice, payment_choice, rotation_choice
from examples.discord_bot.phrases import Language, translate
from examples.discord_bot.screens import Button, Picture, Screen, escape_markup
from south_seas.models import LegalMoves, MyGame


def move_prompt(language: Language, game: str, legal: LegalMoves, choice: Choice, before: str) -> Screen:
    """Return the screen of a choice, below a text."""
    question = f"{choice.question} {translate(language, 'numbers')}"
    undo = Button(translate(language, "undo"), ComponentAction(game, legal.version, "undo"))
    return Screen(
        f"{before}\n{question}".strip(),
        Picture(game, legal.version, candidates=True),
        choice.menus,
        [*choice.buttons, undo],
    )


def next_choice(
    language: Language, game: str, legal: LegalMoves, action: ComponentAction | None, chosen: str
) -> Choice:
    """Return the next choice after an action."""
    match action:
        case ComponentAction(name="cell"):
            return rotation_choice(language, game, legal, chosen)
        case ComponentAction(name="ship"):
            return payment_choice(language, game, legal, chosen or action.value)
        case ComponentAction(name="page"):
            return first_choice(language, game, legal, int(action.value or 0))
        case _:
            return first_choice(language, game, legal)


def game_line(language: Language, one: MyGame) -> str:
    """Return a line about a game: its players, and whether it waits for the user."""
    names = ", ".join(player.name or translate(language, "open") for player in one.game.players)
    waits = f": {translate(language, 'waiting_for_you')}" if one.waiting else ""
    return f"{escape_markup(names)} ({one.game.id}){waits}"


def common_buttons(language: Language, game: str, version: int) -> list[Button]:
    """Return the buttons for any position."""
    return [
        Button(translate(language, "play"), ComponentAction(game, version, "menu"), "primary"),
        Button(translate(language, "scores"), ComponentAction(game, version, "scores")),
        Button(translate(language, "undo"), ComponentAction(game, version, "undo")),
    ]
