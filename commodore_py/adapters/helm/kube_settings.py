"""Files in which clients of Kubernetes look for settings: Helm takes its namespace from them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_THE_MACHINE = (
    "/etc/localtime",
    "/var/run/secrets/kubernetes.io/serviceaccount/namespace",
)


def files_of_clients() -> Iterator[str]:
    """Absolute paths, whether anything is there or not."""
    named = os.environ.get("KUBECONFIG", "").split(os.pathsep)
    home = os.environ.get("HOME") or "/"
    own = (f"{home}/.kube/config", f"{home}/.kube/kuberc")
    for file in (*filter(None, named), *own, *_OF_THE_MACHINE):
        yield os.path.abspath(file)  # noqa: PTH100 - a text
