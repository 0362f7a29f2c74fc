"""The links in `vendor/`: one per Jsonnet library, and one per short name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import link, make_folder, remove, remove_empty
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.names import problem_of_path

from .content import invalidate
from .jsonnetfile import GitSource, LocalSource
from .resolve import CACHE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .resolve import Package


@dataclass(frozen=True, slots=True)
class ShortName:
    """A short name that is not linked, with the reason."""

    package: Package
    alias: str
    why: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of all links."""

    links: dict[str, Path]
    """Link targets by paths below `vendor/`."""
    inside: list[tuple[Package, str, Package]]
    """Libraries whose path is inside of another library: linked into its content."""


def layout_of(packages: Iterable[Package]) -> Layout:
    """Lay out the links in order; a later one replaces an earlier one of the path (pure)."""
    layout, linked = Layout({}, []), dict[str, "Package"]()
    for package in packages:
        name = package.request.name
        outer = max((n for n in linked if name.startswith(f"{n}/")), key=len, default=None)
        if outer is not None:
            layout.inside.append((linked[outer], name.removeprefix(f"{outer}/"), package))
        else:
            for inner in [n for n in layout.links if n.startswith(f"{name}/")]:
                del layout.links[inner]
            layout.links[name] = package.directory
        for inner in [n for n in linked if n.startswith(f"{name}/")]:
            del linked[inner]
        linked[name] = package
    return layout


def lay_out(vendor: Path, packages: Sequence[Package], *, short_names: bool) -> list[ShortName]:
    """Link these libraries in `vendor/`; foreign files stay."""
    layout = layout_of(packages)
    short, refused = _short_names(vendor, packages, layout.links) if short_names else ({}, [])
    raise_collected(
        [*_in_the_way(vendor, [*layout.links, *short]), *_foreign_folders(layout)],
        "cannot link the Jsonnet libraries",
    )
    make_folder(vendor)
    _prune(vendor, {vendor / name for name in (*layout.links, *short)}, top=True)
    for outer, inner, package in layout.inside:
        invalidate(outer.directory, outer.request.name)
        link(outer.directory / inner, package.directory)
    for name, target in layout.links.items():
        link(vendor / name, target)
    for alias, package in short.items():
        target = vendor / package.request.name
        if target.exists():
            link(vendor / alias, target)
        else:  # replaced by another library without that folder
            remove(vendor / alias)
            refused.append(ShortName(package, alias, "its folder was replaced by another library"))
    return refused


def _short_names(
    vendor: Path, packages: Iterable[Package], links: Mapping[str, Path]
) -> tuple[dict[str, Package], list[ShortName]]:
    """The first library of a short name gets it, unless the name exists already."""
    assigned: dict[str, Package] = {}
    refused: list[ShortName] = []
    for package in packages:
        requirement, name = package.request.requirement, package.request.name
        if not isinstance(requirement.source, GitSource):
            continue
        alias = requirement.alias or name.rpartition("/")[2]
        place = vendor / alias
        if "/" in alias or problem_of_path(alias) or alias.casefold() in (".", "..", CACHE):
            refused.append(ShortName(package, alias, "it is not a valid file name"))
        elif alias in assigned:
            refused.append(ShortName(package, alias, f"{assigned[alias].request.name} uses it"))
        elif alias in links:
            refused.append(ShortName(package, alias, f"{links[alias]} uses it"))
        elif any(other.startswith(f"{alias}/") for other in links) or (
            place.exists() and not place.is_symlink()
        ):
            refused.append(ShortName(package, alias, f"{place} exists"))
        else:
            assigned[alias] = package
    return assigned, refused


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


def _foreign_folders(layout: Layout) -> Iterator[CommodoreError]:
    for outer, inner, package in layout.inside:
        root = outer.directory.resolve()
        if isinstance(outer.request.requirement.source, LocalSource) or not (
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
