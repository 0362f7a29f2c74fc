"""Check the supply chain, and write the bill of materials: `python -m tests.supply_chain`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from . import licences
from .bill import bill_of_materials
from .requirements import ROOT, read
from .vulnerabilities import audit
from .wheels import built


def main() -> int:
    """Every part, one after the other; 1 if one of them has a problem."""
    parser = argparse.ArgumentParser(prog="python -m tests.supply_chain", description=__doc__)
    parser.add_argument("--strict", action="store_true", help="a part that is skipped is a problem")
    parser.add_argument("--bill", type=Path, default=ROOT / "dist" / "commodore-py.cdx.json")
    options = parser.parse_args()
    problems: list[str] = []

    requirements = read()
    problems += [f"{one.name} has no hash" for one in requirements if not one.hashes]
    print(f"requirements: {len(requirements)} packages, pinned by hash")

    problems += (found := list(licences.problems(requirements)))
    print(f"licences: {f'{len(found)} are not accepted' if found else 'all are accepted'}")

    options.bill.parent.mkdir(parents=True, exist_ok=True)
    options.bill.write_bytes(bill_of_materials())
    print(f"bill of materials: {options.bill}")

    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = built(Path(one), time_zone="UTC", umask=0o022, age=0)
        again = built(Path(other), time_zone="Asia/Tokyo", umask=0o077, age=10**7)
    for name, digest in first.items():
        print(f"{name}: sha256 {digest}")
    if first != again:
        problems.append(f"packages differ when they are built again: {again}")

    audited = audit()
    problems += audited.problems
    if audited.skipped:
        print(f"vulnerabilities: skipped, {audited.skipped}")
        problems += ["vulnerabilities were not checked"] if options.strict else []
    else:
        print(f"vulnerabilities: {len(audited.problems)} are known and not accepted")

    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
