"""Write the generated pages of docs/ from the code; with --check say if they are current."""

import ast
import importlib
import os
import re
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path

import msgspec

from evenhand.contract import CONTRACT_VERSION, STEMS
from evenhand.contract.cli import DISTRIBUTIONS
from evenhand.contract.commands import COMMANDS
from evenhand.contract.dataset import ContentDigest
from evenhand.contract.schemas import KINDS
from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.readers.registry import offered_readers
from evenhand.scorer.specs import MetricSpec

FOLDER = Path(__file__).parent
_COLUMNS = 90
_USAGE_WORD = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]|--\S+ \S+|\S+")
"""An option in brackets with its value, a required one with its value, or an argument."""
NOTE = "<!-- Written by `make docs` from the code; do not edit. -->\n"


def cli_page() -> str:
    """Return docs/cli.md: the help of every command."""
    lines = [NOTE, "# The command line\n", "```text", _help().rstrip(), "```\n"]
    for distribution in DISTRIBUTIONS:
        lines.append(f"## {distribution}\n")
        for entry in COMMANDS:
            if entry.distribution == distribution:
                lines += [f"### evenhand {entry.name}\n", "```text"]
                lines += [_help(entry.name).rstrip(), "```\n"]
    return "\n".join(lines).rstrip() + "\n"


def _help(*words: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "evenhand.contract.cli", *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": str(_COLUMNS)},
    )
    usage, blank, rest = run.stdout.partition("\n\n")
    return _wrap_usage(usage) + blank + rest


def _wrap_usage(usage: str) -> str:
    """Break the usage lines between options only; where argparse breaks depends on the Python."""
    command, _, options = " ".join(usage.split()).partition(" [-h] ")
    if not options:
        return usage
    words = _USAGE_WORD.findall(options)
    text = " ".join(word.replace(" ", "\0") for word in ["[-h]", *words])
    indent = " " * (len(command) + 1)
    lines = textwrap.wrap(
        text, _COLUMNS - 2, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return (command + "\n".join(lines)[len(command) :]).replace("\0", " ")


CONTRACT_TEXT = f"""\
# The contract: files between generator and scorer

Contract version {CONTRACT_VERSION}. A file names the version that it was written with. JSON Schemas
of all records come with the contract package and are printed by
`evenhand schema STEM {"|".join(KINDS)}`.

## What may change, and what never does

The first number of the contract version changes when old readers can no longer read new files, and
a reader refuses a file whose first number is another one. Under one first number:

- No field is removed, renamed, or given another type; none that is required becomes optional, and
  none that is never null becomes null.
- The meaning, unit, range and sign of a metric id never change. A formula that is found to be wrong
  gets a new id, and the old id stays with the old formula or goes from new files.
- Ids of items, the canonical JSON and the definitions of the digests stay as they are.
- Optional fields may be added to any record, and so may metrics, dimensions and groups in `by`,
  benchmarks, columns and values of `table` in `NAME.parts.parquet`, fields in
  `NAME.examples.jsonl`, and values where a text says that others may come (methods, readers,
  shelves, protocols behind a plus). Each addition raises the second number.
- The order of `metrics`, of the groups in `by` and of rows in the side files may change; `warnings`
  and sentences in `why_null` and `why_no_interval` may be worded otherwise.

So whoever reads these files:

- passes over fields, metric ids, dimensions and values of `table` that it does not know, and does
  not refuse a file for them (the schemas allow further fields but in rows of predictions, where an
  unknown field is far more likely a typing mistake);
- finds a metric by its id and config, never by its place;
- takes null for undefined, with the reason beside it, and never for 0;
- compares numbers of two files only where `dataset.digest`, `protocol` and the metric id agree.

Package versions are another matter: the same predictions give the same bytes under one
`scorer_version`, and the golden files in `tests/golden` show every change of them.

## The files that `score` writes

`NAME.json` is the record `Report` below. Beside it lie `NAME.parts.parquet`, whose rows are the
record `Part` of the benchmark, and `NAME.examples.jsonl`, one `Example` of the benchmark a line, at
most 200 a metric. `Report` names both by their sha256.

## Canonical JSON

The manifest, the metric JSON and everything that is hashed as JSON has one form: UTF-8, keys
sorted, two spaces of indentation, non-ASCII characters unescaped, one newline at the end. That is
what this writes in Python:

    json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\\n"

## Digests

`manifest_digest` is the sha256 of the canonical JSON of the manifest with that field set to the
empty string. `content_digest` of the manifest is the sha256 of the canonical JSON of
`{{config: {{split: content_digest}}}}`. The `content_digest` of a split is this:

{{digest}}

"""


def contract_page() -> str:
    """Return docs/contract.md: the digests to the byte, and every record field by field."""
    digest = "\n".join(
        line.strip() for line in (ContentDigest.__doc__ or "").split(">>>")[0].split("\n")
    ).strip()
    text = NOTE + "\n" + CONTRACT_TEXT.replace("{digest}", _markdown(digest))
    modules = ["dataset", "predictions", "report", *STEMS]
    return text + "\n".join(_module_section(name) for name in modules).rstrip() + "\n"


def _module_section(name: str) -> str:
    module = importlib.import_module(f"evenhand.contract.{name}")
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    lines = [f"## `{name}`\n", _markdown(module.__doc__ or "").strip() + "\n"]
    for class_name in classes:
        record = getattr(module, class_name)
        if isinstance(record, type) and issubclass(record, msgspec.Struct) and class_name[0] != "_":
            lines += _record_section(record, classes)
    return "\n".join(lines)


def _record_section(record: type[msgspec.Struct], classes: dict[str, ast.ClassDef]) -> list[str]:
    meanings: dict[str, str] = {}
    types: dict[str, str] = {}
    for ancestor in reversed(record.__mro__):
        if ancestor.__name__ in classes:
            _read_fields(classes[ancestor.__name__], types, meanings)
    rows = [
        f"| `{field.encode_name}` | `{types[field.name]}` | {'yes' if field.required else 'no'} "
        f"| {meanings.get(field.name, '')} |".replace(" | None`", " or null`")
        for field in msgspec.structs.fields(record)
    ]
    summary = _markdown(" ".join((record.__doc__ or "").split("\n\n")[0].split()))
    head = [f"### {record.__name__}\n", summary + "\n", "| field | type | required | meaning |"]
    return [*head, "|---|---|---|---|", *rows, ""]


def _read_fields(node: ast.ClassDef, types: dict[str, str], meanings: dict[str, str]) -> None:
    """Collect each field's annotation and the string that follows it."""
    for statement, following in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            types[name] = ast.unparse(statement.annotation)
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                text = " ".join(str(following.value.value).split())
                meanings[name] = _markdown(text).replace("|", "\\|")


def _markdown(text: str) -> str:
    """Turn the markup of docstrings into that of Markdown."""
    return re.sub(r":(?:class|func|data):`([^`]+)`", r"`\1`", text).replace("``", "`")


METRICS_NOTE = "<!-- Metrics: written by `make docs` from the code; do not edit. -->\n"
METRICS_END = "<!-- End of metrics. -->\n"


def benchmark_page(stem: str) -> str:
    """Return docs/benchmarks/STEM.md, its table of metrics written anew between the marks."""
    text = (FOLDER / "benchmarks" / f"{stem}.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(METRICS_NOTE)
    _, _, after = rest.partition(METRICS_END)
    return f"{before}{METRICS_NOTE}\n{metrics_section(stem)}\n{METRICS_END}{after}"


def metrics_section(stem: str) -> str:
    """Return the table of a benchmark's metrics, and what the variable parts of ids stand for."""
    specs = benchmark(stem).metrics
    lines = ["| id | name | formula | range | best | how to read it |", "|---|---|---|---|---|---|"]
    lines += [_metric_row(spec) for spec in specs]
    families = {spec.id.partition("{")[2].partition("}")[0]: spec.variants for spec in specs}
    notes = [
        f"`{{{part}}}` is {' or '.join(f'`{name}` ({words})' for name, words in variants.items())}."
        for part, variants in families.items()
        if variants
    ]
    return "\n".join([*lines, *(f"\n{note}" for note in notes)]) + "\n"


def _metric_row(spec: MetricSpec) -> str:
    part = f"`{{{spec.id.partition('{')[2].partition('}')[0]}}}`"
    best = "none" if spec.best is None else f"{spec.best:g}"
    label, formula, values = spec.label.format(part), f"`{spec.formula}`", f"`{spec.range_words}`"
    cells = (f"`{spec.id}`", label, formula, values, best, spec.reading)
    return " | ".join(["", *(cell.replace("|", "\\|") for cell in cells), ""]).strip()


READERS_TEXT = """\
# Formats of predictions that are read

`--reader auto`, the default, detects the format from a file's first record and reports it;
`--reader NAME` names it. A part in brackets after a name is a choice, e.g.
`helm:1`. Evenhand's format differs between benchmarks only in the columns of a row
(`evenhand schema STEM predictions`).
"""


def readers_page() -> str:
    """Return docs/readers.md: every reader as it declares itself."""
    head = ["| `--reader` | files | what is chosen | benchmarks |", "|---|---|---|---|"]
    lines = [NOTE, READERS_TEXT, *head]
    offered = {stem: offered_readers(benchmark(stem)) for stem in STEMS}
    readers = {reader.name: reader for readers in offered.values() for reader in readers}
    for name, reader in readers.items():
        spellings = ", ".join(f"`{spelling}`" for spelling in reader.spellings())
        stems = [stem for stem in STEMS if name in {one.name for one in offered[stem]}]
        cells = (spellings, reader.help, reader.choice_help, ", ".join(stems))
        lines.append(f"| {' | '.join(cells)} |".replace("<", "&lt;").replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


PAGES = {
    "cli.md": cli_page,
    "contract.md": contract_page,
    "readers.md": readers_page,
    **{f"benchmarks/{stem}.md": partial(benchmark_page, stem) for stem in STEMS},
}


def main() -> int:
    """Write the pages, or check them."""
    stale = []
    for name, page in PAGES.items():
        path = FOLDER / name
        content = page()
        if "--check" not in sys.argv[1:]:
            path.write_text(content, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != content:
            stale.append(name)
    if stale:
        print(f"Not current: {', '.join(stale)}; run `make docs`.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
