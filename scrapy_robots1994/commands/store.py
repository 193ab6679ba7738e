"""The command `scrapy robots-store`, which shows and manages stored policies."""

from __future__ import annotations

import base64
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.terminal import ExitCode, Unreadable, WrongUse
from scrapy_robots1994.errors import did_you_mean
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.outcomes import ROWS
from scrapy_robots1994.stores.base import PolicyStore, Stored
from scrapy_robots1994.stores.codec import decode, encode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy_robots1994.commands.inputs import PolicySource
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.policy.policy import Policy

ACTIONS = ("list", "show", "refresh", "forget", "stats", "export")
NARROWED = ("show", "refresh", "forget")

# The last second of the year 9999.
_LAST_SECOND = 253_402_300_799

_NOT_RENEWED = (
    "could not fetch robots.txt (see the log); the last good policy remains in use"
)


class RobotsStore(RobotsCommand):
    """The command `scrapy robots-store`."""

    help_text = """List, show, refresh, forget or export stored robots.txt policies.

    Work with the persistent store that ROBOTS1994_STORE or --store names: list its
    policies, show files, fetch policies again (refresh), forget policies, print
    totals (stats), or print all policies as JSON lines (export). Origins, URLs and
    options choose the policies. A running crawl keeps using the policies in its
    memory until these policies are stale. With --spider NAME, the settings of that
    spider name the store, and say how policies are fetched again. --dialect has no
    effect, because a store contains the answers of origins, and each crawl reads
    the answers in its own dialect.

    examples:
      scrapy robots-store list --host "*.example.com" --stale
      scrapy robots-store show https://example.com
      scrapy robots-store refresh --outcome unreachable
      scrapy robots-store forget --all --store sqlite:///robots.db
      scrapy robots-store export > robots.jsonl
    """
    arguments = f"{'|'.join(ACTIONS)} [ORIGIN...]"
    # Do not filter out log lines, because `_NOT_RENEWED` refers the user to the log.
    prints_results = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `robots-store`. `--fresh` and `--stale` cannot be combined."""
        super().add_options(parser)
        add, with_value = parser.add_argument, terminal.adder(parser)
        store = "use this store instead of the store of the project"
        with_value("--store", metavar="URL", help=store)
        hosts = 'only policies of hosts that match GLOB, such as "*.example.com"'
        add("--host", metavar="GLOB", default="*", help=hosts)
        outcomes = [row.outcome.value for row in ROWS if row.groups]
        outcome = "only policies with this outcome"
        add("--outcome", choices=outcomes, default="", help=outcome)
        add("--all", action="store_true", help="refresh, forget or show all policies")
        add("--json", action="store_true", help="print JSON, one object per line")
        age = parser.add_mutually_exclusive_group()
        age.add_argument("--fresh", action="store_true", help="only fresh policies")
        age.add_argument("--stale", action="store_true", help="only stale policies")

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Select policies, apply the action, print the result, and return the exit code."""
        # Import late, because Scrapy loads this module for every command.
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - imported only when needed

        action, origins = _wanted(args, opts)
        opts.json |= action == "export"
        if opts.store:
            self.settings.set("ROBOTS1994_STORE", opts.store, priority="cmdline")
        settings = RobotsSettings.from_settings(self.settings)
        store = settings.store.new_store()
        if store is None:
            raise WrongUse(
                "a memory:// store ends with its crawl; name a persistent store with "
                'ROBOTS1994_STORE or --store, for example "sqlite:///robots.db"'
            )
        try:
            with closing(store):
                store.check()
                policies = _selected(store, origins, opts, settings)
                _change(action, store, policies)
        except Exception as error:  # noqa: BLE001 - a store may raise anything
            why = settings.store.describe(error)
            raise Unreadable(f"the store failed: {why}") from None
        found = {policy.origin for policy in policies}
        if action == "refresh":
            found |= origins
        if not found and not store.exists:
            raise Unreadable(
                f"{settings.store}: there is no such file or folder; a crawl creates the "
                "file, but not its folder"
            )
        if not found:
            note = f"{settings.store} has no matching policy"
            terminal.print_note(escape_control_chars(note, 500))
        if found and action == "refresh":
            return self._refresh(sorted(found), opts)
        _report(action, policies, as_json=opts.json)
        return ExitCode.FINE if found or action == "stats" else ExitCode.FOUND

    def _refresh(self, origins: list[Origin], opts: argparse.Namespace) -> int:
        """Fetch the policies of *origins*, print each outcome, and return the exit code."""
        are_fetched: list[bool] = []

        def show(source: PolicySource) -> None:
            # R5 (unreachable): after a failed fetch, a source may contain the last good
            # policy.
            is_stale = source.policy is not None and source.policy.is_stale_on_error
            are_fetched.append(source.is_known and not is_stale)
            why = _NOT_RENEWED if is_stale else source.why
            row = {"url": source.name, "outcome": source.outcome, "why": why}
            text = f"{source.outcome:<11} {source.name} {why}".rstrip()
            _print(row, [escape_control_chars(text, 500)], as_json=opts.json)

        lookup = self.lookup(opts)
        lookup.run([it.robots_url for it in origins], show)
        is_stored = not lookup.store_failures
        return ExitCode.FINE if is_stored and all(are_fetched) else ExitCode.UNREAD


def _wanted(args: list[str], opts: argparse.Namespace) -> tuple[str, set[Origin]]:
    """Return the action and the origins that the arguments *args* name.

    Raises `WrongUse` if an argument is wrong or missing.
    """
    if not args or args[0] not in ACTIONS:
        hint = did_you_mean(args[0], ACTIONS) if args else ""
        raise WrongUse(f"say what to do: {', '.join(ACTIONS)}{hint}")
    action, *names = args
    origins = set[Origin]()
    for name in names:
        if (origin := Origin.of(name)) is None:
            shown = repr(escape_control_chars(name, 60))
            raise WrongUse(f"{shown} is not an origin: write https://host")
        origins.add(origin)
    is_narrow = names or opts.outcome or opts.fresh or opts.stale or opts.host != "*"
    if action in NARROWED and not (is_narrow or opts.all):
        raise WrongUse(
            f"{action} what? Name origins, choose policies with an option, or use --all"
        )
    return action, origins


def _selected(
    store: PolicyStore,
    origins: set[Origin],
    opts: argparse.Namespace,
    settings: RobotsSettings,
) -> list[Policy]:
    """Return the stored policies that match the options, sorted by origin.

    If *origins* is not empty, return only policies of *origins*.
    """
    reader, now = settings.new_reader(), time.time()
    found: list[Policy] = []
    entries = ((it, store.get(it)) for it in origins)
    if not origins:
        entries = ((it.origin, it.packed) for it in store.entries())
    for origin, packed in entries:
        policy = packed and decode(packed, origin, reader, settings.freshness)
        if policy and _fits(policy, opts, now):
            found.append(policy)
    return sorted(found, key=lambda it: it.origin)


def _fits(policy: Policy, opts: argparse.Namespace, now: float) -> bool:
    """Return whether *policy* matches the options, and may still be used at the
    time *now*.
    """
    is_fresh = policy.is_fresh(now)
    return (
        policy.keep_until > now
        and fnmatchcase(policy.origin.host, opts.host.lower())
        and opts.outcome in ("", policy.outcome.value)
        and not (opts.stale if is_fresh else opts.fresh)
    )


def _change(action: str, store: PolicyStore, policies: list[Policy]) -> None:
    """Remove *policies* from *store* if *action* is "forget". Expire *policies* if *action*
    is "refresh".
    """
    for policy in policies:
        if action == "forget":
            store.forget(policy.origin)
        elif action == "refresh":
            _expire(store, policy)


def _expire(store: PolicyStore, policy: Policy) -> None:
    """Store *policy* with its times moved back, so that the next use needs a new fetch.

    The validators remain stored, so that a 304 answer can confirm *policy* according to
    R1 (not modified). If the next fetch fails, *policy* remains in use as the last good
    policy according to R5 (unreachable). If *policy* is too old to be the last good
    policy, *policy* is removed from the store. If the origin did not state *policy*,
    *policy* is also removed.
    """
    now = time.time()
    # Never move the times forward, because an old policy must not become newer.
    back = max(policy.stale_until - now, policy.fresh_until - now, 0.0)
    expired = replace(
        policy,
        fetched_at=policy.fetched_at - back,
        keep_until=policy.keep_until - back,
        is_stale_on_error=False,
    )
    if expired.is_known and expired.keep_until > now:
        store.put(Stored(policy.origin, encode(expired), expired.keep_until))
    else:
        store.forget(policy.origin)


def _row(policy: Policy, now: float) -> dict[str, Any]:
    """Return the attributes of *policy*, except the file, as plain values for JSON."""
    robots = policy.robots
    return {
        "origin": str(policy.origin),
        "outcome": policy.outcome.value,
        "status": policy.status,
        "is_fresh": policy.is_fresh(now),
        "stale_if_error": policy.is_stale_on_error,
        "fetched_at": _moment(policy.fetched_at),
        "fresh_until": _moment(policy.fresh_until),
        "keep_until": _moment(policy.keep_until),
        "etag": policy.etag,
        "last_modified": policy.last_modified,
        "final_url": policy.final_url,
        "failure": policy.failure,
        "bytes": None if robots is None else robots.size,
    }


def _line(row: dict[str, Any]) -> str:
    """Return one printable line about the policy that *row* describes."""
    state = "fresh" if row["is_fresh"] else "stale"
    state += ", stale if error" * row["stale_if_error"]
    size = "-" if row["bytes"] is None else f"{row['bytes']} bytes"
    shown = escape_control_chars(row["origin"], 300)
    return f"{row['outcome']:<11} {row['fresh_until']}  {state:<6} {size:>13}  {shown}"


def _totals(policies: list[Policy], now: float) -> Iterator[tuple[str, str, Any]]:
    """Yield the totals of *policies* at the time *now*.

    Each total is a tuple of the key in JSON output, the name in text output, and the value.
    """
    outcomes = Counter(policy.outcome.value for policy in policies)
    files = [policy.robots for policy in policies if policy.robots is not None]
    fresh = sum(policy.is_fresh(now) for policy in policies)
    stale = sum(policy.is_stale_on_error for policy in policies)
    yield "origins", "origins", len(policies)
    yield "fresh", "fresh policies", fresh
    yield "stale_if_error", "last good policies in use after a failed refresh", stale
    yield "outcomes", "outcomes", dict(sorted(outcomes.items()))
    yield "bytes", "bytes of files", sum(robots.size for robots in files)
    yield "different_files", "different files", len({id(it) for it in files})


def _moment(seconds: float) -> str:
    """Return *seconds*, a time in seconds since the epoch, as text. A time outside the years
    that `datetime` can represent becomes the nearest time in these years.
    """
    moment = datetime.fromtimestamp(min(max(seconds, 0), _LAST_SECOND), timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _report(action: str, policies: list[Policy], *, as_json: bool) -> None:
    """Print the result of *action* for *policies*."""
    now = time.time()
    if action == "stats":
        sums = list(_totals(policies, now))
        lines = [f"{words}: {_counts(value)}" for _, words, value in sums]
        _print({key: value for key, _, value in sums}, lines, as_json=as_json)
        return
    for policy in policies:
        row, robots = _row(policy, now), policy.robots
        lines = [_line(row)]
        if action in {"show", "export"}:
            row["body"] = robots and base64.b64encode(robots.body).decode("ascii")
        if action == "show" and robots is not None:
            for written in robots.lines:
                text = escape_control_chars(written.text, 200)
                lines.append(f"{written.number:>6} {text}")
        _print(row, lines, as_json=as_json)
    if action == "forget" and not as_json:
        terminal.print_line(f"{len(policies)} forgotten")


def _print(row: dict[str, Any], lines: list[str], *, as_json: bool) -> None:
    """Print *row* as JSON if *as_json* is true, otherwise print *lines*."""
    if as_json:
        terminal.print_json(row)
    else:
        terminal.print_lines(lines)


def _counts(value: int | dict[str, int]) -> str:
    """Return *value* as text. *value* is one number, or a dictionary from names
    to numbers.
    """
    if isinstance(value, int):
        return str(value)
    return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
