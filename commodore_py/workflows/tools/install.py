"""Install a tool: download it aside, verify it, run it, then replace the old program."""

from __future__ import annotations

import logging
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import remove
from commodore_py.adapters.files.archives import BadArchive, opened_tar
from commodore_py.adapters.http import NotFound
from commodore_py.adapters.http.web import Request, fetch, read
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

from .folder import VERSION_COMMANDS

if TYPE_CHECKING:
    from datetime import datetime

    from .folder import ToolFolder
    from .releases import Release, Upstream

log = logging.getLogger(__name__)

_MOST_TEXT = 1 << 20
_SCRATCH = ".commodore-"
_SECONDS_UNTIL_LEFT_OVER = 3600
_SECRETS = ("COMMODORE_API_TOKEN", "COMMODORE_GITHUB_TOKEN", "GITHUB_TOKEN")


def install(folder: ToolFolder, release: Release, upstream: Upstream, *, now: datetime) -> None:
    """Install a release in the folder of managed tools, and record it."""
    place = folder.program(release.tool)
    stays = "; the present version stays in use" if place.exists() else ""
    note = f"while installing {release.tool} {release.version}{stays}"
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
    except CommodoreError as error:
        error.add_note(note)
        raise
    except OSError as error:
        failure = CommodoreError(
            f"cannot install {release.tool} {release.version}: {error.strerror or error}",
            where=str(error.filename or folder.path),
        )
        failure.add_note(note)
        raise failure from error
    folder.note(release.tool, now)


def _program(release: Release, scratch: Path, timeout: float) -> Path:
    archive = scratch / release.file
    try:
        expected = _expected_digest(release, timeout)
        arrived = fetch(Request(release.url, timeout=timeout, raw=True), archive)
    except NotFound as error:
        raise CommodoreError(
            f"release not found: {error}",
            where=error.where,
            hint="check the version; `commodore tool list` shows the latest ones",
        ) from error
    if arrived.sha256 != expected:
        raise CommodoreError(
            f"{release.file} has a wrong checksum: expected {expected}, found {arrived.sha256}",
            where=release.url,
            hint="try again; if this happens again, do not use that file",
        )
    log.info("verified the checksum of %s", release.file)
    return _unpacked(release, archive, scratch / release.tool) if release.member else archive


def _expected_digest(release: Release, timeout: float) -> str:
    url = release.checksums_url
    content, _ = read(Request(url, timeout=timeout), _MOST_TEXT)
    # A star marks a file that was read as binary; see sha256sum.
    line = rf"^([0-9a-fA-F]{{64}})[ \t]+\*?{re.escape(release.file)}\s*$"
    if entry := re.search(line, content.decode(errors="replace"), re.MULTILINE):
        return entry[1].lower()
    raise CommodoreError(f"no checksum for {release.file}", where=url)


def _unpacked(release: Release, archive: Path, program: Path) -> Path:
    # Only the one member, by name: everything else in the archive is ignored.
    try:
        with opened_tar(archive) as tar:
            for tar_info in tar:
                if tar_info.name != release.member:
                    continue
                member = tar.extractfile(tar_info)
                if member is None:
                    raise CommodoreError(f"{release.member} is not a file", where=release.url)
                with member, program.open("wb") as target:
                    shutil.copyfileobj(member, target)
                return program
    except BadArchive as error:
        problem = f"{release.file} is not a valid archive: {error}"
        raise CommodoreError(problem, where=release.url) from error
    raise CommodoreError(f"{release.file} does not contain {release.member}", where=release.url)


def _try_out(tool: str, program: Path, folder: Path) -> None:
    """Run the program once, without secrets, before it replaces one that works."""
    command = [str(program), *VERSION_COMMANDS[tool]]
    try:
        run(command, merge_stderr=True, env=dict.fromkeys(_SECRETS))
    except ProgramFailed as error:
        why = error.__cause__ if isinstance(error.__cause__, OSError) else None
        raise CommodoreError(
            f"{tool} does not run: {why.strerror if why else error}",
            where=str(folder),
            hint="if the file system does not allow programs, set XDG_CACHE_HOME to another folder",
        ) from error
