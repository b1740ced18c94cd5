"""Nothing is sent to where only this service could go."""

import socket
from ipaddress import ip_address

import pytest

from service.games.errors import WebhookUrlRejected
from service.web.outbound import AddressBlocked, check_url, is_public, open_public_socket
from tests.web.app_server import Client
from tests.web.http_game import check_problem, create_game

INSIDE = (
    *("0.0.0.0", "0.1.2.3", "10.0.0.7", "127.0.0.1", "127.8.9.10"),  # noqa: S104 (refused)
    *("100.64.0.1", "100.127.255.254", "100.100.100.200", "168.63.129.16"),
    *("169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.9", "192.0.0.192"),
    *("192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.7", "::ffff:1.1.1.1", "::ffff:168.63.129.16"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:7", "64:ff9b::a83f:8110", "64:ff9b:1::1", "100::1"),
    *("2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1", "2001:db8::1", "2002:7f00:1::1"),
    *("3fff::1", "4000::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254"),
    *("fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"),
)

OUTSIDE = (
    *("1.1.1.1", "8.8.8.8", "93.184.216.34", "168.63.129.15", "168.63.129.17"),
    *("2606:4700:4700::1111", "2a00:1450::1", "64:ff9b::101:101"),
)


@pytest.mark.parametrize("text", INSIDE)
def test_an_inner_address_is_not_public(text: str) -> None:
    assert not is_public(ip_address(text))
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    with pytest.raises(AddressBlocked, match="is not a public address"):
        open_public_socket((family, socket.SOCK_STREAM, 0, "", (text, 443)))


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_public_address_is(text: str) -> None:
    assert is_public(ip_address(text))
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    open_public_socket((family, socket.SOCK_STREAM, 0, "", (text, 443))).close()


@pytest.mark.parametrize(
    "url",
    (
        *(f"https://{f'[{text}]' if ':' in text else text}/hook" for text in INSIDE),
        *("https://0x7f000001/", "https://0x7f.0.0.1/", "https://2130706433/", "https://017700000001/"),
        *("https://0177.0.0.1/", "https://127.1/", "https://127.0.0.1./", "https://1.1.1.1.1/"),
        *("https://\uff11\uff12\uff17.0.0.1/", "https://①②⑦.⓪.⓪.①/"),
        *("https://localhost/", "https://LOCALHOST./", "https://redis/", "https://redis.default.svc.cluster.local/"),
        *("https://metadata.google.internal/", "https://1.0.0.127.in-addr.arpa/"),
        *(f"https://bot.example:{port}/" for port in ("22", "0", "6379x", "70000")),
        *("https://ana:secret@bot.example/", "https://@bot.example/", "https://bot.example@10.0.0.7/"),
        *("https://bot.example\\@10.0.0.7/", "https://bot.example#@10.0.0.7/", "https://bot.example/#part"),
        *("https://bot.example/a b", "https://bot.example/\r\nX: y"),
        *("https://", "https:///hook"),
        *("http://bot.example/", "ftp://bot.example/", "file:///etc/passwd", "gopher://bot.example/"),
        *("//bot.example/", "bot.example/hook", "/hook"),
        *("https://[::1/", "https://[::1]@", "https://[::1]@/", "https://[fe80::1%25eth0]/"),
    ),
)
def test_a_url_that_leads_inside_or_nowhere_is_rejected(url: str) -> None:
    with pytest.raises(WebhookUrlRejected) as refusal:
        check_url(url, allow_private=False)
    assert refusal.value.reason


@pytest.mark.parametrize(
    "url",
    (
        "https://bot.example/",
        "https://bot.example",
        "https://BOT.example./hook?key=1",
        "https://bot.example:443/",
        "https://bot.example:8443/a/b",
        "https://1.1.1.1/hook",
        "https://[2606:4700:4700::1111]/hook",
        "https://bücher.example/hook",
        "https://7seas.example/hook",
    ),
)
def test_a_public_url_is_accepted(url: str) -> None:
    check_url(url, allow_private=False)


@pytest.mark.parametrize(
    "url", ("http://127.0.0.1:9/hook", "http://localhost/", "https://[::1]:8443/", "http://redis:22/")
)
def test_development_may_send_anywhere(url: str) -> None:
    check_url(url, allow_private=True)


@pytest.mark.parametrize("url", ("ftp://127.0.0.1/", "http://a:b@localhost/", "http:///", "gopher://redis/"))
def test_development_may_not_use_any_scheme(url: str) -> None:
    with pytest.raises(WebhookUrlRejected):
        check_url(url, allow_private=True)


@pytest.mark.parametrize("url", ("http://bot.example/", "https://10.0.0.7/", "https://localhost/", "nothing"))
async def test_a_rejected_url_is_a_problem_of_its_field(client: Client, url: str) -> None:
    game = await create_game(client)
    response = await game.post("/webhooks", {"url": url})
    await check_problem(response, 422, "url_refused", "$.url")
    assert (await game.get_json("/webhooks"))["webhooks"] == []
