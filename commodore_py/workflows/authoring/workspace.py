"""A working directory in which a component or a package is compiled by itself."""

from __future__ import annotations

import logging
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.lib import STAND_INS
from commodore_py.model.cluster import Cluster, RepositoryRef
from commodore_py.workflows.dry_run import named_by, renamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from commodore_py.model.problem import Problem

log = logging.getLogger(__name__)

_ARGOCD = "argocd.libjsonnet"


@dataclass(frozen=True, slots=True)
class Compiled:
    """A component or a package as it was compiled, and its problems."""

    folder: Path
    notices: tuple[Problem, ...] = ()
    kept: Path | None = None
    """The working directory, where it was not removed."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A working directory; if it is removed afterwards, messages do not name paths in it."""

    folder: Path
    temporary: bool = True

    def user_paths(self) -> AbstractContextManager[None]:
        """Have messages name paths of the user in place of those of the working directory."""
        return named_by(self._with_user_paths)

    def notices(self, notices: Iterable[Problem]) -> tuple[Problem, ...]:
        """The notices with paths of the user."""
        return renamed(notices, self._with_user_paths)

    def _with_user_paths(self, text: str) -> str:
        """Links are followed; a path that stays in the directory is shown relative to it."""
        if not self.temporary or str(self.folder) not in text:
            return text

        def user_path(path: re.Match[str]) -> str:
            real = Path(path[0]).resolve()
            is_inside = real.is_relative_to(self.folder)
            return str(real.relative_to(self.folder)) if is_inside else str(real)

        return re.sub(re.escape(f"{self.folder}/") + r"[^\s,:;'\"`()]+", user_path, text)


@contextmanager
def workspace(
    prefix: str, *, folder: Path | None = None, kept: bool = False
) -> Iterator[Workspace]:
    """The given folder, or a new one that is removed afterwards unless it is to be kept."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield Workspace(folder.resolve(), temporary=False)
        return
    new = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    try:
        yield Workspace(new, temporary=not kept)
    finally:
        if kept:
            log.info("the working directory is kept: %s", new)
        else:
            remove(new)


def cluster_for_component(component: str, instance: str) -> Cluster:
    """The placeholder cluster of a component."""
    return _cluster(
        {"cloud": "cloudscale", "distribution": "test-distribution", "region": "rma1"},
        {
            "argocd": {"namespace": "test"},
            "components": {
                component: {"url": f"https://example.com/{component}.git", "version": "master"}
            },
            "kapitan": {"namespace": "test", "vars": {"target": instance}},
        },
    )


def cluster_for_package() -> Cluster:
    """The placeholder cluster of a package."""
    vault = {
        "VAULT_ADDR": "https://vault.syn.example.com",
        "VAULT_CAPATH": "/etc/ssl/certs/",
        "VAULT_SKIP_VERIFY": "false",
        "auth": "token",
        "engine": "kv-v2",
        "mount": "clusters/kv",
    }
    return _cluster(
        {name: f"x-fake-{name}" for name in ("cloud", "distribution", "region")},
        {"argocd": {"namespace": "syn"}, "kapitan": {"secrets": {"vaultkv": vault}}},
    )


def write_argocd_stub(libraries: Path) -> None:
    """Let imports of the Argo CD library find something, unless the real one is there."""
    place = libraries / _ARGOCD
    if not place.is_symlink():
        write_if_changed(place, (STAND_INS / "lib" / _ARGOCD).read_bytes())


def _cluster(facts: Mapping[str, Any], more: Mapping[str, Any]) -> Cluster:
    return Cluster(
        id="c-green-test-1234",
        display_name="Test Cluster 1234",
        tenant="t-silent-test-1234",
        tenant_display_name="Test Tenant 1234",
        catalog_url="ssh://git@git.example.com/org/repo.git",
        global_repo=RepositoryRef(""),
        tenant_repo=RepositoryRef(""),
        facts=facts,
        placeholder=more,
    )
