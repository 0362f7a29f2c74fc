"""Releases of the tools' projects, and how they are downloaded, verified and installed."""

from __future__ import annotations

import logging
import platform
import re
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import remove
from commodore_py.adapters.files.archives import BadArchive, opened_tar
from commodore_py.adapters.http import HttpError, NotFound, get_json, is_private
from commodore_py.adapters.http.exchange import Request, fetch, read
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.dependencies.downloads.chart_versions import Version
from commodore_py.errors import CommodoreError, doing
from commodore_py.manifests.objects import mapping, mappings, text

from .folder import VERSION_COMMANDS, version_in

if TYPE_CHECKING:
    from datetime import datetime

    from .folder import ToolFolder

log = logging.getLogger(__name__)

_MOST_TEXT = 1 << 20
_SCRATCH = ".commodore-"
_SECONDS_UNTIL_LEFT_OVER = 3600
_SECRETS = ("COMMODORE_API_TOKEN", "COMMODORE_GITHUB_TOKEN", "GITHUB_TOKEN")

SYSTEMS = {"Linux": "linux", "Darwin": "darwin"}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
_HOW_TO_GIVE_ONE = "--github-token or COMMODORE_GITHUB_TOKEN"


@dataclass(frozen=True, slots=True)
class Project:
    """How a tool's project names its releases and their files."""

    repository: str
    """On GitHub, to query versions."""
    folder: str
    """Host and path of a release's files."""
    file: str
    checksums: str
    member: str = ""
    """The program's name in the archive; without one, the file is the program."""
    tag_prefix: str = ""


PROJECTS = {
    "helm": Project(
        repository="helm/helm",
        folder="get.helm.sh",
        file="helm-{version}-{system}-{machine}.tar.gz",
        checksums="{file}.sha256sum",
        member="{system}-{machine}/helm",
    ),
    "jb": Project(
        repository="projectsyn/jsonnet-bundler",
        folder="github.com/projectsyn/jsonnet-bundler/releases/download/{version}",
        file="jb_{system}_{machine}",
        checksums="checksums.txt",
    ),
    # One repository for several modules, whose tags differ by a prefix.
    "kustomize": Project(
        repository="kubernetes-sigs/kustomize",
        folder="github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2F{version}",
        file="kustomize_{version}_{system}_{machine}.tar.gz",
        checksums="checksums.txt",
        member="kustomize",
        tag_prefix="kustomize/",
    ),
    "opa": Project(
        repository="open-policy-agent/opa",
        folder="github.com/open-policy-agent/opa/releases/download/{version}",
        file="opa_{system}_{machine}_static",
        checksums="{file}.sha256",
    ),
}
_NOT_STATIC = "opa_darwin_amd64_static"
"""The name that opa's project does not use: on this platform, the file has no suffix."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """How to reach releases; a mirror has the files of each host in a folder of its name."""

    token: str = field(default="", repr=False)
    timeout: float = 5
    mirror: str = ""

    def __post_init__(self) -> None:
        if self.mirror and not is_private(self.mirror):
            raise CommodoreError(
                "the URL of a mirror must use https: its checksums prove nothing otherwise",
                where=self.mirror,
            )

    def url(self, path: str) -> str:
        """The URL of a host and path, on the mirror if there is one."""
        return f"{self.mirror.rstrip('/')}/{path}" if self.mirror else f"https://{path}"


@dataclass(frozen=True, slots=True)
class Release:
    """One version of a tool for one platform, as it is published."""

    tool: str
    version: str
    file: str
    url: str
    checksums_url: str
    member: str = ""


def release_of(tool: str, version: str, upstream: Upstream) -> Release:
    """Where the files of a version for this machine are."""
    project, system, machine = PROJECTS[tool], platform.system(), platform.machine()
    if system not in SYSTEMS or machine not in MACHINES:
        raise CommodoreError(
            f"there are no releases for {system} on {machine}",
            hint="install the tool yourself, and add it to PATH",
        )
    words = {"version": version, "system": SYSTEMS[system], "machine": MACHINES[machine]}
    file = project.file.format(**words)
    if file == _NOT_STATIC:
        file = file.removesuffix("_static")
    folder = upstream.url(project.folder.format(**words))
    return Release(
        tool,
        version,
        file,
        url=f"{folder}/{file}",
        checksums_url=f"{folder}/{project.checksums.format(file=file)}",
        member=project.member.format(**words),
    )


def version_given(tool: str, text: str) -> str:
    """The requested version, with or without its leading `v`."""
    version = text.removeprefix(PROJECTS[tool].tag_prefix)
    with_v = f"v{version.removeprefix('v')}"
    if version_in(version) != with_v:
        raise CommodoreError(f"not a version of {tool}: {text}", hint="use a version like v1.2.3")
    return with_v


def latest_version(tool: str, upstream: Upstream) -> str:
    """The latest released version on GitHub."""
    project = PROJECTS[tool]
    releases = upstream.url(f"api.github.com/repos/{project.repository}/releases")

    def ask(url: str) -> Any:  # noqa: ANN401 - parsed below
        return get_json(url, token=upstream.token, timeout=upstream.timeout)

    try:
        if latest := _version_of(project, ask(f"{releases}/latest")):
            return latest
        # The latest release of the repository is one of another module.
        listed = ask(f"{releases}?per_page=100")
    except HttpError as error:
        raise _release_error(error, project) from error
    finals = (
        release
        for release in mappings(listed)
        if not (release.get("draft") or release.get("prerelease"))
    )
    versions = [version for release in finals if (version := _version_of(project, release))]
    if not versions:
        raise CommodoreError(
            f"GitHub has no release of {project.repository} with a version",
            where=releases,
            hint="set one with --version",
        )
    return max(versions, key=lambda version: Version.parse(version) or Version((0, 0, 0)))


def _version_of(project: Project, release: object) -> str:
    tag = text(mapping(release).get("tag_name"))
    if not tag.startswith(project.tag_prefix):
        return ""
    return version_in(tag.removeprefix(project.tag_prefix)) or ""


def _release_error(error: HttpError, project: Project) -> CommodoreError:
    """The error for a failed request to GitHub."""
    reported = mapping(error.answer).get("message")
    message, hint = f"the request to GitHub failed: {reported or error}", error.hint
    nothing_left = error.headers.get("X-RateLimit-Remaining") == "0"
    if isinstance(error, NotFound):
        message = f"GitHub has no release of {project.repository}"
    elif error.status in _REFUSED:
        # https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
        if nothing_left or "Retry-After" in error.headers:
            message = f"the rate limit of GitHub is exceeded: {reported or error}"
        hint = f"a valid token raises the limit: {_HOW_TO_GIVE_ONE}"
    return CommodoreError(message, where=error.where, hint=hint)


def install(folder: ToolFolder, release: Release, upstream: Upstream, *, now: datetime) -> None:
    """Install a release in the folder of managed tools, and record it."""
    place = folder.program(release.tool)
    stays = "; the present version stays in use" if place.exists() else ""
    with doing(f"installing {release.tool} {release.version}{stays}"):
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
            raise CommodoreError(
                f"cannot install {release.tool} {release.version}: {error.strerror or error}",
                where=str(error.filename or folder.path),
            ) from error
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
