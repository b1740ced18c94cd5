"""Write src/south_seas/models.py from schemas/openapi.json and asyncapi.json; with --check, compare it."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
SCHEMAS = PACKAGE.parents[1] / "schemas"
MODELS = PACKAGE / "src" / "south_seas" / "models.py"

HEAD = '''"""The API's models. Generated from schemas/openapi.json and asyncapi.json by scripts/generate.py.

An enumeration in a response is a `str`, because newer services may send further values.
"""

from __future__ import annotations

from typing import Any, Literal, dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The base of all models."""
'''

ALIASES = {
    "action": "Action",
    "color": "Color",
    "edges": "Edge",
    "edition": "Edition",
    "events": "Event",
    "on_timeout": "TimeoutPolicy",
    "patch": "PatchOperation",
    "segments": "Segment",
    "visibility": "Visibility",
}
"""The names of unions and enumerations that the document has inside a property, by the property's name."""

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
LINE_LENGTH = 116

Schema = dict[str, Any]


class Models:
    """The source of the models, and the aliases that they use."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self.aliases: dict[str, str] = {}
        classes = [self.define(name, schema) for name, schema in sorted(schemas.items())]
        aliases = [f"{name} = {kind}\n" for name, kind in sorted(self.aliases.items())]
        self.source = "\n\n".join([HEAD, *classes]) + "\n" + "\n".join(aliases)

    def define(self, name: str, schema: Schema) -> str:
        """Return the source of a component: a class, or nothing for an alias."""
        if "properties" not in schema and schema.get("type") != "object":
            self.aliases[name] = self.annotation(schema, "")
            return ""
        properties: dict[str, Schema] = schema.get("properties", {})
        options = "Model"
        fields = []
        for field, kind in properties.items():
            if "const" in kind:
                tag_field = "" if field == "type" else f', tag_field="{field}"'
                options += f', tag="{kind["const"]}"{tag_field}'
            else:
                fields.append(self.define_field(field, kind, is_required=field in schema.get("required", ())))
        body = _docstring(schema["description"]) + "".join(["\n", *fields] if fields else [])
        return f"class {name}({options}):\n{textwrap.indent(body, '    ')}"

    def define_field(self, name: str, schema: Schema, *, is_required: bool) -> str:
        """Return the source of a field."""
        kind = self.annotation(schema, name)
        default = schema.get("default")
        if not is_required and default is None and "None" not in kind.split(" | "):
            kind = f"{kind} | None"
        source = f"{name}: {kind}\n" if is_required else f"{name}: {kind} = {default!r}\n"
        return source + (_docstring(schema["description"]) if "description" in schema else "")

    def annotation(self, schema: Schema, field: str) -> str:
        """Return the type of a schema; `field` names its union or enumeration."""
        match schema:
            case {"anyOf": [one, {"type": "null"}]} | {"oneOf": [one, {"type": "null"}]}:
                return f"{self.annotation(one, field)} | None"
            case {"anyOf": kinds} | {"oneOf": kinds}:
                return self.alias(field, " | ".join(self.annotation(kind, field) for kind in kinds))
            case {"enum": values}:
                return self.alias(field, f"Literal[{', '.join(map(repr, values))}]")
            case {"type": "array", "items": items}:
                return f"list[{self.annotation(items, field)}]"
            case {"type": "object", "additionalProperties": values}:
                return f"dict[str, {self.annotation(values, field)}]"
            case {"type": scalar}:
                return SCALARS[scalar]
            case {"$ref": reference}:
                return str(reference).rpartition("/")[2]
            case {} if schema.keys() <= {"description"}:
                return "Any"
            case _:
                raise SystemExit(f"{field} has a schema that this script does not support: {schema}")

    def alias(self, field: str, kind: str) -> str:
        """Return the name of a union or enumeration, or the type itself if it has none."""
        if field not in ALIASES:
            return kind
        name = ALIASES[field]
        if self.aliases.setdefault(name, kind) != kind:
            raise SystemExit(f"{field} has two types: {kind} and {self.aliases[name]}")
        return name


def _docstring(text: str) -> str:
    lines = textwrap.wrap(text, LINE_LENGTH - len('""""""'))
    return '"""' + ("\n".join(lines) if len(lines) == 1 else "\n".join([*lines, ""])) + '"""\n'


def generate() -> str:
    """Return the module's source."""
    openapi, asyncapi = (json.loads((SCHEMAS / name).read_bytes()) for name in ("openapi.json", "asyncapi.json"))
    messages = asyncapi["components"]["schemas"]
    source = Models({"Snapshot": messages["Snapshot"], **openapi["components"]["schemas"]}).source
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(MODELS), "-"]
    return subprocess.run(ruff, input=source, capture_output=True, text=True, check=True).stdout  # noqa: S603


def main() -> int:
    """Write the module, or compare it; return the exit code."""
    source = generate()
    if "--check" not in sys.argv:
        MODELS.write_text(source, encoding="utf-8", newline="\n")
    elif MODELS.read_text(encoding="utf-8") != source:
        print(f"{MODELS} is out of date: run `make clients`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
