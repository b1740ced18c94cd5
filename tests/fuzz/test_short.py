"""The short form of each fuzzer: always the same examples, but for what the service itself chooses."""

from pathlib import Path

import pytest

from tests.fuzz import http, lines, logs, queries, snapshots, sockets, tilesets
from tests.fuzz.figures import Effort, Figures
from tests.fuzz.requests import AMBIGUOUS
from tests.fuzz.subject import Subject

HTTP = Effort(examples=2, seed=None)

HTTP_PHASES = "coverage"
"""What the document's limits suggest, and what is just beyond them; by chance only in the long form."""


def short(examples: int) -> Effort:
    return Effort(examples, seed=None)


def test_each_operation_of_a_played_game(fuzzed: Subject, tmp_path: Path) -> None:
    http.fuzz_played_game(fuzzed, tmp_path, HTTP, Figures(), HTTP_PHASES)


def test_what_is_asked_of_other_games(fuzzed: Subject, tmp_path: Path) -> None:
    http.fuzz_other_games(fuzzed, tmp_path, HTTP, Figures(), HTTP_PHASES)


def test_sequences_along_the_links(fuzzed: Subject, tmp_path: Path) -> None:
    figures = Figures()
    http.fuzz_sequences(fuzzed, tmp_path, HTTP, figures)
    assert figures["http POST /v1/games 201"] > 0


@pytest.mark.parametrize("request_bytes", AMBIGUOUS)
def test_what_may_be_read_in_two_ways_is_refused(fuzzed: Subject, request_bytes: bytes) -> None:
    lines.check_ambiguous(fuzzed, request_bytes)


def test_requests_of_every_kind(fuzzed: Subject) -> None:
    lines.fuzz(fuzzed, short(150), Figures())


def test_names_languages_and_queries(fuzzed: Subject) -> None:
    queries.fuzz(fuzzed, short(30), Figures())


def test_games_that_can_be_played_and_games_that_were_damaged(fuzzed: Subject) -> None:
    snapshots.fuzz(fuzzed, short(8), Figures())


def test_any_messages_and_any_bytes(fuzzed: Subject) -> None:
    figures = Figures()
    sockets.fuzz(fuzzed, short(15), figures)
    assert figures["socket messages"] > 0


def test_files_and_urls_that_others_give(tmp_path: Path) -> None:
    logs.fuzz(tmp_path, short(30), Figures())


def test_valid_and_nearly_valid_sets(tmp_path: Path) -> None:
    figures = Figures()
    tilesets.fuzz(tmp_path, short(40), figures)
    assert figures["tilesets played"] > 0
