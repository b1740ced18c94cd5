"""Players over HTTP, with the project's own client: each action has a key, and is asked for until its end is known."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Protocol

from south_seas import (
    APIError,
    Client,
    ClientError,
    ConflictError,
    IllegalMoveError,
    RetryableError,
    VersionMismatchError,
)
from south_seas.models import ActionResult, LegalMoves, Move
from tests.chaos.attempts import count_attempts
from tests.chaos.client_context import ClientContext
from tests.chaos.history import Acknowledged, ContractViolation, Invoked, Retried, Undetermined
from tests.chaos.history import Rejected as Declined

__all__ = ["HTTPPlayer", "Player"]

RETRY_PROBABILITY = 0.1
"""How many of the actions that were acknowledged are asked for once more."""

POLL_INTERVAL_S = 0.15
"""Between two looks at whose turn it is."""

EXPECTED_ERRORS = (VersionMismatchError, IllegalMoveError, ConflictError)
"""Refusals that a player has to reckon with: somebody else was first."""


class Player(Protocol):
    """Anybody who plays."""

    async def run(self) -> None:
        """Play until the game is over."""


class HTTPPlayer:
    """Plays for one seat by its token, or for the whole table by the owner's."""

    def __init__(
        self, world: ClientContext, client: str, game: str, token: str, *, guarded: bool, seat: int | None
    ) -> None:
        """`guarded`: each action counts for one version only (If-Match)."""
        self.world = world
        self.client = client
        self.game = game
        self._guarded = guarded
        self._seat = seat
        self._chance = random.Random(f"{client}")
        self._asking = Client(world.url, token, session=world.session, backoff=world.backoff)
        self._number = 0

    async def run(self) -> None:
        """Play until the game is over."""
        legal: LegalMoves | None = None
        while True:
            await self.world.pace.think(self._chance)
            if legal is None or self._seat not in (None, legal.seat):
                legal = await self._legal_moves()
            if legal is None:
                continue
            if legal.seat is None:
                return
            if self._seat in (None, legal.seat):
                legal = await self._act(legal, self._chance.choice(legal.moves), legal.seat)
            else:
                await asyncio.sleep(POLL_INTERVAL_S)

    async def _legal_moves(self) -> LegalMoves | None:
        try:
            return await self._asking.legal_moves(self.game)
        except ClientError as error:
            self._record_violation(f"legal moves: {error!r}")
            return None

    async def _act(self, legal: LegalMoves, move: Move, seat: int) -> LegalMoves | None:
        """Do a move; gives the next moves, where the answer tells them."""
        self._number += 1
        key = f"{self.client}-{self._number}"
        if_match = f"{legal.version}-{legal.digest}" if self._guarded else None
        add = self.world.history.add
        add(Invoked(client=self.client, game=self.game, key=key, move=move.id, seat=seat, if_match=if_match))
        with count_attempts() as tries:
            try:
                acted = await self._send(move, seat, key, if_match)
            except EXPECTED_ERRORS as refused:
                add(Declined(client=self.client, key=key, code=refused.code, attempts=tries.count))
                return None
            except ClientError as error:
                self._record_failure(key, error, tries.count)
                return None
        diffs = [(diff.version, diff.digest) for diff in acted.diffs]
        version, digest = acted.version, acted.digest
        add(
            Acknowledged(client=self.client, key=key, version=version, digest=digest, diffs=diffs, attempts=tries.count)
        )
        if self._chance.random() < RETRY_PROBABILITY:
            await self._repeat(acted, lambda: self._send(move, seat, key, if_match), key)
        return acted.legal_moves

    def _record_failure(self, key: str, error: ClientError, tries: int) -> None:
        """Write down an end that no action should have."""
        output = f"{error.problem.status} {error}" if isinstance(error, APIError) else repr(error)
        self._record_violation(f"{key}: {output}")
        if isinstance(error, APIError) and not isinstance(error, RetryableError):
            self.world.history.add(Declined(client=self.client, key=key, code=error.code, attempts=tries))
        else:
            self.world.history.add(Undetermined(client=self.client, key=key, reason=repr(error)))

    async def _send(self, move: Move, seat: int, key: str, if_match: str | None) -> ActionResult:
        if if_match is None:
            return await self._asking.act(self.game, move, seat=seat, key=key, include_legal_moves=True)
        return await self._asking.act(self.game, move, seat=seat, key=key, include_legal_moves=True, if_match=if_match)

    async def _repeat(self, acted: ActionResult, ask: Callable[[], Awaitable[ActionResult]], key: str) -> None:
        try:
            again = await ask()
        except ClientError as error:
            self._record_violation(f"{key} once more: {error!r}")
        else:
            self.world.history.add(Retried(client=self.client, key=key, is_equal=_is_same(acted, again)))

    def _record_violation(self, detail: str) -> None:
        self.world.history.add(ContractViolation(client=self.client, detail=f"{self.game}: {detail}"))


def _is_same(first: ActionResult, again: ActionResult) -> bool:
    """Whether a second answer tells the same commit; the legal moves in it are those of now, and may be of a later one.

    Source: api.md, "Idempotency-Key".
    """
    first_moves, moves = first.legal_moves, again.legal_moves
    if moves is None or first_moves is None or (again.version, again.digest) != (first.version, first.digest):
        return False
    unchanged = (moves.version, moves.digest) == (first_moves.version, first_moves.digest)
    return again.diffs == first.diffs and (not unchanged or moves == first_moves)
