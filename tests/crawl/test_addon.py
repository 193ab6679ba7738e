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
    """At 100, and the built-in is off."""
    assert middlewares(Settings()) == {BUILT_IN: None, Robots1994Middleware: 100}


def test_configured_order_of_the_built_in_becomes_ours() -> None:
    """Whether the user named the built-in by path or by class."""
    for key in (BUILT_IN, RobotsTxtMiddleware):
        made = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {key: 543}}))

        assert made == {BUILT_IN: None, Robots1994Middleware: 543}


def test_ours_placed_by_hand_stays_there() -> None:
    """With a middleware set by hand, the add-on adds no second one."""
    made = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OURS: 77}}))

    assert made == {BUILT_IN: None, OURS: 77}


class OwnMiddleware(RobotsTxtMiddleware):
    """A subclass of the built-in, as a project may have."""


def test_a_subclass_of_the_built_in_is_not_left_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It would fetch each robots.txt, too; one that is off is no matter."""
    made = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OwnMiddleware: 100}}))

    assert made[OwnMiddleware] == made[Robots1994Middleware] == 100
    assert "test_addon.OwnMiddleware, a subclass of the built-in" in caplog.text
    caplog.clear()
    middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OwnMiddleware: None}}))
    assert not caplog.text


def test_a_path_without_an_object_stays_as_it_is() -> None:
    """Scrapy ignores one that is switched off, such as one that it has removed."""
    gone = {"scrapy.downloadermiddlewares.retry.Gone": None, "Gone": None}

    made = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": gone}))

    assert made == gone | {BUILT_IN: None, Robots1994Middleware: 100}


def test_robotstxt_obey_is_enabled_unless_the_user_disables_it() -> None:
    """It wins over Scrapy's default, not over a project's setting."""
    default, project = Settings(), Settings({"ROBOTSTXT_OBEY": False})
    for settings in (default, project):
        Addon().update_settings(settings)

    assert default.getbool("ROBOTSTXT_OBEY") is True
    assert project.getbool("ROBOTSTXT_OBEY") is False


def test_the_users_own_dict_is_not_changed() -> None:
    """A spider class's custom_settings are its own."""
    own: dict[object, int] = {BUILT_IN: 543}

    middlewares(Settings({"DOWNLOADER_MIDDLEWARES": own}))

    assert own == {BUILT_IN: 543}


def test_obey_false_in_a_project_keeps_robots_handling_off() -> None:
    """A real crawl: no robots.txt is requested, and the log says why."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /\n")
        result = crawl([site.url("/page")], settings={"ROBOTSTXT_OBEY": False})

        assert site.targets() == ["/page"]

    assert "ROBOTSTXT_OBEY is False" in result.log


def test_by_hand_without_the_add_on() -> None:
    """The middleware works without the add-on, in place of the built-in."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        pages = [site.url("/private"), site.url("/page")]
        result = crawl(
            pages,
            middleware="builtin",
            settings={"DOWNLOADER_MIDDLEWARES": {BUILT_IN: None, OURS: 100}},
        )

    assert result.fetched_urls == [pages[1]]


def test_the_parser_alone_in_the_built_in_middleware() -> None:
    """ROBOTSTXT_PARSER: the built-in reads files as we do (no Allow in 1994)."""
    with Site() as site:
        site.robots("User-agent: *\nAllow: /private/open\nDisallow: /private\n")
        result = crawl(
            [site.url("/private/open")],
            middleware="builtin",
            settings={"ROBOTSTXT_PARSER": "scrapy_robots1994.Robots1994Parser"},
        )

    assert result.fetched == []
    assert result.stats["robotstxt/forbidden"] == 1
