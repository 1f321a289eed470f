"""What BBQ alone can be told: declared for the command line, and typed for the code."""

from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.options import Option

OPTIONS = (
    Option(
        command="generate",
        flag="--templates",
        metavar="DIR",
        type=Path,
        help="your own templates and lists (<Category>/qNN.jinja, people/*.tsv, unknown.tsv);"
        " what the folder does not hold is taken from Evenhand's",
    ),
    Option(
        command="import",
        flag="--templates",
        metavar="DIR",
        type=Path,
        help="in place of --from: the release's folder of templates (*.csv, with both"
        " vocabularies), rendered into rows of the same form; what the original draws at random is"
        " drawn with --seed",
    ),
    Option(
        command="import",
        flag="--keep-templates",
        metavar="DIR",
        type=Path,
        help="with --templates: also write the templates as Jinja into a new folder",
    ),
    Option(
        command="import",
        flag="--substring-faults",
        is_switch=True,
        default=False,
        help="with --templates: tell which group an answer names as the original does, by"
        " substring: `men` is found in `women`, `African` in `African American`, nothing in"
        " `Latina woman` (default: by the answer's slots)",
    ),
)


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """Options of ``generate`` and ``show``."""

    templates: Path | None = None


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Options of ``import``."""

    templates: Path | None = None
    """Not None where the source is the release's templates, which are rendered."""
    keep_templates: Path | None = None
    """Where the templates are written as Jinja."""
    substring_faults: bool = False
