"""The table of the service's own metrics; docs/observing.md explains how to use them.

They are in the default registry of prometheus_client. Labels have few values: what a client may choose freely (path,
method, code) is checked first. Hot paths resolve `labels(...)` once.
"""

from prometheus_client import Gauge, Info, disable_created_metrics

from service.telemetry.counters import Counter, Histogram

disable_created_metrics()  # type: ignore[no-untyped-call]

_REQUEST_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_STORE_BUCKETS_S = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_LAG_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_STALL_BUCKETS_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_QUEUE_BUCKETS_S = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_DELAY_BUCKETS_S = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 3600.0, 86400.0)

HTTP_DURATION = Histogram(
    "south_seas_http_request_duration_seconds",
    "Time from a request's head to its response, before it is sent; without WebSockets and event streams.",
    ("method", "route", "status"),
    buckets=_REQUEST_BUCKETS_S,
)
HTTP_IN_FLIGHT = Gauge(
    "south_seas_http_requests_in_flight", "Requests in progress, without WebSockets and event streams."
)
HTTP_MALFORMED = Counter("south_seas_http_malformed_requests_total", "Requests that are not valid HTTP.")
PROBLEMS = Counter(
    "south_seas_problems_total", "Problems sent to clients, by code, over http or a socket.", ("code", "via")
)
RATE_LIMITED = Counter(
    "south_seas_rate_limited_total",
    "Requests, messages and connections rejected by a limit: of a rate, by its name, or of open connections.",
    ("policy",),
)
UNTRUSTED_PROXY = Counter(
    "south_seas_untrusted_proxy_rejections_total",
    "Requests rejected by a limit that came through a proxy which is not trusted, so that its clients share one limit.",
)
API_KEY_GAMES = Counter(
    "south_seas_api_key_games_total", "Games and rematches created with an API key, by its name.", ("key",)
)
API_KEY_RATE_LIMITED = Counter(
    "south_seas_api_key_rate_limited_total",
    "Requests with an API key rejected by one of its quotas, by the key's name and the quota.",
    ("key", "policy"),
)

ACTIONS = Counter(
    "south_seas_actions_total",
    "Actions applied, by who decided; those of a commit that conflicts count again with its retry.",
    ("by",),
)
COMMITS = Counter(
    "south_seas_commits_total",
    "Commits. conflict: another came first, and the action is retried; replayed: a client's retry; keys_spent: "
    "rejected, because the game's idempotency keys are used up.",
    ("outcome",),
)
GAME_CACHE_MISSES = Counter("south_seas_game_cache_misses_total", "Commands on games that were not in the cache.")
GAME_CACHE_SIZE = Gauge("south_seas_game_cache_size", "Decoded games in the cache.")
GAMES = Counter("south_seas_games_total", "Games created, started, finished or aborted.", ("event",))
GAME_FAILURES = Counter(
    "south_seas_game_failures_total",
    "Work on one game that failed and is retried later, by kind of work; other games are not affected.",
    ("work",),
)
LOGS_COMPACTED = Counter(
    "south_seas_logs_compacted_total",
    "Logs of ended games that are no longer streams in Redis: read from the archive, or one compressed value.",
    ("to",),
)
ARCHIVE_PENDING = Gauge(
    "south_seas_archive_pending_games",
    "Ended games that are not archived, or without an archive not compressed yet. Such a game does not expire.",
)
ARCHIVE_PENDING_AGE = Gauge(
    "south_seas_archive_pending_seconds", "How long the oldest of these games has waited to be archived."
)
BACKUP_TIME = Gauge(
    "south_seas_backup_time_seconds",
    "When all games were last exported, or the service was first started without such an export, as a Unix time.",
)
BACKUP_MISSING = Gauge("south_seas_backup_missing_games", "Games that this export could not read.")
BACKUP_LOSSES = Gauge(
    "south_seas_backup_losses", "Losses that this export shows: many games gone too early, or Redis emptied."
)
TIMEOUTS = Counter("south_seas_timeouts_total", "Deadlines that passed, by the policy applied.", ("policy",))
DUE_GAMES_IN_PROGRESS = Gauge("south_seas_due_games_in_progress", "Due games that this instance is processing.")
OVERDUE = Gauge(
    "south_seas_overdue_seconds", "Age of the oldest due game or webhook, the same on every instance.", ("work",)
)

REDIS_COMMAND = Histogram(
    "south_seas_redis_command_duration_seconds",
    "Time from a command to its reply, including the wait for a connection, by command or script.",
    ("command",),
    buckets=_STORE_BUCKETS_S,
)
REDIS_ERRORS = Counter(
    "south_seas_redis_errors_total",
    "Commands given up: timeout, connection, refused (by Redis), busy (not sent, too much in flight).",
    ("kind",),
)
REDIS_IN_FLIGHT = Gauge("south_seas_redis_commands_in_flight", "Commands sent or waiting that have no reply yet.")
REDIS_IN_FLIGHT_BYTES = Gauge("south_seas_redis_in_flight_bytes", "Bytes of these commands.")
REDIS_RETRIES = Counter("south_seas_redis_retries_total", "Commands sent again after a lost connection or a failover.")
REDIS_UP = Gauge("south_seas_redis_up", "Whether the last pipeline to each primary succeeded, or none was needed yet.")
REDIS_WRITABLE = Gauge(
    "south_seas_redis_writable",
    "Whether a primary stored the last commit of the probe, by primary; 0 for `unknown` while slots have none.",
    ("primary",),
)
REDIS_RDB_OK = Gauge(
    "south_seas_redis_rdb_save_ok", "Whether a primary's last RDB file could be written, by primary.", ("primary",)
)
REDIS_AOF_OK = Gauge(
    "south_seas_redis_aof_write_ok", "Whether a primary can write to its append-only file, by primary.", ("primary",)
)
REDIS_EMPTIED = Counter(
    "south_seas_redis_emptied_total", "Times that a primary's marker was gone or another: it lost its data."
)
REDIS_WENT_BACK = Counter(
    "south_seas_redis_went_back_total", "Probes that found that a primary lost what this process had stored there."
)
REDIS_CLOCK_WRONG = Counter(
    "south_seas_redis_clock_wrong_total", "Probes that found a primary's clock a minute or more from this process's."
)
REDIS_KEYS = Gauge(
    "south_seas_redis_keys", "Keys that a primary stores, two or three for each game, by primary.", ("primary",)
)
REDIS_EVICTED = Gauge("south_seas_redis_evicted_keys", "Keys that a primary has evicted since its start.", ("primary",))
REDIS_POLICY_OK = Gauge("south_seas_redis_policy_ok", "Whether a primary evicts nothing, by primary.", ("primary",))
REDIS_REPLICAS = Gauge("south_seas_redis_replicas", "Replicas that are connected to a primary.", ("primary",))
REDIS_SENTINELS_DOWN = Gauge("south_seas_redis_sentinels_down", "Sentinels that did not answer when last asked.")
REDIS_CERTIFICATE_END = Gauge(
    "south_seas_redis_certificate_end_seconds",
    "When the first certificate of the primaries ends, as a Unix time; 0 without TLS, or if it is not verified.",
)
REDIS_FAILOVERS = Counter("south_seas_redis_failovers_total", "Changes of the server that is a primary.")
STORE_UNAVAILABLE = Counter(
    "south_seas_store_unavailable_total", "Requests and messages that the store failed, by cause.", ("cause",)
)
NOTIFICATIONS_UP = Gauge(
    "south_seas_redis_notifications_up", "Whether this instance is subscribed to change notifications."
)
NOTIFICATIONS = Counter("south_seas_redis_notifications_total", "Change notifications received.")
CLOCK_OFFSET = Gauge("south_seas_redis_clock_offset_seconds", "Offset of Redis's clock from this process's.")
CLOCK_ERROR = Gauge("south_seas_redis_clock_error_seconds", "Error bound of the offset: half of the round trip.")

CONNECTIONS = Gauge("south_seas_connections_open", "Open WebSockets and event streams.", ("kind",))
CONNECTIONS_OPENED = Counter("south_seas_connections_opened_total", "WebSockets and event streams opened.", ("kind",))
SOCKETS_CLOSED = Counter(
    "south_seas_sockets_closed_total",
    "WebSockets closed, by close code; 1000: the client closed, 1006: the connection was lost.",
    ("code",),
)
SLOW_READERS_DROPPED = Counter(
    "south_seas_slow_readers_dropped_total", "Connections closed because the client did not read.", ("kind",)
)
UNSENT_BYTES = Gauge("south_seas_unsent_bytes", "Bytes in send buffers, for clients that do not read.")
SUBSCRIPTIONS = Gauge(
    "south_seas_subscriptions", "Subscriptions to games; a WebSocket has one for each game that it watches."
)
GAMES_WATCHED = Gauge("south_seas_games_watched", "Games with watchers on this instance.")
SOCKET_MESSAGES = Counter(
    "south_seas_socket_messages_received_total", "WebSocket messages received, by type.", ("type",)
)

DELIVERIES = Counter("south_seas_deliveries_total", "Diffs delivered to watchers, counted per watcher.")
DELIVERY_LAG = Histogram(
    "south_seas_delivery_lag_seconds",
    "Time from a commit to the delivery of its diff, by whether this instance committed it; without diffs that were "
    "read after a lost notification.",
    ("origin",),
    buckets=_LAG_BUCKETS_S,
)
BROADCAST_DURATION = Histogram(
    "south_seas_broadcast_duration_seconds",
    "Time from the first watcher served to the last, for games with more than 25 watchers.",
    buckets=_STALL_BUCKETS_S,
)
MISSED_NOTIFICATIONS = Counter(
    "south_seas_missed_notifications_total", "Games whose change notification was lost, so that the sweep updated them."
)
HISTORIES_REPLACED = Counter(
    "south_seas_histories_replaced_total",
    "Watched games whose stored history differs from what was delivered: Redis lost commits.",
)

BOT_THINKING = Histogram(
    "south_seas_bot_thinking_seconds",
    "Time that a bot's decision took, including its wait.",
    ("bot",),
    buckets=_LAG_BUCKETS_S,
)
BOT_FAILURES = Counter(
    "south_seas_bot_failures_total", "Bot decisions that failed and were made by a substitute.", ("bot",)
)
LATE_BOT_DECISIONS = Counter(
    "south_seas_bot_late_decisions_total",
    "Bot decisions that missed their deadline and were left to a later commit.",
    ("bot",),
)
BOT_QUEUE_WAIT = Histogram(
    "south_seas_bot_queue_wait_seconds",
    "Time that a bot's decision waited in the queue: attended games, with people, come first, and unattended ones are "
    "slowed down.",
    ("class",),
    buckets=_QUEUE_BUCKETS_S,
)
BOT_DECISIONS_WAITING = Gauge(
    "south_seas_bot_decisions_waiting", "Bot decisions in the queue, by whether people play the game.", ("class",)
)
BOT_POOL_DECISIONS = Gauge("south_seas_bot_pool_decisions", "Decisions queued for or running in the process pool.")
BOT_PROCESSES = Gauge("south_seas_bot_processes", "Processes for bots.")

PICTURES = Counter("south_seas_pictures_total", "Pictures requested; refused: too many wait.", ("result",))
PICTURE_DURATION = Histogram(
    "south_seas_picture_drawing_seconds",
    "Time to draw a picture, including its wait in the queue.",
    buckets=_REQUEST_BUCKETS_S,
)
PICTURES_WAITING = Gauge("south_seas_pictures_waiting", "Pictures in the queue or being drawn.")
PICTURE_CACHE_BYTES = Gauge("south_seas_picture_cache_bytes", "Bytes of cached pictures.")

WEBHOOK_ATTEMPTS = Counter(
    "south_seas_webhook_attempts_total",
    "Delivery attempts to webhooks that answered their challenge, by result.",
    ("result",),
)
WEBHOOK_CHALLENGES = Counter(
    "south_seas_webhook_challenges_total", "Challenges sent to webhooks, by result.", ("result",)
)
WEBHOOK_DELAY = Histogram(
    "south_seas_webhook_delay_seconds",
    "Time from a change, in whole seconds, to its delivery to a webhook.",
    buckets=_DELAY_BUCKETS_S,
)
WEBHOOKS_DISABLED = Counter("south_seas_webhooks_disabled_total", "Webhooks disabled, by reason.", ("reason",))
WEBHOOKS_IN_PROGRESS = Gauge("south_seas_webhooks_in_progress", "Webhooks that this instance is delivering to.")

LOOP_LAG = Histogram(
    "south_seas_event_loop_lag_seconds", "How late the event loop resumed a sleeping task.", buckets=_STALL_BUCKETS_S
)
TASK_FAILURES = Counter(
    "south_seas_task_failures_total",
    "Background tasks that raised an error or ended, by name; they are restarted.",
    ("task",),
)
TASK_FAILING = Gauge(
    "south_seas_task_failing",
    "Whether a background task failed five times in a row and has not run for five seconds since.",
    ("task",),
)
BUILD = Info(
    "south_seas_build", "Version and revision of the service, versions of engine and Python, and the kind of Redis."
)

_SEND_FAILURES = ("status", "redirect", "timeout", "dns", "tls", "connect", "broken")

# `increase()` does not see the event with which a series appears: these series exist from the start.
for _counter, _values in (
    (RATE_LIMITED, ("all-connections", "connections", "open-streams", "watchers")),
    (ACTIONS, ("seat", "owner", "bot", "clock")),
    (COMMITS, ("committed", "conflict", "replayed")),
    (GAMES, ("created", "started", "finished", "aborted")),
    (GAME_FAILURES, ("archive", "bots", "index-repair", "lists", "realtime", "requests", "scheduler", "webhooks")),
    (LOGS_COMPACTED, ("archive", "compressed")),
    (TIMEOUTS, ("pass", "bot", "resign")),
    (REDIS_ERRORS, ("timeout", "connection", "refused", "busy")),
    (
        STORE_UNAVAILABLE,
        (
            *("archive", "busy", "connection", "disk", "failover", "full", "loading", "login", "permission"),
            *("replicas", "timeout", "unreadable"),
        ),
    ),
    (CONNECTIONS_OPENED, ("socket", "stream")),
    (SOCKETS_CLOSED, ("1000", "1001", "1006", "4401", "4404", "4408", "4429")),
    (SLOW_READERS_DROPPED, ("response", "socket", "stream")),
    (PICTURES, ("drawn", "cached", "failed", "refused")),
    (WEBHOOK_ATTEMPTS, ("delivered", *_SEND_FAILURES)),
    (WEBHOOK_CHALLENGES, ("answered", "wrong_answer", *_SEND_FAILURES)),
    (WEBHOOKS_DISABLED, ("gone", "failing", "unproven")),
):
    for _value in _values:
        _counter.labels(_value)
