"""The roles of a table's columns, by the names that people give them; ambiguity is refused."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from evenhand.scorer.readers.score_columns import LISTS, Family, Kind, families

IDS = ("id", "customid", "itemid", "questionid", "rowid", "key", "exampleuid")
CATEGORIES = ("category", "config", "subset", "subject")
NUMBERS = ("exampleid", "example", "examplenumber")
CONTEXTS = ("context", "passage", "ambiguouscontext")
QUESTIONS = ("question", "questiontext")
PROMPTS = ("prompt", "input", "query", "inputtext", "fullprompt")
PREDICTED = (
    "prediction", "predictions", "predicted", "pred", "modelanswer", "modeloutput", "modelresponse",
    "response", "completion", "generation", "generatedtext", "output", "outputtext",
    "predictedlabel", "predlabel", "predictedanswer", "predanswer", "predictedindex",
    "modelprediction", "choice", "chosen", "rawoutput", "modelchoice",
)  # fmt: skip
"""Names that only a model's answer has."""
EITHER = ("answer", "label")
"""Names that a model's answer has as well as the right one."""
OFFICIAL = ("answerinfo", "contextcondition", "questionpolarity", "ans0", "goldindex", "target")
"""Columns of the dataset's rows: beside them, an ``answer`` or ``label`` is the right answer."""

_OPTIONS = re.compile(r"(?:ans|answer|option|choice)(\d|[abc])")
SCORES = "scores"
"""The choice that reads three score columns; among more, a column's name chooses."""
_FEW = 4


@dataclass(slots=True)
class Columns:
    """Names of the columns that are read; None where there is none."""

    id: str | None = None
    category: str | None = None
    number: str | None = None
    context: str | None = None
    question: str | None = None
    prompt: str | None = None
    options: list[str] = field(default_factory=list)
    answer: str | None = None
    scores: list[str] = field(default_factory=list)
    """Three columns with one score each."""
    score_list: str | None = None
    """One column with lists of three scores."""
    kind: Kind = Kind.SCORES
    """What the numbers are."""
    wrong: str | None = None
    """Why the columns do not say enough, in one clause."""

    def used(self) -> list[str]:
        """Return all names that are read."""
        single = (self.id, self.category, self.number, self.context, self.question, self.prompt,
                  self.answer, self.score_list)  # fmt: skip
        return [*dict.fromkeys([*filter(None, single), *self.options, *self.scores])]

    def sentence(self) -> str:
        """Say which columns are read, and as what."""
        key = self.id or (f"{self.category} and {self.number}" if self.number else None)
        if self.number and not self.category:
            key = self.number
        key = key or (f"{self.context} and {self.question}" if self.context else self.prompt)
        answers = ", ".join(self.scores) or self.score_list
        said = f"{answers} as {self.kind.value}, of which the largest wins"
        source = said if answers else self.answer
        return f"questions are identified by {key}, answers are read from {source}"


def guess_columns(names: Sequence[str], chosen: str | None = None) -> Columns:
    """Determine the role of each column of a table.

    Args:
        names: of the columns.
        chosen: the column that holds the answer, if the user names it; ``scores`` for scores.

    >>> guess_columns(["Example ID", "Category", "ans0", "label", "Model answer"]).sentence()
    'questions are identified by Category and Example ID, answers are read from Model answer'
    """
    plain = [plain_name(name) for name in names]

    def one(known: Sequence[str]) -> str | None:
        return next((names[plain.index(name)] for name in known if name in plain), None)

    columns = Columns(
        id=one(IDS), category=one(CATEGORIES), number=one(NUMBERS), context=one(CONTEXTS),
        question=one(QUESTIONS), prompt=one(PROMPTS), options=_numbered(names, plain),
    )  # fmt: skip
    if not (
        columns.id or columns.number or (columns.context and columns.question) or columns.prompt
    ):
        columns.wrong = (
            "no column identifies the question (id; category and example_id; context and"
        )
        columns.wrong += " question)"
    else:
        _choose_answer(columns, names, plain, chosen)
    repeated = [name for name in names if list(names).count(name) > 1 and name in columns.used()]
    if repeated:
        columns.wrong = f"the column {repeated[0]} stands twice"
    return columns


def plain_name(name: str) -> str:
    """Return a name in lower case, without punctuation.

    >>> plain_name("Example_ID"), plain_name("score_0")
    ('exampleid', 'score0')
    """
    return re.sub(r"[\W_]", "", name).casefold()


def _numbered(names: Sequence[str], plain: Sequence[str]) -> list[str]:
    """Return the columns of the three options in order; none unless they are three."""
    options: dict[str, str] = {}
    for name, plain_text in zip(names, plain, strict=True):
        if match := _OPTIONS.fullmatch(plain_text):
            if match[1] in options:
                return []
            options[match[1]] = name
    marks = "".join(sorted(options))
    return [options[mark] for mark in marks] if marks in {"012", "123", "abc"} else []


def _choose_answer(
    columns: Columns, names: Sequence[str], plain: Sequence[str], chosen: str | None
) -> None:
    """Find the columns of the answer, or say why they cannot be told."""
    scored = families(names, plain)
    lists = {
        name: LISTS[plain_text]
        for name, plain_text in zip(names, plain, strict=True)
        if plain_text in LISTS
    }
    predicted = [
        name for name, plain_text in zip(names, plain, strict=True) if plain_text in PREDICTED
    ]
    predicted = [name for name in predicted if name not in {*columns.options, columns.prompt}]
    either = [name for name, plain_text in zip(names, plain, strict=True) if plain_text in EITHER]
    is_official = bool(columns.options) or any(name in OFFICIAL for name in plain)
    whole = _by_what_is_said(scored, names)
    candidates = [*predicted, *whole, *lists] or ([] if is_official else either)
    if chosen is not None:
        candidates = _choose(chosen, names, whole, lists)
    if len(candidates) > 1:
        columns.wrong = f"{' and '.join(candidates)} may each hold the model's answer"
    elif not candidates:
        columns.wrong = _no_answer(scored, either)
    elif (only := candidates[0]) in whole:
        columns.kind, columns.scores = whole[only].kind, list(whole[only].names)
    elif only in lists:
        columns.kind, columns.score_list = lists[only], only
    else:
        columns.answer = only


def _by_what_is_said(scored: Sequence[Family], names: Sequence[str]) -> dict[str, Family]:
    """Return the families that can be read, by the name that chooses one of them."""
    whole = [family for family in scored if family.is_whole and family.kind is not Kind.COSTS]
    is_clear = len(whole) == 1 and SCORES not in names
    return {SCORES if is_clear else family.names[0]: family for family in whole}


def _choose(
    chosen: str, names: Sequence[str], whole: dict[str, Family], lists: dict[str, Kind]
) -> list[str]:
    """Apply the user's choice: scores, one column of a family, or any other column."""
    families_of_column = [said for said, family in whole.items() if chosen in family.names]
    if chosen == SCORES and chosen not in names:
        return [*whole, *lists]
    return families_of_column or ([chosen] if chosen in names else [])


def _no_answer(scored: Sequence[Family], either: Sequence[str]) -> str:
    """Say in a clause why no column is read as the model's answer."""
    if scored:
        names, kind = ", ".join(scored[0].names[:_FEW]), scored[0].kind
        more = ", ..." if len(scored[0].names) > _FEW else ""
        if kind is Kind.COSTS and scored[0].is_whole:
            return (
                f"{names} are costs, of which the smallest wins; turn their sign and call them"
                " score_0, score_1, score_2"
            )
        return (
            f"{names}{more} are {len(scored[0].names)} columns of {kind.value}, but there must be"
            " three, one for each answer"
        )
    right = f" ({' and '.join(either)} may be the right one)" if either else ""
    return f"no column is known to hold the model's answer{right}"
