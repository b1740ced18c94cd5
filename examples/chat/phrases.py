"""The bot's own texts, in the languages of the service."""

import re
from typing import Literal

Language = Literal["en", "fr", "de"]

LANGUAGES: tuple[Language, ...] = ("en", "fr", "de")


def language_of(locale: str) -> Language:
    """Return the language for a locale, as `fr` or `en-GB`.

    >>> language_of("de"), language_of("en-GB"), language_of("ja")
    ('de', 'en', 'en')
    """
    return next((language for language in LANGUAGES if locale.partition("-")[0] == language), "en")


def translate(language: Language, key: str, **values: object) -> str:
    """Return a phrase in a language; French has narrow spaces before its punctuation, at which no line breaks."""
    phrase = PHRASES[key][LANGUAGES.index(language)]
    return (re.sub(" (?=[:;!?])", "\u202f", phrase) if language == "fr" else phrase).format(**values)


PHRASES: dict[str, tuple[str, str, str]] = {
    "new": (
        "A new game: {players}.",
        "Une nouvelle partie : {players}.",
        "Ein neues Spiel: {players}.",
    ),
    "open": ("an open seat", "une place libre", "ein freier Platz"),
    "joined": ("You have a seat.", "Vous avez une place.", "Du hast einen Platz."),
    "left": ("You have left the game.", "Vous avez quitté la partie.", "Du hast das Spiel verlassen."),
    "cannot_leave": (
        "You can only leave a game that you joined and that has not begun. To give up, use {prefix}resign.",
        "On ne peut quitter qu’une partie rejointe qui n’a pas commencé. Pour abandonner : {prefix}resign.",
        "Verlassen kannst du ein Spiel nur, wenn du ihm beigetreten bist, und vor dem Beginn; sonst: {prefix}resign.",
    ),
    "already": ("You already have a seat.", "Vous avez déjà une place.", "Du hast schon einen Platz."),
    "full": ("No seat is open.", "Il n’y a plus de place libre.", "Es ist kein Platz mehr frei."),
    "unseated": (
        "You have no seat in this game.",
        "Vous n’avez pas de place dans cette partie.",
        "Du hast keinen Platz in diesem Spiel.",
    ),
    "no_table": (
        "There is no game here yet. Start one with {prefix}new.",
        "Il n’y a pas encore de partie ici : commencez avec {prefix}new.",
        "Hier gibt es noch kein Spiel: fang mit {prefix}new an.",
    ),
    "no_games": ("You have no games.", "Vous n’avez pas de partie.", "Du hast keine Spiele."),
    "stale": (
        "That button is from an earlier position. Here is the current one.",
        "Ce bouton date d’une position antérieure ; voici la position actuelle.",
        "Dieser Knopf gehört zu einer früheren Stellung; hier ist die jetzige.",
    ),
    "refused": ("That is not possible.", "C’est impossible.", "Das geht nicht."),
    "new_limits": (
        "A game needs 2 to 5 players, bots such as greedy, and 1 minute to 30 days for a decision.",
        "Il faut 2 à 5 joueurs, des robots comme greedy, et de 1 minute à 30 jours par décision.",
        "Ein Spiel braucht 2 bis 5 Spieler, Bots wie greedy, und 1 Minute bis 30 Tage für eine Entscheidung.",
    ),
    "unknown_bot": (
        "There is no bot of that name.",
        "Il n’y a pas de robot de ce nom.",
        "Einen Bot mit diesem Namen gibt es nicht.",
    ),
    "away": (
        "The game service is unavailable. Your games are safe; try again in a moment.",
        "Le service de jeu ne répond pas pour le moment. Rien n’est perdu : réessayez dans un instant.",
        "Der Spieldienst antwortet gerade nicht. Nichts ist verloren: versuch es gleich noch einmal.",
    ),
    "too_many": (
        "Too many requests; try again in {wait}.",
        "Trop de demandes ; réessayez dans {wait}.",
        "Zu viele Anfragen; versuch es in {wait} noch einmal.",
    ),
    "too_many_games": (
        "Too many new games; try again in {wait}.",
        "Trop de nouvelles parties ; réessayez dans {wait}.",
        "Zu viele neue Spiele; versuch es in {wait} noch einmal.",
    ),
    "failed": (
        "Something went wrong. Your game is safe; try again.",
        "Une erreur s’est produite. Rien n’est perdu : réessayez.",
        "Da ist etwas schiefgegangen. Nichts ist verloren: versuch es noch einmal.",
    ),
    "unknown_game": (
        "I do not know this game.",
        "Je ne connais pas (ou plus) cette partie.",
        "Dieses Spiel kenne ich nicht (mehr).",
    ),
    "choose_cell": ("Which cell?", "Où ?", "Wohin?"),
    "choose_turn": ("Which rotation?", "Dans quel sens ?", "Wie herum?"),
    "choose_move": ("Which move?", "Que faites-vous ?", "Was tust du?"),
    "choose_ship": ("Which ship?", "Quel navire ?", "Welches Schiff?"),
    "choose_wares": ("Which wares?", "Quelles marchandises ?", "Welche Waren?"),
    "numbers": (
        "The numbers are those in the picture.",
        "Les numéros sont ceux de l’image.",
        "Die Nummern sind die im Bild.",
    ),
    "back": ("Back", "Retour", "Zurück"),
    "play": ("Play", "Jouer", "Spielen"),
    "join": ("Join", "Rejoindre", "Mitspielen"),
    "leave": ("Leave", "Quitter", "Verlassen"),
    "undo": ("Undo", "Annuler", "Rückgängig"),
    "scores": ("Scores", "Scores", "Punkte"),
    "again": ("Play again", "Rejouer", "Noch einmal"),
    "resign": ("Resign", "Abandonner", "Aufgeben"),
    "resign_sure": (
        "Do you really want to resign?",
        "Voulez-vous vraiment abandonner ?",
        "Willst du wirklich aufgeben?",
    ),
    "return": ("Take the seat back", "Reprendre la place", "Platz zurücknehmen"),
    "earlier": ("◀ Earlier", "◀ Précédents", "◀ Vorige"),
    "later": ("More ▶", "Suite ▶", "Mehr ▶"),
    "your_turn": ("{mention}, it is your turn.", "{mention}, c’est votre tour.", "{mention}, du bist am Zug."),
    "final_line": ("{name}: {points}", "{name} : {points}", "{name}: {points}"),
    "ship": ("{points}: {cost}", "{points} : {cost}", "{points}: {cost}"),
    "score_line": (
        "{name}: {points} now, {total} if the game ended now",
        "{name} : {points} maintenant, {total} si la partie finissait maintenant",
        "{name}: {points} jetzt, {total} bei sofortigem Ende",
    ),
    "waiting_for_you": ("waits for you", "vous attend", "wartet auf dich"),
    "nothing_to_undo": (
        "You have nothing to undo.",
        "Il n’y a rien que vous puissiez annuler.",
        "Es gibt nichts, was du zurücknehmen kannst.",
    ),
    "illegal_move": (
        "The rules forbid this move now.",
        "Les règles interdisent ce coup maintenant.",
        "Die Regeln erlauben diesen Zug jetzt nicht.",
    ),
    "not_your_turn": ("It is not your turn.", "Ce n’est pas votre tour.", "Du bist nicht am Zug."),
    "not_begun": (
        "The game has not begun: a seat is open.",
        "La partie n’a pas commencé : il reste une place libre.",
        "Das Spiel hat noch nicht begonnen: Ein Platz ist frei.",
    ),
    "over": ("That game is over.", "Cette partie est terminée.", "Dieses Spiel ist zu Ende."),
    "not_over": (
        "That game is not over yet.",
        "Cette partie n’est pas encore terminée.",
        "Dieses Spiel ist noch nicht zu Ende.",
    ),
    "rematch_exists": (
        "The same players already have a new game.",
        "Les mêmes joueurs ont déjà une nouvelle partie.",
        "Dieselben Spieler haben schon ein neues Spiel.",
    ),
    "resigned": ("You have resigned.", "Vous avez abandonné.", "Du hast aufgegeben."),
    "not_replaced": (
        "No bot plays for you.",
        "Aucun robot ne vous remplace.",
        "Kein Bot spielt für dich.",
    ),
    "replaced": (
        "A bot plays for you. Take the seat back with {prefix}back.",
        "Un robot vous remplace : reprenez la place avec {prefix}back.",
        "Ein Bot spielt für dich: nimm den Platz mit {prefix}back zurück.",
    ),
}
"""By key, in the order of `LANGUAGES`."""
