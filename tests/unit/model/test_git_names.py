"""Every spelling of `.git` that a file system may take for it, and names that only look similar."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from commodore_py.model.git_names import git_names_among, has_git_name, is_git_name
from tests.support.tables import each

SPELLINGS = [
    ".git",
    ".GIT",
    ".Git",
    ".git ",
    ".git.",
    ".git . .",
    "git~1",
    "GIT~1",
    "git~12",
    ".git::$INDEX_ALLOCATION",
    ".git:stream",
    ".g\u200cit",
    "\u200d.git",
    ".git\ufeff",
    ".\u202egit",
    ".gi\u206at",
    ".g\u00adit",
    "\uff0egit",
    ".\uff47\uff49\uff54",
    ".gi\ufe0ft",
]


@each("name", SPELLINGS)
def test_all_spellings_of_git_are_recognized(name: str) -> None:
    assert is_git_name(name)
    assert has_git_name(f"manifests/{name}/config")
    assert has_git_name(f"{name}/config")
    assert has_git_name(f"manifests/{name}")
    assert has_git_name(f"manifests\\{name}\\config")


@each(
    "name",
    [
        *(".gitignore", ".gitattributes", ".gitkeep", ".github", ".gitlab-ci.yml", "git", "x.git"),
        *("git~", "git~x", ".git-credentials", "a.git.b", "..git", "gitops", "digit", "ö.yaml"),
    ],
)
def test_similar_names_are_not_git(name: str) -> None:
    assert not is_git_name(name)
    assert not has_git_name(f"manifests/{name}/a.yaml")


def test_paths_are_named() -> None:
    assert git_names_among(["a/b", "a/.git/b", "a/.gitlab/b"]) == ["a/.git/b"]


@given(
    st.lists(st.sampled_from(["\u200b", "\u200c", "\u2060", "\ufeff", "\u00ad"]), max_size=3),
    st.integers(0, 4),
    st.sampled_from([str.lower, str.upper, str.title]),
    st.sampled_from(["", ".", " ", ". ."]),
)
def test_ignored_characters_hide_nothing(
    ignored: list[str], at: int, case: type[str], end: str
) -> None:
    name = case(".git")

    assert is_git_name(name[:at] + "".join(ignored) + name[at:] + end)
