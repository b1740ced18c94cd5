"""What an instance listens on, and the URL that a user opens in a browser on its machine."""

import errno
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from service.web.server import StartFailed, bind, format_listening_url

ALL_IPV4 = "0.0.0.0"  # noqa: S104

BOTH = ["127.0.0.1", "::1"]


def listening(host: str) -> tuple[list[str], str]:
    """Listen on a host; return the loopback addresses that reach it, and its URL without the port."""
    with ExitStack() as opened:
        sockets = [opened.enter_context(one) for one in bind(host, 0)]
        ports = {one.getsockname()[1] for one in sockets}
        assert len(ports) == 1
        url, _, port = format_listening_url(sockets, host).rpartition(":")
        assert port == str(*ports)
        return [address for address in BOTH if reaches(address, *ports)], url


def reaches(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def no_family(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that takes a family of addresses from the machine, with an error that machines have for it."""
    create = socket.create_server

    def take(families: Sequence[socket.AddressFamily], error: int) -> None:
        def create_server(address: Any, *, family: socket.AddressFamily, backlog: int) -> socket.socket:
            if family in families:
                raise OSError(error, "no such family")
            return create(address, family=family, backlog=backlog)

        monkeypatch.setattr(socket, "create_server", create_server)

    return take


@pytest.mark.parametrize(
    ("host", "addresses", "url"),
    (
        ("localhost", BOTH, "http://127.0.0.1"),
        ("::", BOTH, "http://127.0.0.1"),
        (ALL_IPV4, ["127.0.0.1"], "http://127.0.0.1"),
        ("127.0.0.1", ["127.0.0.1"], "http://127.0.0.1"),
        ("::1", ["::1"], "http://[::1]"),
    ),
)
def test_a_host_stands_for_addresses_and_its_url_can_be_opened(host: str, addresses: list[str], url: str) -> None:
    assert listening(host) == (addresses, url)


@pytest.mark.parametrize("error", (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL))
@pytest.mark.parametrize("host", ("localhost", "::"))
def test_a_machine_may_have_one_family_of_addresses(no_family: Any, host: str, error: int) -> None:
    no_family([socket.AF_INET6], error)
    assert listening(host) == (["127.0.0.1"], "http://127.0.0.1")
    no_family([socket.AF_INET], error)
    assert listening(host) == (["::1"], "http://[::1]")
    no_family([socket.AF_INET, socket.AF_INET6], error)
    with pytest.raises(StartFailed, match=f"cannot listen on {host}:0: no such family"):
        bind(host, 0)


def test_the_name_of_a_host_is_that_of_its_url() -> None:
    with ExitStack() as opened:
        sockets = [opened.enter_context(one) for one in bind("127.0.0.1", 0)]
        port = sockets[0].getsockname()[1]
        assert format_listening_url(sockets, "game.example") == f"http://game.example:{port}"
        with pytest.raises(StartFailed, match=f"cannot listen on localhost:{port}: "):
            bind("localhost", port)


def test_an_empty_host_is_refused() -> None:
    with pytest.raises(StartFailed, match="the host to listen on is empty"):
        bind("", 0)
