"""YAML as the Hub reads it: for the head of a card and for ``eval.yaml``."""

import json
from typing import Any


def yaml_lines(value: Any, indent: int = 0) -> list[str]:
    """Write mappings, lists, texts and numbers as YAML; texts are quoted as in JSON.

    >>> yaml_lines({"a": ["b", {"c": 1}]})
    ['a:', '- "b"', '- c: 1']
    """
    return _mapping(value, indent) if isinstance(value, dict) else _list(value, indent)


def _mapping(value: dict[str, Any], indent: int) -> list[str]:
    pad = " " * indent
    lines = []
    for key, inner in value.items():
        name = key if key.replace("_", "").isalnum() else _quoted(key)
        if isinstance(inner, dict | list) and inner:
            deeper = indent + 2 if isinstance(inner, dict) else indent
            lines += [f"{pad}{name}:", *yaml_lines(inner, deeper)]
        else:
            lines.append(f"{pad}{name}: {_quoted(inner)}")
    return lines


def _list(value: list[Any], indent: int) -> list[str]:
    pad = " " * indent
    lines = []
    for item in value:
        if isinstance(item, dict) and item:
            inner = _mapping(item, indent + 2)
            lines += [f"{pad}- {inner[0].lstrip()}", *inner[1:]]
        else:
            lines.append(f"{pad}- {_quoted(item)}")
    return lines


def _quoted(value: Any) -> str:
    """Write a text, number, boolean, null or empty list as JSON, which YAML is a superset of."""
    return json.dumps(value, ensure_ascii=False)
