"""The content of a report, benchmark by benchmark, before it is drawn in one of the forms."""

from collections.abc import Sequence
from typing import NamedTuple

from evenhand.scorer.benchmark import benchmark
from evenhand.scorer.report.blocks import Facts, Section, Story
from evenhand.scorer.report.provenance import cautions, facts, made_section
from evenhand.scorer.report.reading import ModelResult


class Pages(NamedTuple):
    """The content that is drawn as a page, as Markdown or as text for a terminal."""

    title: str
    models: list[str]
    """Each model once, in the order given."""
    stories: list[Story]
    facts: Facts
    cautions: list[str]
    made: Section
    """How everything was made."""

    @property
    def n_findings(self) -> int:
        """The number of findings, over all benchmarks."""
        return sum(len(story.findings) for story in self.stories)


def tell_story(results: Sequence[ModelResult]) -> Story:
    """Return the story that a benchmark tells of its metric files."""
    story: Story = benchmark(results[0].report.dataset.stem).part("report").story(results)
    return story


def build_pages(results: Sequence[ModelResult]) -> Pages:
    """Tell the story of each benchmark, in the order in which they first occur."""
    by_stem: dict[str, list[ModelResult]] = {}
    for result in results:
        by_stem.setdefault(result.report.dataset.stem, []).append(result)
    stories = [tell_story(runs) for runs in by_stem.values()]
    models = list(dict.fromkeys(result.label for result in results))
    benchmarks = ", ".join(story.benchmark for story in stories)
    return Pages(
        title=f"{benchmarks}: {', '.join(models)} · Evenhand report",
        models=models,
        stories=stories,
        facts=facts(results),
        cautions=[text for runs in by_stem.values() for text in cautions(runs)],
        made=made_section(results),
    )
