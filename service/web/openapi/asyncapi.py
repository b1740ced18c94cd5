"""The AsyncAPI 3.0 document: what goes over the WebSocket, made of the message Structs."""

from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, NamedTuple, get_args

import msgspec

from schemas.messages import ClientMessage, CloseCode, Error, ServerMessage, Subscribe
from schemas.problems import PROBLEM_TYPES
from service.web.limits import Limits
from service.web.openapi.components import Schema, make_components, transform_schema, unwrap_paragraphs, without_member
from service.web.openapi.descriptions import PROBLEM_EXAMPLES, SECURITY_SCHEMES
from service.web.routes.websocket import GAME_PATH, SHARED_PATH

__all__ = ["CLOSE_CODES", "make_asyncapi"]

EXAMPLE_GAME_ID = "k7m2x9qd4t1w"

REPLIES: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    ("auth", "subscribe", "unsubscribe", "sync", "act", "undo", "resign", "return", "ping"), ("ack", "error")
) | {"subscribe": ("subscribed", "diff", "snapshot", "error"), "sync": ("snapshot", "error"), "ping": ("pong",)}
"""What a client's message may be answered by."""

UNSOLICITED = ("welcome", "diff", "snapshot", "error", "closing")
"""What is sent without being asked for."""


class DocumentedCloseCode(NamedTuple):
    """What a close code means, and whether to connect again and resume with `since`."""

    code: int
    meaning: str
    resume: bool


def _rejection(code: str, meaning: str) -> DocumentedCloseCode:
    return DocumentedCloseCode(CloseCode.REFUSED + PROBLEM_TYPES[code].status, meaning, resume=False)


CLOSE_CODES = (
    DocumentedCloseCode(1002, "A frame is not of the protocol's form.", resume=False),
    DocumentedCloseCode(1006, "The connection was lost without a word.", resume=True),
    DocumentedCloseCode(1007, "A text message is not UTF-8.", resume=False),
    DocumentedCloseCode(1009, "A message is larger than `max_message_bytes`.", resume=False),
    DocumentedCloseCode(CloseCode.SHUTDOWN, "The instance stops; `closing` told when to come back.", resume=True),
    _rejection("malformed", "The path's `since` or `digest` has not their form."),
    _rejection("unauthorized", "The token is unknown."),
    _rejection("not_found", "There is no such game, or it is private and the token does not open it."),
    DocumentedCloseCode(CloseCode.NO_PONG, "A protocol ping was not answered in time.", resume=True),
    DocumentedCloseCode(CloseCode.TOO_SLOW, "The client does not keep up: too much lies unsent.", resume=True),
)

DESCRIPTION = """\
Follow any number of games over one WebSocket, and act over it. Messages are JSON in text frames; those of a client are
handled one after another, and what answers one echoes its `id`. Any origin may connect.

**Following.** `subscribe` is answered by `subscribed`, whose `version` and `digest` are the game's now. Where `since`
(and `digest`) name a state in the game's log, it is `recovered`, and the diffs after that state follow; otherwise a
`snapshot` does. Then comes every `diff`, in order, without gap or repeat, whichever instance made it. A `snapshot` that
nobody asked for replaces all that was told of its game. Subscribing again begins anew. An `error` of a watched game
without an `id` ends its subscription: the game is gone. Too many games on one socket are `rate_limited`. So is
what comes too fast: wait `retry_after_s`. Who goes on and on is closed with 4429.

**Acting.** `act` does what `POST /v1/games/{id}/actions` does, and keys mean the same on both; `undo`, `resign` and
`return` are the paths of those names. Where the game is watched on this socket, the diffs come before the `ack`. Other
connections' diffs come in no order with answers.

**Tokens.** The Authorization header of the upgrade, and for single games `auth`. Public games are read without one.

**Languages.** Legal moves that come with an `ack` are told in the language that the upgrade's Accept-Language asks for.

**Keeping alive.** The service sends a protocol ping where nothing came for a while (`ping_interval_ms`), and closes a
socket whose client does not answer.

**Compression.** A client that offers `permessage-deflate` gets every `snapshot` and `diff` compressed, each by itself,
and may compress what it sends. Browsers do so of themselves.

**Growth.** Ignore messages, fields, enumeration values and events that you do not know. An unknown field of your own
is refused.
"""


def make_asyncapi() -> dict[str, Any]:
    """The whole document; the same Structs give the same document."""
    sent, received = _by_tag(get_args(ServerMessage)), _by_tag(get_args(ClientMessage))
    messages = {**received, **sent}
    schemas, named = make_components([*messages.values()])
    refs = dict(zip(messages, schemas, strict=True))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "South Seas",
            "version": "1.0.0",
            "description": DESCRIPTION,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"instance": _server()},
        "channels": {
            "shared": _channel(SHARED_PATH, "A socket for any number of games.", messages),
            "game": {
                **_channel(
                    GAME_PATH,
                    "The same, with one implied `subscribe`: `subscribed` follows `welcome` directly. The header's "
                    "token is this game's. What is refused closes the socket after the upgrade.",
                    messages,
                ),
                "parameters": {"id": {"description": "The game's id.", "examples": [EXAMPLE_GAME_ID]}},
                "bindings": {"ws": {"method": "GET", "query": _socket_query(), "bindingVersion": "0.1.0"}},
            },
        },
        "operations": {
            **_operations("shared", "", received),
            **_operations("game", "OfGame", received),
        },
        "components": {
            "schemas": {name: transform_schema(schema, _without_discriminator) for name, schema in named.items()},
            "messages": {tag: _message(tag, struct, refs[tag]) for tag, struct in messages.items()},
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _by_tag(structs: Iterable[type[msgspec.Struct]]) -> dict[str, type[msgspec.Struct]]:
    return {str(struct.__struct_config__.tag): struct for struct in structs}


def _server() -> Schema:
    limits = Limits()
    return {
        "host": "{host}",
        "protocol": "ws",
        "description": "An instance, or what stands before many of them; `wss` where that speaks TLS. By default a "
        f"ping every {limits.ping_interval_s:g} s, messages up to {limits.max_message_bytes} bytes, and "
        f"{limits.max_subscriptions} games a socket.",
        "variables": {"host": {"default": "localhost:8080", "description": "Host and port."}},
        "security": [{"$ref": "#/components/securitySchemes/bearer"}],
    }


def _channel(address: str, description: str, messages: Iterable[str]) -> Schema:
    rows = (f"| {code} | {meaning} | {'yes' if resume else 'no'} |" for code, meaning, resume in CLOSE_CODES)
    table = "\n".join(["| close code | meaning | connect again and resume |", "|---|---|---|", *rows])
    return {
        "address": address,
        "description": f"{description}\n\n{table}\n",
        "messages": {tag: {"$ref": f"#/components/messages/{tag}"} for tag in messages},
        "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
        "x-close-codes": [
            {"code": code, "meaning": meaning, "resume": resume} for code, meaning, resume in CLOSE_CODES
        ],
    }


def _operations(channel: str, suffix: str, received: Iterable[str]) -> Schema:
    """What the service receives, with its answers, and what it sends of itself."""
    operations: Schema = {}
    for tag in received:
        operations[f"{tag}{suffix}"] = {
            "action": "receive",
            **_channel_messages(channel, (tag,)),
            "reply": _channel_messages(channel, REPLIES[tag]),
        }
    for tag in UNSOLICITED:
        operations[f"{tag}{suffix}"] = {"action": "send", **_channel_messages(channel, (tag,))}
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
    """Examples of a message; what a client may leave out is left out."""
    match tag:
        case "diff":
            return [_load_examples("examples.json")["diffs"]["value"]["diffs"][0]]
        case "snapshot":
            examples = _load_examples("examples.json")
            digest = examples["legal_moves"]["value"]["digest"]
            return [{"type": tag, "digest": digest, "game": examples["game"]["value"]}]
        case "error":
            error = Error(id="c1", game=EXAMPLE_GAME_ID, problem=PROBLEM_EXAMPLES["version_mismatch"])
            return [msgspec.to_builtins(error)]
        case _:
            return list(_load_examples("message_examples.json")[tag])


def _load_examples(name: str) -> Schema:
    return msgspec.json.decode(resources.files("service.web.openapi").joinpath(name).read_bytes(), type=dict[str, Any])


def _socket_query() -> Schema:
    """The query of a game's socket, as its `subscribe`."""
    _, named = make_components([Subscribe])
    properties = named["Subscribe"]["properties"]
    return {
        "type": "object",
        "description": "The state that the client has.",
        "properties": {name: properties[name]["anyOf"][0] for name in ("since", "digest")},
    }


def _without_discriminator(schema: Schema) -> Schema:
    """The same without `discriminator`, which is another thing than OpenAPI's: every alternative's tag is constant."""
    return without_member(schema, "discriminator")
