"""`python -m benchmarks.peers`: other engines and services beside South Seas; `make bench-peers` installs them."""

import sys

from benchmarks.peers.engines import engines
from benchmarks.peers.installed import NotInstalled
from benchmarks.peers.services import services
from benchmarks.run import main

if __name__ == "__main__":
    try:
        main("peers", "benchmarks.peers", {"engines": engines, "services": services})
    except NotInstalled as error:
        sys.exit(str(error))
