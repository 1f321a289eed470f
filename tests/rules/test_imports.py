"""Who may import what: rules that the import linter cannot say, read from the syntax trees."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.contract import STEMS

ROOT = Path(__file__).parents[2]
SOURCES = {side: ROOT / side / "src/evenhand" for side in ("shared", "generator", "scorer")}

# module -> the only files that may import it, below the side's package
ONLY_IN = [
    ("generator", "spacy", ("parse.py",)),
    ("generator", "huggingface_hub", ("hub/",)),
    ("generator", "httpx2", ("hub/",)),
    ("generator", "mlcroissant", ("croissant.py",)),
    ("generator", "tokenizers", ("pieces.py",)),
    ("scorer", "onnxruntime", ("runtime/",)),
    ("scorer", "tokenizers", ("runtime/",)),
    ("scorer", "torch", ("runtime/export/",)),
    ("scorer", "transformers", ("runtime/export/",)),
    ("scorer", "jinja2", ("report/", "runtime/chat.py", "runtime/chat_environment.py")),
]


def imported_modules(path: Path) -> set[str]:
    """Return the full names of all modules that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def modules_of(side: str) -> list[Path]:
    """Return all Python files of a side."""
    return sorted(SOURCES[side].rglob("*.py"))


def test_the_namespace_has_no_init_file() -> None:
    """`evenhand` is a namespace shared by three packages, so it has no `__init__.py`."""
    strays = [folder / "__init__.py" for folder in SOURCES.values()]

    assert [path for path in strays if path.exists()] == []


@pytest.mark.parametrize(("side", "module", "allowed"), ONLY_IN)
def test_a_heavy_library_is_imported_in_its_own_place_only(
    side: str, module: str, allowed: tuple[str, ...]
) -> None:
    """Each heavy library has one home, so that everything else works without it."""
    package = SOURCES[side] / side
    offenders = [
        relative
        for path in modules_of(side)
        if any(name.split(".")[0] == module for name in imported_modules(path))
        and not (relative := path.relative_to(package).as_posix()).startswith(allowed)
    ]

    assert offenders == []


def test_the_contract_imports_the_standard_library_and_msgspec_alone() -> None:
    """The contract costs a reader nothing but msgspec."""
    allowed = {*sys.stdlib_module_names, "msgspec", "evenhand"}
    foreign = {
        name
        for path in modules_of("shared")
        for name in imported_modules(path)
        if name.split(".")[0] not in allowed
    }

    assert foreign == set()


def test_metrics_and_statistics_never_import_the_runtime() -> None:
    """`score` never runs a model: the stems, statistics and readers cannot reach the runtime."""
    package = SOURCES["scorer"] / "scorer"
    offenders = [
        path.relative_to(package).as_posix()
        for path in modules_of("scorer")
        if path.relative_to(package).parts[1:2] != ("ask",)
        and path.relative_to(package).parts[0] not in {"runtime", "predict", "commands"}
        and any(name.startswith("evenhand.scorer.runtime") for name in imported_modules(path))
    ]

    assert offenders == []


def test_what_a_benchmark_asks_is_imported_by_predict_alone() -> None:
    """A stem's `ask` and what lies in it reach the runtime, so nothing else of the stem does."""
    package = SOURCES["scorer"] / "scorer"
    offenders = [
        path.relative_to(package).as_posix()
        for path in modules_of("scorer")
        for name in imported_modules(path)
        if (parts := name.split("."))[3:4] == ["ask"]
        and path.relative_to(package).parts[:2] != (parts[2], "ask")
    ]

    assert offenders == []


@pytest.mark.parametrize("folder", ["runtime", "predict"])
def test_what_runs_models_names_no_benchmark(folder: str) -> None:
    """Runtime and predict serve every benchmark and know none."""
    texts = {
        path.name: path.read_text(encoding="utf-8").lower()
        for path in (SOURCES["scorer"] / "scorer" / folder).rglob("*.py")
    }

    assert [name for name, text in texts.items() if any(stem in text for stem in STEMS)] == []


@pytest.mark.parametrize("side", SOURCES)
def test_no_module_has_a_name_that_says_nothing(side: str) -> None:
    """Names are the field's words: no utils, helpers, base, common, misc."""
    nameless = {"utils", "helpers", "base", "common", "misc"}

    assert [path for path in modules_of(side) if path.stem in nameless] == []


HEAVY = "numpy polars pyarrow scipy spacy jinja2 rich onnxruntime tokenizers torch"


def test_the_launcher_imports_nothing_heavy() -> None:
    """`evenhand --help` answers at once because no heavy library is imported for it."""
    program = (
        "import sys; from evenhand.contract.cli import main; main(['--help']);"
        f"print([m for m in '{HEAVY}'.split() if m in sys.modules], file=sys.stderr)"
    )

    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert run.stderr.strip() == "[]"
