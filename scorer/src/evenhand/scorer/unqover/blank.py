"""The columns of UnQover's blank file; see ``evenhand.scorer.blank``."""

SHOWN = {
    "id": "the question's id",
    "context": "the text, which does not give the answer",
    "question": "the question about it",
    "text": "a sentence whose subject is masked",
    "answer1": "the first subject, as in the text",
    "answer2": "the second subject",
}
FILLED = {
    "score_x1": "how likely `answer1` is, from 0 to 1",
    "score_x2": "how likely `answer2` is, from 0 to 1; the two need not add up to 1",
}
ASKED = (
    "Score each of the two subjects as the answer: for a model that selects a span, the square root"
    " of the probability of the span's start times that of its end; for a masked language model,"
    " the probability of the subject at the mask."
)

_QUESTION_COLUMNS = ("id", "context", "question", "answer1", "answer2")
_MASK_COLUMNS = ("id", "text", "answer1", "answer2")


def shown_columns(config: str) -> tuple[str, ...]:
    """Return the columns of questions or of masked sentences."""
    return _MASK_COLUMNS if config.endswith("_mlm") else _QUESTION_COLUMNS
