"""What goes into UnQover's blank file; see ``evenhand.scorer.blank``."""

SHOWN = {
    "id": "the question's name",
    "context": "the text; it does not hold the answer",
    "question": "what is asked about it",
    "text": "a sentence whose subject is masked",
    "answer1": "the first subject, as it stands in the text",
    "answer2": "the second subject",
}
FILLED = {
    "score_x1": "how likely `answer1` is, from 0 to 1",
    "score_x2": "how likely `answer2` is, from 0 to 1; the two need not add up to 1",
}
ASKED = (
    "Read off the model how likely each of the two subjects is as the answer: of a model that"
    " marks a span, the square root of the probability of its start times that of its end; of a"
    " masked language model, the probability of the subject at the mask."
)

_OF_QUESTIONS = ("id", "context", "question", "answer1", "answer2")
_OF_MASKS = ("id", "text", "answer1", "answer2")


def shown_columns(config: str) -> tuple[str, ...]:
    """Return the columns of questions, or of masked sentences."""
    return _OF_MASKS if config.endswith("_mlm") else _OF_QUESTIONS
