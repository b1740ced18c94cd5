"""The upgrade of a request to a socket: aiohttp's handshake, and a reader of our own behind it."""

from typing import Any, cast

from aiohttp import WSCloseCode, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.hdrs import SEC_WEBSOCKET_EXTENSIONS

from service.games.errors import Malformed
from service.telemetry.doing import DOING
from service.web.deflate import WINDOW_BITS, agreed
from service.web.metrics_requests import REQUEST_ID
from service.web.socket_reader import SocketReader

__all__ = ["Socket", "upgraded"]


class Socket(web.WebSocketResponse):
    """aiohttp's WebSocket for the handshake only: a Wire writes and closes, and a SocketReader reads.

    Its own way of closing would cut off what a slow client has yet to read.
    """

    reader: SocketReader

    def __init__(self, most: int) -> None:
        super().__init__(autoclose=False, autoping=False, compress=True)
        self._most = most

    @property
    def deflating(self) -> bool:
        """Whether the client takes messages that are compressed as ours are."""
        return int(self.compress) >= WINDOW_BITS

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Do the upgrade; the headers, once sent, would be kept for nothing."""
        writer = await super().prepare(request)
        self.headers.clear()
        return writer

    async def close(self, *, code: int = WSCloseCode.OK, message: bytes = b"", drain: bool = True) -> bool:
        """Nothing: a Wire closes for all reasons."""
        del code, message, drain
        return False

    def _pre_start(self, request: web.BaseRequest) -> tuple[str | None, Any]:
        """Shake hands; and say how messages are compressed, where aiohttp has found that the client takes them so."""
        protocol, writer = super()._pre_start(request)
        if self.compress:
            offers = request.headers[SEC_WEBSOCKET_EXTENSIONS]
            self.headers[SEC_WEBSOCKET_EXTENSIONS] = agreed(offers, int(self.compress))
        return protocol, writer

    def _post_start(self, request: web.BaseRequest, protocol: str | None, writer: Any) -> None:
        """Where aiohttp would begin to read and to write."""
        del protocol, writer
        self.reader = SocketReader(request.protocol, self._most, inflating=bool(self.compress))
        request.protocol.set_parser(cast("Any", self.reader))
        request.protocol.keep_alive(False)  # noqa: FBT003 (aiohttp's)


async def upgraded(request: web.Request, most: int) -> Socket:
    """A socket for messages of at most `most` bytes; raises Malformed where the request asks for none properly."""
    socket = Socket(most)
    if (doing := DOING.get()) is not None and doing.request_id is not None:
        socket.headers[REQUEST_ID] = doing.request_id
    try:
        await socket.prepare(request)
    except web.HTTPBadRequest as refusal:
        raise Malformed(f"this path takes WebSocket upgrades only: {refusal.text}") from refusal
    return socket
