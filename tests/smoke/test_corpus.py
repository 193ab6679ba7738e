"""The corpus exists on any machine, and its files are like real ones."""

from __future__ import annotations

import re
import tarfile
from statistics import fmean, quantiles
from typing import TYPE_CHECKING

import pytest

from tests.support.corpus import corpus_files, generated_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fresh() -> Iterator[None]:
    """Clear the cache of the corpus before and after a test."""
    corpus_files.cache_clear()
    yield
    corpus_files.cache_clear()


def test_corpus_is_never_empty() -> None:
    """With or without real files it has some hundred files at least."""
    assert len(corpus_files()) >= 400


def test_generated_files_have_the_shape_of_real_ones() -> None:
    """Lines per file: about 22 (median), 97 (mean), 274 (95 %) and 1,247 (99 %)."""
    counts = [len(re.split(rb"\r\n|\r|\n", body)) for _, body in generated_files()]
    small = [count for count in counts if count < 10_000]

    cuts = quantiles(small, n=100)

    assert 15 <= cuts[49] <= 30
    assert 70 <= fmean(small) <= 130
    assert 200 <= cuts[94] <= 400
    assert 900 <= cuts[98] <= 2500
    assert max(len(body) for _, body in generated_files()) > 1_390_000


def test_generated_files_contain_every_oddity() -> None:
    """Byte order marks, NULs, HTML, invalid UTF-8, an empty file and all line ends."""
    everything = dict(generated_files())
    together = b"".join(everything.values())

    for odd in (b"\xef\xbb\xbf", b"\x00", b"<html>", b"\r\n", b"\r", b"\xe9\n"):
        assert odd in together
    assert b"" in everything.values()


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("packed", [True, False])
def test_named_corpus_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    """ROBOTS1994_CORPUS may name a folder, or an archive of one."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.test").write_bytes(b"\xff")
    source = folder
    if packed:
        source = tmp_path / "files.tar.xz"
        with tarfile.open(source, "w:xz") as archive:
            archive.add(folder, "files")

    monkeypatch.setenv("ROBOTS1994_CORPUS", str(source))

    assert corpus_files() == (("a.test", b"\xff"),)
