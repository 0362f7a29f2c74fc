"""Install the libraries of a jsonnetfile like `jb install`: write `vendor/` and the lock file."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError, raise_collected

from .content import prune
from .fetch import fetch_all
from .jsonnetfile import GitSource, format_jsonnetfile, read_jsonnetfile
from .links import lay_out
from .resolve import CACHE
from .resolve import resolve as resolve_as_required

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .fetch import Clones
    from .resolve import Failure, Package, Resolving

log = logging.getLogger(__name__)


def install(
    root: Path,
    clones: Clones,
    *,
    strict: bool = False,
    keep_others: bool = False,
    resolving: Resolving | None = None,
) -> None:
    """Install the libraries of `jsonnetfile.json` in a folder, and their requirements.

    With `keep_others`, cached versions that are not required now are not removed. `resolving` makes
    another way to resolve them.
    """
    resolve = resolving(clones.of) if resolving is not None else resolve_as_required
    cache = root / "vendor" / CACHE
    file = read_jsonnetfile(root / "jsonnetfile.json")
    resolution = resolve(file.by_name(), lambda requests: fetch_all(requests, clones, cache))
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
