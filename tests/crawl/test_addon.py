"""The add-on replaces the built-in middleware, and the user's settings win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import Settings

from scrapy_robots1994 import Addon, Robots1994Middleware
from tests.support.crawl import crawl
from tests.support.site import Site

if TYPE_CHECKING:
    import pytest

BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scrapy_robots1994.Robots1994Middleware"


def middlewares(settings: Settings) -> dict[object, int | None]:
    """Return DOWNLOADER_MIDDLEWARES as the add-on changes it."""
    Addon().update_settings(settings)
    return dict(settings.getdict("DOWNLOADER_MIDDLEWARES"))


def test_by_default_ours_has_the_order_of_the_built_in() -> None:
    """The order is 100, and the built-in is disabled."""
    assert middlewares(Settings()) == {BUILT_IN: None, Robots1994Middleware: 100}


def test_configured_order_of_the_built_in_becomes_ours() -> None:
    """The user may have named the built-in by path or by class."""
    for key in (BUILT_IN, RobotsTxtMiddleware):
        changed = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {key: 543}}))

        assert changed == {BUILT_IN: None, Robots1994Middleware: 543}


def test_ours_placed_by_hand_stays_there() -> None:
    """With a middleware set by hand, the add-on adds no second one."""
    changed = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OURS: 77}}))

    assert changed == {BUILT_IN: None, OURS: 77}


class OwnMiddleware(RobotsTxtMiddleware):
    """A subclass of the built-in, as a project may have."""


def test_subclass_of_the_built_in_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It would fetch each robots.txt, too; a disabled one is ignored."""
    changed = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OwnMiddleware: 100}}))

    assert changed[OwnMiddleware] == changed[Robots1994Middleware] == 100
    assert "test_addon.OwnMiddleware, a subclass of the built-in" in caplog.text
    caplog.clear()
    middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OwnMiddleware: None}}))
    assert not caplog.text


def test_path_without_an_object_is_not_changed() -> None:
    """Scrapy ignores such a path if it is disabled, as of a class that it has removed."""
    gone = {"scrapy.downloadermiddlewares.retry.Gone": None, "Gone": None}

    changed = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": gone}))

    assert changed == gone | {BUILT_IN: None, Robots1994Middleware: 100}


def test_robotstxt_obey_is_enabled_unless_the_user_disables_it() -> None:
    """The add-on overrides Scrapy's default, but not the setting of a project."""
    default, project = Settings(), Settings({"ROBOTSTXT_OBEY": False})
    for settings in (default, project):
        Addon().update_settings(settings)

    assert default.getbool("ROBOTSTXT_OBEY") is True
    assert project.getbool("ROBOTSTXT_OBEY") is False


def test_dict_of_the_user_is_not_changed() -> None:
    """It may be the custom_settings of a spider class."""
    own: dict[object, int] = {BUILT_IN: 543}

    middlewares(Settings({"DOWNLOADER_MIDDLEWARES": own}))

    assert own == {BUILT_IN: 543}


def test_obey_false_in_a_project_disables_robots_handling() -> None:
    """In a real crawl no robots.txt is requested, and the log says why."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /\n")
        result = crawl([site.url("/page")], settings={"ROBOTSTXT_OBEY": False})

        assert site.targets() == ["/page"]

    assert "ROBOTSTXT_OBEY is False" in result.log


def test_middleware_works_without_the_add_on() -> None:
    """It is enabled by hand, in place of the built-in."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        pages = [site.url("/private"), site.url("/page")]
        result = crawl(
            pages,
            middleware="builtin",
            settings={"DOWNLOADER_MIDDLEWARES": {BUILT_IN: None, OURS: 100}},
        )

    assert result.fetched_urls == [pages[1]]


def test_parser_works_in_the_built_in_middleware() -> None:
    """With ROBOTSTXT_PARSER, the built-in reads files as we do (no Allow in 1994)."""
    with Site() as site:
        site.robots("User-agent: *\nAllow: /private/open\nDisallow: /private\n")
        result = crawl(
            [site.url("/private/open")],
            middleware="builtin",
            settings={"ROBOTSTXT_PARSER": "scrapy_robots1994.Robots1994Parser"},
        )

    assert result.fetched == []
    assert result.stats["robotstxt/forbidden"] == 1
