"""`python -m tools.budget`: prints what the project weighs beside its limits in `pyproject.toml`; fails above one.

A line of code has a token that is no comment and no docstring.
"""

import ast
import asyncio
import io
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
import tomllib
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.instructions import MISSING, count_service_action, is_installed

ROOT = Path(__file__).parents[1]
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
TRACES = 6
INSTRUCTIONS = "action-instructions"
TOLERANCE = {INSTRUCTIONS: 1.05}
"""How far above its limit a number may be that differs from run to run; other numbers may not."""
# The service, which between two SIGUSR2 records the modules that its main thread runs, and then appends them to a file.
TRACED = """
import json, signal, sys
root, out, *sys.argv = sys.argv[1:]
modules = set()
def profile(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith((root + "/service/", root + "/schemas/")):
        modules.add(frame.f_code.co_filename)
def toggle(*_):
    if sys.getprofile() is None:
        modules.clear()
        sys.setprofile(profile)
    else:
        sys.setprofile(None)
        with open(out, "a") as file:
            print(json.dumps(sorted(modules)), file=file)
signal.signal(signal.SIGUSR2, toggle)
from service.main import main
main()
"""


def count_code_lines(source: str) -> int:
    """Return the number of lines that have a token which is no comment and no docstring."""
    docs: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            docs.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    tokens = (token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in LAYOUT)
    return len({line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - docs)


def count_files(root: Path) -> dict[str, int]:
    """Count what Git knows of: code of the service and its tests, Markdown, and the packages that serving needs."""
    listed = subprocess.check_output(("git", "ls-files", "*.py", "*.md"), cwd=root, text=True).splitlines()  # noqa: S607
    texts = {name: (root / name).read_text(encoding="utf-8") for name in listed if (root / name).is_file()}
    service, tests = (
        [count_code_lines(text) for name, text in texts.items() if name.startswith(room) and name.endswith(".py")]
        for room in ("service/", "tests/")
    )
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "service-lines": sum(service),
        "service-modules": len(service),
        "test-lines": sum(tests),
        "test-files": len(tests),
        "markdown-lines": sum(len(text.splitlines()) for name, text in texts.items() if name.endswith(".md")),
        "runtime-dependencies": len(project["dependencies"]),
    }


def count_action_modules() -> int:
    """Play on a service of its own; return in how many modules all moves but one run, whatever timers do meanwhile."""
    with tempfile.TemporaryDirectory(prefix="south-seas-") as directory:
        traces = Path(directory, "traces")
        command = (sys.executable, "-c", TRACED, str(ROOT), str(traces), "south-seas", "serve", "--port", "0")
        with subprocess.Popen(
            (*command, "--data-dir", directory), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                lines = iter(server.stdout or ())
                url = next(found[0] for line in lines if (found := re.search(r"http://[\w.]+:\d+", line)))
                new = {"players": [{"name": "A"}, {"name": "B"}], "first_seat": 0}
                answer = _post(f"{url}/v1/games?include=legal_moves", new)
                game, token = answer["game"]["id"], answer["owner_token"]
                for _ in range(TRACES):
                    move = {"move": answer["legal_moves"]["moves"][0]["id"]}
                    time.sleep(0.3)  # until what the last request leaves behind has ended
                    server.send_signal(signal.SIGUSR2)
                    time.sleep(0.3)
                    answer = _post(f"{url}/v1/games/{game}/actions?include=legal_moves", move, token)
                    server.send_signal(signal.SIGUSR2)
            finally:
                server.send_signal(signal.SIGTERM)
        played = [json.loads(line) for line in traces.read_text(encoding="utf-8").splitlines()][1:]
    seen = Counter(module for modules in played for module in modules)
    return sum(count >= len(played) - 1 for count in seen.values())


def _post(url: str, body: dict[str, Any], token: str | None = None) -> Any:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=10) as answer:  # noqa: S310
        return json.load(answer)


def table(numbers: dict[str, int], limits: dict[str, int]) -> tuple[str, bool]:
    """Return each number beside its limit, and whether all keep to them."""
    above = {name for name, number in numbers.items() if number > limits[name] * TOLERANCE.get(name, 1)}
    rows = [f"{name:<22}{numbers[name]:>7}{limits[name]:>7}{'  ABOVE' * (name in above)}" for name in numbers]
    return "\n".join((f"{'budget':<22}{'number':>7}{'limit':>7}", *rows)), not above


def main() -> int:
    """Print the table; return 1 if something weighs more than it may."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    numbers = count_files(ROOT) | {"action-modules": count_action_modules()}
    if is_installed():
        numbers[INSTRUCTIONS] = round(asyncio.run(count_service_action()))  # in thousands
    else:
        print(MISSING)
    text, kept = table(numbers, project["tool"]["south-seas"]["budget"])
    print(text)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
