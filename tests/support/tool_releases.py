"""The tools' projects and GitHub, played by a loopback server; the tools are small scripts."""

from __future__ import annotations

import hashlib
import io
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.workflows.tools.releases import PROJECTS, Platform, Release, Upstream, release_of
from tests.support.servers.api import Reply, json_reply

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.servers.api import Api

RESET = 4_000_000_000  # 2096-10-02 07:06:40 UTC


def program_script(version: str = "", *, script: str = "") -> bytes:
    """A program that prints its version, or runs another script."""
    return f"#!/bin/sh\n{script or f'echo {version}'}\n".encode()


def write_program(folder: Path, name: str, content: bytes) -> Path:
    """A program in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_bytes(content)
    program.chmod(0o755)
    return program


@dataclass(frozen=True)
class Publisher:
    """The releases for this machine."""

    api: Api

    def upstream(self, token: str = "", timeout: float = 2) -> Upstream:
        return Upstream(token=token, timeout=timeout, mirror=self.api.url)

    def latest(self, tool: str, tag: str) -> None:
        """What GitHub calls the latest release."""
        self.on_latest(tool, json_reply({"tag_name": tag}))

    def on_latest(self, tool: str, *replies: Reply) -> None:
        self.api.on(
            f"GET /api.github.com/repos/{PROJECTS[tool].repository}/releases/latest", *replies
        )

    def release(
        self,
        tool: str,
        version: str,
        *,
        program: bytes | None = None,
        checksums: str = "{sum}  {file}\n",
        file: Reply | None = None,
    ) -> Release:
        """Publish a version; checksums and reply may be other than right."""
        release = release_of(tool, version, Platform.here(), self.upstream())
        content = program if program is not None else program_script(version)
        if release.member:
            content = tar_archive({release.member: content, "LICENSE": b"free"})
        digest = hashlib.sha256(content).hexdigest()
        lines = checksums.format(sum=digest, file=release.file)
        self.api.on(f"GET {self.path(release.url)}", file or Reply(body=content))
        self.api.on(f"GET {self.path(release.checksums_url)}", Reply(body=lines.encode()))
        return release

    def path(self, url: str) -> str:
        return url.removeprefix(self.api.url)

    def request_count(self, part: str) -> int:
        """How many requests had this in their path."""
        return sum(part in one.path for one in self.api.received)


def tar_archive(files: dict[str, bytes]) -> bytes:
    """A compressed tar archive."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return target.getvalue()


def rate_limited() -> Reply:
    """GitHub's response after too many requests."""
    reply = json_reply({"message": "API rate limit exceeded"}, 403)
    return Reply(
        reply.status,
        reply.body,
        {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(RESET)},
    )
