"""Short labels of ships in menus: points and cost, in the languages of the service."""

from collections.abc import Iterator

from examples.chat.phrases import LANGUAGES, Language, translate
from south_seas.models import Cost, Ship

NOUNS = {
    "points": (("point", "points"), ("point", "points"), ("Punkt", "Punkte")),
    "bananas": (("banana", "bananas"), ("banane", "bananes"), ("Banane", "Bananen")),
    "shells": (("shell", "shells"), ("coquillage", "coquillages"), ("Muschel", "Muscheln")),
    "fish": (("fish", "fish"), ("poisson", "poissons"), ("Fisch", "Fische")),
    "wares": (("ware", "wares"), ("marchandise", "marchandises"), ("Ware", "Waren")),
}
"""One and many, in the order of `LANGUAGES`."""

KINDS = {
    "any": ("of any kind", "au choix", "nach Wahl"),
    "same": ("of one kind", "d’un type", "einer Sorte"),
    "other": ("of another kind", "d’un autre type", "einer anderen Sorte"),
    "third": ("of a third kind", "d’un troisième type", "einer dritten Sorte"),
}


def ship_label(language: Language, ship: Ship) -> str:
    """Return a ship's points and cost (R6.3).

    >>> cost = Cost(bananas=1, shells=0, fish=2, any=0, same=[2, 1])
    >>> ship_label("en", Ship(id="s1", points=5, cost=cost))
    '5 points: 1 banana, 2 fish, 2 wares of one kind, 1 ware of another kind'
    """
    parts = ", ".join(_cost_parts(language, ship.cost))
    return translate(language, "ship", points=_count(language, ship.points, "points"), cost=parts)


def _cost_parts(language: Language, cost: Cost) -> Iterator[str]:
    for ware, number in (("bananas", cost.bananas), ("shells", cost.shells), ("fish", cost.fish)):
        if number:
            yield _count(language, number, ware)
    groups = (("any", cost.any), *zip(("same", "other", "third"), cost.same, strict=False))
    for kind, number in groups:
        if number:
            yield f"{_count(language, number, 'wares')} {KINDS[kind][LANGUAGES.index(language)]}"


def _count(language: Language, number: int, noun: str) -> str:
    one, many = NOUNS[noun][LANGUAGES.index(language)]
    return f"{number} {one if number == 1 else many}"
