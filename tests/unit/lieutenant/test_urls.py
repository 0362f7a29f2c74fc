"""What `--api-url` means, and the URLs that come of it."""

from pathlib import Path

import pytest

from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.urls import request_url
from tests.support.tables import each


@each(
    ("api_url", "expected"),
    [
        ("https://syn.example.com", "https://syn.example.com/clusters/c-1"),
        ("https://syn.example.com/", "https://syn.example.com/clusters/c-1"),
        ("syn.example.com", "https://syn.example.com/clusters/c-1"),
        ("HTTPS://Syn.Example.COM:443/api//", "https://syn.example.com/api/clusters/c-1"),
        ("http://localhost:8080/a/../b", "http://localhost:8080/b/clusters/c-1"),
        ("localhost:8080", "https://localhost:8080/clusters/c-1"),
        ("http://syn.example.com:80/", "http://syn.example.com/clusters/c-1"),
        ("https://syn.example.com:80", "https://syn.example.com:80/clusters/c-1"),
        ("https://[::1]:8443/./x/", "https://[::1]:8443/x/clusters/c-1"),
        ("https://syn.example.com/../..", "https://syn.example.com/clusters/c-1"),
        (
            "https://syn.example.com/%7ea%2fb c%",
            "https://syn.example.com/~a%2Fb%20c%25/clusters/c-1",
        ),
        ("https://syn.example.com/%2e%2e/a", "https://syn.example.com/a/clusters/c-1"),
    ],
)
def test_urls_are_normalised(api_url: str, expected: str) -> None:
    assert request_url(api_url, "clusters", "c-1") == expected


def test_a_list_is_requested_with_a_slash_at_the_end() -> None:
    assert request_url("https://syn.example.com", "clusters") == "https://syn.example.com/clusters/"


def test_a_name_cannot_leave_its_place() -> None:
    url = request_url("https://syn.example.com", "clusters", "a/b?c#d e")

    assert url == "https://syn.example.com/clusters/a%2Fb%3Fc%23d%20e"


@each(
    "api_url",
    [
        "ftp://syn.example.com",
        "https://",
        "https://syn.example.com:port",
        "https://syn?x=1",
        "a://[",
    ],
)
def test_other_things_are_not_urls(api_url: str) -> None:
    with pytest.raises(CommodoreError, match="not a valid API URL") as raised:
        request_url(api_url, "clusters")

    assert raised.value.where == api_url


def test_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(CommodoreError, match="user name or a password") as raised:
        request_url("https://me:hunter2@syn.example.com", "clusters")

    assert "hunter2" not in f"{raised.value} {raised.value.where} {raised.value.hint}"


@each(
    ("api_url", "folder"),
    [
        (".", Path()),
        ("./facts", Path("facts")),
        ("../facts", Path("../facts")),
        (".facts", Path(".facts")),
        ("/srv/facts", Path("/srv/facts")),
        ("file:///srv/my%20facts", Path("/srv/my facts")),
        ("file://localhost/srv/facts", Path("/srv/facts")),
        ("file://localhosts/facts", Path("localhosts/facts")),
        ("file://facts", Path("facts")),
        ("facts", None),
        ("~/facts", None),
        ("FILE:///srv/facts", None),
        ("https://syn.example.com", None),
        ("", None),
    ],
)
def test_a_folder_shows_by_its_first_characters(api_url: str, folder: Path | None) -> None:
    assert facts_folder(api_url) == folder
