"""The environment of every test: empty home, no Git settings, no network, a fixed author."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from tests.support.golden import Golden

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

AUTHOR = "Test Author"
EMAIL = "author@example.com"

EXCUSED = re.compile(
    # Programs, servers and mirrors that CI does not have.
    r"\b(helm|kustomize|cue|opa|vault|sshd|kubectl|jsonnetfmt|faketime|chromium|playwright)\b"
    r"|real server|real Argo CD|is not set|MIRRORS|COMMODORE_JB|GENERATOR"
    # What the system, its Git or its Python cannot do.
    r"|reftable|no program can write it|\bmount|namespaces|only root|None is immortal"
)
"""Reasons of skips that are no failure with STRICT=1."""

# The same examples in each ordinary run; other ones every night.
settings.register_profile(
    "default",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "long", settings.get_profile("default"), derandomize=False, max_examples=5000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


MEMORY = "/dev/shm"  # noqa: S108 - pytest makes a directory of its own below


def _memory_has_room() -> bool:
    """Return whether a folder in memory can hold what tests write, and run what they start."""
    try:
        memory = os.statvfs(MEMORY)
    except OSError:
        return False
    return not memory.f_flag & os.ST_NOEXEC and memory.f_bavail * memory.f_frsize > 2**31


# On ext4, each file that was deleted lately slows down the next ones: tests take twice as long.
if "TMPDIR" not in os.environ and _memory_has_room():
    os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and not _is_loopback(str(address[0])):
        raise ConnectionRefusedError(f"tests reach no network: {address}")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


sys.addaudithook(_refuse_network)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """More workers than cores: tests wait for programs half of their time."""
    return (os.cpu_count() or 1) + 2


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="write what golden cases expect, of what comes out"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave cases of tests that are marked as samples to `make long`, before it is selected.

    By their names: every n-th would be one value of a parameter only, where there are several.
    """
    seen: set[tuple[Path, str]] = set()
    for item in items:
        if sample := item.get_closest_marker("sample"):
            test = item.path, getattr(item, "originalname", item.name)
            if test in seen and crc32(item.nodeid.encode()) % sample.args[0]:
                item.add_marker("long")
            seen.add(test)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With STRICT=1, a skip fails unless its reason is excused."""
    report = yield
    if os.environ.get("STRICT") and report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
        if EXCUSED.search(reason) is None:
            report.outcome = "failed"
            report.longrepr = f"skipped with STRICT=1: {reason}"
    return report


@pytest.fixture(scope="session")
def golden(pytestconfig: pytest.Config) -> Golden:
    """Compares with golden cases, or writes them."""
    return Golden(update=pytestconfig.getoption("update"))


@pytest.fixture(scope="session", autouse=True)
def _caches_left_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fixtures that live longer than a test do not fill the cache of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


_FOREIGN = ("COMMODORE_", "GIT_", "XDG_", "KAPITAN_", "VAULT_")


@pytest.fixture(autouse=True)
def empty_home(_homes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home directory; programs that we start have no network, either."""
    # `tmp_path_factory` lists all its folders for each new one, and it keeps them: with ten
    # thousand tests, that is a fifth of the time.
    home = Path(tempfile.mkdtemp(dir=_homes))
    for name in list(os.environ):
        if name == "CI" or name.startswith(_FOREIGN):
            monkeypatch.delenv(name)
    values = {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),  # a program may write to it
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "file:http",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_COMMITTER_NAME": AUTHOR,
        "GIT_COMMITTER_EMAIL": EMAIL,
        "NO_PROXY": "127.0.0.1,localhost",
        **dict.fromkeys(
            ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"
        ),
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def quiet_loggers() -> Iterator[None]:
    """Reset the loggers after each test."""
    yield
    for name in ("commodore_py", "commodore_py.pipeline"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
        logger.setLevel(logging.NOTSET)
