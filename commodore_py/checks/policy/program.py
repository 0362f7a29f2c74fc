"""The program `opa`: all its built-ins but those that are refused."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.process import Patience, ProgramFailed, run

from .builtins import FORBIDDEN
from .engine import LOADING
from .rules import EXCEPTION, Head, policy_rules
from .sources import Refusal
from .worker import Loaded, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .rules import Rule
    from .sources import Policies
    from .worker import Job

_QUERY = "commodore_query"
_AT_ONCE = 500
_WITH = "with input as one.input with data.commodore as one.about"


class Program:
    """Starts `opa` for some hundred inputs at once."""

    def __init__(self, seconds: float, program: str = "opa") -> None:
        self._patience = Patience(overall=seconds)
        self._program = shutil.which(program) or program
        self._scratch = tempfile.TemporaryDirectory(prefix="commodore-")
        self._folder = Path(self._scratch.name)
        self._files: dict[str, str] = {}
        self._exceptions: frozenset[str] = frozenset()

    def unavailable(self) -> str:
        """Whether it can be run."""
        if shutil.which(self._program) is None:
            return "the program opa is not installed"
        return ""

    def version(self) -> str:
        """What it prints about itself."""
        return self._run("version").decode(errors="replace")

    def given_up(self) -> Sequence[Rule]:
        """None: each start of it is a new process."""
        return ()

    def close(self) -> None:
        """Remove what was written for it."""
        self._scratch.cleanup()

    def load(self, policies: Policies) -> Loaded:
        """Parse each module by itself, then check those that can be parsed together."""
        (self._folder / "capabilities.json").write_text(self._capabilities())
        (self._folder / "data.json").write_text(json.dumps(policies.data))
        refused: list[Refusal] = []
        parsed: list[tuple[str, str, tuple[Head, ...]]] = []
        for number, (name, text) in enumerate(policies.modules):
            path = self._folder / f"{number}.rego"
            path.write_text(text)
            self._files[str(path)] = name
            try:
                tree = json.loads(
                    self._run("parse", "--format=json", "--json-include=locations", str(path))
                )
            except ProgramFailed as error:
                refused += self._refusals(error, name)
                del self._files[str(path)]
            else:
                parsed.append((name, _package(tree), tuple(_heads(tree))))
        rules, no_sets = policy_rules(parsed)
        refused += no_sets
        self._leave_out(no_sets)
        while self._files:
            try:
                self._run("check", "--max-errors=0", "--format=json", *self._limits, *self._files)
                break
            except ProgramFailed as error:
                more = self._refusals(error, "")
                refused += more
                if not self._leave_out(more):
                    raise
        used = set(self._files.values())
        here = {
            (package, head.name)
            for name, package, heads in parsed
            if name in used
            for head in heads
        }
        self._exceptions = frozenset(package for package, name in here if name == EXCEPTION)
        used_rules = tuple(one for one in rules if (one.package, one.name) in here)
        return Loaded(used_rules, tuple(dict.fromkeys(refused)))

    def evaluate(self, jobs: Sequence[Job], rules: Sequence[Rule]) -> Iterator[list[Result]]:
        """In large parts; a part that fails is halved, down to one input and one rule."""
        for start in range(0, len(jobs), _AT_ONCE):
            yield from self._part(jobs[start : start + _AT_ONCE], rules)

    def _part(self, jobs: Sequence[Job], rules: Sequence[Rule]) -> list[list[Result]]:
        if not rules:
            return [[] for _ in jobs]
        try:
            return self._evaluated(jobs, rules)
        except ProgramFailed as error:
            if len(jobs) > 1:
                middle = len(jobs) // 2
                return self._part(jobs[:middle], rules) + self._part(jobs[middle:], rules)
            if len(rules) > 1:
                return [[one for rule in rules for one in self._part(jobs, (rule,))[0]]]
            texts = [one.message for one in self._refusals(error, "")] or [str(error)]
            return [[Result(rules[0], failed=texts[0].replace("\n", " "))]]

    def _evaluated(self, jobs: Sequence[Job], rules: Sequence[Rule]) -> list[list[Result]]:
        query = self._folder / "query.rego"
        query.write_text("\n".join(_query(rules, self._exceptions)))
        inputs = ",".join(f'{{"input": {one.input}, "about": {one.about}}}' for one in jobs)
        loaded = [f"--data={one}" for one in (*self._files, query, self._folder / "data.json")]
        given = ("--stdin-input", "--format=json", *self._limits, *loaded, f"data.{_QUERY}")
        found = json.loads(self._run("eval", *given, stdin=f'{{"batch": [{inputs}]}}'.encode()))
        value = found["result"][0]["expressions"][0]["value"]
        results: list[list[Result]] = [[] for _ in jobs]
        for at, number, values in value["found"]:
            rule = rules[number]
            if values not in ([], None):
                exempt = [at, rule.package, rule.key] in value["exempt"]
                results[at].append(Result(rule, json.dumps(values), exempt))
        return results

    @property
    def _limits(self) -> tuple[str, ...]:
        return (f"--capabilities={self._folder / 'capabilities.json'}",)

    def _capabilities(self) -> str:
        content = json.loads(self._run("capabilities", "--current"))
        content["builtins"] = [one for one in content["builtins"] if one["name"] not in FORBIDDEN]
        content["allow_net"] = []
        return json.dumps(content)

    def _run(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        command = (self._program, *arguments)
        patience = self._patience if arguments[0] == "eval" else Patience(overall=LOADING)
        return run(command, only_env={}, stdin=stdin, called="opa", patience=patience)

    def _leave_out(self, refused: Sequence[Refusal]) -> int:
        """Do not use files any more; how many these are."""
        names = {one.file for one in refused}
        gone = [path for path, name in self._files.items() if name in names]
        for path in gone:
            del self._files[path]
        return len(gone)

    def _refusals(self, error: ProgramFailed, name: str) -> list[Refusal]:
        try:
            found = json.loads(error.stderr).get("errors", [])
        except ValueError:
            return [Refusal(name, 0, str(error))] if name else []
        refused = []
        for one in found:
            place = one.get("location") or {}
            file = self._files.get(str(place.get("file", "")), name)
            refused.append(Refusal(file, int(place.get("row", 0)), _words(one["message"])))
        return refused


def _words(message: str) -> str:
    called = message.removeprefix("undefined function ")
    if called in FORBIDDEN:
        return f"{called} is refused: policies see objects and data only"
    return message


def _package(tree: Mapping[str, Any]) -> str:
    return ".".join(str(one["value"]) for one in tree["package"]["path"][1:])


def _heads(tree: Mapping[str, Any]) -> Iterator[Head]:
    for rule in tree.get("rules", ()):
        head = rule["head"]
        chain = [str(one["value"]) for one in head["ref"]]
        if not rule.get("default"):
            lists = "key" in head if "value" not in head else bool(head.get("assign"))
            line = int(head.get("location", {}).get("row", 0))
            yield Head(".".join(chain), line, lists and len(chain) == 1)


def _query(rules: Sequence[Rule], exceptions: frozenset[str]) -> Iterator[str]:
    """A module that evaluates the rules for each input of a batch."""
    yield f"package {_QUERY}"
    for number, rule in enumerate(rules):
        yield (
            f"found contains [at, {number}, values] if {{ some at, one in input.batch; "
            f"values := data.{rule.package}.{rule.name} {_WITH} }}"
        )
    for package in sorted({one.package for one in rules} & exceptions):
        yield (
            f'exempt contains [at, "{package}", name] if {{ some at, one in input.batch; '
            f"lists := data.{package}.{EXCEPTION} {_WITH}; some names in lists; "
            "some name in names }"
        )
    yield "exempt contains [] if false"
