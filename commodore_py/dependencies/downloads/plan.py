"""Plan which files of downloads are written to which paths, before anything is touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.files.archives import BadArchive, Member, unpack_tar
from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError
from commodore_py.model.download import Artifact, Chart, Repository, WebFile
from commodore_py.model.tree import folders_above

from . import artifacts, charts, web_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content
    from commodore_py.model.download import Download

    from .bounds import Bounds
    from .store import Stored


@dataclass(frozen=True, slots=True)
class Placement:
    """A download, its content in the store, and the path that it is written to."""

    download: Download
    path: Path
    where: str
    """The place that requests it."""
    stored: Stored
    file: Path
    """The content."""

    @property
    def what(self) -> str:
        """A description for messages."""
        return without_secrets(str(self.download.source))

    @property
    def source(self) -> str:
        """Where it comes from, without the version."""
        match self.download.source:
            case WebFile(url) | Repository(url):
                return url
            case Chart(repository):
                return repository
            case Artifact(reference):
                return reference

    @property
    def digest(self) -> str:
        """Of the content, and of how it is written."""
        subpath = getattr(self.download.source, "subpath", "")
        return f"{self.stored.sha256} unpacked {self.download.unpack} {subpath}"

    @property
    def is_invalid_archive(self) -> bool:
        """True if it is to be unpacked, and Kapitan would not do that."""
        source = self.download.source
        is_archive = not isinstance(source, WebFile) or web_files.is_archive(
            self.file, source.url, self.stored.about.get("type")
        )
        return self.download.unpack and not is_archive

    def content(self) -> Content:
        """Its files; none for what is not a valid archive."""
        try:
            match self.download.source:
                case WebFile(url) if self.download.unpack:
                    kind = self.stored.about.get("type")
                    return web_files.unpacked(self.file, url, kind)
                case WebFile():
                    return {"": Member(self.file.read_bytes())}
                case Repository():
                    return unpack_tar(self.file)
                case Chart():
                    return charts.content_of(self.stored, self.file)
                case Artifact() as artifact:
                    return artifacts.content_of(artifact, self.file)
        except BadArchive as error:
            error.where = error.where or self.what
            raise


def planned_files(
    placements: Iterable[Placement], bounds: Bounds, warn: Callable[[CommodoreError], None]
) -> dict[Path, tuple[Member, Placement]]:
    """The files of all placements; where two conflict, the later one wins."""
    planned: dict[Path, tuple[Member, Placement]] = {}
    for placement in placements:
        path = placement.path
        members = {
            path / name if name else path: member for name, member in placement.content().items()
        }
        bounds.check(members)
        replaced: dict[str, Path] = {}
        for target in list(_replaced(planned, members)):
            before = planned.pop(target)[1].what
            replaced.setdefault(before, target)
        planned |= {target: (member, placement) for target, member in members.items()}
        for before, target in replaced.items():
            warn(
                CommodoreError(
                    f"{placement.what} replaces {before}: both contain {target}",
                    where=placement.where,
                    hint="use a separate folder for each",
                )
            )
    return planned


def _replaced(
    planned: Mapping[Path, tuple[Member, Placement]], members: Mapping[Path, Member]
) -> Iterator[Path]:
    """Planned files that others replace, or that are where others have a folder or a file."""
    folders = folders_above(members)
    files = {path for path, member in members.items() if not member.folder}
    for target, (member, _) in planned.items():
        in_the_way = target in folders and not member.folder
        if (
            in_the_way
            or members.get(target, member) != member
            or not files.isdisjoint(target.parents)
        ):
            yield target
