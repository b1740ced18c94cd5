"""The service takes of aiohttp what is public, and of the version that it was tested with.

How a connection is read relies on what aiohttp does with pipelined requests and bodies, which its documentation does
not promise: the tests of connections and slow clients say what that is.
"""

import ast
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import service


def used_names(code: ast.AST) -> Iterator[str]:
    """Yield the attributes of `self` and `super()` that code uses, and the methods that it defines."""
    for part in ast.walk(code):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            yield part.name
        elif isinstance(part, ast.Attribute) and ast.unparse(part.value) in ("self", "super()"):
            yield part.attr


def private_names_by_module() -> dict[str, set[str]]:
    """Return the private names of aiohttp that classes use or override, by module of the service."""
    names_by_module: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(service.__path__, "service."):
        if module.name.endswith("__main__"):
            continue
        for cls in vars(import_module(module.name)).values():
            if inspect.isclass(cls) and cls.__module__ == module.name:
                peers = {
                    name
                    for base in cls.__mro__
                    if base.__module__.startswith("aiohttp.")
                    for name in (
                        *vars(base),
                        *getattr(base, "__slots__", ()),
                        *used_names(ast.parse(inspect.getsource(base))),
                    )
                    if name.startswith("_") and not name.startswith("__")
                }
                if peers and (private := peers & {*used_names(ast.parse(inspect.getsource(cls)))}):
                    names_by_module.setdefault(module.name, set()).update(private)
    return names_by_module


def test_no_module_uses_a_private_attribute() -> None:
    assert private_names_by_module() == {}


def test_a_new_minor_version_of_aiohttp_does_not_come_by_itself() -> None:
    project = (Path(service.__file__).parents[1] / "pyproject.toml").read_text()
    (bounds,) = [line for line in project.splitlines() if line.strip().startswith('"aiohttp>=')]
    assert bounds.strip() == '"aiohttp>=3.14.5,<3.15",', "run all tests with the new version, and raise the bound"
