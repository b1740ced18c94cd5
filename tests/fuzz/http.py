"""HTTP, tried out by schemathesis, which knows nothing but the served document.

First each operation by itself, on a game that is played and on one with open seats; then sequences along the document's
links: games are created, joined, played by listed moves, taken back, resigned, aborted, read, drawn, told to webhooks.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.fuzz.figures import Effort, Figures
from tests.fuzz.subject import Subject
from tests.fuzz.tokens import FIGURES, SEED

TIMEOUT_S = 900

SINGLE_PHASES = "examples,coverage,fuzzing"

STATEFUL_PHASES = "stateful"

CONFIGURATION = """
[parameters]
"path.id" = "{game}"

[checks.missing_required_header]
enabled = false

[[operations]]
include-path = "/v1/tilesets/{{id}}"
parameters = {{ "path.id" = "archipelago" }}
"""
"""A missing token is looked for by the check `ignored_auth` alone: the other one sends headers of a wrong form with it,
which is 400, as the form comes first.
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

What asks without a token is given one again, so that nothing is learned of it; and a private game is 404 to whoever has
made up a token.
"""

RESIGN = "/v1/games/{id}/resign"
"""With it the game is soon over."""

SEMANTIC_CHECK = "positive_data_acceptance"
"""What the schemas allow may still be refused: by the rules, by If-Match, or because names hold odd characters."""


def fuzz(subject: Subject, directory: Path, effort: Effort, figures: Figures) -> None:
    """All of it; `directory` takes configurations."""
    fuzz_played_game(subject, directory, effort, figures)
    fuzz_other_games(subject, directory, effort._replace(examples=max(1, effort.examples // 5)), figures)
    fuzz_sequences(subject, directory, effort, figures)


def fuzz_played_game(
    subject: Subject, directory: Path, effort: Effort, figures: Figures, phases: str = SINGLE_PHASES
) -> None:
    """Each operation by itself that does not end it soon."""
    played = subject.create_game([{"name": "Ana"}, {"name": "Bo"}, {"bot": "random"}])
    token = ("-H", f"Authorization: Bearer {played['owner_token']}")
    run = _Schemathesis(subject, directory, figures)
    run(_configuration(played), phases, effort, *token, "--exclude-method", "DELETE", "--exclude-path", RESIGN)


def fuzz_other_games(
    subject: Subject, directory: Path, effort: Effort, figures: Figures, phases: str = SINGLE_PHASES
) -> None:
    """Fuzz operations that end a game, and operations on games with open seats and on unknown games."""
    run = _Schemathesis(subject, directory, figures)
    waiting = subject.create_game([{"name": "Ana"}, *({"open": True} for _ in range(4))])
    token = ("-H", f"Authorization: Bearer {waiting['owner_token']}")
    changing = [path for end in ("", "/seats", "/resign") for path in ("--include-path", "/v1/games/{id}" + end)]
    run(_configuration(waiting), phases, effort, *token, *changing)
    if phases == SINGLE_PHASES:
        run("", "fuzzing", effort, "--include-path-regex", "[{]id[}]")


def fuzz_sequences(subject: Subject, directory: Path, effort: Effort, figures: Figures) -> None:
    """Along the links."""
    run = _Schemathesis(subject, directory, figures)
    run(SEQUENCES, STATEFUL_PHASES, effort._replace(examples=5 * effort.examples), hooks=True)


class _Schemathesis:
    """Runs it in a process of its own; raises AssertionError with all that it says."""

    def __init__(self, subject: Subject, directory: Path, figures: Figures) -> None:
        self._subject = subject
        self._directory = directory
        self._figures = figures

    def __call__(self, configuration: str, phases: str, effort: Effort, *arguments: str, hooks: bool = False) -> None:
        """Run these phases."""
        (self._directory / "schemathesis.toml").write_text(configuration)
        finished = subprocess.run(
            [*self._command(phases, effort), *arguments],
            cwd=self._directory,
            env=self._environment(effort) if hooks else None,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        self._count(finished.stdout.splitlines(), hooks=hooks)
        self._subject.check()

    def _command(self, phases: str, effort: Effort) -> Iterable[str]:
        yield str(Path(sys.executable).with_name("schemathesis"))
        yield from ("--config-file", str(self._directory / "schemathesis.toml"))
        yield from ("run", f"{self._subject.url}/openapi.json", "--no-color", "--warnings", "off")
        yield from ("--exclude-checks", SEMANTIC_CHECK, "--continue-on-failure")
        yield from ("--phases", phases, "--max-examples", str(effort.examples))
        yield from ("--generation-deterministic",) if effort.seed is None else ("--seed", str(effort.seed))

    def _environment(self, effort: Effort) -> dict[str, str]:
        hooks = {"SCHEMATHESIS_HOOKS": "tests.fuzz.tokens", "PYTHONPATH": str(Path(__file__).parents[2])}
        return {**os.environ, **hooks, FIGURES: str(self._answers), SEED: str(effort.seed or 0)}

    @property
    def _answers(self) -> Path:
        return self._directory / "answers.json"

    def _count(self, said: list[str], *, hooks: bool) -> None:
        cases = [line.split()[0] for line in said if " generated, " in line]
        self._figures["http requests"] += sum(map(int, cases))
        if hooks:
            for answer, number in json.loads(self._answers.read_bytes()).items():
                self._figures[f"http {answer}"] += number


def _configuration(created: dict[str, Any]) -> str:
    return CONFIGURATION.format(game=created["game"]["id"])
