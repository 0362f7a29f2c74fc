"""CPU of writing YAML, ours against PyYAML: `python -m tests.bench.yaml_output FOLDER...`.

Every YAML file below the folders is read once and written again by both, in turn. What counts is
the median, and that not a byte differs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from commodore_py.adapters.yaml.emitter import emit_documents
from commodore_py.adapters.yaml.scalars import FORMS, HEADS
from tests.differential.yaml_oracle import WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.differential.yaml_oracle import Writer


def read(folders: list[Path]) -> list[list[object]]:
    """The documents of every file that is YAML."""
    streams = []
    for folder in folders:
        for file in sorted(folder.rglob("*.y*ml")):
            if not file.is_file():
                continue
            try:
                streams.append(list(yaml.load_all(file.read_bytes(), Loader=yaml.CSafeLoader)))
            except (yaml.YAMLError, ValueError):
                print(f"left out: {file}")
    return streams


def ours(documents: list[object], writer: Writer) -> str:
    """By our emitter."""
    return emit_documents(documents, writer.style)


def pyyaml(documents: list[object], writer: Writer) -> str:
    """By PyYAML's."""
    text: str = yaml.dump_all(documents, Dumper=writer.dumper, default_flow_style=False, indent=2)
    return text


def compare(streams: list[list[object]], *, style: str, runs: int) -> None:
    """Print the figures of one style."""

    def measure(write: Callable[[list[object], Writer], str]) -> tuple[float, list[str]]:
        FORMS.clear()
        HEADS.clear()
        start = time.process_time()
        written = [write(documents, WRITERS[style]) for documents in streams]
        return time.process_time() - start, written

    mine, theirs = [], []
    different = size = 0
    for _ in range(runs):
        seconds, written = measure(ours)
        mine.append(seconds)
        seconds, expected = measure(pyyaml)
        theirs.append(seconds)
        size = sum(map(len, expected))
        different += sum(a != b for a, b in zip(written, expected, strict=True))
    fast, slow = statistics.median(mine), statistics.median(theirs)
    print(
        f"{style}: {len(streams)} files, {size / 1e6:.1f} MB, {different} differ;"
        f" ours {fast:.3f} s, PyYAML {slow:.3f} s, ratio {slow / fast:.1f}"
    )


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    streams = read(options.folders)
    for style in WRITERS:
        compare(streams, style=style, runs=options.runs)


if __name__ == "__main__":
    _main()
