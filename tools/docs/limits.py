"""The tables of docs/limits.md, from the settings, the API document and the code."""

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

import click

from schemas.commands import MAX_ACTIONS
from schemas.player_names import MAX_NAME_LENGTH
from service.games.access import MIN_SECRET_LENGTH
from service.games.commands import play
from service.games.webhook_delivery import RETRY_DELAYS_S
from service.games.webhook_owner import MAX_SEAT_WEBHOOKS
from service.main import cli
from service.store.webhooks import MAX_STORED_ATTEMPTS
from service.web.headers import MAX_BEARER_TOKENS, MAX_IDEMPOTENCY_KEY_LENGTH
from service.web.images import MAX_WIDTH_PX
from service.web.limits import Limits
from service.web.responses import MIN_COMPRESSED_BYTES
from tools.openapi.document import make_openapi

__all__ = ["api_limits", "server_limits"]

DAYS = 86_400

MAX_TEXT_LENGTH = 100
"""tests/i18n/test_texts.py checks it."""

_RATE = ": QUOTA at once, and QUOTA every SECONDS"
"""What the help of each rate says; the page says it once."""


def server_limits() -> Iterator[str]:
    """Yield the settings that limit what a client may do, as a table."""
    serve = cli.commands["serve"]
    options = {str(option.name): option for option in serve.params if isinstance(option, click.Option)}
    prefixes = ("rate_", "max_", "addresses_per", "tokens_per")
    yield "| setting | default | limits |"
    yield "|---|---|---|"
    for name in Limits._fields:
        if name.startswith(prefixes) and name != "rate_limits":
            option = options[name]
            default = option.get_help_extra(click.Context(serve)).get("default", "").strip("()")
            yield f"| `--{name.replace('_', '-')}` | {default} | {str(option.help).replace(_RATE, '')} |"


def api_limits() -> Iterator[str]:
    """Yield the limits of the API, which no setting changes, as a table."""
    document = make_openapi()
    schemas = document["components"]["schemas"]

    def limit_of(path: str) -> int:
        """Return the maximum of the query parameter `limit`."""
        parameters = document["paths"][path]["get"]["parameters"]
        maximum: int = next(one for one in parameters if one.get("name") == "limit")["schema"]["maximum"]
        return maximum

    def bound(schema: str, field: str, name: str) -> Any:
        """Return a bound of a field."""
        found = schemas[schema]["properties"][field]
        return next(one[name] for one in (found, *found.get("anyOf", ())) if name in one)

    script = resources.files("service.store").joinpath("scripts", "commit.lua").read_text()
    key_s, keys = map(int, re.findall(r"local DAY, MAX_KEYS, [\w, ]+ = (\d+), (\d+)", script)[0])
    (move_id,) = re.findall(r"\{1,(\d+)\}", bound("Move", "id", "pattern"))
    timeout_days = bound("CreateGame", "turn_timeout_s", "maximum") // DAYS
    players = f"{bound('CreateGame', 'players', 'minItems')} to {bound('CreateGame', 'players', 'maxItems')}"
    rows: dict[str, object] = {
        "Players of a game, bots and open seats included (R1.1)": players,
        "Characters of a name": f"1 to {MAX_NAME_LENGTH}",
        "Seconds for a decision, `turn_timeout_s`": f"1 to {timeout_days} days",
        "Characters of a move's `id`; of its `text`": f"{move_id}; {MAX_TEXT_LENGTH}",
        "Actions of one list": MAX_ACTIONS,
        "Versions of a game in which `undo` works": f"{play.MAX_VERSIONS:,}",
        "Games of a list, legal moves of a page, diffs or story lines of a page": "; ".join(
            str(limit_of(f"/v1/games{path}")) for path in ("", "/{id}/legal-moves", "/{id}/diffs")
        ),
        "Tokens of one request, for [games that wait for me](absent.md#games-that-wait-for-me)": MAX_BEARER_TOKENS,
        "Characters of an `Idempotency-Key`": f"1 to {MAX_IDEMPOTENCY_KEY_LENGTH}",
        "Random characters of a key that makes tokens, and of a `Creator-Key`": f"{MIN_SECRET_LENGTH} or more",
        "Hours for which a key is remembered; keys of one token in one game within them": f"{key_s // 3600}; {keys}",
        "Seconds for which a request waits for bots": 1,
        "Pixels of a picture, in each direction": MAX_WIDTH_PX,
        "Bytes of a response from which on it is compressed": MIN_COMPRESSED_BYTES,
        "Attempts to deliver a message to a webhook, in nearly a day; attempts that are listed": "; ".join(
            map(str, (len(RETRY_DELAYS_S) + 1, MAX_STORED_ATTEMPTS))
        ),
        "Webhooks that a seat's token may register": MAX_SEAT_WEBHOOKS,
    }
    yield "| what | limit |"
    yield "|---|---|"
    for what, number in rows.items():
        yield f"| {what} | {number} |"
