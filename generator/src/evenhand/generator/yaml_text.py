"""YAML as the Hub reads it: for the head of a card and for ``eval.yaml``."""

from typing import Any

import yaml


class _Dumper(yaml.SafeDumper):
    """Quotes every text that is a value and repeats what occurs twice.

    Readers of YAML 1.1 and 1.2 disagree on which plain texts are numbers or booleans, and the Hub's
    reader is not that of `datasets`; a quoted text is a text to both.
    """

    def ignore_aliases(self, data: object) -> bool:
        """Write no anchors, which not every reader of a card resolves."""
        del data
        return True

    def represent_mapping(self, *values: Any, **options: Any) -> yaml.MappingNode:
        """Leave keys plain."""
        node = super().represent_mapping(*values, **options)
        for key, _ in node.value:
            key.style = None
        return node


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(str, _represent_text)


def yaml_text(value: Any) -> str:
    """Write mappings, lists, texts and numbers as YAML, in their order.

    >>> print(yaml_text({"a": ["b", {"c": 1}]}), end="")
    a:
    - "b"
    - c: 1
    """
    # No line is folded, so that a text is one line in a diff.
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf"))
