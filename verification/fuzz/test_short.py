"""A short run of each fuzzer, with the same examples each time; only random choices of the service differ."""

from pathlib import Path

import pytest

from verification.fuzz import http, logs, names, raw_http, snapshots, sockets, tilesets
from verification.fuzz.harness import Budget, Counts
from verification.fuzz.raw_requests import AMBIGUOUS
from verification.fuzz.target import Target

HTTP = Budget(examples=2, seed=None)

HTTP_PHASES = "coverage"
"""Examples at and just beyond the document's limits; random ones only in long runs."""


def short(examples: int) -> Budget:
    return Budget(examples, seed=None)


def test_operations_of_other_games(target: Target, tmp_path: Path) -> None:
    http.fuzz_other_games(target, tmp_path, HTTP, Counts(), HTTP_PHASES)


def test_sequences_along_the_links(target: Target, tmp_path: Path) -> None:
    counts = Counts()
    http.fuzz_sequences(target, tmp_path, HTTP, counts)
    # 409: a test before this one has used the same idempotency key, as the cases are always the same.
    assert counts["http POST /v1/games 201"] + counts["http POST /v1/games 409"] > 0


@pytest.mark.parametrize("request_bytes", AMBIGUOUS)
def test_ambiguous_requests_are_rejected(target: Target, request_bytes: bytes) -> None:
    raw_http.check_ambiguous(target, request_bytes)


def test_raw_http_requests(target: Target) -> None:
    raw_http.fuzz(target, short(150), Counts())


def test_names_languages_and_queries(target: Target) -> None:
    names.fuzz(target, short(30), Counts())


def test_legal_moves_and_corrupted_games(target: Target) -> None:
    snapshots.fuzz(target, short(8), Counts())


def test_any_socket_messages_and_bytes(target: Target) -> None:
    counts = Counts()
    sockets.fuzz(target, short(15), counts)
    assert counts["socket messages"] > 0


def test_logs_and_webhook_urls(tmp_path: Path) -> None:
    logs.fuzz(tmp_path, short(30), Counts())


def test_valid_and_nearly_valid_tile_sets(tmp_path: Path) -> None:
    counts = Counts()
    tilesets.fuzz(tmp_path, short(40), counts)
    assert counts["tilesets played"] > 0
