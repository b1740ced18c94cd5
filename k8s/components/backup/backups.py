"""The backups in a directory, each a directory named for its time, so that the newest is the last by name.

python backups.py DIRECTORY next        the path for a new one
python backups.py DIRECTORY newest      the path of the newest that is whole
python backups.py DIRECTORY whole PATH  mark one as whole
python backups.py DIRECTORY keep 7      remove all but the newest 7 that are whole
"""

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

MARK = "WHOLE"


def whole(directory: Path) -> list[Path]:
    """All that are whole, the oldest first."""
    return sorted(mark.parent for mark in directory.glob(f"*/{MARK}"))


def keep(directory: Path, number: int) -> None:
    """Remove all others but the newest of all, which may be being made, or may tell why it was not."""
    there = sorted(directory.glob("????-??-??T??????Z"))
    for backup in there[:-1]:
        if backup not in whole(directory)[-number:]:
            print(f"removing {backup}")
            shutil.rmtree(backup)


def main(directory: Path, task: str, *rest: str) -> None:
    """Do one of these."""
    if task == "next":
        print(directory / datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ"))
    elif task == "newest":
        there = whole(directory)
        if not there:
            raise SystemExit(f"there is no whole backup in {directory}")
        print(there[-1])
    elif task == "whole":
        Path(rest[0], MARK).touch()
    elif task == "keep" and int(rest[0]) > 0:
        keep(directory, int(rest[0]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
