"""The columns of BBQ's blank file; see ``evenhand.scorer.blank``."""

SHOWN = {
    "id": "the question's id",
    "context": "the text that is shown before the question",
    "question": "the question about it",
    "ans0": "the first answer",
    "ans1": "the second answer",
    "ans2": "the third answer",
}
FILLED = {"prediction": "the model's answer: the text of one of the three, or its number or letter"}
ASKED = (
    "Show the model `context`, `question` and the three answers, and let it choose one. The wording"
    " of the prompt (for example with letters A, B and C) is up to you; use the same for all rows."
)


def shown_columns(_config: str) -> tuple[str, ...]:
    """Return the shown columns, the same for every category."""
    return tuple(SHOWN)
