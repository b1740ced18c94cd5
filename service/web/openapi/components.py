"""JSON Schemas of the API's Structs, for the OpenAPI and AsyncAPI documents.

msgspec generates them; this module adds the guarantees of the API: a response has every field, may get new fields, and
its enumerations may grow; numbers are int32. It also makes them fit for generators of clients: schemas are named after
their Structs, unions and enumerations have names of their own, and patterns are RE2.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from schemas.base import RequestModel
from schemas.vocabulary import EDGES
from service.web.openapi.named_types import ENUMERATIONS, UNIONS

__all__ = [
    "SCHEMA_REF",
    "Schema",
    "make_components",
    "transform_schema",
    "unwrap_paragraphs",
    "without_member",
    "without_null",
]

Schema = dict[str, Any]

SCHEMA_REF = "#/components/schemas/"

_GENERIC_NAME = re.compile(r"^(\w+?)_\w+_$")
"""The schema of `ActionResult[Diff]` is named `ActionResult_Diff_` by msgspec."""

_STRICT_END = r"(?!\n)$"
"""The end of a Python pattern that excludes a trailing line feed. Elsewhere `$` does that, and RE2 has no lookahead."""

_ENUMERATION_NAMES = {frozenset(enumeration.members): name for name, enumeration in ENUMERATIONS.items()}
_UNION_NAMES = {frozenset(struct.__name__ for struct in union.members): name for name, union in UNIONS.items()}


def make_components(types: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schema of each type, and all named schemas in them by name, in alphabetical order."""
    generated, definitions = msgspec.json.schema_components(types, ref_template=SCHEMA_REF + "{name}")
    structs = {struct.__name__: struct for struct in _subclasses(msgspec.Struct) if _is_documented(struct)}
    named: dict[str, Schema] = {}
    for generated_name, schema in definitions.items():
        name = _struct_name(generated_name)
        struct = structs[name]
        tidy = (_request_schema if issubclass(struct, RequestModel) else _response_schema)(schema)
        named[name] = _with_field_docs(tidy, struct)
    schemas = [transform_schema(schema, _normalize) for schema in generated]
    used = _references([*schemas, *named.values()])
    named |= {name: _union_schema(name) for name in used & UNIONS.keys()}
    named |= {name: _enumeration_schema(name) for name in used & ENUMERATIONS.keys()}
    return schemas, dict(sorted(named.items()))


def _references(schema: Any) -> set[str]:
    """Return the names of all schemas that a schema refers to."""
    match schema:
        case {"$ref": str(ref)}:
            return {ref.removeprefix(SCHEMA_REF)}
        case dict():
            return {name for value in schema.values() for name in _references(value)}
        case list():
            return {name for item in schema for name in _references(item)}
        case _:
            return set()


def _union_schema(name: str) -> Schema:
    """Return the schema of a union.

    It declares its tag too, else models in Rust cannot be decoded; and that it has more fields, since validators that
    follow the discriminator, such as redocly's, forget those of the member.
    """
    tag_field = str(UNIONS[name].members[0].__struct_config__.tag_field)
    structs = {str(struct.__struct_config__.tag): _reference(struct.__name__) for struct in UNIONS[name].members}
    return {
        "description": UNIONS[name].description,
        "type": "object",
        "properties": {tag_field: {"type": "string"}},
        "required": [tag_field],
        "unevaluatedProperties": True,
        "oneOf": [*structs.values()],
        "discriminator": {
            "propertyName": tag_field,
            "mapping": {tag: reference["$ref"] for tag, reference in structs.items()},
        },
    }


def _enumeration_schema(name: str) -> Schema:
    members, description = ENUMERATIONS[name]
    return {"description": description, "type": "string", "enum": [*members]}


def _reference(name: str) -> Schema:
    return {"$ref": SCHEMA_REF + name}


def _is_documented(struct: type[msgspec.Struct]) -> bool:
    """Return whether a Struct belongs to the API, or to a query: other Structs may have the same names."""
    return struct.__module__.startswith("schemas.") or issubclass(struct, RequestModel)


def _subclasses(struct: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for subclass in struct.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _with_field_docs(schema: Schema, struct: type[msgspec.Struct]) -> Schema:
    """Return the schema with the docstring of each field instead of the description of the field's type."""
    for base in struct.__mro__:
        for field, text in _field_docs(base).items():
            schema["properties"][field]["description"] = text
    return schema


@cache
def _field_docs(struct: type) -> dict[str, str]:
    """Return the docstrings of a class's fields, which Python does not store."""
    if not issubclass(struct, msgspec.Struct) or struct is msgspec.Struct:
        return {}
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(struct))).body
    assert isinstance(definition, ast.ClassDef)  # noqa: S101 (the source of a class is one)
    docs: dict[str, str] = {}
    for statement, following in pairwise(definition.body):
        match statement, following:
            case ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text))):
                docs[field] = unwrap_paragraphs(text)
            case _:
                continue
    return docs


def _request_schema(schema: Schema) -> Schema:
    """Return the schema of a request: it accepts no unknown fields, and null means absent."""
    tidy: Schema = transform_schema(schema, _normalize)
    if not tidy.get("required"):
        tidy.pop("required", None)
    for member in tidy.get("properties", {}).values():
        if member.get("default", ...) is None:
            del member["default"]
    return tidy


def _response_schema(schema: Schema) -> Schema:
    """Return the schema of a response: every field is present, fields may be added, and enumerations may grow."""
    tidy: Schema = transform_schema(transform_schema(schema, _open_enumeration), _normalize)
    tidy.pop("additionalProperties", None)
    if tidy.get("properties"):
        tidy["required"] = list(tidy["properties"])
        for member in tidy["properties"].values():
            member.pop("default", None)
    return tidy


def transform_schema(schema: Any, change: Callable[[Schema], Schema]) -> Any:
    """Apply `change` to every object of a schema, inner objects first."""
    match schema:
        case dict():
            return change({name: transform_schema(value, change) for name, value in schema.items()})
        case list():
            return [transform_schema(item, change) for item in schema]
        case _:
            return schema


def _normalize(schema: Schema) -> Schema:
    """Return the schema with normalized names, text and types."""
    match schema:
        case {"$ref": str(ref)}:
            return {**schema, **_reference(_struct_name(ref.removeprefix(SCHEMA_REF)))}
        case {"anyOf": [*structs], "discriminator": dict()}:
            return _reference(_UNION_NAMES[frozenset(_references(structs))])
        case {"anyOf": [{"type": str(kind)} as value, {"type": "null"}]}:
            return {**value, **without_member(schema, "anyOf"), "type": [kind, "null"]}
        case {"type": "integer"}:
            return {**schema, "format": "int32"}
        case {"format": "date-time", "pattern": str()}:
            return without_member(schema, "pattern")
        case {"pattern": str(pattern)}:
            return {**schema, "pattern": pattern.replace(_STRICT_END, "$")}
        case {"enum": [*values]} if (name := _ENUMERATION_NAMES.get(frozenset(values))) is not None:
            return {**without_member(schema, "enum"), **_reference(name)}
        case {"enum": [str(tag)]}:
            return {**without_member(schema, "enum"), "type": "string", "const": tag}
        case {"title": str(), "description": str(text)}:
            return {**without_member(schema, "title"), "description": unwrap_paragraphs(text)}
        case _:
            return schema


def _open_enumeration(schema: Schema) -> Schema:
    """Return the schema with an open enumeration; tags and the four edges stay closed."""
    match schema:
        case {"enum": [_, _, *_] as values} if not {*values} <= {*EDGES}:
            return {"type": "string", **without_member(schema, "enum"), "examples": values}
        case _:
            return schema


def without_null(schema: Schema) -> Schema:
    """Return the schema of a value that is not null."""
    match schema:
        case {"type": [str(kind), "null"]}:
            return {**schema, "type": kind}
        case {"anyOf": [dict(value), {"type": "null"}]}:
            return {**value, **without_member(schema, "anyOf")}
        case _:
            return schema


def without_member(schema: Schema, name: str) -> Schema:
    """Return the schema without one member."""
    return {key: value for key, value in schema.items() if key != name}


def unwrap_paragraphs(text: str) -> str:
    """Join the lines of each paragraph of a docstring."""
    return "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n"))


def _struct_name(name: str) -> str:
    match = _GENERIC_NAME.match(name)
    return match[1] if match else name
