"""Remote URLs: their one spelling, where they are pushed to, where their clones lie."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.git_urls import dependency_key, normalise
from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError
from tests.support.tables import each


@given(
    st.sampled_from(["https://", "ssh://git@", "git://", "file://", "HTTP://", "git@", "", "/"]),
    st.lists(st.sampled_from(["..", ".", "", "a", "b.git", "~", "%2e%2e", "h:", "@"]), max_size=6),
)
def test_dependency_key_stays_in_clones_folder(start: str, names: list[str]) -> None:
    try:
        key = dependency_key(start + "/".join(names))
    except CommodoreError:
        return

    assert key
    assert not key.startswith("/")
    assert ".." not in PurePosixPath(key).parts


@each(
    ("text", "shown"),
    [
        ("https://me:secret@host/x.git", "https://***@host/x.git"),
        ("https://me:sec@ret@host/x.git", "https://***@host/x.git"),
        ("ssh://me:secret@host:22/x", "ssh://me:***@host:22/x"),
        (
            "fatal: 'http://me:secret@h/x' and 'https://h/y'",
            "fatal: 'http://***@h/x' and 'https://h/y'",
        ),
        ("https://host:1234/x@y.git", "https://host:1234/x@y.git"),
        ("git@host:path/x.git", "git@host:path/x.git"),
    ],
)
def test_passwords_are_not_shown(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_ext_transport_cannot_be_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "codecommit:ext:EXT")

    assert normalise("codecommit::eu://repo") == "codecommit::eu://repo"
    for url in ("ext::x", "EXT::x"):
        with pytest.raises(CommodoreError, match="not allowed"):
            normalise(url)
