"""Limits on what clients may use; each is a setting of `south-seas serve`."""

from typing import Annotated, NamedTuple

from service.games.ports import RateLimit
from service.telemetry.clock import DAY_S
from service.web.client_ip import Network


class Limits(NamedTuple):
    """The settings of the web layer; `south-seas serve --help` shows the text of each."""

    max_body_bytes: Annotated[int, "Largest request body; more is 413."] = 65_536
    max_message_bytes: Annotated[int, "Largest message from a WebSocket; more closes it with 1009."] = 65_536
    max_unsent_bytes: Annotated[
        int, "Bytes that may wait in the send buffer of a watcher; with more it is too slow and is closed with 4429."
    ] = 1_048_576
    max_unsent_bytes_per_address: Annotated[
        int,
        "Bytes that may wait in the send buffers of one address, responses too; with more, the connection that "
        "has not read for the longest is closed.",
    ] = 16_777_216
    max_unsent_bytes_total: Annotated[
        int,
        "Bytes that may wait in all send buffers of this instance; with more, connections of the address with the "
        "most are closed. The kernel buffers some 64 KB more per connection.",
    ] = 134_217_728
    max_subscriptions: Annotated[int, "Games that one WebSocket may watch."] = 1_000
    ping_interval_s: Annotated[
        float, "Seconds between pings to each WebSocket; one without an answer is closed with 4408."
    ] = 20.0
    sse_comment_interval_s: Annotated[
        float, "Interval of comments on an event stream, so that proxies do not close it as idle."
    ] = 15.0
    sweep_interval_s: Annotated[
        float,
        "Interval in which the versions of watched games are compared with the store's, in case a notification "
        "was lost.",
    ] = 1.0
    max_webhooks: Annotated[int, "Webhooks of a game's owner, or of an API key; more are 409."] = 10
    webhook_timeout_s: Annotated[float, "Timeout of a request to a webhook, in seconds."] = 10.0
    webhooks_allow_private: Annotated[
        bool, "Allow webhooks with private addresses and plain http: for development and tests only."
    ] = False
    webhook_nameservers: Annotated[
        tuple[str, ...], "Name servers for webhooks alone, as 192.0.2.53 or 192.0.2.53:5353, separated by commas."
    ] = ()
    drain_time_s: Annotated[float, "On SIGTERM, seconds to keep serving while /readyz answers 503."] = 3.0
    close_window_s: Annotated[
        float, "On SIGTERM, after that, seconds over which to spread the closing of WebSockets and event streams."
    ] = 2.0
    rate_limits: Annotated[
        bool,
        "Limit clients by address and token: --rate-... and --max-...-per-address. Turn it off for load tests, or "
        "where a proxy limits them.",
    ] = True
    rate_requests: Annotated[
        RateLimit, "Requests and WebSocket messages, per trusted token, otherwise per address, on each instance"
    ] = RateLimit(2_500, 10)
    rate_time: Annotated[
        RateLimit,
        "Milliseconds of the event loop that they take, likewise; four of a process that draws pictures count as one",
    ] = RateLimit(300, 2)
    tokens_per_address: Annotated[
        int,
        "Limits of all trusted tokens of an address together (tokens-requests, tokens-time), as a multiple of those of "
        "one.",
    ] = 4
    rate_creations: Annotated[RateLimit, "New games and webhooks, per address"] = RateLimit(1_000, 3600)
    rate_open_games: Annotated[RateLimit, "New games with open seats, per address"] = RateLimit(1_000, DAY_S)
    rate_keys: Annotated[RateLimit, "Idempotency keys of successful requests, per address"] = RateLimit(200_000, DAY_S)
    rate_bots: Annotated[RateLimit, "Bot turns that follow actions, per address: 4 tokens each, 40 for a heavy bot"] = (
        RateLimit(12_000, 60)
    )
    rate_bot_games: Annotated[
        RateLimit, "Bot turns of games without people, per address of the creator; tokens as with --rate-bots"
    ] = RateLimit(20_000, 3600)
    rate_joins: Annotated[RateLimit, "Seats taken in public games, per address"] = RateLimit(20, 600)
    rate_guesses: Annotated[
        RateLimit, "Unknown tokens and games, per address; beyond that, only requests with valid tokens are served"
    ] = RateLimit(200, 60)
    addresses_per_network: Annotated[
        int, "Limits of an IPv6 /48 network (network-requests and so on), as a multiple of those of an address."
    ] = 2
    trusted_proxies: Annotated[
        tuple[Network, ...],
        "Networks of the proxies whose X-Forwarded-For is trusted; they must set or extend it themselves. Without it "
        "all clients behind a proxy count as one.",
    ] = ()
    base_path: Annotated[
        str,
        "Path before all of the service's, as /games, where a proxy serves it below one; the proxy may remove it. "
        "Without it, X-Forwarded-Prefix of trusted proxies counts.",
    ] = ""
    max_connections: Annotated[
        int, "Connections to this instance; more are 503. The limit on open files may lower it."
    ] = 50_000
    max_connections_per_address: Annotated[
        int, "Connections from one address to this instance; more are 429. Trusted proxies are not limited."
    ] = 1_000
    max_streams_per_address: Annotated[
        int, "WebSockets and event streams from one address to this instance; more are 429."
    ] = 500
    max_watchers_per_game: Annotated[
        int, "WebSockets and event streams that watch one game on this instance; more are 429."
    ] = 20_000
    request_timeout_s: Annotated[float, "Seconds within which a request's head must arrive, and then its body."] = 20.0
    response_timeout_s: Annotated[float, "Seconds that a response may wait for a client that does not read it."] = 60.0
    keep_alive_timeout_s: Annotated[float, "Seconds that a connection may be idle; one hour for trusted proxies."] = (
        75.0
    )
    allowed_origins: Annotated[
        tuple[str, ...], "Origins whose pages may open WebSockets and event streams; name this service's own too."
    ] = ("*",)
    frame_ancestors: Annotated[
        tuple[str, ...],
        "Origins whose pages may show this service's page in a frame, such as https://discord.com or "
        "https://*.example.org; * for any.",
    ] = ()
    hsts_max_age_s: Annotated[
        int, "max-age of Strict-Transport-Security, where everything is behind TLS. 0: no such header."
    ] = 0
