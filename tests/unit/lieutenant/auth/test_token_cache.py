"""The file of tokens, shared with Commodore and with other runs."""

import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.token_cache import TokenCache

USUAL = "https://syn.example.com"
GIVEN = "Syn.Example.com/"


@pytest.fixture
def cache(tmp_path: Path) -> TokenCache:
    return TokenCache(tmp_path / "caches" / "commodore" / "token")


def holds(cache: TokenCache, content: object) -> None:
    cache.file.parent.mkdir(parents=True)
    cache.file.write_text(json.dumps(content))


def held(cache: TokenCache) -> Any:  # noqa: ANN401 - as JSON gives it
    return json.loads(cache.file.read_text())


def answer(token: str) -> dict[str, object]:
    return {"id_token": token, "refresh_token": f"{token} again", "scope": ["openid"]}


def tokens(cache: TokenCache, api_url: str) -> list[tuple[str, str]]:
    texts = (cache.texts(api_url, name) for name in ("id_token", "refresh_token"))
    return list(zip(*texts, strict=True))


def test_tokens_are_stored_for_both_url_forms(cache: TokenCache) -> None:
    holds(cache, {GIVEN: answer("old"), "no url": answer("other")})

    cache.store(GIVEN, answer("new"))

    assert held(cache) == {
        GIVEN: answer("new"),
        USUAL: answer("new"),
        "no url": answer("other"),
    }
    assert tokens(cache, f"{USUAL}:443") == [("new", "new again")]
    assert tokens(cache, "https://other.example.com") == []


def test_tokens_of_commodore_are_found(cache: TokenCache) -> None:
    holds(cache, {GIVEN: answer("theirs"), USUAL: answer("ours")})

    assert tokens(cache, GIVEN) == [("theirs", "theirs again"), ("ours", "ours again")]
    assert tokens(cache, USUAL) == [("ours", "ours again")]


def test_file_has_format_of_commodore(cache: TokenCache) -> None:
    cache.store(USUAL, {"id_token": "a", "scope": ["openid"]})

    assert cache.file.read_text().splitlines() == [
        "{",
        ' "https://syn.example.com": {',
        '  "id_token": "a",',
        '  "scope": [',
        '   "openid"',
        "  ]",
        " }",
        "}",
    ]


def test_world_readable_token_cache_is_restricted(cache: TokenCache) -> None:
    holds(cache, {})
    cache.file.chmod(0o644)

    cache.store(USUAL, answer("a"))

    assert stat.S_IMODE(cache.file.stat().st_mode) == 0o600


def test_token_cache_writable_by_others_is_not_used(
    cache: TokenCache, caplog: pytest.LogCaptureFixture
) -> None:
    holds(cache, {USUAL: answer("a")})
    cache.file.chmod(0o666)

    assert tokens(cache, USUAL) == []
    assert "another user may have written them" in caplog.text


def test_other_entries_are_kept(cache: TokenCache) -> None:
    others = {"https://b": {"id_token": "b", "more": [1]}, "https://c": "an old token"}
    holds(cache, {**others, USUAL: "an old token"})

    cache.store(USUAL, answer("a"))
    assert held(cache) == {**others, USUAL: answer("a")}

    assert cache.forget(USUAL)
    assert held(cache) == others


@pytest.mark.parametrize("entry", ["an old token", None, 5, ["x"]])
def test_token_entry_that_is_no_object_is_ignored(cache: TokenCache, entry: object) -> None:
    holds(cache, {USUAL: entry})

    assert tokens(cache, USUAL) == []


def test_linked_token_cache_stays_a_link(cache: TokenCache, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("{}")
    cache.file.parent.mkdir(parents=True)
    cache.file.symlink_to(elsewhere)

    cache.store(USUAL, answer("a"))

    assert cache.file.is_symlink()
    assert json.loads(elsewhere.read_text()) == {USUAL: answer("a")}


def test_unreadable_token_cache_is_reported(
    cache: TokenCache, caplog: pytest.LogCaptureFixture
) -> None:
    cache.file.mkdir(parents=True)

    assert cache.texts(USUAL, "id_token") == ()
    assert caplog.messages == [f"{cache.file} cannot be read: Is a directory"]
    with pytest.raises(CommodoreError, match="cannot store the token: Is a directory") as raised:
        cache.store(USUAL, answer("a"))
    assert raised.value.where == str(cache.file)
    assert list(cache.file.parent.iterdir()) == [cache.file]


def test_writers_wait_for_each_other(cache: TokenCache) -> None:
    def keep(number: int) -> None:
        with cache.locked():
            cache.store(f"https://{number}.example.com", answer(str(number)))

    writers = [threading.Thread(target=keep, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert sorted(held(cache)) == [f"https://{number}.example.com" for number in range(8)]
