"""Pin the images that this project builds on by digest, and say which are not.

    python deploy/container/pin.py check [FILE...]        fails where an image has no digest; `-` reads manifests
    python deploy/container/pin.py set IMAGE sha256:...   writes the digest behind every mention of IMAGE
    python deploy/container/pin.py update                 asks the registries for all digests and writes them

A tag can be moved to other bytes, a digest cannot. The files name tags until somebody who reaches a registry writes the
digests of that day, and again whenever the images are to be renewed.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

FILES = ("Dockerfile", "compose.yaml", "k8s/components/redis/redis.yaml")
"""What names images of others."""

STDIN = "-"

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NAMED = re.compile(
    r"^(?P<before>[ \t]*(?:- )?image:[ \t]*|ARG \w+_IMAGE=)(?P<quote>[\"']?)"
    r"(?P<image>[\w.:/-]+?)(?:@(?P<digest>sha256:[0-9a-f]{64}))?(?P=quote)[ \t]*$",
    re.MULTILINE,
)
_OWN = re.compile(r"south-seas(?::[\w.-]+)?")
"""The service's own image before a registry has it: it is built here, and named anew by each deployment."""


def images(file: str, text: str) -> Iterator[tuple[str, str | None]]:
    """Give name and digest of all that a file names; not of the one that is built here, unless a cluster gets it."""
    for found in _NAMED.finditer(text):
        if file == STDIN or _OWN.fullmatch(found["image"]) is None:
            yield found["image"], found["digest"]


def check(files: Sequence[str]) -> int:
    """Name what is not pinned; gives the exit code."""
    texts = {file: sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8") for file in files}
    found = [(file, *image) for file, text in texts.items() for image in images(file, text)]
    loose = [f"{file}: {name} is not pinned by digest" for file, name, digest in found if digest is None]
    print(*loose, sep="\n", end="\n" if loose else "", file=sys.stderr)
    print(f"{len(found) - len(loose)} of {len(found)} images are pinned by digest")
    return 1 if loose or not found else 0


def write(name: str, digest: str) -> int:
    """Write a digest behind every mention of an image, whatever digest it had; gives the exit code."""
    if _DIGEST.fullmatch(digest) is None:
        print(f"{digest} is no digest: sha256: and 64 hex digits", file=sys.stderr)
        return 2

    def pin(found: re.Match[str]) -> str:
        return (
            f"{found['before']}{found['quote']}{name}@{digest}{found['quote']}" if found["image"] == name else found[0]
        )

    texts = {ROOT / file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}
    naming = [file for file, text in texts.items() if any(found["image"] == name for found in _NAMED.finditer(text))]
    for file in naming:
        file.write_text(_NAMED.sub(pin, texts[file]), encoding="utf-8")
    print(f"{name}@{digest} in {len(naming)} files" if naming else f"no file names {name}", file=sys.stderr)
    return 0 if naming else 2


def update() -> int:
    """Ask registries for the digests of all images, for all platforms, and write them; gives the exit code."""
    inspect = ("docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}")
    names = {name for file in FILES for name, _ in images(file, (ROOT / file).read_text(encoding="utf-8"))}
    told = {name: subprocess.run((*inspect, name), check=True, capture_output=True, text=True).stdout for name in names}  # noqa: S603  as it says
    return max(write(name, told[name].strip()) for name in sorted(names))


def main(arguments: Sequence[str]) -> int:
    """Do what is asked; gives the exit code."""
    match arguments:
        case ["check", *files]:
            return check(files or [str(ROOT / file) for file in FILES])
        case ["set", name, digest]:
            return write(name, digest)
        case ["update"]:
            return update()
        case _:
            print(__doc__, file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
