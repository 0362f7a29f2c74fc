"""Write the repositories and files of `commodore demo` and `commodore init DIR`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

BRANCH = "master"
REPOSITORIES = "repos"
"""The directory of bare repositories, beside the facts."""
ENV_FILE = "# Read by commodore when it runs in this directory.\nCOMMODORE_API_URL={}\n"

# Git without the user's settings: no hooks, no templates, no signing, no other hash.
_GIT_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


@contextmanager
def writing(what: str, directory: Path) -> Iterator[None]:
    """Refuse a directory with content, and explain why something cannot be written."""
    if directory.is_dir():
        if any(directory.iterdir()):
            raise CommodoreError(
                f"the folder for the {what} is not empty",
                where=str(directory),
                hint="choose a folder that is empty or does not exist",
            )
    elif directory.exists() or directory.is_symlink():
        raise CommodoreError(f"the path for the {what} is not a folder", where=str(directory))
    try:
        yield
    except OSError as error:
        raise CommodoreError(
            f"cannot write the {what}: {error.strerror}",
            where=str(error.filename or directory),
            hint="choose a writable directory with a few megabytes of free space",
        ) from error


def files_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their paths."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a directory."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def bare_beside(root: Path, name: str) -> Path | None:
    """The place of a new bare repository, if there are some as `demo` and `init` create them."""
    folder = root.resolve() / REPOSITORIES
    if not any(folder.glob("*.git")):
        return None
    if (folder / name).exists():
        raise CommodoreError(
            "there is a repository of that name",
            where=str(folder / name),
            hint="choose another name, or move the repository away",
        )
    return folder / name


def empty_repository(path: Path) -> Path:
    """Create a bare repository without a commit."""
    path.mkdir(parents=True)
    git_bytes(
        path,
        *("init", "--quiet", "--bare", "--template=", "--object-format=sha1"),
        f"--initial-branch={BRANCH}",
        env=_GIT_ENVIRONMENT,
    )
    return path


def write_repository(
    path: Path, files: Mapping[str, bytes], signatures: str, message: str, *, tag: str | None = None
) -> None:
    """Create a bare repository with one commit; `signatures` names its author and committer."""
    ref = f"refs/heads/{BRANCH}"
    stream = [f"commit {ref}\n{signatures}\n".encode(), _data(f"{message}\n".encode())]
    for name, content in files.items():
        # Decided by the name: an installation need not keep the executable bit of its data.
        mode = "100755" if name.endswith(".sh") else "100644"
        stream += [f"M {mode} inline {name}\n".encode(), _data(content)]
    if tag:
        stream.append(f"reset refs/tags/{tag}\nfrom {ref}\n\n".encode())
    repository = empty_repository(path)
    git_bytes(repository, "fast-import", "--quiet", stdin=b"".join(stream), env=_GIT_ENVIRONMENT)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
