"""Manage backups: directories whose names are their times, so that the newest is the last by name.

python backups.py DIRECTORY next        print the path for a new backup
python backups.py DIRECTORY newest      print the path of the newest finished backup
python backups.py DIRECTORY keep 7      remove all but the newest 7 finished backups

A backup is finished with the file that `south-seas export` writes last: WHOLE, or MISSING with the games that it lacks.
"""

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

WHOLE, MISSING = "WHOLE", "MISSING"


def marked(directory: Path, *marks: str) -> list[Path]:
    """Return all backups with one of these files, the oldest first."""
    return sorted({path.parent for mark in marks for path in directory.glob(f"*/{mark}")})


def prune(directory: Path, number: int) -> None:
    """Remove all but the newest `number` finished backups, the newest of all, and the newest that is whole.

    The newest of all may be in progress, or show why it failed.
    """
    kept = {*marked(directory, WHOLE, MISSING)[-number:], *marked(directory, WHOLE)[-1:]}
    for backup in sorted(directory.glob("????-??-??T??????Z"))[:-1]:
        if backup not in kept:
            print(f"removing {backup}")
            shutil.rmtree(backup)


def main(directory: Path, task: str, *rest: str) -> None:
    """Run a command."""
    if task == "next":
        print(directory / datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ"))
    elif task == "newest":
        backups = marked(directory, WHOLE, MISSING)
        if not backups:
            raise SystemExit(f"there is no finished backup in {directory}")
        print(backups[-1])
    elif task == "keep" and int(rest[0]) > 0:
        prune(directory, int(rest[0]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
