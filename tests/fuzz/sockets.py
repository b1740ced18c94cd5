"""The socket protocol: any messages and any bytes, while another socket of the same games must hear everything."""

import json
from itertools import count
from typing import Any, ClassVar

from hypothesis import seed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests.fuzz import frames, messages
from tests.fuzz.breaks import BREAKS
from tests.fuzz.figures import Effort, Figures, settings_of
from tests.fuzz.following import CLOSE_CODE_NUMBERS, FuzzedSocket
from tests.fuzz.frames import (
    BINARY,
    CONTINUATION,
    DEFLATED,
    FINAL,
    PING,
    PONG,
    TEXT,
    ConnectionEnded,
    RawSocket,
    encode_frame,
)
from tests.fuzz.subject import Subject

STEPS = 25

OFFERS = (
    *(None, "permessage-deflate", "permessage-deflate; client_max_window_bits"),
    *("permessage-deflate; server_max_window_bits=9", "permessage-deflate; server_no_context_takeover"),
    *("permessage-deflate; server_max_window_bits=99", "permessage-deflate; nonsense", "x-other, permessage-deflate"),
    *("permessage-deflate; client_max_window_bits=8; server_max_window_bits=15", ";;,="),
    "permessage-deflate; a=b; a=b",
)

PLAYERS: tuple[list[dict[str, Any]], ...] = (
    [{"name": "Ana"}, {"name": "Bo"}],
    [{"name": "Ana"}, {"bot": "random"}, {"bot": "greedy"}],
    [{"name": "Ana"}, {"open": True}],
)

NO_TOKEN = "a b"
"""What no token looks like: the socket is closed at once."""

MASKS = st.sampled_from((b"\x00\x00\x00\x00", b"\x01\x02\x03\x04", b"\xff\xff\xff\xff"))


class FuzzedGame:
    """A game, with its tokens."""

    def __init__(self, subject: Subject, players: list[dict[str, Any]], visibility: str) -> None:
        self._subject = subject
        received = subject.create_game(players, visibility=visibility)
        self.id: str = received["game"]["id"]
        self.owner: str = received["owner_token"]
        self.tokens: list[str] = [
            self.owner,
            received["spectator_token"],
            *(seat["token"] for seat in received["seats"]),
        ]

    def act(self, choice: int) -> None:
        """Do a legal move over HTTP."""
        path = f"/v1/games/{self.id}"
        legal = self._subject.request("GET", f"{path}/legal-moves", token=self.owner).json().get("moves", [])
        if legal:
            move = {"move": legal[choice % len(legal)]["id"]}
            response = self._subject.request("POST", f"{path}/actions", move, self.owner)
            assert response.status < 500, response


class SocketMachine(RuleBasedStateMachine):
    """One socket that does anything, and one beside it that only watches."""

    subject: ClassVar[Subject]
    figures: ClassVar[Figures]

    def __init__(self) -> None:
        super().__init__()
        self._before = self.subject.count_resources()
        self._numbers = count(1)
        self._line: FuzzedSocket | None = None
        self._opened: list[RawSocket] = []
        self._table = FuzzedGame(self.subject, PLAYERS[0], "public")
        self._other = FuzzedGame(self.subject, PLAYERS[1], "private")
        witness = self._connect(f"/v1/games/{self._table.id}/ws", None, None)
        assert witness is not None
        self._witness = witness
        self._witness.subscribe(self._table.id)

    def teardown(self) -> None:
        """Everybody goes; nothing is kept of them."""
        try:
            self._witness.expect_silence()
        finally:
            for raw in self._opened:
                raw.close()
        self.subject.wait_until_released(self._before)
        self.figures["socket sequences"] += 1

    @rule(offer=st.sampled_from(OFFERS), token=st.sampled_from((None, "owner", "wrong", NO_TOKEN)))
    @precondition(lambda self: self._line is None)
    def open_for_any(self, offer: str | None, token: str | None) -> None:
        """Open the socket that is shared by all games."""
        line = self._connect("/v1/ws", self._token(token), offer)
        if line is None:
            return
        try:
            line.expect_silence()
            self._line = line
        except ConnectionEnded as ended:
            assert (ended.code, token) == (4401, NO_TOKEN), ended
            line.raw.close()

    @rule(
        offer=st.sampled_from(OFFERS),
        token=st.sampled_from((None, "owner", "owner", "wrong")),
        game=st.sampled_from(("table", "other", "nothing", "%2e%2e", "UPPER", "a" * 33)),
        query=st.sampled_from(("", "?since=1", "?since=0", "?since=99", "?since=-1", "?since=x", "?digest=y", "?a=b")),
    )
    @precondition(lambda self: self._line is None)
    def open_for_one(self, offer: str | None, token: str | None, game: str, query: str) -> None:
        """Open a game's socket: it starts with a subscription, or is closed with a code that says why."""
        known = {"table": self._table.id, "other": self._other.id}
        line = self._connect(f"/v1/games/{known.get(game, game)}/ws{query}", self._token(token), offer)
        if line is None:
            return
        try:
            line.subscribe(known.get(game, game), int(query[7:]) if query in {"?since=1", "?since=0"} else None)
            self._line = line
        except ConnectionEnded as ended:
            assert ended.code in {4400, 4401, 4404}, ended
            line.raw.close()

    @rule(data=st.data(), many=st.integers(1, 4))
    @precondition(lambda self: self._line is not None)
    def send_messages(self, data: st.DataObject, many: int) -> None:
        """Messages that are right, or nearly so, one after another without waiting."""
        games, tokens = [self._table.id, self._other.id], [*self._table.tokens, *self._other.tokens]
        requested = [data.draw(messages.nearly_valid_messages(games, tokens)) for _ in range(many)]
        for message in requested:
            if data.draw(st.integers(0, 4)):
                message["id"] = f"m{next(self._numbers)}"
        self._exchange(
            requested, [self._encode_frames(data, messages.encode(message).encode()) for message in requested]
        )

    @rule(data=st.data(), watched=st.sampled_from(("table", "other")), since=st.none() | st.integers(0, 3))
    @precondition(lambda self: self._line is not None)
    def subscribe(self, data: st.DataObject, watched: str, since: int | None) -> None:
        """With a token, so that it is done."""
        table = self._table if watched == "table" else self._other
        requested: list[dict[str, Any]] = [
            {"type": "auth", "game": table.id, "token": table.owner, "id": "a"},
            {"type": "subscribe", "game": table.id, "id": f"s{next(self._numbers)}"},
        ]
        if since is not None:
            requested[1]["since"] = since
        self._exchange(requested, [self._encode_frames(data, json.dumps(message).encode()) for message in requested])

    @rule(choice=st.integers(0, 50), private=st.booleans(), key=st.none() | st.sampled_from(("k1", "k2")))
    @precondition(lambda self: self._line is not None)
    def act(self, choice: int, private: bool, key: str | None) -> None:
        """Act with one of the moves that are nearly always legal."""
        table = self._other if private else self._table
        move = ("pass.islander", "i0", "i1", "pass.deliver", "p0.1.0", "p1.0.0", "p0.-1.0", "p-1.0.0")[choice % 8]
        message: dict[str, Any] = {"type": "act", "game": table.id, "move": move, "id": f"x{choice}"}
        message |= {"include": "legal_moves"} if choice % 3 else {}
        message |= {"key": key} if key else {}
        self._exchange([message], [encode_frame(TEXT, json.dumps(message).encode())])

    @rule(choice=st.integers(0, 50), private=st.booleans())
    def act_over_http(self, choice: int, private: bool) -> None:
        """Somebody else acts."""
        (self._other if private else self._table).act(choice)
        self._check_other_socket()

    @rule(text=messages.TEXTS | messages.JSON.map(messages.encode), data=st.data())
    @precondition(lambda self: self._line is not None)
    def send_text(self, text: str, data: st.DataObject) -> None:
        """Text that is no message, or JSON of any kind."""
        self._exchange([text], [self._encode_frames(data, text.encode(errors="surrogatepass"))])

    @rule(payload=st.binary(max_size=200))
    @precondition(lambda self: self._line is not None)
    def send_bytes(self, payload: bytes) -> None:
        """Messages are text."""
        self._exchange([payload], [encode_frame(BINARY, payload)])

    @rule(payload=st.binary(max_size=125), kind=st.sampled_from((PING, PONG)))
    @precondition(lambda self: self._line is not None)
    def control(self, payload: bytes, kind: int) -> None:
        """Control frames are no messages."""
        self._exchange([], [encode_frame(kind, payload)])

    @rule(data=st.data())
    @precondition(lambda self: self._line is not None)
    def break_the_protocol(self, data: st.DataObject) -> None:
        """Send a protocol error, and check the close code."""
        name = data.draw(st.sampled_from([*BREAKS]))
        line, self._line = self._line, None
        assert line is not None
        deflating = line.raw.deflating
        broken, codes = BREAKS[name](line.most, deflating)
        self.figures["socket breaks"] += 1
        try:
            line.raw.send(broken)
            line.raw.drain()
        except ConnectionEnded as ended:
            assert ended.code in codes, (name, ended, codes)
            assert ended.code in CLOSE_CODE_NUMBERS | {1000}, ended
        line.raw.close(reset=data.draw(st.booleans()))
        self._check_other_socket()

    @rule(junk=st.binary(min_size=1, max_size=400), reset=st.booleans(), half=st.booleans())
    @precondition(lambda self: self._line is not None)
    def send_junk_and_disconnect(self, junk: bytes, reset: bool, half: bool) -> None:
        """Any bytes, then the connection is gone, in one of its ways."""
        line, self._line = self._line, None
        assert line is not None
        try:
            line.raw.send(junk)
            if half:
                line.raw.half_close()
                line.raw.drain()
        except ConnectionEnded as ended:
            assert ended.code is None or ended.code in CLOSE_CODE_NUMBERS | {1000, 1005}, ended
        line.raw.close(reset=reset)
        self._check_other_socket()

    def _exchange(self, asked: list[Any], sent: list[bytes]) -> None:
        assert self._line is not None
        self._line.exchange(asked, sent)
        self._check_other_socket()

    def _check_other_socket(self) -> None:
        """Check that the other socket has received every diff in order."""
        self._witness.expect_silence()
        self.subject.check()

    def _encode_frames(self, data: st.DataObject, payload: bytes) -> bytes:
        """Encode a message as one frame or several, compressed if negotiated, with control frames in between."""
        assert self._line is not None
        packed = self._line.raw.deflating and data.draw(st.booleans())
        body = frames.deflate(payload) if packed else payload
        flags = DEFLATED if packed else 0
        mask = data.draw(MASKS)
        # Bodies hold ids that differ from run to run, so what is drawn must not depend on their lengths.
        cuts = sorted(cut % (len(body) + 1) for cut in data.draw(st.lists(st.integers(0, 2000), max_size=3)))
        pieces = [body[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        framed = b""
        for number, piece in enumerate(pieces):
            last = FINAL if number == len(pieces) - 1 else 0
            kind = TEXT if number == 0 else CONTINUATION
            framed += encode_frame(kind, piece, flags=last | (0 if number else flags), mask=mask)
            if not last and data.draw(st.booleans()):
                framed += encode_frame(PONG, b"between", mask=mask)
        return framed

    def _token(self, name: str | None) -> str | None:
        return {"owner": self._table.owner, "wrong": "x" * 43}.get(name, name) if name else None

    def _connect(self, path: str, token: str | None, offer: str | None) -> FuzzedSocket | None:
        raw = RawSocket(self.subject.host, self.subject.port)
        self._opened.append(raw)
        answer = raw.upgrade(path, token, offer=offer)
        if answer.status != 101:
            assert answer.status == 400, answer
            raw.close()
            return None
        try:
            return FuzzedSocket(raw, self.figures)
        except ConnectionEnded as ended:
            assert ended.code in {4400, 4401, 4404}, ended
            raw.close()
            return None


def fuzz(subject: Subject, effort: Effort, figures: Figures) -> None:
    """Sequences of steps; raises what is found, in its smallest form."""
    machine = type("TheseSockets", (SocketMachine,), {"subject": subject, "figures": figures})
    if effort.seed is not None:
        machine = seed(effort.seed)(machine)
    wires = subject.count_connections()
    run_state_machine_as_test(
        machine,
        settings=settings_of(effort, steps=STEPS),
    )
    subject.wait_until_closed(wires)
