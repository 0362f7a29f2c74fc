"""Questions about programs that render, and about the environment that they read."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from commodore_py.adapters.helm import settings_files
from commodore_py.cache.digests import NOTHING, digest

from .base import Kind

HELM, KUSTOMIZE = "Helm", "kustomize"
SCRIPT = "#!"
"""What runs is decided by the script, which may read anything, or a program of another name."""

_HOMEBREW = "/opt/homebrew/bin"  # as in the wrapper
_PREFIXES = ("HELM_", "KUBE", "KUSTOMIZE_")
_VARIABLES = ("POD_NAMESPACE", "TZ", "HOME", "KAPITAN_HELM_TIMEOUT")


def tool_digest(about: str) -> str:
    """The digest of Helm (with a path after a colon), of kustomize, or of a program in PATH."""
    kind, _, named = about.partition(":")
    if kind == HELM:
        return _program(shutil.which(named or os.environ.get("KAPITAN_HELM_PATH") or "helm"))
    if kind == KUSTOMIZE:
        path = os.pathsep.join((os.environ.get("PATH", ""), _HOMEBREW))
        return _program(shutil.which("kustomize", path=path) or shutil.which("kubectl", path=path))
    return _program(shutil.which(about))


def environment_digest() -> str:
    """Variables, and files that clients of Kubernetes read: they may set a namespace."""
    variables = sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith(_PREFIXES) or name in _VARIABLES
    )
    contents = []
    for file in settings_files():
        with suppress(OSError):
            contents.append((file, Path(file).read_bytes()))
    return digest(repr((variables, contents)).encode(errors="surrogateescape"))


def _program(path: str | None) -> str:
    if path is None:
        return NOTHING
    real, name = Path(path).resolve(), Path(path).name
    # One program for many tools (mise, aqua, snap) looks elsewhere for the version to run.
    if name not in real.name:
        return SCRIPT
    try:
        with real.open("rb") as file:
            if file.read(len(SCRIPT)) == SCRIPT.encode():
                return SCRIPT
        status = real.stat()
    except OSError:
        return NOTHING
    times = (status.st_mtime_ns, status.st_ctime_ns)
    return digest(f"{real} {status.st_size} {status.st_ino} {times}".encode())


TOOL = Kind(
    "tool",
    "there is another {}",
    lambda about, view: view.once(f"tool {about}", lambda: tool_digest(about)),
    lambda about: about.partition(":")[0],  # without a path that was given for it
)
ENVIRONMENT = Kind(
    "environment",
    "there is another environment of {}",
    lambda about, view: view.once(f"environment {about}", environment_digest),
)
