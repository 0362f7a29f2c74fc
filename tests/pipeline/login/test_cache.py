"""A cache that is broken, or no place for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import log_in
from commodore_py.lieutenant.clusters import load_cluster
from tests.support.login import write_token_cache
from tests.support.servers.oidc.contract import cached

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from tests.support.servers.api import Api


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[]", "holds a list instead of an object; its content is ignored"),
        (b"null", "holds nothing instead of an object; its content is ignored"),
        (b"{", "is not valid JSON; its content is ignored"),
        (b"\xff\xfe\xfa", "is not valid JSON; its content is ignored"),
    ],
)
def test_damaged_token_cache_is_replaced(
    config: Config,
    empty_home: Path,
    content: bytes,
    problem: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = write_token_cache(empty_home, None)
    file.write_bytes(content)

    token = log_in(config)

    assert cached(empty_home)[config.api_url]["id_token"] == token
    assert caplog.messages[0] == f"{file} {problem}"


@pytest.mark.usefixtures("person")
def test_token_is_used_if_it_cannot_be_cached(
    config: Config, api: Api, empty_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (empty_home / ".cache").write_text("no folder")

    assert load_cluster(config, "c-1").id == "c-1"
    assert "cannot store the token" in caplog.text
    with pytest.raises(CommodoreError, match="cannot store the token") as raised:
        log_in(config)
    assert "XDG_CACHE_HOME" in raised.value.hint
    assert api.received[-1].path == "/"
