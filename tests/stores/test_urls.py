"""Tests of the errors for a wrong URL in `ROBOTS1994_STORE`. The URL does not name a
store, or has a wrong option.
"""

from __future__ import annotations

import traceback

import pytest

from scrapy_robots1994 import SettingsError, open_store
from tests.support.stores import OwnStore

STORES = OwnStore.__module__


def refusal(url: str) -> str:
    """Return the problem in the error message for *url*, without the example in the message."""
    with pytest.raises(SettingsError) as refused:
        open_store(url)
    message = str(refused.value)
    assert message.startswith("ROBOTS1994_STORE: ")
    assert message.isprintable()
    assert not any(secret in message for secret in ("hunter2", "p@ss"))
    problem, _, example = message.partition("; write for example ")
    # The error shows the example `memory://` only for a URL that begins like `memory`.
    assert "memory" not in example or url.startswith("me")
    return problem


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        *(
            (url, "names no store")
            for url in (
                *("", " ", "memory", "memory://here", "memory://#bound", "mem://"),
                *("http://[", "memory://[::1", "me\nmory://", "\x1b[31m"),
            )
        ),
        ("sqlite:///a.db?max_bytes=65535", "max_bytes must be at least 65536"),
        ("robots.db", '(did you mean "sqlite:///robots.db"?)'),
        ("/var/lib/my robots.sqlite3", '"sqlite:////var/lib/my robots.sqlite3"?)'),
        ("sqlit:///robots.db", '(did you mean "sqlite://"?)'),
        ("memroy://", '(did you mean "memory://"?)'),
        ("Rediss+clusters://h", '(did you mean "rediss+cluster://"?)'),
        ("memory://", "belongs to one crawl"),
        ("memory://?size=1", 'has no option "size"'),
        ("redis://h?prefx=a", 'redis:// has no option "prefx"'),
        ("memory://?max_origins=1&x=", 'has no option "x"'),
        ("memory://?Max_Origins=1", 'has no option "Max_Origins"'),
        *(
            (f"memory://?max_origins={value}", "whole number of at least 1")
            for value in (
                *("", "0", "000", "-1", "+1", "1.5", "1e5", "many", "\u0663", "\u00b2"),
                *("1_000", " 1", "1" * 19, "1" * 5000),
            )
        ),
        ("memory://?max_bytes=0", "whole number of at least 1"),
        ("memory://?max_origins", 'not ""'),
        ("memory://?max_origins=x&max_origins=1", 'not "x"'),
        *(
            (f"sqlite:///a.db?timeout={value}", "timeout must be seconds")
            for value in ("", "0", "-1", "soon", "nan", "inf")
        ),
        *(
            (f"redis://h/{base}", f'the database "{base}" is not a number')
            for base in ("robots", "-1", "1.5")
        ),
        # Text in the place of a port is not shown, because the text can be a part of the
        # password.
        (
            "redis://me:123456?x@127.0.0.1:1/0",
            "the port is not a number from 0 to 65535",
        ),
        ("no.such.module.Store://x", "cannot be imported"),
        ("tests.stores.contract.Nothing://x", "cannot be imported"),
        ("tests.stores.contract.StoreContract://x", "is not a PolicyStore"),
        ("json.dumps://x", "is not a PolicyStore"),
        # The message of the exception contains a decoded part of the URL. The decoded
        # part must be hidden.
        (f"{STORES}.Telling://me:p%40ss@host/0", "cannot be made: no login with ***"),
        (f"{STORES}.Unfinished://x", "cannot be made: Can't instantiate abstract"),
    ],
)
def test_wrong_url_is_rejected_in_one_sentence(url: str, problem: str) -> None:
    """The error message says in one sentence what is wrong in the store URL, and shows an
    example of a right URL.
    """
    assert problem in refusal(url)


@pytest.mark.parametrize(
    ("example", "url"),
    [
        *(
            ("sqlite:///", f"sqlite:{rest}")
            for rest in ("//", "///", "//robots.db", "///a.db?size=5")
        ),
        *(
            ("redis://", f"redis://127.0.0.1:1?{option}")
            for option in (
                *("colour=red", "socket_timeout=soon", "protocol=9", "retry=4"),
                "decode_responses=false",
            )
        ),
        *(
            ("redis://", f"redis+{rest}")
            for rest in (
                *("sentinel://127.0.0.1:26379", "sentinel:///main"),
                "sentinel://127.0.0.1:26379/main/x",
                "sentinel://127.0.0.1:26379/main?colour=red",
                "sentinel://127.0.0.1:1/main?decode_responses=true",
                *("cluster://", "cluster://127.0.0.1:1/3"),
                "cluster://127.0.0.1:1?startup_nodes=3",
                "cluster://127.0.0.1:1?decode_responses=true",
            )
        ),
        ("redis://", "redis://127.0.0.1:many/0"),
        ("redis://", "rediss://127.0.0.1:1?ssl_cert_reqs=foo"),
        *(
            ("redis://", f"redis://{user}@127.0.0.1:1/0")
            for user in (":hunter2/x", "me:hunter2#x", "me:hunter2?x", "hunter2/x")
        ),
    ],
)
def test_url_of_a_known_kind_is_rejected_with_an_example(
    example: str, url: str
) -> None:
    """A wrong URL is rejected before the store opens a connection. The error message
    shows no password.
    """
    with pytest.raises(SettingsError, match=f'write for example "{example}') as refused:
        open_store(url)

    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)
    assert "hunter2" not in "".join(traceback.format_exception(refused.value))


def test_unfamiliar_scheme_has_no_suggestion() -> None:
    """The error for an unfamiliar scheme suggests no other scheme, because the scheme is
    not a typing error. The error message does not show the credentials in the URL.
    """
    problem = refusal("mysql://me:hunter2@127.0.0.1:3306/0?password=hunter2")

    assert problem == 'ROBOTS1994_STORE: "mysql://127.0.0.1:3306/0" names no store'


def test_own_store_gets_its_url_without_the_options_of_the_crawl() -> None:
    """A user's store receives its URL as written, but without the options `timeout`,
    `in_memory` and `in_memory_bytes`. The store receives the value of `timeout`
    separately.
    """
    path = f"{STORES}.OwnStore"

    store = open_store(
        f"{path}://Host/Path?x=1&timeout=3&in_memory=5&in_memory_bytes=9"
    )

    assert isinstance(store, OwnStore)
    assert (store.url, store.timeout) == (f"{path}://Host/Path?x=1", 3.0)
