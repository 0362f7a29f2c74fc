"""The page of problem codes: `python -m tests.house.problem_codes` writes it."""

import sys
from pathlib import Path

from commodore_py.model.problems.codes import CHECKS, ERRORS, LINT, NOTICES, PLANS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "problem-codes.md"

_HEAD = """\
# Problem codes

[Problems](problems.md) describes severities and how to ignore a code.
"""


def page() -> str:
    """The page as Markdown: all codes, by where they come from."""
    lines = [_HEAD]
    for title, codes in (
        ("`inventory lint`", LINT),
        ("Errors", ERRORS),
        ("Notices of other commands", NOTICES),
        ("Checks and ignore files", CHECKS),
        ("Plans", PLANS),
    ):
        lines += [f"## {title}", "", "| code | severity | meaning |", "|---|---|---|"]
        lines += [
            f"| `{name}` | {code.severity} | {code.summary} |" for name, code in codes.items()
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
