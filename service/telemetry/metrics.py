"""The table of the service's own metrics; docs/observing.md explains how to use them.

They are in the default registry of prometheus_client. Labels have few values: what a client may choose freely (path,
method, code) is checked first. Hot paths resolve `labels(...)` once.
"""

from prometheus_client import Counter, Gauge, Histogram, Info, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]

_REQUEST_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_STORE_BUCKETS_S = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_LAG_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_STALL_BUCKETS_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_QUEUE_BUCKETS_S = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_DELAY_BUCKETS_S = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 3600.0, 86400.0)

HTTP_DURATION = Histogram(
    "south_seas_http_request_duration_seconds",
    "Time from a request's head to its answer, by route template; sockets and event streams are not among them.",
    ("method", "route", "status"),
    buckets=_REQUEST_BUCKETS_S,
)
HTTP_IN_FLIGHT = Gauge(
    "south_seas_http_requests_in_flight", "Requests being answered; sockets and event streams do not count."
)
HTTP_MALFORMED = Counter("south_seas_http_malformed_requests_total", "What came to the port and is no HTTP.")
PROBLEMS = Counter("south_seas_problems_total", "Problems told, by code and by the way they went.", ("code", "via"))
RATE_LIMITED = Counter(
    "south_seas_rate_limited_total",
    "What was refused because somebody did too much of it, or has too many open, by the limit's name.",
    ("policy",),
)

ACTIONS = Counter(
    "south_seas_actions_total",
    "Actions done, by who decided; those of a commit that conflicts count once more when they are done again.",
    ("by",),
)
COMMITS = Counter(
    "south_seas_commits_total",
    "Commits by their outcome; one that conflicts is tried again on what is stored.",
    ("outcome",),
)
GAME_CACHE_MISSES = Counter("south_seas_game_cache_misses_total", "Games to be changed that were not in the cache.")
GAME_CACHE_SIZE = Gauge("south_seas_game_cache_size", "Decoded games in the cache.")
GAMES = Counter("south_seas_games_total", "Games created, started, finished or aborted.", ("event",))
GAME_FAILURES = Counter(
    "south_seas_game_failures_total",
    "Work on one game that failed and was left for later, by the kind of work; no other game was affected.",
    ("work",),
)
TIMEOUTS = Counter("south_seas_timeouts_total", "Deadlines that passed, by what was done then.", ("policy",))
DUE_GAMES_IN_PROGRESS = Gauge(
    "south_seas_due_games_in_progress", "Games whose bots or deadlines this instance works on now."
)
OVERDUE = Gauge(
    "south_seas_overdue_seconds", "How long the oldest work that is due has waited, in all instances.", ("work",)
)

REDIS_COMMAND = Histogram(
    "south_seas_redis_command_duration_seconds",
    "Time from asking to the reply, waiting for a connection included, by command or script.",
    ("command",),
    buckets=_STORE_BUCKETS_S,
)
REDIS_ERRORS = Counter("south_seas_redis_errors_total", "Commands that got no answer or a refusal, by kind.", ("kind",))
REDIS_IN_FLIGHT = Gauge(
    "south_seas_redis_commands_in_flight", "Commands that Redis has not answered, those that wait among them."
)
REDIS_IN_FLIGHT_BYTES = Gauge("south_seas_redis_in_flight_bytes", "Bytes of these commands.")
REDIS_RETRIES = Counter(
    "south_seas_redis_retries_total",
    "Commands sent again: the connection was lost, or the server was no primary any more.",
)
REDIS_UP = Gauge("south_seas_redis_up", "Whether there is a connection to Redis wherever one is needed.")
NOTIFICATIONS_UP = Gauge(
    "south_seas_redis_notifications_up", "Whether this instance listens to notifications of other instances' commits."
)
NOTIFICATIONS = Counter("south_seas_redis_notifications_total", "Notifications received.")
CLOCK_OFFSET = Gauge("south_seas_redis_clock_offset_seconds", "How far Redis's clock is ahead of this one.")
CLOCK_ERROR = Gauge("south_seas_redis_clock_error_seconds", "How wrong that may be: half of the round trip.")

CONNECTIONS = Gauge("south_seas_connections_open", "Sockets and event streams that are open.", ("kind",))
CONNECTIONS_OPENED = Counter("south_seas_connections_opened_total", "Sockets and event streams opened.", ("kind",))
SOCKETS_CLOSED = Counter("south_seas_sockets_closed_total", "Sockets closed, by the code that was told.", ("code",))
SLOW_READERS_DROPPED = Counter(
    "south_seas_slow_readers_dropped_total", "Connections closed because they did not read.", ("kind",)
)
UNSENT_BYTES = Gauge("south_seas_unsent_bytes", "Bytes that wait for clients that do not read.")
SUBSCRIPTIONS = Gauge("south_seas_subscriptions", "Watchers of games: each counts for each game that it watches.")
GAMES_WATCHED = Gauge("south_seas_games_watched", "Games that somebody watches here.")
SOCKET_MESSAGES = Counter(
    "south_seas_socket_messages_received_total", "Messages that clients sent, by type.", ("type",)
)

DELIVERIES = Counter("south_seas_deliveries_total", "Changes of games delivered to watchers, each watcher's counted.")
DELIVERY_LAG = Histogram(
    "south_seas_delivery_lag_seconds",
    "Time from the sending of a commit to the telling of its watchers, by where it was committed.",
    ("origin",),
    buckets=_LAG_BUCKETS_S,
)
BROADCAST_DURATION = Histogram(
    "south_seas_broadcast_duration_seconds",
    "Time from a game's first watcher told to its last, of games with more than 25 watchers.",
    buckets=_STALL_BUCKETS_S,
)
MISSED_NOTIFICATIONS = Counter(
    "south_seas_missed_notifications_total", "Games found behind by the sweep: their notifications were lost."
)
HISTORIES_REPLACED = Counter(
    "south_seas_histories_replaced_total", "Watched games that had another history than was told: something was lost."
)

BOT_THINKING = Histogram(
    "south_seas_bot_thinking_seconds", "Time that a decision of a bot took.", ("bot",), buckets=_LAG_BUCKETS_S
)
BOT_FAILURES = Counter(
    "south_seas_bot_failures_total", "Decisions that a bot failed to make, so that another stood in.", ("bot",)
)
LATE_BOT_DECISIONS = Counter(
    "south_seas_bot_late_decisions_total",
    "Bot decisions that missed their deadline and were left to a later commit.",
    ("bot",),
)
BOT_QUEUE_WAIT = Histogram(
    "south_seas_bot_queue_wait_seconds",
    "Time that a bot waited for its turn to decide, by whether a person plays the game.",
    ("class",),
    buckets=_QUEUE_BUCKETS_S,
)
BOT_DECISIONS_WAITING = Gauge(
    "south_seas_bot_decisions_waiting",
    "Decisions of bots that wait for their turn, by whether a person plays.",
    ("class",),
)
BOT_POOL_DECISIONS = Gauge("south_seas_bot_pool_decisions", "Decisions queued for or running in the process pool.")
BOT_PROCESSES = Gauge("south_seas_bot_processes", "Processes in which bots think.")

PICTURES = Counter("south_seas_pictures_total", "Pictures asked for, by what came of it.", ("result",))
PICTURE_DURATION = Histogram(
    "south_seas_picture_drawing_seconds",
    "Time that a picture took to be drawn, its turn included.",
    buckets=_REQUEST_BUCKETS_S,
)
PICTURES_WAITING = Gauge("south_seas_pictures_waiting", "Pictures being drawn, or waiting for it.")
PICTURE_CACHE_BYTES = Gauge("south_seas_picture_cache_bytes", "Bytes of the pictures in the cache.")

WEBHOOK_ATTEMPTS = Counter("south_seas_webhook_attempts_total", "Messages sent to webhooks, by outcome.", ("result",))
WEBHOOK_CHALLENGES = Counter(
    "south_seas_webhook_challenges_total", "Servers asked whether they want a webhook, by outcome.", ("result",)
)
WEBHOOK_DELAY = Histogram(
    "south_seas_webhook_delay_seconds",
    "Time from a change, told in whole seconds, to its delivery to a webhook.",
    buckets=_DELAY_BUCKETS_S,
)
WEBHOOKS_DISABLED = Counter("south_seas_webhooks_disabled_total", "Webhooks given up.", ("reason",))
WEBHOOKS_IN_PROGRESS = Gauge("south_seas_webhooks_in_progress", "Webhooks that this instance works on now.")

LOOP_LAG = Histogram(
    "south_seas_event_loop_lag_seconds", "How late the event loop woke a task that slept.", buckets=_STALL_BUCKETS_S
)
TASK_FAILURES = Counter(
    "south_seas_task_failures_total",
    "Background tasks that failed, by name; each that has no end of its own was started again.",
    ("task",),
)
TASK_FAILING = Gauge(
    "south_seas_task_failing", "Whether a background task has failed several times in a row.", ("task",)
)
BUILD = Info("south_seas_build", "What runs here: the service's version, its engine, Python, and which Redis.")

_SEND_FAILURES = ("status", "redirect", "timeout", "dns", "tls", "connect", "broken")

# `increase()` does not see the event with which a series appears: these series exist from the start.
for _counter, _values in (
    (RATE_LIMITED, ("connections", "open-streams", "watchers")),
    (ACTIONS, ("seat", "owner", "bot", "clock")),
    (COMMITS, ("committed", "conflict", "replayed")),
    (GAMES, ("created", "started", "finished", "aborted")),
    (GAME_FAILURES, ("archive", "bots", "index-repair", "lists", "realtime", "scheduler", "webhooks")),
    (TIMEOUTS, ("pass", "bot", "resign")),
    (REDIS_ERRORS, ("timeout", "connection", "refused", "busy")),
    (CONNECTIONS_OPENED, ("socket", "stream")),
    (SOCKETS_CLOSED, ("1000", "1006", "1012", "4401", "4404", "4408", "4429")),
    (SLOW_READERS_DROPPED, ("answer", "socket", "stream")),
    (PICTURES, ("drawn", "cached", "failed", "refused")),
    (WEBHOOK_ATTEMPTS, ("delivered", *_SEND_FAILURES)),
    (WEBHOOK_CHALLENGES, ("answered", "wrong_answer", *_SEND_FAILURES)),
    (WEBHOOKS_DISABLED, ("gone", "failing", "unproven")),
):
    for _value in _values:
        _counter.labels(_value)
