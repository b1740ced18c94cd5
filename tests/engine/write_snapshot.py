"""Store a snapshot of the current schema: run `python -m tests.engine.write_snapshot` after raising `SCHEMA_VERSION`.

It writes a game in progress, its tile set and its view.
"""

from pathlib import Path
from random import Random

from schemas.base import canonical_json, encode_json
from service.engine import SCHEMA_VERSION, build_view
from service.engine import encode_snapshot as snapshot
from tests.engine.lockstep import Lockstep, Setting
from tests.reference.random_play import choose, deal, random_tileset

SNAPSHOTS = Path(__file__).parent / "snapshots"
TILESET, CHANCE, ACTIONS = 148, 1480, 34
"""A game in which Blue chooses a ship in Red's turn, with covered fish, a discarded tile, and ships won."""


def main() -> None:
    """Write the three files; raises FileExistsError where the number has them already."""
    tileset = random_tileset(TILESET)
    chance = Random(CHANCE)
    bag, ships = deal(tileset, chance)
    steps = Lockstep(Setting(tileset, 3, "german", 1, bag, ships))
    for _ in range(ACTIONS):
        steps.play(choose(steps.reference, chance))
    steps.game.version = ACTIONS + 1
    steps.game.digest = bytes.fromhex("0123456789abcdef" * 2)
    steps.game.updated_at = "2026-11-21T21:34:00Z"
    for name, data in (
        (f"{SCHEMA_VERSION}.msgpack", snapshot(steps.game)),
        (f"{SCHEMA_VERSION}.tileset.json", canonical_json(tileset)),
        (f"{SCHEMA_VERSION}.view.json", encode_json(build_view(steps.index, steps.game))),
    ):
        with (SNAPSHOTS / name).open("xb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
