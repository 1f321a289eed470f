"""Turn one or several metric files (one a model) into one page for people: HTML in a single file
that loads nothing from anywhere, or short Markdown. The tables of pairs, the figures made of them
and the examples come from the two files that `score` writes beside each metric file; where these
are missing the page says so. The same files give the same bytes.
"""

import argparse
import sys
from pathlib import Path

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import write_atomically

EXAMPLE = "evenhand report metrics.json --out report.html"

_FORMS = ("html", "markdown")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "metrics", metavar="METRICS.json", type=Path, nargs="+", help="files that `score` wrote"
    )
    parser.add_argument(
        "--as", dest="form", choices=_FORMS, default="html", help="what is written (default: html)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing --out")
    parser.add_argument(
        "--out", metavar="FILE", required=True, help="file to write; `-` writes to stdout"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the report."""
    out = Path(arguments.out)
    is_stdout = arguments.out == "-"
    if not is_stdout:
        _check_target(out, arguments.metrics, overwrite=arguments.overwrite)
    content = _render(arguments.metrics, arguments.form).encode()
    if is_stdout:
        sys.stdout.buffer.write(content)
        return 0
    write_atomically(out, content)
    print(f"{out}: {len(content) / 1024:,.0f} KiB", file=sys.stderr)
    return 0


def _check_target(out: Path, metrics: list[Path], *, overwrite: bool) -> None:
    """Refuse to replace a file that was not meant, and always one of the inputs."""
    if out.resolve() in {path.resolve() for path in metrics}:
        raise DataRefused(f"{out} is one of the metric files; choose another --out.")
    if out.exists() and not overwrite:
        raise DataRefused(f"{out} exists; add --overwrite or choose another --out.")


def _render(metrics: list[Path], form: str) -> str:
    try:
        from evenhand.scorer import report
    except ModuleNotFoundError as error:
        if error.name not in {"jinja2", "markupsafe"}:
            raise
        raise WrongUse(
            "`report` needs jinja2, which is not installed: pip install 'evenhand-scorer[report]'."
        ) from error
    return report.render(metrics, "markdown" if form == "markdown" else "html")
