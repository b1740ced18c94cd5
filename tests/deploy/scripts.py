"""The scripts of deploy/container, which are part of no package."""

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.tools import ROOT


def load_script(name: str) -> ModuleType:
    """Import a script."""
    spec = spec_from_file_location(name, ROOT / "deploy" / "container" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
