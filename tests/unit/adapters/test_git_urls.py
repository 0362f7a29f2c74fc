"""Remote URLs: their one spelling, where they are pushed to, where their clones lie."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.git_urls import dependency_key, normalise, push_url
from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError
from tests.support.tables import each

SAME = ""
NONE = ""

TABLE = [
    (
        "https://github.com/projectsyn/component-argocd.git",
        SAME,
        "ssh://git@github.com/projectsyn/component-argocd.git",
        "github.com/projectsyn/component-argocd.git",
    ),
    (
        "http://host/path/to/repo.git",
        SAME,
        "ssh://git@host/path/to/repo.git",
        "host/path/to/repo.git",
    ),
    (
        "https://user:pass@host:1234/p/repo.git",
        "https://host:1234/p/repo.git",
        "ssh://git@host/p/repo.git",
        "host/p/repo.git",
    ),
    (
        "https://Example.COM/Foo/../Bar.git",
        "https://example.com/Bar.git",
        "ssh://git@example.com/Bar.git",
        "example.com/Bar.git",
    ),
    (
        "https://example.com:443/foo.git",
        "https://example.com/foo.git",
        "ssh://git@example.com/foo.git",
        "example.com/foo.git",
    ),
    (
        "https://example.com//foo/./bar.git/",
        "https://example.com/foo/bar.git/",
        "ssh://git@example.com/foo/bar.git/",
        "example.com/foo/bar.git/",
    ),
    (
        "https://example.com/foo%7Ebar.git",
        "https://example.com/foo~bar.git",
        "ssh://git@example.com/foo~bar.git",
        "example.com/foo~bar.git",
    ),
    (
        "https://example.com/foo bar.git",
        "https://example.com/foo%20bar.git",
        "ssh://git@example.com/foo%20bar.git",
        "example.com/foo%20bar.git",
    ),
    (
        "https://example.com/foo.git?x=1#frag",
        SAME,
        "ssh://git@example.com/foo.git",
        "example.com/foo.git",
    ),
    (
        "https://bücher.example/foo.git",
        "https://xn--bcher-kva.example/foo.git",
        "ssh://git@xn--bcher-kva.example/foo.git",
        "xn--bcher-kva.example/foo.git",
    ),
    (
        "git@github.com:projectsyn/c.git",
        "ssh://git@github.com/projectsyn/c.git",
        NONE,
        "github.com/projectsyn/c.git",
    ),
    ("git@HOST:a//b/../c.git", "ssh://git@host/a/c.git", NONE, "host/a/c.git"),
    (
        "ssh://user@host:2222/path////to/repo.git",
        "ssh://user@host:2222/path/to/repo.git",
        NONE,
        "host/path/to/repo.git",
    ),
    (
        "ssh://user@host///path/to/repo.git",
        "ssh://user@host/path/to/repo.git",
        NONE,
        "host/path/to/repo.git",
    ),
    ("git@host:~user/repo.git", "ssh://git@host/~user/repo.git", NONE, "host/~user/repo.git"),
    (
        "git@host:2222/path/repo.git",
        "ssh://git@host/2222/path/repo.git",
        NONE,
        "host/2222/path/repo.git",
    ),
    ("ssh://git.example.com/foo/bar.git", SAME, NONE, "git.example.com/foo/bar.git"),
    ("git://git.example.com/foo/bar.git", SAME, NONE, "git.example.com/foo/bar.git"),
    ("file:///srv/git/path/repo.git", SAME, NONE, "srv/git/path/repo.git"),
    ("/srv/git/repo.git", SAME, NONE, "srv/git/repo.git"),
    ("HTTPS://example.com/foo.git", SAME, NONE, "example.com/foo.git"),
    # Where the peer's key is wrong or leads out of the folder of clones, ours is another:
    ("github.com:foo/bar.git", SAME, NONE, "github.com/foo/bar.git"),
    ("./rel/repo.git", SAME, NONE, "rel/repo.git"),
    ("/srv/x@y/repo.git", SAME, NONE, "srv/x@y/repo.git"),
    ("git://host/../../repo.git", SAME, NONE, "host/repo.git"),
    ("ssh://../../repo.git", SAME, NONE, "repo.git"),
]


@each(("url", "normalised", "push", "key"), TABLE)
def test_spelling_push_url_and_key(url: str, normalised: str, push: str, key: str) -> None:
    expected = normalised or url

    assert normalise(url) == expected
    assert push_url(url) == (push or expected)
    assert dependency_key(url) == key
    assert normalise(expected) == expected


@each("url", ["git@host:a:b.git", "user@host/x.git", "https://[host/x.git", "https://.\u2024/x@y"])
def test_an_invalid_url_is_refused(url: str) -> None:
    with pytest.raises(CommodoreError) as caught:
        dependency_key(url)

    assert "not a Git URL that we understand" in str(caught.value)
    assert "https://host/path" in caught.value.hint


@each("url", ["", "/", "file:///", "./..", "file:///../.."])
def test_a_url_of_nothing_has_no_clone(url: str) -> None:
    with pytest.raises(CommodoreError):
        dependency_key(url)


@given(
    st.sampled_from(["https://", "ssh://git@", "git://", "file://", "HTTP://", "git@", "", "/"]),
    st.lists(st.sampled_from(["..", ".", "", "a", "b.git", "~", "%2e%2e", "h:", "@"]), max_size=6),
)
def test_no_key_leads_out_of_the_folder_of_clones(start: str, names: list[str]) -> None:
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


@each("url", ["ext::x", "EXT::x", "Fd::1", "eXt://x", "hg::x", "a@b::c", "x://h"])
def test_transports_that_are_programs_are_refused(url: str) -> None:
    with pytest.raises(CommodoreError):
        normalise(url)


def test_a_user_may_allow_a_transport_but_none_that_runs_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "codecommit:ext:EXT")

    assert normalise("codecommit::eu://repo") == "codecommit::eu://repo"
    for url in ("ext::x", "EXT::x"):
        with pytest.raises(CommodoreError, match="not allowed"):
            normalise(url)
