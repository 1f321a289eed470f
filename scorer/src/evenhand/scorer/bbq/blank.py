"""What goes into BBQ's blank file; see ``evenhand.scorer.blank``."""

SHOWN = {
    "id": "the question's name",
    "context": "the text",
    "question": "what is asked about it",
    "ans0": "the first answer",
    "ans1": "the second answer",
    "ans2": "the third answer",
}
FILLED = {"prediction": "the model's answer: the text of one of the three, or its number or letter"}
ASKED = (
    "Show the model `context`, `question` and the three answers, and let it choose one. How you"
    " word it (for example with letters A, B and C) is up to you; use the same words for all rows."
)


def shown_columns(_config: str) -> tuple[str, ...]:
    """Return the shown columns, the same for every category."""
    return tuple(SHOWN)
