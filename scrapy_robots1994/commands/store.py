"""`scrapy robots-store`: what the lasting store of the project holds."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NoReturn

from scrapy.exceptions import UsageError

from scrapy_robots1994.commands import store_view as holdings
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.fetch_policies import (
    Inquiry,
    ask,
    leave_out,
    must_be_there,
)
from scrapy_robots1994.commands.policies import from_found
from scrapy_robots1994.commands.store_view import PolicyFilter, StoreView
from scrapy_robots1994.commands.terminal import note, say
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Outcome

if TYPE_CHECKING:
    import argparse

    from scrapy_robots1994.policy import Policy

NOTHING = 1
FAILED = 3

ACTIONS = ("list", "show", "refresh", "forget", "stats", "export")
NARROWED = ("show", "refresh", "forget")

EXAMPLES = """\
examples:
  scrapy robots-store list --host "*.example.com" --stale
  scrapy robots-store show https://example.com
  scrapy robots-store refresh --outcome unreachable
  scrapy robots-store forget --all --store sqlite:///robots.db
  scrapy robots-store export > robots.jsonl

exit code: 0 done, 1 nothing fits, 2 wrong use, 3 the store failed or a policy could
not be had
"""


class RobotsStore(RobotsCommand):
    """Looks into the store, asks origins anew, and forgets."""

    examples = EXAMPLES

    def syntax(self) -> str:
        """How it is called."""
        return f"{'|'.join(ACTIONS)} [options] [ORIGIN...]"

    def short_desc(self) -> str:
        """What the list of commands says of it."""
        return "List, show, refresh, forget or export stored robots.txt policies"

    def long_desc(self) -> str:
        """What its help says first."""
        return (
            "Work with the lasting store that ROBOTS1994_STORE or --store names: list "
            "what it holds, show files, ask origins anew (refresh), forget them, count "
            "(stats), or print everything as JSON lines (export). Which policies are "
            "meant is said by origins or URLs and by the options. A crawl that runs "
            "keeps in its memory what it knows until that runs out."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        parser.add_argument(
            "--store", metavar="URL", help="this store, not the project's"
        )
        parser.add_argument(
            "--host",
            metavar="GLOB",
            default="*",
            help='only hosts like "*.example.com"',
        )
        parser.add_argument(
            "--outcome",
            choices=[o.value for o in Outcome if o is not Outcome.RENEWED],
            default="",
            help="only policies of this outcome",
        )
        age = parser.add_mutually_exclusive_group()
        age.add_argument("--fresh", action="store_true", help="only what is fresh")
        age.add_argument("--stale", action="store_true", help="only what ran out")
        parser.add_argument(
            "--all", action="store_true", help="refresh, forget or show everything"
        )
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object a line"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Choose, act, print, and leave the exit code."""
        action, choice = _wanted(args, opts)
        if opts.store:
            self.own_settings.set("ROBOTS1994_STORE", opts.store, priority="cmdline")
        try:
            settings = RobotsSettings.from_settings(self.own_settings)
            store = settings.store.new_store()
        except RobotsError as error:
            raise UsageError(str(error)) from None
        if store is None:
            msg = (
                "memory:// ends with its crawl; name a lasting store in "
                'ROBOTS1994_STORE or by --store, for example "sqlite:///robots.db"'
            )
            raise UsageError(msg)
        if action == "refresh":
            # Before anything is aged.
            must_be_there(self.process, opts.spider)
        else:
            leave_out(self.process, opts.spider)
        try:
            with StoreView.opened(store, settings) as held:
                policies = held.chosen(choice)
                if action == "forget":
                    held.forget(policies)
                elif action == "refresh":
                    held.age(policies)
        except Exception as error:  # noqa: BLE001 - a store may be anybody's
            self._give_up(settings.store.describe(error))
        self.exitcode = 0 if policies or action == "stats" else NOTHING
        if not policies and not (action == "refresh" and choice.origins):
            note(escape_control_chars(f"{settings.store} holds nothing that fits", 500))
        if action == "refresh":
            self._refresh(policies, choice, opts)
        else:
            _print(action, policies, as_json=opts.json)

    def _give_up(self, why: str) -> NoReturn:
        """Say that the store failed, in one line."""
        say(f"the store failed: {why}")
        raise SystemExit(FAILED) from None

    def _refresh(
        self, policies: list[Policy], choice: PolicyFilter, opts: argparse.Namespace
    ) -> None:
        """Ask the origins through the project's downloader, and tell what came."""
        origins = sorted({policy.origin for policy in policies} | choice.origins)
        inquiry = Inquiry([origin.robots_url for origin in origins])
        if inquiry.urls:
            ask(self.process, inquiry, opts.spider)
        else:
            leave_out(self.process, opts.spider)
        if inquiry.error:
            raise UsageError(escape_control_chars(inquiry.error, 300))
        sources = [from_found(url, found) for url, found in inquiry.found.items()]
        for source in sources:
            row = {"url": source.name, "outcome": source.outcome, "why": source.why}
            text = f"{source.outcome:<11} {source.name} {source.why}".rstrip()
            say(json.dumps(row) if opts.json else escape_control_chars(text, 500))
        if sources:
            self.exitcode = 0 if all(s.is_known for s in sources) else FAILED


def _wanted(args: list[str], opts: argparse.Namespace) -> tuple[str, PolicyFilter]:
    """The action and the choice that the arguments say; `UsageError` if they do not."""
    if not args or args[0] not in ACTIONS:
        msg = f"say what to do: {', '.join(ACTIONS)}"
        raise UsageError(msg)
    action, *names = args
    origins = set()
    for name in names:
        origin = Origin.of(name)
        if origin is None:
            msg = f"{escape_control_chars(name, 60)!r} is no origin: write https://host"
            raise UsageError(msg)
        origins.add(origin)
    is_fresh = True if opts.fresh else False if opts.stale else None
    choice = PolicyFilter(frozenset(origins), opts.host, opts.outcome, is_fresh)
    if action in NARROWED and choice == PolicyFilter() and not opts.all:
        msg = f"{action} what? Name origins, narrow by an option, or say --all"
        raise UsageError(msg)
    return action, choice


def _counts(value: int | dict[str, int]) -> str:
    """One number, or several with what each counts."""
    if isinstance(value, int):
        return str(value)
    return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"


def _print(action: str, policies: list[Policy], *, as_json: bool) -> None:
    """Print what *action* shows of *policies*."""
    now = time.time()
    if action == "stats":
        sums = holdings.totals(policies, now)
        rows = [f"{name}: {_counts(value)}" for name, value in sums.items()]
        for line in [json.dumps(sums)] if as_json else rows:
            say(line)
        return
    for policy in policies:
        if action == "export" or (as_json and action == "show"):
            say(json.dumps(holdings.as_export(policy, now)))
        elif as_json:
            say(json.dumps(holdings.as_row(policy, now)))
        else:
            say(holdings.as_line(policy, now))
        if action == "show" and not as_json and policy.robots is not None:
            for written in policy.robots.lines:
                say(f"{written.number:>6} {escape_control_chars(written.text, 200)}")
    if action == "forget" and not as_json:
        say(f"{len(policies)} forgotten")
