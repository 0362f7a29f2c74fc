"""The page of JSON results: `python -m tests.house.schema_reference` writes it."""

import json
import sys
from pathlib import Path

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schemas"
PAGE = SCHEMAS.parent / "json.md"

_HEAD = """\
# Results as JSON

Commands with `-o json` print one object on stdout and everything else on stderr. The key `schema`
names the form and its version. Within a version, keys are added, never renamed or removed: ignore
keys that you do not know. Lists are sorted where order has no meaning.

`catalog list --out json`, `inventory show`, `inventory components` and `inventory packages` have no
schema: they print objects of the API or of the hierarchy, as Commodore does.

Each schema is a file of [JSON Schema](https://json-schema.org). The files refer to each other by
name: keep them in one directory.

| schema | printed by |
|---|---|
"""


def page() -> str:
    """The page as Markdown."""
    schemas = [(file.name, json.loads(file.read_text("utf-8"))) for file in SCHEMAS.glob("*.json")]
    rows = (f"| [`{s['title']}`](schemas/{name}) | {s['description']} |" for name, s in schemas)
    return _HEAD + "\n".join(sorted(rows)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
