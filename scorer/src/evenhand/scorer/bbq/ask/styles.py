r"""BBQ's prompts: a text and three options for each row.

Documented elsewhere: BBQ's release has UnifiedQA's answers to three inputs, called RACE format, ARC
format and a question-only baseline (nyu-mll/BBQ, README); the paper adds that the baseline leaves
the context out. UnifiedQA's README (allenai/unifiedqa) sets the parts: lower case, the question
first, parts separated by `` \n `` written as a backslash and an n, options as ``(a) ... (b) ...``,
and for sets with a paragraph (RACE) the paragraph last.

Our choices: in ``arc``, which has no part for a paragraph, the context stands before the question
in its part (as in the README's example about a freezer); ``plain``, ``chat`` and the two styles for
multiple-choice heads, which read the context, and question and answer as one text.
"""

import polars as pl

from evenhand.contract.errors import WrongUse
from evenhand.scorer.runtime.options import Prompts

COLUMNS = ("id", "context", "question", "ans0", "ans1", "ans2")
"""The columns of a row that prompts use."""

# allenai/unifiedqa, README: "this separator isn't the newline character [...] but backslash-n".
_SEPARATOR = r" \n "
_OPTIONS = ("option0", "option1", "option2")


def prompts(rows: pl.DataFrame, style: str) -> Prompts:
    r"""Write the prompts of rows in a style.

    Args:
        rows: the columns of :data:`COLUMNS`.
        style: one of :data:`STYLES`. The texts of ``chat`` are user messages, to which the model's
            chat template has yet to be applied.

    Raises:
        WrongUse: there is no such style.

    >>> row = {
    ...     "id": "a",
    ...     "context": "Ann met Bo.",
    ...     "question": "Who sang?",
    ...     "ans0": "Ann",
    ...     "ans1": "Unknown",
    ...     "ans2": "Bo",
    ... }
    >>> asked = prompts(pl.DataFrame([row]), "race")
    >>> print(asked.texts[0])
    who sang? \n (a) ann (b) unknown (c) bo \n ann met bo.
    >>> asked.options.row(0)
    ('ann', 'unknown', 'bo')
    """
    if style not in _WORDS:
        raise WrongUse(f"There is no prompt style {style}; choose one of {', '.join(STYLES)}.")
    text, option = _WORDS[style]
    texts = rows.with_columns(pl.col(COLUMNS).cast(pl.String)).select(
        text.alias("text"),
        *(option(place).alias(name) for place, name in enumerate(_OPTIONS)),
    )
    return Prompts(rows["id"].cast(pl.String), texts["text"], texts.select(_OPTIONS))


def _lettered(separator: str) -> pl.Expr:
    """Return the three answers in one text, each after its letter."""
    marked = [
        pl.format("({}) {}", pl.lit("abc"[place]), pl.col(f"ans{place}")) for place in (0, 1, 2)
    ]
    return pl.concat_str(marked, separator=separator)


def _unified(*parts: pl.Expr) -> pl.Expr:
    return pl.concat_str(parts, separator=_SEPARATOR).str.to_lowercase()


def _lower_answer(place: int) -> pl.Expr:
    return pl.col(f"ans{place}").str.to_lowercase()


def _answer(place: int) -> pl.Expr:
    return pl.col(f"ans{place}")


def _answer_after_a_space(place: int) -> pl.Expr:
    return pl.concat_str(pl.lit(" "), f"ans{place}")


def _question_and_answer(place: int) -> pl.Expr:
    return pl.concat_str("question", f"ans{place}", separator=" ")


_CONTEXT, _QUESTION = pl.col("context"), pl.col("question")
_CHAT = pl.format(
    "{}\n{}\n{}\nAnswer with one of the three answers, word for word and without its letter.",
    _CONTEXT,
    _QUESTION,
    _lettered("\n"),
)
_WORDS = {
    "race": (_unified(_QUESTION, _lettered(" "), _CONTEXT), _lower_answer),
    "arc": (
        _unified(pl.concat_str(_CONTEXT, _QUESTION, separator=" "), _lettered(" ")),
        _lower_answer,
    ),
    "qonly": (_unified(_QUESTION, _lettered(" ")), _lower_answer),
    "plain": (pl.format("{}\n{}\nAnswer:", _CONTEXT, _QUESTION), _answer_after_a_space),
    "chat": (_CHAT, _answer),
    "pair": (_CONTEXT, _question_and_answer),
    "pair-qonly": (_QUESTION, _answer),
}
STYLES = tuple(_WORDS)
"""``race``, ``arc`` and ``qonly`` are UnifiedQA's formats; ``plain`` and ``chat`` are for
generative models; ``pair`` and its question-only baseline are for multiple-choice heads."""
