"""Files of others: regular ones within limits, and errors for everything else."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters import reading
from commodore_py.adapters.reading import (
    LARGEST_FILE,
    NotReadable,
    NotRegular,
    TooLarge,
    bytes_of,
    bytes_of_pipe,
    content_of,
    text_of,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("size", [0, 1, 1 << 14, (1 << 14) + 1, 40 << 20])
def test_a_file_is_read_whole(tmp_path: Path, size: int) -> None:
    content = os.urandom(1024) * (size // 1024) + b"x" * (size % 1024)
    (tmp_path / "file").write_bytes(content)

    assert bytes_of(str(tmp_path / "file")) == content


def test_a_file_that_has_no_size_is_read_whole() -> None:
    assert b"python" in bytes_of("/proc/self/cmdline").lower()


def test_a_file_that_grows_without_end_ends_at_the_limit() -> None:
    # The system has no size for it; reading it gives as much as there is.
    with pytest.raises(TooLarge):
        bytes_of("/proc/self/smaps", limit=100)


@pytest.mark.parametrize("kind", ["fifo", "socket", "/dev/zero", "/dev/tty", "/dev/null"])
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_not_a_regular_file_is_not_opened(
    tmp_path: Path, kind: str, *, linked: bool
) -> None:
    path = tmp_path / "it"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.open(tmp_path, os.O_RDONLY)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{here}/it")
        os.close(here)
    else:
        path.symlink_to(kind)
    if linked:
        (tmp_path / "link").symlink_to(path)
        path = tmp_path / "link"

    with pytest.raises(NotRegular, match="not a file"):
        bytes_of(str(path))


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("missing", errno.ENOENT),
        ("file/x", errno.ENOTDIR),
        (".", errno.EISDIR),
        ("self", errno.ELOOP),
        ("a", errno.ELOOP),
        ("nowhere", errno.ENOENT),
        ("n" * 256, errno.ENAMETOOLONG),
        ("n/" * 3000, errno.ENAMETOOLONG),
        ("a\0b", errno.EINVAL),
    ],
)
def test_every_other_reason_is_an_error_of_the_system_with_the_path(
    tmp_path: Path, name: str, number: int
) -> None:
    (tmp_path / "file").write_text("")
    for link, target in {"self": "self", "a": "b", "b": "a", "nowhere": "gone"}.items():
        (tmp_path / link).symlink_to(target)

    with pytest.raises(OSError) as caught:  # noqa: PT011 - its number is compared
        bytes_of(f"{tmp_path}/{name}")
    with pytest.raises(NotReadable, match="cannot read the file") as understood:
        content_of(f"{tmp_path}/{name}")

    assert caught.value.errno == number
    assert understood.value.where == f"{tmp_path}/{name}"


def test_a_file_above_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(LARGEST_FILE + 1)

    with pytest.raises(NotReadable, match="larger than 512 MiB"):
        content_of(tmp_path / "huge")


def test_a_link_is_followed_unless_told_otherwise(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    (tmp_path / "link").symlink_to("file")

    assert text_of(str(tmp_path / "link")) == "content"
    with pytest.raises(OSError, match="symbolic links"):
        bytes_of(str(tmp_path / "link"), follow=False)


def test_a_pipe_without_a_writer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WRITER_OPENS_WITHIN", 0.2)
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(TimeoutError, match="no program writes to it"):
        bytes_of_pipe(str(tmp_path / "pipe"), limit=10)
