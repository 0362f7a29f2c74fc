"""Releases of the tools' projects: the latest version, and the URLs of its files."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from commodore_py.adapters.http import HttpError, NotFound, get_json, is_private
from commodore_py.errors import CommodoreError

from .programs import normalised, precedence

SYSTEMS = {"Linux": "linux", "Darwin": "darwin"}
MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

_HOW_TO_GIVE_ONE = "--github-token or COMMODORE_GITHUB_TOKEN"


class NoRelease(CommodoreError):
    """The latest version could not be determined."""


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
class Platform:
    """The platform of a program, in the words of the releases."""

    system: str
    machine: str

    @classmethod
    def named(cls, system: str, machine: str) -> Platform:
        """The one that Python knows under these names."""
        try:
            return cls(SYSTEMS[system], MACHINES[machine])
        except KeyError as error:
            raise CommodoreError(
                f"there are no releases for {system} on {machine}",
                hint="install the tool yourself, and add it to PATH",
            ) from error

    @classmethod
    def here(cls) -> Platform:
        """This machine's."""
        return cls.named(platform.system(), platform.machine())


@dataclass(frozen=True, slots=True)
class Release:
    """One version of a tool for one platform, as it is published."""

    tool: str
    version: str
    file: str
    url: str
    checksums_url: str
    member: str = ""


def release_of(tool: str, version: str, target: Platform, upstream: Upstream) -> Release:
    """Where the files of a version are (pure)."""
    project = PROJECTS[tool]
    words = {"version": version, "system": target.system, "machine": target.machine}
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
    version = normalised(text.removeprefix(PROJECTS[tool].tag_prefix))
    if version is None:
        raise CommodoreError(f"not a version of {tool}: {text}", hint="use a version like v1.2.3")
    return version


def latest_version(tool: str, upstream: Upstream) -> str:
    """The latest released version on GitHub."""
    project = PROJECTS[tool]
    releases = upstream.url(f"api.github.com/repos/{project.repository}/releases")
    try:
        latest = _version_of(project, _ask(f"{releases}/latest", upstream))
        # The latest release of the repository may be one of another module.
        return latest or _newest(project, _ask(f"{releases}?per_page=100", upstream), releases)
    except HttpError as error:
        raise _release_error(error, project) from error


def _ask(url: str, upstream: Upstream) -> Any:  # noqa: ANN401 - parsed by both callers
    return get_json(url, token=upstream.token, timeout=upstream.timeout)


def _newest(project: Project, releases: object, url: str) -> str:
    listed = releases if isinstance(releases, list) else []
    finals = (
        release
        for release in listed
        if isinstance(release, dict) and not bool(release.get("draft") or release.get("prerelease"))
    )
    versions = [
        version for version in (_version_of(project, release) for release in finals) if version
    ]
    if not versions:
        raise NoRelease(
            f"GitHub has no release of {project.repository} with a version",
            where=url,
            hint="set one with --version",
        )
    return max(versions, key=precedence)


def _version_of(project: Project, release: object) -> str | None:
    tag = release.get("tag_name") if isinstance(release, dict) else None
    if not isinstance(tag, str) or not tag.startswith(project.tag_prefix):
        return None
    return normalised(tag.removeprefix(project.tag_prefix))


def _release_error(error: HttpError, project: Project) -> CommodoreError:
    """The error for a failed request to GitHub."""
    reported = error.answer.get("message") if isinstance(error.answer, dict) else None
    if isinstance(error, NotFound):
        message, hint = f"GitHub has no release of {project.repository}", error.hint
    elif error.status == HTTPStatus.UNAUTHORIZED:
        message, hint = f"GitHub rejected the token: {reported}", f"check {_HOW_TO_GIVE_ONE}"
    elif _is_limited(error):
        message = f"the rate limit of GitHub is exceeded: {reported or error}"
        hint = f"a token raises the limit: {_HOW_TO_GIVE_ONE}"
        if until := _limited_until(error):
            message, hint = f"{message}; the limit is reset {until}", f"wait, or raise it; {hint}"
    else:
        message = f"the request to GitHub failed: {error}" + (f" ({reported})" if reported else "")
        hint = error.hint
    return NoRelease(message, where=error.where, hint=hint)


def _is_limited(error: HttpError) -> bool:
    # https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    limited = error.status in {HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
    nothing_left = error.headers.get("X-RateLimit-Remaining") == "0"
    return limited and (nothing_left or "Retry-After" in error.headers)


def _limited_until(error: HttpError) -> str:
    pause = error.headers.get("Retry-After", "")
    if pause.isdigit():
        return f"in {pause} seconds"
    try:
        end = datetime.fromtimestamp(int(error.headers["X-RateLimit-Reset"]), UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        return ""
    return f"at {end.isoformat(sep=' ', timespec='minutes').removesuffix('+00:00')} UTC"
