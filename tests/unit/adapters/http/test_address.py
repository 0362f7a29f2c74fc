"""Where secrets may be sent."""

from __future__ import annotations

import pytest

from commodore_py.adapters.http import is_private


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("https://idp.example.com", True),
        ("http://localhost:8080/x", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8080", True),
        ("http://idp.example.com", False),
        ("http://localhost.example.com", False),
        ("http://127.0.0.1.example.com", False),
        ("http://10.0.0.1", False),
        ("ftp://localhost", False),
        ("/auth", False),
        ("", False),
    ],
)
def test_https_and_localhost_are_private(
    url: str, private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_private(url) is private

    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    assert is_private(url) is (private or url.startswith("http:"))
