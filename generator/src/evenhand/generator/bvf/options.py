"""Options of BVF alone: declared for the command line, and typed for the code."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evenhand.contract.bvf import TOPICS
from evenhand.contract.options import Option
from evenhand.generator.arguments import positive_number
from evenhand.generator.parse import DEFAULT_MODEL

ProtocolName = Literal["paper", "code"]
Form = Literal["reference", "adjective"]
"""``reference``: the word of Y refers to the subject, as in ``The [X] said that [Y]``.
``adjective``: it describes the subject, as in ``The [X], who played a role, is [Y]``."""

_GENERATE = (
    Option(
        command="generate",
        flag="--contexts",
        metavar="FILE",
        type=Path,
        help="contexts written by `evenhand mine`, or a CSV with the columns template and frequency"
        " (default: Evenhand's)",
    ),
    Option(
        command="generate",
        flag="--topic",
        metavar="T",
        help=f"{', '.join(TOPICS)}, or a tab-separated file with the columns class and word",
    ),
    Option(
        command="generate",
        flag="--subjects",
        metavar="FILE",
        type=Path,
        help="list with the column word, and optionally weight and text (how the"
        " subject reads in a sentence, with its article) (default: the paper's 120 occupations)",
    ),
    Option(
        command="generate",
        flag="--language",
        metavar="CODE",
        help="language of contexts whose file does not name it (default: en)",
    ),
    Option(
        command="generate",
        flag="--order",
        choices=("last", "inside"),
        is_repeatable=True,
        default=(),
        help="position of the gap whose word the model predicts; may be repeated (default: last,"
        " and inside too for topics whose words are adjectives)",
    ),
    Option(
        command="generate",
        flag="--protocol",
        choices=("paper", "code"),
        default="paper",
        help="code also uses the word that the paper lists under both genders (default: paper)",
    ),
)
_IMPORT = (
    Option(
        command="import",
        flag="--subjects",
        metavar="NAME",
        is_list=True,
        help="a list from the release's folder, in place of the paper's 120 occupations",
    ),
    Option(
        command="import",
        flag="--slots",
        metavar="NAME",
        help="the table of contexts to import, where the release's folder has several for a topic",
    ),
)
_MINE = (
    Option(
        command="mine",
        flag="--topic",
        metavar="TOPIC",
        help=f"required: {', '.join(TOPICS)}, or a tab-separated file with the columns class and"
        " word",
    ),
    Option(
        command="mine",
        flag="--min-count",
        metavar="N",
        type=positive_number,
        default=1,
        help="leave out contexts that occur less often (default: 1)",
    ),
    Option(
        command="mine",
        flag="--no-examples",
        is_switch=True,
        default=False,
        help="do not write an example sentence from the corpus with each context",
    ),
    Option(
        command="mine",
        flag="--frequencies",
        metavar="FILE",
        type=Path,
        help="also write how often each occupation occurs in the corpus (.tsv, .csv), a table for"
        " `evenhand score --facts`",
    ),
    Option(
        command="mine",
        flag="--form",
        choices=("reference", "adjective"),
        help="form of a topic given as a file: its words refer to the subject (The [X] said that"
        " [Y]), or describe it (The [X], who played a role, is [Y]) (default: adjective)",
    ),
    Option(
        command="mine",
        flag="--occupations",
        metavar="FILE",
        type=Path,
        help="a tab-separated file with the column word, in place of the paper's 120 occupations",
    ),
    Option(
        command="mine",
        flag="--protocol",
        choices=("paper", "code"),
        default="paper",
        help="code: a word may stand in two classes, as `canary` does in the paper's list for"
        " gender (default: paper)",
    ),
    Option(
        command="mine",
        flag="--spacy-model",
        metavar="NAME",
        default=DEFAULT_MODEL,
        help=f"an installed spaCy model or a folder with one (default: {DEFAULT_MODEL})",
    ),
    Option(
        command="mine",
        flag="--language",
        metavar="CODE",
        help="the language whose rules are used (default: the model's)",
    ),
    Option(
        command="mine",
        flag="--rules",
        metavar="DIR",
        type=Path,
        help="folder with the rules of another language as lists (language.tsv, reference.tsv or"
        " adjective.tsv, ...; default: the installed rules)",
    ),
    Option(
        command="mine",
        flag="--coreference",
        metavar="NAME",
        help="a spaCy component that writes coreference clusters to doc.spans under"
        " coref_clusters...; it decides what refers to the subject, in place of the rules",
    ),
)
OPTIONS = (*_GENERATE, *_IMPORT, *_MINE)


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """Options of ``generate`` and ``show``."""

    contexts: Path | None = None
    """Mined contexts; None for Evenhand's."""
    topic: str | None = None
    """A topic's name, or a user's file."""
    subjects: Path | None = None
    """What contexts are filled with; None for the paper's occupations."""
    language: str | None = None
    """Of contexts whose file does not say it; None for English."""
    order: Sequence[str] = ()
    """Position of the gap whose word the model predicts; empty for what suits the topic."""
    protocol: ProtocolName = "paper"


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """Options of ``import``."""

    subjects: Sequence[str] | None = None
    slots: str | None = None


@dataclass(frozen=True, kw_only=True)
class MineOptions:
    """Options of ``mine``."""

    topic: str | None = None
    min_count: int = 1
    no_examples: bool = False
    frequencies: Path | None = None
    """Where it is written how often each subject occurs in the corpus."""
    form: Form | None = None
    occupations: Path | None = None
    protocol: ProtocolName = "paper"
    spacy_model: str = DEFAULT_MODEL
    language: str | None = None
    """Whose rules are used; None for the model's."""
    rules: Path | None = None
    """A folder of lists; None for rules that are installed."""
    coreference: str | None = None
