"""Fuzzes the HTTP API with schemathesis, which knows only the served OpenAPI document.

First each operation by itself, on an active game and on one with open seats; then sequences along the document's links,
which create and join games, act, undo, resign, abort, read, draw, and register webhooks.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.verification.fuzz.harness import Budget, Counts
from tests.verification.fuzz.schemathesis_hooks import COUNTS_FILE, SEED
from tests.verification.fuzz.target import Target

TIMEOUT_S = 900

SINGLE_PHASES = "examples,coverage,fuzzing"

STATEFUL_PHASES = "stateful"

CONFIGURATION = """
[parameters]
"path.id" = "{game}"

[checks.missing_required_header]
enabled = false

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 414, 415, 422, 428, 429, "5xx"]

[[operations]]
include-path = "/v1/tilesets/{{id}}"
parameters = {{ "path.id" = "archipelago" }}
"""
"""Only the check `ignored_auth` tests a missing token. `missing_required_header` also sends invalid headers, which the
service rejects with 400 before it checks the token. A text that is too long for its parameter may make the whole target
too long first: 414.
"""

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
    fuzz_sequences(target, directory, budget, counts)


def fuzz_active_game(
    target: Target, directory: Path, budget: Budget, counts: Counts, phases: str = SINGLE_PHASES
) -> None:
    """Fuzz each operation that does not end the game."""
    created = target.create_game([{"name": "Ana"}, {"name": "Bo"}, {"bot": "random"}])
    token = ("-H", f"Authorization: Bearer {created['owner_token']}")
    run = _Schemathesis(target, directory, counts)
    run(_configuration(created), phases, budget, *token, "--exclude-method", "DELETE", "--exclude-path", RESIGN)


def fuzz_other_games(
    target: Target, directory: Path, budget: Budget, counts: Counts, phases: str = SINGLE_PHASES
) -> None:
    """Fuzz operations that end a game, and operations on games with open seats and on unknown games."""
    run = _Schemathesis(target, directory, counts)
    waiting = target.create_game([{"name": "Ana"}, *({"open": True} for _ in range(4))])
    token = ("-H", f"Authorization: Bearer {waiting['owner_token']}")
    changing = [path for end in ("", "/seats", "/resign") for path in ("--include-path", "/v1/games/{id}" + end)]
    run(_configuration(waiting), phases, budget, *token, *changing)
    if phases == SINGLE_PHASES:
        run("", "fuzzing", budget, "--include-path-regex", "[{]id[}]")


def fuzz_sequences(target: Target, directory: Path, budget: Budget, counts: Counts) -> None:
    """Fuzz sequences of operations along the document's links."""
    run = _Schemathesis(target, directory, counts)
    run(SEQUENCES, STATEFUL_PHASES, budget._replace(examples=5 * budget.examples), hooks=True)


class _Schemathesis:
    """Runs schemathesis in its own process. Raises AssertionError with its output."""

    def __init__(self, target: Target, directory: Path, counts: Counts) -> None:
        self._target = target
        self._directory = directory
        self._counts = counts

    def __call__(self, configuration: str, phases: str, budget: Budget, *arguments: str, hooks: bool = False) -> None:
        """Run these phases."""
        (self._directory / "schemathesis.toml").write_text(configuration)
        finished = subprocess.run(
            [*self._command(phases, budget), *arguments],
            cwd=self._directory,
            env=self._environment(budget) if hooks else None,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        self._count(finished.stdout.splitlines(), hooks=hooks)
        self._target.check()

    def _command(self, phases: str, budget: Budget) -> Iterable[str]:
        yield str(Path(sys.executable).with_name("schemathesis"))
        yield from ("--config-file", str(self._directory / "schemathesis.toml"))
        yield from ("run", f"{self._target.url}/openapi.json", "--no-color", "--warnings", "off")
        yield from ("--exclude-checks", SEMANTIC_CHECK, "--continue-on-failure")
        yield from ("--phases", phases, "--max-examples", str(budget.examples))
        yield from ("--generation-deterministic",) if budget.seed is None else ("--seed", str(budget.seed))

    def _environment(self, budget: Budget) -> dict[str, str]:
        hooks = {
            "SCHEMATHESIS_HOOKS": "tests.verification.fuzz.schemathesis_hooks",
            "PYTHONPATH": str(Path(__file__).parents[3]),
        }
        return {**os.environ, **hooks, COUNTS_FILE: str(self._counts_file), SEED: str(budget.seed or 0)}

    @property
    def _counts_file(self) -> Path:
        return self._directory / "responses.json"

    def _count(self, output: list[str], *, hooks: bool) -> None:
        cases = [line.split()[0] for line in output if " generated, " in line]
        self._counts["http requests"] += sum(map(int, cases))
        if hooks:
            for response, count in json.loads(self._counts_file.read_bytes()).items():
                self._counts[f"http {response}"] += count


def _configuration(created: dict[str, Any]) -> str:
    return CONFIGURATION.format(game=created["game"]["id"])
