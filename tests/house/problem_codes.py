"""The codes on the page about problems: `python -m tests.house.problem_codes` writes them."""

from commodore_py.model.problems.codes import CHECKS, LINT, NOTICES, PLANS
from tests.house.code_map import ROOT

PAGE = ROOT / "docs" / "reference" / "problems.md"
MARK = "## Codes\n"


def table() -> str:
    """All codes, by where they come from."""
    lines = [MARK]
    for title, codes in (
        ("Of `inventory lint`", LINT),
        ("Notices of other commands", NOTICES),
        ("Of checks, and of files that say what to ignore", CHECKS),
        ("Of plans", PLANS),
    ):
        lines += ["", f"### {title}", "", "| code | severity | meaning |", "|---|---|---|"]
        lines += [f"| `{name}` | {one.severity} | {one.summary} |" for name, one in codes.items()]
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page with the table of now."""
    return PAGE.read_text("utf-8").partition(MARK)[0] + table()


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
