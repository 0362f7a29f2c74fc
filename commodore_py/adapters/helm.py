"""Helm: the program that renders charts, and the files in which it looks for settings."""

from __future__ import annotations

import functools
import logging
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.process import Patience, ProgramFailed, TookTooLong, run
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

log = logging.getLogger(__name__)

_SECONDS = 30.0
_SETTINGS_OF_THE_MACHINE = (
    "/etc/localtime",
    "/var/run/secrets/kubernetes.io/serviceaccount/namespace",
)


class HelmFailed(CommodoreError):
    """A chart that Helm does not render, or no Helm to do it."""


@dataclass(frozen=True, slots=True)
class Helm:
    """A `helm`; one that content names by its path gets no more variables than other content."""

    path: str
    of_content: bool = False

    def version(self) -> str:
        """The version that it prints."""
        return _version_of(self.path, of_content=self.of_content)

    def template(self, arguments: Sequence[str]) -> bytes:
        """Run it with these arguments, for as long as charts may take; returns what it prints."""
        seconds = _patience()
        log.debug("running %s %s", self.path, " ".join(arguments))
        try:
            env = child_environment(users_own=not self.of_content)
            return run([self.path, *arguments], only_env=env, patience=Patience(seconds))
        except TookTooLong as error:
            raise HelmFailed(
                f"helm took more than {seconds:g} seconds",
                where=error.where,
                hint="set KAPITAN_HELM_TIMEOUT to the number of seconds that it may take",
            ) from error
        except ProgramFailed as error:
            raise HelmFailed(error.stderr.strip() or str(error), where=error.where) from error


def find_helm(named_by_entry: str | None, *, few_variables: bool = False) -> Helm:
    """The helm that an entry or the environment names, or the one in PATH.

    Managed tools are in PATH, too. It gets few variables where content decides what it runs.
    """
    name = named_by_entry or os.environ.get("KAPITAN_HELM_PATH")
    program = shutil.which(name or "helm")
    if program is None:
        raise HelmFailed(
            f"{name} is not a helm program" if name else "helm not found in PATH",
            hint="have a helm in PATH, run `commodore tool install helm`,"
            " or name a program in helm_path or KAPITAN_HELM_PATH",
        )
    return Helm(program, of_content=few_variables or "/" in (named_by_entry or ""))


def settings_files() -> Iterator[str]:
    """Files in which clients of Kubernetes look for settings, whether they exist or not.

    Helm takes its namespace from them.
    """
    named = os.environ.get("KUBECONFIG", "").split(os.pathsep)
    home = os.environ.get("HOME") or "/"
    of_user = (f"{home}/.kube/config", f"{home}/.kube/kuberc")
    for file in (*filter(None, named), *of_user, *_SETTINGS_OF_THE_MACHINE):
        yield os.path.abspath(file)  # noqa: PTH100 - a text


@functools.lru_cache
def _version_of(path: str, *, of_content: bool) -> str:
    env = child_environment(users_own=not of_content)
    return run([path, "version", "--template", "{{.Version}}"], only_env=env).decode().strip()


def _patience() -> float:
    text = os.environ.get("KAPITAN_HELM_TIMEOUT", "")
    try:
        return float(text) if text else _SECONDS
    except ValueError as error:
        raise HelmFailed(f"KAPITAN_HELM_TIMEOUT is not a number of seconds: {text}") from error
