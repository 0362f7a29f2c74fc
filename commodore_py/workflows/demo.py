"""The playground of `commodore demo`: facts, repositories and commands to try."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Plain files: one folder per repository, as it will be cloned.
_CONTENT = Path(__file__).parent.parent / "lib" / "demo"

_BRANCH = "master"
_TAGS = {
    "component-backup": "v1.0.0",
    "component-certificates": "v1.4.0",
    "package-observability": "v0.2.0",
}

# The only part of the playground that depends on its location; used in facts only, so that
# the repositories, down to their commit ids, are the same everywhere.
_REPOSITORIES = "@REPOS@"

_AUTHOR = "Commodore demo <demo@example.com> 1767225600 +0000"
_MESSAGE = "Set up the playground"

# Git without the user's settings: no hooks, no templates, no signing, no other hash.
_GIT_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}

_ENV_FILE = "# Read by commodore when it runs in this folder.\nCOMMODORE_API_URL=./facts\n"

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
    try:
        return _write_demo(directory)
    except OSError as error:
        raise CommodoreError(
            f"cannot write the playground: {error.strerror}",
            where=str(error.filename or directory),
            hint="choose a writable folder with a few megabytes of free space",
        ) from error


def _write_demo(directory: Path) -> Demo:
    _refuse_content(directory)
    repositories = directory.resolve() / "repos"
    clusters = tuple(sorted(path.stem for path in (_CONTENT / "facts" / "clusters").iterdir()))

    for source in sorted((_CONTENT / "repositories").iterdir()):
        repository = _empty_repository(repositories / f"{source.name}.git")
        history = _history(source, tag=_TAGS.get(source.name))
        git_bytes(repository, "fast-import", "--quiet", stdin=history, env=_GIT_ENVIRONMENT)
    for cluster in clusters:
        _empty_repository(repositories / f"catalog-{cluster}.git")
    for path in _files(_CONTENT / "facts"):
        facts = path.read_text(encoding="utf-8").replace(_REPOSITORIES, repositories.as_uri())
        _write(directory / path.relative_to(_CONTENT), facts)
    _write(directory / "README.md", (_CONTENT / "README.md").read_text(encoding="utf-8"))
    _write(directory / ".env", _ENV_FILE)

    return Demo(directory, clusters, (shlex.join(("cd", str(directory))), *_NEXT_STEPS))


def _refuse_content(directory: Path) -> None:
    if directory.is_dir():
        if any(directory.iterdir()):
            raise CommodoreError(
                "the folder for the demo is not empty",
                where=str(directory),
                hint="choose a folder that is empty or does not exist",
            )
    elif directory.exists() or directory.is_symlink():
        raise CommodoreError("the path for the demo is not a folder", where=str(directory))


def _empty_repository(path: Path) -> Path:
    path.mkdir(parents=True)
    git_bytes(
        path,
        *("init", "--quiet", "--bare", "--template=", "--object-format=sha1"),
        f"--initial-branch={_BRANCH}",
        env=_GIT_ENVIRONMENT,
    )
    return path


def _history(source: Path, *, tag: str | None) -> bytes:
    """One commit with all files of a folder, as `git fast-import` reads it."""
    ref = f"refs/heads/{_BRANCH}"
    stream = [f"commit {ref}\n".encode()]
    stream += [f"{role} {_AUTHOR}\n".encode() for role in ("author", "committer")]
    stream.append(_data(f"{_MESSAGE}\n".encode()))
    for path in _files(source):
        # Decided by the name: an installation need not keep the executable bit of its data.
        mode = "100755" if path.suffix == ".sh" else "100644"
        stream.append(f"M {mode} inline {path.relative_to(source).as_posix()}\n".encode())
        stream.append(_data(path.read_bytes()))
    if tag:
        stream.append(f"reset refs/tags/{tag}\nfrom {ref}\n\n".encode())
    return b"".join(stream)


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
