"""The client's end of a keep-alive connection: whole HTTP answers, one for each request that is under way."""

import asyncio
from abc import abstractmethod
from typing import cast

OK = b"HTTP/1.1 200"


class Answers(asyncio.Protocol):
    """A connection, which calls `answered` with each answer that is whole."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._answer = b""

    @abstractmethod
    def answered(self, answer: bytes) -> None:
        """The answer to the request under way, head and body."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Gather what comes until the answer is whole."""
        self._answer += data
        head = self._answer.find(b"\r\n\r\n")
        if head < 0:
            return
        field = self._answer.index(b"Content-Length: ") + 16
        length = int(self._answer[field : self._answer.index(b"\r\n", field)])
        if len(self._answer) >= head + 4 + length:
            answer, self._answer = self._answer, b""
            self.answered(answer)
