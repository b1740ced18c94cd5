"""Players and readers under light load. They note each answer, and which actions were acknowledged."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from itertools import pairwise
from random import Random
from typing import Any, Literal, NamedTuple

import aiohttp

from tests.polling import in_background
from tools.site.faults import is_failure

REQUEST_TIMEOUT_S = 10.0
RETRY_DELAY_S = 0.25
THINK_TIME_S = 0.2
READ_INTERVAL_S = 0.3

Kind = Literal["moves", "reads"]

CREATION = {"players": [{"name": "Ana"}, {"name": "Bo"}]}


class Answer(NamedTuple):
    """What a user got for one request."""

    at: float
    """`time.monotonic()` of its end."""
    kind: Kind
    status: str
    """The status code; `timeout`, `disconnected`, or a code `of the proxy`."""
    seconds: float

    @property
    def is_failure(self) -> bool:
        """Whether the user did not get what was asked for."""
        return is_failure(self.status)


class Acknowledged(NamedTuple):
    """A version that an answer contained."""

    game: str
    version: int
    digest: str


class Users:
    """Users of a service at `url`."""

    def __init__(self, session: aiohttp.ClientSession, url: str, rng: Random) -> None:
        self.answers: list[Answer] = []
        self.acknowledged: list[Acknowledged] = []
        self.moved_at: dict[int, list[float]] = {}
        """When each player had a move acknowledged."""
        self.games: dict[int, str] = {}
        """The game that each player plays."""
        self._tokens: dict[str, str] = {}
        self._session = session
        self._url = url
        self._rng = rng

    async def play(self, player: int) -> None:
        """Play one game after the other, all seats of each."""
        while True:
            created = await self._send("moves", "POST", "/v1/games?include=legal_moves", json=CREATION)
            game = created["game"]["id"]
            self._tokens[game] = created["owner_token"]
            self._acknowledge(player, game, [{"version": 1, "digest": created["digest"]}])
            self.games[player] = game
            moves = created["legal_moves"]["moves"]
            while moves:
                await asyncio.sleep(THINK_TIME_S * self._rng.uniform(0.5, 1.5))
                body = {"move": self._rng.choice(moves)["id"]}
                result = await self._send("moves", "POST", f"/v1/games/{game}/actions?include=legal_moves", json=body)
                if "diffs" in result:
                    self._acknowledge(player, game, result["diffs"])
                    moves = result["legal_moves"]["moves"]
                else:
                    moves = (await self._send("reads", "GET", f"/v1/games/{game}/legal-moves"))["moves"]

    async def read(self, player: int) -> None:
        """Look at the player's game again and again."""
        while True:
            await asyncio.sleep(READ_INTERVAL_S * self._rng.uniform(0.5, 1.5))
            if player in self.games:
                await self._try("reads", "GET", f"/v1/games/{self.games[player]}")

    def note_failure(self, kind: Kind, status: str) -> None:
        """Note an answer that another client than these users got."""
        self.answers.append(Answer(time.monotonic(), kind, status, 0.0))

    def answers_since(self, start: float) -> Iterator[Answer]:
        """Yield what users got after this time."""
        return (answer for answer in self.answers if answer.at >= start)

    def has_moved_since(self, start: float) -> bool:
        """Return whether every player has had a move acknowledged after this time."""
        return all(times[-1] >= start for times in self.moved_at.values())

    def longest_pause_s(self, since: float) -> float:
        """Return the longest time that a player waited for an acknowledged move, of what ended after `since`."""
        pauses = (
            later - max(earlier, since)
            for times in self.moved_at.values()
            for earlier, later in pairwise(times)
            if later >= since
        )
        return max(pauses, default=0.0)

    def first_moves_s(self, since: float) -> float:
        """Return how long after `since` all players had moved."""
        return max(next(at for at in times if at >= since) - since for times in self.moved_at.values())

    async def count_lost(self) -> int:
        """Return how many acknowledged versions are in no log, or with another digest. Forget those."""
        stored: dict[str, dict[int, str]] = {}
        acknowledged = [*self.acknowledged]
        for game in {one.game for one in acknowledged}:
            stored[game] = {}
            while diffs := await self._load_diffs(game, max(stored[game], default=0)):
                stored[game] |= {diff["version"]: diff["digest"] for diff in diffs}
        lost = {one for one in acknowledged if stored[one.game].get(one.version) != one.digest}
        self.acknowledged = [one for one in self.acknowledged if one not in lost]
        return len(lost)

    async def _load_diffs(self, game: str, since: int) -> list[dict[str, Any]]:
        answer, body = await self._try("reads", "GET", f"/v1/games/{game}/diffs?since={since}&limit=500")
        assert answer.status in {"200", "404"}, (answer, body)
        diffs: list[dict[str, Any]] = body.get("diffs", [])
        return diffs

    def _acknowledge(self, player: int, game: str, diffs: list[dict[str, Any]]) -> None:
        self.acknowledged += (Acknowledged(game, diff["version"], diff["digest"]) for diff in diffs)
        self.moved_at.setdefault(player, []).append(time.monotonic())

    async def _send(self, kind: Kind, method: str, path: str, json: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request until the outcome is known, with the same key. Return the answer's body."""
        headers = {"Idempotency-Key": f"{self._rng.getrandbits(128):032x}"} if method == "POST" else {}
        while True:
            answer, body = await self._try(kind, method, path, json=json, headers=headers)
            if not answer.is_failure:
                return body
            await asyncio.sleep(RETRY_DELAY_S)

    async def _try(
        self,
        kind: Kind,
        method: str,
        path: str,
        json: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Answer, dict[str, Any]]:
        """Send a request once, and note the answer."""
        sent = {**(headers or {})}
        if token := self._tokens.get(path.split("/")[3].partition("?")[0] if path.count("/") > 2 else ""):
            sent["Authorization"] = f"Bearer {token}"
        started_at, body = time.monotonic(), {}
        try:
            async with self._session.request(method, self._url + path, json=json, headers=sent) as response:
                if response.content_type.endswith("json"):
                    body = await response.json(content_type=None)
                is_proxys = not body or body.get("type") == "about:blank"
                status = f"{response.status} of the proxy" if is_proxys else str(response.status)
        except TimeoutError:
            status = "timeout"
        except aiohttp.ClientError:
            status = "disconnected"
        answer = Answer(now := time.monotonic(), kind, status, now - started_at)
        self.answers.append(answer)
        return answer, body


@asynccontextmanager
async def start_users(url: str, number: int, rng: Random) -> AsyncIterator[Users]:
    """Let players play, and yield once each has made a move."""
    timeout = aiohttp.ClientTimeout(REQUEST_TIMEOUT_S)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        users = Users(session, url, rng)
        loops = [loop for player in range(number) for loop in (users.play(player), users.read(player))]
        async with in_background(*loops):
            yield users


def count_statuses(answers: Iterator[Answer]) -> dict[str, dict[str, int]]:
    """Return how many answers had each status, by kind."""
    counts: dict[str, Counter[str]] = {"moves": Counter(), "reads": Counter()}
    for answer in answers:
        counts[answer.kind][answer.status] += 1
    return {kind: dict(sorted(statuses.items())) for kind, statuses in counts.items()}
