"""The AsyncAPI document is valid and complete."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema_rs import Draft7Validator, meta

from schemas.base import encode_json
from schemas.messages import ClientMessage, ServerMessage
from tests.web.watcher_client import message_validator
from tools.openapi.asyncapi import CLOSE_CODES, make_asyncapi

DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DOCUMENT = make_asyncapi()
MESSAGES: dict[str, Any] = DOCUMENT["components"]["messages"]
CLIENTS = tuple(struct.__struct_config__.tag for struct in get_args(ClientMessage))
SERVICES = tuple(struct.__struct_config__.tag for struct in get_args(ServerMessage))


def resolve(reference: dict[str, str]) -> Any:
    """Return the target of a reference in the document."""
    target: Any = DOCUMENT
    for name in reference["$ref"].removeprefix("#/").split("/"):
        target = target[name]
    return resolve(target) if "$ref" in target else target


def references(part: Any) -> list[dict[str, str]]:
    """Return every reference in a part of the document."""
    match part:
        case {"$ref": str()}:
            return [part]
        case dict():
            return [one for value in part.values() for one in references(value)]
        case list():
            return [one for value in part for one in references(value)]
        case _:
            return []


def test_the_document_is_valid_asyncapi_3() -> None:
    standard = json.loads(Path(__file__).with_name("data").joinpath("asyncapi-3.0.0.json").read_bytes())
    Draft7Validator(standard).validate(DOCUMENT)


def test_every_reference_is_resolvable() -> None:
    for reference in references(DOCUMENT):
        assert resolve(reference)


def test_every_message_is_documented_and_received_or_sent() -> None:
    assert set(MESSAGES) == {*CLIENTS, *SERVICES}
    documented: dict[tuple[str, str], set[str]] = {}
    for operation in DOCUMENT["operations"].values():
        assert operation["summary"]
        assert operation["description"]
        channel = operation["channel"]["$ref"]
        documented.setdefault((channel, operation["action"]), set()).update(tags(operation["messages"]))
        if "reply" in operation:
            documented.setdefault((channel, "send"), set()).update(tags(operation["reply"]["messages"]))
    for name in ("shared", "game"):
        assert documented[f"#/channels/{name}", "receive"] == set(CLIENTS)
        assert documented[f"#/channels/{name}", "send"] == set(SERVICES)


def tags(messages: list[dict[str, str]]) -> list[str]:
    return [resolve(message)["name"] for message in messages]


@pytest.mark.parametrize("tag", (*CLIENTS, *SERVICES))
def test_examples_are_valid(tag: str) -> None:
    examples = [example["payload"] for example in MESSAGES[tag]["examples"]]
    assert examples
    for example in examples:
        assert example["type"] == tag
        message_validator(tag).validate(example)
        if tag in CLIENTS:
            msgspec.json.decode(encode_json(example), type=ClientMessage)


@pytest.mark.parametrize("tag", CLIENTS)
def test_schemas_of_requests_reject_unknown_fields(tag: str) -> None:
    example = {**MESSAGES[tag]["examples"][0]["payload"], "more": 1}
    assert not message_validator(tag).is_valid(example)


@pytest.mark.parametrize("tag", SERVICES)
def test_schemas_of_replies_are_open_and_complete(tag: str) -> None:
    example = MESSAGES[tag]["examples"][0]["payload"]
    assert message_validator(tag).is_valid({**example, "more": 1})
    for name in example:
        assert not message_validator(tag).is_valid({key: value for key, value in example.items() if key != name})


def test_schemas_are_json_schemas() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        meta.validate({"$schema": DRAFT_2020_12, **schema})


def test_close_codes_say_whether_to_resume() -> None:
    resumed = {closed.code for closed in CLOSE_CODES if closed.resume}
    assert resumed == {1001, 1006, 4408, 4429}
    for channel in DOCUMENT["channels"].values():
        assert [one["code"] for one in channel["x-close-codes"]] == [closed.code for closed in CLOSE_CODES]
        assert all(f"| {closed.code} | {closed.meaning} |" in channel["description"] for closed in CLOSE_CODES)
