"""The opening handshake of a WebSocket (RFC 6455, 4.2; RFC 7692, 7.1), as far as aiohttp is more lenient than they are.

aiohttp also takes versions 7 and 8, some invalid offers of permessage-deflate, and each extension whose name contains
that. It fails on some keys, reads one line of each header, and logs the offered subprotocols if it knows none of them.
"""

import re

from aiohttp import hdrs, web

from service.games.errors import Malformed
from service.web.errors import UpgradeRequired

__all__ = ["SUBPROTOCOL", "check_handshake", "select_deflate_offer"]

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
    """Return the request without the extensions and subprotocols that the service does not accept.

    Raises UpgradeRequired, Malformed.
    """
    headers = request.headers
    if headers.get(hdrs.UPGRADE, "").strip().lower() != "websocket":
        raise Malformed("this path takes WebSocket upgrades only", "Upgrade")
    if headers.get(hdrs.SEC_WEBSOCKET_VERSION) != VERSION:
        raise UpgradeRequired
    key = headers.get(hdrs.SEC_WEBSOCKET_KEY, "")
    if _KEY.fullmatch(key) is None:
        raise Malformed("the key is not 16 bytes in base64", "Sec-WebSocket-Key")
    offered, accepted = {}, {}
    if hdrs.SEC_WEBSOCKET_EXTENSIONS in headers:
        offered[hdrs.SEC_WEBSOCKET_EXTENSIONS] = offers = ",".join(headers.getall(hdrs.SEC_WEBSOCKET_EXTENSIONS))
        if (offer := select_deflate_offer(offers)) is not None:
            accepted[hdrs.SEC_WEBSOCKET_EXTENSIONS] = offer
    if hdrs.SEC_WEBSOCKET_PROTOCOL in headers:
        offered[hdrs.SEC_WEBSOCKET_PROTOCOL] = offers = ",".join(headers.getall(hdrs.SEC_WEBSOCKET_PROTOCOL))
        if SUBPROTOCOL in map(str.strip, offers.split(",")):
            accepted[hdrs.SEC_WEBSOCKET_PROTOCOL] = SUBPROTOCOL
    if offered == accepted:
        return request
    upgrade = {hdrs.UPGRADE: "websocket", hdrs.CONNECTION: "Upgrade", hdrs.SEC_WEBSOCKET_VERSION: VERSION}
    return request.clone(headers={**upgrade, hdrs.SEC_WEBSOCKET_KEY: key, **accepted})


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
