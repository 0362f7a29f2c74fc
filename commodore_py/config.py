"""The settings of one invocation, and the folders of its working directory."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from commodore_py.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.cache.signed import RemoteCache


Engine = Literal["native", "reference"]

RESULT_CACHE_LIMIT = 2 << 30

_HOST_OF_FILE = "^file://(localhost(?=/))?"
# What a folder of facts holds.
_FACTS = ("clusters", "tenants", "reports")


@dataclass(frozen=True, slots=True)
class WorkPaths:
    """The working directory; what lies where in it is a contract with people and programs."""

    root: Path

    @property
    def inventory(self) -> Path:
        """Classes and targets, laid out for people, local mode and the reference engine."""
        return self.root / "inventory"

    @property
    def classes(self) -> Path:
        """The class tree."""
        return self.inventory / "classes"

    @property
    def targets(self) -> Path:
        """One file per target."""
        return self.inventory / "targets"

    @property
    def params_file(self) -> Path:
        """The class with the facts of the cluster."""
        return self.classes / "params" / "cluster.yml"

    @property
    def dependencies(self) -> Path:
        """Worktrees of components and packages."""
        return self.root / "dependencies"

    @property
    def bare_clones(self) -> Path:
        """One bare clone per remote repository."""
        return self.dependencies / ".repos"

    @property
    def libraries(self) -> Path:
        """Links to the components' Jsonnet libraries."""
        return self.dependencies / "lib"

    @property
    def vendor(self) -> Path:
        """Where jsonnet-bundler puts things, and where imports look first."""
        return self.root / "vendor"

    @property
    def jsonnetfile(self) -> Path:
        """The list of jsonnet dependencies, generated."""
        return self.root / "jsonnetfile.json"

    @property
    def compiled(self) -> Path:
        """The instances' trees after filters."""
        return self.root / "compiled"

    @property
    def catalog(self) -> Path:
        """The clone of the cluster's catalog."""
        return self.root / "catalog"

    @property
    def state(self) -> Path:
        """Our own state: hidden, and ignored by Git."""
        return self.root / ".commodore"

    def uses(self, folder: Path) -> bool:
        """Return whether a folder, which must be resolved, lies in one that runs write."""
        written = (
            self.inventory,
            self.dependencies,
            self.vendor,
            self.compiled,
            self.catalog,
            self.state,
        )
        return any(folder.is_relative_to(place.resolve()) for place in written)


def user_folder(variable: str, below_home: str) -> Path | None:
    """Our folder in a directory of the XDG specification; None without a home directory."""
    named = os.environ.get(variable)
    if named:
        return Path(named) / "commodore"
    try:
        return Path.home() / below_home / "commodore"
    except RuntimeError:  # neither HOME nor an entry for this user: containers do that
        return None


def facts_folder(api_url: str) -> Path | None:
    """The folder that an API URL names with a leading `.`, `/` or `file://`; None for a server."""
    if api_url.startswith("file://"):
        return Path(unquote(re.sub(_HOST_OF_FILE, "", api_url)))
    return Path(api_url) if api_url.startswith((".", "/")) else None


@dataclass(frozen=True, slots=True)
class Author:
    """The author of commits; a missing half is looked up as Git does."""

    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Config:
    """Settings only, never results; built once in `cli/settings/options.py`, then only read."""

    paths: WorkPaths
    api_url: str = ""
    copy_of: Path | None = None
    """The working directory that this one is a scratch copy of."""
    api_url_origin: str = ""
    """For messages: where the API URL was set, unless by an option."""
    api_token: str = ""
    api_token_origin: str = ""
    """For messages, as above."""
    oidc_client: str = ""
    oidc_discovery_url: str = ""
    oidc_listen: str = ""
    login_timeout: int = 300
    may_log_in: bool = True
    """Whether a missing token is requested by a login; never during completion."""
    request_timeout: int = 5
    engine: Engine = "native"
    local: bool = False
    push: bool = False
    force: bool = False
    fetch_dependencies: bool = True
    git_cache: Path | None = None
    """The user's mirrors of Git remotes; None without a cache folder."""
    download_cache: Path | None = None
    """The user's cache of downloads; None to keep them in the working directory."""
    result_cache: Path | None = None
    """The user's result cache; None without a cache folder."""
    verify_cache: bool = False
    """Whether to compile what is in the result cache, too, and to compare."""
    result_cache_limit: int = RESULT_CACHE_LIMIT
    """How many bytes of results the cache holds; the oldest are removed first."""
    remote_cache: RemoteCache | None = None
    """The results that machines share."""
    offline: bool = False
    """Whether no connection is made at all; this implies `local`, unless there is a lock."""
    lock_file: Path | None = None
    """The lock of the inputs; `{cluster}` in its name stands for the cluster's id."""
    frozen: bool = False
    """Whether a run that would change the lock fails."""
    strict: bool = False
    processes: int = 0
    output_dir: Path | None = None
    """A plain folder to write the catalog to, instead of its repository."""
    dry_run: bool = False
    global_revision: str = ""
    tenant_revision: str = ""
    dynamic_facts: Mapping[str, Any] = field(default_factory=dict)
    author: Author = Author()
    verbosity: int = 0
    checks: bool = False
    """Whether the catalog is checked before it is published."""

    def __repr__(self) -> str:
        return f"Config({self.paths.root})"  # without the token

    def private_places(self) -> tuple[str, ...]:
        """Places that no content of others may read: facts of clusters, and a file of a token."""
        facts = facts_folder(self.api_url)
        places = [f"{facts}/{name}" for name in _FACTS] if facts is not None else []
        if self.api_token and os.path.isfile(self.api_token):  # noqa: PTH113 - it may be no path
            places.append(self.api_token)
        return tuple(places)

    def checked(self) -> Config:
        """Return the settings, unless they contradict each other."""
        if self.output_dir is not None and self.push:
            raise UsageError(
                "--output-dir and --push cannot be combined",
                hint="a plain directory is pushed nowhere",
            )
        revisions = {"global": self.global_revision, "tenant": self.tenant_revision}
        overridden = [f"{name} ({revision})" for name, revision in revisions.items() if revision]
        if self.push and overridden:
            raise OverrideWithPush(
                "cannot push a catalog compiled with an overridden revision of a configuration: "
                + " and ".join(overridden),
                hint="leave out --push, or the override; it may come from the environment"
                " (GLOBAL_REPO_REVISION_OVERRIDE, TENANT_REPO_REVISION_OVERRIDE)",
            )
        return self


class OverrideWithPush(UsageError):
    """`--push` was combined with a revision override; with Commodore's exit code."""

    exit_code = 1
