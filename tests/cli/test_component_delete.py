"""`component delete`: the checkout, after a question, and never work that is nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import make_component_clone
from tests.support.builders import commit_in, git

from .test_component_new import new

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def made(commodore: CommandLine, tmp_path: Path) -> Path:
    assert new(commodore, "my-comp").code == 0
    return tmp_path / "dependencies" / "my-comp"


def clone_of(made: Path) -> Path:
    return made.parent / ".repos" / "github.com" / "acme" / "component-my-comp.git"


@pytest.mark.parametrize(("words", "stdin"), [((), "y\n"), (("--force",), "")])
def test_checkout_and_clone_are_removed(
    commodore: CommandLine, made: Path, words: tuple[str, ...], stdin: str
) -> None:
    ran = commodore("component", "delete", "my-comp", *words, stdin=stdin)

    assert ran.code == 0, ran.err
    assert "my-comp successfully deleted" in ran.out
    assert not made.exists()
    assert not clone_of(made).exists()


@pytest.mark.parametrize("stdin", ["n\n", "\n", ""])
def test_delete_without_confirmation_deletes_nothing(
    commodore: CommandLine, made: Path, stdin: str
) -> None:
    ran = commodore("component", "delete", "my-comp", stdin=stdin)

    assert ran.code == 1
    assert "Aborted!" in ran.err
    assert "nothing was deleted" in ran.err
    assert "--force" in ran.err
    assert (made / "README.md").is_file()


def test_delete_of_unknown_component_is_an_error(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("component", "delete", "nope", "--force")

    assert ran.code == 2
    assert "nope" in ran.err
    assert str(tmp_path / "dependencies" / "nope") in ran.err


def test_delete_refuses_folder_that_is_not_a_checkout(commodore: CommandLine, made: Path) -> None:
    plain = made.parent / "plain"
    plain.mkdir()
    (plain / "file").touch()
    alone = made.parent / "alone"
    alone.mkdir()
    git(alone, "init", "--quiet")
    (made.parent / "linked").symlink_to(made)

    for slug, message in (
        ("plain", "is not a Git checkout"),
        ("alone", "origin"),
        ("linked", "link"),
    ):
        ran = commodore("component", "delete", slug, "--force")

        assert ran.code == 1
        assert message in ran.err
        assert (made.parent / slug).exists()
    assert (made / "README.md").is_file()


def test_delete_keeps_repository_of_user(commodore: CommandLine, tmp_path: Path) -> None:
    mine = make_component_clone(tmp_path / "src", "one")
    git(mine, "update-ref", "refs/remotes/origin/master", "HEAD")
    place = tmp_path / "dependencies" / "one"
    git(mine, "worktree", "add", "--quiet", "--detach", str(place))

    ran = commodore("component", "delete", "one", "--force")

    assert ran.code == 0, ran.err
    assert not place.exists()
    assert git(mine, "status", "--porcelain") == ""


@pytest.mark.parametrize("committed", [True, False])
def test_delete_refuses_or_backs_up_local_work(
    commodore: CommandLine, made: Path, *, committed: bool
) -> None:
    if committed:
        commit_in(made, {"mine": "precious"})
    else:
        (made / "mine").write_text("precious")

    refused = commodore("component", "delete", "my-comp", stdin="y\n")

    assert refused.code == 1
    assert "local work" in refused.err
    assert (made / "mine").read_text() == "precious"

    forced = commodore("component", "delete", "my-comp", "--force")

    assert forced.code == 0, forced.err
    assert not made.exists()
    assert f"{clone_of(made)} is kept" in forced.err
    ref = git(clone_of(made), "for-each-ref", "--format=%(refname)", "refs/commodore/backup")
    assert git(clone_of(made), "show", f"{ref.splitlines()[0]}:mine") == "precious"
    assert ref.splitlines()[0] in forced.err
