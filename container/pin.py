"""Pin the images that this project builds on by digest, and say which are not.

    python container/pin.py check [FILE...]        fails where an image is named without a digest; `-` reads manifests
    python container/pin.py set IMAGE sha256:...   writes the digest behind every mention of IMAGE
    python container/pin.py update                 asks the registries for all digests, with docker, and writes them

A tag can be moved to other bytes, a digest cannot. The files name tags until somebody who reaches a registry writes the
digests of that day, and again whenever the images are to be renewed.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

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


class Image(NamedTuple):
    """One that a file names."""

    file: str
    name: str
    digest: str | None


def images(file: str, text: str) -> Iterator[Image]:
    """All that a file names; but for the one that is built here, unless this is what a cluster gets."""
    for found in _NAMED.finditer(text):
        if file == STDIN or _OWN.fullmatch(found["image"]) is None:
            yield Image(file, found["image"], found["digest"])


def pinned(text: str, name: str, digest: str) -> str:
    """The same text with a digest behind every mention of an image, whatever digest it had."""

    def pin(found: re.Match[str]) -> str:
        if found["image"] != name:
            return found[0]
        return f"{found['before']}{found['quote']}{name}@{digest}{found['quote']}"

    return _NAMED.sub(pin, text)


def check(files: Sequence[str]) -> int:
    """Name what is not pinned; gives the exit code."""
    texts = [(file, sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8")) for file in files]
    found = [image for file, text in texts for image in images(file, text)]
    loose = [image for image in found if image.digest is None]
    for image in loose:
        print(f"{image.file}: {image.name} is not pinned by digest", file=sys.stderr)
    print(f"{len(found) - len(loose)} of {len(found)} images are pinned by digest")
    return 1 if loose or not found else 0


def write(name: str, digest: str) -> int:
    """Write a digest into all files; gives the exit code."""
    if _DIGEST.fullmatch(digest) is None:
        print(f"{digest} is no digest: sha256: and 64 hex digits", file=sys.stderr)
        return 2
    changed = 0
    for file in _files():
        text = file.read_text(encoding="utf-8")
        changed += any(image.name == name for image in images(str(file), text))
        file.write_text(pinned(text, name, digest), encoding="utf-8")
    if not changed:
        print(f"no file names {name}", file=sys.stderr)
        return 2
    print(f"{name}@{digest} in {changed} files")
    return 0


def update() -> int:
    """Ask for the digests of all images, and write them; gives the exit code."""
    named = {image.name for file in _files() for image in images(str(file), file.read_text(encoding="utf-8"))}
    return max((write(name, _asked(name)) for name in sorted(named)), default=1)


def _asked(name: str) -> str:
    """The digest that a registry tells, of the list for all platforms."""
    command = ("docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}", name)
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603  as it says


def _files() -> Iterable[Path]:
    return [ROOT / file for file in FILES]


def main(arguments: Sequence[str]) -> int:
    """Do what is asked; gives the exit code."""
    match arguments:
        case ["check", *files]:
            return check(files or [str(file) for file in _files()])
        case ["set", name, digest]:
            return write(name, digest)
        case ["update"]:
            return update()
        case _:
            print(__doc__, file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
