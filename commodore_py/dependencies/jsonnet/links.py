"""The links in `vendor/`: one per Jsonnet library, and one per short name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters.files import link, make_folder, remove, remove_empty
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.names import problem_of_path

from .content import invalidate
from .jsonnetfile import GitSource, LocalSource
from .resolve import CACHE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .resolve import Package


Inside: TypeAlias = "tuple[Package, str, Package]"
"""A library, the path in it, and another library that is linked there."""


def _layout(packages: Iterable[Package]) -> tuple[dict[str, Path], list[Inside]]:
    """The targets of links by their paths, and the links inside of other libraries.

    A later one replaces an earlier one of the same path.
    """
    links: dict[str, Path] = {}
    inside: list[Inside] = []
    linked: dict[str, Package] = {}
    for package in packages:
        name = package.request.name
        outer = max((n for n in linked if name.startswith(f"{n}/")), key=len, default=None)
        if outer is not None:
            inside.append((linked[outer], name.removeprefix(f"{outer}/"), package))
        else:
            for inner in [n for n in links if n.startswith(f"{name}/")]:
                del links[inner]
            links[name] = package.directory
        for inner in [n for n in linked if n.startswith(f"{name}/")]:
            del linked[inner]
        linked[name] = package
    return links, inside


def lay_out(
    vendor: Path, packages: Sequence[Package], *, short_names: bool
) -> list[CommodoreError]:
    """Link these libraries in `vendor/`; foreign files stay. Returns warnings."""
    links, inside = _layout(packages)
    short, warnings = _short_names(vendor, packages, links) if short_names else ({}, [])
    raise_collected(
        [*_in_the_way(vendor, [*links, *short]), *_foreign_folders(inside)],
        "cannot link the Jsonnet libraries",
    )
    make_folder(vendor)
    _prune(vendor, {vendor / name for name in (*links, *short)}, top=True)
    for outer, inner, package in inside:
        invalidate(outer.directory, outer.request.name)
        link(outer.directory / inner, package.directory)
    for name, target in links.items():
        link(vendor / name, target)
    for alias, package in short.items():
        target = vendor / package.request.name
        if target.exists():
            link(vendor / alias, target)
        else:  # replaced by another library without that folder
            remove(vendor / alias)
            warnings.append(_refused(package, alias, "its folder was replaced by another library"))
    return warnings


def _short_names(
    vendor: Path, packages: Iterable[Package], links: Mapping[str, Path]
) -> tuple[dict[str, Package], list[CommodoreError]]:
    """The first library of a short name gets it, unless the name exists already."""
    assigned: dict[str, Package] = {}
    warnings: list[CommodoreError] = []
    for package in packages:
        request = package.request
        if not isinstance(request.source, GitSource):
            continue
        alias = request.alias or request.name.rpartition("/")[2]
        place, why = vendor / alias, ""
        if "/" in alias or problem_of_path(alias) or alias.casefold() in (".", "..", CACHE):
            why = "it is not a valid file name"
        elif alias in assigned:
            why = f"{assigned[alias].request.name} uses it"
        elif alias in links:
            why = f"{links[alias]} uses it"
        elif any(other.startswith(f"{alias}/") for other in links) or (
            place.exists() and not place.is_symlink()
        ):
            why = f"{place} exists"
        if why:
            warnings.append(_refused(package, alias, why))
        else:
            assigned[alias] = package
    return assigned, warnings


def _refused(package: Package, alias: str, why: str) -> CommodoreError:
    request = package.request
    return CommodoreError(
        f"Jsonnet library {request.name} gets no short name {alias}: {why}",
        where=request.where,
        hint=f"import it as {request.name}/...",
    )


def _in_the_way(vendor: Path, names: Iterable[str]) -> Iterator[CommodoreError]:
    """Errors for real files and folders at the paths of links."""
    reported = set()
    for name in names:
        place = vendor
        for part in name.split("/"):
            place /= part
            if place.is_symlink():
                break  # a link, which may be replaced
            is_obstacle = place.is_file() or (place == vendor / name and _holds_files(place))
            if is_obstacle and place not in reported:
                reported.add(place)
                yield CommodoreError(
                    f"cannot create a link to the Jsonnet library {name}: the path exists",
                    where=str(place),
                    hint="remove or rename it; it may come from an older jsonnet-bundler",
                )


def _foreign_folders(inside: Iterable[Inside]) -> Iterator[CommodoreError]:
    for outer, inner, package in inside:
        root = outer.directory.resolve()
        if isinstance(outer.request.source, LocalSource) or not (
            (outer.directory / inner).parent.resolve().is_relative_to(root)
        ):
            yield CommodoreError(
                f"Jsonnet library {package.request.name} would have to be written into"
                f" a foreign folder: {root}",
                where=package.request.where,
                hint=f"use another name for {outer.request.name}",
            )


def _holds_files(place: Path) -> bool:
    """Return whether a folder contains anything other than links and folders."""
    return any(
        not (Path(folder) / name).is_symlink()
        for folder, _, names in os.walk(place)
        for name in names
    )


def _prune(folder: Path, links: set[Path], *, top: bool) -> None:
    """Remove unused links, and folders that contain nothing else."""
    children = [child for child in folder.iterdir() if not (top and child.name == CACHE)]
    if not top and any(child.is_file() and not child.is_symlink() for child in children):
        return  # not created by us
    for child in children:
        if child.is_symlink():
            if child not in links:
                remove(child)
        elif child.is_dir():
            _prune(child, links, top=False)
    if not top:
        remove_empty(folder)
