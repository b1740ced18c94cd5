"""The texts of legal moves: their content and length, in every language."""

from random import Random

import msgspec
import pytest

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.tileset import Cost
from schemas.vocabulary import Wares
from service.engine import Game, TileSetIndex, apply_action, legal_moves
from service.i18n import LANGUAGES, Language, describe_cell, describe_move, get_translator
from service.i18n.phrases import ship_cost
from service.i18n.tile_names import tile_names
from tests.engine.random_games import archipelago_index, new_game, play_randomly
from tests.engine.test_move_ids import INDEXES, long_names

TEXT = 100

SAID: dict[Language, dict[str, Action]] = {
    "en": {
        "place the tile at (0, -1): {tile}": PlaceTile(0, -1, 0),
        "place the tile at (3, -2), turned 90° clockwise: {tile}": PlaceTile(3, -2, 1),
        "place the tile at (3, -2), turned 180°: {tile}": PlaceTile(3, -2, 2),
        "retrieve the shell collector from (0, 0)": RetrieveIslander(0, 0, 1),
        "take the ship of 5 points": TakeShip("s01"),
        "deliver 1 banana + 2 shells to the ship of 5 points": Deliver("s01", Wares(bananas=1, shells=2, fish=0)),
        "deliver wares to the ship of 5 points": Deliver("s01"),
        "place no islander": Pass("islander"),
        "deliver nothing": Pass("deliver"),
    },
    "fr": {
        "poser la tuile en (0, -1)\u00a0: {tile}": PlaceTile(0, -1, 0),
        "poser la tuile en (3, -2), tournée de 90° dans le sens horaire\u00a0: {tile}": PlaceTile(3, -2, 1),
        "reprendre le collecteur de coquillages placé en (0, 0)": RetrieveIslander(0, 0, 1),
        "prendre le navire à 5 points": TakeShip("s01"),
        "livrer 1 banane + 2 coquillages au navire à 5 points": Deliver("s01", Wares(bananas=1, shells=2, fish=0)),
        "ne pas placer d'insulaire": Pass("islander"),
        "ne rien livrer": Pass("deliver"),
    },
    "de": {
        "Karte auf (0, -1) legen: {tile}": PlaceTile(0, -1, 0),
        "Karte um 90° im Uhrzeigersinn gedreht auf (3, -2) legen: {tile}": PlaceTile(3, -2, 1),
        "den Muschelsammler von (0, 0) zurücknehmen": RetrieveIslander(0, 0, 1),
        "das Schiff (5 Punkte) nehmen": TakeShip("s01"),
        "1 Banane + 2 Muscheln an das Schiff (5 Punkte) liefern": Deliver("s01", Wares(bananas=1, shells=2, fish=0)),
        "keinen Insulaner setzen": Pass("islander"),
        "nichts liefern": Pass("deliver"),
    },
}

CASES = [(language, text, action) for language, said in SAID.items() for text, action in said.items()]


def with_display(index: TileSetIndex, *ships: str) -> Game:
    """Return a game with these ships in the display."""
    game = new_game(index, 3)
    game.display = [index.ship_numbers[ship] for ship in ships]
    return game


def with_costs(*costs: Cost) -> TileSetIndex:
    """Return the default tile set with these costs for its first ships, worth 5 points each."""
    tileset = archipelago_index().tileset
    ships = tuple(
        msgspec.structs.replace(ship, points=5, cost=costs[number] if number < len(costs) else ship.cost)
        for number, ship in enumerate(tileset.ships)
    )
    return TileSetIndex(msgspec.structs.replace(tileset, ships=ships))


def with_ships_worth(points: int) -> TileSetIndex:
    """Return the default tile set with so many points for every ship."""
    index = TileSetIndex(archipelago_index().tileset)
    index.ships = tuple(ship._replace(points=points) for ship in index.ships)
    return index


@pytest.mark.parametrize(("language", "text", "action"), CASES)
def test_a_text_says_what_the_move_does(language: Language, text: str, action: Action) -> None:
    index = with_ships_worth(5)
    game = with_display(index, "s01")
    move = describe_move(get_translator(language), index, game, action)
    assert move.text == text.format(tile=tile_names(language, index)[game.tile].land)
    assert move.action is action


@pytest.mark.parametrize(
    ("language", "role", "kind"),
    (
        ("en", "place a {role}", ("banana picker", "shell collector", "fisherman", "merchant")),
        ("fr", "placer un {role}", ("cueilleur de bananes", "collecteur de coquillages", "pêcheur", "marchand")),
        ("de", "einen {role}", ("Bananenpflücker", "Muschelsammler", "Fischer", "Händler")),
    ),
)
def test_an_islander_is_called_by_what_it_stands_on(language: Language, role: str, kind: tuple[str, ...]) -> None:
    """R0: in the rulebooks' own words."""
    index = archipelago_index()
    game = new_game(index, 1)
    for number, called in enumerate(kind):
        game.tile = next(tile for tile, one in enumerate(index.tiles) if number in one.kinds)
        game.oriented_tiles.append(game.tile * 4)
        segment = index.tiles[game.tile].kinds.index(number)
        text = describe_move(get_translator(language), index, game, PlaceIslander(segment)).text
        assert text.startswith(role.partition("{")[0] + called)


FISH = Cost(bananas=0, shells=0, fish=3, any=0, same=())
THREE = Cost(bananas=0, shells=0, fish=0, any=0, same=(3,))
GROUPS = Cost(bananas=1, shells=1, fish=1, any=0, same=(2, 2, 1))
LONG = Cost(bananas=60, shells=60, fish=60, any=60, same=(60, 60, 60))


@pytest.mark.parametrize(
    ("language", "taken", "delivered"),
    (
        ("en", "take the ship of 5 points that asks for {}", "deliver 3 fish to the ship of 5 points that asks for {}"),
        ("fr", "prendre le navire à 5 points demandant {}", "livrer 3 poissons au navire à 5 points demandant {}"),
        (
            "de",
            "das Schiff (5 Punkte) nehmen, das {} verlangt",
            "3 Fische an das Schiff (5 Punkte) liefern, das {} verlangt",
        ),
    ),
)
def test_ships_of_equal_points_are_told_apart_by_their_cost(language: Language, taken: str, delivered: str) -> None:
    index, spoken = with_costs(FISH, THREE), get_translator(language)
    game = with_display(index, "s01", "s02")
    for ship, cost in (("s01", FISH), ("s02", THREE)):
        for action, text in ((TakeShip(ship), taken), (Deliver(ship, Wares(bananas=0, shells=0, fish=3)), delivered)):
            assert describe_move(spoken, index, game, action).text == text.format(ship_cost(spoken, cost))


def test_a_long_cost_is_shortened() -> None:
    index = with_costs(GROUPS, FISH)
    game = with_display(index, "s01", "s02")
    assert [describe_move(get_translator(language), index, game, TakeShip("s01")).text for language in LANGUAGES] == [
        "take the ship of 5 points that asks for 1 banana + 1 shell + 1 fish + 2 + 2 + 1 identical",
        "prendre le navire à 5 points demandant 1 banane + 1 coquillage + 1 poisson + 2 + 2 + 1 identiques",
        "das Schiff (5 Punkte) nehmen, das 1 Banane + 1 Muschel + 1 Fisch + 2 + 2 + 1 gleiche verlangt",
    ]


@pytest.mark.parametrize(
    ("cost", "text"), ((FISH, "take the ship of 5 points that asks for 3 fish"), (LONG, "take the ship of 5 points"))
)
def test_ships_that_nothing_tells_apart_are_numbered(cost: Cost, text: str) -> None:
    index = with_costs(cost, cost)
    game = with_display(index, "s01", "s02")
    texts = [describe_move(get_translator("en"), index, game, TakeShip(ship)).text for ship in ("s01", "s02")]
    assert texts == [f"{text} (1)", f"{text} (2)"]


def test_one_is_singular() -> None:
    index = with_ships_worth(1)
    game = with_display(index, "s01")
    assert describe_move(get_translator("en"), index, game, TakeShip("s01")).text == "take the ship of 1 point"
    assert describe_move(get_translator("de"), index, game, TakeShip("s01")).text == "das Schiff (1 Punkt) nehmen"
    assert [describe_cell(get_translator("en"), 1, -2, number) for number in (1, 2)] == [
        "(1, -2): 1 move",
        "(1, -2): 2 moves",
    ]
    assert describe_cell(get_translator("de"), 1, -2, 1) == "(1, -2): 1 Möglichkeit"


def test_zero_is_singular_in_french() -> None:
    index = with_ships_worth(0)
    game = with_display(index, "s01")
    texts = [describe_move(get_translator(language), index, game, TakeShip("s01")).text for language in LANGUAGES]
    assert texts == ["take the ship of 0 points", "prendre le navire à 0 point", "das Schiff (0 Punkte) nehmen"]


@pytest.mark.parametrize(("index", "seed"), INDEXES[::2])
def test_texts_fit(index: TileSetIndex, seed: int) -> None:
    game = new_game(index, seed, 2 + seed % 4)
    for player in game.players:
        player.wares = [7, 7, 7] if seed % 4 else [0, 0, 0]
    check_texts(index, game)
    for _ in play_randomly(index, game, Random(seed)):
        check_texts(index, game)


def test_the_longest_texts_fit() -> None:
    """Cells far out, 60 of each ware, 32 characters of a tile's id, 8 of a ship's."""
    index = long_names()
    game = new_game(index, 1)
    index.ships = tuple(one._replace(points=99) for one in index.ships)
    ship = index.ship_ids[game.display[0]]
    far = (PlaceTile(-499, -499, 3), Deliver(ship, Wares(bananas=60, shells=60, fish=60)), TakeShip(ship))
    for language in LANGUAGES:
        assert all(len(describe_move(get_translator(language), index, game, action).text) <= TEXT for action in far)


def check_texts(index: TileSetIndex, game: Game) -> None:
    actions = legal_moves(index, game)
    for language in LANGUAGES:
        texts = [describe_move(get_translator(language), index, game, action).text for action in actions]
        assert all(0 < len(text) <= TEXT for text in texts)
        assert len(set(texts)) == len(texts)


def test_texts_are_distinct_whatever_is_retrieved() -> None:
    index = archipelago_index()
    game = new_game(index, 4)
    while not any(isinstance(action, RetrieveIslander) for action in legal_moves(index, game)):
        apply_action(index, game, legal_moves(index, game)[0])
    check_texts(index, game)
