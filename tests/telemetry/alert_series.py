"""Series that make each alert fire, and similar ones that must not, as promtool writes them."""

from typing import NamedTuple

Series = dict[str, str]

ACTIONS = 'south_seas_http_request_duration_seconds_{}{{route="/v1/games/{{id}}/actions",status="2xx"{}}}'
READS = 'south_seas_http_request_duration_seconds_count{{route="{}",method="GET",status="{}"}}'
LAG = 'south_seas_delivery_lag_seconds_{}{{origin="remote"{}}}'
LOOP = 'south_seas_event_loop_lag_seconds_bucket{{instance="i",le="{}"}}'
COMMAND = 'south_seas_redis_command_duration_seconds_bucket{{command="commit.lua",le="{}"}}'
BOT_WAITS = 'south_seas_bot_queue_wait_seconds_bucket{{class="{}",le="2.5"}}'
BOT_WAITED = 'south_seas_bot_queue_wait_seconds_count{{class="{}"}}'
HOOKS = 'south_seas_webhook_attempts_total{{result="{}"}}'
OFFSET = 'south_seas_redis_clock_offset_seconds{instance="i"}'
CLOCK_ERROR = 'south_seas_redis_clock_error_seconds{instance="i"}'


class Case(NamedTuple):
    """An alert that fires after `minutes` for the series `firing`, and not for `calm`."""

    firing: Series
    calm: Series
    minutes: int = 30


def errors(failed: str, fine: str = "0+1000x60", route: str = "/v1/games") -> Series:
    return {READS.format(route, "5xx"): failed, READS.format(route, "2xx"): fine}


def actions(quick: str, every: str = "0+100x60") -> Series:
    return {ACTIONS.format("bucket", ',le="0.25"'): quick, ACTIONS.format("count", ""): every}


def deliveries(prompt: str, every: str = "0+100x60") -> Series:
    return {LAG.format("bucket", ',le="1.0"'): prompt, LAG.format("count", ""): every}


def buckets(pattern: str, *bounds: tuple[str, str]) -> Series:
    return {pattern.format(le): values for le, values in bounds}


CASES = {
    "SouthSeasErrors": Case(errors("0+20x60"), errors("0+20x60", route="/readyz"), 60),
    "SouthSeasErrorsSlowly": Case(errors("0+8x60"), errors("0+1x60"), 60),
    "SouthSeasSlowActions": Case(actions("0+80x60"), actions("0+98x60"), 60),
    "SouthSeasSlowActionsSlowly": Case(actions("0+92x60"), actions("0+98x60"), 60),
    "SouthSeasLateDeliveries": Case(deliveries("0+80x60"), deliveries("0+100x60"), 60),
    "SouthSeasLateDeliveriesSlowly": Case(deliveries("0+92x60"), deliveries("0+98x60"), 60),
    "SouthSeasDown": Case({'up{job="south-seas",instance="i"}': "0x60"}, {'up{job="south-seas",instance="i"}': "1x60"}),
    "SouthSeasAbsent": Case({"up": "1x60"}, {'south_seas_build_info{job="s"}': "1x60"}),
    "SouthSeasRestarts": Case(
        {'process_start_time_seconds{job="south-seas"}': "1x20 2x2 3x2 4x20"},
        {'process_start_time_seconds{job="south-seas"}': "1x20 2x20"},
        28,
    ),
    "SouthSeasEventLoopStalls": Case(
        buckets(LOOP, ("0.1", "0+90x60"), ("0.25", "0+100x60"), ("+Inf", "0+100x60")),
        buckets(LOOP, ("0.1", "0+100x60"), ("0.25", "0+100x60"), ("+Inf", "0+100x60")),
    ),
    "SouthSeasFilesRunOut": Case(
        {'process_open_fds{job="south-seas"}': "900x60", 'process_max_fds{job="south-seas"}': "1000x60"},
        {'process_open_fds{job="south-seas"}': "500x60", 'process_max_fds{job="south-seas"}': "1000x60"},
    ),
    "SouthSeasTaskKeepsFailing": Case(
        {'south_seas_task_failing{task="scheduler",instance="i"}': "0x10 1x50"},
        {'south_seas_task_failing{task="scheduler",instance="i"}': "0x60"},
    ),
    "SouthSeasTasksFail": Case(
        {'south_seas_task_failures_total{task="webhooks"}': "0x5 0+1x55"},
        {'south_seas_task_failures_total{task="webhooks"}': "0x30 1x30"},
    ),
    "SouthSeasRedisUnavailable": Case({"south_seas_redis_up": "1x20 0x20"}, {"south_seas_redis_up": "1x60"}),
    "SouthSeasRedisErrors": Case(
        {'south_seas_redis_errors_total{kind="timeout"}': "0+60x60"},
        {'south_seas_redis_errors_total{kind="timeout"}': "0+1x60"},
    ),
    "SouthSeasRedisCongested": Case(
        {'south_seas_redis_errors_total{kind="busy"}': "0x10 0+100x50"},
        {
            'south_seas_redis_errors_total{kind="busy"}': "0x60",
            'south_seas_redis_errors_total{kind="timeout"}': "0+1x60",
        },
    ),
    "SouthSeasRedisSlow": Case(
        buckets(COMMAND, ("0.1", "0+90x60"), ("0.25", "0+99x60"), ("+Inf", "0+100x60")),
        buckets(COMMAND, ("0.01", "0+100x60"), ("0.25", "0+100x60"), ("+Inf", "0+100x60")),
    ),
    "SouthSeasNotificationsLost": Case(
        {"south_seas_redis_notifications_up": "0x60"}, {"south_seas_redis_notifications_up": "1x60"}
    ),
    "SouthSeasMissedNotifications": Case(
        {"south_seas_missed_notifications_total": "0+120x60"}, {"south_seas_missed_notifications_total": "0+6x60"}
    ),
    "SouthSeasHistoryReplaced": Case(
        {"south_seas_histories_replaced_total": "0x25 1x30"}, {"south_seas_histories_replaced_total": "3x60"}
    ),
    "SouthSeasClocksDiffer": Case({OFFSET: "-3x60", CLOCK_ERROR: "0.001x60"}, {OFFSET: "3x60", CLOCK_ERROR: "2.5x60"}),
    "SouthSeasOverdue": Case(
        {'south_seas_overdue_seconds{work="games"}': "0x20 90x20"},
        {'south_seas_overdue_seconds{work="games"}': "15x60"},
    ),
    "SouthSeasGamesFail": Case(
        {'south_seas_game_failures_total{work="scheduler"}': "0x5 1x15 2x15 3x15 4x15"},
        {'south_seas_game_failures_total{work="scheduler"}': "0x10 1x25 2x25"},
        60,
    ),
    "SouthSeasBotsFail": Case(
        {'south_seas_bot_failures_total{bot="expert"}': "0+6x60"},
        {'south_seas_bot_failures_total{bot="expert"}': "9x60"},
    ),
    "SouthSeasBotsSlow": Case(
        {BOT_WAITS.format("attended"): "0+50x60", BOT_WAITED.format("attended"): "0+60x60"},
        {
            BOT_WAITS.format("attended"): "0+59x60",
            BOT_WAITED.format("attended"): "0+60x60",
            BOT_WAITS.format("unattended"): "0+1x60",
            BOT_WAITED.format("unattended"): "0+60x60",
        },
    ),
    "SouthSeasWebhooksFail": Case(
        {HOOKS.format("dns"): "0+9x60", HOOKS.format("delivered"): "0+1x60"},
        {HOOKS.format("dns"): "0+1x60", HOOKS.format("delivered"): "0+9x60"},
        60,
    ),
    "SouthSeasSlowReaders": Case(
        {'south_seas_slow_readers_dropped_total{kind="socket"}': "0+120x60"},
        {'south_seas_slow_readers_dropped_total{kind="socket"}': "0+6x60"},
    ),
    "SouthSeasRateLimited": Case(
        {'south_seas_rate_limited_total{policy="acts"}': "0+6000x60"},
        {'south_seas_rate_limited_total{policy="acts"}': "0+600x60"},
    ),
    "SouthSeasPicturesFail": Case(
        {'south_seas_pictures_total{result="failed"}': "0+60x60"},
        {'south_seas_pictures_total{result="drawn"}': "0+60x60"},
    ),
}
