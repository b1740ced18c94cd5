"""Limits on what clients may use; each is a setting of `south-seas serve`."""

from typing import NamedTuple

from service.games.ports import RateLimit
from service.games.timestamps import DAY_S
from service.web.connections.client_ip import Header, Network


class Limits(NamedTuple):
    """The settings of the web layer."""

    max_body_bytes: int = 65_536
    """Largest request body; more is 413."""
    max_message_bytes: int = 65_536
    """Largest WebSocket message; more closes it with 1009."""
    max_unsent_bytes: int = 1_048_576
    """Send buffer of a watcher; with more it is too slow and is closed with 4429."""
    max_unsent_bytes_per_address: int = 16_777_216
    """Send buffers of an address, responses too; with more, the connection that was not read for the longest is
    dropped.
    """
    max_unsent_bytes_total: int = 134_217_728
    """Send buffers of all connections, likewise."""
    max_subscriptions: int = 1_000
    """Games that one WebSocket may watch."""
    ping_interval_s: float = 20.0
    """Interval of pings; a WebSocket that does not answer before the next one is closed with 4408."""
    sse_comment_interval_s: float = 15.0
    """Interval of comments on an event stream, so that proxies do not close it as idle."""
    sweep_interval_s: float = 1.0
    """Interval in which the versions of watched games are compared with the store's, in case a notification was lost.
    """
    max_webhooks: int = 10
    """Webhooks per game; more are 409."""
    webhook_timeout_s: float = 10.0
    """Timeout of a request to a webhook."""
    webhooks_allow_private: bool = False
    """Whether webhooks may have private addresses and plain http."""
    webhook_nameservers: tuple[str, ...] = ()
    """Name servers for webhooks, `ADDRESS` or `ADDRESS:PORT`; none for the system's."""
    drain_time_s: float = 3.0
    """On SIGTERM: how long everything is served while /readyz answers 503."""
    close_window_s: float = 2.0
    """On SIGTERM: the time over which WebSockets are closed with 1012."""
    rate_limits: bool = True
    """Whether clients are limited by address and token: the rates, and `..._per_address`."""
    rate_reads: RateLimit = RateLimit(2_000, 10)
    """Requests that change nothing."""
    rate_writes: RateLimit = RateLimit(1_000, 10)
    """Requests and WebSocket messages that change something."""
    rate_requests: RateLimit = RateLimit(10_000, 10)
    """All requests and messages with trusted tokens, per address."""
    rate_creations: RateLimit = RateLimit(1_000, 3600)
    """New games and webhooks, per address."""
    rate_open_games: RateLimit = RateLimit(1_000, DAY_S)
    """New games with open seats, per address."""
    rate_keys: RateLimit = RateLimit(200_000, DAY_S)
    """Idempotency keys of successful requests, per address; each is stored for a day."""
    rate_bots: RateLimit = RateLimit(12_000, 60)
    """Bot turns that follow actions, per address; a token stands for some 5 ms of CPU time."""
    rate_bot_games: RateLimit = RateLimit(20_000, 3600)
    """Bot turns of games without people, per address of the creator."""
    rate_joins: RateLimit = RateLimit(20, 600)
    """Seats taken in public games, per address."""
    rate_pictures: RateLimit = RateLimit(500, 10)
    """Pictures, cached ones too."""
    rate_streams: RateLimit = RateLimit(1_000, 60)
    """WebSockets and event streams opened, per address."""
    rate_messages: RateLimit = RateLimit(5_000, 10)
    """WebSocket messages that change nothing, per address."""
    rate_guesses: RateLimit = RateLimit(200, 60)
    """Unknown tokens and games, per address; beyond that, only requests with valid tokens are served."""
    addresses_per_network: int = 2
    """Limits of an IPv6 /48 network, as a multiple of those of an address."""
    trusted_proxies: tuple[Network, ...] = ()
    """Networks of trusted proxies."""
    forwarded_header: Header = "x-forwarded-for"
    """The header in which trusted proxies name the client."""
    max_connections: int = 50_000
    """Connections to this instance, unless the limit on open files is lower; more are 503."""
    max_connections_per_address: int = 1_000
    """Connections per address, except of trusted proxies; more are 429."""
    max_streams_per_address: int = 500
    """WebSockets and event streams per address; more are 429."""
    max_watchers_per_game: int = 20_000
    """WebSockets and event streams that watch one game; more are 429."""
    request_timeout_s: float = 20.0
    """Timeout of a request's head, and of its body."""
    response_timeout_s: float = 60.0
    """How long a response may wait for a client that does not read it."""
    keep_alive_timeout_s: float = 75.0
    """How long a connection may be idle, unless it is a trusted proxy's."""
    allowed_origins: tuple[str, ...] = ()
    """Origins whose pages may open WebSockets and event streams; none for all."""
    hsts_max_age_s: int = 0
    """max-age of Strict-Transport-Security; 0 for no such header."""
