"""The settings of the package. Each field of `RobotsSettings` declares one setting: its
type, its default and its meaning.

To add a setting, add a field to `RobotsSettings`. The name of the setting is `ROBOTS1994_`
followed by the name of the field in capitals. The string below the field is the
documentation of the setting. Settings are read, checked and shown on the reference page in
the order of the fields.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timezone
from logging import DEBUG, INFO, WARNING
from pathlib import Path
from typing import TypeVar, cast

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from w3lib.url import file_uri_to_path

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl import setting_types as types
from scrapy_robots1994.crawl.log import log_line, logger
from scrapy_robots1994.crawl.requests import RobotName, has_default_name
from scrapy_robots1994.errors import MissingExtra, SettingsError, closest
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.dialects import DIALECT_NAMES, grammars_of
from scrapy_robots1994.parser.fields import Role
from scrapy_robots1994.parser.user_agent import describe_names, robot_names, robot_text
from scrapy_robots1994.policy.outcomes import ROWS, SETTING_PREFIX, Outcome, OutcomeRow
from scrapy_robots1994.policy.policy import FreshnessSettings
from scrapy_robots1994.robotstxt import MAX_BYTES, Reader
from scrapy_robots1994.stores.url import StoreUrl

# The name of every setting of this package begins with this prefix. A name that begins
# with this prefix must be the name of a setting, so that a misspelt setting is reported
# as an error.
PREFIX = SETTING_PREFIX

ROUGH_SIZE = "RESPONSE_ROUGH_SIZE"
"""The name of a setting that Scrapy's pull request 6430 added. The value is the size, in
bytes, that Scrapy assumes for the response to an unanswered request. A request that waits
for a robots.txt also counts as unanswered.
"""

T = TypeVar("T")


def declare(
    kind: types.SettingType[T],
    default: object,
    *,
    group: str = "",
    decides: bool = False,
) -> T:
    """Return the dataclass field of one setting of type *kind*.

    Write *default* as a user would write the value. If *group* is given, *group* is the
    heading of a new group of settings on the reference page. *decides* is `True` if the
    setting affects decisions about requests. Settings that affect decisions are written
    into evidence and read from evidence. Evidence is not trusted, so a setting that
    affects decisions must not name a module, a file or a server.

    For a type checker, the result has the type of the setting's value, so that a field
    with a different annotation is an error.
    """
    # A setting for the meaning of an outcome always affects decisions.
    decides = decides or kind is types.MEANING
    # Store the default in the metadata, and not as the default of the dataclass field. A
    # default in the metadata is parsed and checked like a value that the user sets.
    row = {"type": kind, "default": default, "group": group, "decides": decides}
    return cast("T", field(metadata=row))


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsSettings:
    """The settings of a crawl. All values have been checked."""

    dialect: str = declare(
        types.one_of(*DIALECT_NAMES), "1994", group="How files are read", decides=True
    )
    """The grammar that is used to read robots.txt files; see :ref:`page-dialects`.
    With ``strictest``, a URL is disallowed if ``1994`` or ``rfc9309`` disallows it.
    """
    # RFC 9309, section 2.5, requires crawlers to read at least 500 KiB.
    max_bytes: int = declare(types.count(1, MAX_BYTES), MAX_BYTES, decides=True)
    """Maximum size of a robots.txt in bytes. Only the whole lines within this size are
    obeyed (O24, truncated files). A file of more than 8 MB is unreachable (R5).
    """
    forbidden: str = declare(
        types.MEANING, Outcome.FORBIDDEN.row.default, group="What an answer means"
    )
    """The meaning of status 401 or 403 for robots.txt (R3, access refused). With
    ``disallow``, all URLs of the origin are disallowed. With ``allow``, all URLs are
    allowed.
    """
    unreachable: str = declare(types.MEANING, Outcome.UNREACHABLE.row.default)
    """The meaning of a robots.txt that cannot be fetched, if no earlier policy can be used
    (R5, unreachable). With ``disallow``, all URLs of the origin are disallowed. With
    ``allow``, all URLs are allowed.
    """
    ttl: float = declare(
        types.SECONDS, 86_400, group="How long a policy is used", decides=True
    )
    """Maximum freshness lifetime of a policy, in seconds, and its lifetime if the server
    states none. A shorter stated lifetime counts, but at least 300 s. The default is one
    day.
    """
    stale_ttl: float = declare(types.SECONDS, 2_592_000, decides=True)
    """Maximum time, in seconds, for which a stale policy remains in use while every refresh
    fails (R5, unreachable). The default is 30 days.
    """
    store: StoreUrl = declare(  # noqa: RUF009 - `declare` returns a field
        types.STORE, "memory://?max_origins=100000&max_bytes=200000000"
    )
    """URL of the store of policies; see :doc:`/stores`."""
    # The default is shorter than the default DOWNLOAD_TIMEOUT (180 s), because all pages of
    # the origin wait for robots.txt.
    timeout: float = declare(
        types.POSITIVE_SECONDS, 30, group="How robots.txt is requested", decides=True
    )
    """Maximum time, in seconds, that a robots.txt request may take. Each redirect begins
    a new request with a new time limit. The limit is the shortest of this setting,
    ``DOWNLOAD_TIMEOUT`` and the ``download_timeout`` of the page.
    """
    # Some download handlers define further meta keys that decide how a request leaves this
    # machine.
    propagate_meta: tuple[str, ...] = declare(types.META_KEYS, ())
    """Meta keys that the robots.txt request copies from the page request, in addition to
    ``proxy``, ``bindaddress`` and ``cookiejar``. Keys that it sets itself, such as
    ``dont_redirect``, have no effect.
    """
    exempt: frozenset[str | Origin] = declare(types.EXEMPT, ())
    """Hosts and origins whose URLs are not checked. For an exempt host or origin, no
    robots.txt is requested, and every request passes. A host (``"api.example.com"``)
    covers all schemes and ports of that host, but not its subdomains. An origin is
    written as ``"https://h.example:8443"``.
    """
    # The default is not higher, because further requests should wait in the scheduler,
    # whose queue may be on disk.
    max_waiting: int = declare(types.count(0, 1_000), 1_000)
    """Maximum number of requests that wait for a robots.txt, or for a crawl delay,
    without counting towards ``CONCURRENT_REQUESTS``. Further waiting requests count
    towards ``CONCURRENT_REQUESTS``. If ``CLOSESPIDER_PAGECOUNT`` or a similar setting is
    N, at most N/100 requests wait for a robots.txt without counting towards
    ``CONCURRENT_REQUESTS``. If the crawl is killed (SIGKILL), the waiting requests are
    lost.
    """
    dry_run: bool = declare(types.FLAG, default=False, group="Comparison")
    """With ``True``, Scrapy's own middleware decides, and our verdicts are written next to
    what it did; see :ref:`page-dry-run`. Settings for pages, usage, delays, evidence and
    stores have no effect then.
    """
    compare: tuple[str | type, ...] = declare(types.PARSERS, ())
    """Parsers that are asked about each decision. ``True`` is the parser of
    ``ROBOTSTXT_PARSER``; else a list of names and class paths. Nothing else is refused or
    allowed by it; see :doc:`/moving`.
    """
    compare_report: str | None = declare(types.REPORT_PATH, None)
    """Path of the report about the comparison, written when the crawl closes: ``.html`` or
    ``.json``. ``%(name)s`` and ``%(time)s`` work as in ``FEEDS``.
    """
    crawl_delay: float | None = declare(
        types.CRAWL_DELAY, default=False, group="Beyond robots.txt rules"
    )
    """With ``True``, the requests to an origin are sent with the pause that its robots.txt
    asks for (Crawl-delay). With a number of seconds, a longer pause is reduced to that
    number. The setting has no effect in a dialect without a field for crawl delays.
    """
    pages: frozenset[str] = declare(types.PAGES, default=False)
    """With ``True``, the robots directives of pages are obeyed. Items of a NOINDEX page are
    dropped, and requests made from a NOFOLLOW page are dropped. With a list, only the
    directives in the list are obeyed: ``"noindex"``, ``"nofollow"``, ``"rel-nofollow"``
    (links with ``rel=nofollow``).
    """
    usage: str = declare(types.USAGE, default=False, decides=True)
    """The effect of usage preferences; see :doc:`/preferences`. With ``"report"``, the
    preferences are counted, logged and passed to the spider in ``response.meta``. With
    ``"items"`` or ``True``, items are also dropped if their page must not be used for a
    purpose in ``ROBOTS1994_PURPOSES``. With ``"requests"``, requests are also refused if
    robots.txt disallows a purpose in ``ROBOTS1994_PURPOSES`` for their page.
    """
    purposes: tuple[str, ...] = declare(types.PURPOSES, (), decides=True)
    """The purposes for which the pages of the crawl are used, such as ``"train-ai"``;
    :doc:`/preferences` lists all purposes. The names of the purposes may change, because
    the standards that define the names are still drafts.
    """
    evidence: str | None = declare(types.FOLDER, None)
    """Folder for evidence: each crawl writes a file with what robots.txt said and every
    decision; see :doc:`/evidence`. ``%(name)s`` and ``%(time)s`` work as in ``FEEDS``.
    """
    close_when_denied: bool = declare(types.FLAG, default=False)
    """Whether the crawl closes with the reason ``robotstxt_denied``, instead of
    ``finished``, if robots.txt rules refused all start requests.
    """

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> "RobotsSettings":
        """Read and check *settings*.

        Raise `SettingsError` for an unknown `ROBOTS1994_` name or a wrong value.
        """
        # Refuse the name of an unknown setting. If unknown names were accepted, a
        # misspelt setting would have no effect, and the crawl would not obey the rules
        # that the user expects.
        known = {PREFIX + each.name.upper(): each for each in fields(cls)}
        for name in settings:
            if name.upper().startswith(PREFIX) and name not in known:
                raise SettingsError(_unknown(name, list(known)))
        values = {}
        for name, each in known.items():
            value = settings.get(name, each.metadata["default"])
            values[each.name] = each.metadata["type"].read(name, value)
        chosen = cls(**values)
        if chosen.usage in {types.ITEMS, types.REQUESTS} and not chosen.purposes:
            raise SettingsError(
                f'ROBOTS1994_USAGE = "{chosen.usage}" needs purposes: say in '
                'ROBOTS1994_PURPOSES what the pages are for, for example ["train-ai"].'
            )
        return chosen

    @classmethod
    def from_recorded(
        cls, texts: Mapping[str, object], on_fault: Callable[[str], object]
    ) -> "RobotsSettings":
        """Read what `recorded` returned in another crawl. *texts* is not trusted: only
        settings that affect decisions are read. *on_fault* gets a sentence for each other
        name and each wrong value.
        """
        known = {PREFIX + each.name.upper(): each for each in fields(cls)}
        values = {}
        for name, text in texts.items():
            if name not in known or not known[name].metadata["decides"]:
                shown = escape_control_chars(name, 60)
                on_fault(f"{shown} is not a setting that affects decisions")
                continue
            try:
                values[known[name].name] = known[name].metadata["type"].read(name, text)
            except SettingsError as error:
                on_fault(str(error))
        return replace(cls.from_settings(BaseSettings()), **values)

    def recorded(self) -> dict[str, str]:
        """Return the settings that affect decisions, by name, as text."""
        return {
            PREFIX + each.name.upper(): _as_text(getattr(self, each.name))
            for each in fields(self)
            if each.metadata["decides"]
        }

    @property
    def reads_usage(self) -> bool:
        """Whether usage preferences are read."""
        return self.usage != types.USAGE_OFF

    @property
    def reads_pages(self) -> bool:
        """Whether the crawl reads directives or usage preferences of pages."""
        return bool(self.pages) or self.reads_usage

    @property
    def drops_items(self) -> bool:
        """Whether items are dropped if their page must not be used for a purpose of the
        crawl.
        """
        return self.reads_usage and self.usage != types.REPORT

    @property
    def request_purposes(self) -> tuple[str, ...]:
        """The purposes that may cause the refusal of a request. A request is refused if
        robots.txt says that its page must not be used for one of these purposes. The tuple
        is empty unless `ROBOTS1994_USAGE` is "requests".
        """
        return self.purposes if self.usage == types.REQUESTS else ()

    @property
    def applies_crawl_delay(self) -> bool:
        """Whether `ROBOTS1994_CRAWL_DELAY` is on and the dialect has a field for delays."""
        has_field = any(it.has(Role.PAUSE) for it in grammars_of(self.dialect))
        return self.crawl_delay is not None and has_field

    @property
    def freshness(self) -> FreshnessSettings:
        """The settings that determine how long policies are used, and which outcomes
        without a file allow all URLs.
        """
        return FreshnessSettings(
            ttl=self.ttl,
            stale_ttl=self.stale_ttl,
            allowing=frozenset(
                row.outcome for row in ROWS if row.reason and self._allows(row)
            ),
        )

    def _allows(self, row: OutcomeRow) -> bool:
        """Return whether the outcome of *row* allows all URLs with these settings."""
        if not row.setting:
            return row.allows
        return bool(getattr(self, row.setting.lower()) == "allow")

    def new_reader(self) -> Reader:
        """Return a reader that parses files according to these settings."""
        return Reader(self.dialect, self.max_bytes)

    def log_start(self, crawler: Crawler) -> None:
        """Log the settings that determine which rules this crawl obeys."""
        # Log the values in one line, because users check them first if a crawl obeys
        # unexpected rules.
        robot, more = RobotName(crawler).usual, ""
        if self.dry_run:
            more += "; dry run: Scrapy's own middleware decides"
        if self.reads_usage:
            from scrapy_robots1994.parser.usage import VERSIONS  # noqa: PLC0415 - imported only if a setting needs it

            purposes = ", ".join(self.purposes)
            is_for = (
                f"pages are for {purposes}"
                if purposes
                else "usage preferences are reported"
            )
            more += f"; {is_for} ({VERSIONS})"
        # Name the hosts last, because a long text is cut at its end.
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
        if has_default_name(crawler):
            text = (
                "The robot has Scrapy's default name, which some sites disallow: set "
                "USER_AGENT to the name of your robot, with a contact address"
            )
            log_line(crawler, INFO, text)
        if names := describe_names(robot):
            log_line(crawler, DEBUG if robot_names(robot) else INFO, "%s", names)
        has_rough_size = ROUGH_SIZE in crawler.settings and not self.dry_run
        if has_rough_size and crawler.settings[ROUGH_SIZE] is None:
            text = (
                "Requests that wait for a slow robots.txt block requests for other origins: "
                "set %s = 0, as the add-on does"
            )
            log_line(crawler, WARNING, text, ROUGH_SIZE)


def _as_text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _unknown(name: str, known: list[str]) -> str:
    """Return the message for the unknown setting *name*, which is probably misspelt."""
    # Compare the names without their prefix, because any two names with the prefix are
    # similar.
    words = [each.removeprefix(PREFIX) for each in known]
    close = closest(name.upper().removeprefix(PREFIX), words)
    listed = f"the settings are {', '.join(known)}."
    hint = f"did you mean {PREFIX}{close}?" if close else listed
    return f"{escape_control_chars(name)} is not a setting of scrapy_robots1994; {hint}"


def fill_in_path(setting: str, path: str, spider: Spider | None) -> Path:
    """Return *path*, the value of *setting*, with its placeholders filled in, as in a URI
    of FEEDS. `%(time)s` is the current time, and any other placeholder is the attribute of
    *spider* with that name.

    Raise `SettingsError` for an unknown placeholder, so that the crawl fails when it starts
    and not when it ends.
    """
    # Look up only the attributes of the spider that *path* names. A dict of all attributes
    # would compute every property of the spider.
    # In `%%(name)`, the per cent signs stand for one sign, and do not begin a placeholder.
    names = set(re.findall(r"%(?:%|\(([^)]*)\))", path)) - {"", "time"}
    try:
        values = {name: getattr(spider, name) for name in names}
        values["time"] = f"{datetime.now(tz=timezone.utc):%Y-%m-%dT%H-%M-%S}"
        path %= values
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SettingsError(
            f"{PREFIX}{setting} has a placeholder that cannot be filled in: {error}; "
            "write %% for a per cent sign."
        ) from None
    return Path(file_uri_to_path(path) if path.startswith("file:") else path)


@contextmanager
def log_settings_errors() -> Iterator[None]:
    """Log the error for a wrong setting as one CRITICAL line, and raise the error again.

    Scrapy only prints a traceback, in which the message is easily overlooked. In a crawl
    that runs as an asyncio task, such as `scrapy crawl`, the CRITICAL line also replaces
    the traceback.
    """
    try:
        yield
    # The message of a `SettingsError` or a `MissingExtra` is a sentence for the user. Any
    # other exception is a bug, and needs its traceback.
    except (SettingsError, MissingExtra) as error:
        logger.critical("The crawl cannot start: %s", error)
        # Without a running event loop, Scrapy reports the error itself.
        with suppress(RuntimeError):
            if task := asyncio.current_task():
                # Read the exception of the crawl's task, because Scrapy does not read it.
                # If no code reads the exception, asyncio logs it with its traceback.
                task.add_done_callback(lambda it: it.cancelled() or it.exception())
        raise
