"""Small mistakes in a module's source, one at a time: mutmut's operators, and three of our own.

Left out are texts, log lines, annotations, imports, the keywords of a class, the size of a cache and `strict` of zip,
which tests of behaviour are not about, and what mypy notices: None for a value, or a missing positional argument.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import ndiff
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators


class Mutation(NamedTuple):
    """One mistake in one line, without the source that it makes."""

    path: str
    """Relative to the project's root."""
    line: int
    lines: tuple[int, int] | None
    """First and last line of its statement, or of the header of a compound statement; None outside of functions."""
    operator: str
    ordinal: int
    """Counts what the operators make of the module."""
    key: str
    """The same after changes elsewhere in the module."""


class Mutant(NamedTuple):
    """A module with one mistake."""

    mutation: Mutation
    source: str
    before: str
    """The lines that the mistake changes, stripped."""
    after: str


def _remove_statement(node: Any) -> Iterator[Any]:
    """Forget a call whose result nobody takes, or a `del`."""
    if isinstance(node, cst.Del) or isinstance(node.value, cst.Call | cst.Await):
        yield cst.Pass()


def _negate_condition(node: Any) -> Iterator[Any]:
    """Take the wrong branch."""
    test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test))


def _forget_argument(node: Any) -> Iterator[Any]:
    """Leave out one keyword argument of a call."""
    for index, argument in enumerate(node.args):
        if argument.keyword is not None and not _is_left_out(argument):
            yield node.with_changes(args=[*node.args[:index], *node.args[index + 1 :]])


_NOT_USED = ("operator_string", "operator_assignment", "operator_arg_removal")

_OPERATORS: Sequence[tuple[type, Callable[[Any], Iterator[Any]]]] = (
    *((kind, operator) for kind, operator in mutation_operators if operator.__name__ not in _NOT_USED),
    (cst.Call, _forget_argument),
    (cst.Expr | cst.Del, _remove_statement),
    (cst.If | cst.While, _negate_condition),
)


def find_mutations(path: str, source: str) -> list[Mutation]:
    """Return all mutations of a module."""
    source_lines = source.splitlines()
    counts: Counter[str] = Counter()
    result = []
    for index, (line, lines, operator, _, _) in enumerate(_mutated_nodes(_parse(source))):
        key = f"{path}: {source_lines[line - 1].strip()} {operator}"
        counts[key] += 1
        result.append(Mutation(path, line, lines, operator, index, f"{key} {counts[key]}"))
    return result


def sample(mutations: Sequence[Mutation], seed: int) -> list[Mutation]:
    """Choose one mutation for each line, in an order that changes elsewhere leave alone."""
    chosen: dict[tuple[str, int], Mutation] = {}
    for mutation in sorted(mutations, key=lambda one: sha256(f"{seed} {one.key}".encode()).digest()):
        chosen.setdefault((mutation.path, mutation.line), mutation)
    return list(chosen.values())


def apply(mutation: Mutation, source: str) -> Mutant | None:
    """Return the mutated module; None if it does not compile."""
    module = _parse(source)
    nodes = next(found for index, found in enumerate(_mutated_nodes(module)) if index == mutation.ordinal)
    mutated: str = module.module.deep_replace(*nodes[3:]).code
    try:
        compile(mutated, mutation.path, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    changed = [one for one in ndiff(source.splitlines(), mutated.splitlines()) if one[0] in "-+"]
    before, after = ("\n".join(one[2:].strip() for one in changed if one[0] == sign) for sign in "-+")
    return Mutant(mutation, mutated, before, after)


def find_all(root: Path, package: str) -> Iterator[tuple[str, str]]:
    """Iterate over path and source of the modules below a path."""
    target = root / package
    for file in sorted(target.rglob("*.py")) if target.is_dir() else [target]:
        yield file.relative_to(root).as_posix(), file.read_text()


def _parse(source: str) -> Any:
    return MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)


def _mutated_nodes(wrapper: Any) -> Iterator[tuple[int, tuple[int, int] | None, str, Any, Any]]:
    """Iterate over line, lines of the statement, operator, node and mutated node."""
    positions = wrapper.resolve(PositionProvider)

    def walk(node: Any, lines: tuple[int, int] | None) -> Iterator[tuple[int, tuple[int, int] | None, str, Any, Any]]:
        if _is_left_out(node):
            return
        position, statement = positions.get(node), _statement_lines(node, positions)
        lines = lines and (statement or lines)
        if position is not None:
            for kind, operator in _OPERATORS:
                if isinstance(node, kind):
                    name = operator.__name__.removeprefix("operator_").strip("_")
                    yield from ((position.start.line, lines, name, node, mutated) for mutated in operator(node))
        for child in node.children:
            if not (isinstance(node, cst.ClassDef) and child in node.keywords):
                yield from walk(child, statement if isinstance(node, cst.FunctionDef) and child is node.body else lines)

    return walk(wrapper.module, None)


def _statement_lines(node: Any, positions: Any) -> tuple[int, int] | None:
    """Return the first and last line of a statement or decorator, of a compound statement those of its header."""
    match node:
        case cst.SimpleStatementLine() | cst.Decorator():
            return positions[node].start.line, positions[node].end.line
        case cst.Match():
            return positions[node].start.line, positions[node.subject].end.line
        case cst.BaseCompoundStatement(body=body) | cst.MatchCase(body=body):
            first: int = positions[node].start.line
            return first, max(first, positions[body].start.line - 1)
        case _:
            return None


def _is_left_out(node: Any) -> bool:
    match node:
        case cst.Annotation() | cst.Import() | cst.ImportFrom() | cst.TypeAlias():
            return True
        case (
            cst.Arg(keyword=cst.Name(value="strict"))
            | cst.Decorator(decorator=cst.Call(func=cst.Name(value="lru_cache")))
        ):
            return True
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=cst.Name(value="logger")))):
            return True
        case _:
            return False
