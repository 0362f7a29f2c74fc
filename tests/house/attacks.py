"""The page of attacks, made from their data: `python -m tests.house.attacks` writes it."""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "attacks.toml"
PAGE = ROOT / "docs" / "reference" / "attacks.md"

GROUPS = {
    "A": "Escapes and hostile content",
    "B": "Secrets",
    "C": "Faults",
    "D": "Odd data",
    "E": "Concurrency",
    "F": "Command line",
}

_HEAD = """\
<!-- Made from tests/attacks.toml by `python -m tests.house.attacks`: edit that file. -->

# Attacks and their results

Cases of a robustness review with a result that was not good enough, and what happens today. The
[threat model](../explanation/security.md) explains what is defended and what is not.
"""

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|&#])")


@dataclass(frozen=True, slots=True)
class Attack:
    """One case: what is done, what happens now, and the tests that hold it."""

    id: str
    done: str
    result: str
    tests: tuple[str, ...]

    @property
    def is_filled(self) -> bool:
        """Whether it has a result, and a test behind it."""
        return bool(self.result.strip() and self.tests)


def load(path: Path) -> tuple[Attack, ...]:
    """All of them, in the order of the file; a missing or surplus field is a TypeError."""
    blocks = tomllib.loads(path.read_text("utf-8"))
    return tuple(
        Attack(**{**fields, "id": name, "tests": tuple(fields["tests"])})
        for name, fields in blocks.items()
    )


def page(attacks: Iterable[Attack]) -> str:
    """The page as Markdown."""
    return "\n".join((_HEAD, *_sections(tuple(attacks)), ""))


def _sections(attacks: tuple[Attack, ...]) -> Iterator[str]:
    for letter, title in GROUPS.items():
        yield f"## {title}\n"
        yield "| id | attack | result |"
        yield "|---|---|---|"
        for attack in attacks:
            if attack.id.startswith(letter):
                yield _row(attack)
        yield ""


def _row(attack: Attack) -> str:
    result = "<br>".join([_plain(attack.result), *(f"`{test}`" for test in attack.tests)])
    return f'| <a id="{attack.id.lower()}"></a>{attack.id} | {_plain(attack.done)} | {result} |'


def _plain(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(load(DATA)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
