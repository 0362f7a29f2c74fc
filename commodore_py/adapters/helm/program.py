"""Helm: the program, wherever it is, or the library of the extra `helm`."""

from __future__ import annotations

import functools
import importlib.util
import logging
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.isolated import OutOfTime
from commodore_py.adapters.process import Patience, ProgramFailed, TookTooLong, run
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.adapters.isolated import Session

log = logging.getLogger(__name__)

_LIBRARY = "commodore_py.adapters.helm.library"
_SECONDS = 30.0


class HelmFailed(CommodoreError):
    """A chart that Helm does not render, or no Helm to do it."""


class Helm(Protocol):
    """One way to have charts rendered."""

    def version(self) -> str:
        """Which Helm it is."""

    def template(self, arguments: Sequence[str]) -> bytes:
        """Do what `helm` does with these arguments; returns what it prints."""


@dataclass(frozen=True, slots=True)
class HelmProgram:
    """A `helm`; one that content names by its path gets no more variables than other content."""

    path: str
    of_content: bool = False

    def version(self) -> str:
        """Its own word for it."""
        return _version_of(self.path, of_content=self.of_content)

    def template(self, arguments: Sequence[str]) -> bytes:
        """Run it, for as long as charts may take."""
        seconds = _patience()
        log.debug("running %s %s", self.path, " ".join(arguments))
        try:
            env = child_environment(users_own=not self.of_content)
            return run([self.path, *arguments], only_env=env, patience=Patience(seconds))
        except TookTooLong as error:
            raise _took_too_long(seconds, where=error.where) from error
        except ProgramFailed as error:
            raise HelmFailed(error.stderr.strip() or str(error), where=error.where) from error


@dataclass(frozen=True, slots=True)
class HelmLibrary:
    """Helm's own code in a Python package; in another process, as it is a Go runtime."""

    session: Session

    def version(self) -> str:
        """The version of Helm in it."""
        return str(self.session.call(f"{_LIBRARY}:version"))

    def template(self, arguments: Sequence[str]) -> bytes:
        """Do the same as the program."""
        log.debug("rendering in process: helm %s", " ".join(arguments))
        seconds = _patience()
        name = f"{_LIBRARY}:template"
        try:
            printed: bytes = self.session.call(name, tuple(arguments), seconds=seconds)
        except OutOfTime as error:
            raise _took_too_long(seconds) from error
        return printed


def find_helm(wanted: str | None, session: Session, *, few_variables: bool = False) -> Helm:
    """The one that an entry or the environment names, one in PATH, or else the library.

    Managed tools are in PATH, too. It gets few variables where content decides what it runs.
    """
    named = wanted or os.environ.get("KAPITAN_HELM_PATH")
    program = shutil.which(named or "helm")
    if program is not None:
        return HelmProgram(program, of_content=few_variables or "/" in (wanted or ""))
    if named is None and importlib.util.find_spec("helm_python") is not None:
        return HelmLibrary(session)
    raise HelmFailed(
        f"{named} is not a helm program" if named else "helm not found in PATH",
        hint="have a helm in PATH, run `commodore tool install helm`, install the extra"
        " commodore-py[helm], or name a program in helm_path or KAPITAN_HELM_PATH",
    )


@functools.lru_cache
def _version_of(path: str, *, of_content: bool) -> str:
    env = child_environment(users_own=not of_content)
    return run([path, "version", "--template", "{{.Version}}"], only_env=env).decode().strip()


def _took_too_long(seconds: float, *, where: str = "") -> HelmFailed:
    return HelmFailed(
        f"helm took more than {seconds:g} seconds",
        where=where,
        hint="set KAPITAN_HELM_TIMEOUT to the number of seconds that it may take",
    )


def _patience() -> float:
    text = os.environ.get("KAPITAN_HELM_TIMEOUT", "")
    try:
        return float(text) if text else _SECONDS
    except ValueError as error:
        raise HelmFailed(f"KAPITAN_HELM_TIMEOUT is not a number of seconds: {text}") from error
