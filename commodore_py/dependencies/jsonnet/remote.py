"""Git remotes as jsonnetfiles spell them, and the one name and URL for each (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from commodore_py.adapters.git.urls import without_password
from commodore_py.errors import CommodoreError

# These accept and refuse what jsonnet-bundler does, whose names end up in imports: a remote may
# be found in the middle of a text, a port is part of an SSH host, and `ab.io` is too short a host.
_HOST = r"(?P<host>[a-zA-Z0-9][a-zA-Z0-9.-]{1,61}[a-zA-Z0-9]\.[a-zA-Z]{2,})"
_SSH_URL = re.compile(r"ssh://git@(?P<host>[^/]+)/(?P<path>.+/.+)\.git")
_SSH_SHORT = re.compile(r"git@(?P<host>[^:]+):(?P<path>.+/.+)\.git")
_WITH_SUFFIX = re.compile(_HOST + r"/(?P<path>[\w~./-]+/[\w.-]+)\.git", re.ASCII)
_WITHOUT_SUFFIX = re.compile(_HOST + r"/(?P<path>[\w~.-]+/[\w.-]+)", re.ASCII)

_FORMS = "https://host.name/user/repository.git or ssh://git@host/user/repository.git"


@dataclass(frozen=True, slots=True)
class Remote:
    """A Git repository, whichever way it was spelled."""

    url: str
    name: str
    """Host and path: where its content is found below `vendor/`."""

    @property
    def is_github(self) -> bool:
        """Whether jsonnet-bundler takes archives of it instead of fetching."""
        return self.name.startswith("github.com/")


def parse_remote(text: str) -> Remote:
    """What a remote means; what follows it in the text means nothing."""
    for pattern in (_SSH_URL.search, _SSH_SHORT.match):
        if ssh := pattern(text):
            return _remote("ssh://git@", ssh)
    for form in (_WITH_SUFFIX, _WITHOUT_SUFFIX):
        if found := form.search(text):
            return _remote("https://", found)
    raise CommodoreError(
        f"{without_password(text)} is no Git remote that jsonnet-bundler understands",
        hint=f"write it as {_FORMS}, without a port",
    )


def _remote(scheme: str, found: re.Match[str]) -> Remote:
    whole = f"{found['host']}/{found['path']}"
    return Remote(f"{scheme}{whole}.git", whole.removesuffix(".git"))
