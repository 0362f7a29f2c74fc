"""A change reads the same to people and to programs; whole examples are golden cases."""

import pytest

from commodore_py.catalog.diff.text import diff_text
from commodore_py.model.catalog import Change, DiffLine, FileChange

PLAIN, SCRIPT, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000


def modified(old: bytes, new: bytes, path: str = "manifests/a.yaml") -> FileChange:
    return FileChange("modified", path, path, old, new, PLAIN, PLAIN)


def texts(*files: FileChange, migration: str = "") -> list[str]:
    first, *rest = diff_text(Change(files), migration=migration)
    assert first == DiffLine(" > Changes:")
    return [line.text for line in rest]


def test_no_change_is_a_line() -> None:
    assert diff_text(Change(ignored=("manifests/a.log",))) == (DiffLine(" > No changes."),)


def test_groups_come_in_order_whatever_the_order_of_paths() -> None:
    lines = texts(
        FileChange("retyped", "a", "a", b"x", b"y", PLAIN, LINK),
        modified(b"1\n", b"2\n", "b"),
        FileChange("renamed", "c", "z", b"", b"", PLAIN, PLAIN),
        FileChange("added", "d", "d"),
        FileChange("deleted", "e", "e"),
    )

    assert [line.strip() for line in lines if line.strip()[:1] in "DARCm+"] == [
        "Deleted file e",
        "Added file d",
        "Renamed file z => c",
        "+++ b",
        "+2",
        "Changed type of a: file => symbolic link",
        "+++ a",
        "+y",
    ]


def test_colours_follow_the_kind_of_line() -> None:
    lines = diff_text(
        Change(
            (
                modified(b"1\n2\n", b"2\n3\n"),
                FileChange("added", "b", "b"),
                FileChange("deleted", "c", "c"),
                FileChange("renamed", "e", "d", b"1", b"2", PLAIN, PLAIN),
            )
        )
    )

    assert [(line.text.strip().split(" ")[0], line.colour) for line in lines] == [
        (">", ""),
        ("Deleted", "red"),
        ("Added", "green"),
        ("Renamed", "yellow"),
        ("---", "yellow"),
        ("+++", "yellow"),
        ("@@", "yellow"),
        ("-1", "red"),
        ("2", ""),
        ("+3", "green"),
        ("---", "yellow"),
        ("+++", "yellow"),
        ("Renamed", ""),
    ]


def test_lines_end_at_newlines_only() -> None:
    assert texts(modified(b"a\x0cb\xe2\x80\xa8c\rd\n", b"x\n"))[3:] == [
        "     -a\x0cb\u2028c\rd",
        "     +x",
    ]


def test_a_lost_final_newline_shows() -> None:
    assert texts(modified(b"a\n", b"a"))[2:] == ["     @@ -1,2 +1 @@", "      a", "     -"]


def test_blank_context_is_not_indented() -> None:
    assert texts(modified(b"a\n\nb\n", b"a\n\nc\n"))[3:] == ["      a", " ", "     -b", "     +c"]


def test_blanks_at_the_end_are_cut_from_context_only() -> None:
    assert texts(modified(b"a\nb \n", b"c\nb \n"))[-1] == "      b"
    assert texts(modified(b"a\n", b"a\nb \t"))[-1] == "     +b \t"


def test_renamed_content_is_measured_in_lines() -> None:
    old = b"".join(b"%d\n" % n for n in range(7))
    file = FileChange("renamed", "n", "o", old, old.replace(b"3", b"x"), PLAIN, PLAIN)

    assert texts(file) == [
        "     Renamed file o => n",
        "     --- o",
        "     +++ n",
        "     Renamed file, similarity index 87.50%",
    ]


def test_binary_content_is_marked() -> None:
    assert texts(modified(b"\0\1", b"\0\1\2", "refs/x")) == [
        "     Binary content of refs/x differs: 2 => 3 bytes"
    ]


def test_what_is_not_utf8_is_replaced() -> None:
    assert texts(modified(b"Z\xfcrich\n", b"Bern\n"))[3:] == ["     -Z\ufffdrich", "     +Bern"]


def test_difference_in_unreadable_bytes_only_is_reported() -> None:
    assert texts(modified(b"\xfc\n", b"\xfd\n")) == [
        "     Binary content of manifests/a.yaml differs: 2 => 2 bytes"
    ]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (
            FileChange("modified", "run", "run", b"x", b"x", PLAIN, SCRIPT),
            "Changed mode of run: 100644 => 100755",
        ),
        (
            FileChange("retyped", "l", "l", b"x", b"x", LINK, PLAIN),
            "Changed type of l: symbolic link => file",
        ),
        (
            FileChange("renamed", "n", "o", b"x", b"x", PLAIN, SCRIPT),
            "Changed mode of n: 100644 => 100755",
        ),
        (
            FileChange("retyped", "s", "s", b"x", b"x", SUBMODULE, PLAIN),
            "Changed type of s: submodule => file",
        ),
    ],
)
def test_change_of_mode_alone_is_reported(file: FileChange, line: str) -> None:
    assert texts(file)[-1] == f"     {line}"


def test_a_name_that_is_not_utf8_can_be_printed() -> None:
    (line,) = texts(FileChange("added", "refs/\udcfc", "refs/\udcfc"))

    assert line.encode() == "     Added file refs/\ufffd".encode()


@pytest.mark.parametrize("migration", ["ignore-yaml-formatting", "kapitan-0.29-to-0.30"])
def test_all_hidden_is_reported_with_a_count(migration: str) -> None:
    quoted = (b"kind: 'A'\n", b"kind: A\n")

    assert texts(modified(*quoted), migration=migration) == [
        f"     1 changed file differs only in what {migration} hides"
    ]
    assert texts(modified(*quoted, "a"), modified(*quoted, "b"), migration=migration) == [
        f"     2 changed files differ only in what {migration} hides"
    ]


def test_a_migration_hides_neither_modes_nor_headlines() -> None:
    lines = texts(
        FileChange("modified", "run", "run", b"kind: 'A'\n", b"kind: A\n", PLAIN, SCRIPT),
        FileChange("added", "b", "b"),
        migration="ignore-yaml-formatting",
    )

    assert lines == ["     Added file b", "     Changed mode of run: 100644 => 100755"]
