"""Functions that component code can call, besides those of the standard library."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.jsonnet.evaluate import Native
from commodore_py.adapters.jsonnet.interruptible import in_main_thread
from commodore_py.adapters.time_limits import TookTooLong, cpu_limit
from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean

from . import files as native_files
from . import yaml as native_yaml
from .files import argument

if TYPE_CHECKING:
    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.inventory import TargetViews

__all__ = ["natives", "topics"]

# Any reference that does not begin with #, which is the schema itself.
_ELSEWHERE = r'"\$[A-Za-z]*[rR]ef"\s*:\s*"(?!#)'


def natives(files: Files, views: TargetViews, *, target: str) -> Mapping[str, Native]:
    """All of Kapitan's, and the two that only filters have in Commodore, for one target."""
    return {
        "inventory": Native(("target", "inv_path"), partial(_inventory, files, views)),
        "topics": Native(("name",), partial(topics, views, target)),
        "file_read": Native(("name",), partial(native_files.file_read, files)),
        "file_exists": Native(("name",), partial(native_files.file_exists, files)),
        "dir_files_list": Native(("name",), partial(native_files.dir_files_list, files)),
        "dir_files_read": Native(("name",), partial(native_files.dir_files_read, files)),
        "list_dir": Native(("dir", "basename"), partial(native_files.list_dir, files)),
        "yaml_load": Native(("name",), partial(native_yaml.yaml_load, files)),
        "yaml_load_stream": Native(("name",), partial(native_yaml.yaml_load_stream, files)),
        "yaml_load_all": Native(("file",), partial(native_yaml.yaml_load_all, files)),
        "yaml_dump": Native(("obj",), native_yaml.yaml_dump),
        "yaml_dump_stream": Native(("obj",), native_yaml.yaml_dump_stream),
        "jinja2_render_file": Native(("name", "ctx"), partial(_jinja2_render_file, files)),
        "sha256_string": Native(("obj",), _sha256_string),
        "gzip_b64": Native(("obj",), _gzip_b64),
        "jsonschema_validate": Native(("obj", "schema_obj"), partial(_jsonschema_validate, files)),
    }


def _inventory(files: Files, views: TargetViews, target: object, path: object) -> object:
    """One target, or all; Kapitan checks that the path exists and then reads its own inventory."""
    if path:
        native_files.find(files, path, "inventory")
    if not target:
        return {name: views.of(name) for name in views.names()}
    if target not in views.names():
        hint = did_you_mean(
            str(target), views.names(), otherwise="`commodore inventory show` lists them"
        )
        raise CommodoreError(f"there is no target {target}", hint=hint)
    return views.of(str(target))


def topics(views: TargetViews, target: str, name: object) -> object:
    """One topic, or all; only those that the target declares to consume.

    A topic is shared under a name: the parameters of every target that has some for it.
    """
    shared = _shared(views)
    consumed = {
        topic
        for topic, values in _declared(views, target).items()
        if isinstance(values, Mapping) and values.get("consume") is True
    }
    undeclared = sorted(({name} if name else set(shared)) - consumed, key=str)
    if undeclared:
        raise CommodoreError(
            f"{target} does not say that it reads {', '.join(map(str, undeclared))}",
            hint=f"set parameters.kapitan.topics.{undeclared[0]}.consume to true",
        )
    return shared.get(str(name), {"parameters": {"targets": {}}}) if name else shared


def _shared(views: TargetViews) -> dict[str, Any]:
    shared: dict[str, Any] = {}
    for target in views.names():
        for topic, values in _declared(views, target).items():
            given = values.get("parameters") if isinstance(values, Mapping) else None
            if given is not None:
                empty: dict[str, Any] = {"parameters": {"targets": {}}}
                shared.setdefault(topic, empty)["parameters"]["targets"][target] = given
    return shared


def _declared(views: TargetViews, target: str) -> Mapping[str, Any]:
    kapitan = views.of(target)["parameters"].get("kapitan")
    declared = kapitan.get("topics") if isinstance(kapitan, Mapping) else None
    return declared if isinstance(declared, Mapping) else {}


def _jinja2_render_file(files: Files, name: object, context: object) -> str:
    from . import jinja2 as native_jinja2

    path = native_files.find(files, name)
    parsed = native_yaml.parsed(context, what="the context")
    return in_main_thread(lambda: native_jinja2.render(files, path, parsed))


def _sha256_string(text: object) -> str:
    return hashlib.sha256(argument(text, what="the argument").encode()).hexdigest()


def _gzip_b64(text: object) -> str:
    import gzip

    packed = io.BytesIO()
    # gzip.compress writes another header, depending on the version of Python.
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(argument(text, what="the argument").encode())
    return base64.b64encode(packed.getvalue()).decode()


def _jsonschema_validate(files: Files, value: object, schema: object) -> dict[str, object]:
    if re.search(_ELSEWHERE, argument(schema, what="the schema")):
        files.unseal("a JSON schema refers to others")
    parsed = native_yaml.parsed(value, what="the value")
    parsed_schema = native_yaml.parsed(schema, what="the schema")
    return in_main_thread(partial(validation, parsed, parsed_schema))


def validation(value: object, schema: object, seconds: float = 5) -> dict[str, object]:
    """Return whether a value is valid, and if not, why; `seconds` of CPU time are the limit."""
    import jsonschema

    try:
        with cpu_limit(seconds, "the validation"):
            jsonschema.validate(value, schema, format_checker=jsonschema.FormatChecker())
    except jsonschema.ValidationError as error:
        return {"valid": False, "reason": _words(error)}
    except TookTooLong as error:
        error.hint = "simplify the patterns of the schema: (a+)+ takes twice as long for each a"
        raise
    except Exception as error:
        # A schema can be wrong in many ways: no such type, a bad pattern, a reference to nothing.
        raise CommodoreError(f"the schema cannot be used: {_words(error)}") from error
    return {"valid": True, "reason": ""}


def _words(error: Exception) -> str:
    try:
        return str(error)
    except RecursionError:  # it shows the value and the schema
        raise CommodoreError("the value or the schema is nested too deeply") from error
