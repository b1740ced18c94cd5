"""The scripts of deploy/container, which are part of no package."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.tools import ROOT

SCRIPTS = ROOT / "deploy" / "container"


def load_script(name: str) -> ModuleType:
    """Import a script, which may import another."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    spec = spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
