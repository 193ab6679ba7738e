"""The errors of this package, named by whose fault it is. A broken robots.txt is none
of them: any bytes parse.
"""


class RobotsError(Exception):
    """What every error of this package is; nothing raises it as it stands."""


class SettingsError(RobotsError, ValueError):
    """A setting cannot be obeyed; the sentence says which one and what it may be."""


class MissingExtra(RobotsError, ImportError):  # noqa: N818 - named for what is missing, as users read it
    """A library of an extra is not installed; the sentence holds the pip line."""


class StoreError(RobotsError):
    """A policy store cannot be opened, read or written."""
