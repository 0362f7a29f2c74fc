"""Dependencies grouped by the clone they are fetched into; paths of clones and checkouts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import CONFIGURATION, Dependency, DependencySpec, Kind
from commodore_py.model.names import problem_of_text, shown

from .clones import cannot_fetch, reason
from .revisions import set_at, version_of

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.adapters.process import ProgramFailed
    from commodore_py.config import Config, WorkPaths

    from .checkouts import Place, Seen


@dataclass(slots=True)
class Group:
    """Requests of one clone, and its state before anything is changed.

    Git locks a clone while it changes, and one fetch serves all requests.
    """

    clone: Path
    url: str
    specs: list[DependencySpec] = field(default_factory=list)
    refs: Refs | None = None
    """The refs of the remote; None if it was not asked."""
    seen: dict[Place, Seen] = field(default_factory=dict)
    problems: list[CommodoreError] = field(default_factory=list)
    work: list[Place] = field(default_factory=list)
    """What has local work, which is among the problems."""

    @property
    def configuration(self) -> DependencySpec | None:
        """The global or tenant configuration, which has a clone of its own."""
        return self.specs[0] if self.specs[0].kind in CONFIGURATION else None

    @property
    def exists(self) -> bool:
        """True if there is a clone."""
        if self.configuration is not None:
            return (self.clone / ".git").exists()
        return (self.clone / "HEAD").is_file()

    @property
    def versions(self) -> set[str]:
        """The versions that are requested."""
        return set(map(version_of, self.specs))

    @property
    def about(self) -> str:
        """The names of the requests, for messages."""
        return ", ".join(map(str, self.specs))

    def cannot_fetch(self, error: ProgramFailed) -> CommodoreError:
        """Explain why the repository cannot be fetched."""
        if self.configuration is not None:
            problem = cannot_fetch(str(self.configuration), self.url, error)
        else:
            problem = CommodoreError(
                f"cannot fetch {self.about}: {reason(error)}",
                where=without_secrets(git_urls.normalise(self.url)),
                hint="check the url in the hierarchy, and that you may read the repository",
            )
        for spec in self.specs:
            set_at(problem, spec, "url")
        return problem


def groups_of(
    specs: tuple[DependencySpec, ...], remotes: dict[str, str], paths: WorkPaths
) -> tuple[Group, ...]:
    """Group requests by the clone that they come from.

    `remotes` is extended by one URL per repository: the first one requested, but SSH wins.
    """
    for spec in specs:
        for what, text in (("URL", spec.url), ("version", spec.version or "")):
            problem = problem_of_text(text)
            if problem:
                raise CommodoreError(f"{spec}: its {what} {shown(text)} {problem}")
        if spec.kind not in CONFIGURATION:
            key = git_urls.dependency_key(spec.url)
            if key not in remotes or spec.url.startswith("ssh://"):
                remotes[key] = spec.url
    groups: dict[Path, Group] = {}
    for spec in specs:
        if spec.kind in CONFIGURATION:
            clone, url = place_of(spec, paths), spec.url
        else:
            clone, url = bare_clone_of(spec, paths), remotes[git_urls.dependency_key(spec.url)]
        group = groups.setdefault(clone, Group(clone, url))
        group.url = url  # keys that differ by a slash at the end have one clone
        group.specs.append(spec)
    return tuple(groups.values())


def place_of(spec: DependencySpec, paths: WorkPaths) -> Path:
    """The folder that a dependency is checked out to."""
    match spec.kind:
        case Kind.GLOBAL | Kind.TENANT:
            return paths.classes / spec.name
        case Kind.PACKAGE:
            return paths.dependencies / f"pkg.{spec.name}"
        case Kind.COMPONENT | Kind.INSTANCE:
            return paths.dependencies / spec.name


def bare_clone_of(spec: DependencySpec, paths: WorkPaths) -> Path:
    """The path of the bare clone of a dependency's repository."""
    return paths.bare_clones / git_urls.dependency_key(spec.url)


def override_of(spec: DependencySpec, config: Config) -> str:
    """The revision of a configuration that the command line sets instead of the API."""
    return config.global_revision if spec.kind is Kind.GLOBAL else config.tenant_revision


def incomplete(dependency: Dependency) -> CommodoreError | None:
    """Missing parts: the wanted folder, or a component's class and defaults in it."""
    spec, directory = dependency.spec, dependency.directory
    repository = without_secrets(dependency.url)
    if not directory.is_dir():
        return CommodoreError(
            f"{spec}: there is no folder {spec.path} in version {dependency.version}",
            where=repository,
            hint="check the path in the hierarchy",
        )
    # Without the name of a component, any content will do.
    if spec.kind not in (Kind.COMPONENT, Kind.INSTANCE) or not spec.component:
        return None
    required = (f"class/{spec.component}.yml", "class/defaults.yml")
    missing = [name for name in required if not (directory / name).is_file()]
    if not missing:
        return None
    place = f"folder {spec.path} of " if spec.path else ""
    return CommodoreError(
        f"{spec}: there is no {' and no '.join(missing)} in version {dependency.version}",
        where=f"{place}{repository}",
        hint="a component has both files; check its name, url, version and path",
    )
