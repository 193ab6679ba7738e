"""The exceptions of a download that this package raises or catches by their class, and the
downloader middleware that raised one. Whose fault a failure is, `policy/faults.py` decides.
"""

import traceback

from scrapy import exceptions
from twisted.internet import error
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl.setting_types import class_path
from scrapy_robots1994.policy.fetch_result import Classes, LocalFault

HOOKS = frozenset({"process_request", "process_response", "process_exception"})
"""The methods of a downloader middleware."""

# Scrapy raises its own class since 2.15, before that of Twisted.
DownloadTimeout: type[Exception] = getattr(
    exceptions, "DownloadTimeoutError", error.TimeoutError
)
"""The exception of a page that took too long, which RetryMiddleware retries."""

CANCELLED: Classes = (
    CancelledError,
    getattr(exceptions, "DownloadCancelledError", CancelledError),
)
"""What a download raises that another component ended (R6)."""


def breaking_middleware(fault: LocalFault) -> str | None:
    """Return the path of the downloader middleware that raised *fault*, if one did."""
    # What a server or a proxy causes passes middlewares, too.
    if not (fault.is_bug or isinstance(fault.error, exceptions.IgnoreRequest)):
        return None
    found = None
    for frame, _ in traceback.walk_tb(fault.error.__traceback__):
        if frame.f_code.co_name in HOOKS and "self" in frame.f_locals:
            # The last one: a middleware may call the method of another.
            found = class_path(type(frame.f_locals["self"]))
    return found
