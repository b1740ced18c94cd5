"""Parts of small tile sets in the API's format."""

from collections.abc import Iterable, Sequence

from tests.reference.pieces import EDGES, Json


def bridge(edges: str = "", shells: int = 0) -> Json:
    """Return a bridge segment; `edges` such as "ns", empty for a bridge inside the tile."""
    return {"kind": "bridge", "edges": list(edges), "shells": shells}


def island(edges: str = "", bananas: int = 0) -> Json:
    """Return an island segment."""
    return {"kind": "island", "edges": list(edges), "bananas": bananas}


def sea(halves: Iterable[int], fish: Iterable[int] = (), *, boat: bool = False) -> Json:
    """Return a sea segment with its fish groups."""
    return {"kind": "sea", "halves": list(halves), "fish": list(fish), "boat": boat}


def market() -> Json:
    """Return a market segment."""
    return {"kind": "market"}


def ship(name: str, points: int, *, any_ware: int = 0, same: Sequence[int] = (), **named: int) -> Json:
    """Return a ship; `named` holds bananas, shells and fish."""
    wares = {"bananas": 0, "shells": 0, "fish": 0} | named
    return {"id": name, "points": points, "cost": {**wares, "any": any_ware, "same": list(same)}}


def tileset(start: str, tiles: Sequence[Json], ships: Sequence[Json]) -> Json:
    """Return a tile set."""
    return {
        "id": "small",
        "name": "A small set",
        "provenance": "made up for a test",
        "start": start,
        "tiles": list(tiles),
        "ships": list(ships),
    }


def check_tile(tile: Json) -> None:
    """Raise `AssertionError` if edges and segments disagree, or a half is not covered exactly once."""
    halves: list[int] = []
    for number, edge in enumerate(EDGES):
        kind = tile["edges"][edge]
        if kind != "island":
            halves += [2 * number, 2 * number + 1]
        reaching = [segment["kind"] for segment in tile["segments"] if edge in segment.get("edges", ())]
        assert reaching == ([] if kind == "sea" else [kind]), (tile["id"], edge)
        if kind == "sea":
            both = [{2 * number, 2 * number + 1} & set(segment.get("halves", ())) for segment in tile["segments"]]
            assert {len(shared) for shared in both} <= {0, 2}, (tile["id"], edge)
    covered = sorted(half for segment in tile["segments"] for half in segment.get("halves", ()))
    assert covered == halves, (tile["id"], covered)
    assert all(len(segment["edges"]) <= 2 for segment in tile["segments"] if segment["kind"] == "bridge"), tile["id"]
