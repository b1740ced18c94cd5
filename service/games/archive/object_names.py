"""Names of archived documents, as objects or files."""

from service.games.timestamps import unix_seconds

SUFFIX = ".json.gz"


def object_name(game: str, created_at: str) -> str:
    """Return the object name of a game: one folder a day, sorted by creation, and constant over a game's life.

    A name consists of a-z, 0-9, `-`, `.`, `/`, and the T and Z of the time. Raises ValueError for an invalid time.

    >>> object_name("k3-x", "2026-11-22T08:19:00Z")
    '2026/11/22/20261122T081900Z-k3-x.json.gz'
    """
    unix_seconds(created_at)  # raises ValueError
    day, _, time = created_at.partition("T")
    return f"{day.replace('-', '/')}/{day.replace('-', '')}T{time.replace(':', '')}-{game}{SUFFIX}"
