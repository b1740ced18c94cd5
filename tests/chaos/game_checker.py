"""Checks each game as soon as it is over, in a process beside the players, and once more at the end of the run.

The history of a game goes to a file when it is judged, so that a run may last as long as it likes. At the end the
service is asked for every game again: one that is not as it was is judged anew, by what it is then.
"""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from schemas.tileset import TileSet
from south_seas import Client, NotFoundError
from tests.chaos.checker import Violation, check
from tests.chaos.client_context import ClientContext
from tests.chaos.final_state import fetch_final_state, with_verification
from tests.chaos.history import ContractViolation, FinalState, GamePlayed, History, Record, dump, load
from tests.chaos.rolling_update import check_rolling
from tests.chaos.statistics import Tally

__all__ = ["Findings", "GameChecker", "findings", "game_checker"]

MAX_CONCURRENT = 4
"""Games that are asked for together at the end."""


class Findings(NamedTuple):
    """What histories show."""

    tally: Tally
    violations: list[Violation]


class _Checked(NamedTuple):
    digest: bytes
    """Of what the service told of the game; empty where it knew no such game."""
    findings: Findings


class GameChecker:
    """The histories of a run: those that are being written, and what was found in the others."""

    def __init__(
        self,
        world: ClientContext,
        directory: Path,
        pool: ProcessPoolExecutor,
        tell: Callable[[Violation], None],
        *,
        rolling: bool,
    ) -> None:
        """`tell` hears of each violation when it is found."""
        self._world = world
        self._directory = directory
        self._pool = pool
        self._tell = tell
        self._rolling = rolling
        self._open: list[History] = []
        self._judged: dict[str, _Checked] = {}

    @property
    def acknowledged(self) -> int:
        """Actions so far."""
        judged = (len(one.findings.tally.times()) for one in self._judged.values())
        return sum(history.acknowledged for history in self._open) + sum(judged)

    @property
    def games(self) -> int:
        """Games that were judged."""
        return len(self._judged)

    @property
    def violations(self) -> int:
        """Those found so far."""
        return sum(len(one.findings.violations) for one in self._judged.values())

    def open(self) -> History:
        """Open a history for one game that will be checked."""
        history = History()
        self._open.append(history)
        return history

    async def close(self, history: History) -> None:
        """Judge a history; nothing is written to it any more."""
        game = next((record.game for record in history.records if isinstance(record, GamePlayed)), None)
        if game is None:
            self._world.history.records += history.records
            self._world.history.acknowledged += history.acknowledged
        else:
            truth = await self._final_state(game, history)
            dump(history.records, self._path(game))
            await self._check(game, truth)
        self._open.remove(history)

    async def finish(self) -> Findings:
        """Judge what is still open, and anew what is not as it was; gives all that was found."""
        for history in [*self._open]:
            await self.close(history)
        slots = asyncio.Semaphore(MAX_CONCURRENT)
        async with asyncio.TaskGroup() as group:
            for game in self._judged:
                group.create_task(self._confirm(game, slots))
        whole = findings(self._world.history.records, rolling=self._rolling)
        for one in self._judged.values():
            whole.tally.merge(one.findings.tally)
            whole.violations.extend(one.findings.violations)
        return whole

    async def _confirm(self, game: str, slots: asyncio.Semaphore) -> None:
        async with slots:
            late = History()
            truth = await self._final_state(game, late)
            if _digest(truth) != self._judged[game].digest:
                path = self._path(game)
                dump([*load(path), *late.records], path)
                await self._check(game, truth)

    async def _final_state(self, game: str, history: History) -> FinalState | None:
        """Fetch the game's final state. Record and return None if the service does not know the game."""
        try:
            return await fetch_final_state(self._world, game)
        except NotFoundError as gone:
            history.add(ContractViolation(client="nobody", detail=f"{game} was created, and is lost: {gone}"))
            return None

    async def _check(self, game: str, truth: FinalState | None) -> None:
        encoded = b"" if truth is None else msgspec.json.encode(truth)
        loop = asyncio.get_running_loop()
        result = await loop.run_in_executor(self._pool, _findings, self._path(game), encoded, self._rolling)
        self._judged[game] = _Checked(_digest(truth), result)
        for violation in result.violations:
            self._tell(violation)

    def _path(self, game: str) -> Path:
        return self._directory / f"{game}.jsonl.gz"


@asynccontextmanager
async def game_checker(
    world: ClientContext, directory: Path, tell: Callable[[Violation], None], *, rolling: bool
) -> AsyncIterator[GameChecker]:
    """Run a checker that writes histories to `directory`; another process checks them."""
    directory.mkdir()  # noqa: ASYNC240  nothing runs yet that could wait
    client = Client(world.url, session=world.session, backoff=world.backoff)
    tileset = msgspec.json.decode(await client.read("/v1/tilesets/archipelago"), type=TileSet)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_set_tileset, initargs=(tileset,)) as pool:
        yield GameChecker(world, directory, pool, tell, rolling=rolling)


def findings(records: Sequence[Record], *, rolling: bool) -> Findings:
    """Check a history that is whole."""
    tally = Tally()
    tally.add(records)
    return Findings(tally, [*check(records), *(check_rolling(records) if rolling else ())])


def _digest(truth: FinalState | None) -> bytes:
    if truth is None:
        return b""
    return sha256(msgspec.json.encode((truth.document, truth.tag, truth.log), order="sorted")).digest()


_tilesets: list[TileSet] = []
"""The one of a process that checks."""


def _set_tileset(tileset: TileSet) -> None:
    _tilesets[:] = [tileset]


def _findings(path: Path, truth: bytes, rolling: bool) -> Findings:
    """Check the history in a file; the file has the truth from then on."""
    records: list[Record] = [record for record in load(path) if not isinstance(record, FinalState)]
    if truth:
        records.append(with_verification(msgspec.json.decode(truth, type=FinalState), _tilesets[0]))
        dump(records, path)
    return findings(records, rolling=rolling)
