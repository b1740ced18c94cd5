"""`south-seas keys`: API keys of hosts of many players: add, list, update, rotate and revoke them."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import click
from msgspec.structs import astuple, replace

from service.cli.store import REDIS_SETTINGS, log_change, with_store
from service.games.access import subject_of_key
from service.games.api_key import CACHE_TTL_S, ApiKey, Quotas, add_secret, generate_secret, is_valid_name
from service.settings import Settings
from service.store.game_store import RedisStore
from service.telemetry.clock import timestamp

DEFAULT_QUOTAS = Quotas(games_per_hour=1_000, requests_per_minute=6_000, bot_turns_per_hour=180_000)
"""What one address may use: `--rate-creations`, `--rate-requests` and `--rate-bots`."""

DEFAULT_GRACE_HOURS = 24.0
HOUR_S = 3600

Command = Callable[..., Any]


def _check_name(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    if not is_valid_name(name):
        raise click.BadParameter("a name has 1 to 32 characters of a-z, 0-9 and -")
    return name


name_argument = click.argument("name", callback=_check_name)


def with_quotas(command: Command) -> Command:
    """Give a command the options of a key's quotas; None for those that are not given."""
    quota = click.IntRange(1, 999_999_999)
    helps = (
        ("--games-per-hour", "New games and rematches."),
        ("--requests-per-minute", "Requests that carry the key."),
        ("--bot-turns-per-hour", "Turns of bots in these requests; one of a heavy bot counts as ten."),
    )
    for flag, text in reversed(helps):
        default = getattr(DEFAULT_QUOTAS, flag.removeprefix("--").replace("-", "_"))
        command = click.option(flag, type=quota, metavar="N", help=f"{text} A new key has {default}.")(command)
    return command


@click.group("keys")
def keys_group() -> None:
    """Manage API keys: quotas of their own for hosts of many players, such as a chat bot.

    All players of such a host have one address, whose limits would be theirs together. A key's secret is shown once and
    stored only as a hash. Give the instances' --redis-url to each command: they notice a change within 5 seconds. An
    instance without one has the games to itself: stop it first.
    """


@keys_group.command("add", short_help="Add a key, and print its secret.")
@name_argument
@with_quotas
@with_store(*REDIS_SETTINGS)
async def add_command(store: RedisStore, _settings: Settings, name: str, **quotas: int | None) -> None:
    """Add a key, and print its secret. It cannot be shown again: `keys rotate` makes another.

    The name of a revoked key cannot be used again, since its games are listed by that name.
    """
    now, secret = int(time.time()), generate_secret(name)
    key = add_secret(ApiKey(name, now, _replace_quotas(DEFAULT_QUOTAS, quotas), []), secret, now, 0)

    if not await store.api_keys.save(key, 0):
        raise click.ClickException(f"there is a key {name} already, or was until it was revoked: see `keys list`")
    log_change(f"added the key {name}", _describe_quotas(key.quotas))
    _print_secret(secret, f"added the key {name}: {_describe_quotas(key.quotas)}")


@keys_group.command("list", short_help="List all keys with their quotas.")
@with_store(*REDIS_SETTINGS)
async def list_command(store: RedisStore, _settings: Settings) -> None:
    """List all keys with their quotas, revoked ones too."""
    keys = await store.api_keys.list_all()
    if not keys:
        click.echo("there are no keys: add one with `south-seas keys add NAME`", err=True)
        return
    rows: list[tuple[str, ...]] = [("NAME", "GAMES/HOUR", "REQUESTS/MIN", "BOT TURNS/HOUR", "CREATED", "STATUS")]
    now = time.time()
    for key in keys:
        quotas = [str(one) for one in astuple(key.quotas)]
        rows.append((key.name, *quotas, timestamp(key.created_at), _describe_status(key, now)))
    _print_table(rows)


@keys_group.command("update", short_help="Change quotas of a key.")
@name_argument
@with_quotas
@with_store(*REDIS_SETTINGS)
async def update_command(store: RedisStore, _settings: Settings, name: str, **quotas: int | None) -> None:
    """Change quotas of a key; those that are not given stay."""
    if not any(quotas.values()):
        raise click.UsageError("say which quota")

    key = await _change(store, name, "updated", lambda key: replace(key, quotas=_replace_quotas(key.quotas, quotas)))
    click.echo(f"the key {name} has {_describe_quotas(key.quotas)}", err=True)


@keys_group.command("rotate", short_help="Give a key a new secret.")
@name_argument
@click.option(
    "--grace-hours",
    type=click.FloatRange(min=0, max=24 * 366),
    default=DEFAULT_GRACE_HOURS,
    show_default=True,
    help="Hours for which the current secret stays valid too; 0 ends it at once, for one that has leaked.",
)
@with_store(*REDIS_SETTINGS)
async def rotate_command(store: RedisStore, _settings: Settings, name: str, grace_hours: float) -> None:
    """Give a key a new secret, and print it.

    The current secret stays valid for a grace period, so that the host can change over without a failed request. At
    most two secrets are valid: a second rotation within that period ends the oldest.
    """
    secret, grace_s = generate_secret(name), round(grace_hours * HOUR_S)
    now = int(time.time())
    await _change(store, name, "rotated", lambda key: add_secret(key, secret, now, grace_s))
    until = f"until {timestamp(now + grace_s)}" if grace_s else f"for at most {CACHE_TTL_S:.0f} s more"
    _print_secret(secret, f"rotated the key {name}: its previous secret is valid {until}")


@keys_group.command("revoke", short_help="Revoke a key for good.")
@name_argument
@with_store(*REDIS_SETTINGS)
async def revoke_command(store: RedisStore, _settings: Settings, name: str) -> None:
    """Revoke a key for good: requests with it are 401, and its webhooks end. Its games go on, with their own tokens.

    To replace a secret that has leaked, use `keys rotate NAME --grace-hours 0` instead.
    """
    now = int(time.time())
    await _change(store, name, "revoked", lambda key: replace(key, revoked_at=now), removes_webhooks=True)
    click.echo(f"revoked the key {name}; instances reject it within {CACHE_TTL_S:.0f} s", err=True)


def _replace_quotas(quotas: Quotas, given: dict[str, int | None]) -> Quotas:
    """Return the quotas with those that are given."""
    return replace(quotas, **{name: number for name, number in given.items() if number is not None})


async def _change(
    store: RedisStore, name: str, verb: str, change: Callable[[ApiKey], ApiKey], *, removes_webhooks: bool = False
) -> ApiKey:
    """Change a key that is not revoked, record that, and return it. Raises ClickException."""
    while True:
        stored = await store.api_keys.load(name)
        if stored is None:
            raise click.ClickException(f"there is no key {name}: see `keys list`")
        if stored.key.revoked_at is not None:
            raise click.ClickException(f"the key {name} was revoked: add one with another name")
        changed = change(stored.key)
        if await store.api_keys.save(changed, stored.revision):
            break
    if removes_webhooks:
        subject = subject_of_key(name)
        for webhook in await store.webhooks.list_by_subject(subject):
            await store.webhooks.remove(subject, webhook.registration.id)
    log_change(f"{verb} the key {name}", _describe_quotas(changed.quotas))
    return changed


def _print_secret(secret: str, text: str) -> None:
    """Print a secret alone on the standard output, so that a script can store it."""
    click.echo(f"{text}. Its secret, which is not shown again:", err=True)
    click.echo(secret)


def _describe_quotas(quotas: Quotas) -> str:
    return (
        f"{quotas.games_per_hour} games an hour, {quotas.requests_per_minute} requests a minute, "
        f"{quotas.bot_turns_per_hour} bot turns an hour"
    )


def _describe_status(key: ApiKey, now: float) -> str:
    if key.revoked_at is not None:
        return f"revoked {timestamp(key.revoked_at)}"
    expiring = [one.expires_at for one in key.secrets if one.expires_at is not None and one.expires_at > now]
    return f"active, previous secret until {timestamp(expiring[0])}" if expiring else "active"


def _print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows in columns."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
