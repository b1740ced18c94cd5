"""Fuzzes the socket protocol with any messages and bytes, while another socket of a game must receive every diff."""

import json
from itertools import count
from typing import Any, ClassVar

from hypothesis import seed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from verification.fuzz import frames, messages
from verification.fuzz.checked_socket import CLOSE_CODE_NUMBERS, CheckedSocket
from verification.fuzz.frames import (
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
from verification.fuzz.harness import Budget, Counts, hypothesis_settings
from verification.fuzz.protocol_violations import PROTOCOL_VIOLATIONS
from verification.fuzz.target import Target

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

MALFORMED_TOKEN = "a b"
"""A token that no service issues, so the socket is closed at once."""

MASKS = st.sampled_from((b"\x00\x00\x00\x00", b"\x01\x02\x03\x04", b"\xff\xff\xff\xff"))


class FuzzedGame:
    """A game and its tokens."""

    def __init__(self, target: Target, players: list[dict[str, Any]], visibility: str) -> None:
        self._target = target
        created = target.create_game(players, visibility=visibility)
        self.id: str = created["game"]["id"]
        self.owner_token: str = created["owner_token"]
        self.tokens: list[str] = [
            self.owner_token,
            created["spectator_token"],
            *(seat["token"] for seat in created["seats"]),
        ]

    def act(self, choice: int) -> None:
        """Make a legal move over HTTP."""
        path = f"/v1/games/{self.id}"
        legal = self._target.request("GET", f"{path}/legal-moves", token=self.owner_token).json().get("moves", [])
        if legal:
            move = {"move": legal[choice % len(legal)]["id"]}
            response = self._target.request("POST", f"{path}/actions", move, self.owner_token)
            assert response.status < 500, response


class SocketMachine(RuleBasedStateMachine):
    """A socket that sends anything, and an observer of the public game."""

    target: ClassVar[Target]
    counts: ClassVar[Counts]

    def __init__(self) -> None:
        super().__init__()
        self._before = self.target.count_resources()
        self._numbers = count(1)
        self._socket: CheckedSocket | None = None
        self._opened: list[RawSocket] = []
        self._public_game = FuzzedGame(self.target, PLAYERS[0], "public")
        self._private_game = FuzzedGame(self.target, PLAYERS[1], "private")
        observer = self._connect(f"/v1/games/{self._public_game.id}/ws", None, None)
        assert observer is not None
        self._observer = observer
        self._observer.subscribe(self._public_game.id)

    def teardown(self) -> None:
        """Close all sockets, and check that the service releases their resources."""
        try:
            self._observer.receive_pending()
        finally:
            for raw in self._opened:
                raw.close()
        self.target.wait_until_released(self._before)
        self.counts["socket sequences"] += 1

    @rule(offer=st.sampled_from(OFFERS), token=st.sampled_from((None, "owner", "wrong", MALFORMED_TOKEN)))
    @precondition(lambda self: self._socket is None)
    def open_for_any(self, offer: str | None, token: str | None) -> None:
        """Open a socket that may subscribe to any game."""
        socket = self._connect("/v1/ws", self._token(token), offer)
        if socket is None:
            return
        try:
            socket.receive_pending()
            self._socket = socket
        except ConnectionEnded as ended:
            assert (ended.code, token) == (4401, MALFORMED_TOKEN), ended
            socket.raw.close()

    @rule(
        offer=st.sampled_from(OFFERS),
        token=st.sampled_from((None, "owner", "owner", "wrong")),
        game=st.sampled_from(("public", "private", "unknown", "%2e%2e", "UPPER", "a" * 33)),
        query=st.sampled_from(("", "?since=1", "?since=0", "?since=99", "?since=-1", "?since=x", "?digest=y", "?a=b")),
    )
    @precondition(lambda self: self._socket is None)
    def open_for_one(self, offer: str | None, token: str | None, game: str, query: str) -> None:
        """Open a game's socket, which starts with a subscription or is closed with the code of its error."""
        ids = {"public": self._public_game.id, "private": self._private_game.id}
        socket = self._connect(f"/v1/games/{ids.get(game, game)}/ws{query}", self._token(token), offer)
        if socket is None:
            return
        try:
            socket.subscribe(ids.get(game, game), int(query[7:]) if query in {"?since=1", "?since=0"} else None)
            self._socket = socket
        except ConnectionEnded as ended:
            assert ended.code in {4400, 4401, 4404}, ended
            socket.raw.close()

    @rule(data=st.data(), count=st.integers(1, 4))
    @precondition(lambda self: self._socket is not None)
    def send_messages(self, data: st.DataObject, count: int) -> None:
        """Send valid and nearly valid messages without waiting for responses."""
        games, tokens = (
            [self._public_game.id, self._private_game.id],
            [*self._public_game.tokens, *self._private_game.tokens],
        )
        sent = [data.draw(messages.nearly_valid_messages(games, tokens)) for _ in range(count)]
        for message in sent:
            if data.draw(st.integers(0, 4)):
                message["id"] = f"m{next(self._numbers)}"
        self._exchange(sent, [self._encode_frames(data, messages.encode(message).encode()) for message in sent])

    @rule(data=st.data(), private=st.booleans(), since=st.none() | st.integers(0, 3))
    @precondition(lambda self: self._socket is not None)
    def subscribe(self, data: st.DataObject, private: bool, since: int | None) -> None:
        """Authenticate and subscribe."""
        game = self._private_game if private else self._public_game
        sent: list[dict[str, Any]] = [
            {"type": "auth", "game": game.id, "token": game.owner_token, "id": "a"},
            {"type": "subscribe", "game": game.id, "id": f"s{next(self._numbers)}"},
        ]
        if since is not None:
            sent[1]["since"] = since
        self._exchange(sent, [self._encode_frames(data, json.dumps(message).encode()) for message in sent])

    @rule(choice=st.integers(0, 50), private=st.booleans(), key=st.none() | st.sampled_from(("k1", "k2")))
    @precondition(lambda self: self._socket is not None)
    def act(self, choice: int, private: bool, key: str | None) -> None:
        """Send an action that is often legal."""
        game = self._private_game if private else self._public_game
        move = ("pass.islander", "i0", "i1", "pass.deliver", "p0.1.0", "p1.0.0", "p0.-1.0", "p-1.0.0")[choice % 8]
        message: dict[str, Any] = {"type": "act", "game": game.id, "move": move, "id": f"x{choice}"}
        message |= {"include": "legal_moves"} if choice % 3 else {}
        message |= {"key": key} if key else {}
        self._exchange([message], [encode_frame(TEXT, json.dumps(message).encode())])

    @rule(choice=st.integers(0, 50), private=st.booleans())
    def act_over_http(self, choice: int, private: bool) -> None:
        """Make a move as another client."""
        (self._private_game if private else self._public_game).act(choice)
        self._check_other_socket()

    @rule(text=messages.TEXTS | messages.JSON.map(messages.encode), data=st.data())
    @precondition(lambda self: self._socket is not None)
    def send_text(self, text: str, data: st.DataObject) -> None:
        """Send text that is no message."""
        self._exchange([text], [self._encode_frames(data, text.encode(errors="surrogatepass"))])

    @rule(payload=st.binary(max_size=200))
    @precondition(lambda self: self._socket is not None)
    def send_bytes(self, payload: bytes) -> None:
        """Send a binary frame, which is no message."""
        self._exchange([payload], [encode_frame(BINARY, payload)])

    @rule(payload=st.binary(max_size=125), kind=st.sampled_from((PING, PONG)))
    @precondition(lambda self: self._socket is not None)
    def send_control_frame(self, payload: bytes, kind: int) -> None:
        """Send a control frame, which gets no response message."""
        self._exchange([], [encode_frame(kind, payload)])

    @rule(data=st.data())
    @precondition(lambda self: self._socket is not None)
    def violate_the_protocol(self, data: st.DataObject) -> None:
        """Send a protocol error, and check the close code."""
        name = data.draw(st.sampled_from([*PROTOCOL_VIOLATIONS]))
        socket, self._socket = self._socket, None
        assert socket is not None
        violation, codes = PROTOCOL_VIOLATIONS[name](socket.max_message_bytes, socket.raw.deflating)
        self.counts["socket protocol violations"] += 1
        try:
            socket.raw.send(violation)
            socket.raw.drain()
        except ConnectionEnded as ended:
            assert ended.code in codes, (name, ended, codes)
            assert ended.code in CLOSE_CODE_NUMBERS | {1005}, ended
        socket.raw.close(reset=data.draw(st.booleans()))
        self._check_other_socket()

    @rule(junk=st.binary(min_size=1, max_size=400), reset=st.booleans(), half=st.booleans())
    @precondition(lambda self: self._socket is not None)
    def send_junk_and_disconnect(self, junk: bytes, reset: bool, half: bool) -> None:
        """Send any bytes, then close the connection, half of it first or with a reset."""
        socket, self._socket = self._socket, None
        assert socket is not None
        try:
            socket.raw.send(junk)
            if half:
                socket.raw.half_close()
                socket.raw.drain()
        except ConnectionEnded as ended:
            assert ended.code is None or 1000 <= ended.code < 5000, ended  # the junk may be a close frame
        socket.raw.close(reset=reset)
        self._check_other_socket()

    def _exchange(self, sent: list[Any], sent_frames: list[bytes]) -> None:
        assert self._socket is not None
        self._socket.exchange(sent, sent_frames)
        self._check_other_socket()

    def _check_other_socket(self) -> None:
        """Check that the other socket has received every diff in order."""
        self._observer.receive_pending()
        self.target.check()

    def _encode_frames(self, data: st.DataObject, payload: bytes) -> bytes:
        """Encode a message in frames, sometimes compressed if negotiated, sometimes with control frames in between."""
        assert self._socket is not None
        is_compressed = self._socket.raw.deflating and data.draw(st.booleans())
        body = frames.deflate(payload) if is_compressed else payload
        flags = DEFLATED if is_compressed else 0
        mask = data.draw(MASKS)
        # Bodies contain ids that differ from run to run, so the drawn values must not depend on their lengths.
        cuts = sorted(cut % (len(body) + 1) for cut in data.draw(st.lists(st.integers(0, 2000), max_size=3)))
        pieces = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        encoded = b""
        for number, piece in enumerate(pieces):
            last = FINAL if number == len(pieces) - 1 else 0
            kind = TEXT if number == 0 else CONTINUATION
            encoded += encode_frame(kind, piece, flags=last | (0 if number else flags), mask=mask)
            if not last and data.draw(st.booleans()):
                encoded += encode_frame(PONG, b"between", mask=mask)
        return encoded

    def _token(self, name: str | None) -> str | None:
        return {"owner": self._public_game.owner_token, "wrong": "x" * 43}.get(name, name) if name else None

    def _connect(self, path: str, token: str | None, offer: str | None) -> CheckedSocket | None:
        raw = RawSocket(self.target.host, self.target.port)
        self._opened.append(raw)
        response = raw.upgrade(path, token, offer=offer)
        if response.status != 101:
            assert response.status == 400, response
            raw.close()
            return None
        try:
            return CheckedSocket(raw, self.counts)
        except ConnectionEnded as ended:
            assert ended.code in {4400, 4401, 4404}, ended
            raw.close()
            return None


def fuzz(target: Target, budget: Budget, counts: Counts) -> None:
    """Run sequences of steps. Raise the failure of the smallest counterexample."""
    machine = type("BoundSocketMachine", (SocketMachine,), {"target": target, "counts": counts})
    if budget.seed is not None:
        machine = seed(budget.seed)(machine)
    connections = target.count_connections()
    run_state_machine_as_test(machine, settings=hypothesis_settings(budget, steps=STEPS))
    target.wait_until_collected(connections)
