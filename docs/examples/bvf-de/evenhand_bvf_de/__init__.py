"""German rules for mining contexts: the lists beside this file, read as Evenhand reads lists."""

from pathlib import Path

from evenhand.generator.bvf.listed import ListedRules
from evenhand.generator.bvf.topics import NamedTopic

FOLDER = Path(__file__).parent


def rules(topic: NamedTopic, occupations: Path | None, _has_coreference: bool) -> ListedRules:
    """Return the rules for a topic; Evenhand calls it, as the entry point in pyproject.toml says.

    Args:
        topic: the words of Y, in German.
        occupations: a file with X; null for the list beside this file.
        _has_coreference: a component says what refers to what; the parse then carries it.
    """
    return ListedRules(FOLDER, topic, occupations)
