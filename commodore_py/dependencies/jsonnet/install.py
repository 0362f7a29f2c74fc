"""Install the libraries of a jsonnetfile like `jb install`: write `vendor/` and the lock file."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import bytes_of
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError, raise_collected

from .content import prune
from .fetch import fetch_all
from .jsonnetfile import GitSource, JsonnetFile, format_jsonnetfile, parse_jsonnetfile
from .links import lay_out
from .resolve import CACHE, Resolution, requests_in
from .resolve import resolve as resolve_as_required

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .fetch import Clones
    from .links import ShortName
    from .resolve import Conflict, LibraryRequest, Missing, Outcome, Package, Resolve

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InstallWarning:
    """A problem that jsonnet-bundler does not report."""

    text: str
    where: str
    hint: str
    strict: bool = False
    """Whether it is an error with --strict."""


def install(
    root: Path,
    clones: Clones,
    *,
    strict: bool = False,
    keep_others: bool = False,
    resolve: Resolve = resolve_as_required,
) -> None:
    """Install the libraries of `jsonnetfile.json` in a folder, and their requirements.

    With `keep_others`, cached versions that are not required now are not removed.
    """
    cache = root / "vendor" / CACHE
    file = read_jsonnetfile(root / "jsonnetfile.json")
    direct = requests_in(file, by="", where=str(root / "jsonnetfile.json"), folder=root)

    def fetch(requests: Sequence[LibraryRequest]) -> Sequence[Outcome]:
        return fetch_all(requests, clones, cache)

    def read(package: Package) -> JsonnetFile:
        return read_jsonnetfile(package.directory / "jsonnetfile.json")

    resolution = resolve(direct, fetch, read)
    raise_collected(resolution.refused, "cannot fetch Jsonnet libraries")
    raise_collected(
        (
            missing.error
            for missing in resolution.missing
            if isinstance(missing.error, NotAvailableOffline)
        ),
        "Jsonnet libraries are not available offline",
    )
    warnings = [_about_missing(missing) for missing in resolution.missing]
    if strict:
        errors = [
            CommodoreError(about.text, where=about.where, hint=about.hint) for about in warnings
        ]
        raise_collected(errors, "refused by --strict")
    warnings += [_about_conflict(conflict) for conflict in _once_each(resolution)]
    refused = lay_out(root / "vendor", resolution.packages, short_names=file.legacy_imports)
    warnings += map(_about_short_name, refused)
    write_if_changed(root / "jsonnetfile.lock.json", lock_of(resolution.packages))
    if not keep_others:
        prune(cache, [package.directory for package in resolution.packages])
    for warning in warnings:
        log.warning(warning.text, extra={"where": warning.where, "hint": warning.hint})


def read_jsonnetfile(file: Path) -> JsonnetFile:
    """The requirements in a file; a missing file has none."""
    try:
        content = bytes_of(str(file))
    except (FileNotFoundError, NotADirectoryError):
        return JsonnetFile()
    except OSError as error:
        raise CommodoreError(f"cannot read: {error.strerror}", where=str(file)) from error
    return parse_jsonnetfile(content, str(file))


def lock_of(packages: Iterable[Package]) -> bytes:
    """The lock file with the exact versions, sorted by name (pure)."""
    in_order = sorted(packages, key=lambda package: package.request.name.encode())
    return format_jsonnetfile(map(_locked, in_order), legacy_imports=False)


def _locked(package: Package) -> dict[str, Any]:
    requirement = package.request.requirement
    source = requirement.source
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


def _about_missing(missing: Missing) -> InstallWarning:
    error, request = missing.error, missing.request
    skipped = ", ".join(skipped_request.name for skipped_request in missing.skipped)
    more = f"; libraries after it in the same list are skipped: {skipped}" if skipped else ""
    place = f" ({error.where})" if error.where not in ("", request.where) else ""
    return InstallWarning(
        f"Jsonnet library {request} is missing: {error}{place}{more}",
        where=request.where,
        hint=error.hint or "fix the list that requires it",
        strict=True,
    )


def _about_conflict(conflict: Conflict) -> InstallWarning:
    used, other = conflict.used, conflict.other
    return InstallWarning(
        f"Jsonnet library {used.name} is required more than once: {_what(used)}{_by(used)},"
        f" is used instead of {_what(other)}{_by(other)}",
        where=f"{used.where}, {other.where}",
        hint="require the same version in both",
    )


def _about_short_name(refused: ShortName) -> InstallWarning:
    request = refused.package.request
    return InstallWarning(
        f"Jsonnet library {request.name} gets no short name {refused.alias}: {refused.why}",
        where=request.where,
        hint=f"import it as {request.name}/...",
    )


def _once_each(resolution: Resolution) -> list[Conflict]:
    """The conflicts without duplicates."""
    by_words = {
        (conflict.used.key, conflict.other.key, conflict.other.by): conflict
        for conflict in resolution.conflicts
    }
    return list(by_words.values())


def _what(request: LibraryRequest) -> str:
    return request.requirement.version or str(request.folder)


def _by(request: LibraryRequest) -> str:
    return f", by {request.by}" if request.by else ""
