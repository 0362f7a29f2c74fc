"""Absolute links in the README: on the page of a package index, there are no files beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)]+)\)")


class Readme(MetadataHookInterface):
    """The README with links to the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description of the package."""
        source = metadata["urls"]["Source"]

        def absolute(link: re.Match[str]) -> str:
            if "://" in link["target"]:
                return link[0]
            view = "raw" if link["image"] else "blob"
            return f"{link['image']}[{link['text']}]({source}/{view}/main/{link['target']})"

        text = Path(self.root, "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": _LINK.sub(absolute, text),
        }
