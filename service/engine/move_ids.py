"""The short ids of moves: at most 24 characters, with the same meaning in every position.

p3.-2.1      place the tile at (3, -2), one quarter turn      i2          islander on segment 2 of the placed tile
r1.0.2       retrieve from segment 2 of (1, 0)                t.s07       take ship s07
d.s01.1.2.0  deliver 1 banana, 2 shells, 0 fish to s01        pass.islander, pass.deliver
"""

import re

from schemas.actions import Action, Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import SHIP_ID, Wares

NUMBER = r"(0|-?[1-9]\d{0,5})"
NATURAL = r"(0|[1-9]\d{0,3})"
SHIP = f"({SHIP_ID})"
PLACE = re.compile(rf"p{NUMBER}\.{NUMBER}\.([0-3])")
ISLANDER = re.compile(rf"i{NATURAL}")
RETRIEVE = re.compile(rf"r{NUMBER}\.{NUMBER}\.{NATURAL}")
TAKE = re.compile(rf"t\.{SHIP}")
DELIVER = re.compile(rf"d\.{SHIP}\.{NATURAL}\.{NATURAL}\.{NATURAL}")


def move_id(action: Action) -> str:
    """Return the id of a complete action: a delivery has its wares, a pass its phase."""
    match action:
        case PlaceTile(x, y, rotation):
            return f"p{x}.{y}.{rotation}"
        case PlaceIslander(segment):
            return f"i{segment}"
        case RetrieveIslander(x, y, segment):
            return f"r{x}.{y}.{segment}"
        case TakeShip(ship):
            return f"t.{ship}"
        case Deliver(ship, wares):
            return f"d.{ship}.{wares.bananas}.{wares.shells}.{wares.fish}" if wares else f"d.{ship}"
        case Pass(phase):
            return f"pass.{phase}"


def parse_move_id(text: str) -> Action | None:
    """Return the action of an id, or None if the text is not a move id."""
    if match := PLACE.fullmatch(text):
        x, y, rotation = map(int, match.groups())
        return PlaceTile(x, y, rotation)
    if match := ISLANDER.fullmatch(text):
        return PlaceIslander(int(match[1]))
    if match := RETRIEVE.fullmatch(text):
        x, y, segment = map(int, match.groups())
        return RetrieveIslander(x, y, segment)
    if match := TAKE.fullmatch(text):
        return TakeShip(match[1])
    if match := DELIVER.fullmatch(text):
        bananas, shells, fish = map(int, match.groups()[1:])
        return Deliver(match[1], Wares(bananas=bananas, shells=shells, fish=fish))
    return _PASSES.get(text)


_PASSES: dict[str, Action] = {"pass.islander": Pass("islander"), "pass.deliver": Pass("deliver")}
