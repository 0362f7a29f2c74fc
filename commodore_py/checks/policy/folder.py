"""The folder of policies in the global configuration repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import PolicySettings, mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.inventory import Instance

FOLDER = "policies"


def has_policies(folder: Path) -> bool:
    """Whether there is anything to evaluate."""
    return any(modules_in(folder))


def modules_in(folder: Path) -> Iterator[Path]:
    """The files of policies; those of their tests are for `opa test`."""
    for path in sorted(folder.glob("*.rego")):
        if not path.name.endswith("_test.rego"):
            yield path


def policies_for(
    configuration: Path,
    parameters: Mapping[str, Any],
    instances: Iterable[Instance],
    *,
    shown: str,
) -> PolicySettings:
    """The policies of a checkout of the global configuration, and what they get to know."""
    cluster = mapping(parameters.get("cluster"))
    about = {
        "cluster": {key: cluster.get(key, "") for key in ("name", "tenant")},
        "facts": mapping(parameters.get("facts")),
    }
    return PolicySettings(
        configuration / FOLDER,
        f"{shown}/{FOLDER}",
        about,
        dict(_origins(parameters, instances)),
    )


def _origins(
    parameters: Mapping[str, Any], instances: Iterable[Instance]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """For each instance: its name, its component, and the version of that."""
    components = mapping(parameters.get("components"))
    for name, component in instances:
        # An instance may have a version of its own.
        entry = mapping(components.get(name)) or mapping(components.get(component))
        version = str(entry.get("version") or "")
        yield name, {"instance": name, "component": component, "version": version}
