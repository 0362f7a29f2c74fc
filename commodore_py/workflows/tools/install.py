"""Install a tool: download it aside, verify it, run it, then replace the old program."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove
from commodore_py.adapters.files.archives import BadArchive, opened_tar
from commodore_py.adapters.http import NotFound
from commodore_py.adapters.http.web import Request, fetch, read
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

from .programs import VERSION_COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from .folder import ToolFolder
    from .releases import Release, Upstream

log = logging.getLogger(__name__)

_SHA256 = 64
_MOST_TEXT = 1 << 20
_SCRATCH = ".commodore-"
_SECONDS_UNTIL_LEFT_OVER = 3600
_SECRETS = ("COMMODORE_API_TOKEN", "COMMODORE_GITHUB_TOKEN", "GITHUB_TOKEN")


class NotInstalled(CommodoreError):
    """A tool that was to be installed was not; what was there before still is."""


def install(folder: ToolFolder, release: Release, upstream: Upstream, *, now: datetime) -> None:
    """Install a release in the folder of managed tools, and record it."""
    place = folder.program(release.tool)
    with _telling_what_stays(release, place):
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            for path in folder.path.glob(f"{_SCRATCH}*"):
                if time.time() - path.stat().st_mtime > _SECONDS_UNTIL_LEFT_OVER:
                    remove(path)
            with tempfile.TemporaryDirectory(dir=folder.path, prefix=_SCRATCH) as scratch:
                program = _program(release, Path(scratch), upstream.timeout)
                program.chmod(0o755)
                _try_out(release.tool, program, folder.path)
                program.replace(place)
        except OSError as error:
            raise NotInstalled(
                f"cannot install {release.tool} {release.version}: {error.strerror or error}",
                where=str(error.filename or folder.path),
            ) from error
    folder.note(release.tool, now)


def checksums_in(text: str, url: str) -> dict[str, str]:
    """The digests of a checksum file by the names of the files (pure)."""
    checksums = {}
    for number, line in enumerate(text.splitlines(), start=1):
        digest, _, name = line.strip().partition(" ")
        if not line.strip():
            continue
        if (
            not (
                len(digest) == _SHA256
                and all(letter in "0123456789abcdefABCDEF" for letter in digest)
            )
            or not name.strip()
        ):
            raise NotInstalled(
                f"line {number} is not a checksum: {line[:80]!r}",
                where=url,
                hint="expected a SHA-256 digest and a file name",
            )
        # A star marks a file that was read as binary; see sha256sum.
        checksums[name.strip().removeprefix("*")] = digest.lower()
    return checksums


@contextmanager
def _telling_what_stays(release: Release, place: Path) -> Iterator[None]:
    try:
        yield
    except CommodoreError as error:
        stays = "; the present version stays in use" if place.exists() else ""
        error.add_note(f"while installing {release.tool} {release.version}{stays}")
        raise


def _program(release: Release, scratch: Path, timeout: float) -> Path:
    archive = scratch / release.file
    try:
        expected = _expected_digest(release, timeout)
        arrived = fetch(Request(release.url, timeout=timeout, raw=True), archive)
    except NotFound as error:
        raise NotInstalled(
            f"release not found: {error}",
            where=error.where,
            hint="check the version; `commodore tool list` shows the latest ones",
        ) from error
    _compare(release, expected, arrived.sha256)
    log.info("verified the checksum of %s", release.file)
    return _unpacked(release, archive, scratch / release.tool) if release.member else archive


def _expected_digest(release: Release, timeout: float) -> str:
    url = release.checksums_url
    content, _ = read(Request(url, timeout=timeout), _MOST_TEXT)
    checksums: Mapping[str, str] = checksums_in(content.decode(errors="replace"), url)
    if release.file not in checksums:
        raise NotInstalled(f"no checksum for {release.file}", where=url)
    return checksums[release.file]


def _compare(release: Release, expected: str, actual: str) -> None:
    if actual != expected:
        raise NotInstalled(
            f"{release.file} has a wrong checksum: expected {expected}, found {actual}",
            where=release.url,
            hint="try again; if this happens again, do not use that file",
        )


def _unpacked(release: Release, archive: Path, program: Path) -> Path:
    # Only the one member, by name: everything else in the archive is ignored.
    try:
        with opened_tar(archive) as tar:
            for tar_info in tar:
                if tar_info.name != release.member:
                    continue
                member = tar.extractfile(tar_info)
                if member is None:
                    raise NotInstalled(f"{release.member} is not a file", where=release.url)
                with member, program.open("wb") as target:
                    shutil.copyfileobj(member, target)
                return program
    except BadArchive as error:
        problem = f"{release.file} is not a valid archive: {error}"
        raise NotInstalled(problem, where=release.url) from error
    raise NotInstalled(f"{release.file} does not contain {release.member}", where=release.url)


def _try_out(tool: str, program: Path, folder: Path) -> None:
    """Run the program once, without secrets, before it replaces one that works."""
    command = [str(program), *VERSION_COMMANDS[tool]]
    try:
        run(command, merge_stderr=True, env=dict.fromkeys(_SECRETS))
    except ProgramFailed as error:
        why = error.__cause__ if isinstance(error.__cause__, OSError) else None
        raise NotInstalled(
            f"{tool} does not run: {why.strerror if why else error}",
            where=str(folder),
            hint="if the file system does not allow programs, set XDG_CACHE_HOME to another folder",
        ) from error
