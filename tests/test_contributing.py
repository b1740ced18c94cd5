"""CONTRIBUTING.md names files, modules, constants and make targets that exist."""

import re

from tests.tools import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_files_exist() -> None:
    paths = re.findall(r"(?<![\w/])((?:schemas|service|tests|docs|clients|k8s|\.ci)/[\w./-]+)", TEXT)
    paths = [path.rstrip(".") for path in paths if "NAME" not in path and "_..." not in path]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_modules_that_are_run_exist() -> None:
    modules = re.findall(r"python -m ((?:service|tests|benchmarks)[\w.]*)", TEXT)
    paths = [ROOT.joinpath(*module.split(".")) for module in modules]
    assert [path for path in paths if not (path.with_suffix(".py").exists() or (path / "__main__.py").exists())] == []


def test_constants_are_defined_where_it_says() -> None:
    named = re.findall(r"`([A-Z_]{4,})` (?:of|in) `((?:service|tests)/[\w/]+\.py)`", TEXT)
    assert {name for name, _ in named} >= {"RULES", "SCHEMA_VERSION", "CHANGES_BY_EVENT", "SENTENCES"}
    for name, path in named:
        assert re.search(rf"^{name}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), name


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", TEXT)) <= targets
