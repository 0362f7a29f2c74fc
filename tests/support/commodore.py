"""Commodore as a black box: install it, serve it facts, run it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import venv
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.tables import load_yaml

from .installed import INSTALLED, install, installing
from .servers.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMODORE_VERSION = "1.35.1"

_RUN_SECONDS = 300

_HOME = INSTALLED / f"peer-{COMMODORE_VERSION}"
_PROGRAM = _HOME / "bin" / "commodore"

# What jsonnet-bundler does when all dependencies are local: a link for each.
_JB = """\
#!{python}
import json, pathlib

vendor = pathlib.Path("vendor")
vendor.mkdir(exist_ok=True)
for dependency in json.loads(pathlib.Path("jsonnetfile.json").read_text())["dependencies"]:
    folder = pathlib.Path(dependency["source"]["local"]["directory"]).absolute()
    link = vendor / folder.name
    link.unlink(missing_ok=True)
    link.symlink_to(folder)
"""


def find_commodore() -> Path:
    """Commodore's executable: COMMODORE_PEER, cached, or installed now; else the test skips."""
    if given := os.environ.get("COMMODORE_PEER"):
        return Path(given)
    complete = _HOME / "complete"
    with installing(_HOME):
        if not complete.is_file():
            _install(_HOME)
            complete.touch()
    return _PROGRAM


def run_commodore(commodore: Path, work: Path, api_url: str, *arguments: str) -> str:
    """Run Commodore in a working directory, with an empty home directory, and return its output."""
    home = work.with_name(f"{work.name}-home")
    environment = clean_environment(home)
    environment |= {
        "COMMODORE_API_TOKEN": "made-up",
        "COMMODORE_API_URL": api_url,
        "PATH": f"{write_jb(home / 'bin')}{os.pathsep}{environment['PATH']}",
    }
    return run_to_end([str(commodore), *arguments], work, environment)


def run_to_end(command: list[str], work: Path, environment: dict[str, str]) -> str:
    """Run a program that must succeed; its whole output is the answer, or the failure."""
    work.mkdir(parents=True, exist_ok=True)
    code, output = outcome_of(command, work, environment)
    assert code == 0, output
    return output


def outcome_of(
    command: list[str], work: Path, environment: dict[str, str], *, stderr: bool = True
) -> tuple[int, str]:
    """Run a program in a folder; its exit code and its output."""
    # Loading Commodore takes longer than most runs; but Go, which evaluates, survives no fork.
    if command[0] in (str(_PROGRAM), os.environ.get("COMMODORE_PEER")) and "compile" not in command:
        return _outcome_of_loaded(command, work, environment, stderr=stderr)
    done = subprocess.run(
        command,
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if stderr else subprocess.DEVNULL,
        text=True,
        timeout=_RUN_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def _outcome_of_loaded(
    command: list[str], work: Path, environment: dict[str, str], *, stderr: bool
) -> tuple[int, str]:
    process = _loaded(command[0])
    assert process.stdin is not None
    assert process.stdout is not None
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        run = {
            "command": command,
            "environment": environment,
            "folder": str(work),
            "stdout": output.name,
            "stderr": output.name if stderr else os.devnull,
        }
        process.stdin.write(f"{json.dumps(run)}\n")
        process.stdin.flush()
        assert select.select([process.stdout], [], [], _RUN_SECONDS)[0], f"no end of {command}"
        return int(process.stdout.readline()), output.read()


@cache
def _loaded(program: str) -> subprocess.Popen[str]:
    python = Path(program).read_text("utf-8").partition("\n")[0].removeprefix("#!")
    return subprocess.Popen(
        [python, "-P", str(Path(__file__).with_name("loaded.py"))],
        env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def clean_environment(home: Path) -> dict[str, str]:
    """An environment in which nothing of the user's is left but the programs."""
    # Commodore leaves the hooks of templates among the temporary files.
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    return {
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PATH": os.environ["PATH"],
        "TMPDIR": str(temporary),
        "TZ": "UTC",
    }


class Lieutenant(ThreadingHTTPServer):
    """A stand-in for a Lieutenant server: answers from a folder of facts, keeps reports."""

    def __init__(self, facts: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.facts = facts
        self.reports: list[tuple[str, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        """What to give as `--api-url`."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serve_facts(facts: Path) -> Iterator[Lieutenant]:
    """Serve a folder of facts on a loopback port."""
    with serving(Lieutenant(facts)) as server:
        yield server


class _Requests(BaseHTTPRequestHandler):
    """`/clusters/`, `/clusters/<id>`, `/tenants/<id>`, and reports of compiles."""

    server: Lieutenant

    def do_GET(self) -> None:
        facts = self.server.facts
        if self._path() == PurePosixPath("/clusters"):
            clusters = sorted((facts / "clusters").glob("*.yaml"))
            self._answer(HTTPStatus.OK, [_load(path) for path in clusters])
            return
        path = facts / f"{self._path().relative_to('/')}.yaml"
        if path.is_file():
            self._answer(HTTPStatus.OK, _load(path))
        else:
            self._answer(HTTPStatus.NOT_FOUND, {"reason": f"{self.path} not found"})

    def do_POST(self) -> None:
        report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.reports.append((self.path, report))
        self.send_response(HTTPStatus.NO_CONTENT)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class names it)
        """Stay quiet: pytest shows what Commodore printed."""

    def _path(self) -> PurePosixPath:
        return PurePosixPath(self.path.partition("?")[0])

    def _answer(self, status: HTTPStatus, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _load(path: Path) -> object:
    return load_yaml(path)


def _install(home: Path) -> None:
    venv.create(home, clear=True, with_pip=True)
    if not install(home / "bin" / "python", f"syn-commodore=={COMMODORE_VERSION}"):
        pytest.skip(f"Commodore {COMMODORE_VERSION} cannot be installed")


def write_jb(folder: Path) -> Path:
    """Put the stand-in for jsonnet-bundler into a folder, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "jb"
    program.write_text(_JB.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    return folder
