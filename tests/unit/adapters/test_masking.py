"""Credentials are masked by their form, and those of a run by value, however they are encoded."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters.masking import MASK, Redactor, masked_by_form, shown_command
from tests.support.tables import each

CANARY = "c4nary/T0ken+w%th:odd@chars"
PLAIN = "c4naryT0kenx"

URLS = [
    f"https://{PLAIN}@host/x.git",
    f"https://{PLAIN}:@host/x.git",
    f"http://{PLAIN}:x-oauth-basic@host:8080/x.git",
    f"https://oauth2:{PLAIN}@host/x.git",
    f"HTTPS://me:{PLAIN}@HOST/x",
    f"https://me:a@{PLAIN}@host/x",
    f"https://me:a/{PLAIN}@host/x",
    f"https://me:a?{PLAIN}#@host/x",
    f"git+https://me:{PLAIN}@host/x",
    f"oci://me:{PLAIN}@host/x",
    f"ssh://me:{PLAIN}@host:22/x",
    f"ftp://me:{PLAIN}@host/x",
    f"https://me:{PLAIN}@[::1]:8080/x",
    f"https:\\/\\/me:{PLAIN}@host\\/x",
    f"https://go.example.org/?url=https%3A%2F%2Fme%3A{PLAIN}%40host%2Fx",
    f"see <https://me:{PLAIN}@host/x>, 'https://{PLAIN}@host/y'",
]
QUERIES = [
    "private_token",
    "PRIVATE_TOKEN",
    "private%5Ftoken",
    "private%5ftoken",
    "token",
    "access_token",
    "access-token",
    "accessToken",
    "job_token",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "X-Amz-Security-Token",
    "x-amz-signature",
    "X-Goog-Signature",
    "Signature",
    "AWSAccessKeyId",
    "sig",
    "key",
    "api_key",
    "apikey",
    "password",
    "passwd",
    "client_secret",
    "refresh_token",
    "user[password]",
    "jwt",
]


@each("text", URLS)
def test_credentials_in_urls(text: str) -> None:
    assert PLAIN not in masked_by_form(text)
    assert MASK in masked_by_form(text)


@each("name", QUERIES)
@each("template", ["https://h/x?{}={}&a=1", "/x?a=1&{}={}#top", "x?a=1;{}={}"])
def test_credentials_in_queries(name: str, template: str) -> None:
    shown = masked_by_form(template.format(name, PLAIN))

    assert PLAIN not in shown
    assert "a=1" in shown


def test_credentials_in_a_query_within_a_query() -> None:
    text = f"https://h/go?to=https%3A%2F%2Fx%2F%3Ftoken%3D{PLAIN}%26page%3D2"

    assert PLAIN not in masked_by_form(text)


@each(
    "text",
    [
        "https://host:8443/a@b",
        "https://host/path@v1.2.3",
        "https://[::1]:8080/x@y",
        "ssh://git@github.com/projectsyn/component-argocd.git",
        "https://git@github.com/x",
        "git@github.com:x/y.git",
        "mail to me@example.org",
        "oci://registry.example.org/x@sha256:0123",
        "https://h/?page=2&keyword=tokens&monkey=1&user_code=AB-CD&state=x",
        "https://h/x?X-Amz-Date=20260101T000000Z&X-Amz-Expires=60",
        "basic authentication failed",
        "the bearer token has expired",
        "kind: Secret",
        "password: ?{vaultkv:t/c/password}",
        "a=b; token",
        MASK,
    ],
)
def test_what_is_not_a_credential_stays(text: str) -> None:
    assert masked_by_form(text) == text
    assert Redactor().message(text) == text


@each(
    "text",
    [
        f"bad Bearer {PLAIN}",
        f"<p>bearer  {PLAIN}</p>",
        f"Authorization: token {PLAIN}",
        f"authorization={PLAIN}",
        f'{{"Authorization": "Bearer {PLAIN}"}}',
        f"'private-token': '{PLAIN}'",
        f"X-Vault-Token: {PLAIN}",
        f"Cookie: session={PLAIN}; other={PLAIN}",
        f'{{"access_token":"{PLAIN}"}}',
        f'{{\\"id_token\\": \\"{PLAIN}\\"}}',
        f"helm pull --password={PLAIN}",
        "Basic " + base64.b64encode(f"me:{PLAIN}".encode()).decode(),
    ],
)
def test_credentials_that_servers_and_programs_repeat(text: str) -> None:
    shown = Redactor().message(text)

    assert PLAIN not in shown
    assert MASK in shown
    assert base64.b64encode(f"me:{PLAIN}".encode()).decode() not in shown


@each("secret", [CANARY, PLAIN, 'q"uo\\te', "pässwörd", "a b c d e f"])
@each("before", ["", "a", "me:", "user:"])
def test_known_secrets_in_every_encoding(secret: str, before: str) -> None:
    redactor = Redactor()
    redactor.learn(secret)
    spellings = [
        secret,
        quote(secret, safe=""),
        quote(secret, safe="").lower() if secret.isascii() and secret.islower() else secret,
        quote_plus(secret),
        json.dumps(secret),
        json.dumps(secret, ensure_ascii=False),
    ]

    for spelling in spellings:
        assert redactor.masked(f"({spelling})").replace('"', "") == f"({MASK})", spelling
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(f"{before}{secret}\n".encode()).decode()
        shown = redactor.masked(encoded)
        assert MASK in shown
        assert len(shown) < len(encoded) - len(secret) // 2


def test_a_known_secret_is_masked_in_results_for_programs() -> None:
    redactor = Redactor()
    redactor.learn(PLAIN)

    masked = redactor.masked_value({"a": [f"x {PLAIN}", 1, None, True], PLAIN: (PLAIN,)})

    assert masked == {"a": [f"x {MASK}", 1, None, True], MASK: [MASK]}


def test_short_values_are_words_of_many_texts() -> None:
    redactor = Redactor()
    redactor.learn("token", "x", "", "secret", "changeme", "x-oauth-basic")

    assert redactor.masked("a secret token: x") == "a secret token: x"


def test_variables_that_are_named_as_secrets() -> None:
    redactor = Redactor()
    redactor.learn_variables(
        {
            "VAULT_TOKEN": PLAIN,
            "db_password": "tops3cret",
            "HOME": "/home/somebody",
            "MY_SECRET": None,
        }
    )

    assert redactor.masked(f"{PLAIN} tops3cret /home/somebody") == f"{MASK} {MASK} /home/somebody"


def test_a_command_line_shows_no_password() -> None:
    words = ["helm", "pull", "--username", "me", "--password", PLAIN, f"https://{PLAIN}@host/x"]

    assert shown_command(words) == "helm pull --username me --password *** https://***@host/x"


@given(st.text(max_size=200))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = masked_by_form(text)

    assert masked_by_form(once) == once


@each(
    "piece",
    ["x://a:", "a", "a://", "://a:b", "%3A%2F%2F", "?a=", "bearer ", "--a-", '"token', "@/", "&a="],
)
def test_long_texts_take_no_longer_than_they_are_long(piece: str) -> None:
    text = piece * (400_000 // len(piece)) + " @ / = %40"

    assert len(Redactor().message(text)) > 0
