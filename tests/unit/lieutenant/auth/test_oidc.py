"""What is sent to a provider, and how long tokens are good."""

import base64
import hashlib
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.http import is_private
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.oidc import (
    Attempt,
    Provider,
    authorization_url,
    checked,
    printable,
)
from commodore_py.lieutenant.auth.web_tokens import claims_of, expiry_of, has_expired, is_one_word
from commodore_py.lieutenant.urls import base_url
from tests.support.servers.oidc.double import jwt

NOW = 1_800_000_000.0
PROVIDER = Provider("https://idp", "https://idp/auth", "https://idp/token")
RIGHT = {"iss": "https://idp", "aud": "me", "exp": NOW + 60}


def test_an_attempt_has_secrets_of_its_own() -> None:
    one, other = Attempt.fresh("http://localhost:18000"), Attempt.fresh("http://localhost:18000")

    secrets = {one.state, one.nonce, one.verifier, other.state, other.nonce, other.verifier}
    assert len(secrets) == 6
    assert all(43 <= len(secret) <= 128 for secret in secrets)


def test_the_challenge_is_that_of_the_standard() -> None:
    # The example of RFC 7636, appendix B.
    attempt = Attempt("", "", "", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

    assert attempt.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.mark.parametrize("endpoint", ["https://idp/auth", "https://idp/auth?realm=a%20b"])
def test_the_address_holds_what_is_needed_and_no_secret_but_state_and_nonce(endpoint: str) -> None:
    attempt = Attempt("http://localhost:18000", "S", "N", "V")

    url = authorization_url(Provider("", endpoint, ""), "a client", attempt)

    assert url.startswith(endpoint)
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"V").digest()).decode().rstrip("=")
    query = parse_qs(urlsplit(url).query)
    query.pop("realm", None)
    assert query == {
        "response_type": ["code"],
        "client_id": ["a client"],
        "redirect_uri": ["http://localhost:18000"],
        "scope": ["openid email profile"],
        "state": ["S"],
        "nonce": ["N"],
        "code_challenge": [digest],
        "code_challenge_method": ["S256"],
    }
    assert "redirect_uri=http%3A%2F%2Flocalhost%3A18000" in url


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({}, {}),
        ({"scope": "a b", "expires_in": "30"}, {"scope": ["a", "b"], "expires_at": int(NOW) + 30}),
        ({"scope": ["a"], "expires_in": "soon"}, {"scope": ["a"]}),
        ({"expires_in": 1e400}, {}),
    ],
)
def test_a_response_is_stored_in_the_form_of_commodore(
    more: dict[str, object], kept: dict[str, object]
) -> None:
    answer = {"id_token": jwt({**RIGHT, "aud": ["x", "me"]}), **more}

    assert checked(answer, PROVIDER, "me", now=NOW) == {**answer, **kept}


@pytest.mark.parametrize("audience", [None, "", [], {}, 5, "you", ["you"]])
def test_a_token_for_another_audience_is_refused(audience: object) -> None:
    with pytest.raises(CommodoreError, match="is not for me, but for"):
        checked({"id_token": jwt({**RIGHT, "aud": audience})}, PROVIDER, "me", now=NOW)


@given(st.text())
def test_messages_of_a_provider_do_not_control_a_terminal(text: str) -> None:
    assert printable(text).isprintable()


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_anything_may_be_taken_for_a_token(text: str) -> None:
    assert claims_of(f"a.{text}.c") is None or "." not in text
    assert is_one_word(text) == (
        text != "" and text.split() == [text] and text.isprintable() and text.isascii()
    )


@pytest.mark.parametrize(
    ("claims", "expiry", "expired"),
    [
        ({}, None, False),
        ({"exp": "soon"}, None, False),
        ({"exp": 10**400}, None, False),
        ({"exp": NOW + 11}, NOW + 11, False),
        ({"exp": NOW + 9}, NOW + 9, True),
    ],
)
def test_a_token_ends_at_its_expiry(
    claims: dict[str, object], expiry: float | None, expired: bool
) -> None:
    assert expiry_of(jwt(claims)) == expiry
    assert has_expired(jwt(claims), NOW) is expired


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("https://idp.example.com", True),
        ("http://localhost:8080/x", True),
        ("http://127.0.0.1", True),
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
def test_private_is_https_or_this_machine(
    url: str, private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_private(url) is private

    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    assert is_private(url) is (private or url.startswith("http:"))


@pytest.mark.parametrize(
    ("api_url", "base"),
    [
        ("https://syn.example.com/", "https://syn.example.com"),
        ("Syn.Example.com:443", "https://syn.example.com"),
        ("http://syn.example.com/a/../b//", "http://syn.example.com/b"),
    ],
)
def test_an_api_has_one_spelling(api_url: str, base: str) -> None:
    assert base_url(api_url) == base
