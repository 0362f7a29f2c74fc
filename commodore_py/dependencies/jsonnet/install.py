"""What `jb install` does: from a jsonnetfile to `vendor/` and the lock beside it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.dependencies.offline import Missing as NotHere
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.warning import FROM_FILES

from .content import sweep
from .fetch import bring_all
from .jsonnetfile import GitSource, JsonnetFile, format_jsonnetfile, parse_jsonnetfile
from .links import lay_out
from .resolve import CACHE, Resolution, resolve, wanted_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from .fetch import Clones
    from .links import ShortName
    from .resolve import Conflict, Missing, Outcome, Package, Wanted

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that jsonnet-bundler keeps to itself."""

    text: str
    where: str
    hint: str
    strict: bool = False
    """Whether a strict run ends here."""


def install(root: Path, clones: Clones, *, strict: bool = False, keep_others: bool = False) -> None:
    """Bring what `jsonnetfile.json` in a folder lists, and what that wants in its turn.

    With `keep_others`, versions that are not wanted now stay at hand.
    """
    cache = root / "vendor" / CACHE
    file = read_jsonnetfile(root / "jsonnetfile.json")
    direct = wanted_by(file, by="", where=str(root / "jsonnetfile.json"), folder=root)

    def bring(wanted: Sequence[Wanted]) -> Sequence[Outcome]:
        return bring_all(wanted, clones, cache)

    def read(package: Package) -> JsonnetFile:
        return read_jsonnetfile(package.directory / "jsonnetfile.json")

    resolution = resolve(direct, bring, read)
    raise_collected(resolution.refused, "Jsonnet libraries cannot be brought")
    raise_collected(
        (one.error for one in resolution.missing if isinstance(one.error, NotHere)),
        "Jsonnet libraries are not here",
    )
    doubts = [_about_missing(one) for one in resolution.missing]
    if strict:
        raise_collected(map(_as_error, doubts), "refused by --strict")
    doubts += [_about_conflict(one) for one in _once_each(resolution)]
    refused = lay_out(root / "vendor", resolution.packages, short_names=file.legacy_imports)
    doubts += map(_about_short_name, refused)
    write_if_changed(root / "jsonnetfile.lock.json", lock_of(resolution.packages))
    if not keep_others:
        sweep(cache, [package.directory for package in resolution.packages])
    for doubt in doubts:
        log.warning(doubt.text, extra={**FROM_FILES, "where": doubt.where, "hint": doubt.hint})


def read_jsonnetfile(file: Path) -> JsonnetFile:
    """The list in a file; a file that is not there wants nothing."""
    try:
        content = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return JsonnetFile()
    except OSError as error:
        raise CommodoreError(f"cannot read it: {error.strerror}", where=str(file)) from error
    return parse_jsonnetfile(content, str(file))


def lock_of(packages: Iterable[Package]) -> bytes:
    """What exactly was brought, sorted by name (pure)."""
    in_order = sorted(packages, key=lambda package: package.wanted.name.encode())
    return format_jsonnetfile(map(_locked, in_order), legacy_imports=False)


def _locked(package: Package) -> dict[str, Any]:
    requirement = package.wanted.requirement
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


def _about_missing(missing: Missing) -> Doubt:
    error, wanted = missing.error, missing.wanted
    left_out = ", ".join(one.name for one in missing.left_out)
    more = f"; with it are left out, as they come after it: {left_out}" if left_out else ""
    place = f" ({error.where})" if error.where not in ("", wanted.where) else ""
    return Doubt(
        f"Jsonnet library {wanted} is missing: {error}{place}{more}",
        where=wanted.where,
        hint=error.hint or "correct the list that names it",
        strict=True,
    )


def _about_conflict(conflict: Conflict) -> Doubt:
    used, other = conflict.used, conflict.other
    return Doubt(
        f"Jsonnet library {used.name} is wanted more than once: {_what(used)}{_by(used)},"
        f" is used and not {_what(other)}{_by(other)}",
        where=f"{used.where}, {other.where}",
        hint="let both want the same",
    )


def _about_short_name(refused: ShortName) -> Doubt:
    wanted = refused.package.wanted
    return Doubt(
        f"Jsonnet library {wanted.name} gets no short name {refused.alias}: {refused.why}",
        where=wanted.where,
        hint=f"import it as {wanted.name}/...",
    )


def _once_each(resolution: Resolution) -> list[Conflict]:
    """One of several conflicts that say the same."""
    by_words = {(one.used.key, one.other.key, one.other.by): one for one in resolution.conflicts}
    return list(by_words.values())


def _what(wanted: Wanted) -> str:
    return wanted.requirement.version or str(wanted.folder)


def _by(wanted: Wanted) -> str:
    return f", by {wanted.by}" if wanted.by else ""


def _as_error(doubt: Doubt) -> CommodoreError:
    return CommodoreError(doubt.text, where=doubt.where, hint=doubt.hint)
