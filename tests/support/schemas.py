"""The published schemas of results: what commands print is compared with them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schemas"


def file_of(name: str) -> Path:
    """The file of a schema: `log/v1` is `log-v1.json`."""
    return FOLDER / f"{name.replace('/', '-')}.json"


def problems_of(content: Any) -> list[str]:  # noqa: ANN401 - any JSON
    """How an object differs from the schema that it names; keys that are not in it count."""
    errors = _validator(content["schema"]).iter_errors(content)
    return [f"{error.json_path}: {error.message}" for error in errors]


def check_printed(out: str, err: str) -> None:
    """Raise if a result as JSON, or a line of the log, is not what its schema says."""
    lines = out.splitlines()
    results = lines if len(lines) > 1 and lines[1].startswith("{") else (out,)
    for text in (*results, *err.splitlines()):
        if text.startswith("{") and '"schema": "' in text:
            content = json.loads(text)
            problems = problems_of(content)
            assert problems == [], f"{content['schema']}: {problems}"


@cache
def _validator(name: str) -> Draft202012Validator:
    registry: Registry[Any] = Registry(retrieve=_retrieved)  # type: ignore[call-arg] # attrs
    return Draft202012Validator({"$ref": file_of(name).name}, registry=registry)


def _retrieved(uri: str) -> Resource[Any]:
    return Resource.from_contents(closed(json.loads((FOLDER / uri).read_text("utf-8"))))


def closed(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    """The schema without keys that it does not know: readers skip these, tests do not."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if "required" in schema else inner
