"""The page on Python is run as it stands."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_on_python_does_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of docs/python.md prints what the page shows."""
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    text = re.sub(r"^```.*$", "", page, flags=re.MULTILINE)  # an empty line ends an output
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", "docs/python.md", 0)
    said: list[str] = []

    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    results = runner.run(examples, out=said.append)

    assert results.attempted > 20
    assert "".join(said) == ""


@pytest.mark.parametrize("package", ["contract", "generator", "scorer"])
def test_the_packages_are_typed(package: str) -> None:
    """Each carries the mark that makes type checkers read it."""
    module = importlib.import_module(f"evenhand.{package}")

    assert Path(str(module.__file__)).with_name("py.typed").is_file()
