"""Evenhand's BBQ questions: every template, person and row of every category keeps the rules.

For one category: `pytest tests/generator/test_bbq_own_content.py -k Religion`.
"""

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract.bbq import CATEGORIES
from evenhand.generator.bbq.deals import OTHER, STEREOTYPED, UNKNOWN
from evenhand.generator.bbq.faults import _text_faults
from evenhand.generator.bbq.items import Items
from evenhand.generator.bbq.people import read_people, split_group
from evenhand.generator.bbq.question_set import OUR_FOLDER, DrawnCategory, QuestionSet
from evenhand.generator.bbq.questions import NO_SOURCE, Question
from evenhand.generator.bbq.rows import UNKNOWN_WORDINGS, Row
from evenhand.generator.bbq.targets import SECOND_DIMENSION, find_targets
from evenhand.generator.lists import read_list

PRESENT = QuestionSet().categories()
FEWEST_QUESTIONS = 10
CONFORMANCE = os.environ.get("EVENHAND_CONFORMANCE")

Drawn = dict[str, DrawnCategory]
Rendered = dict[str, Items]


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """Return every category, read and drawn with the default seed."""
    return {name: QuestionSet().draw_category(name, seed=0) for name in PRESENT}


@pytest.fixture(scope="module")
def rendered(drawn: Drawn) -> Rendered:
    """Return the rows of every category."""
    return {name: one.items() for name, one in drawn.items()}


def questions_of(drawn: Drawn, category: str) -> list[Question]:
    """Return the templates of a category."""
    return [one.question for one in drawn[category].questions]


def plain_text(question: Question) -> str:
    """Return all words of a template that no person brings: its blocks without slots, its words."""
    source = question.path.read_text(encoding="utf-8")
    blocks = re.findall(r"{% block \w+ %}(.*?){% endblock %}", source, re.DOTALL)
    noun = [question["noun"]]
    words = [word for values in question.words.values() for word in values]
    return " ".join([*(re.sub(r"{{.*?}}", " ", block) for block in blocks), *words, *noun])


def roles_of(row: Row, drawn: DrawnCategory) -> dict[int, int]:
    """Return role -> place of the answer, told by the words of the pairs of the row's question."""
    (draw,) = [one for one in drawn.questions if one.question.index == row.question_index]
    stereotyped = {pair.stereotyped.word for pair in draw.pairs}
    others = {pair.other.word for pair in draw.pairs}
    roles = {UNKNOWN: row.unknown}
    for place, word in enumerate(row.answer_text):
        if place != row.unknown:
            assert (word in stereotyped) != (word in others)
            roles[STEREOTYPED if word in stereotyped else OTHER] = place
    return roles


def test_all_eleven_categories_have_questions() -> None:
    """Nothing of the official release is missing from Evenhand's set."""
    assert PRESENT == CATEGORIES


@pytest.mark.parametrize("category", PRESENT)
def test_the_page_about_the_templates_counts_right(drawn: Drawn, category: str) -> None:
    """README.md beside them says how many questions, sources, labels and names there are."""
    people = read_people(OUR_FOLDER / f"people/{category}.tsv", category)
    kinds = Counter(person.kind for person in people)
    counts = [len(drawn[category].questions), drawn[category].n_with_source]
    row = " | ".join(map(str, [f"| `{category}`", *counts, kinds["label"], kinds["name"]]))

    assert f"{row} |\n" in (OUR_FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("category", PRESENT)
def test_a_category_has_at_least_ten_questions(drawn: Drawn, category: str) -> None:
    """Ten questions about ten different scenes."""
    questions = questions_of(drawn, category)

    assert len(questions) >= FEWEST_QUESTIONS
    assert len({question["subcategory"] for question in questions}) > 1
    assert len({plain_text(question) for question in questions}) == len(questions)


def test_the_ten_wordings_of_unknown_are_those_that_readers_know() -> None:
    """An answer in one of them is told to be UNKNOWN wherever BBQ is scored."""
    wordings = [
        entry.values["wording"]
        for entry in read_list(OUR_FOLDER / "unknown.tsv", required=("wording", "source"))
    ]

    assert len(wordings) == 10
    assert set(wordings) == UNKNOWN_WORDINGS


@pytest.mark.parametrize("category", PRESENT)
def test_every_question_has_a_source_or_says_that_there_is_none(
    drawn: Drawn, category: str
) -> None:
    """An address or a page of the seeds comes with the sentence that attests the stereotype."""
    for question in questions_of(drawn, category):
        source, attested = question["source"], question["attested"]
        assert re.match(rf"https?://\S+\.\S+|seeds/\w+\.txt|{NO_SOURCE}$", source), question.path
        assert (source == NO_SOURCE) == (attested == ""), question.path
        assert source == NO_SOURCE or len(attested.split()) >= 5, question.path
        assert question["stereotype"].endswith("."), question.path


@pytest.mark.parametrize("category", PRESENT)
def test_every_person_of_the_list_has_a_source(category: str) -> None:
    """What joins a name and its group is said beside it."""
    entries = read_list(
        OUR_FOLDER / f"people/{category}.tsv",
        required=("group", "kind", "word", "source"),
        optional=("detail", "match"),
    )

    assert [entry.values["word"] for entry in entries if not entry.values["source"]] == []


GENDERED = re.compile(
    r"\b(she|he|her|hers|him|his|herself|himself|s/he|woman|women|man|men|girls?|boys?|lady|ladies"
    r"|gentlem[ae]n|guys?|females?|males?|mr|mrs|ms|sir|madam|ma'am|wi(?:fe|ves)|husbands?"
    r"|mothers?|fathers?|mum|mom|dad|daughters?|sons?|sisters?|brothers?|aunts?|uncles?|nieces?"
    r"|nephews?|grandmothers?|grandfathers?|grandma|grandpa|girlfriends?|boyfriends?|waitress"
    r"|actress|salesman|saleswoman|businessman|businesswoman|policeman|policewoman|chairman"
    r"|fireman|stewardess|housewife|bride|groom|widow|widower|king|queen|nun|monk)\b",
    re.IGNORECASE,
)
ALLOWED = {
    "Disability_status/q08": ["brother", "grandmother"],
    "Gender_identity/q30": ["aunt"],
    "Race_x_gender/q12": ["husband", "wife"],
    "Religion/q02": ["girls"],
    "Sexual_orientation/q13": ["men"],
}
"""Words for somebody else than the two persons, or what the stereotype itself is about."""


@pytest.mark.parametrize("category", PRESENT)
def test_nothing_outside_of_the_slots_hints_at_gender(drawn: Drawn, category: str) -> None:
    """No pronoun, no kin, no gendered word stands in a template's own text."""
    forbidden = {
        f"{category}/{question.path.stem}": sorted(set(GENDERED.findall(plain_text(question))))
        for question in questions_of(drawn, category)
    }

    assert {
        name: words
        for name, words in forbidden.items()
        if not set(words) <= set(ALLOWED.get(name, []))
    } == {}


ENDS = re.compile(r"(?<=[.!?])\s+")


@pytest.mark.parametrize("category", PRESENT)
def test_texts_are_plain_sentences_of_sensible_length(rendered: Rendered, category: str) -> None:
    """No sentence has more than 45 words; capitals, spaces and ends are right."""
    for row in rendered[category].rows:
        for sentence in ENDS.split(row.context):
            assert sentence[0].isupper() or not sentence[0].isalpha(), sentence
            assert len(sentence.split()) <= 45, sentence
        assert row.context.endswith((".", "!", '."', ".'")), row.context
        assert re.fullmatch(r"(Who|Which of the two|Whose)\b[^?]+\?", row.question), row.question
        assert len(row.question.split()) <= 20, row.question
        for text in (row.context, row.question, *row.answers):
            assert not re.search(r"[{}]|\s\s|\s[.,;?!]|[.,;?!]{2}", text), text
            assert text == text.strip()


@pytest.mark.parametrize("category", PRESENT)
def test_a_and_an_are_right(rendered: Rendered, category: str) -> None:
    """None of the faults of articles that the official release has."""
    texts = {text for row in rendered[category].rows for text in (row.context, row.question)}

    assert {text: _text_faults(text) for text in texts if _text_faults(text)} == {}


@pytest.mark.parametrize("category", PRESENT)
def test_both_persons_are_named_once_in_each_part(rendered: Rendered, category: str) -> None:
    """Once in the ambiguous context and once more in what disambiguates, and not in questions."""
    for row in rendered[category].rows:
        parts = 1 if row.context_condition == "ambig" else 2
        persons = [row.answers[place] for place in range(3) if place != row.unknown]
        words = sorted((re.sub(r"^The ", "", text) for text in persons), key=len, reverse=True)
        rest, question = row.context, row.question
        for word in words:
            pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
            assert len(pattern.findall(rest)) == parts, (word, row.context)
            assert not pattern.search(question), (word, question)
            rest = pattern.sub("", rest)


@pytest.mark.parametrize("category", PRESENT)
def test_the_right_answer_is_unknown_or_the_person_that_the_context_tells(
    drawn: Drawn, rendered: Rendered, category: str
) -> None:
    """Ambiguous: UNKNOWN. Disambiguated: one person for one question, the other for the other."""
    rows = rendered[category].rows
    for start in range(0, len(rows), 4):
        neg_ambig, neg_told, nonneg_ambig, nonneg_told = rows[start : start + 4]
        assert neg_ambig.label == nonneg_ambig.label == neg_ambig.unknown
        assert {neg_told.label, nonneg_told.label, neg_ambig.unknown} == {0, 1, 2}
        roles = roles_of(neg_told, drawn[category])
        is_stereotyped = neg_told.label == roles[STEREOTYPED]
        assert (neg_told.version in "ac") == is_stereotyped


@pytest.mark.parametrize("category", PRESENT)
def test_what_tells_the_persons_apart_is_what_is_said_of_them(drawn: Drawn, category: str) -> None:
    """With the persons exchanged the disambiguating part is the same but for their words."""
    for draw in drawn[category].questions:
        for pair in draw.pairs:
            one, two = (
                person.in_text(draw.question["noun"]) for person in (pair.stereotyped, pair.other)
            )
            told = draw.question.disambiguating(one, two, pair.words)
            exchanged = draw.question.disambiguating(two, one, pair.words)
            swapped = re.sub(
                rf"\b({re.escape(one)}|{re.escape(two)})(?!\w)",
                lambda match, one=one, two=two: str(two if match[1] == one else one),
                told,
            )
            assert told != exchanged
            assert swapped == exchanged


@pytest.mark.parametrize("category", PRESENT)
def test_targets_are_those_that_the_importer_would_find(rendered: Rendered, category: str) -> None:
    """Read back as an official file, each row has the target that it was made with."""
    items = rendered[category]
    targets = find_targets(category, items.rows)

    assert [why for why in targets.why_no_target if why] == []
    assert targets.target == items.targets.target


@pytest.mark.parametrize("category", PRESENT)
def test_targets_are_the_stereotyped_for_neg_and_the_other_for_nonneg(
    drawn: Drawn, rendered: Rendered, category: str
) -> None:
    """The target flips with the question and not with the context."""
    items = rendered[category]
    for row, target in zip(items.rows, items.targets.target, strict=True):
        roles = roles_of(row, drawn[category])
        assert target == roles[STEREOTYPED if row.question_polarity == "neg" else OTHER]


@pytest.mark.parametrize("category", PRESENT)
def test_the_two_questions_differ_and_name_nobody(drawn: Drawn, category: str) -> None:
    """Both ask about the same matter from its two sides, with the same words of the scene."""
    for question in questions_of(drawn, category):
        words = {name: values[0] for name, values in question.words.items()}
        texts = [question.question(name, words) for name in ("negative", "nonnegative")]
        assert texts[0].casefold() != texts[1].casefold()


@pytest.mark.parametrize("category", PRESENT)
def test_no_context_comes_twice(rendered: Rendered, category: str) -> None:
    """Each example has an ambiguous and a disambiguated context of its own."""
    items = rendered[category]

    assert len({row.context for row in items.rows}) == 2 * len(items.groups)


@pytest.mark.parametrize("category", PRESENT)
def test_roles_wordings_and_arrangements_are_balanced(
    drawn: Drawn, rendered: Rendered, category: str
) -> None:
    """Each role stands equally often at each place, give or take one example; so do the rest."""
    rows = rendered[category].rows[::4]
    places = Counter(
        (role, place) for row in rows for role, place in roles_of(row, drawn[category]).items()
    )
    wordings = Counter(row.answers[row.unknown] for row in rows)
    is_first = Counter(row.version in "ab" for row in rows)
    is_negative = Counter(row.version in "ac" for row in rows)

    assert len(places) == 9
    for counts in (places, wordings, is_first, is_negative):
        assert max(counts.values()) - min(counts.values()) <= 1
    by_version = Counter(row.version for row in rows)
    # An odd number of pairs leaves one over, in each question.
    assert max(by_version.values()) - min(by_version.values()) <= len(drawn[category].questions)


@pytest.mark.parametrize("category", PRESENT)
def test_neither_side_is_always_told_first(drawn: Drawn, category: str) -> None:
    """Who is told of first in the disambiguating part does not give the answer away."""
    first = Counter()
    for question in questions_of(drawn, category):
        source = question.path.read_text(encoding="utf-8")
        block = source[source.index("{% block disambiguating %}") :]
        first[re.findall(r"{{ (negative|nonnegative)\b", block)[0]] += 1

    assert 0.3 <= first["negative"] / first.total() <= 0.7


@pytest.mark.parametrize("category", [name for name in PRESENT if name in SECOND_DIMENSION])
def test_intersectional_pairs_differ_in_one_dimension_the_other_or_both(
    drawn: Drawn, category: str
) -> None:
    """Each of the three comparisons has a fair share of the category's pairs."""
    kinds: Counter[Any] = Counter()
    for draw in drawn[category].questions:
        for pair in draw.pairs:
            parts = (split_group(category, one.group) for one in (pair.stereotyped, pair.other))
            kinds[tuple(a != b for a, b in zip(*parts, strict=True))] += 1

    assert set(kinds) == {(True, False), (False, True), (True, True)}
    assert min(kinds.values()) >= kinds.total() / 5


def test_rows_with_names_are_kept_apart(rendered: Rendered) -> None:
    """Names stand for groups only by custom, so `label_type` tells them from labels."""
    kinds = {name: set(items.targets.label_type) for name, items in rendered.items()}

    for name in ("Gender_identity", "Race_ethnicity", "Race_x_gender"):
        assert kinds[name] == {"label", "name"}


RUN = 8
"""Words in a row that two texts share only if one was taken from the other."""


def runs(text: str) -> set[tuple[str, ...]]:
    """Return all runs of words of a text."""
    words = re.findall(r"[\w']+", text.casefold())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


@pytest.fixture(scope="module")
def official() -> str:
    """Return all texts of the official files at hand: rows and templates."""
    folder = Path(CONFORMANCE or "") / "bbq"
    rows = [
        json.loads(line)
        for path in sorted((folder / "data").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    texts = {row[name] for row in rows for name in ("context", "question")}
    templates = [
        path.read_text(encoding="utf-8") for path in sorted((folder / "templates").glob("new*.csv"))
    ]
    return "\n".join([*sorted(texts), *templates])


@pytest.mark.conformance
@pytest.mark.skipif(CONFORMANCE is None, reason="EVENHAND_CONFORMANCE is not set")
@pytest.mark.parametrize("category", PRESENT)
def test_nothing_is_taken_from_the_official_files(
    rendered: Rendered, official: str, category: str
) -> None:
    """No question is an official one, and no context shares eight words in a row with one."""
    theirs = set().union(*map(runs, official.splitlines()))
    lines = {line.strip().casefold() for line in official.splitlines()}
    texts = {text for row in rendered[category].rows for text in (row.context, row.question)}

    assert [text for text in sorted(texts) if runs(text) & theirs] == []
    assert [text for text in sorted(texts) if text.casefold() in lines] == []
