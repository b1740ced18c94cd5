"""The AsyncAPI document as a page: channels, messages with examples, and their schemas."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tools.site.schema_tables import fields_table, schema_anchor

__all__ = ["render_messages"]

Document = Mapping[str, Any]

INTRODUCTION = """\
[WebSocket](websocket.md) explains the messages with a worked conversation. The machine-readable document is AsyncAPI
3.0: [/asyncapi.json](../asyncapi.json)."""


def render_messages(document: Document) -> str:
    """Return the Markdown of the page of an AsyncAPI document."""
    replies: dict[str, list[str]] = {
        _schema_name(message): [_schema_name(reply) for reply in operation["reply"]["messages"]]
        for operation in document["operations"].values()
        if operation["action"] == "receive"
        for message in operation["messages"]
    }
    messages: Document = document["components"]["messages"]
    from_clients = [name for name in messages if name in replies]
    from_the_service = [name for name in messages if name not in replies]
    parts = ["# WebSocket messages", document["info"]["description"], INTRODUCTION, *_channels(document)]
    parts += ["## Client messages", "The reply carries the `id` of the message."]
    for name in from_clients:
        parts += _message(document, name, replies[name])
    parts += ["## Service messages", "Replies, and messages that the service sends by itself."]
    for name in from_the_service:
        parts += _message(document, name, [])
    parts.append("## Schemas")
    for name, schema in document["components"]["schemas"].items():
        parts += [f"### {name} {{#{schema_anchor(name)}}}", schema.get("description", ""), fields_table(schema)]
    return "\n\n".join(parts)


def _channels(document: Document) -> Iterator[str]:
    """Yield the addresses to connect to, and the close codes, which all channels share."""
    yield "## Connecting"
    for server in document["servers"].values():
        yield server["description"]
    closing = ""
    for channel in document["channels"].values():
        description, _, closing = channel["description"].partition("\n\n")
        yield f"### `GET {channel['address']}`"
        yield description
        query = channel["bindings"]["ws"].get("query")
        if query is not None:
            yield f"Query parameters: {query['description']}"
            yield fields_table(query)
    yield "## Close codes"
    yield closing


def _message(document: Document, name: str, replies: list[str]) -> Iterator[str]:
    message = document["components"]["messages"][name]
    yield f"### {name} {{#message-{name}}}"
    yield message["summary"]
    if replies:
        yield f"Replies: {', '.join(f'[`{reply}`](#message-{reply})' for reply in replies)}."
    payload = message["payload"]
    yield fields_table(document["components"]["schemas"][_schema_name(payload)] if "$ref" in payload else payload)
    for example in message["examples"]:
        text = json.dumps(example["payload"], indent=2, ensure_ascii=False)
        yield "\n".join(['??? example "Example"', "", "    ```json", *(f"    {line}" for line in text.split("\n"))])
        yield "    ```"


def _schema_name(reference: Mapping[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]
