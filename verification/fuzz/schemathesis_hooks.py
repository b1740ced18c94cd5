"""Hooks of schemathesis (SCHEMATHESIS_HOOKS), which send tokens of earlier responses, and listed moves.

A document's links can pass on a game's id, but neither the Authorization header nor any but the first of the legal
moves; and few of the bodies that a schema allows create a game.
"""

import atexit
import os
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import schemathesis
from schemathesis import Case, HookContext, Response
from schemathesis.core.failures import Failure
from schemathesis.openapi.checks import UseAfterFree

COUNTS_FILE = "FUZZ_FIGURES"
"""The variable that names the file for the numbers of responses, by operation and status."""

SEED = "FUZZ_SEED"

_DELETED_GAME = re.compile(r"DELETE /v1/games/[^/]+")

WRONG_TOKEN_PROBABILITY = 0.1
"""How often a request has no token of its game, or one of another game."""

UNCHANGED_PROBABILITY = 0.3
"""How often a generated body or header is sent unchanged."""

SEATS: tuple[dict[str, Any], ...] = (
    {"name": "Ana"},
    {"name": "Zoë 𝄞"},
    {"bot": "random"},
    {"bot": "greedy"},
    {"open": True},
)

rng = Random(os.environ.get(SEED, "0"))
response_counts: Counter[str] = Counter()
tokens: dict[str, list[str]] = {}
moves: dict[str, list[str]] = {}
etags: dict[str, str] = {}


@schemathesis.hook
def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
    """Remember the tokens, the legal moves and the ETag of a response."""
    del context
    response_counts[f"{case.operation.label} {response.status_code}"] += 1
    if not 200 <= response.status_code < 300 or not response.headers.get("content-type", [""])[0].endswith("json"):
        return
    received: Any = msgspec.json.decode(response.content)
    if not isinstance(received, dict):
        return
    game = _game_id(case, received)
    if game is None:
        return
    if "owner_token" in received:
        tokens.setdefault(game, []).extend([received["owner_token"], received["spectator_token"]])
        tokens[game] += [seat["token"] for seat in received["seats"]]
    elif "seat" in received and isinstance(received.get("token"), str):
        tokens.setdefault(game, []).append(received["token"])
    legal = received if "moves" in received else received.get("legal_moves")
    if isinstance(legal, dict) and legal.get("moves"):
        moves[game] = [move["id"] for move in legal["moves"]]
    if "etag" in response.headers:
        etags[game] = response.headers["etag"][0]


@schemathesis.hook
def filter_failure(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """Ignore that a deleted game stays readable as aborted."""
    del context, case, response
    return not (isinstance(failure, UseAfterFree) and _DELETED_GAME.fullmatch(failure.free))


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Send a token of the game, mostly the owner's, and a listed move for the version of its response."""
    del context, kwargs
    if case.operation.label == "POST /v1/games" and rng.random() > UNCHANGED_PROBABILITY:
        case.body = _new_game()
    if case.operation.label == "GET /v1/seats/me/games" and tokens and rng.random() > WRONG_TOKEN_PROBABILITY:
        sample_tokens = [rng.choice(tokens[game]) for game in rng.choices([*tokens], k=3)]
        case.headers["Authorization"] = f"Bearer {', '.join(sample_tokens)}"
    if any(parameter.name == "include" for parameter in case.operation.query) and rng.random() > UNCHANGED_PROBABILITY:
        case.query["include"] = "legal_moves"
    game = _game_id(case, {})
    if game is None or game not in tokens:
        return
    drawn = rng.random()
    if drawn > WRONG_TOKEN_PROBABILITY:
        of_game = tokens[game]
        case.headers["Authorization"] = f"Bearer {rng.choice([*of_game, *of_game[:1] * 5])}"
    elif drawn < WRONG_TOKEN_PROBABILITY / 2:
        case.headers["Authorization"] = f"Bearer {rng.choice(tokens[rng.choice([*tokens])])}"
    if case.operation.label.endswith("/actions") and game in moves and rng.random() > UNCHANGED_PROBABILITY:
        case.body = {"move": rng.choice(moves.pop(game))}
    if "If-Match" in case.headers and rng.random() > UNCHANGED_PROBABILITY:
        if game in etags and rng.random() < 0.5:
            case.headers["If-Match"] = etags[game]
        else:
            del case.headers["If-Match"]


def _new_game() -> dict[str, Any]:
    """Return a request for a game with at least one human player, so that bots do not finish it alone."""
    seats = [{"name": "Ana"}, *rng.choices(SEATS, k=rng.randint(1, 4))]
    requested: dict[str, Any] = {"players": seats, "visibility": rng.choice(("public", "public", "private"))}
    if rng.random() < 0.5:
        requested |= {"edition": "german", "seed": f"fuzz-{rng.randrange(1000)}"}
    if rng.random() < 0.3:
        requested |= {"turn_timeout_s": rng.randint(1, 600), "on_timeout": rng.choice(("pass", "bot", "resign"))}
    return requested


@atexit.register
def _write_counts() -> None:
    if file := os.environ.get(COUNTS_FILE):
        Path(file).write_bytes(msgspec.json.encode(response_counts))


def _game_id(case: Case[Any], message: dict[str, Any]) -> str | None:
    """Return the id of the game that a request or its response names."""
    game = message.get("game")
    if isinstance(game, dict) and isinstance(game.get("id"), str):
        return str(game["id"])
    if not case.operation.path.startswith("/v1/games/{id}"):
        return None
    result = case.path_parameters.get("id")
    return result if isinstance(result, str) else None
