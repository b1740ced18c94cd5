"""Compression of responses as Accept-Encoding asks."""

from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter

from service.web.headers.negotiation import negotiate_coding

__all__ = ["MAX_SYNC_BYTES", "MIN_COMPRESSED_BYTES", "CompressibleResponse"]

MIN_COMPRESSED_BYTES = 1024
"""A smaller body fits into one packet as it is."""

MAX_SYNC_BYTES = 16_384
"""Larger bodies are compressed in a thread: this one takes some 0.3 ms."""


class CompressibleResponse(web.Response):
    """A response that is compressed if the client accepts a coding; each coding has its own entity tag.

    It must contain no secrets: its length would reveal them to whoever can choose another part of it (BREACH).
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, zlib_executor_size=MAX_SYNC_BYTES)

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Choose the coding, and begin the response."""
        coding = negotiate_coding(request)
        if coding is not None:
            self.enable_compression(coding)
            if (etag := self.headers.get("ETag")) is not None:
                self.headers["ETag"] = f'{etag[:-1]}-{coding.value}"'
        return await super().prepare(request)
