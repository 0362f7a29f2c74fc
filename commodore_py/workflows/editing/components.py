"""Components and packages as operations: entries with URL and version, and applications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import dotted
from commodore_py.model.inventory import BOOTSTRAP, parameter_key

from .requests import Request
from .versions import versions_of

if TYPE_CHECKING:
    from commodore_py.config import Config, WorkPaths
    from commodore_py.model.spot import ParameterPath

Parameter: TypeAlias = Any

_PACKAGE = "pkg."
_AS = " as "


def requests_of_add(
    config: Config, name: str, entry: dict[str, str], instance: str
) -> list[Request]:
    """The entry of a component and its application; without a version, the newest release."""
    path = _path(name)
    present, place = _entry(config.paths, path)
    if present is not None:
        raise CommodoreError(
            f"{name} is there already: {_shown(present)}",
            where=place,
            hint=f"`commodore edit component version {name} VERSION` sets its version,"
            f" `commodore edit application enable {name}` deploys it",
        )
    if not entry.get("url"):
        raise UsageError(f"the URL of {name} is missing", hint="--url URL of its repository")
    versions = versions_of(config, entry["url"])
    if not entry.get("version"):
        newest = versions.newest
        if not newest:
            branches = ", ".join(versions.branches)
            raise UsageError(
                f"{name} has no release to take as its version",
                hint=f"--version with one of: {branches}",
            )
        entry = {**entry, "version": newest}
    versions.check(entry["version"], name)
    value = {key: entry[key] for key in ("url", "version", "path") if entry.get(key)}
    application = f"{name}{_AS}{instance}" if instance else name
    return [Request("set", dotted(path), (value,)), Request("enable", application)]


def requests_of_remove(paths: WorkPaths, name: str) -> tuple[list[Request], list[str]]:
    """The removal of an application and of an entry that nothing else uses; what stays."""
    path = _path(name)
    replay = compiled_hierarchy(paths).replay(BOOTSTRAP)
    applications = list(replay.state.applications.names)
    own = [one for one in applications if one == name]
    others = [one for one in applications if one.partition(_AS)[0] == name and one != name]
    present, _ = _entry(paths, path)
    if present is None and not own and not others:
        raise CommodoreError(f"there is no component or package {name}", hint=_near(paths, name))
    requests = [Request("disable", one) for one in own]
    stays = [f"application {one} uses it" for one in others]
    if present is not None and not others:
        requests.append(Request("unset", dotted(path)))
    key = parameter_key(name.removeprefix(_PACKAGE))
    if Tracer(replay).follow((key,)):
        stays.append(f"the parameters below {key} stay")
    return requests, stays


def requests_of_version(config: Config, name: str, version: str) -> list[Request]:
    """Another version of a component, which its repository has."""
    path = _path(name)
    present, _ = _entry(config.paths, path)
    if present is None:
        raise CommodoreError(
            f"there is no component or package {name}", hint=_near(config.paths, name)
        )
    url = present.get("url") if isinstance(present, dict) else None
    if not isinstance(url, str):
        raise CommodoreError(f"{name} has no url", hint=f"set {dotted(path)}.url first")
    versions_of(config, url).check(version, name)
    return [Request("set", dotted((*path, "version")), (version,))]


def _path(name: str) -> ParameterPath:
    if name.startswith(_PACKAGE):
        return ("packages", name.removeprefix(_PACKAGE))
    return ("components", name)


def entry_of(paths: WorkPaths, name: str) -> Parameter:
    """The merged entry of a component or a package; None if there is none."""
    return _entry(paths, _path(name))[0]


def _entry(paths: WorkPaths, path: ParameterPath) -> tuple[Parameter, str]:
    tracer = Tracer(compiled_hierarchy(paths).replay(BOOTSTRAP))
    steps = tracer.follow(path)
    return (plain(tracer.value(path)), str(steps[-1].place)) if steps else (None, "")


def _near(paths: WorkPaths, name: str) -> str:
    from difflib import get_close_matches

    known, _ = _entry(paths, (_path(name)[0],))
    names = get_close_matches(name.removeprefix(_PACKAGE), list(known or ()), n=3)
    return f"did you mean {', '.join(names)}?" if names else ""


def _shown(entry: Parameter) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    return ", ".join(f"{key} {entry[key]}" for key in ("url", "version", "path") if key in entry)
