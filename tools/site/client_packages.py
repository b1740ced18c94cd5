"""What every instance serves at /clients/: the packages of the client libraries, a wheel and one for npm, and examples.

They are the same bytes every time. What TypeScript is compiled to is in Git, as the page is: no build needs Node.js.
"""

import json
import os
import shutil
import subprocess
import sys
from gzip import GzipFile
from io import BytesIO
from pathlib import Path
from tarfile import TarInfo
from tarfile import open as open_tar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from service.release import VERSION

__all__ = ["build_packages"]

SOURCES = Path(__file__).parents[2] / "clients"
EPOCH = "315532800"
"""The date of all files in Unix seconds: a ZIP file has none before 1980."""

INDEX = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>South Seas: client libraries</title>
<h1>Client libraries of South Seas {version}</h1>
<p>Python: <a href="{wheel}">{wheel}</a></p>
<pre><code>pip install http://127.0.0.1:8080/clients/{wheel}</code></pre>
<p>TypeScript and JavaScript: <a href="{tarball}">{tarball}</a></p>
<pre><code>npm install http://127.0.0.1:8080/clients/{tarball}</code></pre>
<p><a href="../docs/clients/">How to use them</a></p>
<p>Examples: <a href="{examples}">{examples}</a>, <a href="../docs/examples/">what they are</a></p>
"""


def build_packages(work: Path, target: Path) -> None:
    """Write both packages, the examples, and a page that names them; a copy of a source may be made in `work`."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    wheel, tarball = build_wheel(work / "python", target), pack_for_npm(target)
    if not (f"-{VERSION}-" in wheel and f"-{VERSION}." in tarball):
        raise SystemExit(f"{wheel} and {tarball} are not of the service's version {VERSION}")
    examples = zip_examples(target)
    index = INDEX.format(version=VERSION, wheel=wheel, tarball=tarball, examples=examples)
    (target / "index.html").write_text(index, encoding="utf-8")


def build_wheel(source: Path, target: Path) -> str:
    """Write the wheel of the Python client, from a copy at `source`; return its name."""
    shutil.copytree(SOURCES / "python", source, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    command: list[str | Path] = [
        *pip,
        "wheel",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--wheel-dir",
        target,
        source,
    ]
    subprocess.run(command, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH}, check=True)
    (wheel,) = target.glob("*.whl")
    return wheel.name


def pack_for_npm(target: Path) -> str:
    """Write the package of the TypeScript client as `npm pack` would; return its name."""
    package = SOURCES / "typescript"
    manifest = json.loads((package / "package.json").read_bytes())
    files = {name: package / name for name in ("package.json", "README.md", "LICENSE")}
    files |= {f"{room}/{path.name}": path for room in manifest["files"] for path in (package / room).iterdir()}
    files["dist/schema.d.ts"] = package / "src" / "schema.ts"  # has types alone
    name = f"{manifest['name']}-{manifest['version']}.tgz"
    with GzipFile(target / name, "wb", mtime=0) as packed, open_tar(fileobj=packed, mode="w") as archive:
        for path, file in sorted(files.items()):
            body = file.read_bytes()
            entry = TarInfo(f"package/{path}")
            entry.size = len(body)
            archive.addfile(entry, BytesIO(body))
    return name


def zip_examples(target: Path) -> str:
    """Write an archive of the examples; return its name."""
    root = SOURCES.parent
    name = f"south-seas-examples-{VERSION}.zip"
    with ZipFile(target / name, "w", ZIP_DEFLATED) as archive:
        for file in sorted((root / "examples").rglob("*.*")):
            if file.suffix in (".md", ".py", ".sh", ".toml", ".ts"):
                archive.writestr(ZipInfo(str(file.relative_to(root))), file.read_bytes(), ZIP_DEFLATED)
    return name
