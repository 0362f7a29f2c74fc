"""Known vulnerabilities of what is installed to run commodore, as pip-audit knows them."""

from __future__ import annotations

import json
import subprocess
import tomllib
from typing import TYPE_CHECKING, NamedTuple

from .requirements import LOCKED, ROOT

if TYPE_CHECKING:
    from pathlib import Path

DATA = ROOT / "requirements" / "vulnerabilities.toml"
PROGRAM = ROOT / ".venv-audit" / "bin" / "pip-audit"
_SECONDS = 300


class Audit(NamedTuple):
    """What is known, or why nothing is."""

    problems: tuple[str, ...] = ()
    skipped: str = ""


def audit(program: Path = PROGRAM) -> Audit:
    """Ask about the locked versions; none of them is downloaded."""
    if not program.is_file():
        return Audit(skipped="pip-audit is not installed: its requirements could not be fetched")
    command = [
        *(str(program), "--requirement", str(LOCKED), "--require-hashes", "--disable-pip"),
        *("--format", "json", "--progress-spinner", "off", "--timeout", "20"),
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Audit(skipped=f"the database did not answer within {_SECONDS} seconds")
    return result(done.stdout, done.stderr.decode(errors="replace"))


def result(output: bytes, stderr: str) -> Audit:
    """What pip-audit prints: its report, or else why there is none."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        lines = stderr.strip().splitlines()
        return Audit(
            skipped=f"the database cannot be reached: {lines[-1] if lines else 'no reason'}"
        )
    accepted = tomllib.loads(DATA.read_text("utf-8"))
    # Without the database, every package counts as one that it does not know.
    unknown = [one for one in packages if "skip_reason" in one]
    return Audit(
        tuple(
            f"{one['name']} {one['version']}: {found['id']},"
            f" fixed in {', '.join(found['fix_versions']) or 'no version yet'}"
            for one in packages
            for found in one.get("vulns", ())
            if found["id"] not in accepted
        ),
        f"{len(unknown)} of {len(packages)} packages: {unknown[0]['skip_reason']}"
        if unknown
        else "",
    )
