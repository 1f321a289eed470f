"""Which columns of a table say what: names that people give them, and refusing where two fit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

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
"""Columns of the benchmark's own rows: beside them, an ``answer`` or ``label`` is the right one."""

_SCORE_LISTS = ("scores", "logprobs", "probs", "probabilities", "logits", "loglikelihoods")
_SCORES = re.compile(r"(?:score|scores|logprob|logprobs|prob|p|logit|loglikelihood|ll)(\d)")
_OPTIONS = re.compile(r"(?:ans|answer|option|choice)(\d|[abc])")
SCORES = "scores"
"""What is chosen where three columns hold a number each."""


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
    """Three columns of a number each."""
    score_list: str | None = None
    """One column of three numbers."""
    wrong: str | None = None
    """Why the columns do not say enough, in one clause."""

    def used(self) -> list[str]:
        """Return all names that are read."""
        single = (self.id, self.category, self.number, self.context, self.question, self.prompt,
                  self.answer, self.score_list)  # fmt: skip
        return [*dict.fromkeys([*filter(None, single), *self.options, *self.scores])]

    def sentence(self) -> str:
        """Say which columns were taken for what."""
        key = self.id or (f"{self.category} and {self.number}" if self.number else None)
        if self.number and not self.category:
            key = self.number
        key = key or (f"{self.context} and {self.question}" if self.context else self.prompt)
        answers = ", ".join(self.scores) or self.score_list or self.answer
        return f"questions are told by {key}, answers are read from {answers}"


def guess_columns(names: Sequence[str], chosen: str | None = None) -> Columns:
    """Find out what the columns of a table are.

    Args:
        names: of the columns.
        chosen: the column that holds the answer, where somebody says so; ``scores`` for scores.

    >>> guess_columns(["Example ID", "Category", "ans0", "label", "Model answer"]).sentence()
    'questions are told by Category and Example ID, answers are read from Model answer'
    """
    plain = [plain_name(name) for name in names]

    def one(known: Sequence[str]) -> str | None:
        return next((names[plain.index(name)] for name in known if name in plain), None)

    found = Columns(
        id=one(IDS), category=one(CATEGORIES), number=one(NUMBERS), context=one(CONTEXTS),
        question=one(QUESTIONS), prompt=one(PROMPTS), options=_numbered(names, plain, _OPTIONS),
        scores=_numbered(names, plain, _SCORES),
    )  # fmt: skip
    if not (found.id or found.number or (found.context and found.question) or found.prompt):
        found.wrong = "no column tells the question (id; category and example_id; context and"
        found.wrong += " question)"
    elif repeated := [
        name for name in names if list(names).count(name) > 1 and name in found.used()
    ]:
        found.wrong = f"the column {repeated[0]} stands twice"
    else:
        _choose_answer(found, names, plain, chosen)
    return found


def plain_name(name: str) -> str:
    """Return a name without case and marks.

    >>> plain_name("Example_ID"), plain_name("score_0")
    ('exampleid', 'score0')
    """
    return re.sub(r"[\W_]", "", name).casefold()


def _numbered(names: Sequence[str], plain: Sequence[str], pattern: "re.Pattern[str]") -> list[str]:
    """Return the three columns of one kind in their order, none where they are not three."""
    found: dict[str, str] = {}
    for name, own in zip(names, plain, strict=True):
        if match := pattern.fullmatch(own):
            if match[1] in found:
                return []
            found[match[1]] = name
    marks = "".join(sorted(found))
    return [found[mark] for mark in marks] if marks in {"012", "123", "abc"} else []


def _choose_answer(
    found: Columns, names: Sequence[str], plain: Sequence[str], chosen: str | None
) -> None:
    """Find the columns of the answer, or say why they cannot be told."""
    predicted = [name for name, own in zip(names, plain, strict=True) if own in PREDICTED]
    predicted = [name for name in predicted if name not in {*found.options, found.prompt}]
    either = [name for name, own in zip(names, plain, strict=True) if own in EITHER]
    is_official = bool(found.options) or any(name in OFFICIAL for name in plain)
    listed = [name for name, own in zip(names, plain, strict=True) if own in _SCORE_LISTS]
    scored = [SCORES] if found.scores else listed
    candidates = [*predicted, *scored] or ([] if is_official else either)
    if chosen is not None:
        candidates = [chosen] if chosen in {*names, *scored} else []
    if len(candidates) > 1:
        found.wrong = f"{' and '.join(candidates)} may each hold the model's answer"
    elif not candidates:
        right = f" ({' and '.join(either)} may be the right one)" if either else ""
        found.wrong = f"no column is known to hold the model's answer{right}"
    elif candidates[0] in listed:
        found.score_list, found.scores = candidates[0], []
    elif candidates != [SCORES]:
        found.answer, found.scores = candidates[0], []
