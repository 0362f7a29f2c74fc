"""The door of state: files of ours in the working directory and in caches, damaged."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.adapters.http import credentials
from commodore_py.catalog.record import unreported
from commodore_py.config import WorkPaths
from commodore_py.dependencies.downloads.record import Record
from commodore_py.dependencies.protection.journal import Journal
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.token_cache import TokenCache
from commodore_py.workflows.tools.folder import ToolFolder
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_json, damaged, spoilt

VALID = {
    "cluster": "c-x",
    "commit": "0" * 40,
    "report": {"a": 1},
    "place": "dependencies/a",
    "before": "",
    "after": "",
    "clone": "",
    "url": "",
    "began": 1.0,
    "ended": None,
    "places": {"a": {"digest": "x", "files": {"b": [1, 2, "c"]}}},
    "auths": {"example.com": {"auth": "YTpi", "identitytoken": "x"}},
    "credsStore": None,
}
FILES = (
    *(".commodore/running", ".commodore/journal/files-0.json", ".commodore/unreported.json"),
    ".commodore/commodore-vendored.json",
    *("docker/config.json", "cache/tokens", "cache/state.json"),
)
CASES = st.one_of(
    damaged(VALID).map(as_json), spoilt([as_json(VALID), b"", b"[]", b"null", b'"x"', b"1"])
)


def feed(content: bytes) -> None:
    errors: list[CommodoreError] = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        for file in FILES:
            path = root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        os.environ["DOCKER_CONFIG"] = str(root / "docker")
        paths = WorkPaths(root)
        asks = (
            lambda: list(Journal.of(paths).open_intents()),
            lambda: unreported(paths),
            lambda: Record.read(paths.state, root),
            lambda: credentials.login_for("example.com"),
            lambda: TokenCache(root / "cache/tokens").texts("https://example.com", "id_token"),
            lambda: ToolFolder(root / "cache").managed(),
            lambda: _locked(paths),
        )
        for ask in asks:
            try:
                ask()
            except CommodoreError as error:
                errors.append(error)
    if errors:
        raise errors[0]


def _locked(paths: WorkPaths) -> None:
    with suppress(CommodoreError), exclusive_run(paths, patience=0):
        pass


def test_state() -> None:
    survives(
        feed,
        CASES,
        as_json(VALID),
        b"",
        b"[" * 100_000,
        b'{"schema": ' + b"[" * 100_000,
        b"9" * 5000,
        b"\0",
        b"\xff\xfe",
        b'{"began": 1e999, "ended": ' + b"9" * 400 + b"}",
        b'{"place": "a\\u0000b"}',
        b'{"place": "' + b"x" * 5000 + b'"}',
    )
