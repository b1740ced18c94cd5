"""The AsyncAPI document as a page: channels, messages with examples, and their schemas."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

import msgspec

from service.web.docs.markdown import Heading, RenderedPage, render_fragment
from service.web.docs.schema_tables import fields_table, schema_anchor

__all__ = ["render_reference"]

Document = Mapping[str, Any]

INTRODUCTION = """\
[WebSocket](websocket.md) explains the messages with a worked conversation. The machine-readable document is AsyncAPI
3.0: [/asyncapi.json](/asyncapi.json).
"""

PARTIES = (
    ("from-clients", "Client messages", "The reply carries the `id` of the message."),
    ("from-the-service", "Service messages", "Replies, and messages that the service sends by itself."),
)


def render_reference(document: Document) -> RenderedPage:
    """Return the page of an AsyncAPI document."""
    page = _Page(document)
    return RenderedPage("WebSocket messages", "".join(page.render()), tuple(page.headings))


class _Page:
    """The page while it is rendered; `headings` collects its table of contents."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.headings: list[Heading] = []
        self.messages: Document = document["components"]["messages"]
        self.replies: dict[str, list[str]] = {
            _schema_name(one): [_schema_name(reply) for reply in operation["reply"]["messages"]]
            for operation in document["operations"].values()
            if operation["action"] == "receive"
            for one in operation["messages"]
        }
        """The possible replies to each client message."""

    def render(self) -> Iterator[str]:
        """Yield the parts of the page."""
        yield "<h1>WebSocket messages</h1>\n"
        yield render_fragment(self.document["info"]["description"])
        yield render_fragment(INTRODUCTION)
        yield from self._channels()
        for anchor, title, text in PARTIES:
            yield self._heading(2, anchor, title)
            yield render_fragment(text)
            for name in self.messages:
                if (name in self.replies) == (anchor == "from-clients"):
                    yield from self._message(name)
        yield self._heading(2, "schemas", "Schemas")
        for name, schema in self.document["components"]["schemas"].items():
            yield f'<h3 id="{schema_anchor(name)}">{escape(name)}</h3>\n'
            yield render_fragment(schema.get("description", ""))
            yield fields_table(schema)

    def _heading(self, level: int, anchor: str, text: str) -> str:
        self.headings.append(Heading(level, anchor, text))
        return f'<h{level} id="{anchor}">{escape(text)}</h{level}>\n'

    def _channels(self) -> Iterator[str]:
        """Yield the addresses to connect to, and the close codes, which all channels share."""
        yield self._heading(2, "connecting", "Connecting")
        for server in self.document["servers"].values():
            yield render_fragment(server["description"])
        closing = ""
        for name, channel in self.document["channels"].items():
            description, _, closing = channel["description"].partition("\n\n")
            yield f'<h3 id="channel-{name}"><code>GET {escape(channel["address"])}</code></h3>\n'
            yield render_fragment(description)
            query = channel["bindings"]["ws"].get("query")
            if query is not None:
                yield render_fragment(f"Query parameters: {query['description']}")
                yield fields_table(query)
        yield self._heading(2, "close-codes", "Close codes")
        yield render_fragment(closing)

    def _message(self, name: str) -> Iterator[str]:
        message = self.messages[name]
        yield self._heading(3, f"message-{name}", name)
        yield render_fragment(message["summary"])
        if replies := self.replies.get(name):
            yield f"<p>Replies: {_link_messages(replies)}.</p>\n"
        payload = message["payload"]
        yield fields_table(
            self.document["components"]["schemas"][_schema_name(payload)] if "$ref" in payload else payload
        )
        for example in message["examples"]:
            text = msgspec.json.format(msgspec.json.encode(example["payload"]), indent=2).decode()
            code = render_fragment(f"```json\n{text}\n```")
            yield f"<details><summary>Example</summary>{code}</details>\n"


def _link_messages(messages: Iterable[str]) -> str:
    return ", ".join(f'<a href="#message-{name}"><code>{name}</code></a>' for name in messages)


def _schema_name(reference: Mapping[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]
