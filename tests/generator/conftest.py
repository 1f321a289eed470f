"""Small content of a user's own class, and a runner of the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.contract.cli import main

TEMPLATE = """\
{# Two readers of two newspapers. #}
{% set attribute_kind = "person" %}
{% block context %}
{{ x1 | with_article | capitalise }} reader met {{ x2 | with_article }} reader.
{% endblock %}
{% block question %}Who {{ attribute }}?{% endblock %}
{% block statement %}The {{ mask }} reader {{ attribute }}.{% endblock %}
"""
PLURAL_TEMPLATE = """\
{% set attribute_kind = "person" %}
{% block context %}Several {{ x1 }} readers met several {{ x2 }} readers.{% endblock %}
{% block question %}Who {{ attribute | plural }}?{% endblock %}
{% block statement %}The {{ mask }} readers {{ attribute | plural }}.{% endblock %}
"""
SUBJECTS = """\
# A list of our own.
key\tword\tsource
tabloid\tTabloid\tours
evening\tEvening\tours
left_wing\tLeft-Wing\tours
"""
ATTRIBUTES = """\
key\tkind\tcategory\tpositive\tpositive_plural\tnegative\tnegative_plural\tsource\treview
rude\tperson\tmanners\twas rude\twere rude\twas polite\twere polite\tours\t
lied\tperson\thonesty\tlied\tlied\ttold the truth\ttold the truth\tours\t
"""
CONTENT = {
    "readers/t00.jinja": TEMPLATE,
    "readers/t01.jinja": PLURAL_TEMPLATE,
    "subjects/readers.tsv": SUBJECTS,
    "attributes/readers.tsv": ATTRIBUTES,
}

Writer = Callable[..., Path]
Runner = Callable[..., tuple[int, str, str]]


@pytest.fixture
def content(tmp_path: Path) -> Writer:
    """Return a function that writes the small content, some files replaced (None: left out)."""

    def write(**replaced: str | None) -> Path:
        names = {name.replace("/", "_").split(".")[0]: name for name in CONTENT}
        files = {**CONTENT, **{names.get(key, key): text for key, text in replaced.items()}}
        for name, text in files.items():
            if text is not None:
                path = tmp_path / "own" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        return tmp_path / "own"

    return write


@pytest.fixture
def evenhand(capsys: pytest.CaptureFixture[str]) -> Runner:
    """Return a function that runs a command and returns exit code, stdout and stderr."""

    def run(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        output = capsys.readouterr()
        return code, output.out, output.err

    return run
