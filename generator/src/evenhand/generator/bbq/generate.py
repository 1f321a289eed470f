"""From options to configs of Evenhand's question set, or of a user's."""

from collections.abc import Iterator
from typing import Any

from evenhand.contract.bbq import QUESTIONS_PER_GROUP
from evenhand.generator.bbq.card import CARD
from evenhand.generator.bbq.items import config_rows
from evenhand.generator.bbq.options import GenerateOptions
from evenhand.generator.bbq.pairs import PAIRS_A_QUESTION
from evenhand.generator.bbq.question_set import DrawnCategory, QuestionSet
from evenhand.generator.bbq.questions import NO_SOURCE
from evenhand.generator.benchmark import Prepared, Settings
from evenhand.generator.lists import describe_sources


def prepare(settings: Settings) -> Prepared:
    """Read, check and draw what a version is made of; rendering begins with its configs.

    Raises:
        WrongUse: a config is unknown.
        DataRefused: a template or list is faulty; the sentence names file and line.
    """
    templates = GenerateOptions(**settings.options).templates
    questions = QuestionSet(templates)
    names = questions.choose_categories(settings.configs)
    drawn = [questions.draw_category(name, settings.seed) for name in names]
    limit = settings.limit
    return Prepared(
        card=CARD,
        n_rows=sum(_examples(one, limit) for one in drawn) * QUESTIONS_PER_GROUP,
        provenance={
            "made_by": "generate",
            "templates": "evenhand" if templates is None else "user",
            "content_sha256": questions.digest(names),
            "content": questions.digests(names),
            "pairs_a_question": PAIRS_A_QUESTION,
            "limit": limit,
            "questions": {one.name: len(one.questions) for one in drawn},
            "questions_with_source": {one.name: one.n_with_source for one in drawn},
        },
        construction=_construction_lines(drawn, questions, settings),
        notes=_notes(settings),
        configs=lambda: (
            config_rows(one.items(), limit=limit, seed=settings.seed) for one in drawn
        ),
    )


def _examples(drawn: DrawnCategory, limit: int | None) -> int:
    return drawn.n_examples if limit is None else min(drawn.n_examples, limit)


def _construction_lines(
    drawn: list[DrawnCategory], questions: QuestionSet, settings: Settings
) -> list[str]:
    whose = "a user's" if settings.options.get("templates") else "Evenhand's"
    people = describe_sources(questions.people_lists(tuple(one.name for one in drawn)))
    return [
        f"Rendered from {whose} templates and lists of people by `evenhand generate bbq`.",
        (
            f"Drawn with seed {settings.seed}: up to {PAIRS_A_QUESTION} pairs of people per"
            " question, the words of their scene, the wording of UNKNOWN and the order of the"
            " answers. Each role (stereotyped person, other person, UNKNOWN) is equally often at"
            " each of the three positions in a whole category, give or take one example; in a"
            " sample (`--limit`) nearly so."
        ),
        (
            "A new seed (`evenhand generate bbq --seed N`) gives a set that is in no training"
            " corpus: other pairs, words, wordings of UNKNOWN and orders. Single contexts may"
            " recur, since the lists are short. Give such a set its own version number."
        ),
        _sources(drawn),
        f"Sources of the words for people: {people}.",
        "Unlike the official questions, these were not reviewed by a panel of annotators.",
    ]


def _sources(drawn: list[DrawnCategory]) -> str:
    """State the share of questions whose stereotype has a source, of all and by category."""
    n = sum(len(one.questions) for one in drawn)
    n_with = sum(one.n_with_source for one in drawn)
    by_category = ", ".join(
        f"{one.name} {one.n_with_source} of {len(one.questions)}" for one in drawn
    )
    return (
        f"The stereotype has a source, named in `source`, in {n_with:,} of {n:,} questions"
        f" ({100 * n_with / n:.0f} %; {by_category}); in the others `source` is `{NO_SOURCE}`."
        " The template quotes the sentence that attests it."
    )


def _notes(settings: Settings) -> list[str]:
    if settings.seed == 0 or settings.limit is not None:
        return []
    other = "the rows differ from those of the default seed, 0; give the dataset another --version"
    return [f"seed {settings.seed}: {other}"]


def catalogue() -> Iterator[dict[str, Any]]:
    """Yield one row per config: its counts, without rendering anything."""
    questions = QuestionSet()
    for name in questions.categories():
        drawn = questions.draw_category(name, seed=0)
        yield {
            "config": name,
            "rows": drawn.n_rows,
            "examples": drawn.n_examples,
            "templates": len(drawn.questions),
            "subjects": drawn.n_people,
        }
