"""Manage backups: directories whose names are their times, so that the newest is the last by name.

python backups.py DIRECTORY next        print the path for a new backup
python backups.py DIRECTORY newest      print the path of the newest complete backup
python backups.py DIRECTORY whole PATH  mark a backup as complete
python backups.py DIRECTORY keep 7      remove all but the newest 7 complete backups
"""

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

MARK = "WHOLE"


def complete_backups(directory: Path) -> list[Path]:
    """Return all complete backups, the oldest first."""
    return sorted(mark.parent for mark in directory.glob(f"*/{MARK}"))


def prune(directory: Path, number: int) -> None:
    """Remove all but the newest `number` complete backups, and the newest of all.

    That one may be in progress, or show why it failed.
    """
    backups = sorted(directory.glob("????-??-??T??????Z"))
    for backup in backups[:-1]:
        if backup not in complete_backups(directory)[-number:]:
            print(f"removing {backup}")
            shutil.rmtree(backup)


def main(directory: Path, task: str, *rest: str) -> None:
    """Run a command."""
    if task == "next":
        print(directory / datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ"))
    elif task == "newest":
        backups = complete_backups(directory)
        if not backups:
            raise SystemExit(f"there is no complete backup in {directory}")
        print(backups[-1])
    elif task == "whole":
        Path(rest[0], MARK).touch()
    elif task == "keep" and int(rest[0]) > 0:
        prune(directory, int(rest[0]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
