"""A class for a new cluster, in a clone of its tenant's repository."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.git import safe
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.repository import head_of
from commodore_py.adapters.git_urls import normalise, push_url
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.model.cluster import RepositoryRef

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.cluster import Cluster

_EMPTY = b"parameters: {}\n"
_SUFFIXES = (".yml", ".yaml")


class Added(NamedTuple):
    """A cluster that uses a clone of its tenant's repository, where a class was added."""

    cluster: Cluster
    clone: Path
    branch: str
    to: str

    def push(self) -> str:
        """Push the class; returns its commit, or nothing if it was there."""
        if not self.branch:
            return ""
        target = f"HEAD:refs/heads/{self.branch}"
        with _failing(f"the class was not pushed to branch {self.branch}", self.to):
            over_network(self.clone, "push", "--quiet", self.to, target)
        return git(self.clone, "rev-parse", "HEAD")


@contextmanager
def with_class(cluster: Cluster, *, like: str) -> Iterator[Added]:
    """Add a class for a cluster, unless its tenant has one: that of another cluster, or none."""
    url, revision = cluster.tenant_repo
    with tempfile.TemporaryDirectory(prefix="commodore-edit-") as place:
        clone = Path(place) / cluster.tenant
        wanted = ("--branch", revision) if revision else ()
        with _failing("the tenant's repository cannot be cloned", url):
            over_network(Path(place), "clone", "--quiet", *wanted, "--", normalise(url), str(clone))
        own = cluster._replace(tenant_repo=RepositoryRef(clone.as_uri()))
        to = push_url(url)
        if _class_in(clone, cluster.id):
            yield Added(cluster, clone, "", to)
            return
        branch = head_of(clone)[1]
        if branch is None:
            raise CommodoreError(
                f"revision {revision} of the tenant's repository is not a branch",
                where=url,
                hint=f"add {cluster.id}.yml where that revision is made",
            )
        model = _class_in(clone, like) if like else None
        file = clone / f"{cluster.id}.yml"
        file.write_bytes(content_of(model) if model else _EMPTY)
        git(clone, "add", "--", file.name)
        with _failing("the commit of the class failed", url):
            message = f"Add cluster {cluster.id}"
            git(clone, "commit", "--quiet", "--message", message, env=safe.without_ours())
        yield Added(own, clone, branch, to)


def _class_in(folder: Path, name: str) -> Path | None:
    return next((one for end in _SUFFIXES if (one := folder / f"{name}{end}").is_file()), None)


@contextmanager
def _failing(what: str, where: str) -> Iterator[None]:
    try:
        yield
    except ProgramFailed as error:
        raise CommodoreError(f"{what}: {error.stderr.strip()}", where=where) from error
