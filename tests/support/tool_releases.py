"""The tools' projects and GitHub, played by a loopback server; the tools are small scripts."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.workflows.tools.releases import PROJECTS, Release, Upstream, release_of
from tests.support.servers.api import Reply, error_reply, json_reply

if TYPE_CHECKING:
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
        release = release_of(tool, version, self.upstream())
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


def publish_tools(root: Path, server: Api, given: dict[str, Any]) -> None:
    """Make programs, and publish releases of tools, for a case of commands.

    `system` are programs in bin/, `managed` those in the folder of tools, with their versions;
    `latest` are the releases that GitHub names, `released` those that can be downloaded. A number
    instead of a version is the status of an error. `with` are the checksums of releases, and
    `scripts` what a program of v1.2.3 runs.
    """
    publisher, tools = Publisher(server), Path(os.environ["XDG_CACHE_HOME"]) / "commodore/tools"
    (root / "bin").mkdir()
    for name in ("sh", "env"):
        (root / "bin" / name).symlink_to(str(shutil.which(name)))
    for folder, programs in ((root / "bin", "system"), (tools, "managed")):
        for name, version in given.get(programs, {}).items():
            write_program(folder, name, program_script(version))
    if "managed" in given:
        tools.mkdir(parents=True, exist_ok=True)
        state = dict.fromkeys(given["managed"], "2026-01-09T15:20:00")
        (tools / "state.json").write_text(json.dumps(state))
    for name, tag in given.get("latest", {}).items():
        if isinstance(tag, int):
            publisher.on_latest(name, rate_limited())
        else:
            publisher.latest(name, tag)
    for name, version in given.get("released", {}).items():
        publisher.release(name, version, program=program_script(version), **given.get("with", {}))
    for name, version in given.get("broken", {}).items():
        publisher.release(name, version, file=error_reply(500, "no disk"))
    for name, script in given.get("scripts", {}).items():
        publisher.release(name, "v1.2.3", program=program_script(script=script))
