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


def test_known_secret_is_masked_in_structured_result() -> None:
    redactor = Redactor()
    redactor.learn(PLAIN)

    masked = redactor.masked_value({"a": [f"x {PLAIN}", 1, None, True], PLAIN: (PLAIN,)})

    assert masked == {"a": [f"x {MASK}", 1, None, True], MASK: [MASK]}


def test_short_values_are_words_of_many_texts() -> None:
    redactor = Redactor()
    redactor.learn("token", "x", "", "secret", "changeme", "x-oauth-basic")

    assert redactor.masked("a secret token: x") == "a secret token: x"


def test_values_of_secret_variables_are_masked() -> None:
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


def test_shown_command_hides_passwords() -> None:
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
def test_masking_time_is_linear(piece: str) -> None:
    text = piece * (400_000 // len(piece)) + " @ / = %40"

    assert len(Redactor().message(text)) > 0
