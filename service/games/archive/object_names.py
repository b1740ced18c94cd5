"""What the document of a game is called, as an object or a file."""

from service.games.timestamps import unix_seconds

SUFFIX = ".json.gz"


def object_name(game: str, created_at: str) -> str:
    """A name that never changes with the game: names sort as the games were created, a folder for each day.

    It has only a-z, 0-9, `-`, `.`, `/`, and T and Z of the time.

    >>> object_name("k3-x", "2026-11-22T08:19:00Z")
    '2026/11/22/20261122T081900Z-k3-x.json.gz'
    """
    unix_seconds(created_at)  # raises ValueError for what is no time, and so may be no name
    day, _, time = created_at.partition("T")
    return f"{day.replace('-', '/')}/{day.replace('-', '')}T{time.replace(':', '')}-{game}{SUFFIX}"
