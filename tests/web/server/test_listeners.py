"""The URL that a user opens in a browser on the machine of the service."""

from contextlib import ExitStack

import pytest

from service.web.server.listeners import bind, format_listening_url, format_url_host


@pytest.mark.parametrize(
    ("host", "url_host"),
    (
        *(("0.0.0.0", "127.0.0.1"), ("", "127.0.0.1"), ("::", "[::1]")),  # noqa: S104  not bound
        *(("192.0.2.1", "192.0.2.1"), ("game.example", "game.example"), ("2001:db8::1", "[2001:db8::1]")),
    ),
)
def test_the_host_of_a_url_can_be_reached_from_this_machine(host: str, url_host: str) -> None:
    assert format_url_host(host) == url_host


def test_the_url_has_the_port_that_was_free() -> None:
    with ExitStack() as opened:
        (listener,) = sockets = [opened.enter_context(one) for one in bind("127.0.0.1", 0)]
        assert listener.getsockname()[0] == "127.0.0.1"
        assert format_listening_url(sockets, "127.0.0.1") == f"http://127.0.0.1:{listener.getsockname()[1]}"
