"""A game of three players and two tiles."""

from south_seas.models import Cost, Deck, GameView, PlacedTile, Player, Ship, Wares

NOTHING = Wares(bananas=0, shells=0, fish=0)
SHIPS = {"s1": Ship(id="s1", points=5, cost=Cost(bananas=1, shells=2, fish=1, any=0, same=[]))}


def player(seat: int, name: str) -> Player:
    return Player(
        seat=seat,
        name=name,
        color="red",
        kind="human",
        bot=None,
        resigned=False,
        supply=4,
        wares=NOTHING,
        ships=[],
        points=0,
    )


def placed(tile: str) -> PlacedTile:
    return PlacedTile(tile=tile, rotation=0, order=0, islanders=[], covered=[])


GAME = GameView(
    id="g",
    version=1,
    status="active",
    tileset="t",
    edition="international",
    created_at="2026-01-01T00:00:00Z",
    updated_at="2026-01-01T00:00:00Z",
    players=[player(0, "Ana"), player(1, "Klaus"), player(2, "Cy")],
    turn=None,
    board={"0,0": placed("start"), "1,0": placed("market")},
    display=["s1"],
    ship_pile=20,
    bag=70,
    discarded=[],
    deck=Deck(commitment="", seed=None, seed_chosen=False),
    result=None,
    turn_timeout_s=None,
    on_timeout=None,
    previous_game=None,
    next_game=None,
)
