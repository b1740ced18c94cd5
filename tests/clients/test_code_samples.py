"""Every operation has code samples, which the clients' types accept."""

import json
import sys
from importlib import resources
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from service.web.app import ROUTES
from tests.clients.conftest import CLIENTS
from tests.programs import run_program
from tests.tools import ROOT
from tools.openapi.code_samples import CALLS

OPERATIONS: dict[str, Any] = {
    operation["operationId"]: operation
    for item in json.loads(resources.files("schemas").joinpath("openapi.json").read_bytes())["paths"].values()
    for operation in item.values()
}


def samples(label: str) -> list[str]:
    """Return all samples with a label."""
    every = [sample for operation in OPERATIONS.values() for sample in operation["x-codeSamples"]]
    return [sample["source"] for sample in every if sample["label"] == label]


def test_every_operation_has_samples() -> None:
    assert set(CALLS) == {route.operation_id for route in ROUTES if route.path.startswith("/v1/")}
    for name, operation in OPERATIONS.items():
        labels = [sample["label"] for sample in operation["x-codeSamples"]]
        assert labels == (["curl", "Python", "TypeScript"] if name in CALLS else ["curl"]), name


async def test_python_samples_have_the_clients_types(tmp_path: Path) -> None:
    program = tmp_path / "samples.py"
    functions = [
        f"async def sample_{number}(token: str, api_key: str) -> None:\n{indent(source, '    ')}\n"
        for number, source in enumerate(samples("Python"))
    ]
    program.write_text("\n".join(functions))
    checked = await run_program(sys.executable, "-m", "mypy", "--config-file=", program, cwd=ROOT, timeout_s=110)
    assert checked.returncode == 0, checked.stdout


async def test_typescript_samples_have_the_clients_types(node: str, tmp_path: Path) -> None:
    imports = (
        'import { ApiKeyClient, SouthSeas } from "south-seas-client";\ndeclare const token: string, apiKey: string;\n'
    )
    bodies = [source.partition("\n\n")[2] for source in samples("TypeScript")]
    file = tmp_path / "samples.ts"
    file.write_text(imports + "\n".join(f"{{\n{body}\n}}" for body in bodies) + "\nexport {};\n")
    config = {
        "compilerOptions": {
            "module": "esnext",
            "target": "es2022",
            "moduleResolution": "bundler",
            "strict": True,
            "noEmit": True,
            "lib": ["es2023", "dom", "dom.iterable"],
            "types": [],
            "skipLibCheck": True,
            "allowImportingTsExtensions": True,
            "paths": {"south-seas-client": [str(CLIENTS / "typescript" / "src" / "index.ts")]},
        },
        "files": [str(file)],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    compiler = CLIENTS / "node_modules/typescript/bin/tsc"
    checked = await run_program(node, compiler, "-p", tmp_path, cwd=CLIENTS / "typescript", timeout_s=110)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("source", samples("curl"))
def test_a_curl_sample_is_complete(source: str) -> None:
    assert "{" not in source.partition("-d ")[0]
    assert source.startswith("curl ")
