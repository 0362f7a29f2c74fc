"""A token is checked again before each use, as tokens expire."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commodore_py.lieutenant.auth.token_cache import TokenCache
from commodore_py.lieutenant.auth.token_source import NoToken, TokenSource
from tests.support.servers.oidc.double import jwt

NOW = 1_800_000_000.0
API = "https://syn.example.com"
SHORT, LONG = jwt({"exp": NOW + 60}), jwt({"exp": NOW + 3600})


@pytest.fixture
def cache(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> TokenCache:
    monkeypatch.setenv("CI", "true")
    return TokenCache(empty_home / ".cache" / "commodore" / "token")


def at(seconds: float) -> Callable[[], float]:
    return lambda: NOW + seconds


def test_a_given_token_gives_way_once_it_has_expired(cache: TokenCache) -> None:
    cache.store(API, {"id_token": LONG})

    assert TokenSource(API, SHORT, now=at(49)).token() == SHORT
    assert TokenSource(API, SHORT, now=at(51)).token() == LONG


def test_an_expired_cached_token_is_not_used(cache: TokenCache) -> None:
    cache.store(API, {"id_token": SHORT})

    assert TokenSource(API, now=at(49)).token() == SHORT
    with pytest.raises(NoToken):
        TokenSource(API, now=at(51)).token()


def test_one_source_sees_what_others_keep_meanwhile(cache: TokenCache) -> None:
    source = TokenSource(API, now=at(51))
    cache.store(API, {"id_token": SHORT})
    assert source.without_login() == ""

    cache.store(API, {"id_token": LONG})

    assert source.without_login() == LONG


def test_the_better_of_two_spellings_is_taken(cache: TokenCache) -> None:
    cache.file.parent.mkdir(parents=True)
    cache.file.write_text(json.dumps({API: {"id_token": SHORT}, f"{API}/": {"id_token": LONG}}))

    assert TokenSource(f"{API}/", now=at(51)).without_login() == LONG


def test_a_source_does_not_show_its_token() -> None:
    assert "sesame" not in repr(TokenSource(API, "sesame"))
