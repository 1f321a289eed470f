"""Options of BBQ alone: declared for the command line, and typed for the code."""

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
        " Evenhand's are used for what the folder lacks",
    ),
    Option(
        command="import",
        flag="--templates",
        metavar="DIR",
        type=Path,
        help="in place of --from: the release's folder of templates (*.csv, with both"
        " vocabularies), rendered into rows of the same form; the original's random choices"
        " depend on --seed",
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
        help="with --templates: determine which group an answer names by substring, as the original"
        " does: `men` matches `women`, `African` matches `African American`, nothing matches"
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
