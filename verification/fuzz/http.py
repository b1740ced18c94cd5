"""Fuzzes the HTTP API with schemathesis, which knows only the served OpenAPI document.

First each operation by itself, on an active game and on one with open seats; then sequences along the document's links,
which create and join games, act, undo, resign, abort, read, draw, and register webhooks.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.tools import ROOT
from verification.fuzz import schemathesis_hooks
from verification.fuzz.harness import Budget, Counts
from verification.fuzz.schemathesis_hooks import COUNTS_FILE, SEED
from verification.fuzz.target import Target

TIMEOUT_S = 900

SINGLE_PHASES = "examples,coverage,fuzzing"

CONFIGURATION_FILE = "schemathesis.toml"

CONFIGURATION = """
[parameters]
"path.id" = "{game}"

[checks.missing_required_header]
enabled = false

[[operations]]
include-path = "/v1/tilesets/{{id}}"
parameters = {{ "path.id" = "lagoon" }}
"""
"""Only the check `ignored_auth` tests a missing token. `missing_required_header` also sends invalid headers, which the
service rejects with 400 before it checks the token.
"""

REJECTIONS = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 414, 415, 422, 428, 429, "5xx"]
"""
"""A text that is too long for its parameter may make the whole target too long first: 414."""

SEQUENCES = """
[checks.ignored_auth]
enabled = false

[checks.ensure_resource_availability]
enabled = false

[phases.stateful]
max-steps = 40

[phases.stateful.inference]
algorithms = []
"""
"""Only the document's own links.

The hooks replace a missing token, so `ignored_auth` would check nothing. A private game is 404 for an unknown token, so
`ensure_resource_availability` would fail.
"""

RESIGN = "/v1/games/{id}/resign"
"""Excluded for the active game, which it would end."""

SEMANTIC_CHECK = "positive_data_acceptance"
"""Excluded: a valid request may still be rejected by the rules, by If-Match, or for the characters of a name."""


def fuzz(target: Target, directory: Path, budget: Budget, counts: Counts) -> None:
    """Run all phases; configurations are written to `directory`."""
    fuzz_active_game(target, directory, budget, counts)
    fuzz_other_games(target, directory, budget._replace(examples=max(1, budget.examples // 5)), counts)
    fuzz_sequences(target, directory, budget._replace(examples=5 * budget.examples), counts)


def fuzz_active_game(target: Target, directory: Path, budget: Budget, counts: Counts) -> None:
    """Fuzz each operation that does not end the game."""
    options = (*_game_options(target, [{"name": "Bo"}, {"bot": "random"}], directory), "--phases", SINGLE_PHASES)
    _run(target, directory, budget, counts, *options, "--exclude-method", "DELETE", "--exclude-path", RESIGN)


def fuzz_other_games(
    target: Target, directory: Path, budget: Budget, counts: Counts, phases: str = SINGLE_PHASES
) -> None:
    """Fuzz operations that end a game, and operations on games with open seats and on unknown games."""
    options = (*_game_options(target, [{"open": True}] * 4, directory), "--phases", phases)
    changing = (f"--include-path=/v1/games/{{id}}{end}" for end in ("", "/seats", "/resign"))
    _run(target, directory, budget, counts, *options, *changing)
    if phases == SINGLE_PHASES:
        (directory / CONFIGURATION_FILE).write_text(REJECTIONS)
        _run(target, directory, budget, counts, "--phases", "fuzzing", "--include-path-regex", "[{]id[}]")


def fuzz_sequences(target: Target, directory: Path, budget: Budget, counts: Counts) -> None:
    """Fuzz sequences of operations along the document's links."""
    (directory / CONFIGURATION_FILE).write_text(SEQUENCES + REJECTIONS)
    file = directory / "responses.json"
    hooks = {"SCHEMATHESIS_HOOKS": schemathesis_hooks.__name__, "PYTHONPATH": str(ROOT), COUNTS_FILE: str(file)}
    variables = {**hooks, SEED: str(budget.seed or 0)}
    _run(target, directory, budget, counts, "--phases", "stateful", variables=variables)
    counts.update({f"http {response}": count for response, count in json.loads(file.read_bytes()).items()})


def _game_options(target: Target, others: list[dict[str, Any]], directory: Path) -> tuple[str, str]:
    """Create a game that the configuration names, and return the options with its token."""
    created = target.create_game([{"name": "Ana"}, *others])
    (directory / CONFIGURATION_FILE).write_text(CONFIGURATION.format(game=created["game"]["id"]) + REJECTIONS)
    return "-H", f"Authorization: Bearer {created['owner_token']}"


def _run(
    target: Target, directory: Path, budget: Budget, counts: Counts, *options: str, variables: Mapping[str, str] = {}
) -> None:
    """Run schemathesis in its own process. Raise AssertionError with its output."""
    program = Path(sys.executable).with_name("schemathesis")
    finished = subprocess.run(
        (
            *(program, "--config-file", CONFIGURATION_FILE, "run", f"{target.url}/openapi.json", "--no-color"),
            *("--warnings", "off", "--exclude-checks", SEMANTIC_CHECK, "--continue-on-failure"),
            *("--max-examples", str(budget.examples), "--request-timeout", str(TIMEOUT_S)),
            *(("--generation-deterministic",) if budget.seed is None else ("--seed", str(budget.seed))),
            *options,
        ),
        cwd=directory,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    cases = [line.split()[0] for line in finished.stdout.splitlines() if " generated, " in line]
    counts["http requests"] += sum(map(int, cases))
    target.check()
