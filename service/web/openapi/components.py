"""JSON Schemas of the API's Structs, for the OpenAPI and AsyncAPI documents.

msgspec generates them; this module adds the guarantees of the API: a response has every field, may get new fields, and
its enumerations may grow; numbers are int32; schemas are named after their Structs.
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

__all__ = ["SCHEMA_REF", "Schema", "make_components", "transform_schema", "unwrap_paragraphs", "without_member"]

Schema = dict[str, Any]

SCHEMA_REF = "#/components/schemas/"

_GENERIC_NAME = re.compile(r"^(\w+?)_\w+_$")
"""The schema of `Acted[Diff]` is named `Acted_Diff_` by msgspec."""


def make_components(types: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schema of each type, and the schemas of all Structs in them by name, in alphabetical order."""
    schemas, definitions = msgspec.json.schema_components(types, ref_template=SCHEMA_REF + "{name}")
    structs = {struct.__name__: struct for struct in _subclasses(msgspec.Struct) if _is_documented(struct)}
    named: dict[str, Schema] = {}
    for name in sorted(definitions, key=_struct_name):
        struct = structs[_struct_name(name)]
        tidy = (_request_schema if issubclass(struct, RequestModel) else _response_schema)(definitions[name])
        named[_struct_name(name)] = _with_field_docs(tidy, struct)
    return [transform_schema(schema, _normalize) for schema in schemas], named


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
    return tidy


def _response_schema(schema: Schema) -> Schema:
    """Return the schema of a response: every field is present, fields may be added, and enumerations may grow."""
    tidy: Schema = transform_schema(transform_schema(schema, _normalize), _open_enumeration)
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
            return {**schema, "$ref": SCHEMA_REF + _struct_name(ref.removeprefix(SCHEMA_REF))}
        case {"type": "integer"}:
            return {**schema, "format": "int32"}
        case {"enum": [str(tag)]}:
            return {**without_member(schema, "enum"), "type": "string", "const": tag}
        case {"enum": [int(), *_]}:
            return {**schema, "type": "integer", "format": "int32"}
        case {"enum": list()}:
            return {**schema, "type": "string"}
        case {"title": str(), "description": str(text)}:
            return {**without_member(schema, "title"), "description": unwrap_paragraphs(text)}
        case _:
            return schema


def _open_enumeration(schema: Schema) -> Schema:
    """Return the schema with an open enumeration; the four edges stay closed."""
    match schema:
        case {"enum": list(values)} if not {*values} <= {*EDGES}:
            return {**without_member(schema, "enum"), "examples": values}
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
