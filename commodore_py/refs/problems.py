"""References that will not do what they look like: in parameters, and in what was compiled."""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.model.problem import Problem
from commodore_py.model.spot import nowhere

from .backends import REF_BACKENDS
from .references import places_text, references_in, unclosed_in

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from commodore_py.errors import CommodoreError
    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.spot import PlaceOf, Spot
    from commodore_py.model.tree import Tree

    from .references import Marked, Texts

# What Kapitan takes for a reference when it looks through manifests, functions left out.
_REPLACED = re.compile(r"\w+:[\w\-.@=/:]+")
_SUB_VARIABLE = re.compile(r"@[\w.\-]+")
_ENCODED = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
_GROUP = 3  # bytes that base64 turns into four characters
_CHARACTER = 6  # bits of them that each character holds


def _encoded(starts: Iterable[bytes]) -> Iterator[bytes]:
    """The beginning of a reference as it looks in base64, for each way it can be aligned."""
    for start in starts:
        for before in range(_GROUP):
            encoded = base64.b64encode(bytes(before) + start + bytes(_GROUP))
            first = -(-before * 8 // _CHARACTER)
            last = (before + len(start)) * 8 // _CHARACTER
            yield encoded[first:last]


_STARTS = tuple(f"?{{{kind}:".encode() for kind in REF_BACKENDS)
_ENCODED_STARTS = tuple(_encoded(_STARTS))
# As Kapitan finds them; a path may begin with what is a hash elsewhere, so only it counts.
_TAG = re.compile(
    rb"\?\{(?:%b):([\w\-.@=/]+)(?::[\w\-.@=/:]*)?(?:\|\|[^}]*)?\}"
    % b"|".join(re.escape(kind.encode()) for kind in REF_BACKENDS)
)


def reference_problems(marked: Marked, place_of: PlaceOf = nowhere) -> tuple[Problem, ...]:
    """A notice for each reference that will stay in the manifests as it is, or is not found."""
    return tuple(
        Problem(
            f"reference {shown!r} {reason}",
            where=places_text(spots, place_of),
            strict=True,
            subject=shown,
            code="refs/not-replaced",
        )
        for shown, reason, spots in _odd(references_in(marked), unclosed_in(marked))
    )


def explain(error: CommodoreError, reference_problems: Iterable[Problem]) -> None:
    """Add to errors about references the problems that are known of these."""
    for part in error.parts:
        for problem in reference_problems:
            if part.subject and part.subject == problem.subject:
                part.add_note(f"{problem.message}: {', '.join(problem.where.splitlines())}")


def _odd(texts: Texts, unclosed: Texts) -> Iterator[tuple[str, str, tuple[Spot, ...]]]:
    for text, spots in unclosed.items():
        yield f"?{{{text}", "has no closing brace: it will not be replaced", spots
    declared = {_path_of(text) for text in texts}
    for text, spots in texts.items():
        reason = _reason(text, declared)
        if reason:
            yield f"?{{{text}}}", reason, spots


def _reason(text: str, declared: Container[str]) -> str:
    """The first thing that is odd about a reference, if any."""
    plain, bars, _ = text.partition("||")
    backend = text.partition(":")[0]
    path = _path_of(text)
    whole = _SUB_VARIABLE.sub("", path)
    if "?{" in text:
        return "holds another one: is a closing brace missing?"
    if bars:
        return "has a function of Kapitan: secrets are not made here, only referred to"
    if not _REPLACED.fullmatch(plain):
        return (
            "holds characters that Kapitan does not take for a reference: it will not be replaced"
        )
    if path.endswith("/"):
        return "names no key: write the key of the secret after the last slash"
    if whole != path and whole not in declared:
        return f"means a part of ?{{{backend}:{whole}}}, which no parameter holds"
    return ""


def _path_of(text: str) -> str:
    return text.split(":")[1] if ":" in text else ""


def manifest_problems(
    trees: Mapping[str, Tree], references: Iterable[ReferenceFile]
) -> tuple[Problem, ...]:
    """A notice for each reference without a file, and for each that is hidden in base64.

    What the compiler looks through cannot hold the former; filters, copies and the like can.
    """
    known = {reference.path for reference in references}
    return tuple(
        Problem(text, where=f"target {name}: {path}", strict=True, code="refs/unrevealed")
        for name, tree in sorted(trees.items())
        for path, entry in tree.items()
        for text in dict.fromkeys(_problems_in(entry.content, known))
    )


def _problems_in(content: bytes, known: Container[str]) -> Iterator[str]:
    if any(start in content for start in _STARTS):
        for tag in _TAG.finditer(content):
            path = _SUB_VARIABLE.sub("", tag[1].decode(errors="replace"))
            if str(PurePosixPath(path)) not in known:
                yield (
                    f"reference {tag[0].decode(errors='replace')} stands in a manifest, but in no"
                    " parameter: it has no reference file, and will not be revealed"
                )
    # A search for bytes is fast; hardly any file ever gets further.
    if any(start in content for start in _ENCODED_STARTS):
        for encoded in _ENCODED.findall(content):
            for tag in _TAG.finditer(_decoded(encoded)):
                yield (
                    f"reference {tag[0].decode(errors='replace')} is base64-encoded in a manifest:"
                    " it will not be revealed (use stringData of a Secret, which holds plain text)"
                )


def _decoded(encoded: bytes) -> bytes:
    text = encoded.rstrip(b"=")
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4))
    except binascii.Error:  # one character too many: not base64 after all
        return b""
