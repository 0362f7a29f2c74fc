"""A component's checkout, and things to download into it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.compiler import wanted_downloads
from commodore_py.dependencies.downloads.fetch import fetch_downloads
from commodore_py.errors import CommodoreError
from commodore_py.model.classpath import ClassPath
from commodore_py.model.inventory import Instance, Inventory
from tests.support.builders import errors_in, git, make_config, make_dependency, make_node

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


@dataclass
class Downloads:
    """A working directory with the checkout of one component, `own`."""

    root: Path
    config: Config = field(init=False)
    others: list[str] = field(default_factory=list)
    """More components, with checkouts beside the own one."""

    def __post_init__(self) -> None:
        self.config = make_config(self.root / "work", download_cache=self.root / "cache")
        self.place.mkdir(parents=True)
        git(self.place, "init", "--quiet")
        (self.place / "tracked.txt").write_text("tracked\n")
        git(self.place, "add", "--all")
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
        git(self.place, *who, "commit", "--quiet", "--message", "First")

    @property
    def place(self) -> Path:
        """The component's checkout."""
        return self.root / "work/dependencies/own"

    def fetch(self, *entries: dict[str, Any], **settings: Any) -> None:  # noqa: ANN401 - Config checks them by name
        """Fetch what these entries of the dependencies list say."""
        node = make_node("own", parameters={"kapitan": {"dependencies": list(entries)}})
        inventory = Inventory({"own": node}, (Instance("own", "own"),))
        names = ("own", *self.others)
        classes = ClassPath(
            tuple(make_dependency(name, self.place.parent / name) for name in names)
        )
        fetch_downloads(replace(self.config, **settings), wanted_downloads(inventory), classes)

    def refused(self, *entries: dict[str, Any], **settings: Any) -> tuple[CommodoreError, ...]:  # noqa: ANN401 - as above
        """The failures of a fetch that must fail."""
        with pytest.raises(CommodoreError) as caught:
            self.fetch(*entries, **settings)
        return errors_in(caught.value)

    def file(self, source: str, to: str = "file.yaml", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - an entry
        """An entry of a file or archive."""
        return {"type": "https", "source": source, "output_path": str(self.place / to), **more}

    def chart(
        self,
        source: str,
        version: str | None = None,
        to: str = "chart",
        **more: Any,  # noqa: ANN401 - an entry
    ) -> dict[str, Any]:
        """An entry of the chart `own`."""
        entry = {"type": "helm", "source": source, "chart_name": "own", **more}
        entry |= {"version": version} if version is not None else {}
        return {**entry, "output_path": str(self.place / to)}

    def git(self, source: str, to: str = "repo", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - an entry
        """An entry of a repository."""
        return {"type": "git", "source": source, "output_path": str(self.place / to), **more}

    def files(self, below: str = "") -> dict[str, str]:
        """The files of the checkout, as text by path, without `.git`."""
        top = self.place / below
        return {
            str(path.relative_to(top)): path.read_text(errors="replace")
            for path in sorted(top.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(top).parts
        }
