"""Idempotency records: what they say of the first response, for whom, and for how long."""

from hashlib import sha256

import pytest

from schemas.commands import SeatCommand
from service.games.errors import IdempotencyKeyReused
from service.games.idempotency import FirstResponse, idempotency_scope, new_record, read_record
from service.telemetry.clock import DAY_S

NOW = 1_800_000_000
SCOPE = idempotency_scope("key", "/path", "token", SeatCommand(seat=1))


def test_a_record_has_the_format_that_the_store_reads() -> None:
    """Byte 2 is the token's, bytes 3 to 6 are the time."""
    record = new_record(SCOPE, NOW + 0.9, 7, 3)
    assert record is not None
    assert SCOPE is not None
    times = NOW.to_bytes(4), (7).to_bytes(4), (3).to_bytes(2)
    assert record.record == b"\x01" + sha256(b"token").digest()[:1] + b"".join(times) + SCOPE.request_hash[:8]
    assert record.key == SCOPE.key_hash


@pytest.mark.parametrize(
    ("age_s", "version", "detail", "expected"),
    (
        (0, 7, 3, FirstResponse(7, 3)),
        (DAY_S - 1, 1, 0, FirstResponse(1, 0)),
        (DAY_S, 1, 0, None),
        (0, 2**32 - 1, 2**16, FirstResponse(2**32 - 1, 2**16 - 1)),
    ),
)
def test_a_record_is_read_for_a_day(age_s: int, version: int, detail: int, expected: FirstResponse | None) -> None:
    record = new_record(SCOPE, NOW, version, detail)
    assert record is not None
    assert read_record(SCOPE, record.record, NOW + age_s) == expected
    assert read_record(SCOPE, b"\x02" + record.record[1:], NOW) is None, "of a later release"
    assert read_record(SCOPE, None, NOW) is None
    assert read_record(None, record.record, NOW) is None


def test_without_a_key_there_is_neither_a_scope_nor_a_record() -> None:
    assert idempotency_scope(None, "/path", "token", SeatCommand(seat=1)) is None
    assert new_record(None, NOW, 1) is None


def test_a_key_belongs_to_its_path_and_token() -> None:
    others = ("other", "/path", "token"), ("key", "/other", "token"), ("key", "/path", "other"), ("key", "/path", None)
    scopes = [SCOPE, *(idempotency_scope(key, path, token, SeatCommand(seat=1)) for key, path, token in others)]
    assert len({scope.key_hash for scope in scopes if scope is not None}) == 5


def test_a_key_is_not_reused_for_another_request() -> None:
    record, other = new_record(SCOPE, NOW, 1), idempotency_scope("key", "/path", "token", SeatCommand(seat=2))
    assert record is not None
    with pytest.raises(IdempotencyKeyReused):
        read_record(other, record.record, NOW)
    assert read_record(other, record.record, NOW + DAY_S) is None
