"""What a checkout must hold to be the dependency that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git import urls as git_urls
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind

if TYPE_CHECKING:
    from commodore_py.model.dependency import Dependency


def incomplete(dependency: Dependency) -> CommodoreError | None:
    """What is missing: the wanted folder, or a component's class and defaults in it."""
    spec, directory = dependency.spec, dependency.directory
    repository = git_urls.without_password(dependency.url)
    if not directory.is_dir():
        return CommodoreError(
            f"{spec}: there is no folder {spec.path} in version {dependency.version}",
            where=repository,
            hint="check the path in the hierarchy",
        )
    # Who asks for no component by name wants a repository, whatever is in it.
    if spec.kind not in (Kind.COMPONENT, Kind.INSTANCE) or not spec.component:
        return None
    wanted = (f"class/{spec.component}.yml", "class/defaults.yml")
    missing = [name for name in wanted if not (directory / name).is_file()]
    if not missing:
        return None
    place = f"folder {spec.path} of " if spec.path else ""
    return CommodoreError(
        f"{spec}: there is no {' and no '.join(missing)} in version {dependency.version}",
        where=f"{place}{repository}",
        hint="a component has both files; check its name, url, version and path",
    )
