"""Install the libraries of a jsonnetfile like `jb install`: write `vendor/` and the lock file.

Lists that are written in Jsonnet are rendered before.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.git.program import succeeds
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.inventory import parameter_key

from .content import prune
from .fetch import fetch_all
from .jsonnetfile import GitSource, format_jsonnetfile, read_jsonnetfile
from .links import lay_out
from .resolve import CACHE, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Parameters

    from .fetch import Clones
    from .jsonnetfile import Requirement
    from .resolve import Failure, Outcome, Package, ResolveLocked

log = logging.getLogger(__name__)

SOURCE, TARGET = "jsonnetfile.jsonnet", "jsonnetfile.json"


def install(
    root: Path,
    clones: Clones,
    *,
    strict: bool = False,
    keep_others: bool = False,
    resolve_locked: ResolveLocked | None = None,
) -> None:
    """Install the libraries of `jsonnetfile.json` in a folder, and their requirements.

    With `keep_others`, cached versions that are not required now are not removed. With a lock,
    `resolve_locked` resolves them.
    """
    cache = root / "vendor" / CACHE
    file = read_jsonnetfile(root / "jsonnetfile.json")

    def fetch(requests: Sequence[Requirement]) -> list[Outcome]:
        return fetch_all(requests, clones, cache)

    if resolve_locked is not None:
        resolution = resolve_locked(file.by_name(), fetch, clones.path)
    else:
        resolution = resolve(file.by_name(), fetch)
    raise_collected(
        (failure.error for failure in resolution.failures if not failure.request.by),
        "cannot fetch Jsonnet libraries",
    )
    missing = [failure for failure in resolution.failures if failure.request.by]
    errors = (failure.error for failure in missing)
    raise_collected(
        (error for error in errors if isinstance(error, NotAvailableOffline)),
        "Jsonnet libraries are not available offline",
    )
    warnings = [_about_missing(failure) for failure in missing]
    if strict:
        raise_collected(warnings, "refused by --strict")
    warnings += resolution.conflicts.values()
    warnings += lay_out(root / "vendor", resolution.packages, short_names=file.legacy_imports)
    write_if_changed(root / "jsonnetfile.lock.json", lock_of(resolution.packages))
    if not keep_others:
        prune(cache, [package.directory for package in resolution.packages])
    for warning in warnings:
        log.warning("%s", warning, extra={"where": warning.where, "hint": warning.hint})


def lock_of(packages: Iterable[Package]) -> bytes:
    """The lock file with the exact versions, sorted by name (pure)."""
    in_order = sorted(packages, key=lambda package: package.request.name.encode())
    return format_jsonnetfile(map(_locked, in_order), legacy_imports=False)


def _locked(package: Package) -> dict[str, Any]:
    requirement, source = package.request, package.request.source
    if isinstance(source, GitSource):
        where: dict[str, Any] = {"git": {"remote": source.remote.url, "subdir": source.subdir}}
    else:
        where = {"local": {"directory": source.directory}}
    entry: dict[str, Any] = {"source": where, "version": package.commit}
    if package.sum:
        entry["sum"] = package.sum
    if requirement.single:
        entry["single"] = True
    if requirement.alias:
        entry["name"] = requirement.alias
    return entry


def _about_missing(failure: Failure) -> CommodoreError:
    error, request = failure.error, failure.request
    skipped = ", ".join(skipped_request.name for skipped_request in failure.skipped)
    more = f"; libraries after it in the same list are skipped: {skipped}" if skipped else ""
    place = f" ({error.where})" if error.where not in ("", request.where) else ""
    return CommodoreError(
        f"Jsonnet library {request} is missing: {error}{place}{more}",
        where=request.where,
        hint=error.hint or "fix the list that requires it",
    )


def render_jsonnetfiles(components: Iterable[Dependency], parameters: Parameters) -> None:
    """Render the files of all components that have one."""
    errors: list[CommodoreError] = []
    rendered: list[tuple[Dependency, bytes]] = []
    for component in components:
        source = component.worktree / SOURCE
        if not source.is_file():
            continue
        read = Reach((component.worktree,)).content
        try:
            variables = _variables(component.spec.name, parameters)
            text = evaluate(source, read(str(source)), read=read, ext_vars=variables)
            text += "\n"  # Commodore writes an empty line as well.
            rendered.append((component, text.encode()))
        except CommodoreError as error:
            error.add_note(f"while rendering {SOURCE} of {component.spec}")
            errors.append(error)
    raise_collected(errors, "cannot render the lists of Jsonnet libraries")
    for component, content in rendered:
        _warn_if_tracked(component)
        write_if_changed(component.worktree / TARGET, content)


def _variables(component: str, parameters: Parameters) -> Mapping[str, str]:
    key = parameter_key(component)
    place = f"parameters.{key}.jsonnetfile_parameters"
    settings = parameters.get(key)
    given = settings.get("jsonnetfile_parameters") if isinstance(settings, Mapping) else None
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _not_text(component, given, place)
    raise_collected(
        [
            _not_text(component, value, f"{place}.{name}")
            for name, value in given.items()
            if not isinstance(name, str) or not isinstance(value, str)
        ],
        f"jsonnetfile parameters of component {component}",
    )
    return given


def _not_text(component: str, value: object, place: str) -> CommodoreError:
    kind = "a mapping" if place.endswith(".jsonnetfile_parameters") else "a string"
    return CommodoreError(
        f"component {component}: a jsonnetfile parameter is"
        f" {json.dumps(value, default=str)}, which is {type(value).__name__} and not {kind}",
        where=place,
        hint="put it in quotes"
        if kind == "a string"
        else "write a mapping of variables to strings",
    )


def _warn_if_tracked(component: Dependency) -> None:
    if succeeds(component.worktree, "ls-files", "--error-unmatch", "--", TARGET):
        log.warning(
            "%s has both %s and %s: the former is rendered over the latter",
            component.spec,
            SOURCE,
            TARGET,
            extra={
                "where": str(component.worktree),
                "hint": f"remove {TARGET} from the repository, and let Git ignore it",
            },
        )
