"""Checks each game in another process as soon as it is over, and again at the end of the run.

The history of a checked game is written to a file, so memory does not grow with the length of the run. At the end the
checker fetches every game again, and checks those that have changed.
"""

import asyncio
import math
import multiprocessing
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from schemas.tileset import TileSet
from south_seas import Client, NotFoundError
from tests.redis_servers import Node
from verification.chaos.checker import Violation, check
from verification.chaos.client_context import ClientContext
from verification.chaos.final_state import fetch_final_state, with_verification
from verification.chaos.history import (
    Acknowledged,
    Fault,
    FinalState,
    GameCreated,
    GameMissing,
    History,
    Loss,
    Record,
    dump,
    load,
)
from verification.chaos.promotions import Failover, find_failovers
from verification.chaos.rolling_update import check_rolling_update
from verification.chaos.statistics import Tally

MAX_CONCURRENT_FETCHES = 4
HEALING_INTERVAL_S = 0.2


class CheckResult(NamedTuple):
    """The figures and the violations of histories."""

    tally: Tally
    violations: list[Violation]


class _CheckedGame(NamedTuple):
    digest: bytes
    """The hash of the game's final state; empty if the service did not know the game."""
    result: CheckResult


class GameChecker:
    """The open histories of a run, and the results of those that were checked."""

    def __init__(
        self,
        context: ClientContext,
        directory: Path,
        pool: ProcessPoolExecutor,
        nodes: Sequence[Node],
        report: Callable[[Violation], None],
        *,
        is_rolling: bool,
    ) -> None:
        """Pass each violation to `report` at once. The logs of `nodes` tell when Redis failed over."""
        self._context = context
        self._directory = directory
        self._pool = pool
        self._nodes = nodes
        self._report = report
        self._is_rolling = is_rolling
        self._open: list[History] = []
        self._checked: dict[str, _CheckedGame] = {}

    @property
    def acknowledged(self) -> int:
        """The number of acknowledged actions so far."""
        checked = (game.result.tally.counts[Acknowledged] for game in self._checked.values())
        return sum(history.acknowledged for history in self._open) + sum(checked)

    @property
    def games(self) -> int:
        """The number of checked games."""
        return len(self._checked)

    @property
    def violations(self) -> int:
        """The number of violations so far."""
        return sum(len(game.result.violations) for game in self._checked.values())

    def open_history(self) -> History:
        """Open a history for one game that will be checked."""
        history = History()
        self._open.append(history)
        return history

    async def check_history(self, history: History) -> None:
        """Check an open history, to which nothing may be added any more."""
        game = next((record.game for record in history.records if isinstance(record, GameCreated)), None)
        if game is None:
            self._context.history.records += history.records
            self._context.history.acknowledged += history.acknowledged
        else:
            final_state = await self._final_state(game, history)
            dump(history.records, self._path(game))
            await self._check(game, final_state)
        self._open.remove(history)

    async def finish(self) -> CheckResult:
        """Check open histories and games that have changed, and return the result of the run."""
        for history in [*self._open]:
            await self.check_history(history)
        semaphore = asyncio.Semaphore(MAX_CONCURRENT_FETCHES)
        async with asyncio.TaskGroup() as group:
            for game in self._checked:
                group.create_task(self._recheck(game, semaphore))
        total = _check_records(self._context.history.records, (), (), is_rolling=self._is_rolling)
        for checked in self._checked.values():
            total.tally.merge(checked.result.tally)
            total.violations.extend(checked.result.violations)
        return total

    async def _recheck(self, game: str, semaphore: asyncio.Semaphore) -> None:
        """Check a game again if its final state has changed."""
        async with semaphore:
            added = History()
            final_state = await self._final_state(game, added)
            if _digest(final_state) != self._checked[game].digest:
                path = self._path(game)
                dump([*load(path), *added.records], path)
                await self._check(game, final_state)

    async def _final_state(self, game: str, history: History) -> FinalState | None:
        """Fetch the game's final state. Record and return None if the service does not know the game."""
        try:
            return await fetch_final_state(self._context, game)
        except NotFoundError:
            history.add(GameMissing(client="checker", game=game))
            return None

    async def _check(self, game: str, final_state: FinalState | None) -> None:
        encoded = b"" if final_state is None else msgspec.json.encode(final_state)
        faults = [record for record in self._context.history.records if isinstance(record, Fault)]
        # What a fault loses is known once it has been injected.
        while any(fault.notice and fault.healed_at == math.inf for fault in faults):  # noqa: ASYNC110  a fault sets no event
            await asyncio.sleep(HEALING_INTERVAL_S)
        losses = [fault.loss for fault in faults if fault.loss is not None]
        causes = find_failovers(self._context.history, self._nodes), losses
        checking = partial(_check_file, self._path(game), encoded, *causes, is_rolling=self._is_rolling)
        result = await asyncio.get_running_loop().run_in_executor(self._pool, checking)
        self._checked[game] = _CheckedGame(_digest(final_state), result)
        for violation in result.violations:
            self._report(violation)

    def _path(self, game: str) -> Path:
        return self._directory / f"{game}.jsonl.gz"


@asynccontextmanager
async def game_checker(
    context: ClientContext,
    directory: Path,
    nodes: Sequence[Node],
    report: Callable[[Violation], None],
    *,
    is_rolling: bool,
) -> AsyncIterator[GameChecker]:
    """Run a checker that writes histories to `directory`, and checks them in another process."""
    directory.mkdir()  # noqa: ASYNC240  no other task runs yet
    client = Client(context.url, session=context.session, backoff=context.backoff)
    tileset = msgspec.json.decode(await client.read("/v1/tilesets/lagoon"), type=TileSet)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_set_tileset, initargs=(tileset,)) as pool:
        yield GameChecker(context, directory, pool, nodes, report, is_rolling=is_rolling)


def _check_records(
    records: Sequence[Record], failovers: Sequence[Failover], losses: Sequence[Loss], *, is_rolling: bool
) -> CheckResult:
    tally = Tally()
    tally.add(records)
    return CheckResult(
        tally, [*check(records, failovers, losses), *(check_rolling_update(records) if is_rolling else ())]
    )


def _digest(final_state: FinalState | None) -> bytes:
    if final_state is None:
        return b""
    return sha256(
        msgspec.json.encode((final_state.document, final_state.tag, final_state.log), order="sorted")
    ).digest()


_tilesets: list[TileSet] = []
"""The tile set of a worker process."""


def _set_tileset(tileset: TileSet) -> None:
    _tilesets[:] = [tileset]


def _check_file(
    path: Path, final_state: bytes, failovers: Sequence[Failover], losses: Sequence[Loss], *, is_rolling: bool
) -> CheckResult:
    """Check the history in a file, and add the verified final state to the file."""
    records: list[Record] = [record for record in load(path) if not isinstance(record, FinalState)]
    if final_state:
        records.append(with_verification(msgspec.json.decode(final_state, type=FinalState), _tilesets[0]))
        dump(records, path)
    return _check_records(records, failovers, losses, is_rolling=is_rolling)
