"""jsonnet-bundler's own program: install it with Go, run it on repositories of our own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from .installed import ENVIRONMENT, INSTALLED, installing

VERSION = "v0.6.0"

_MODULE = "github.com/jsonnet-bundler/jsonnet-bundler"
_BUILD_SECONDS = 600
_RUN_SECONDS = 60
_LOCAL = {"source": {"local": {"directory": "folder"}}, "version": ""}


@dataclass(frozen=True, slots=True)
class Jb:
    """A `jb`: upstream's, or Project Syn's fork, which links contents and chooses depth-first."""

    program: Path
    is_fork: bool = False

    def install(self, work: Path) -> subprocess.CompletedProcess[str]:
        """Run `jb install` in a folder that has no lock yet."""
        return subprocess.run(
            [self.program, "install"],
            cwd=work,
            capture_output=True,
            text=True,
            timeout=_RUN_SECONDS,
            check=False,
        )


def find_jb() -> Jb:
    """From COMMODORE_JB, the cache, or installed now; else the test skips."""
    if given := os.environ.get("COMMODORE_JB"):
        return _recognised(Jb(Path(given)))
    home = INSTALLED / "jb" / VERSION
    program = home / "bin" / "jb"
    with installing(home):
        if not program.is_file():
            _build(home)
    return _recognised(Jb(program))


def _recognised(jb: Jb) -> Jb:
    """Tell the fork by its cache, as both may say that their version is `dev`."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        (work / "folder").mkdir()
        wanted = {"version": 1, "dependencies": [_LOCAL], "legacyImports": True}
        (work / "jsonnetfile.json").write_text(json.dumps(wanted))
        done = jb.install(work)
        assert done.returncode == 0, done.stderr
        return replace(jb, is_fork=(work / "vendor/.cache").is_dir())


def _build(home: Path) -> None:
    go = shutil.which("go")
    if go is None:
        pytest.skip("jb cannot be built: install Go, or set COMMODORE_JB to a jb")
    module = home / "module"
    shutil.rmtree(home, ignore_errors=True)
    module.mkdir(parents=True)
    # Not `go install module@version`: that also requests versions that a proxy may not list.
    for arguments in (
        ("mod", "init", "localhost/jb"),
        ("get", f"{_MODULE}/cmd/jb@{VERSION}"),
        ("build", "-o", str(home / "jb.new"), f"{_MODULE}/cmd/jb"),
    ):
        done = subprocess.run(
            [go, *arguments],
            cwd=module,
            env={**ENVIRONMENT, "GOFLAGS": "-buildvcs=false"},
            capture_output=True,
            text=True,
            timeout=_BUILD_SECONDS,
            check=False,
        )
        if done.returncode:
            reason = " ".join(done.stderr.strip().splitlines()[-1:])
            pytest.skip(f"jb {VERSION} cannot be built: {reason}")
    (home / "bin").mkdir()
    (home / "jb.new").rename(home / "bin" / "jb")
