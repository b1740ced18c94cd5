"""Manage backups: directories whose names are their times, so that the newest is the last by name.

python backups.py DIRECTORY next           print the path for a new backup
python backups.py DIRECTORY choose [NAME]  print the path of this backup, or of the newest that shows no loss
python backups.py DIRECTORY keep 7         remove all but those of the newest 7 days, and those beside a loss

`south-seas export` writes the files that end a backup: WHOLE, or MISSING with the games that it lacks; and LOSS where
Redis had lost games. One with LOSS alone shows a loss that nobody has accepted (`--accept-loss`).
"""

import shutil
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

WHOLE, MISSING, LOSS = "WHOLE", "MISSING", "LOSS"


def marked(directory: Path, *marks: str) -> list[Path]:
    """Return all backups with one of these files, the oldest first."""
    return sorted({path.parent for mark in marks for path in directory.glob(f"*/{mark}")})


def choose(directory: Path, name: str = "") -> Path:
    """Return the backup of this name, or the newest without an unaccepted loss, and list all on the error stream."""
    good = marked(directory, WHOLE, MISSING)
    chosen = directory / name if name else good[-1] if good else None
    for backup in marked(directory, WHOLE, MISSING, LOSS):
        marks = " ".join(mark for mark in (WHOLE, MISSING, LOSS) if (backup / mark).exists())
        games = sum(1 for _ in backup.rglob("*.json.gz"))
        print(f"{'->' if backup == chosen else '  '} {backup.name}  {games} games  {marks}", file=sys.stderr)
    if chosen is None or not chosen.is_dir():
        raise SystemExit(f"there is no {name or 'finished backup'} in {directory}")
    return chosen


def prune(directory: Path, days: int) -> None:
    """Remove all but the last backup of each of the newest `days` that have one, the newest whole one, and the newest.

    The newest may be in progress, or show why it failed. Where a backup shows a loss, it and the one before it stay for
    good: remove them by hand.
    """
    good = marked(directory, WHOLE, MISSING)
    last_of_day = {backup.name[:10]: backup for backup in good}
    kept = {*[*last_of_day.values()][-days:], *marked(directory, WHOLE)[-1:]}
    for before, after in pairwise(marked(directory, WHOLE, MISSING, LOSS)):
        if before in good and (after / LOSS).exists():
            kept |= {before, after}
    for backup in sorted(directory.glob("????-??-??T??????Z"))[:-1]:
        if backup not in kept:
            print(f"removing {backup}")
            shutil.rmtree(backup)


def main(directory: Path, task: str, *rest: str) -> None:
    """Run a command."""
    if task == "next":
        print(directory / datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ"))
    elif task == "choose" and len(rest) < 2:
        print(choose(directory, *rest))
    elif task == "keep" and int(rest[0]) > 0:
        prune(directory, int(rest[0]))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
