"""Tests read as specifications."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_states_its_specification() -> None:
    """Each test function has a docstring that begins with its one sentence."""
    silent = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sorted(ROOT.glob("tests/**/test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]

    assert silent == []
