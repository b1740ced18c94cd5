"""What a charge takes, and what it refunds once the response is known."""

import pytest

from service.web.ratelimit.charges import Charge
from service.web.ratelimit.leases import LeasePool


@pytest.mark.parametrize(("status", "creations"), ((201, -1), (404, 0)))
async def test_a_guess_and_a_creation_that_failed_are_refunded_once(
    pool: LeasePool, status: int, creations: int
) -> None:
    own, guess, creation = (pool.get_or_create(name) for name in ("own", "guess", "creation"))
    charge = Charge((own,), 2, guesses=(guess,), creations=(creation,))
    assert [lease.tokens for lease in (own, guess, creation)] == [-2, -1, -1]
    for _ in range(2):
        charge.settle(status)
    assert [lease.tokens for lease in (own, guess, creation)] == [-2, 0, creations]
