"""The unit tests of the page's modules, which stand beside them in clients/page/src."""

from tests.tools import NODE, ROOT, require, run


def test_the_modules_of_the_page_pass_their_tests() -> None:
    run(require(NODE), "clients/page/scripts/test.mjs", cwd=ROOT)
