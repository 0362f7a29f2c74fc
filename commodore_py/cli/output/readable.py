"""Values of the hierarchy as readable YAML: in order, block strings, non-ASCII unescaped."""

from __future__ import annotations

from typing import Any

import yaml


class WithoutAliases(yaml.SafeDumper):
    """Writes nothing by reference."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        """Return whether a value is written again: each is."""
        return True


class _Dumper(WithoutAliases):
    """Texts of several lines as literal blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def inline(value: Any) -> str:
    """A value on one line."""
    text = yaml.dump(
        value,
        Dumper=yaml.SafeDumper,
        default_flow_style=True,
        allow_unicode=True,
        width=1 << 30,
        sort_keys=False,
    )
    return str(text).removesuffix("\n").removesuffix("\n...")


def block(value: Any, width: int) -> list[str]:
    """A value on as many lines as it takes."""
    if isinstance(value, str):
        return value.splitlines()
    text = yaml.dump(
        value,
        Dumper=_Dumper,
        default_flow_style=False,
        allow_unicode=True,
        width=width,
        sort_keys=False,
    )
    return str(text).splitlines()
