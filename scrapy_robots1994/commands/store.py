"""`scrapy robots-store`: list, show, refresh or forget stored policies."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from scrapy_robots1994.commands import store_view, terminal
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.store_view import PolicyFilter, StoreView
from scrapy_robots1994.errors import did_you_mean
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Outcome

if TYPE_CHECKING:
    import argparse

    from scrapy_robots1994.commands.fetch_policies import PolicySource
    from scrapy_robots1994.policy import Policy

ACTIONS = ("list", "show", "refresh", "forget", "stats", "export")
NARROWED = ("show", "refresh", "forget")


class RobotsStore(RobotsCommand):
    """List, show, refresh, forget or export stored robots.txt policies.

    Work with the persistent store that ROBOTS1994_STORE or --store names: list its
    policies, show files, fetch them again (refresh), forget them, count (stats), or
    print everything as JSON lines (export). Origins or URLs and the options say which
    policies. A crawl that runs goes on using what it has in memory until that runs out.

    examples:
      scrapy robots-store list --host "*.example.com" --stale
      scrapy robots-store show https://example.com
      scrapy robots-store refresh --outcome unreachable
      scrapy robots-store forget --all --store sqlite:///robots.db
      scrapy robots-store export > robots.jsonl
    """

    arguments = f"{'|'.join(ACTIONS)} [ORIGIN...]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options, two of which exclude each other."""
        super().add_options(parser)
        add = parser.add_argument
        add("--store", metavar="URL", help="this store, not the project's")
        add(
            "--host",
            metavar="GLOB",
            default="*",
            help='only hosts like "*.example.com"',
        )
        add(
            "--outcome",
            choices=[it.value for it in Outcome if it is not Outcome.RENEWED],
            default="",
            help="only policies of this outcome",
        )
        add("--all", action="store_true", help="refresh, forget or show everything")
        add("--json", action="store_true", help="print JSON, one object a line")
        age = parser.add_mutually_exclusive_group()
        age.add_argument("--fresh", action="store_true", help="only what is fresh")
        age.add_argument("--stale", action="store_true", help="only what ran out")

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Choose, act, print, and return the exit code."""
        # Loaded here: Scrapy loads this module whatever command it runs.
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - as above

        action, wanted = _wanted(args, opts)
        if opts.store:
            self.settings.set("ROBOTS1994_STORE", opts.store, priority="cmdline")
        settings = RobotsSettings.from_settings(self.settings)
        store = settings.store.new_store()
        if store is None:
            msg = (
                "memory:// ends with its crawl; name a persistent store in "
                'ROBOTS1994_STORE or by --store, for example "sqlite:///robots.db"'
            )
            raise terminal.WrongUse(msg)
        try:
            with closing(store):
                view = StoreView(store, settings)
                policies = view.select(wanted)
                if action == "forget":
                    view.forget(policies)
                elif action == "refresh":
                    view.expire(policies)
        except Exception as error:  # noqa: BLE001 - a store may be of any kind
            terminal.print_line(f"the store failed: {settings.store.describe(error)}")
            return terminal.ExitCode.UNREAD
        found = {policy.origin for policy in policies}
        if action == "refresh":
            found |= wanted.origins
        if not found:
            text = f"{settings.store} has no policy that fits"
            terminal.print_note(escape_control_chars(text, 500))
        elif action == "refresh":
            return self._refresh(sorted(found), opts)
        _print(action, policies, as_json=opts.json)
        return (
            terminal.ExitCode.FINE
            if found or action == "stats"
            else terminal.ExitCode.FOUND
        )

    def _refresh(self, origins: list[Origin], opts: argparse.Namespace) -> int:
        """Fetch the policies through the project's downloader, and print each."""
        are_known: list[bool] = []

        def show(source: PolicySource) -> None:
            are_known.append(source.is_known)
            row = {"url": source.name, "outcome": source.outcome, "why": source.why}
            text = f"{source.outcome:<11} {source.name} {source.why}".rstrip()
            if opts.json:
                terminal.print_json(row)
            else:
                terminal.print_line(escape_control_chars(text, 500))

        self.lookup(opts).run([it.robots_url for it in origins], show)
        return terminal.ExitCode.FINE if all(are_known) else terminal.ExitCode.UNREAD


def _wanted(args: list[str], opts: argparse.Namespace) -> tuple[str, PolicyFilter]:
    """Return the action and the filter that the arguments say; else `WrongUse`."""
    if not args or args[0] not in ACTIONS:
        hint = did_you_mean(args[0], ACTIONS) if args else ""
        raise terminal.WrongUse(f"say what to do: {', '.join(ACTIONS)}{hint}")
    action, *names = args
    for name in names:
        if Origin.of(name) is None:
            shown = repr(escape_control_chars(name, 60))
            raise terminal.WrongUse(f"{shown} is not an origin: write https://host")
    is_fresh = opts.fresh if opts.fresh or opts.stale else None
    origins = frozenset(filter(None, map(Origin.of, names)))
    wanted = PolicyFilter(origins, opts.host, opts.outcome, is_fresh)
    if action in NARROWED and wanted == PolicyFilter() and not opts.all:
        raise terminal.WrongUse(
            f"{action} what? Name origins, narrow by an option, or say --all"
        )
    return action, wanted


def _print(action: str, policies: list[Policy], *, as_json: bool) -> None:
    """Print what *action* shows of *policies*."""
    now = time.time()
    if action == "stats":
        sums = store_view.totals(policies, now)
        if as_json:
            terminal.print_json(sums)
            return
        for name, value in sums.items():
            terminal.print_line(f"{name}: {_counts(value)}")
        return
    for policy in policies:
        row = store_view.as_row(policy, now)
        if action == "export" or (as_json and action == "show"):
            terminal.print_json(row | {"body": store_view.body_of(policy)})
        elif as_json:
            terminal.print_json(row)
        else:
            terminal.print_line(store_view.as_line(row))
        if action == "show" and not as_json and policy.robots is not None:
            for written in policy.robots.lines:
                text = escape_control_chars(written.text, 200)
                terminal.print_line(f"{written.number:>6} {text}")
    if action == "forget" and not as_json:
        terminal.print_line(f"{len(policies)} forgotten")


def _counts(value: int | dict[str, int]) -> str:
    """Return one number, or several with what each counts."""
    if isinstance(value, int):
        return str(value)
    return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
