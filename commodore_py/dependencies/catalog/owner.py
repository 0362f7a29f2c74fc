"""The cluster that a catalog's checkout belongs to: stored in its Git settings, not as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.repository import set_setting, settings_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster

_OWNER = "commodore.cluster"


def catalog_settings(directory: Path) -> Mapping[str, str]:
    """The owner of a checkout, its remote, and the user's name: what is needed of its settings."""
    pattern = r"^(commodore\.cluster|remote\.origin\.url|(user|committer)\.(name|email))$"
    return settings_of(directory, pattern, local=False)


def claim(
    directory: Path,
    cluster: Cluster,
    settings: Mapping[str, str],
    *,
    moved: bool,
    config: Config,
) -> tuple[Problem, ...]:
    """Note whose catalog a checkout is now, and report what would mix up two clusters.

    A checkout that `moved` to another repository on the way is of another cluster by right.
    """
    owner, remote = settings.get(_OWNER, ""), settings.get("remote.origin.url", "")
    local, strict = config.local, config.strict
    remote = remote if local else ""
    problems = tuple(_problems(directory, cluster, "" if moved else owner, remote, local=local))
    if owner != cluster.id and not (problems and (strict or local)):
        set_setting(directory, _OWNER, cluster.id)
    return problems


def _problems(
    directory: Path, cluster: Cluster, owner: str, remote: str, *, local: bool
) -> list[Problem]:
    if owner and owner != cluster.id:
        text = f"the catalog in {directory} is of cluster {owner}, not {cluster.id}"
        if not local:
            text = (
                f"the catalog of cluster {cluster.id} is in the same repository as that of"
                f" {owner}: they overwrite each other"
            )
        return [Problem(text, where=str(directory), strict=True, code="api/wrong-catalog")]
    if (
        remote
        and cluster.catalog_url
        and git_urls.dependency_key(remote) != git_urls.dependency_key(cluster.catalog_url)
    ):
        text = (
            f"the catalog in {directory} is a clone of {without_secrets(remote)}, not of"
            f" {without_secrets(cluster.catalog_url)}"
        )
        return [Problem(text, where=str(directory), strict=True, code="api/wrong-catalog")]
    return []
