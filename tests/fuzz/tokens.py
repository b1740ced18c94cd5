"""Loaded by schemathesis (SCHEMATHESIS_HOOKS): it shows tokens that it was given, and does moves that were listed.

A document's links can name a game, but not the Authorization header, nor any but the first of the legal moves; and of
the bodies that a schema allows, few make a game.
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

FIGURES = "FUZZ_FIGURES"
"""The variable that names the file for the numbers of answers, by operation and status."""

SEED = "FUZZ_SEED"

_DELETED_GAME = re.compile(r"DELETE /v1/games/[^/]+")

FOREIGN_TOKEN_SHARE = 0.1
"""How often a request comes without a token of its game, or with another game's."""

UNCHANGED_SHARE = 0.3
"""How often an act's body stays what was generated."""

SEATS: tuple[dict[str, Any], ...] = (
    {"name": "Ana"},
    {"name": "Zoë 𝄞"},
    {"bot": "random"},
    {"bot": "greedy"},
    {"open": True},
)

chance = Random(os.environ.get(SEED, "0"))
answers: Counter[str] = Counter()
tokens: dict[str, list[str]] = {}
moves: dict[str, list[str]] = {}
etags: dict[str, str] = {}


@schemathesis.hook
def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
    """Keep the tokens, the moves and the version that an answer tells of a game."""
    del context
    answers[f"{case.operation.label} {response.status_code}"] += 1
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
    """Ignore that a deleted game stays readable as aborted; a deleted webhook does not."""
    del context, case, response
    return not (isinstance(failure, UseAfterFree) and _DELETED_GAME.fullmatch(failure.free))


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Show a token of the game, mostly the owner's; do a listed move, at the version that was told."""
    del context, kwargs
    if case.operation.label == "POST /v1/games" and chance.random() > UNCHANGED_SHARE:
        case.body = _new_game()
    if case.operation.label == "GET /v1/seats/me/games" and tokens and chance.random() > FOREIGN_TOKEN_SHARE:
        displayed = [chance.choice(tokens[game]) for game in chance.choices([*tokens], k=3)]
        case.headers["Authorization"] = f"Bearer {', '.join(displayed)}"
    if any(parameter.name == "include" for parameter in case.operation.query) and chance.random() > UNCHANGED_SHARE:
        case.query["include"] = "legal_moves"
    game = _game_id(case, {})
    if game is None or game not in tokens:
        return
    drawn = chance.random()
    if drawn > FOREIGN_TOKEN_SHARE:
        of_game = tokens[game]
        case.headers["Authorization"] = f"Bearer {chance.choice([*of_game, *of_game[:1] * 5])}"
    elif drawn < FOREIGN_TOKEN_SHARE / 2:
        case.headers["Authorization"] = f"Bearer {chance.choice(tokens[chance.choice([*tokens])])}"
    if case.operation.label.endswith("/actions") and game in moves and chance.random() > UNCHANGED_SHARE:
        case.body = {"move": chance.choice(moves.pop(game))}
    if "If-Match" in case.headers and chance.random() > UNCHANGED_SHARE:
        if game in etags and chance.random() < 0.5:
            case.headers["If-Match"] = etags[game]
        else:
            del case.headers["If-Match"]


def _new_game() -> dict[str, Any]:
    """Return a request for a game with at least two people, so that bots do not finish it alone."""
    seats = [{"name": "Ana"}, *chance.choices(SEATS, k=chance.randint(1, 4))]
    requested: dict[str, Any] = {"players": seats, "visibility": chance.choice(("public", "public", "private"))}
    if chance.random() < 0.5:
        requested |= {"edition": "german", "seed": f"fuzz-{chance.randrange(1000)}"}
    if chance.random() < 0.3:
        requested |= {"turn_timeout_s": chance.randint(1, 600), "on_timeout": chance.choice(("pass", "bot", "resign"))}
    return requested


@atexit.register
def _write_figures() -> None:
    if where := os.environ.get(FIGURES):
        Path(where).write_bytes(msgspec.json.encode(answers))


def _game_id(case: Case[Any], told: dict[str, Any]) -> str | None:
    """Return the id of the game that a request or its response names."""
    game = told.get("game")
    if isinstance(game, dict) and isinstance(game.get("id"), str):
        return str(game["id"])
    if not case.operation.path.startswith("/v1/games/{id}"):
        return None
    result = case.path_parameters.get("id")
    return result if isinstance(result, str) else None
