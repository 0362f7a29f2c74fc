"""Evaluate all policies for all objects with the program `opa`."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.adapters.reading import content_of
from commodore_py.checks.base import Issue
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import mapping
from commodore_py.model.problem import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FORBIDDEN = frozenset({"http.send", "net.lookup_ip_addr", "opa.runtime"})
"""Built-in functions that reach the network or the machine."""
EXCEPTION, WHOLE_CATALOG = "exception", "catalog"
_MODULES, _DATA, _CAPABILITIES, _QUERY = "policies", "data", "capabilities.json", "query.rego"
_LARGEST_FILE, _LARGEST_RESULT, _LEVELS = 16 << 20, 128 << 20, 200
_RULE = re.compile(rf"(?:deny|violation|warn)(?:_[a-zA-Z0-9]+)*|{EXCEPTION}")
_HEADS = """[[file, [one.value | some one in module["package"].path], heads] |
  some file, text in input
  module := rego.parse_module(file, text)
  heads := [one.head | some one in module.rules]]"""
_MODULE = """package commodore_query
catalog := [{"path": one.path, "contents": one.contents} | some one in input.objects]
abouts[name] := object.union(input.about, {"origin": origin}) if {
  some name in {one.instance | some one in input.objects}
  origin := object.get(input.origins, name, {"instance": name})
}
abouts[null] := object.union(input.about, {"origin": {}})
found contains [] if false"""
_OF_OBJECTS = "some at, one in input.objects; given := one.contents; about := abouts[one.instance]"
_OF_CATALOG = "at := -1; given := catalog; about := abouts[null]"


@dataclass(frozen=True, slots=True)
class Policies:
    """The contents of the modules and of the files of data in a folder, by name."""

    shown: str
    """The path of the folder in messages."""
    modules: Mapping[str, str]
    data: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path, shown: str) -> Policies:
        """Read all files but tests, which are for `opa test`."""
        modules = (path for path in folder.glob("*.rego") if not path.name.endswith("_test.rego"))
        return cls(shown, _contents(modules), _contents((folder / _DATA).glob("*.json")))

    def problem(self, issue: Issue, file: str = "", line: int = 0) -> Problem:
        """A problem of the policies, or of a catalog as a whole."""
        return Problem.at(
            Place(f"{self.shown}/{file}" if file else self.shown, line),
            issue.code,
            issue.message,
            severity=issue.severity,
            remedy=issue.remedy,
            subject=issue.subject or issue.message,
        )


def _contents(files: Iterable[Path]) -> dict[str, str]:
    contents = {file.name: content_of(file, limit=_LARGEST_FILE) for file in sorted(files)}
    return {name: content.decode(errors="replace") for name, content in contents.items()}


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """A rule whose results are problems, or exceptions from these."""

    package: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Result:
    """The value of a rule for the object of this number, or for all objects: -1."""

    at: int
    rule: Rule
    value: object


@dataclass(frozen=True, slots=True)
class _Opa:
    """The program in a scratch directory."""

    program: str
    scratch: Path

    def evaluate(self, given: object, *arguments: str) -> Mapping[str, Any]:
        """Results and errors of an evaluation without the network."""
        limits = ("--format=json", f"--capabilities={_CAPABILITIES}", "--stdin-input")
        try:
            return mapping(self.run("eval", *limits, *arguments, given=given))
        except ProgramFailed as error:
            if not error.stdout.startswith("{"):
                raise
            return mapping(json_text.load(error.stdout, name="opa", levels=_LEVELS))

    def run(self, *arguments: str, given: object = None) -> Any:  # noqa: ANN401 - callers parse
        """The JSON that the program prints."""
        command, environment = (self.program, *arguments), child_environment()
        stdin = json.dumps(given, default=str).encode()
        output = run(command, cwd=self.scratch, only_env=environment, stdin=stdin, called="opa")
        if len(output) > _LARGEST_RESULT:
            raise ValueError(f"more than {_LARGEST_RESULT} bytes")
        return json_text.load(output, name="opa", levels=_LEVELS)


def evaluate(
    program: str, policies: Policies, given: Mapping[str, Any]
) -> tuple[list[Result], list[Problem]]:
    """Results and errors of the policies for `objects`, with what is given `about` the cluster."""
    try:
        with tempfile.TemporaryDirectory(prefix="commodore-") as scratch:
            return _evaluate(_Opa(program, Path(scratch)), policies, given)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise CommodoreError("opa printed something unexpected", hint=str(error)) from error


def _evaluate(
    opa: _Opa, policies: Policies, given: Mapping[str, Any]
) -> tuple[list[Result], list[Problem]]:
    for part, texts in ((_MODULES, policies.modules), (_DATA, policies.data)):
        (opa.scratch / part).mkdir()
        for name, text in texts.items():
            (opa.scratch / part / name).write_text(text)
    limits = opa.run("capabilities", "--current")
    allowed = [limit for limit in limits["builtins"] if limit["name"] not in FORBIDDEN]
    limits |= {"builtins": allowed, "allow_net": []}
    (opa.scratch / _CAPABILITIES).write_text(json.dumps(limits))
    modules = _value(opa.evaluate(policies.modules, _HEADS))
    rules, problems = _rules(modules, policies)
    (opa.scratch / _QUERY).write_text("\n".join((_MODULE, *_queries(rules))))
    files = (f"--data={folder}" for folder in (_MODULES, _DATA, _QUERY))
    answer = opa.evaluate(given, "--show-builtin-errors", *files, "data.commodore_query.found")
    if len(modules) != len(policies.modules) and not answer.get("errors"):
        raise ValueError("the rules of some policies are not known")
    results = [Result(at, rules[number], value) for at, number, value in _value(answer)]
    if not all(-1 <= result.at < len(given["objects"]) for result in results):
        raise ValueError("a result of no object")
    return results, [*problems, *_errors(answer, policies)]


def _value(content: Mapping[str, Any]) -> Any:  # noqa: ANN401 - callers parse
    """The value of an evaluation; an empty list if there are only errors."""
    if content.get("errors") and "result" not in content:
        return []
    return content["result"][0]["expressions"][0]["value"]


def _rules(modules: Iterable[Any], policies: Policies) -> tuple[list[Rule], list[Problem]]:
    """The rules to evaluate, and problems of those that list no messages."""
    rules, others = set(), set()
    for file, (_, *package), heads in modules:
        for head in heads:
            name, *more = (str(part["value"]) for part in head["ref"])
            if not _RULE.fullmatch(name):
                continue
            if more or "args" in head or ("value" in head and not head.get("assign")):
                others.add((file, name))
            else:
                rules.add(Rule(tuple(map(str, package)), name))
    return sorted(rules), [_no_list(file, name, policies) for file, name in sorted(others)]


def _no_list(file: str, name: str, policies: Policies) -> Problem:
    text = policies.modules[file]
    match = re.search(rf"^[ \t]*{name}\b", text, re.MULTILINE)
    line = text.count("\n", 0, match.start()) + 1 if match else 0
    message = f"{name} is not a set of messages: write `{name} contains msg if {{ … }}`"
    return policies.problem(Issue("policy/refused", message), file, line)


def _queries(rules: Sequence[Rule]) -> Iterator[str]:
    """Rego that evaluates each rule with its input and leaves out empty values.

    It is in a module: in a query, opa 1.22 evaluates comprehensions over `with input` to nothing.
    """
    for number, rule in enumerate(rules):
        inputs = _OF_CATALOG if rule.package == (WHOLE_CATALOG,) else _OF_OBJECTS
        path = "".join(f"[{json.dumps(part)}]" for part in (*rule.package, rule.name))
        value = f"value := data{path} with input as given with data.commodore as about"
        filled = "value != []; value != set()"
        yield f"found contains [at, {number}, value] if {{ {inputs}; {value}; {filled} }}"


def _errors(content: Mapping[str, Any], policies: Policies) -> Iterator[Problem]:
    """The errors of an evaluation; one for each line that failed with some objects."""
    failed = set()
    for error in content.get("errors", ()):
        message, place = str(error["message"]), mapping(error.get("location"))
        file, line = str(place.get("file", "")), int(place.get("row", 0))
        if not file and message.startswith(f"{_DATA}/"):
            file, _, message = message.partition(": ")
        if (function := message.removeprefix("undefined function ")) in FORBIDDEN:
            message = f"{function} is refused: policies have no access to the network or machine"
        at = file.removeprefix(f"{_MODULES}/"), line
        if not str(error.get("code")).startswith("eval_"):
            yield policies.problem(Issue("policy/refused", message), *at)
        elif at not in failed:
            failed.add(at)
            yield policies.problem(Issue("policy/failed", message), *at)
