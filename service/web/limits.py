"""What a client can make grow, and how long things may take; each is a setting of `south-seas serve`."""

from typing import NamedTuple

from service.games.ports import RateLimit
from service.games.timestamps import DAY_S
from service.web.connections.client_ip import Header, Network


class Limits(NamedTuple):
    """The web side's settings."""

    max_body_bytes: int = 65_536
    """Largest request body; more is 413."""
    max_message_bytes: int = 65_536
    """Largest message that a socket may send; more closes it with 1009."""
    max_unsent_bytes: int = 1_048_576
    """A watcher with more than this unsent can't keep up and is closed with 4429."""
    max_unsent_bytes_per_address: int = 16_777_216
    """The same of all connections of an address, answers too; whoever has not read for the longest is cut off."""
    max_unsent_bytes_total: int = 134_217_728
    """The same of all connections."""
    max_subscriptions: int = 1_000
    """Games that one socket may watch."""
    ping_interval_s: float = 20.0
    """A protocol ping to each socket; one that does not answer by the next is closed with 4408."""
    sse_comment_interval_s: float = 15.0
    """A comment on each event stream."""
    sweep_interval_s: float = 1.0
    """How often the watched games' versions are compared with the store's, in case a hint was lost."""
    max_webhooks: int = 10
    """Webhooks that one game may have; more are 409."""
    webhook_timeout_s: float = 10.0
    """How long a webhook's server may take to answer."""
    webhooks_allow_private: bool = False
    """Whether webhooks may be sent to private addresses and over plain http."""
    webhook_nameservers: tuple[str, ...] = ()
    """Which look up the names of webhooks' servers, `ADDRESS` or `ADDRESS:PORT`; none for the system's."""
    drain_time_s: float = 3.0
    """On SIGTERM: how long everything is still served while /readyz answers 503."""
    close_window_s: float = 2.0
    """On SIGTERM: over how long the sockets are told and closed with 1012."""
    rate_limits: bool = True
    """Whether anything goes by a client's address or token: the rates, and `..._per_address`."""
    rate_reads: RateLimit = RateLimit(2_000, 10)
    """Requests that change nothing."""
    rate_writes: RateLimit = RateLimit(1_000, 10)
    """Those that do, and messages of sockets that do."""
    rate_requests: RateLimit = RateLimit(10_000, 10)
    """All that comes with known tokens, by address: its requests and messages together."""
    rate_creations: RateLimit = RateLimit(1_000, 3600)
    """New games and webhooks, by address."""
    rate_open_games: RateLimit = RateLimit(1_000, DAY_S)
    """Of these, games with open seats."""
    rate_keys: RateLimit = RateLimit(200_000, DAY_S)
    """Idempotency keys of what was done, by address: each is kept for a day."""
    rate_bots: RateLimit = RateLimit(12_000, 60)
    """What bots do after people's actions, by address: a token is some 5 ms of a processor."""
    rate_bot_games: RateLimit = RateLimit(20_000, 3600)
    """What they do in games of bots alone, by the address that creates them."""
    rate_joins: RateLimit = RateLimit(20, 600)
    """Seats that an address takes in public games."""
    rate_pictures: RateLimit = RateLimit(500, 10)
    """Pictures, kept ones too."""
    rate_streams: RateLimit = RateLimit(1_000, 60)
    """Sockets and event streams opened, by address."""
    rate_messages: RateLimit = RateLimit(5_000, 10)
    """Messages of sockets that change nothing, by address."""
    rate_guesses: RateLimit = RateLimit(200, 60)
    """Tokens and games that there are not, by address; then it is served only what it knows."""
    addresses_per_network: int = 2
    """A /48 of IPv6 may do and open as much as so many addresses together."""
    trusted_proxies: tuple[Network, ...] = ()
    """Networks whose proxies say who a client is."""
    forwarded_header: Header = "x-forwarded-for"
    """Where they say it."""
    max_connections: int = 50_000
    """Connections in all, of which the system may allow fewer; more are 503."""
    max_connections_per_address: int = 1_000
    """Connections of one address; more are 429. Trusted proxies may have any number."""
    max_streams_per_address: int = 500
    """Sockets and event streams of one address; more are 429."""
    max_watchers_per_game: int = 20_000
    """Sockets and event streams that watch one game; more are 429."""
    request_timeout_s: float = 20.0
    """How long a request's head, and then its body, may take to come."""
    response_timeout_s: float = 60.0
    """How long an answer may wait for a client that does not read it."""
    keep_alive_timeout_s: float = 75.0
    """How long a connection may be idle, unless it is a trusted proxy's."""
    allowed_origins: tuple[str, ...] = ()
    """Origins whose pages may open sockets and event streams; none for all."""
    hsts_max_age_s: int = 0
    """What Strict-Transport-Security says, 0 for no such header."""
