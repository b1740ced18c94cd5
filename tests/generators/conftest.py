"""The tests that generate, compile and play take minutes, so only `make test-all` (`--slow`) runs them."""

collect_ignore = ["programs"]
"""They import what is generated, and run as programs of their own."""
