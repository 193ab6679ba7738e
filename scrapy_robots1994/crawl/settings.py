"""The settings: `ROBOTS1994_MAX_BYTES` is `RobotsSettings.max_bytes`, and so on.

The docstring of a field appears on the reference page.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from logging import DEBUG, INFO
from typing import TypeVar, cast

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings, default_settings

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl import setting_types as types
from scrapy_robots1994.crawl.log import log_line, logger
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.errors import MissingExtra, SettingsError, closest
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.parser.user_agent import describe_names, robot_names, robot_text
from scrapy_robots1994.policy.outcomes import ROWS, SETTING_PREFIX, Outcome, OutcomeRow
from scrapy_robots1994.policy.policy import FreshnessSettings
from scrapy_robots1994.robotstxt import MAX_BYTES, Reader
from scrapy_robots1994.stores.url import MEMORY_URL, StoreUrl

T = TypeVar("T")


def declare(
    kind: types.SettingType[T],
    default: object,
    *,
    group: str = "",
    decides: bool = False,
) -> T:
    """Declare a setting of type *kind*.

    *default* is written as a user would write it. *group* starts a section of the reference page
    with that heading. *decides* marks a setting that affects decisions. Such settings are recorded
    in the evidence and read back from it. Because evidence is untrusted, they must not name a
    module, file or server.
    """
    row = {"type": kind, "default": default, "group": group, "decides": decides}
    return cast("T", field(metadata=row))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RobotsSettings:
    dialect: str = declare(
        types.one_of(*DIALECT_NAMES), "1994", group="How files are read", decides=True
    )
    """How robots.txt files are read; see :ref:`page-dialects`. ``"strictest"`` disallows everything
    that ``"1994"`` or ``"rfc9309"`` disallows.
    """
    max_bytes: int = declare(types.count(1, MAX_BYTES), MAX_BYTES, decides=True)
    """The maximum size of a robots.txt, in bytes. If a file is longer, only the complete lines
    within this size are obeyed. A file over 8 MiB counts as unreachable.
    """
    forbidden: str = declare(
        types.MEANING,
        Outcome.FORBIDDEN.row.default,
        group="What an answer means",
        decides=True,
    )
    """Whether a 401 or 403 for robots.txt disallows or allows all URLs of the origin."""
    unreachable: str = declare(
        types.MEANING, Outcome.UNREACHABLE.row.default, decides=True
    )
    """Whether an unreachable robots.txt disallows or allows all URLs of the origin if no earlier
    policy can be used.
    """
    ttl: float = declare(
        types.SECONDS, 86_400, group="How long a policy is used", decides=True
    )
    """How long a policy is fresh, in seconds. Response headers may shorten this, but not below 300
    s. The default is one day.
    """
    stale_ttl: float = declare(types.SECONDS, 2_592_000, decides=True)
    """How long a stale policy remains in use if it cannot be refreshed, in seconds. The default is
    30 days.
    """
    store: StoreUrl = declare(types.STORE, MEMORY_URL)  # noqa: RUF009 - `declare` returns a field
    """The URL of the store for policies; see :doc:`/stores`."""
    # Shorter than DOWNLOAD_TIMEOUT, because all pages of the origin wait.
    timeout: float = declare(
        types.POSITIVE_SECONDS, 30, group="How robots.txt is requested", decides=True
    )
    """The timeout of a robots.txt request and of each redirect, in seconds. If ``DOWNLOAD_TIMEOUT``
    or the page's ``download_timeout`` is shorter, it applies instead.
    """
    propagate_meta: tuple[str, ...] = declare(types.META_KEYS, ())
    """Meta keys to copy from the page request to the robots.txt request, in addition to ``proxy``,
    ``bindaddress`` and ``cookiejar``. Keys that the robots.txt request sets, such as
    ``dont_redirect``, are not copied.
    """
    exempt: frozenset[str | Origin] = declare(types.EXEMPT, ())
    """Hosts and origins whose URLs are not checked, and whose robots.txt is not requested. A host
    such as ``"api.example.com"`` includes all schemes and ports, but no subdomains. An origin is
    written with its scheme, as in ``"https://h.example:8443"``.
    """
    # Limited, because waiting requests are kept in memory, even with JOBDIR.
    max_waiting: int = declare(types.count(0, 1_000), 1_000)
    """How many requests may wait for a robots.txt without counting towards
    ``CONCURRENT_REQUESTS``. At most 64 of them may be for the same origin. Further waiting requests
    do count, so a slow robots.txt can then delay requests for other origins. If
    ``CLOSESPIDER_PAGECOUNT``, ``CLOSESPIDER_PAGECOUNT_NO_ITEM`` or ``CLOSESPIDER_ITEMCOUNT`` is
    set to ``n``, at most ``n / 100`` requests may wait in this way. Waiting requests are lost if
    the crawl is killed (SIGKILL).
    """
    dry_run: bool = declare(types.FLAG, default=False, group="Comparison")
    """Whether to leave all decisions to Scrapy's own middleware, and only report what
    scrapy_robots1994 would change; see :ref:`page-dry-run`. Settings for pages, usage, delays,
    evidence and stores then have no effect.
    """
    compare: tuple[str | type, ...] = declare(types.PARSERS, ())
    """Parsers to compare each decision with; see :ref:`page-comparing`. ``True`` means the parser
    in ``ROBOTSTXT_PARSER``.
    """
    compare_report: str | None = declare(types.REPORT_PATH, None)
    """The path of the comparison report, which is written when the spider closes. The path may
    contain ``%(name)s`` and ``%(time)s``, as in ``FEEDS``.
    """
    crawl_delay: float | None = declare(
        types.CRAWL_DELAY, default=False, group="Beyond robots.txt rules"
    )
    """Whether to obey Crawl-delay, in the :ref:`dialects <page-dialects>` that have it. A number is
    the maximum delay, in seconds.
    """
    pages: frozenset[str] = declare(types.PAGES, default=False)
    """Whether to drop items of NOINDEX pages and requests from NOFOLLOW pages. With a list, only
    the directives in it are obeyed; ``"rel-nofollow"`` drops requests for links with
    ``rel=nofollow``.
    """
    usage: str = declare(types.USAGE, default=False, decides=True)
    """What to do with usage preferences; see :doc:`/preferences`. With ``"report"``, they are
    counted, logged and put into ``response.meta``. ``"items"`` also drops the items of a page that
    disallows a purpose in ``ROBOTS1994_PURPOSES``. ``"requests"`` does that too, and refuses the
    request for a page if robots.txt already disallows such a purpose.
    """
    purposes: tuple[str, ...] = declare(types.PURPOSES, (), decides=True)
    """What you use the pages for, such as ``"train-ai"``; see :doc:`/preferences`."""
    evidence: str | None = declare(types.FOLDER, None)
    """The path of the folder in which each crawl records every robots.txt and every decision; see
    :doc:`/evidence`. The path may contain ``%(name)s`` and ``%(time)s``, as in ``FEEDS``.
    """
    close_when_denied: bool = declare(types.FLAG, default=False)
    """Whether the closing reason is ``robotstxt_denied`` if all start requests were refused."""

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> "RobotsSettings":
        """Raise `SettingsError` for an unknown `ROBOTS1994_` name or an invalid value."""
        known = {SETTING_PREFIX + each.name.upper(): each for each in fields(cls)}
        for name in settings:
            if name.upper().startswith(SETTING_PREFIX) and name not in known:
                raise SettingsError(_unknown(name, list(known)))
        values = {}
        for name, each in known.items():
            value = settings.get(name, each.metadata["default"])
            values[each.name] = each.metadata["type"].read(name, value)
        chosen = cls(**values)
        if chosen.usage in {types.ITEMS, types.REQUESTS} and not chosen.purposes:
            raise SettingsError(
                f'ROBOTS1994_USAGE = "{chosen.usage}" needs purposes: say in '
                'ROBOTS1994_PURPOSES what you use the pages for, for example ["train-ai"].'
            )
        return chosen

    @property
    def reads_pages(self) -> bool:
        return bool(self.pages or self.usage)

    @property
    def request_purposes(self) -> tuple[str, ...]:
        """A request is refused if robots.txt disallows one of these purposes for its page."""
        return self.purposes if self.usage == types.REQUESTS else ()

    @property
    def freshness(self) -> FreshnessSettings:
        return FreshnessSettings(
            ttl=self.ttl,
            stale_ttl=self.stale_ttl,
            allowing=frozenset(
                row.outcome for row in ROWS if row.reason and self._allows(row)
            ),
        )

    def _allows(self, row: OutcomeRow) -> bool:
        if not row.setting:
            return row.allows
        return bool(getattr(self, row.setting.lower()) == "allow")

    def new_reader(self) -> Reader:
        return Reader(self.dialect, self.max_bytes)

    def log_start(self, crawler: Crawler) -> None:
        robot, more = RobotName(crawler).usual, ""
        if self.dry_run:
            more += "; dry run: Scrapy's own middleware decides"
        if self.usage:
            from scrapy_robots1994.parser.usage import VERSIONS  # noqa: PLC0415 - imported only if a setting needs it

            purposes = ", ".join(self.purposes)
            what = (
                f"pages are used for {purposes}"
                if purposes
                else "preferences are reported"
            )
            more += f"; {what} ({VERSIONS})"
        # Added last, because a long line is cut at the end.
        if self.exempt:
            more += f"; not checked: {', '.join(sorted(map(str, self.exempt)))}"
        log_line(
            crawler,
            INFO,
            "scrapy_robots1994 %s: dialect %s, robot name %s, store %s%s",
            __version__,
            self.dialect,
            robot_text(robot) or '""',
            str(self.store),
            more,
        )
        if robot == default_settings.USER_AGENT:
            text = (
                "The robot has Scrapy's default name, which some sites disallow: set "
                "USER_AGENT to the name of your robot, with a contact address"
            )
            log_line(crawler, INFO, text)
        if names := describe_names(robot):
            log_line(crawler, DEBUG if robot_names(robot) else INFO, "%s", names)


def _unknown(name: str, known: list[str]) -> str:
    # Compare the names without their common prefix, which would make all of them similar.
    words = [each.removeprefix(SETTING_PREFIX) for each in known]
    close = closest(name.upper().removeprefix(SETTING_PREFIX), words)
    listed = f"the settings are {', '.join(known)}."
    hint = f"did you mean {SETTING_PREFIX}{close}?" if close else listed
    return f"{escape_control_chars(name)} is not a setting of scrapy_robots1994; {hint}"


@contextmanager
def log_settings_errors() -> Iterator[None]:
    """Log an invalid setting or a missing extra as one CRITICAL line, and raise the error again.

    The message of the error is easily overlooked below Scrapy's traceback. If the crawl is an
    asyncio task, as in `scrapy crawl`, this line replaces the traceback.
    """
    try:
        yield
    # Other exceptions are bugs and need their traceback.
    except (SettingsError, MissingExtra) as error:
        logger.critical("The crawl cannot start: %s", error)
        # If no event loop is running, there is no task, and Scrapy reports the error itself.
        with suppress(RuntimeError):
            if task := asyncio.current_task():
                # Retrieve the exception, or asyncio would log it with a traceback.
                task.add_done_callback(lambda it: it.cancelled() or it.exception())
        raise
