"""Pairs of persons -> the rows of the release's form, four a pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.official_draws import Draw, draw_template_pairs
from evenhand.generator.bbq.official_intersectional import intersectional_pairs
from evenhand.generator.bbq.official_jinja import Pair, Person, Texts, repaired
from evenhand.generator.bbq.official_templates import OfficialTemplate, TemplateFile
from evenhand.generator.bbq.official_vocabulary import Vocabulary
from evenhand.generator.bbq.rows import UNKNOWN, Row, Triple

MAX_ROWS = 500_000
"""Of one category; the release's largest has 15,960."""

Info = tuple[str, str]
"""What the release says of an answer: the name in it and its group."""


@dataclass(kw_only=True)
class Rendered:
    """The rows of one category, and what was drawn for them."""

    category: str
    rows: list[Row] = field(default_factory=list)
    random_parts: dict[str, dict[str, None]] = field(default_factory=dict)
    """What was drawn -> questions for which it was."""
    n_faulty: int = 0
    """Groups of four in which the original takes an answer for another person's."""


def render_templates(
    file: TemplateFile, vocabulary: Vocabulary, *, seed: int, substring_faults: bool
) -> Rendered:
    """Render all templates of a category.

    Args:
        file: the templates.
        vocabulary: for templates that bring no words.
        seed: of the draws.
        substring_faults: find the person in an answer as the original does, by substring.

    Raises:
        DataRefused: a template cannot be filled; the sentence names file, row and column.
    """
    rendered = Rendered(category=file.category)
    seen: dict[str, int] = {}
    for template in file.templates:
        key = f"{file.category}/{template.question}/{template.version}"
        seen[key] = seen.get(key, 0) + 1
        draw = Draw(seed, f"{key}/{seen[key]}")
        for pair in _pairs(template, vocabulary, draw):
            _add_four(rendered, template, pair, draw, substring_faults=substring_faults)
        for what in sorted(draw.random_parts):
            rendered.random_parts.setdefault(what, {})[template.question] = None
    return rendered


def _pairs(template: OfficialTemplate, vocabulary: Vocabulary, draw: Draw) -> Iterator[Pair]:
    if template.second is None:
        return draw_template_pairs(template, vocabulary, draw)
    return intersectional_pairs(template, template.second, vocabulary, draw)


def _add_four(
    rendered: Rendered,
    template: OfficialTemplate,
    pair: Pair,
    draw: Draw,
    *,
    substring_faults: bool,
) -> None:
    if len(rendered.rows) >= MAX_ROWS:
        raise DataRefused(
            f"{template.record.path} gives more than {MAX_ROWS:,} rows; shorten its lists."
        )
    texts = template.render(pair)
    infos = infos_by_slot(template, pair)
    faulty = infos_by_substring(texts, pair)
    rendered.n_faulty += infos != faulty
    number = len(rendered.rows)
    for row in four_rows(template, pair, texts, faulty if substring_faults else infos, draw):
        rendered.rows.append(replace(row, example_id=number + row.example_id))


def infos_by_slot(template: OfficialTemplate, pair: Pair) -> tuple[Info, Info]:
    """Return what stands in the two answers, told by their slots."""
    persons = (pair.first, pair.second)
    negative, other = (
        ("", "") if place is None else _info(persons[place]) for place in template.answered
    )
    return negative, other


def _info(person: Person) -> Info:
    text = person.name if person.second is None else f"{person.name} {person.second}"
    return repaired(text, with_articles=False), person.info


def infos_by_substring(texts: Texts, pair: Pair) -> tuple[Info, Info]:
    """Return what the original finds in the two answers, by substring; the last find counts.

    So ``men`` is found in ``women`` and ``African`` in ``African American``, and nothing where a
    name was repaired (``Latina``). Only ``man`` is kept out of ``woman``, by a space before it.
    """
    infos: list[Info] = [("", ""), ("", "")]
    for person in (pair.first, pair.second):
        parts = [person.name] if person.second is None else [person.name, person.second]
        parts[-1] = " man" if parts[-1] == "man" else parts[-1]
        for place, answer in enumerate((texts.negative_answer, texts.nonnegative_answer)):
            if all(part in answer for part in parts):
                infos[place] = " ".join(part.lstrip() for part in parts), person.info
    return infos[0], infos[1]


def four_rows(
    template: OfficialTemplate, pair: Pair, texts: Texts, infos: tuple[Info, Info], draw: Draw
) -> Iterator[Row]:
    """Yield the four rows of a pair; they share the order of the answers.

    Args:
        template: where the texts are from.
        pair: who fills its slots.
        texts: the texts.
        infos: name and group of the negative and of the non-negative answer.
        draw: for the order of the answers and the wording of UNKNOWN.

    Returns:
        Rows whose ``example_id`` is 0 to 3.
    """
    wording, order = draw.unknown(), draw.order()
    said = (*infos, (wording, UNKNOWN))
    negative, nonnegative, unknown = (order.index(which) for which in range(3))
    ambiguous = texts.ambiguous.strip()
    told = f"{ambiguous} {texts.disambiguating}".strip()
    shared = Row(
        category=template.category,
        example_id=0,
        question_index=template.question,
        question_polarity="neg",
        context_condition="ambig",
        context=ambiguous,
        question=texts.negative_question.strip(),
        answers=_in_order((texts.negative_answer, texts.nonnegative_answer, wording), order),
        answer_text=_in_order([text for text, _ in said], order),
        answer_group=_in_order([group for _, group in said], order),
        label=unknown,
        unknown=unknown,
        subcategory=pair.subcategory or template.subcategory,
        stereotyped_groups=template.groups,
        version=template.version,
        source=texts.source,
    )
    other = replace(
        shared,
        example_id=2,
        question_polarity="nonneg",
        question=texts.nonnegative_question.strip(),
    )
    for asked, right in ((shared, negative), (other, nonnegative)):
        yield asked
        yield replace(
            asked,
            example_id=asked.example_id + 1,
            context_condition="disambig",
            context=told,
            label=right,
        )


def _in_order(three: Sequence[str], order: tuple[int, int, int]) -> Triple:
    first, second, third = (three[place] for place in order)
    return first, second, third
