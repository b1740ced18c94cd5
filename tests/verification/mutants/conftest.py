"""What needs mutmut, which only `make mutants` and `make test-all` install, is not collected without it."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("mutmut") else ["mutations.py"]
