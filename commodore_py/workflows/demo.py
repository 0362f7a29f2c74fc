"""The playground of `commodore demo`: facts, repositories and commands to try."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from .starting import (
    ENV_FILE,
    REPOSITORIES,
    empty_repository,
    files_of,
    write_files,
    write_repository,
    writing,
)

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
