"""The opening handshake of a WebSocket (RFC 6455, 4.2; RFC 7692, 7.1), as far as aiohttp is more lenient than they are.

aiohttp also takes versions 7 and 8, some invalid offers of permessage-deflate, and each extension whose name contains
that, and HTTP/1.0. It fails on some keys, reads one line of each header, logs the offered subprotocols if it knows none
of them, and answers only a part of an offer.
"""

import re

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.abc import AbstractStreamWriter

from service.games.errors import Malformed
from service.web.errors import UpgradeRequired

__all__ = ["SUBPROTOCOL", "HandshakeResponse", "check_handshake", "select_deflate_offer"]

SUBPROTOCOL = "south-seas.v1"
"""Selected if the client offers it; otherwise none is."""

VERSION = "13"

DEFLATE = "permessage-deflate"

_KEY = re.compile(r"[A-Za-z0-9+/]{22}==", re.ASCII)
"""16 bytes in base64."""

_QUOTED_VALUE = re.compile(r'="(\w*)"', re.ASCII)
_DEFLATE_PARAMETER = re.compile(
    r"(?:server|client)_no_context_takeover|server_max_window_bits=(?:9|1[0-5])|client_max_window_bits(?:=(?:[89]|1[0-5]))?"
)
"""A valid parameter of an offer, except that zlib has no window of 8 bits."""


def check_handshake(request: web.Request) -> web.Request:
    """Return the request with no other extensions and subprotocols than the service accepts.

    Raises UpgradeRequired, Malformed.
    """
    headers = request.headers
    if headers.get(hdrs.UPGRADE, "").lower() != "websocket":
        raise Malformed("this path takes WebSocket upgrades only", "Upgrade")
    if request.version < HttpVersion11:
        raise Malformed("a WebSocket needs HTTP/1.1")
    if headers.getall(hdrs.SEC_WEBSOCKET_VERSION, ()) != [VERSION]:
        raise UpgradeRequired
    key, *others = headers.getall(hdrs.SEC_WEBSOCKET_KEY, ("",))
    if others or _KEY.fullmatch(key) is None:
        raise Malformed("the key is not 16 bytes in base64", "Sec-WebSocket-Key")
    return _select_offers(request)


def _select_offers(request: web.Request) -> web.Request:
    """Return the request if the service accepts all its offers, as is usual; else a copy without the others."""
    headers = request.headers
    offered = {name: ",".join(headers.getall(name)) for name in _SELECTORS if name in headers}
    selected = {name: _SELECTORS[name](offers) for name, offers in offered.items()}
    if selected == offered:
        return request
    names = (hdrs.UPGRADE, hdrs.SEC_WEBSOCKET_VERSION, hdrs.SEC_WEBSOCKET_KEY)
    accepted = {name: offer for name, offer in selected.items() if offer is not None}
    return request.clone(headers={name: headers[name] for name in names} | accepted)


def _select_subprotocol(offers: str) -> str | None:
    return SUBPROTOCOL if SUBPROTOCOL in map(str.strip, offers.split(",")) else None


def select_deflate_offer(offers: str) -> str | None:
    """Return the first valid offer of permessage-deflate; None without one (RFC 7692, 7.1).

    >>> select_deflate_offer("permessage-deflate; server_max_window_bits=7, permessage-deflate; client_max_window_bits")
    'permessage-deflate; client_max_window_bits'
    """
    unquoted = _QUOTED_VALUE.sub(r"=\1", offers)
    for offer in unquoted.split(",") if '"' not in unquoted else ():
        extension, *parameters = (part.strip() for part in offer.split(";"))
        names = {parameter.partition("=")[0] for parameter in parameters}
        if (
            extension == DEFLATE
            and len(names) == len(parameters)
            and all(map(_DEFLATE_PARAMETER.fullmatch, parameters))
        ):
            return "; ".join((extension, *parameters))
    return None


class HandshakeResponse(web.StreamResponse):
    """What aiohttp's WebSocketResponse prepares, once it has the headers of the handshake."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Complete the answer to the selected offer with the parameters that bind (RFC 7692, 7.1), and send it.

        Some clients fail without `client_no_context_takeover`. `client_max_window_bits` only permits the service to ask
        for a smaller window.
        """
        if hdrs.SEC_WEBSOCKET_EXTENSIONS in self.headers:
            parameters = request.headers[hdrs.SEC_WEBSOCKET_EXTENSIONS].split("; ")
            self.headers[hdrs.SEC_WEBSOCKET_EXTENSIONS] = "; ".join(
                parameter for parameter in parameters if not parameter.startswith("client_max_window_bits")
            )
        return await super().prepare(request)


_SELECTORS = {
    hdrs.SEC_WEBSOCKET_EXTENSIONS: select_deflate_offer,
    hdrs.SEC_WEBSOCKET_PROTOCOL: _select_subprotocol,
}
"""What selects one of the offers in a header; None declines all."""
