"""The AsyncAPI 3.0 document of the WebSocket, generated from the message Structs."""

from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, NamedTuple, get_args

import msgspec

from schemas.messages import ClientMessage, CloseCode, ErrorMessage, ServerMessage, Subscribe
from schemas.problems import PROBLEM_TYPES
from service.web.limits import Limits
from service.web.websocket import GAME_PATH, SHARED_PATH
from service.web.websocket_connection import SUBPROTOCOL
from tools.openapi.components import (
    Schema,
    make_components,
    transform_schema,
    unwrap_paragraphs,
    without_member,
    without_null,
)
from tools.openapi.descriptions import PROBLEM_EXAMPLES, SECURITY_SCHEMES

__all__ = ["CLOSE_CODES", "make_asyncapi"]

EXAMPLE_GAME_ID = "k7m2x9qd4t1w"

REPLIES: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    ("auth", "subscribe", "unsubscribe", "sync", "act", "undo", "resign", "return", "ping"), ("ack", "error")
) | {"subscribe": ("subscribed", "diff", "snapshot", "error"), "sync": ("snapshot", "error"), "ping": ("pong",)}
"""The replies to each message of a client."""

UNSOLICITED = ("welcome", "diff", "snapshot", "error", "closing")
"""The messages that the service sends without a request."""


UPGRADE = {
    "method": "GET",
    "headers": {
        "type": "object",
        "properties": {
            "Authorization": {"type": "string", "description": "`Bearer TOKEN`, where a client can send headers."},
            "Sec-WebSocket-Protocol": {
                "type": "string",
                "description": f"`{SUBPROTOCOL}` is selected if it is offered; without it the socket opens too.",
                "examples": [SUBPROTOCOL],
            },
            "Accept-Language": {"type": "string", "description": "The preferred languages of legal moves."},
        },
    },
    "bindingVersion": "0.1.0",
}
"""The WebSocket binding of both channels."""


class DocumentedCloseCode(NamedTuple):
    """A close code, its meaning, and whether to reconnect and resume with `since`."""

    code: int
    meaning: str
    resume: bool


def _rejection(code: str, meaning: str) -> DocumentedCloseCode:
    return DocumentedCloseCode(CloseCode.REFUSED + PROBLEM_TYPES[code].status, meaning, resume=False)


CLOSE_CODES = (
    DocumentedCloseCode(
        CloseCode.SHUTDOWN, "The service is shutting down; `closing` says when to reconnect.", resume=True
    ),
    DocumentedCloseCode(1002, "A frame violates the WebSocket protocol.", resume=False),
    DocumentedCloseCode(1006, "The connection was lost without a close frame.", resume=True),
    DocumentedCloseCode(1007, "A text message is not UTF-8, or a message cannot be decompressed.", resume=False),
    DocumentedCloseCode(
        1009, "A message is larger than `max_message_bytes`, or comes in too many frames.", resume=False
    ),
    _rejection("malformed", "`since` or `digest` of the path is malformed."),
    _rejection("unauthorized", "The token is invalid."),
    _rejection("not_found", "The game does not exist, or it is private and the token is not valid for it."),
    DocumentedCloseCode(CloseCode.NO_PONG, "The client did not reply to a protocol ping in time.", resume=True),
    DocumentedCloseCode(
        CloseCode.TOO_SLOW,
        "The client is too slow: too many bytes wait to be sent, or it sends too many messages.",
        resume=True,
    ),
)

DESCRIPTION = """\
Subscribe to any number of games over one WebSocket, and act over it. Messages are JSON in text frames. The service
handles a client's messages in order, and each reply repeats the `id` of its message. Any origin may connect.

**Subscriptions.** The reply to `subscribe` is `subscribed`, with the game's current `version` and `digest`. If `since`
(and `digest`) identify a state in the game's log, `recovered` is true and the diffs after that state follow; otherwise
a `snapshot` follows. After that the service sends every `diff` in order, without gaps or repeats. A `snapshot` without
a request replaces the client's state of the game. A new `subscribe` restarts the subscription. An `error` for a
subscribed game without an `id` ends its subscription: the game was deleted. Too many games on one socket, or messages
sent too fast, are `rate_limited`: wait `retry_after_s`. A client that does not wait is closed with 4429.

**Acting.** `act` does what `POST /v1/games/{id}/actions` does, and idempotency keys are shared with it; `undo`,
`resign` and `return` do what the paths of those names do. If the socket is subscribed to the game, the diffs arrive
before the `ack`. Diffs on other connections have no defined order with it.

**Tokens.** Send a token in the Authorization header of the upgrade, or for a single game with `auth`. Public games can
be read without a token.

**Handshake.** Upgrade to version 13; all else is 426 `upgrade_required` with `Sec-WebSocket-Version: 13`. The
subprotocol `south-seas.v1` is selected if the client offers it. A client that offers none, or only others, gets none.

**Languages.** The legal moves of an `ack` are in the language of the upgrade's Accept-Language header.

**Keep-alive.** The service sends a protocol ping after a period without messages (`ping_interval_ms`), and closes the
socket of a client that does not reply.

**Closing.** After `closing` reconnect and resume whatever the close code, which proxies and libraries may change. The
service answers a client's close with the client's own code.

**Compression.** A client that offers `permessage-deflate` receives every `snapshot` and `diff` compressed, without
context takeover, and may compress its own messages. Browsers do this automatically.

**Compatibility.** Ignore messages, fields, enumeration values and events that you do not know. The service rejects
unknown fields in a client's messages.
"""


def make_asyncapi() -> dict[str, Any]:
    """Return the AsyncAPI document; it depends only on the Structs."""
    sent, received = _by_tag(get_args(ServerMessage)), _by_tag(get_args(ClientMessage))
    messages = {**received, **sent}
    schemas, named = make_components([*messages.values(), ClientMessage, ServerMessage])
    refs = dict(zip(messages, schemas, strict=False))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "South Seas",
            "version": "1.0.0",
            "description": DESCRIPTION,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"service": _server()},
        "channels": {
            "shared": _channel(SHARED_PATH, "A socket for any number of games.", messages),
            "game": {
                **_channel(
                    GAME_PATH,
                    "The same with an implied `subscribe` to one game: `subscribed` follows `welcome` directly. The "
                    "Authorization header applies to this game. An error closes the socket after the upgrade.",
                    messages,
                ),
                "parameters": {"id": {"description": "The game's id.", "examples": [EXAMPLE_GAME_ID]}},
                "bindings": {"ws": {**UPGRADE, "query": _socket_query()}},
            },
        },
        "operations": {
            **_operations("shared", "", messages),
            **_operations("game", "OfGame", messages),
        },
        "components": {
            "schemas": {name: transform_schema(schema, _without_discriminator) for name, schema in named.items()},
            "messages": {tag: _message(tag, struct, refs[tag]) for tag, struct in messages.items()},
            "securitySchemes": {"bearer": SECURITY_SCHEMES["bearer"]},
        },
    }


def _by_tag(structs: Iterable[type[msgspec.Struct]]) -> dict[str, type[msgspec.Struct]]:
    return {str(struct.__struct_config__.tag): struct for struct in structs}


def _server() -> Schema:
    limits = Limits()
    return {
        "host": "{host}",
        "protocol": "ws",
        "description": "The service at http://127.0.0.1:8080/; `wss` if it uses TLS. Defaults: a ping every "
        f"{limits.ping_interval_s:g} s, messages of at most {limits.max_message_bytes} bytes, and at most "
        f"{limits.max_subscriptions} games per socket.",
        "variables": {"host": {"default": "127.0.0.1:8080", "description": "Host and port."}},
        "security": [{"$ref": "#/components/securitySchemes/bearer"}],
    }


def _channel(address: str, description: str, messages: Iterable[str]) -> Schema:
    rows = (f"| {code} | {meaning} | {'yes' if resume else 'no'} |" for code, meaning, resume in CLOSE_CODES)
    table = "\n".join(["| close code | meaning | reconnect and resume |", "|---|---|---|", *rows])
    return {
        "address": address,
        "description": f"{description}\n\n{table}\n",
        "messages": {tag: {"$ref": f"#/components/messages/{tag}"} for tag in messages},
        "bindings": {"ws": UPGRADE},
        "x-close-codes": [
            {"code": code, "meaning": meaning, "resume": resume} for code, meaning, resume in CLOSE_CODES
        ],
    }


def _operations(channel: str, suffix: str, messages: Mapping[str, type[msgspec.Struct]]) -> Schema:
    """Return the operations: the messages that the service receives, with replies, and those that it sends."""
    operations: Schema = {}
    for tag, replies in REPLIES.items():
        operations[f"{tag}{suffix}"] = {
            "action": "receive",
            "summary": unwrap_paragraphs(messages[tag].__doc__ or ""),
            "description": f"The service replies with {' or '.join(f'`{reply}`' for reply in replies)}.",
            **_channel_messages(channel, (tag,)),
            "reply": _channel_messages(channel, replies),
        }
    for tag in UNSOLICITED:
        operations[f"{tag}{suffix}"] = {
            "action": "send",
            "summary": unwrap_paragraphs(messages[tag].__doc__ or ""),
            "description": "The service sends this message without a request too.",
            **_channel_messages(channel, (tag,)),
        }
    return operations


def _channel_messages(channel: str, tags: Iterable[str]) -> Schema:
    path = f"#/channels/{channel}"
    return {"channel": {"$ref": path}, "messages": [{"$ref": f"{path}/messages/{tag}"} for tag in tags]}


def _message(tag: str, struct: type[msgspec.Struct], payload: Schema) -> Schema:
    return {
        "name": tag,
        "title": struct.__name__,
        "summary": unwrap_paragraphs(struct.__doc__ or ""),
        "payload": payload,
        "examples": [{"payload": example} for example in _message_examples(tag)],
    }


def _message_examples(tag: str) -> list[Schema]:
    """Return examples of a message, without the fields that a client may omit."""
    match tag:
        case "diff":
            return [_load_examples("examples.json")["diffs"]["value"]["diffs"][0]]
        case "snapshot":
            examples = _load_examples("examples.json")
            digest = examples["legal_moves"]["value"]["digest"]
            return [{"type": tag, "digest": digest, "game": examples["game"]["value"]}]
        case "error":
            error = ErrorMessage(id="c1", game=EXAMPLE_GAME_ID, problem=PROBLEM_EXAMPLES["version_mismatch"])
            return [msgspec.to_builtins(error)]
        case _:
            return list(_load_examples("message_examples.json")[tag])


def _load_examples(name: str) -> Schema:
    return msgspec.json.decode(resources.files("tools.openapi").joinpath(name).read_bytes(), type=dict[str, Any])


def _socket_query() -> Schema:
    """Return the query parameters of a game's socket, which are fields of `subscribe`."""
    _, named = make_components([Subscribe])
    properties = named["Subscribe"]["properties"]
    return {
        "type": "object",
        "description": "The client's state of the game.",
        "properties": {name: without_null(properties[name]) for name in ("since", "digest")},
    }


def _without_discriminator(schema: Schema) -> Schema:
    """Return the schema without `discriminator`: in AsyncAPI it differs from OpenAPI, and each tag is a constant."""
    return without_member(schema, "discriminator")
