"""Pin base images by digest, or check that they are pinned.

    python deploy/container/pin.py check [FILE...]        fail if an image has no digest; `-` reads manifests from stdin
    python deploy/container/pin.py set IMAGE sha256:...   write the digest after every mention of IMAGE
    python deploy/container/pin.py update                 ask the registries for all digests, and write them

A tag can be moved to another image, a digest cannot. Run `update` to pin the images, and again to renew them.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

FILES = ("Dockerfile", "compose.yaml", "k8s/components/redis/redis.yaml")
"""The files that name base images."""

STDIN = "-"

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NAMED = re.compile(
    r"^(?P<before>[ \t]*(?:- )?image:[ \t]*|ARG \w+_IMAGE=)(?P<quote>[\"']?)"
    r"(?P<image>[\w.:/-]+?)(?:@(?P<digest>sha256:[0-9a-f]{64}))?(?P=quote)[ \t]*$",
    re.MULTILINE,
)
_OWN = re.compile(r"south-seas(?::[\w.-]+)?")
"""The service's own image, which is built here and which each deployment renames."""


def images(file: str, text: str) -> Iterator[tuple[str, str | None]]:
    """Yield name and digest of all images in a file; of the service's own image only in manifests (stdin)."""
    for match in _NAMED.finditer(text):
        if file == STDIN or _OWN.fullmatch(match["image"]) is None:
            yield match["image"], match["digest"]


def check(files: Sequence[str]) -> int:
    """Print the images that are not pinned, and return the exit code."""
    texts = {file: sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8") for file in files}
    all_images = [(file, *image) for file, text in texts.items() for image in images(file, text)]
    unpinned = [f"{file}: {name} is not pinned by digest" for file, name, digest in all_images if digest is None]
    print(*unpinned, sep="\n", end="\n" if unpinned else "", file=sys.stderr)
    print(f"{len(all_images) - len(unpinned)} of {len(all_images)} images are pinned by digest")
    return 1 if unpinned or not all_images else 0


def write(name: str, digest: str) -> int:
    """Write a digest after every mention of an image, replacing another one, and return the exit code."""
    if _DIGEST.fullmatch(digest) is None:
        print(f"{digest} is not a digest: write sha256: and 64 hexadecimal digits", file=sys.stderr)
        return 2

    def pin(match: re.Match[str]) -> str:
        return (
            f"{match['before']}{match['quote']}{name}@{digest}{match['quote']}" if match["image"] == name else match[0]
        )

    texts = {ROOT / file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}
    naming = [file for file, text in texts.items() if any(match["image"] == name for match in _NAMED.finditer(text))]
    for file in naming:
        file.write_text(_NAMED.sub(pin, texts[file]), encoding="utf-8")
    print(f"{name}@{digest} in {len(naming)} files" if naming else f"no file names {name}", file=sys.stderr)
    return 0 if naming else 2


def update() -> int:
    """Write the digests, for all platforms, that the registries return, and return the exit code."""
    inspect = ("docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}")
    names = {name for file in FILES for name, _ in images(file, (ROOT / file).read_text(encoding="utf-8"))}
    digests = {
        name: subprocess.run((*inspect, name), check=True, capture_output=True, text=True).stdout  # noqa: S603
        for name in names
    }
    return max(write(name, digests[name].strip()) for name in sorted(names))


def main(arguments: Sequence[str]) -> int:
    """Run a command, and return the exit code."""
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
