"""Options of UnQover alone: declared for the command line, and typed for the code."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.options import Option

OPTIONS = (
    Option(
        command="generate",
        flag="--templates",
        metavar="DIR",
        type=Path,
        help="your own templates and lists (<class>/*.jinja, subjects/*.tsv, attributes/*.tsv);"
        " Evenhand's are used for what the folder lacks",
    ),
    Option(
        command="generate",
        flag="--tokenizer",
        metavar="FILE",
        type=Path,
        help="tokenizer.json of the masked language model: masked configs (<class>_mlm) then use"
        " only subjects that it encodes as a single token (default: all subjects of one word)",
    ),
    Option(
        command="generate",
        flag="--header",
        choices=("newsqa",),
        help="put a news dateline before each paragraph",
    ),
    Option(
        command="import",
        flag="--header",
        choices=("newsqa",),
        help="put the original's news header before each paragraph",
    ),
    Option(
        command="import",
        flag="--tokenizer-family",
        choices=("bert", "roberta"),
        default="bert",
        help="tokenizer whose single-token subjects a masked config uses (default: bert)",
    ),
    Option(
        command="import",
        flag="--subjects",
        metavar="NAME",
        is_list=True,
        help="another list of subjects from the release's folder, or two lists whose subjects are"
        " paired",
    ),
    Option(
        command="import",
        flag="--slots",
        metavar="NAME",
        help="another file of templates from the release's folder",
    ),
    Option(
        command="import",
        flag="--activities",
        metavar="NAME",
        help="another list of attributes from the release's folder",
    ),
)


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """Options of ``generate`` and ``show``."""

    templates: Path | None = None
    tokenizer: Path | None = None
    header: str | None = None


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Options of ``import``."""

    header: str | None = None
    tokenizer_family: str = "bert"
    subjects: Sequence[str] | None = None
    slots: str | None = None
    activities: str | None = None

    @property
    def names_files(self) -> bool:
        """Whether other files than those of the original's commands are named."""
        return any((self.subjects, self.slots, self.activities))
