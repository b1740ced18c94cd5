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
        if "oneOf" in schema or schema.get("type") != "object":
            self.aliases[name] = self.annotation(schema)
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
        kind = self.annotation(schema)
        default = schema.get("default")
        if not is_required and default is None and "None" not in kind.split(" | "):
            kind = f"{kind} | None"
        source = f"{name}: {kind}\n" if is_required else f"{name}: {kind} = {default!r}\n"
        return source + (_docstring(schema["description"]) if "description" in schema else "")

    def annotation(self, schema: Schema) -> str:
        """Return the type of a schema."""
        match schema:
            case {"anyOf": kinds} | {"oneOf": kinds}:
                return " | ".join(map(self.annotation, kinds))
            case {"type": [kind, "null"]}:
                return f"{self.annotation({**schema, 'type': kind})} | None"
            case {"enum": values}:
                return f"Literal[{', '.join(map(repr, values))}]"
            case {"type": "array", "items": items}:
                return f"list[{self.annotation(items)}]"
            case {"type": "object", "additionalProperties": values}:
                return f"dict[str, {self.annotation(values)}]"
            case {"type": scalar}:
                return SCALARS[scalar]
            case {"$ref": reference}:
                return str(reference).rpartition("/")[2]
            case {} if schema.keys() <= {"description"}:
                return "Any"
            case _:
                raise SystemExit(f"this script does not support the schema {schema}")


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
