"""Generated hierarchies: classes in folders, how they include each other, and targets."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from . import faults, scalars
from .parameters import TOP, Parameters
from .yaml_text import File, Hierarchy, Items, Node, Pairs, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDERS = ("", "", "g", "g", "g/sub", "t-x", "t-x/deep/er")
_STEMS = ("a", "b", "c", "init", "d-e")
_TARGETS = ("cluster", "one", "two-b", "x.y", "_u")
_APPLICATIONS = ("one", "two", "three", "pkg.four", "~one", "~two", "~three", "~pkg.four", "${s1}")
# Names of folders and classes as parameters: what references in class names are made of.
_SEGMENTS = (("g", "g"), ("sub", "sub"), ("a", "a"), ("b", "b"), ("t", "t-x"), ("k", "g"))
_BASE = "classes/base.yml"


def hierarchy(seed: str) -> Hierarchy:
    """The hierarchy of a seed; a third of them is made to fail, or of noise."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    wild = rng.random() < 0.12
    made = _Maker(rng, wild=wild).made()
    if rng.random() < 0.2:
        made = faults.with_fault(rng, made, rng.choice(faults.NAMES))
    return made


class _Maker:
    def __init__(self, rng: random.Random, *, wild: bool) -> None:
        self._rng = rng
        self._parameters = Parameters(rng, wild=wild)
        self._wild = wild
        self._files: dict[str, File] = {}
        self._names: dict[str, str] = {}
        """Class names by path."""

    def made(self) -> Hierarchy:
        rng = self._rng
        missing_ok = rng.random() < 0.3
        self._base()
        for path in self._paths():
            self._files[path] = self._class(path, missing_ok=missing_ok)
            self._names[path] = faults.class_name(path)
        links = self._links()
        targets = rng.sample(_TARGETS, rng.choice((1, 1, 2, 3)))
        per_target = rng.random() < 0.2
        shared = self._some_classes()
        for target in targets:
            self._target(target, shared, links)
            if per_target:
                self._per_target(target)
        if rng.random() < 0.3:
            self._alike(targets[-1])
        return Hierarchy(self._files, links, missing_ok)

    def _base(self) -> None:
        pairs = self._parameters.of_base()
        segments = tuple((key, Text(value)) for key, value in _SEGMENTS)
        pairs += [("cls", Pairs(segments)), ("key", Text("g"))]
        component = (("l1", Text("[base]")), ("m1", Text("{s1: 1, l1: [x]}")), ("s1", Text("x")))
        pairs.append(("comp", Pairs(component)))
        self._files[_BASE] = File(parameters=Pairs(tuple(pairs)))

    def _paths(self) -> list[str]:
        rng = self._rng
        paths: dict[str, str] = {}
        for _ in range(rng.randint(1, 6)):
            folder, stem = rng.choice(_FOLDERS), rng.choice(_STEMS)
            if stem == "init" and not folder:
                continue
            ending = ".yml"
            if rng.random() < 0.15:
                ending = ".yaml"
            path = f"classes/{folder}/{stem}".replace("//", "/")
            paths.setdefault(faults.class_name(path + ending), path + ending)
        return list(paths.values())

    def _class(self, path: str, *, missing_ok: bool) -> File:
        rng = self._rng
        roll = rng.random()
        if roll < 0.04:
            return File(raw=rng.choice(("", "# nothing\n", "---\n", "{}\n", "---\n# x\n")))
        if roll < 0.07:
            return File(raw="classes:\napplications:\nparameters:\n")
        classes = self._includes(path)
        if missing_ok and rng.random() < 0.3:
            classes.insert(0, rng.choice(("no.such", ".nope", "no.${cls:g}")))
        pairs = self._parameters.of_class()
        pairs += self._patterns()
        file = File(tuple(classes) or None, self._applications(), Pairs(tuple(pairs)))
        return self._typed(file)

    def _patterns(self) -> Iterable[tuple[str, Node]]:
        """Rules that need certain layers to meet."""
        rng = self._rng
        if rng.random() < 0.12:
            # Targets set the end of it.
            yield from ((f"q{step}", Text(f"${{q{step + 1}}}")) for step in range(6))
        if rng.random() < 0.2:
            yield "inst_1", self._instance()
        if rng.random() < 0.08:
            yield f"=c{rng.randint(1, 10**6)}", scalars.scalar(rng)
        if rng.random() < 0.04:
            # Only here: below, reclass-rs shows the second mark to references for a while.
            yield rng.choice(("=~", "~=")) + f"c{rng.randint(1, 10**6)}", Text("1")
        if rng.random() < 0.05:
            yield "y1", Text("[1]")

    def _instance(self) -> Node:
        rng = self._rng
        pairs: list[tuple[str, Node]] = []
        for key, value in (("l1", "[inst]"), ("m1", "{s2: 2}"), ("s1", "y")):
            if rng.random() < 0.3:
                pairs.append((f"~{key}", Text(value)))
            elif rng.random() < 0.6:
                pairs.append((key, Text(value)))
        return Pairs(tuple(pairs))

    def _typed(self, file: File) -> File:
        """The same file, typed by somebody with habits of their own."""
        rng = self._rng
        if rng.random() < 0.06:
            extra = rng.choice(("exports: {}\n", "x: !foo [1]\n", "1: 2\nnull: {a: 1, a: 2}\n"))
            file = replace(file, extra=extra)
        if rng.random() < 0.03:
            file = replace(file, mark=rng.random() < 0.1, line_end=rng.choice(("\r\n", "\n")))
        return file

    def _applications(self) -> tuple[str, ...] | None:
        rng = self._rng
        if rng.random() < 0.5:
            return None
        chosen = rng.choices(_APPLICATIONS, k=rng.randint(0, 4))
        return tuple(chosen)

    def _includes(self, path: str) -> list[str]:
        rng = self._rng
        if not self._names:
            return []
        chosen = rng.choices(list(self._names.values()), k=rng.choice((0, 0, 1, 1, 2)))
        return [self._written(name, path) for name in chosen]

    def _written(self, name: str, path: str) -> str:
        """One of the ways to include a class."""
        rng = self._rng
        roll = rng.random()
        if roll < 0.45:
            return self._relative(name, path)
        parts = name.split(".")
        known = {value: key for key, value in _SEGMENTS}
        if roll < 0.6 and any(part in known for part in parts):
            return ".".join(f"${{cls:{known[part]}}}" if part in known else part for part in parts)
        if roll < 0.66 and parts[0] == "g":
            return ".".join(("${cls:${key}}", *parts[1:]))
        if roll < 0.72:
            return f"${{nope::{name}}}"
        return name

    def _relative(self, name: str, path: str) -> str:
        folder = path.removeprefix("classes/").split("/")[:-1]
        if path.rpartition("/")[2].startswith("init."):
            folder = folder[:-1]
        parts = name.split(".")
        common = 0
        while common < min(len(folder), len(parts) - 1) and folder[common] == parts[common]:
            common += 1
        dots = len(folder) - common + 1
        if common == 0 and self._rng.random() < 0.3:
            dots += self._rng.randint(1, 3)
        return "." * dots + ".".join(parts[common:])

    def _links(self) -> dict[str, str]:
        rng = self._rng
        links: dict[str, str] = {}
        paths = list(self._names)
        if paths and rng.random() < 0.1:
            path = rng.choice(paths)
            links["classes/ln.yml"] = path.removeprefix("classes/")
        if any(path.startswith("classes/g/") for path in paths) and rng.random() < 0.1:
            links["classes/lg"] = "g"
        return links

    def _some_classes(self) -> list[str]:
        names = list(self._names.values())
        return self._rng.sample(names, self._rng.randint(0, len(names)))

    def _target(self, target: str, shared: list[str], links: dict[str, str]) -> None:
        rng = self._rng
        classes = shared[: rng.randint(0, len(shared))]
        if classes and rng.random() < 0.4:
            classes.insert(0, rng.choice(list(self._names.values())))
        classes.insert(0, "base")
        classes += [self._written(name, "classes/x") for name in self._some_classes()]
        for link in links:
            name = link.removeprefix("classes/")
            if name == "lg":
                inside = [one for one in self._names.values() if one.startswith("g.")]
                classes += [f"l{rng.choice(inside)}"] if inside else []
            else:
                classes.append("ln")
        pairs = self._parameters.of_class()
        pairs += [("x1", scalars.scalar(rng)), ("~y1", Text("5"))]
        pairs.append(("q6", Text("end")))
        if rng.random() < 0.4:
            pairs += [("inst_1", Pairs()), ("comp", Text("${inst_1}"))]
        self._files[f"targets/{target}.yml"] = File(
            tuple(classes), self._applications(), Pairs(tuple(pairs))
        )

    def _per_target(self, target: str) -> None:
        """A class of the target's own, included through `_reclass_`."""
        own = f"classes/tgt/{target}.yml"
        self._files[own] = File(parameters=Pairs((("l1", Items((Text(f"'{target}'"),))),)))
        path = f"targets/{target}.yml"
        file = self._files[path]
        classes = (*(file.classes or ()), "tgt.${_reclass_:name:short}")
        self._files[path] = replace(file, classes=classes)

    def _alike(self, target: str) -> None:
        """More targets with the same classes, whose references find other values."""
        rng, like = self._rng, self._files[f"targets/{target}.yml"]
        different = rng.sample(TOP[:6], rng.randint(1, 3))
        for number in range(rng.randint(2, 5)):
            pairs: list[tuple[str, Node]] = [("q6", Text(f"end-{number}")), ("x1", Text("1"))]
            for key in different:
                kind = rng.choice("slm") if rng.random() < 0.04 else key[0]
                mark = rng.choice(("", "~"))
                pairs.append((f"{mark}{key}", self._parameters.value(kind, 0, 2)))
            file = replace(like, parameters=Pairs((*pairs, ("~y1", Text("5")))))
            self._files[f"targets/like-{number}.yml"] = file
