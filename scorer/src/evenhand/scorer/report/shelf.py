"""The examples of one model, each kept once however many numbers refer to it."""

from collections.abc import Hashable, Iterable

from evenhand.scorer.report.blocks import EXAMPLES_A_NUMBER, Example, ExampleSet


class Shelf:
    """A store of examples.

    Args:
        name: unique in a report, and begins with the stem.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.examples: list[Example] = []
        self._places: dict[Hashable, int] = {}

    def put(self, key: Hashable, example: Example) -> int:
        """Return the example's place; a known key keeps its first example."""
        if key not in self._places:
            self._places[key] = len(self.examples)
            self.examples.append(example)
        return self._places[key]

    def example_set(
        self, summary: str, places: Iterable[int], *, most: int = EXAMPLES_A_NUMBER
    ) -> ExampleSet | None:
        """Return the examples behind a number, or None where there are none.

        Args:
            summary: what they are examples of.
            places: all that are behind the number, the best first.
            most: how many of them are shown.
        """
        behind = list(places)
        if not behind:
            return None
        return ExampleSet(
            summary=summary, shelf=self.name, rows=behind[:most], n_behind=len(behind)
        )
