"""What goes into BVF's blank file; see ``evenhand.scorer.blank``."""

SHOWN = {
    "id": "the text's name",
    "text": "a text with a gap, `[Y]`",
}
FILLED = {"answer": "the one word that the model puts into the gap"}
ASKED = (
    "Show the model `text` and let it name the one word that it expects at `[Y]`. Only words of the"
    " dataset's list count; it stands in the dataset's `evenhand.json` under `provenance.topics`,"
    " and whoever sent you this file can name it. With several answers to a text repeat its row and"
    " number them in a column `sample` (0, 1, 2, ...): their frequencies count."
)


def shown_columns(_config: str) -> tuple[str, ...]:
    """Return the shown columns, the same for every topic."""
    return tuple(SHOWN)
