"""What Git and servers say about a failed push, and what we make of it."""

from __future__ import annotations

import pytest

from commodore_py.catalog.sinks.base import Overtaken
from commodore_py.catalog.sinks.git import push_failed
from commodore_py.errors import CommodoreError, notes_of

URL = "https://git.example.com/catalog.git"
PUSHED_TO = "ssh://git@git.example.com/catalog.git"


def error_of(stderr: str) -> CommodoreError:
    return push_failed(stderr, url=URL, pushed_to=PUSHED_TO, branch="main", kept_in="/w/catalog")


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (" ! [rejected]        HEAD -> main (fetch first)\n", "[rejected] (fetch first)"),
        (" ! [rejected]        HEAD -> main (non-fast-forward)\n", "[rejected] (non-fast-forward)"),
        (
            (
                "remote: error: cannot lock ref 'refs/heads/main': is at 1 but expected 2\n"
                " ! [remote rejected] HEAD -> main (failed to update ref)\n"
            ),
            "[remote rejected] (failed to update ref)",
        ),
        (
            " ! [remote rejected] HEAD -> main (incorrect old value provided)\n",
            "[remote rejected] (incorrect old value provided)",
        ),
        (
            " ! [remote rejected] HEAD -> main (cannot lock ref 'refs/heads/main': is at 1)\n",
            "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1)",
        ),
    ],
)
def test_another_push_was_faster(stderr: str, reason: str) -> None:
    error = error_of(stderr)

    assert isinstance(error, Overtaken)
    assert str(error) == f"cannot push the catalog to branch main: {reason}"
    assert error.hint.startswith("the branch was pushed to in the meantime: compile again; ")


@pytest.mark.parametrize(
    ("stderr", "remedy"),
    [
        (
            (
                "remote: error: GH006: Protected branch update failed for refs/heads/main.\n"
                " ! [remote rejected] HEAD -> main (protected branch hook declined)\n"
            ),
            "branch main is protected",
        ),
        (
            (
                "remote: GitLab: You are not allowed to push code to protected branches on this"
                " project.\n ! [remote rejected] HEAD -> main (pre-receive hook declined)\n"
            ),
            "branch main is protected",
        ),
        (
            (
                "remote: error: GH013: Repository rule violations found for refs/heads/main.\n"
                " ! [remote rejected] HEAD -> main"
                " (push declined due to repository rule violations)\n"
            ),
            "branch main is protected",
        ),
        (
            "remote: no\n ! [remote rejected] HEAD -> main (pre-receive hook declined)\n",
            "a hook of the server rejects",
        ),
        (
            " ! [remote rejected] HEAD -> main (branch is currently checked out)\n",
            "the remote is not a bare repository",
        ),
        (" ! [remote rejected] HEAD -> main (shallow update not allowed)\n", "see its rules"),
        (
            (
                "git@git.example.com: Permission denied (publickey).\n"
                "fatal: Could not read from remote repository.\n"
            ),
            f"check the key or the token for {PUSHED_TO}",
        ),
        (
            "fatal: unable to access 'x': The requested URL returned error: 403\n",
            "key or the token",
        ),
        ("fatal: could not read Username for 'https://x': disabled\n", "key or the token"),
        ("fatal: repository 'https://x/' not found\n", f"no repository to push to at {PUSHED_TO}"),
        ("fatal: 'x' does not appear to be a git repository\n", "create it"),
        ("ssh: connect to host x port 22: Connection refused\n", "check the network"),
    ],
)
def test_what_to_do(stderr: str, remedy: str) -> None:
    error = error_of(stderr)

    assert not isinstance(error, Overtaken)
    assert remedy in error.hint
    assert error.hint.endswith("the commit is kept in /w/catalog")
    assert error.where == URL


def test_the_server_is_quoted_without_passwords() -> None:
    error = error_of(
        "remote: go to https://bob:hunter2@x.org/rules\nremote: or ask Bob\n"
        " ! [remote rejected] HEAD -> main (hook declined)\n"
    )

    assert notes_of(error) == ("the server reported: go to https://***@x.org/rules / or ask Bob",)
