"""Turn metric files into something to read, or into another tool's format.

For people: one HTML page in a single file that loads nothing from anywhere, Markdown, or a table
for the terminal; give several files for several models, several benchmarks, or both. Tables of
pairs, some figures and the examples come from the two files that `score` writes beside each metric
file; where these are missing the report says so. For tools: the formats of the Hub (eval-results,
model-index), of Every Eval Ever and of lm-evaluation-harness, one model a file. The same files give
the same bytes; the only date written is the one that --date gives.
"""

import argparse
import sys
from pathlib import Path

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import write_atomically

EXAMPLE = "evenhand report metrics.json --out report.html"

_STDOUT = "-"
_STATED = ("dataset_repo", "dataset_revision", "date", "source_url", "source_name",
           "organization", "relationship")  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from evenhand.scorer.report import FORMS
    from evenhand.scorer.report.interchange import FORMS as TOOLS

    parser.add_argument(
        "metrics", metavar="METRICS.json", type=Path, nargs="+", help="files that `score` wrote"
    )
    parser.add_argument(
        "--as", dest="form", choices=(*FORMS, *TOOLS), default="html",
        help="form of the report, or the tool's format (default: html)",
    )  # fmt: skip
    parser.add_argument(
        "--model", metavar="NAME", action="append", default=[],
        help="name of the model, in place of the name in its predictions; in a report for people"
        " give it once per file, in their order",
    )  # fmt: skip
    parser.add_argument(
        "--baseline", metavar="METRICS.json", type=Path, action="append", default=[],
        help="run on the questions without their context, to compare the others with; a file that"
        " states this is recognised without the option",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace an existing file")
    parser.add_argument(
        "--out", metavar="FILE",
        help="file to write; - for stdout (default: stdout, but html needs a file)",
    )  # fmt: skip
    _add_stated(
        parser.add_argument_group("facts that other tools ask for and metric files do not hold")
    )


def _add_stated(group: "argparse._ArgumentGroup") -> None:
    """Declare what a person states for the tools' formats."""
    from evenhand.scorer.report.interchange import RELATIONSHIPS

    group.add_argument(
        "--dataset-repo", metavar="[STEM=]ORG/NAME", action="append", default=[],
        help="repository of the dataset on the Hub",
    )  # fmt: skip
    group.add_argument(
        "--dataset-revision", metavar="[STEM=]REVISION", action="append", default=[],
        help="commit or tag of the dataset in that repository",
    )  # fmt: skip
    group.add_argument("--date", metavar="YYYY-MM-DD", help="date of the evaluation")
    group.add_argument("--source-url", metavar="URL", help="page that documents the result")
    group.add_argument("--source-name", metavar="NAME", help="title of that page")
    group.add_argument("--organization", metavar="NAME", help="organization that evaluated")
    group.add_argument(
        "--relationship", choices=RELATIONSHIPS,
        help="relationship of the evaluator to the model's developer",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the report."""
    from evenhand.scorer.report import FORMS

    out = arguments.out or (None if arguments.form == "html" else _STDOUT)
    if out is None:
        raise WrongUse("An HTML page goes into a file; add --out report.html (or --out -).")
    if out != _STDOUT:
        inputs = [*arguments.metrics, *arguments.baseline]
        _check_target(Path(out), inputs, overwrite=arguments.overwrite)
    text = _for_people(arguments) if arguments.form in FORMS else _for_tools(arguments)
    content = text.encode()
    if out == _STDOUT:
        sys.stdout.buffer.write(content)
        return 0
    write_atomically(Path(out), content)
    print(f"{out}: {len(content) / 1024:,.0f} KiB", file=sys.stderr)
    return 0


def _check_target(out: Path, metrics: list[Path], *, overwrite: bool) -> None:
    """Refuse to replace a file that was not meant, and always one of the inputs."""
    if out.resolve() in {path.resolve() for path in metrics}:
        raise DataRefused(f"{out} is one of the metric files; choose another --out.")
    if out.exists() and not overwrite:
        raise DataRefused(f"{out} exists; add --overwrite or choose another --out.")


def _for_people(arguments: argparse.Namespace) -> str:
    given = [name for name in _STATED if getattr(arguments, name)]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise WrongUse(
            f"{option} is for other tools' formats; it says nothing in {arguments.form}."
        )
    n_files = len(arguments.metrics) + len(arguments.baseline)
    if arguments.model and len(arguments.model) != n_files:
        raise WrongUse(
            f"--model was given {len(arguments.model)} times for {n_files} files; give it once a"
            " file, in their order, baselines last."
        )
    from evenhand.scorer.report import render

    try:
        return render(
            arguments.metrics,
            arguments.form,
            names=arguments.model,
            baselines=arguments.baseline,
        )
    except ModuleNotFoundError as error:
        if error.name not in {"jinja2", "markupsafe"}:
            raise
        raise WrongUse(
            "`report` needs jinja2, which is not installed: pip install 'evenhand-scorer[report]'."
        ) from error


def _for_tools(arguments: argparse.Namespace) -> str:
    from evenhand.scorer.report.interchange import write
    from evenhand.scorer.report.interchange.stated import (
        Stated,
        check_repository,
        parse_date,
        values_by_benchmark,
    )
    from evenhand.scorer.report.reading import read_reports

    if arguments.baseline:
        raise WrongUse(f"--baseline says nothing in {arguments.form}; it is for reports to read.")
    if len(arguments.model) > 1:
        raise WrongUse(f"{arguments.form} is of one model; give --model once.")
    if arguments.source_name and not arguments.source_url:
        raise WrongUse("--source-name names the page of --source-url; give that too.")
    reports = read_reports(arguments.metrics)
    stems = [read.report.dataset.stem for read in reports]
    repositories = values_by_benchmark("--dataset-repo", arguments.dataset_repo, stems)
    for name in repositories.values():
        check_repository(name)
    stated = Stated(
        model=arguments.model[0] if arguments.model else None,
        dataset_repos=repositories,
        dataset_revisions=values_by_benchmark(
            "--dataset-revision", arguments.dataset_revision, stems
        ),
        date=parse_date(arguments.date) if arguments.date else None,
        source_url=arguments.source_url,
        source_name=arguments.source_name,
        organization=arguments.organization,
        relationship=arguments.relationship,
    )
    written = write(arguments.form, reports, stated)
    for sentence in written.left_out:
        print(f"{sentence.rstrip('.')}.", file=sys.stderr)
    return written.text
