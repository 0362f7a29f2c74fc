"""The npm package oidc-provider, in a program of its own; installed once per user."""

# oidc-provider-mock of PyPI would spare us Node.js, but knows no client without a secret.

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.installed import ENVIRONMENT, INSTALLED, installing

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE = Path(__file__).parent
_FILES = ("package.json", "provider.mjs")
_PLACE = INSTALLED / "oidc-provider"


@dataclass(frozen=True, slots=True)
class RealProvider:
    """One that runs."""

    issuer: str
    client_id: str = "commodore"

    @property
    def discovery_url(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"


@contextmanager
def serve_provider(*, lifetime: float = 300) -> Iterator[RealProvider]:
    """A real provider during one test; skips with the missing requirement."""
    node = _node_with_provider()
    settings = json.dumps({"lifetime": lifetime})
    with subprocess.Popen(
        [node, "provider.mjs", settings],
        cwd=_PLACE,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        assert program.stdin
        assert program.stdout
        line = program.stdout.readline()
        assert line, "the provider did not start"
        try:
            yield RealProvider(json.loads(line)["issuer"])
        finally:
            program.stdin.close()
            program.wait(10)


def _node_with_provider() -> str:
    node, npm = (shutil.which(name, path=ENVIRONMENT.get("PATH")) for name in ("node", "npm"))
    if not (node and npm):
        pytest.skip("no node or npm: install Node.js 20 or newer to log in at a real provider")
    with installing(_PLACE):
        _install(npm)
    return node


def _install(npm: str) -> None:
    wanted = json.loads((_HERE / "package.json").read_text("utf-8"))["dependencies"]
    _PLACE.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        shutil.copyfile(_HERE / name, _PLACE / name)
    if _installed() != wanted["oidc-provider"]:
        done = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--no-package-lock"],
            cwd=_PLACE,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"npm cannot install oidc-provider: {done.stderr.strip()[-300:]}")


def _installed() -> str:
    try:
        manifest = (_PLACE / "node_modules" / "oidc-provider" / "package.json").read_text("utf-8")
    except OSError:
        return ""
    return str(json.loads(manifest)["version"])
