"""What the bot itself says, in the languages of the service's texts."""

from typing import Literal

Language = Literal["en", "fr", "de"]

LANGUAGES: tuple[Language, ...] = ("en", "fr", "de")


def language_of(locale: str) -> Language:
    """The language for a Discord locale, as `fr` or `en-GB`.

    >>> language_of("de"), language_of("en-GB"), language_of("ja")
    ('de', 'en', 'en')
    """
    return next((language for language in LANGUAGES if locale.partition("-")[0] == language), "en")


def say(language: Language, key: str, **values: object) -> str:
    """One of the bot's phrases."""
    return PHRASES[key][LANGUAGES.index(language)].format(**values)


PHRASES: dict[str, tuple[str, str, str]] = {
    "new": (
        "A new table: {players}.",
        "Une nouvelle table : {players}.",
        "Ein neuer Tisch: {players}.",
    ),
    "open": ("a free seat", "une place libre", "ein freier Platz"),
    "joined": ("You sit at the table.", "Vous êtes à la table.", "Du sitzt am Tisch."),
    "already": ("You sit there already.", "Vous y êtes déjà.", "Du sitzt schon dort."),
    "full": ("No seat is free any more.", "Il n'y a plus de place libre.", "Es ist kein Platz mehr frei."),
    "unseated": ("You do not sit at this table.", "Vous n'êtes pas à cette table.", "Du sitzt nicht an diesem Tisch."),
    "no_table": (
        "There is no table here yet: begin one with /southseas new.",
        "Il n'y a pas encore de table ici : commencez avec /southseas new.",
        "Hier gibt es noch keinen Tisch: fang mit /southseas new an.",
    ),
    "no_games": ("You have no games.", "Vous n'avez pas de partie.", "Du hast keine Spiele."),
    "stale": (
        "That button is of an earlier position; here is the present one.",
        "Ce bouton date d'une position antérieure ; voici la position actuelle.",
        "Dieser Knopf gehört zu einer früheren Stellung; hier ist die jetzige.",
    ),
    "done": ("Done.", "C'est fait.", "Erledigt."),
    "refused": ("That is not possible: {why}", "C'est impossible : {why}", "Das geht nicht: {why}"),
    "away": (
        "The game service does not answer just now. Nothing is lost: try again in a moment.",
        "Le service de jeu ne répond pas pour le moment. Rien n'est perdu : réessayez dans un instant.",
        "Der Spieldienst antwortet gerade nicht. Nichts ist verloren: versuch es gleich noch einmal.",
    ),
    "unknown_game": (
        "I do not know this game (any more).",
        "Je ne connais pas (ou plus) cette partie.",
        "Dieses Spiel kenne ich nicht (mehr).",
    ),
    "choose_cell": ("Where to?", "Où ?", "Wohin?"),
    "choose_turn": ("Which way round?", "Dans quel sens ?", "Wie herum?"),
    "choose_move": ("What will you do?", "Que faites-vous ?", "Was tust du?"),
    "choose_ship": ("Which ship?", "Quel navire ?", "Welches Schiff?"),
    "choose_wares": ("Which wares?", "Quelles marchandises ?", "Welche Waren?"),
    "numbers": (
        "The numbers are those in the picture.",
        "Les numéros sont ceux de l'image.",
        "Die Nummern sind die im Bild.",
    ),
    "back": ("Back", "Retour", "Zurück"),
    "play": ("Play", "Jouer", "Spielen"),
    "join": ("Join", "Rejoindre", "Mitspielen"),
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
    "earlier": ("◀ {page}", "◀ {page}", "◀ {page}"),
    "later": ("{page} ▶", "{page} ▶", "{page} ▶"),
    "your_turn": ("{mention}, it is your turn.", "{mention}, c'est votre tour.", "{mention}, du bist am Zug."),
    "score_line": (
        "{name}: {points} now, {total} if it ended now",
        "{name} : {points} maintenant, {total} si la partie finissait maintenant",
        "{name}: {points} jetzt, {total} bei sofortigem Ende",
    ),
    "waiting_for_you": ("waits for you", "vous attend", "wartet auf dich"),
    "nothing_to_undo": (
        "There is nothing that you can take back.",
        "Il n'y a rien que vous puissiez annuler.",
        "Es gibt nichts, was du zurücknehmen kannst.",
    ),
    "not_your_turn": ("It is not your turn.", "Ce n'est pas votre tour.", "Du bist nicht am Zug."),
    "over": ("That game is over.", "Cette partie est terminée.", "Dieses Spiel ist zu Ende."),
    "not_replaced": (
        "No bot sits in for you.",
        "Aucun robot ne vous remplace.",
        "Kein Bot spielt für dich.",
    ),
    "replaced": (
        "A bot stands in for you: take the seat back with /southseas back.",
        "Un robot vous remplace : reprenez la place avec /southseas back.",
        "Ein Bot spielt für dich: nimm den Platz mit /southseas back zurück.",
    ),
}
"""By key, in the order of `LANGUAGES`."""
