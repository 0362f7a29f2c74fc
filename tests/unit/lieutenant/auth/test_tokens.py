"""Which token is sent, and which is not."""

import base64
import json
import time
from pathlib import Path

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import NoToken
from commodore_py.lieutenant.auth.tokens import TokenExpired, usable_token
from tests.support.tables import each

NOW = 1_800_000_000.0


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: NOW)


def jwt(**claims: object) -> str:
    """A web token without a signature."""
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "s"])


@each(
    "token",
    [
        "sesame",
        "a.b.c",
        "a.W10.c",
        "x" * 5000,
        jwt(sub="me"),
        jwt(exp="soon"),
        jwt(exp=NOW + 11),
        jwt(exp=NOW + 3600.5, name="ü" * 3),
    ],
)
def test_token_is_used_unchanged(token: str) -> None:
    assert usable_token(f" {token}\n") == token


@each("given", ["", "  \n"])
def test_blank_token_is_empty(given: str) -> None:
    assert usable_token(given) == ""


def test_token_is_read_from_named_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text(f"{jwt(exp=NOW + 60)}\n")
    monkeypatch.chdir(tmp_path)

    assert usable_token("token") == jwt(exp=NOW + 60)


def test_folder_name_is_used_as_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").mkdir()
    monkeypatch.chdir(tmp_path)

    assert usable_token("token") == "token"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b" \n", "the file with the API token is empty"),
        (b"\xff\xfe", "cannot read the API token: not valid UTF-8"),
        (b"two words", "without spaces"),
        (b"two\nlines", "without spaces"),
    ],
)
def test_invalid_token_file_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)

    with pytest.raises(CommodoreError, match=problem) as raised:
        usable_token(str(file))

    assert raised.value.where == str(file)


def test_invalid_token_is_not_quoted() -> None:
    with pytest.raises(CommodoreError, match="without spaces") as raised:
        usable_token("schlüssel")

    assert "schl" not in f"{raised.value} {raised.value.where} {raised.value.hint}"


@each(
    ("expiry", "shown"),
    [(NOW + 9, "2027-01-15 08:00:09"), (NOW - 60, "2027-01-15 07:59:00"), (-1e300, "1970-01-01")],
)
def test_expired_token_is_an_error(expiry: float, shown: str) -> None:
    with pytest.raises(TokenExpired, match=f"has expired: it was valid until {shown}"):
        usable_token(jwt(exp=expiry))


def test_expired_token_names_its_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(jwt(exp=NOW))

    with pytest.raises(TokenExpired) as raised:
        usable_token(str(file))

    assert raised.value.where == str(file)


def test_missing_token_error_lists_alternatives() -> None:
    error = NoToken.for_api("https://syn.example.com")

    assert error.where == "https://syn.example.com"
    assert "--api-token" in error.hint
    assert "COMMODORE_API_TOKEN" in error.hint
    assert "./facts" in error.hint


def test_folder_without_dot_slash_gets_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clusters-of-ours").mkdir()
    monkeypatch.chdir(tmp_path)

    assert "write ./clusters-of-ours" in NoToken.for_api("clusters-of-ours").hint
