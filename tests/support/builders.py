"""Short names that make the things tests are about, with defaults for all."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.compiler import working_directory_plan
from commodore_py.config import Config, WorkPaths
from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.model.catalog import CatalogHead
from commodore_py.model.classpath import ClassPath
from commodore_py.model.cluster import Cluster, RepositoryRef
from commodore_py.model.dependency import Dependency, DependencySpec, Kind
from commodore_py.model.inventory import Inventory, Node
from commodore_py.model.spot import NOWHERE
from commodore_py.model.stages import Sources
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Link(NamedTuple):
    """A link in a repository."""

    target: str | Path


WHEN = "2026-01-02T03:04:05+00:00"


def git(directory: Path, *arguments: str) -> str:
    """Run git as a user would, at a fixed time."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=directory,
        capture_output=True,
        check=True,
        text=True,
        env=_environment(),
    )
    return done.stdout.strip()


def make_repository(
    path: Path, files: Mapping[str, str | bytes | Link], *, branch: str = "master"
) -> Path:
    """A bare repository whose branch holds these files."""
    kind = branch, tuple(files.items()), os.environ.get("GIT_DEFAULT_REF_FORMAT")
    path.parent.mkdir(parents=True, exist_ok=True)
    if (made := _MADE.get(kind)) and not path.exists():
        for name, content in made.items():
            if content is None:
                (path / name).mkdir()
            else:
                (path / name).write_bytes(content)
        return path
    git(path.parent, "init", "--quiet", "--bare", f"--initial-branch={branch}", path.name)
    if files:
        commit_to(path, files, branch=branch)
    if not made:
        _MADE[kind] = {
            str(one.relative_to(path)): None if one.is_dir() else one.read_bytes()
            for one in (path, *sorted(path.rglob("*")))
            if one.parent.name != "hooks"
        }
    return path


_MADE: dict[tuple[object, ...], dict[str, bytes | None]] = {}
"""Files of repositories: Git takes four programs for one, and most tests make the same few."""


def commit_to(
    repository: Path,
    files: Mapping[str, str | bytes | Link | None],
    *,
    branch: str = "master",
    message: str = "Change",
) -> str:
    """Add files to a branch of a bare repository (None removes one); returns the commit."""
    lines = [
        f"commit refs/heads/{branch}\n",
        "mark :1\n",
        "committer Test Author <author@example.com> 1767323045 +0000\n",
        f"data {len(message.encode())}\n{message}\n",
    ]
    stream = "".join(lines).encode()
    if git_succeeds(repository, "rev-parse", "--verify", f"refs/heads/{branch}"):
        stream += f"from refs/heads/{branch}^0\n".encode()
    for name, content in files.items():
        if content is None:
            stream += f"D {name}\n".encode()
            continue
        data = content.encode() if isinstance(content, str) else content
        mode = "100755" if name.endswith(".sh") else "100644"
        if isinstance(data, Link):
            mode, data = "120000", os.fsencode(data.target)
        stream += f"M {mode} inline {name}\ndata {len(data)}\n".encode() + data + b"\n"
    command = ["git", "fast-import", "--quiet", "--force"]
    stream += b"get-mark :1\n"
    done = subprocess.run(command, cwd=repository, input=stream, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit_in(checkout: Path, files: Mapping[str, str], *, message: str = "Mine") -> str:
    """Write files into a checkout and commit them, as a user would; returns the commit."""
    for name, content in files.items():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(content)
    who = ("-c", "user.name=User", "-c", "user.email=user@example.com")
    git(checkout, "add", "--all")
    git(checkout, *who, "commit", "--quiet", "--message", message)
    return git(checkout, "rev-parse", "HEAD")


def git_succeeds(directory: Path, *arguments: str) -> bool:
    """Whether a git command succeeds."""
    done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, check=False)
    return done.returncode == 0


def url_of(repository: Path) -> str:
    """The file URL of a repository."""
    return f"file://{repository}"


def component_files(name: str, *, folder: str = "", **more: str) -> dict[str, str]:
    """The files of a component; `more` are contents by file name, `__` standing for a slash."""
    files = {
        f"class/{name}.yml": "parameters: {}\n",
        "class/defaults.yml": f"parameters:\n  {name.replace('-', '_')}: {{}}\n",
        **{path.replace("__", "/"): content for path, content in more.items()},
    }
    return {f"{folder}{path}": content for path, content in files.items()}


def make_config(root: Path, **changes: Any) -> Config:  # noqa: ANN401 - Config checks them by name
    """Settings for a working directory."""
    return Config(**{"paths": WorkPaths(root), **changes})


def make_cluster(**changes: Any) -> Cluster:  # noqa: ANN401 - Cluster checks them by name
    """A cluster that has everything."""
    cluster = Cluster(
        id="c-one",
        display_name="Cluster One",
        tenant="t-acme",
        tenant_display_name="Acme",
        catalog_url="file:///catalog.git",
        global_repo=RepositoryRef("file:///global.git"),
        tenant_repo=RepositoryRef("file:///tenant.git"),
        facts={"cloud": "cloud-a", "distribution": "dist-b"},
    )
    return replace(cluster, **changes)


def make_node(name: str = "cluster", **parts: Any) -> Node:  # noqa: ANN401 - Node checks them by name
    """A target with some parameters."""
    return Node(name=name, **{"parameters": {}, **parts})


def make_sources(
    root: Path,
    inventory: Inventory | None = None,
    dependencies: Iterable[Dependency] = (),
    **changes: Any,  # noqa: ANN401 - Sources checks them by name
) -> Sources:
    """What a cluster is made of, to be compiled in a working directory."""
    inventory, classes = inventory or Inventory({}), ClassPath(tuple(dependencies))
    sources = Sources(
        make_cluster(),
        classes,
        inventory,
        datetime.now(UTC),
        plan=working_directory_plan(make_config(root), classes, inventory.instances),
        places=NOWHERE,
        catalog_head=CatalogHead(root / "catalog", "", "", None),
    )
    return replace(sources, **changes)


@dataclass(frozen=True)
class TargetsByName:
    """What component code sees of the targets of an inventory."""

    targets: Mapping[str, Mapping[str, Any]]

    def of(self, target: str) -> Mapping[str, Any]:
        """One of them."""
        return self.targets[target]

    def names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(sorted(self.targets))


def make_dependency(
    name: str,
    worktree: Path | None = None,
    *,
    kind: Kind = Kind.COMPONENT,
    **spec: Any,  # noqa: ANN401 - DependencySpec checks them by name
) -> Dependency:
    """A fetched dependency, made up."""
    component = name if kind is Kind.COMPONENT else ""
    fields = {"url": f"file:///{name}.git", "version": "master", "component": component, **spec}
    return Dependency(
        DependencySpec(kind, name, **fields),
        url=fields["url"],
        version=fields["version"],
        commit="1" * 40,
        short_commit="111111",
        worktree=worktree or Path("/here") / name,
    )


def make_tree(files: Mapping[str, str]) -> Tree:
    """Compiled files, by their paths."""
    return Tree({PurePosixPath(name): Entry(text.encode()) for name, text in files.items()})


def digest_of(folder: Path) -> str:
    """Everything below a folder in short: names, kinds, times, contents."""
    digest = hashlib.sha256()
    for path in sorted([folder, *folder.rglob("*")]):
        if not path.exists() and not path.is_symlink():
            continue
        stat = path.lstat()
        digest.update(f"{path}\0{stat.st_mode}\0{stat.st_mtime_ns}\0{stat.st_nlink}\0".encode())
        if path.is_symlink():
            digest.update(str(path.readlink()).encode())
        elif path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def errors_in(error: CommodoreError) -> tuple[CommodoreError, ...]:
    """The failures that were reported, whether together or alone."""
    return error.errors if isinstance(error, SeveralErrors) else (error,)


def _environment() -> dict[str, str]:
    import os  # read when called, after the fixtures have set it

    return {**os.environ, "GIT_AUTHOR_DATE": WHEN, "GIT_COMMITTER_DATE": WHEN}
