"""`commodore init DIR`: an installation of one's own, with a tenant, a cluster and a component."""

from __future__ import annotations

import re
import shlex
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git
from commodore_py.catalog.identity import committer, signatures
from commodore_py.config import Author

from .authoring.templates.kinds import COMPONENT
from .authoring.templates.repositories import make_repository
from .starting import (
    BRANCH,
    ENV_FILE,
    REPOSITORIES,
    empty_repository,
    files_of,
    write_files,
    write_repository,
    writing,
)

if TYPE_CHECKING:
    from commodore_py.config import Config

_DATA = Path(__file__).parent.parent / "lib"
_ARGOCD = "component-argocd"
_COMPONENT = "hello"
_MESSAGE = "Initial commit"


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation that was created, and commands to try."""

    cluster: str = ""
    tenant: str = ""
    next_steps: tuple[str, ...] = ()


def write_installation(
    config: Config,
    directory: Path,
    *,
    global_repository: str = "",
    repository: str = "",
    catalog: str = "",
) -> Installation:
    """Write an installation that needs no server into a directory that is missing or empty.

    Repositories without a URL are created beside the facts.
    """
    name = re.sub(r"[^a-z0-9]+", "-", directory.resolve().name.lower()).strip("-") or "first"
    cluster, tenant = f"c-{name}", f"t-{name}"
    repositories = directory.resolve() / REPOSITORIES
    writes_any = not (global_repository and repository)
    urls = {
        "GLOBAL_REPOSITORY": global_repository or (repositories / "global.git").as_uri(),
        "TENANT_REPOSITORY": repository or (repositories / f"{tenant}.git").as_uri(),
        "CATALOG": catalog or (repositories / f"catalog-{cluster}.git").as_uri(),
        "REPOSITORIES": f'\n  repositories: "{repositories.as_uri()}"' if writes_any else "",
    }
    values = {"NAME": name, "CLUSTER": cluster, "TENANT": tenant, **urls}
    who = signatures(committer(Author(), Path.cwd()), Path.cwd())

    def content(*parts: str) -> bytes:
        text = _DATA.joinpath("installation", *parts).read_text("utf-8")
        return re.sub(r"@([A-Z_]+)@", lambda mark: values[mark[1]], text).encode()

    with writing("installation", directory):
        if not global_repository:
            config_files = {
                file: content("global", file) for file in ("commodore.yml", "common.yml")
            }
            write_repository(repositories / "global.git", config_files, who, _MESSAGE)
            argocd = files_of(_DATA / "demo/repositories" / _ARGOCD)
            write_repository(repositories / f"{_ARGOCD}.git", argocd, who, _MESSAGE)
        if not repository:
            config_files = {
                "common.yml": content("tenant", "common.yml"),
                f"{cluster}.yml": content("tenant", "cluster.yml"),
            }
            write_repository(repositories / f"{tenant}.git", config_files, who, _MESSAGE)
            _write_component(config, repositories / f"component-{_COMPONENT}.git")
        if not catalog:
            empty_repository(repositories / f"catalog-{cluster}.git")
        write_files(
            directory,
            {
                f"facts/tenants/{tenant}.yaml": content("facts", "tenant.yaml"),
                f"facts/clusters/{cluster}.yaml": content("facts", "cluster.yaml"),
                "README.md": content("README.md"),
                ".env": ENV_FILE.format("./facts").encode(),
            },
        )
    steps = (
        shlex.join(("cd", str(directory))),
        f"commodore catalog compile {cluster} --push",
        f"commodore component test dependencies/{_COMPONENT}",
        f"commodore edit set {_COMPONENT}.namespace {_COMPONENT} --commit --push",
    )
    return Installation(cluster, tenant, steps if not repository else steps[:2])


def write_working_directory(directory: Path, url: str) -> Installation:
    """Write a working directory that uses a server."""
    with writing("working directory", directory):
        write_files(directory, {".env": ENV_FILE.format(url).encode()})
    steps = (shlex.join(("cd", str(directory))), "commodore login", "commodore catalog list")
    return Installation(next_steps=steps)


def _write_component(config: Config, bare: Path) -> None:
    """Create a component as `commodore component new` does, and push it."""
    with tempfile.TemporaryDirectory(prefix="commodore-init-") as scratch:
        made = make_repository(
            *(config, COMPONENT, _COMPONENT),
            template=COMPONENT.template,
            version="main",
            year=datetime.now().astimezone().year,
            owner="example",
            output_dir=scratch,
        )
        empty_repository(bare)
        git(made.place, "push", "--quiet", str(bare), f"HEAD:refs/heads/{BRANCH}")
