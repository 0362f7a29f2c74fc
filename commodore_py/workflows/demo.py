"""The playground of `commodore demo`, and how it and an installation are written."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


# Plain files: one folder per repository, as it will be cloned.
_CONTENT = Path(__file__).parent.parent / "lib" / "demo"

_TAGS = {
    "component-backup": "v1.0.0",
    "component-certificates": "v1.4.0",
    "package-observability": "v0.2.0",
}

# The only part of the playground that depends on its location; used in facts only, so that
# the repositories, down to their commit ids, are the same everywhere.
_LOCATION = "@REPOS@"

_AUTHOR = "Commodore demo <demo@example.com> 1767225600 +0000"
_MESSAGE = "Set up the playground"

_NEXT_STEPS = (
    "commodore catalog list",
    "commodore catalog compile c-demo-1 --push",
    "commodore edit set web_shop.replicas 3 --commit --push",
    "commodore catalog compile c-demo-1",
)


@dataclass(frozen=True, slots=True)
class Demo:
    """The playground that was created: where, which clusters, and commands to try."""

    directory: Path
    clusters: tuple[str, ...]
    next_steps: tuple[str, ...]


def write_demo(directory: Path) -> Demo:
    """Write the playground into a folder that is missing or empty."""
    with writing("demo", directory):
        repositories = directory.resolve() / REPOSITORIES
        clusters = tuple(sorted(path.stem for path in (_CONTENT / "facts" / "clusters").iterdir()))
        signatures = f"author {_AUTHOR}\ncommitter {_AUTHOR}"
        for source in sorted((_CONTENT / "repositories").iterdir()):
            place, tag = repositories / f"{source.name}.git", _TAGS.get(source.name)
            write_repository(place, files_of(source), signatures, _MESSAGE, tag=tag)
        for cluster in clusters:
            empty_repository(repositories / f"catalog-{cluster}.git")
        location = repositories.as_uri().encode()
        facts = files_of(_CONTENT / "facts").items()
        fact_files = {name: text.replace(_LOCATION.encode(), location) for name, text in facts}
        write_files(directory / "facts", fact_files)
        write_files(
            directory,
            {
                "README.md": (_CONTENT / "README.md").read_bytes(),
                ".env": ENV_FILE.format("./facts").encode(),
            },
        )
        return Demo(directory, clusters, (shlex.join(("cd", str(directory))), *_NEXT_STEPS))
