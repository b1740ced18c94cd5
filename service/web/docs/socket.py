"""The AsyncAPI document as a page: channels, messages with their examples, and every schema that they are made of."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

import msgspec

from service.web.docs.markdown import Heading, Rendered, fragment
from service.web.docs.schemas import fields, schema_anchor

__all__ = ["rendered"]

Document = Mapping[str, Any]

PARTIES = (
    ("from-clients", "What a client sends", "The answer carries the `id` of the message."),
    ("from-the-service", "What the service sends", "Of itself, and in answer."),
)


def rendered(document: Document) -> Rendered:
    """The page of a document."""
    page = _Page(document)
    return Rendered("WebSocket", "".join(page.parts()), tuple(page.headings))


class _Page:
    """The page while it is written; `headings` collects what stands in its table of contents."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.headings: list[Heading] = []
        self.messages: Document = document["components"]["messages"]
        self.answers: dict[str, list[str]] = {
            _last(one): [_last(answer) for answer in operation["reply"]["messages"]]
            for operation in document["operations"].values()
            if operation["action"] == "receive"
            for one in operation["messages"]
        }
        """To each message that a client may send, those that may answer it."""

    def parts(self) -> Iterator[str]:
        """Everything from the title on."""
        yield "<h1>WebSocket</h1>\n"
        yield fragment(self.document["info"]["description"])
        yield fragment("As a document for programs, AsyncAPI 3.0: [/asyncapi.json](/asyncapi.json).")
        yield from self._channels()
        for anchor, title, text in PARTIES:
            yield self._heading(2, anchor, title)
            yield fragment(text)
            for name in self.messages:
                if (name in self.answers) == (anchor == "from-clients"):
                    yield from self._message(name)
        yield self._heading(2, "schemas", "Schemas")
        for name, schema in self.document["components"]["schemas"].items():
            yield f'<h3 id="{schema_anchor(name)}">{escape(name)}</h3>\n'
            yield fragment(schema.get("description", ""))
            yield fields(schema)

    def _heading(self, level: int, anchor: str, text: str) -> str:
        self.headings.append(Heading(level, anchor, text))
        return f'<h{level} id="{anchor}">{escape(text)}</h{level}>\n'

    def _channels(self) -> Iterator[str]:
        """Where to connect to, and the close codes, which are the same everywhere."""
        yield self._heading(2, "connecting", "Connecting")
        for server in self.document["servers"].values():
            yield fragment(server["description"])
        closing = ""
        for name, channel in self.document["channels"].items():
            description, _, closing = channel["description"].partition("\n\n")
            yield f'<h3 id="channel-{name}"><code>GET {escape(channel["address"])}</code></h3>\n'
            yield fragment(description)
            query = channel["bindings"]["ws"].get("query")
            if query is not None:
                yield fragment(f"In the query: {query['description']}")
                yield fields(query)
        yield self._heading(2, "close-codes", "Close codes")
        yield fragment(closing)

    def _message(self, name: str) -> Iterator[str]:
        message = self.messages[name]
        yield self._heading(3, f"message-{name}", name)
        yield fragment(message["summary"])
        if answers := self.answers.get(name):
            yield f"<p>Answered by {_list_of(answers)}.</p>\n"
        payload = message["payload"]
        yield fields(self.document["components"]["schemas"][_last(payload)] if "$ref" in payload else payload)
        for example in message["examples"]:
            text = msgspec.json.format(msgspec.json.encode(example["payload"]), indent=2).decode()
            code = fragment(f"```json\n{text}\n```")
            yield f"<details><summary>Example</summary>{code}</details>\n"


def _list_of(messages: Iterable[str]) -> str:
    return ", ".join(f'<a href="#message-{name}"><code>{name}</code></a>' for name in messages)


def _last(reference: Mapping[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]
