"""Parse the Git remotes of jsonnetfiles into a name and a URL (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError

# As in jsonnet-bundler, whose names end up in imports: a remote may be in the middle of a string,
# a port is part of an SSH host, and `ab.io` is too short for a host.
_HOST = r"(?P<host>[a-zA-Z0-9][a-zA-Z0-9.-]{1,61}[a-zA-Z0-9]\.[a-zA-Z]{2,})"
_SSH_URL = re.compile(r"ssh://git@(?P<host>[^/]+)/(?P<path>.+/.+)\.git")
_SSH_SHORT = re.compile(r"git@(?P<host>[^:]+):(?P<path>.+/.+)\.git")
_WITH_SUFFIX = re.compile(_HOST + r"/(?P<path>[\w~./-]+/[\w.-]+)\.git", re.ASCII)
_WITHOUT_SUFFIX = re.compile(_HOST + r"/(?P<path>[\w~.-]+/[\w.-]+)", re.ASCII)

_FORMS = "https://host.name/user/repository.git or ssh://git@host/user/repository.git"


@dataclass(frozen=True, slots=True)
class Remote:
    """A Git repository, independent of its spelling."""

    url: str
    name: str
    """Host and path, which is the path of its content below `vendor/`."""

    @property
    def is_github(self) -> bool:
        """True if jsonnet-bundler downloads archives instead of using Git."""
        return self.name.startswith("github.com/")


def parse_remote(text: str) -> Remote:
    """Parse a remote; the rest of the string is ignored."""
    for pattern in (_SSH_URL.search, _SSH_SHORT.match):
        if ssh := pattern(text):
            return _remote("ssh://git@", ssh)
    for form in (_WITH_SUFFIX, _WITHOUT_SUFFIX):
        if match := form.search(text):
            return _remote("https://", match)
    raise CommodoreError(
        f"{without_secrets(text)} is not a Git remote that jsonnet-bundler supports",
        hint=f"write it as {_FORMS}, without a port",
    )


def _remote(scheme: str, match: re.Match[str]) -> Remote:
    whole = f"{match['host']}/{match['path']}"
    return Remote(f"{scheme}{whole}.git", whole.removesuffix(".git"))
