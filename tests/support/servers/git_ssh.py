"""An SSH server with a key for everything, on the loopback interface."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTINGS = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
AcceptEnv GIT_PROTOCOL
PermitRootLogin prohibit-password
"""


@dataclass(frozen=True)
class SshServer:
    """A running server, and how to reach it."""

    port: int
    command: str
    """For GIT_SSH_COMMAND."""
    stranger: str
    """The same with a key that the server does not accept."""

    def url(self, repository: Path) -> str:
        """The URL of a repository."""
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{repository}"


@contextmanager
def serve(folder: Path) -> Iterator[SshServer]:
    """Run sshd with keys of its own."""
    sshd = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin")
    if sshd is None or shutil.which("ssh-keygen") is None:
        pytest.skip("no sshd: install it (Debian, Ubuntu: apt install openssh-server)")
    folder.mkdir()
    for name in ("host", "user", "stranger"):
        how = ("-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
        subprocess.run(["ssh-keygen", *how], check=True)
    Path("/run/sshd").mkdir(exist_ok=True)  # sshd insists on it, where it is run by root
    port = _free_port()
    (folder / "settings").write_text(_SETTINGS.format(port=port, folder=folder))
    server = subprocess.Popen(
        [sshd, "-D", "-e", "-f", str(folder / "settings")], stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(port)
        yield SshServer(port, _command(folder, "user"), _command(folder, "stranger"))
    finally:
        server.terminate()
        server.wait()


def _command(folder: Path, key: str) -> str:
    known = f"-o UserKnownHostsFile={folder}/known -o StrictHostKeyChecking=accept-new"
    return f"ssh -F none -o IdentitiesOnly=yes -o BatchMode=yes -i {folder}/{key} {known}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
