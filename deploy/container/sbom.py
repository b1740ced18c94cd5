"""Write the list of what the image contains, as CycloneDX.

    python deploy/container/sbom.py [ROOT] > south-seas.cdx.json

Python packages come from the lock files, the page's from clients/package-lock.json. ROOT has the image's files, and so
the Debian packages that the base image chose; the build writes the whole list to /usr/share/sbom in the image.
"""

import base64
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

PROJECT = Path(__file__).parents[2]
PATH_IN_IMAGE = Path("usr/share/sbom/south-seas.cdx.json")

Component = dict[str, Any]

_LOCKED = re.compile(r"^([\w.-]+)==([^ ;\\]+)((?:.*\\\n)*.*)", re.MULTILINE)
"""A package of a lock file: name, version, and the hashes of its files."""


def main() -> None:
    """Print the list."""
    sys.stdout.write(make_sbom(Path(sys.argv[1]) if len(sys.argv) > 1 else None))


def make_sbom(root: Path | None) -> str:
    """Return the document, the same bytes for the same packages; without `root` it has no Debian packages."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    subject = _component("application", "pypi", project["name"], project["version"])
    site = [one for one in _python_packages("site") if one["name"] == "zensical"]  # its scripts and styles are in /docs
    components = [*_python_packages("image"), *site, *_page_packages(), *(_debian_packages(root) if root else ())]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": subject},
        "components": components,
        "dependencies": [
            {"ref": subject["bom-ref"], "dependsOn": [one["bom-ref"] for one in components]},
            *({"ref": one["bom-ref"]} for one in components),
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _component(kind: str, ecosystem: str, name: str, version: str, qualifiers: str = "", **fields: Any) -> Component:
    purl = f"pkg:{ecosystem}/{name}@{quote(version, safe='')}{qualifiers}"
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, **fields}


def _python_packages(lock: str) -> Iterator[Component]:
    """Yield the packages of a lock file with the hashes of their wheels."""
    name = f"requirements/{lock}.lock"
    for package, version, rest in _LOCKED.findall((PROJECT / name).read_text(encoding="utf-8")):
        hashes = [{"alg": "SHA-256", "content": one} for one in re.findall(r"sha256:(\w+)", rest)]
        files = {"type": "distribution", "url": name, "comment": "any of the locked files", "hashes": hashes}
        yield _component("library", "pypi", package, version, externalReferences=[files])


def _page_packages() -> Iterator[Component]:
    """Yield the packages of npm that are built into the page."""
    packages = json.loads((PROJECT / "clients" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    names = [*packages["page"]["dependencies"]]
    for name in names:
        package = packages[f"node_modules/{name}"]
        package = packages[package["resolved"]] if package.get("link") else package
        names += (one for one in package.get("dependencies", ()) if one not in names)
        if "integrity" in package:  # else it is the project's own
            algorithm, _, digest = package["integrity"].partition("-")
            content = base64.b64decode(digest).hex()
            yield _component(
                *("library", "npm", quote(name, safe="/"), package["version"]),
                hashes=[{"alg": algorithm.upper().replace("SHA", "SHA-"), "content": content}],
                licenses=[{"license": {"id": package["license"]}}],
            )


def _debian_packages(root: Path) -> Iterator[Component]:
    """Yield Python, which base images build themselves, and the packages whose files `collect.py` copied."""
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', (root / "etc/os-release").read_text(), re.MULTILINE))
    yield _component("platform", "generic", "python", sys.version.partition(" ")[0])
    for entry in sorted((root / "var/lib/dpkg/status.d").iterdir()):
        fields = dict(re.findall(r"^([\w-]+): (.*)$", entry.read_text(encoding="utf-8"), re.MULTILINE))
        qualifiers = f"?arch={fields['Architecture']}&distro={release['ID']}-{release['VERSION_ID']}"
        yield _component("library", f"deb/{release['ID']}", fields["Package"], fields["Version"], qualifiers)


if __name__ == "__main__":
    main()
