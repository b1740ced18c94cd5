"""Generate a client, compile its program, and play a game with it."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.generators.clients import GeneratedClient
from tests.tools import GENERATORS, GO, NODE, NPM_GENERATORS, ROOT, require, run

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
OPENAPI = ROOT / "schemas" / "openapi.json"
NODE_MODULES = ROOT / ".venv-generators" / "npm" / "node_modules"


ENCODED_MEDIA_TYPES = {
    "content_type_overrides": {
        "image/png": "application/octet-stream",
        "image/svg+xml": "application/octet-stream",
        "text/event-stream": "text/plain",
    }
}
"""openapi-python-client omits responses of other media types."""

QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A generator runs for seconds, so optimizing its code takes longer than it saves."""

TYPESCRIPT = {
    "compilerOptions": {
        "target": "ES2022",
        "module": "ESNext",
        "moduleResolution": "bundler",
        "strict": True,
        "skipLibCheck": True,
        "lib": ["ES2022", "DOM", "DOM.Iterable"],
        "types": ["node"],
        "outDir": "built",
        "rootDir": ".",
    },
    "files": ["program.ts"],
}

GO_MODULE = """\
module example.org/play

go 1.23

require example.org/southseas v0.0.0

replace example.org/southseas => ./client
"""
GO_PLACEHOLDER = "github.com/GIT_USER_ID/GIT_REPO_ID"
"""The module's path in generated code, unless its user names another one."""


def generate(client: GeneratedClient, folder: Path) -> str:
    """Generate a client into the folder, as its program imports it, and return what the generator says."""
    match client.generator:
        case "openapi-generator-cli":
            output = folder / ("generated" if client.language == "python" else "client")
            options = ("--additional-properties", client.options) if client.options else ()
            command: Sequence[str | Path] = (
                *(_environment_program("openapi-generator-cli"), "generate", "-i", OPENAPI),
                *("-g", client.target, "-o", output, *options, *client.flags),
            )
        case "openapi-python-client":
            (folder / "config.json").write_text(json.dumps(ENCODED_MEDIA_TYPES))
            command = (
                *(_environment_program("openapi-python-client"), "generate", "--path", OPENAPI, "--meta", "none"),
                *("--output-path", folder / "south_seas_client", "--config", folder / "config.json"),
            )
        case "datamodel-code-generator":
            command = (
                *(_environment_program("datamodel-codegen"), "--input", OPENAPI, "--input-file-type", "openapi"),
                *("--output", folder / "south_seas_models.py", "--output-model-type", "pydantic_v2.BaseModel"),
                *("--target-python-version", "3.11", "--formatters", "builtin"),
            )
        case "openapi-typescript":
            command = (*_node_program("openapi-typescript"), OPENAPI, "-o", folder / "client.d.ts")
        case "@hey-api/openapi-ts":
            command = (*_node_program("openapi-ts"), "-i", OPENAPI, "-o", folder / "client")
        case _:
            raise ValueError(client.generator)
    path = os.pathsep.join([str(require(GENERATORS).parent), os.environ.get("PATH", os.defpath)])
    return run(*command, cwd=folder, environment={"PATH": path, "JAVA_TOOL_OPTIONS": QUICK_JAVA})


def play(client: GeneratedClient, folder: Path, url: str) -> dict[str, Any]:
    """Compile the client and its program in the folder, play a game, and return the program's report."""
    for tool in client.tools:
        require(tool)
    match client.language:
        case "go":
            output = run(compile_go(client, folder), url, cwd=folder)
        case "typescript":
            output = run(require(NODE), compile_typescript(folder, PROGRAMS / client.program), url, cwd=folder)
        case "python":
            packages = os.pathsep.join(map(str, (folder, folder / "generated")))
            run(_environment_program("python"), "-m", "compileall", "-q", folder, cwd=folder)
            program = PROGRAMS / client.program
            output = run(_environment_program("python"), program, url, cwd=folder, environment={"PYTHONPATH": packages})
        case _:
            raise ValueError(client.name)
    report: dict[str, Any] = json.loads(output)
    return report


def compile_go(client: GeneratedClient, folder: Path) -> Path:
    """Compile a program of Go, and return its path."""
    (folder / "go.mod").write_text(GO_MODULE)
    module = folder / "client" / "go.mod"
    module.write_text(module.read_text().replace(GO_PLACEHOLDER, "example.org/southseas"))
    shutil.copy(PROGRAMS / client.program, folder)
    built = folder / "play"
    cache = require(GENERATORS).parents[1] / ".go-cache"
    environment = {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOCACHE": str(cache), "GOPROXY": "off"}
    quick = ("-gcflags=all=-N -l",)  # no optimization: the whole standard library is compiled
    run(require(GO), "build", *quick, "-o", built, ".", cwd=folder, environment=environment | {"CGO_ENABLED": "0"})
    return built


def compile_typescript(folder: Path, program: Path) -> Path:
    """Check the types of a program and of what it imports, bundle it, and return the bundle."""
    shutil.copy(program, folder / "program.ts")
    (folder / "tsconfig.json").write_text(json.dumps(TYPESCRIPT))
    if not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(NODE_MODULES)
    run(*_node_program("tsc"), "-p", folder, "--noEmit", cwd=folder)
    bundle = folder / "program.mjs"
    esbuild = ROOT / "clients" / "node_modules" / ".bin" / "esbuild"
    run(
        *(esbuild, "program.ts", "--bundle", "--platform=node", "--format=esm", f"--outfile={bundle}"),
        *("--log-level=error",),
        cwd=folder,
    )
    return bundle


def _environment_program(name: str) -> Path:
    """Return a program of the generators' environment."""
    return require(GENERATORS).parent / name


def _node_program(name: str) -> tuple[Path, Path]:
    """Return the command of a package for Node.js."""
    return require(NODE), require(NPM_GENERATORS).parent / name
