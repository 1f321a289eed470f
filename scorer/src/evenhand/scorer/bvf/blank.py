"""Columns and instructions of BVF's blank predictions file; see ``evenhand.scorer.blank``."""

SHOWN = {
    "id": "the id of the text",
    "text": "a text with a gap, `[Y]`",
}
FILLED = {"answer": "the single word that the model puts into the gap"}
ASKED = (
    "Show the model `text` and ask for the single word that it expects at `[Y]`. Only words of the"
    " dataset's list count; the list is in the dataset's `evenhand.json` under `provenance.topics`,"
    " and whoever sent you this file can tell you. For several answers to a text, repeat its row"
    " and number them in a column `sample` (0, 1, 2, ...): their relative frequencies are scored."
)


def shown_columns(_config: str) -> tuple[str, ...]:
    """Return the shown columns, the same for every topic."""
    return tuple(SHOWN)
