"""The methods of both client libraries, each with its arguments and what its documentation says, from their sources."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

__all__ = ["python_methods", "typescript_methods"]

CLIENTS = Path(__file__).parents[2] / "clients"
PYTHON = CLIENTS / "python" / "src" / "south_seas"
TYPESCRIPT = CLIENTS / "typescript" / "src"

Method = ast.FunctionDef | ast.AsyncFunctionDef
Options = dict[str, dict[str, str]]
"""The keyword arguments of each TypedDict that a method unpacks, with their documentation."""

PYTHON_CLASSES = {
    "Client": (("queries", "QueryClient"), ("client", "Client")),
    "Subscription": (("subscription", "Subscription"),),
    "ServerClock": (("clock", "ServerClock"),),
    "ApiKeyClient": (("api_key_client", "ApiKeyClient"),),
}
"""Each class, and the modules and classes that define it."""

TYPESCRIPT_CLASSES = (
    ("southseas", "SouthSeas"),
    ("subscription", "Subscription"),
    ("clock", "ServerClock"),
    ("api_key", "ApiKeyClient"),
)
TYPESCRIPT_OPTIONS = (
    ("southseas", "SouthSeasOptions"),
    ("backoff", "Backoff"),
    ("backoff", "Retry"),
    ("http", "RequestOptions"),
    ("southseas", "LegalMovesOptions"),
    ("southseas", "ActOptions"),
    ("subscription", "SubscribeOptions"),
    ("play", "PlayOptions"),
    ("api_key", "ApiKeyOptions"),
)
"""Modules with their classes and interfaces."""

_MEMBER = re.compile(r"^(?:  /\*\*((?:(?!\*/).)*)\*/\n)?  ([^\s/#})*][^\n]*)$", re.MULTILINE | re.DOTALL)
_MODIFIERS = re.compile(r"^(?:readonly |async \*)+")
_GETTER = re.compile(r"^get (\w+)\(\)")
_CLOSURE = re.compile(r"^(\w+) = (\(.*\): \w+) =>$")


class UndocumentedError(Exception):
    """A public method or option has no documentation."""


def python_methods() -> Iterator[str]:
    """Yield a list of the methods of each class of the Python client, and of the options that they take."""
    options = _python_options()
    yield "### Options"
    for name, fields in (
        ("of a request", options["ActOptions"]),
        ("Backoff", _python_fields(_class("backoff", "Backoff"))),
    ):
        yield f"- `{name}`: {' '.join(f'`{field}`: {text}' for field, text in fields.items())}"
    for name, parts in PYTHON_CLASSES.items():
        yield f"### {name}"
        for module, part in parts:
            for method in _class(module, part).body:
                if isinstance(method, Method) and _is_public(method):
                    yield _python_method(name, method, options)


def _class(module: str, name: str) -> ast.ClassDef:
    tree = ast.parse((PYTHON / f"{module}.py").read_text(encoding="utf-8"))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def _is_public(method: Method) -> bool:
    """Return whether users call it: a constructor without a docstring is called by another method."""
    return not method.name.startswith("_") or (method.name == "__init__" and ast.get_docstring(method) is not None)


def _python_options() -> Options:
    """Read the options of requests."""
    tree = ast.parse((PYTHON / "client.py").read_text(encoding="utf-8"))
    options: Options = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Options"):
            options[node.name] = {**options.get(ast.unparse(node.bases[0]), {}), **_python_fields(node)}
    return options


def _python_fields(owner: ast.ClassDef) -> dict[str, str]:
    return {
        ast.unparse(field): " ".join(ast.literal_eval(text.value).split())
        for field, text in pairwise(owner.body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


def _python_method(
    owner: str, method: ast.FunctionDef | ast.AsyncFunctionDef, options: dict[str, dict[str, str]]
) -> str:
    text = ast.get_docstring(method)
    if text is None:
        raise UndocumentedError(f"{owner}.{method.name}")
    arguments = method.args
    arguments.args = arguments.args[1:]  # without self
    names = re.sub(r"(?<=\w|\])=", " = ", ast.unparse(arguments))
    if arguments.kwarg is not None and (found := re.search(r"\*\*\w+: Unpack\[(\w+)\]", names)):
        names = names.replace(found[0], ", ".join(["*", *(f"{option} = ..." for option in options[found[1]])]))
    returned = f" -> {ast.unparse(method.returns)}" if method.returns is not None else ""
    if method.name == "__init__":
        signature = f"{owner}({names})"
    elif method.decorator_list:
        signature = f"{method.name}: {returned.removeprefix(' -> ')}"
    else:
        is_awaited = isinstance(method, ast.AsyncFunctionDef) and "AsyncGenerator" not in returned
        signature = f"{'await ' * is_awaited}{method.name}({names}){returned}"
    return f"- `{signature}`: {' '.join(text.split())}"


def typescript_methods() -> Iterator[str]:
    """Yield a list of the methods of each class of the TypeScript client, and of the options that they take."""
    yield "### Options"
    for module, name in TYPESCRIPT_OPTIONS:
        declaration, members = _typescript_members(module, name)
        yield f"- `{declaration}`: {' '.join(f'`{member}`: {text}' for member, text in members)}"
    for module, name in TYPESCRIPT_CLASSES:
        declaration, members = _typescript_members(module, name)
        yield f"### {declaration}"
        yield from (f"- `{member}`: {text}" for member, text in members)


def _typescript_members(module: str, name: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the declaration of a class or interface, and its public members with their documentation."""
    source = (TYPESCRIPT / f"{module}.ts").read_text(encoding="utf-8")
    declared = re.search(rf"^export (?:class|interface) ({name}\b.*?) {{\n(.*?)^}}", source, re.MULTILINE | re.DOTALL)
    if declared is None:
        raise UndocumentedError(name)
    members = []
    for text, member in _MEMBER.findall(declared[2]):
        if not member.startswith(("private ", "constructor(", "readonly #", "async #")):
            if not text:
                raise UndocumentedError(f"{name}: {member}")
            members.append((_typescript_member(member), " ".join(text.replace(" * ", " ").split())))
    return declared[1], members


def _typescript_member(line: str) -> str:
    signature = _MODIFIERS.sub("", line).removesuffix(" {").removesuffix(";")
    return _GETTER.sub(r"\1", _CLOSURE.sub(r"\1\2", signature))
