"""Every metric that the service has of its own: the table. docs/observing.md says what to make of them.

Labels have few values: what a client can choose at will (a path, a method, a code) is never one unchecked.
"""

from service.telemetry.meters import Counter, Gauge, Histogram

_REQUEST_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_STORE_S = (0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
_ENGINE_S = (0.00002, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.01, 0.05)
_LAG_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_STALL_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_TURN_S = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_LATE_S = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0, 3600.0, 86400.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)

HTTP_DURATION = Histogram(
    "http_request_duration_seconds",
    "Time from a request's head to its answer, by route template; sockets and event streams are not among them.",
    _REQUEST_S,
    ("method", "route", "status"),
)
HTTP_IN_FLIGHT = Gauge("http_requests_in_flight", "Requests being answered; sockets and event streams do not count.")
HTTP_MALFORMED = Counter("http_malformed", "What came to the port and is no HTTP.")
PROBLEMS = Counter("problems", "Problems told, by code and by the way they went.", ("code", "via"))
RATE_LIMITED = Counter(
    "rate_limited",
    "What was refused because somebody did too much of it, or has too many open, by the limit's name.",
    ("policy",),
    ("connections", "open-streams", "watchers"),
)

ENGINE_DURATION = Histogram("engine_duration_seconds", "Time that the rules took.", _ENGINE_S, ("work",))
ACTIONS = Counter(
    "actions",
    "Actions done, by who decided; those of a commit that was lost count once more when they are done again.",
    ("by",),
    ("seat", "owner", "bot", "clock"),
)
COMMITS = Counter(
    "commits",
    "Commits by what came of them; a lost one is tried again on what is stored.",
    ("outcome",),
    ("committed", "lost", "answered"),
)
HELD = Counter("held_games", "Changes asked for, by whether the game was held decoded.", ("result",))
HELD_GAMES = Gauge("games_held", "Games held decoded.")
GAMES = Counter("games", "Games that came to this point.", ("point",), ("created", "started", "finished", "aborted"))
GAME_FAILURES = Counter(
    "game_failures",
    "Work on one game that failed and was left for later, by the kind of work; no other game was affected.",
    ("work",),
    ("archive", "bots", "index-repair", "lists", "realtime", "scheduler", "webhooks"),
)
TIMEOUTS = Counter("timeouts", "Deadlines that passed, by what was done then.", ("policy",), ("pass", "bot", "resign"))
GAMES_MOVING = Gauge("games_moving", "Games whose bots or deadlines this instance looks at now.")
OVERDUE = Gauge("overdue_seconds", "How long the oldest work that is due has waited, in all instances.", ("work",))

REDIS_COMMAND = Histogram(
    "redis_command_duration_seconds",
    "Time from asking to the reply, waiting for a connection included, by command or script.",
    _STORE_S,
    ("command",),
)
REDIS_BATCH = Histogram("redis_batch_commands", "Commands that went to Redis together.", _SIZES)
REDIS_ERRORS = Counter(
    "redis_errors",
    "Commands that got no answer or a refusal, by kind.",
    ("kind",),
    ("timeout", "connection", "refused", "busy"),
)
REDIS_IN_FLIGHT = Gauge("redis_commands_in_flight", "Commands that Redis has not answered, those that wait among them.")
REDIS_IN_FLIGHT_BYTES = Gauge("redis_in_flight_bytes", "Bytes of these commands.")
REDIS_RETRIED = Counter(
    "redis_retried", "Commands asked again: the connection was lost, or the server was no primary any more."
)
REDIS_WAITING = Gauge("redis_commands_waiting", "Commands that wait for a connection.")
REDIS_UP = Gauge("redis_up", "Whether there is a connection to Redis wherever one is needed.")
HINTS_UP = Gauge("redis_hints_up", "Whether announcements of other instances' commits are being listened to.")
HINTS = Counter("redis_hints", "Announcements heard.")
CLOCK_OFFSET = Gauge("redis_clock_offset_seconds", "How far Redis's clock is ahead of this one.")
CLOCK_ERROR = Gauge("redis_clock_error_seconds", "How wrong that may be: half of the round trip.")

CONNECTIONS = Gauge("connections_open", "Sockets and event streams that are open.", ("kind",))
CONNECTED = Counter("connections_opened", "Sockets and event streams opened.", ("kind",), ("socket", "stream"))
SOCKETS_CLOSED = Counter(
    "sockets_closed",
    "Sockets closed, by the code that was told.",
    ("code",),
    ("1000", "1006", "1012", "4401", "4404", "4408", "4429"),
)
DROPPED = Counter(
    "slow_readers_dropped", "Connections closed because they did not read.", ("kind",), ("answer", "socket", "stream")
)
UNREAD = Gauge("unread_bytes", "Bytes that wait for clients that do not read.")
SUBSCRIPTIONS = Gauge("subscriptions", "Watchers of games: each counts for each game that it watches.")
GAMES_WATCHED = Gauge("games_watched", "Games that somebody watches here.")
MESSAGES = Counter("socket_messages_received", "Messages that clients sent, by type.", ("type",))
WRITES = Counter("connection_writes", "Pieces of news and answers written to sockets and event streams.", ("kind",))
WRITTEN = Counter("connection_written_bytes", "Bytes of them.", ("kind",))

LAG = Histogram(
    "delivery_lag_seconds",
    "Time from the sending of a commit to the telling of its watchers, by where it was committed.",
    _LAG_S,
    ("committed",),
)
ROUNDS = Histogram("delivery_round_seconds", "Time from a game's first watcher told to its last.", _STALL_S)
SWEPT = Counter("sweep_found", "Games found behind by the sweep: their announcements were lost.")
REPLACED = Counter("histories_replaced", "Watched games that had another history than was told: something was lost.")

BOT_THINKING = Histogram("bot_thinking_seconds", "Time that a decision of a bot took.", _LAG_S, ("bot",))
BOT_FAILED = Counter("bot_failures", "Decisions that a bot failed to make, so that another stood in.", ("bot",))
BOT_LATE = Counter("bot_late", "Decisions that did not come in time and were left to a later commit.", ("bot",))
BOT_QUEUE_WAIT = Histogram(
    "bot_queue_wait_seconds",
    "Time that a bot waited for its turn to decide, by whether a person plays the game.",
    _TURN_S,
    ("class",),
)
BOT_WAITING = Gauge(
    "bot_decisions_waiting", "Decisions of bots that wait for their turn, by whether a person plays.", ("class",)
)
BOT_QUESTIONS = Gauge("bot_questions", "Decisions that the bots' own processes think about, or will.")
BOT_PROCESSES = Gauge("bot_processes", "Processes in which bots think.")

PICTURES = Counter(
    "pictures", "Pictures asked for, by what came of it.", ("result",), ("drawn", "kept", "failed", "refused")
)
DRAWING = Histogram("picture_drawing_seconds", "Time that a picture took to be drawn, its turn included.", _REQUEST_S)
PICTURES_WAITING = Gauge("pictures_waiting", "Pictures being drawn, or waiting for it.")
PICTURES_KEPT = Gauge("pictures_kept_bytes", "Bytes of the pictures kept.")

HOOK_ATTEMPTS = Counter(
    "webhook_attempts",
    "Messages sent to webhooks, by what came of it.",
    ("result",),
    ("delivered", "status", "redirect", "timeout", "dns", "tls", "connect", "broken"),
)
HOOK_CHALLENGES = Counter(
    "webhook_challenges",
    "Servers asked whether they want a webhook, by what came of it.",
    ("result",),
    ("answered", "wrong_answer", "status", "redirect", "timeout", "dns", "tls", "connect", "broken"),
)
HOOK_DELAY = Histogram(
    "webhook_delay_seconds", "Time from a change, told in whole seconds, to its delivery to a webhook.", _LATE_S
)
HOOKS_DISABLED = Counter("webhooks_disabled", "Webhooks given up.", ("reason",), ("gone", "failing", "unproven"))
HOOKS_LOOKING = Gauge("webhooks_looking", "Webhooks that this instance looks at now.")

LOOP_LAG = Histogram("event_loop_lag_seconds", "How late the event loop woke a task that slept.", _STALL_S)
GC_PAUSE = Histogram("gc_pause_seconds", "Time that collections of garbage took.", _STALL_S, ("generation",))
TASK_FAILURES = Counter(
    "task_failures",
    "Background tasks that failed, by name; each that has no end of its own was started again.",
    ("task",),
)
TASK_FAILING = Gauge("task_failing", "Whether a background task has failed several times in a row.", ("task",))
BUILD = Gauge("build_info", "What runs here.", ("version", "engine", "python", "redis"))


def rate_limited(policy: str) -> None:
    """Count a refusal; `policy` is the name of a limit, of which there are few."""
    RATE_LIMITED.of(policy).n += 1
