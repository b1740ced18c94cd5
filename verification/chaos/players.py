"""Players over HTTP, which use the project's Python client and retry each action with its key."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

import msgspec

from south_seas import (
    APIError,
    Backoff,
    Client,
    ClientError,
    ConflictError,
    IllegalMoveError,
    NotFoundError,
    RetryableError,
    VersionMismatchError,
)
from south_seas.models import ActionResult, LegalMoves, Move
from verification.chaos.client_context import ClientContext
from verification.chaos.history import Acknowledged, GameMissing, Invoked, Rejected, Retried, Undetermined

RETRY_PROBABILITY = 0.1
"""The probability that an acknowledged action is sent again."""

POLL_INTERVAL_S = 0.15
"""How often a player checks whose turn it is."""

EXPECTED_ERRORS = (VersionMismatchError, IllegalMoveError, ConflictError)
"""Rejections that a correct service may send: another client was first."""


class CountingBackoff(Backoff, frozen=True):
    """Remembers after how many failed attempts the client retries a request, or gives it up."""

    earlier_failures: list[int] = msgspec.field(default_factory=list)

    def wait_s(self, failures: int) -> float:
        """Return the wait after `failures` earlier failures."""
        self.earlier_failures.append(failures)
        return super().wait_s(failures)


class Player(Protocol):
    """A client that plays."""

    async def run(self) -> None:
        """Play until the game is over."""


class HTTPPlayer:
    """Plays one seat with its token, or all seats with the owner's."""

    def __init__(
        self, context: ClientContext, client: str, game: str, token: str, *, use_if_match: bool, seat: int | None
    ) -> None:
        """With `use_if_match`, send each action for one version only."""
        self.context = context
        self.client = client
        self.game = game
        self._use_if_match = use_if_match
        self._seat = seat
        self._rng = context.create_rng(client)
        self._backoff = CountingBackoff(**msgspec.structs.asdict(context.backoff))
        self._api = Client(context.url, token, session=context.session, backoff=self._backoff)
        self._number = 0

    async def run(self) -> None:
        """Play until the game is over, or does not exist any more."""
        try:
            await self._play()
        except NotFoundError:
            self.context.history.add(GameMissing(client=self.client, game=self.game))

    async def _play(self) -> None:
        legal: LegalMoves | None = None
        while True:
            await self.context.think_time.sleep(self._rng)
            if legal is None or self._seat not in (None, legal.seat):
                legal = await self._legal_moves()
            if legal is None:
                continue
            if legal.seat is None:
                return
            if self._seat in (None, legal.seat):
                legal = await self._act(legal, self._rng.choice(legal.moves), legal.seat)
            else:
                await self._resume()
                await asyncio.sleep(POLL_INTERVAL_S)

    async def _resume(self) -> None:
        """Say that this player is there if the game is paused in the turn of another one."""
        turn = (await self._api.game(self.game)).turn
        if turn is not None and turn.paused and self._seat is not None:
            with suppress(*EXPECTED_ERRORS):
                await self._api.return_to_seat(self.game, seat=self._seat)

    async def _legal_moves(self) -> LegalMoves | None:
        try:
            return await self._api.legal_moves(self.game)
        except NotFoundError:
            raise
        except ClientError as error:
            self._record_violation(f"legal moves: {error!r}")
            return None

    async def _act(self, legal: LegalMoves, move: Move, seat: int) -> LegalMoves | None:
        """Make a move, and return the next legal moves if the response has them."""
        self._number += 1
        key = f"{self.client}-{self._number}"
        if_match = f"{legal.version}-{legal.digest}" if self._use_if_match else None
        add = self.context.history.add
        add(Invoked(client=self.client, game=self.game, key=key, move=move.id, seat=seat, if_match=if_match))
        try:
            result = await self._send(move, seat, key, if_match)
        except EXPECTED_ERRORS as error:
            add(Rejected(client=self.client, key=key, code=error.code, attempts=self._attempts))
            return None
        except NotFoundError:
            raise
        except ClientError as error:
            self._record_failure(key, error)
            return None
        diffs = [(diff.version, diff.digest) for diff in result.diffs]
        version, digest = result.version, result.digest
        add(Acknowledged(client=self.client, key=key, version=version, digest=digest, diffs=diffs))
        if self._rng.random() < RETRY_PROBABILITY:
            await self._retry(result, lambda: self._send(move, seat, key, if_match), key)
        return result.legal_moves

    @property
    def _attempts(self) -> int:
        """The attempts of the last request that failed."""
        return self._backoff.earlier_failures[-1] + 1

    def _record_failure(self, key: str, error: ClientError) -> None:
        """Record an outcome that no action should have."""
        output = f"{error.problem.status} {error}" if isinstance(error, APIError) else repr(error)
        self._record_violation(f"{key}: {output}")
        if isinstance(error, APIError) and not isinstance(error, RetryableError):
            self.context.history.add(Rejected(client=self.client, key=key, code=error.code, attempts=self._attempts))
        else:
            self.context.history.add(Undetermined(client=self.client, key=key, reason=repr(error)))

    async def _send(self, move: Move, seat: int, key: str, if_match: str | None) -> ActionResult:
        if if_match is None:
            return await self._api.act(self.game, move, seat=seat, key=key, include_legal_moves=True)
        return await self._api.act(self.game, move, seat=seat, key=key, include_legal_moves=True, if_match=if_match)

    async def _retry(self, first: ActionResult, send: Callable[[], Awaitable[ActionResult]], key: str) -> None:
        try:
            second = await send()
        except NotFoundError:
            raise
        except EXPECTED_ERRORS:
            self.context.history.add(Retried(client=self.client, key=key, is_equal=False))
        except ClientError as error:
            self._record_violation(f"{key}, sent again: {error!r}")
        else:
            self.context.history.add(Retried(client=self.client, key=key, is_equal=_is_same_commit(first, second)))

    def _record_violation(self, detail: str) -> None:
        self.context.history.add_violation(self.client, f"{self.game}: {detail}")


def _is_same_commit(first: ActionResult, second: ActionResult) -> bool:
    """Return whether both responses describe the same commit; the legal moves may be those of a later version."""
    first_moves, second_moves = first.legal_moves, second.legal_moves
    if second_moves is None or first_moves is None or (second.version, second.digest) != (first.version, first.digest):
        return False
    is_same_version = (second_moves.version, second_moves.digest) == (first_moves.version, first_moves.digest)
    return second.diffs == first.diffs and (not is_same_version or second_moves == first_moves)
