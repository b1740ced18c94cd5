"""JSON Schemas as Markdown tables: a row for each field, with its type in words."""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Schema", "fields_table", "schema_anchor", "type_name"]

Schema = Mapping[str, Any]

INT32 = (-(2**31), 2**31 - 1)


def schema_anchor(name: str) -> str:
    """Return the anchor of a schema on its page."""
    return f"schema-{name}"


def fields_table(schema: Schema) -> str:
    """Return the fields of an object as a table; for any other schema, its type."""
    properties = schema.get("properties")
    if properties is None:
        return type_name(schema)
    if not properties:
        return "No fields."
    required = schema.get("required", ())
    rows = [_row(name, member, is_required=name in required) for name, member in properties.items()]
    return "\n".join(["| Field | Type | Description |", "|---|---|---|", *rows])


def _row(name: str, member: Schema, *, is_required: bool) -> str:
    optional = "" if is_required else " optional"
    cells = f"`{name}`{optional}", type_name(member), " ".join(member.get("description", "").split())
    return "".join(["| ", " | ".join([cell.replace("|", r"\|") for cell in cells]), " |"])


def type_name(schema: Schema) -> str:
    """Return the type of a value as Markdown.

    >>> type_name({"type": ["integer", "null"], "minimum": 0, "maximum": 4})
    'integer, 0 to 4, or null'
    >>> type_name({"type": "integer", "minimum": -2147483648, "maximum": 2147483647})
    'integer'
    >>> type_name({"type": "array", "items": {"$ref": "#/components/schemas/Cell"}})
    'list of [Cell](#schema-Cell)'
    """
    match schema:
        case {"$ref": str(reference)}:
            name = reference.rpartition("/")[2]
            return f"[{name}](#{schema_anchor(name)})"
        case {"anyOf": [*alternatives]} | {"oneOf": [*alternatives]}:
            return _any_of([type_name(one) for one in alternatives])
        case {"type": [kind, "null"]}:
            return _any_of([type_name({**schema, "type": kind}), "null"])
        case {"const": value}:
            return _code(value)
        case {"enum": [*values]}:
            return _any_of([_code(value) for value in values])
        case {"type": "array", "items": items} if items:
            return ", ".join([f"list of {type_name(items)}", *_sizes(schema, "Items", "items")])
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"object of {type_name(values)}"
        case {"type": str(name)}:
            return ", ".join([name, *_bounds(schema)])
        case _:
            return "any value"


def _any_of(alternatives: list[str]) -> str:
    *before, last = alternatives
    joined = ", ".join(before)
    return f"{joined}{',' if ',' in joined else ''} or {last}" if before else last


def _code(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return f"`{text}`"


def _bounds(schema: Schema) -> Iterator[str]:
    """Yield the constraints of a plain type."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high not in (None, INT32[1]):
        yield f"{low} to {high}"
    elif low not in (None, INT32[0]):
        yield f"{low} or more"
    yield from _sizes(schema, "Length", "characters")
    if "pattern" in schema:
        yield f"`{schema['pattern']}`"
    if examples := schema.get("examples"):
        yield "as " + ", ".join(_code(one) for one in examples)


def _sizes(schema: Schema, of: str, unit: str) -> Iterator[str]:
    low, high = schema.get(f"min{of}", 0), schema.get(f"max{of}")
    if high is not None:
        yield f"{low} to {high} {unit}" if low else f"at most {high} {unit}"
