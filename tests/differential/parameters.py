"""Parameters of generated classes.

The first letter of a key tells what it holds (s: scalar, l: list, m: mapping), at every level, so
that layers and references fit together; `order` keeps references from forming loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import scalars
from .yaml_text import Items, Node, Pairs, Text

if TYPE_CHECKING:
    import random

TOP = ("s1", "s2", "l1", "m1", "s3", "m2", "l2", "sü", "m3", "l3", "s 4", "m4")
_INNER = ("s1", "s2", "l1", "m1", "s3", "l2")


class Parameters:
    """Makes the parameters of one hierarchy's classes."""

    def __init__(self, rng: random.Random, *, wild: bool) -> None:
        self._rng = rng
        self._wild = wild
        # By kind: names of what was anchored in this file, and below which top-level key.
        self._anchors: dict[str, list[tuple[str, int]]] = {}
        self._open: list[str] = []

    def of_base(self) -> list[tuple[str, Node]]:
        """What every target has, so that references find something."""
        self._anchors = {}
        pairs = [(f"'{key}'", self._full(key)) for key in TOP]
        for index, choices in enumerate(scalars.TYPED.values()):
            pairs.append((f"t{index}", Text(self._rng.choice(choices))))
        pairs += [("p1", Text("s1")), ("p2", Text("m1")), ("p3", Text("p1"))]
        pairs += [("x1", Text("${nope}")), ("y1", Text("{a: 1}"))]
        pairs += [("n1", self._plain("l", 0, 1)), ("n2", Text("null")), ("n3", Text("null"))]
        return pairs

    def of_class(self) -> list[tuple[str, Node]]:
        """What a class adds."""
        self._anchors = {}
        rng = self._rng
        indexes = sorted(rng.sample(range(len(TOP)), rng.randint(1, 4)))
        if rng.random() < 0.3:
            rng.shuffle(indexes)
        pairs = [self._pair(TOP[index], index, 0) for index in indexes]
        if rng.random() < 0.15:
            pairs.append(rng.choice((("n1", Text("null")), ("n1", Text("[1]")), ("n2", Text("7")))))
        if rng.random() < 0.15:
            pairs.append(("n3", rng.choice((Text("null"), Text("{a: [1]}")))))
        return pairs

    def value(self, kind: str, order: int, depth: int) -> Node:
        """A value of a kind, which may refer to parameters that come earlier in the order."""
        rng = self._rng
        if self._wild and rng.random() < 0.06:
            kind = rng.choice("slm")
        roll = rng.random()
        if roll < 0.2 and order:
            return self._reference(kind, order, depth)
        if roll < 0.26:
            alias = self._alias(kind, order)
            if alias:
                return Text(alias)
        if kind == "s" and roll < 0.29:
            return Text("null")
        return self._plain(kind, order, depth)

    def path(self, kind: str, order: int) -> str:
        """A path to something of a kind that comes earlier in the order."""
        rng = self._rng
        if self._wild and rng.random() < 0.1:
            order = len(TOP)
        tops = TOP[:order]
        fitting = [key for key in tops if key[0] == kind]
        maps = [key for key in tops if key[0] == "m"]
        if maps and (not fitting or rng.random() < 0.5):
            inner = {"s": ("s1", "s2", "m1:s1"), "l": ("l1", "m1:l1"), "m": ("m1",)}[kind]
            return f"{rng.choice(maps)}:{rng.choice(inner)}"
        return rng.choice(fitting) if fitting else ""

    def text(self, order: int) -> Text:
        """A text with references of all sorts in it."""
        rng = self._rng
        roll = rng.random()
        if self._wild and roll < 0.12:
            return scalars.noise(rng)
        if roll < 0.2:
            rule = rng.choice(tuple(scalars.ESCAPED))
            return Text(f"'{rng.choice(scalars.ESCAPED[rule])}'") if order else scalars.plain(rng)
        parts = [self._embedded(order) for _ in range(rng.randint(1, 2))]
        text = rng.choice(("{}", "<{}>", "a {} b", "{}:")).format("-".join(parts))
        if rng.random() < 0.15:
            lines = ("first", text, "last")
            return Text("'" + text.replace("'", "''") + "'", lines)
        return Text("'" + text.replace("'", "''") + "'")

    def _embedded(self, order: int) -> str:
        rng = self._rng
        roll = rng.random()
        if roll < 0.4:
            index = rng.randrange(len(scalars.TYPED))
            return f"${{t{index}}}"
        if roll < 0.55:
            return f"${{nope::{rng.choice(scalars.DEFAULTS)}}}"
        if roll < 0.6:
            return "${_reclass_:name:short}"
        if self._wild and roll < 0.65:
            return f"${{{self.path(rng.choice('lm'), order) or 'cls'}}}"
        return f"${{{self.path('s', order)}}}" if order else "${p1}"

    def _reference(  # noqa: PLR0911 - a way out for each sort of reference
        self, kind: str, order: int, depth: int
    ) -> Node:
        """A reference that is the whole value."""
        rng = self._rng
        if kind == "s" and rng.random() < 0.5:
            return self.text(order)
        path = self.path(kind, order)
        if not path:
            return self._plain(kind, order, depth)
        roll = rng.random()
        if roll < 0.12:
            return Text(f"'${{{self._nested(path)}}}'")
        if roll < 0.2:
            other = {"s": "other", "l": "[other]", "m": "{\\}"}[kind]
            return Text(f"'${{{path}::{other}}}'")
        if roll < 0.27:
            return Text(f"'${{m1:nope::${{{path}}}}}'") if order > 3 else Text(f"${{{path}}}")
        if roll < 0.32:
            choice = {
                "s": scalars.DEFAULTS[0:4],
                "l": ("[1, a]", "[]"),
                "m": ("{s1: 1\\}", "{\\}"),
            }[kind]
            return Text(f"'${{nope::{rng.choice(choice)}}}'")
        return Text(f"'${{{path}}}'")

    def _nested(self, path: str) -> str:
        """A path with references in the place of its keys."""
        known = {"s1": "${p1}", "m1": "${p2}"}
        if self._rng.random() < 0.3:
            known["s1"] = "${${p3}}"
        return ":".join(known.get(key, key) for key in path.split(":"))

    def _alias(self, kind: str, order: int) -> str:
        fitting = [name for name, below in self._anchors.get(kind, ()) if below <= order]
        if not fitting:
            return ""
        return f"*{self._rng.choice(fitting)}"

    def _anchored(self, kind: str) -> str:
        if self._rng.random() > 0.12:
            return ""
        name = f"{kind}{self._rng.randint(1, 3)}"
        known = any(name == other for other, _ in self._anchors.get(kind, ()))
        if name in self._open or (known and self._rng.random() < (0.3 if self._wild else 0.95)):
            return ""
        return name

    def _plain(self, kind: str, order: int, depth: int) -> Node:
        rng = self._rng
        if kind == "s":
            return scalars.scalar(rng)
        flow = rng.random() < 0.25
        anchor = self._anchored(kind)
        self._open.append(anchor)
        node: Node
        if kind == "l":
            node = Items(self._items(order, depth), anchor, flow)
        else:
            node = Pairs(self._pairs(order, depth), anchor, flow)
        self._open.pop()
        if anchor:
            # Only now it is complete, and may be used.
            self._anchors.setdefault(kind, []).append((anchor, order))
        return node

    def _items(self, order: int, depth: int) -> tuple[Node, ...]:
        rng = self._rng
        kinds = rng.choices("slm", (8, 1, 2), k=rng.randint(0, 3))
        return tuple(self.value(kind if depth < 3 else "s", order, depth + 1) for kind in kinds)

    def _pairs(self, order: int, depth: int) -> tuple[tuple[str, Node], ...]:
        rng = self._rng
        pairs: list[tuple[str, Node]] = []
        merge = rng.random()
        if merge < 0.04:
            pairs.append(("<<", self._merged(order, depth)))
        keys = [key for key in rng.sample(_INNER, rng.randint(0, 3)) if depth < 3 or key[0] == "s"]
        pairs += [self._pair(key, order, depth + 1) for key in keys]
        if rng.random() < 0.08:
            pairs.append((rng.choice(scalars.ODD_KEYS), scalars.plain(rng)))
        if merge > 0.96:
            pairs.append(("<<", self._merged(order, depth)))
        if rng.random() < 0.04:
            self._marks(pairs)
        return tuple(pairs)

    def _marks(self, pairs: list[tuple[str, Node]]) -> None:
        rng = self._rng
        name = f"c{rng.randint(1, 10**6)}"
        roll = rng.random()
        if roll < 0.5:
            pairs.append((f"={name}", scalars.plain(rng)))
        elif roll < 0.75:
            pairs += [(name, Text("[1]")), (f"={name}", Text("[2]"))]
        else:
            pairs += [(name, Text("[1]")), (f"~{name}", Text("[2]"))]

    def _merged(self, order: int, depth: int) -> Node:
        """What `<<` merges."""
        sources: list[Node] = []
        for _ in range(2):
            alias = self._alias("m", order)
            flow = Pairs(self._pairs(order, depth + 1), flow=True) if not alias else Text(alias)
            if self._rng.random() > 0.3:
                return flow
            sources.append(flow)
        return Items(tuple(sources), flow=True)

    def _pair(self, key: str, order: int, depth: int) -> tuple[str, Node]:
        value = self.value(key[0], order, depth)
        # Without the keys that it had, a mapping fails many a reference.
        if self._rng.random() < (0.01 if key[0] == "m" and not self._wild else 0.06):
            return f"'~{key}'", value
        return f"'{key}'", value

    def _full(self, key: str) -> Node:
        """A value with everything below it that references may ask for."""
        if key[0] != "m":
            return self._plain(key[0], 0, 0)
        parts: list[tuple[str, Node]] = [
            ("s1", self._plain("s", 0, 1)),
            ("l1", self._plain("l", 0, 1)),
            ("s2", self._plain("s", 0, 1)),
        ]
        inner: list[tuple[str, Node]] = [("s1", Text("x")), ("l1", self._plain("l", 0, 1))]
        return Pairs((*parts, ("m1", Pairs(tuple(inner)))))
