"""`import bbq --templates`: CSV files in the official form become rows in the release's form."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.contract.bbq import Item
from evenhand.contract.dataset import Manifest, verify
from evenhand.generator.bbq import official
from evenhand.generator.bbq.faults import STRAY_BRACE
from evenhand.generator.bbq.official_draws import SLOT_WORDS
from evenhand.generator.bbq.official_templates import read_templates
from evenhand.generator.bbq.targets import NEITHER
from evenhand.generator.benchmark import ImportSettings
from evenhand.generator.build import Recipe, build
from evenhand.generator.restricted import parse

PLAIN = {"Names": "", "Lexical_diversity": "", "NAME1_info": "", "NAME2_info": ""}
LABELS = {
    **PLAIN,
    "Ambiguous_Context": "A {{NAME1}} person met a {{NAME2}} person.",
    "Disambiguating_Context": "The {{NAME1}} one sang and the {{NAME2}} one did not.",
    "Answer_negative": "The {{NAME2}} one",
    "Answer_non_negative": "The {{NAME1}} one",
}
NAMES = {
    **PLAIN,
    "Ambiguous_Context": "{{NAME1}} met {{NAME2}}.",
    "Disambiguating_Context": "{{NAME1}} sang, {{NAME2}} did not.",
    "Answer_negative": "{{NAME2}}",
    "Answer_non_negative": "{{NAME1}}",
    "Proper_nouns_only": "TRUE",
}
TWO_RACES = {
    "Known_stereotyped_groups": None,
    "NAME1_info": None,
    "NAME2_info": None,
    "Names": '["man", "woman"]',
    "Lexical_diversity": "",
    "Known_stereotyped_race": '["Black", "African American"]',
    "Known_stereotyped_var2": "F",
    "Var2_info": '["M", "F"]',
    "Ambiguous_Context": "A {{NAME1}} {{GEN1}} met a {{NAME2}} {{GEN2}}.",
    "Disambiguating_Context": "The {{NAME1}} {{GEN1}} sang.",
    "Answer_negative": "The {{NAME2}} {{GEN2}}",
    "Answer_non_negative": "The {{NAME1}} {{GEN1}}",
}
NAMED_RACES = {
    **TWO_RACES,
    **{name: NAMES[name] for name in NAMES if "info" not in name},
    "Var2_info": "",
    "Proper_nouns_only": "TRUE",
}


def settings_of(folder: Path, *, seed: int = 0, **options: Any) -> ImportSettings:
    """Return what a call that renders a folder of templates asks for."""
    shared = {name: options.pop(name) for name in ("configs", "limit") if name in options}
    return ImportSettings(
        source=folder, seed=seed, **shared, options={"templates": folder, **options}
    )


def import_templates(folder: Path, out: Path, *, seed: int = 0, **options: Any) -> Manifest:
    """Render and write a version."""
    ready = official.prepare_import(settings_of(folder, seed=seed, **options))
    recipe = Recipe(
        card=ready.card,
        version="1.0.0",
        seed=seed,
        provenance=ready.provenance,
        construction=ready.construction,
    )
    return build(out, recipe, ready.configs(), overwrite=True)


def rows_of(folder: Path, **options: Any) -> list[dict[str, Any]]:
    """Return the rows that the templates of a folder give, all categories."""
    ready = official.prepare_import(settings_of(folder, **options))
    return [
        row for config in ready.configs() for batch in config.batches() for row in batch.to_pylist()
    ]


def notes_of(folder: Path, **options: Any) -> str:
    """Return what the person who runs the command reads on stderr."""
    return "\n".join(official.prepare_import(settings_of(folder, **options)).notes)


def people_in(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Return name and group of the two persons of a row, by name."""
    pairs = zip(row["answer_text"], row["answer_group"], strict=True)
    return sorted(pair for i, pair in enumerate(pairs) if i != row["unknown"])


def test_one_template_worked_by_hand(official_templates) -> None:
    """Two elders meet three youngsters: 6 groups of four; the texts are those of the cells."""
    rows = rows_of(official_templates({"Lexical_diversity": "WORD1: [lake]"}))

    assert len(rows) == 2 * 3 * 4
    first = rows[:4]
    assert [(row["question_polarity"], row["context_condition"]) for row in first] == [
        ("neg", "ambig"),
        ("neg", "disambig"),
        ("nonneg", "ambig"),
        ("nonneg", "disambig"),
    ]
    assert [row["id"] for row in first] == ["Age-00000", "Age-00001", "Age-00002", "Age-00003"]
    assert first[0]["context"] == "A elder met a boy at the lake."
    assert first[3]["context"] == "A elder met a boy at the lake. The elder sang, the boy listened."
    assert [row["question"] for row in first[1:3]] == ["Who was silent?", "Who sang?"]
    right = [row[f"ans{row['label']}"] for row in first]
    assert right[1::2] == ["The boy", "The elder"]
    assert all(row["label"] == row["unknown"] for row in first[::2])
    assert people_in(first[0]) == [("boy", "nonOld"), ("elder", "old")]
    target = [row[f"ans{row['target']}"] for row in first]
    assert target == ["The elder", "The elder", "The boy", "The boy"]
    assert {row["version"] for row in rows} == {"a"}
    assert {(row["source"], row["subcategory"]) for row in rows} == {("ours", "None")}


def test_a_group_of_four_shares_answers_and_their_order(official_templates) -> None:
    """Wording of UNKNOWN, order of the answers and words of slots are the same in all four."""
    rows = rows_of(official_templates({}))

    for start in range(0, len(rows), 4):
        four = rows[start : start + 4]
        assert len({(row["ans0"], row["ans1"], row["ans2"], row["unknown"]) for row in four}) == 1
        assert len({"lake" in row["context"] for row in four}) == 1


def test_the_seed_decides_every_draw_and_nothing_else(official_templates, tmp_path) -> None:
    """The same seed gives the same manifest; another one other words, orders and wordings."""
    folder = official_templates({})

    one, same = (import_templates(folder, tmp_path / name) for name in ("a", "b"))
    other = import_templates(folder, tmp_path / "c", seed=1)

    assert verify(tmp_path / "a")[1] == []
    assert one == same
    assert other.content_digest != one.content_digest
    people = [[people_in(row) for row in rows_of(folder, seed=seed)] for seed in (0, 1)]
    assert people[0] == people[1]


def test_a_template_draws_whatever_its_neighbours_are(official_templates) -> None:
    """Its rows are the same when another template stands before it."""
    alone = rows_of(official_templates({"Q_id": "7"}))
    after = rows_of(official_templates({"Q_id": "6"}, {"Q_id": "7"}))

    def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {key: row[key] for key in row if key not in ("id", "example_id")}
            for row in rows
            if row["question_index"] == "7"
        ]

    assert plain(after) == plain(alone)
    orders = [[one["unknown"] for one in after if one["question_index"] == q] for q in "67"]
    assert orders[0] != orders[1]


def test_rows_are_items_of_the_contract(official_templates, tmp_path) -> None:
    """Each row passes the contract's record, and the version is read by polars."""
    import_templates(official_templates({}), tmp_path / "v")

    for row in pl.read_parquet(tmp_path / "v/Age/*.parquet").to_dicts():
        assert msgspec.convert(row, Item).id == row["id"]


@pytest.mark.parametrize(
    ("file", "row", "expected"),
    [
        # One stereotyped word, five of the other five; each pair both ways round.
        ("Religion", {**LABELS, "Known_stereotyped_groups": '["Jain"]'}, 1 * 5 * 2 * 4),
        ("Religion", {**LABELS, "Known_stereotyped_groups": '["Jain", "Shinto"]'}, 2 * 4 * 2 * 4),
        # Six stereotyped ones of nine are drawn down to five; three others are left.
        (
            "Nationality",
            {**LABELS, "Known_stereotyped_groups": json.dumps([f"N{i}" for i in range(6)])},
            5 * 3 * 2 * 4,
        ),
        ("Sexual_orientation", {**LABELS, "Known_stereotyped_groups": '["gay"]'}, 1 * 2 * 2 * 4),
        ("Race_ethnicity", {**LABELS, "Known_stereotyped_groups": '["Roma"]'}, 1 * 5 * 2 * 4),
        # Without a subcategory all four words meet all others, one way round.
        ("Gender_identity", {**LABELS, "Known_stereotyped_groups": '["F"]'}, 4 * 3 * 4),
        ("Gender_identity", {**LABELS, "Subcategory": "adult"}, 2 * 1 * 4),
        ("Age", {**NAMES, "Known_stereotyped_groups": '["old"]'}, 6 * 5 * 2 * 4),
        ("Gender_identity", {**NAMES, "Known_stereotyped_groups": '["F"]'}, 5 * 5 * 2 * 4),
        # Proper names for the first person, the row's own words for the second.
        ("Gender_identity", {**NAMES, "Names": "NAME1: [x]; NAME2: [man, boss]"}, 5 * 2 * 2 * 4),
        ("Race_ethnicity", {**NAMES, "Known_stereotyped_groups": '["Black"]'}, 5 * 5 * 2 * 4),
        # Two races with five others each, three comparisons, both ways round.
        ("Race_x_gender", TWO_RACES, 2 * 5 * 3 * 2 * 4),
        ("Race_x_gender", NAMED_RACES, 5 * 5 * 3 * 2 * 4),
    ],
)
def test_the_count_of_a_template_follows_from_its_words(
    official_templates, file, row, expected
) -> None:
    """Stereotyped persons times others times orders times four; more than five are drawn down."""
    folder = official_templates(row, file=file)

    rows = rows_of(folder)

    assert len(rows) == expected
    assert f" question: {expected} (1)" in notes_of(folder)


def test_occupations_meet_all_of_the_other_ses(official_templates) -> None:
    """Five of ten are drawn; each meets all occupations of the other SES, both ways round."""
    row = {**LABELS, "Subcategory": "Occupation", "Known_stereotyped_groups": '["low SES"]'}

    rows = rows_of(official_templates(row, file="SES"))

    assert {frozenset(group for _, group in people_in(row)) for row in rows} == {
        frozenset(("lowSES", "highSES"))
    }
    persons = {name for row in rows for name, _ in people_in(row)}
    n_low = len({name for name in persons if name.startswith("low")})
    assert n_low == 6
    assert len(persons) == 10
    # Drawn low ones meet 4 high ones, drawn high ones 6 low ones.
    assert len(rows) in {(low * 4 + (5 - low) * 6) * 2 * 4 for low in range(1, 6)}


def test_words_that_the_release_left_out_are_never_drawn(official_templates) -> None:
    """`Cathar` has Pilot_include No: no seed draws it, and stderr says that a word was left out."""
    folder = official_templates({**LABELS, "Known_stereotyped_groups": '["Jain"]'}, file="Religion")

    drawn = {
        name
        for seed in range(8)
        for row in rows_of(folder, seed=seed)
        for name, _ in people_in(row)
    }

    assert drawn == {"Jain", "Taoist", "Quaker", "Bahai", "Yazidi", "Shinto"}
    assert re.search("1 left out, .* Pilot_include", notes_of(folder))


def test_the_two_orders_of_a_pair_share_their_words(official_templates) -> None:
    """The second group of four has the persons exchanged and the same word in the slot."""
    row = {**LABELS, "Ambiguous_Context": "A {{NAME1}} met a {{NAME2}} at the {{WORD1}}."}
    row |= {"Lexical_diversity": "WORD1: [lake, mill]", "Known_stereotyped_groups": '["Jain"]'}

    rows = rows_of(official_templates(row, file="Religion"))

    for start in range(0, len(rows), 8):
        forward, swapped = rows[start], rows[start + 4]
        assert people_in(forward) == people_in(swapped)
        assert forward["context"].startswith("A Jain met a ")
        assert " met a Jain at the " in swapped["context"]
        assert forward["context"].split()[-1] == swapped["context"].split()[-1]


def test_nationalities_carry_their_region(official_templates) -> None:
    """The second member of each answer is the vocabulary's Info, the first the word."""
    row = {**LABELS, "Known_stereotyped_groups": '["N1"]'}

    rows = rows_of(official_templates(row, file="Nationality"))

    persons = {pair for row in rows for pair in people_in(row)}
    assert ("N1", "region1") in persons
    assert all(group == f"region{int(name[1]) % 3}" for name, group in persons)
    assert {row["why_no_target"] for row in rows} == {None}


def test_names_of_a_race_meet_names_of_others(official_templates) -> None:
    """First and family name are of one race, both persons of one gender, one is stereotyped."""
    row = {**NAMES, "Q_id": "30", "Known_stereotyped_groups": '["Black"]'}

    for one in rows_of(official_templates(row, file="Race_ethnicity")):
        (first, group), (second, other) = people_in(one)
        assert {group[:2], other[:2]} in ({"F-"}, {"M-"})
        assert {group[2:], other[2:]} in ({"Black", "White"}, {"Black", "Arab"})
        assert first.startswith(f"{group[2:]}{group[0]}")
        assert f" {group[2:]}son" in first
        assert f" {other[2:]}son" in second
        assert one["label_type"] == "name"


def test_names_of_a_gender_carry_what_the_row_says_of_them(official_templates) -> None:
    """`trans` and `nonTrans` stand before F and M, as in the release."""
    row = {**NAMES, "NAME1_info": "trans", "NAME2_info": "nonTrans", "Q_id": "30"}
    row |= {"Known_stereotyped_groups": '["trans"]'}

    rows = rows_of(official_templates(row, file="Gender_identity"))

    assert {group for row in rows for _, group in people_in(row)} == {"trans_F", "nonTrans_M"}
    assert {row["why_no_target"] for row in rows} == {None}


@pytest.mark.parametrize("row", [TWO_RACES, NAMED_RACES])
def test_three_comparisons_differ_in_gender_race_or_both(official_templates, row) -> None:
    """The subcategory says what differs from the stereotyped person; each has a third."""
    rows = rows_of(official_templates(row, file="Race_x_gender"))

    differs = {"a": (False, True), "b": (True, False), "c": (True, True)}
    for one in rows:
        (_, first), (_, second) = people_in(one)
        kind = one["subcategory"].removeprefix("intersectional_")
        assert (first[2:] != second[2:], first[0] != second[0]) == differs[kind]
        assert any(group in {"F-Black", "F-African American"} for group in (first, second))
    assert set(Counter(one["subcategory"] for one in rows).values()) == {len(rows) // 3}
    assert {one["why_no_target"] for one in rows} == {None}


def test_race_and_ses_by_occupation_and_by_name(official_templates) -> None:
    """An occupation of the row's SES is drawn for each pair; a proper name keeps its gender."""
    shared = {**TWO_RACES, "Known_stereotyped_var2": "lowSES", "Names": "", "Var2_info": ""}
    shared = {
        key: value.replace("GEN", "OCC") if isinstance(value, str) else value
        for key, value in shared.items()
    }
    by_name = {**shared, "Q_id": "2", "Proper_nouns_only": "TRUE", "Stated_gender_info": "M"}

    rows = rows_of(official_templates(shared, by_name, file="Race_x_SES"))

    assert Counter(row["question_index"] for row in rows) == {"1": 240, "2": 600}
    groups = {group for row in rows for _, group in people_in(row)}
    assert {"lowSES-Black", "highSES-Latino", "lowSES-M-Black", "highSES-M-Arab"} <= groups
    for row in rows:
        for name, group in people_in(row):
            assert name.split()[-2] == group.split("-")[0].removesuffix("SES")
    assert {row["why_no_target"] for row in rows} == {None}


def test_texts_are_repaired_as_the_original_does(official_templates) -> None:
    """`a` becomes `an` inside a text if a name begins with a vowel; lesbian and Latina follow."""
    row = {**LABELS, "Ambiguous_Context": "I saw a {{NAME1}} man and a {{NAME2}} man in a office."}
    row |= {"Known_stereotyped_groups": '["lesbian"]'}
    race = {**TWO_RACES, "Known_stereotyped_race": '["Latino", "African", "European"]'}

    contexts = {
        row["context"] for row in rows_of(official_templates(row, file="Sexual_orientation"))
    }
    races = rows_of(official_templates(race, file="Race_x_gender"), configs=("Race_x_gender",))

    assert "I saw a lesbian woman and a straight man in a office." in contexts
    assert any("met an African man" in row["context"] for row in races)
    assert any("met a European man" in row["context"] for row in races)
    latina = [row for row in races if "Latina woman" in row["context"]]
    assert {name for row in latina for name, _ in people_in(row) if name.startswith("Latin")} <= {
        "Latina woman",
        "Latino man",
    }


def test_substring_faults_are_reproduced_on_request_only(official_templates) -> None:
    """`men` stands in `women`: the original takes one answer for the other; a switch does so."""
    row = {**TWO_RACES, "Names": '["men", "women"]', "Known_stereotyped_race": '["Black"]'}
    folder = official_templates(row, file="Race_x_gender")

    right, faulty = (rows_of(folder, substring_faults=switch) for switch in (False, True))

    for one in right:
        assert all(group[0] == ("F" if "women" in text else "M") for text, group in people_in(one))
    wrong = [one for one in faulty if len(set(people_in(one))) == 1]
    # Black women who stand before Black men, once for each of the five other races.
    assert len(wrong) == 5 * 4
    assert {text for one in wrong for text, _ in people_in(one)} >= {"Black men"}
    assert [one["context"] for one in right] == [one["context"] for one in faulty]
    assert "in 5 groups of four " in notes_of(folder)
    assert " by substring" in notes_of(folder, substring_faults=True)


def test_a_stray_brace_and_double_spaces_are_kept(official_templates) -> None:
    """Both stand in the release; the brace is reported as its known fault."""
    row = {"Ambiguous_Context": "A {{{NAME1}}  met a {{NAME2}}} at the {{WORD1}}."}
    row |= {"Disambiguating_Context": " So what? ", "Answer_negative": "The {{NAME2}} "}
    folder = official_templates(row)

    rows = rows_of(folder)
    contexts = {one["context"].split(" at ")[0] for one in rows}
    assert all(one["context"].endswith(".  So what?") for one in rows[1::2])
    assert any("The boy " in {one[f"ans{i}"] for i in range(3)} for one in rows)

    assert "A {elder  met a boy}" in contexts
    assert f" kept: Age: {STRAY_BRACE}" in notes_of(folder)


def test_columns_are_read_by_header(official_templates) -> None:
    """Without `version` rows have None, as the release's; rows without a context are left out."""
    row = {"version": None}

    rows = rows_of(official_templates(row, {**row, "Q_id": "2", "Ambiguous_Context": ""}))

    assert {(one["version"], one["question_index"]) for one in rows} == {("None", "1")}


@pytest.mark.parametrize(
    "name", ["Gender_x_race", "Race_x_gender ", "RaceXGender", "race_x_gender"]
)
def test_the_category_may_be_spelled_in_the_releases_ways(official_templates, name) -> None:
    """The file's name counts; the column must mean the same one."""
    rows = rows_of(official_templates({**TWO_RACES, "Category": name}, file="Race_x_gender"))

    assert {row["category"] for row in rows} == {"Race_x_gender"}


def test_files_of_other_spelling_and_bytes_read_alike(official_templates, tmp_path) -> None:
    """A byte order mark, CRLF, an underscore in the name, the parent folder: the same digest."""
    folder = official_templates({})
    one = import_templates(folder, tmp_path / "a")
    path = folder / "new_templates - Age.csv"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    (folder / "new_templates_-_Age.csv").write_bytes(
        b"\xef\xbb\xbf" + "\r\n".join(text.splitlines()).encode()
    )
    (folder / "new_templates - Filler_items.csv").write_text("Q_id\n1\n")

    other = import_templates(folder.parent, tmp_path / "b")

    assert other.content_digest == one.content_digest


def test_configs_and_samples_are_parts_of_the_whole(official_templates) -> None:
    """`--config` changes no row of the category; `--limit` takes whole groups of four."""
    folder = official_templates({})
    official_templates({**LABELS, "Known_stereotyped_groups": '["Jain"]'}, file="Religion")
    whole = rows_of(folder)

    part = rows_of(folder, configs=("Religion",))
    sample = rows_of(folder, limit=2)

    assert part == [row for row in whole if row["category"] == "Religion"]
    assert len(sample) == 2 * 2 * 4
    assert all(row in whole for row in sample)


def test_what_was_read_and_drawn_stands_in_manifest_and_card(official_templates, tmp_path) -> None:
    """Files with digests, rows a question, questions by what was drawn for them, the seed."""
    manifest = import_templates(official_templates({}, {"Q_id": "2"}), tmp_path / "v", seed=5)

    provenance = manifest.provenance
    assert manifest.seed == 5
    assert list(provenance["files"]) == [
        "new_templates - Age.csv",
        "vocabulary.csv",
        "vocabulary_proper_names.csv",
    ]
    assert provenance["rows_by_question"] == {"Age": {"1": 24, "2": 24}}
    assert provenance["drawn"] == {"Age": {SLOT_WORDS: ["1", "2"]}}
    card = (tmp_path / "v/README.md").read_text(encoding="utf-8")
    assert "with seed 5. " in card
    assert f" in Age: {SLOT_WORDS} of questions 1-2." in card
    assert re.search(r"Age: 48 rows; .* 3,680\.", card)


def test_templates_can_be_kept_as_jinja(official_templates, tmp_path) -> None:
    """Each row is a template of the package's own language, with slots for names and words."""
    rows_of(official_templates({}, {"Q_id": "2"}), keep_templates=tmp_path / "kept")

    paths = sorted((tmp_path / "kept").glob("*/*"))
    assert [path.name for path in paths] == ["row0002.jinja", "row0003.jinja"]
    blocks = ("ambiguous", "disambiguating", "negative_question", "nonnegative_question")
    template = parse(
        paths[0].read_text(),
        paths[0],
        blocks=(*blocks, "negative_answer", "nonnegative_answer"),
    )
    slots = {"name1": "elder", "name2": "boy", "word1": "lake"}
    assert template.render("ambiguous", slots) == "A elder met a boy at the lake."


def test_the_command_renders_and_says_what_it_did(official_templates, tmp_path, evenhand) -> None:
    """Digest on stdout, report on stderr; --from and --templates exclude each other."""
    folder = official_templates({})

    code, out, err = evenhand(
        *("import", "bbq", "--templates", folder, "--seed", 3, "--out", tmp_path / "v")
    )

    assert code == 0
    assert out.startswith("manifest_digest ")
    assert "new_templates - Age.csv: 1 templates of 1 questions" in err
    assert f" seed 3 in Age: {SLOT_WORDS} of question 1" in err
    assert evenhand("verify", tmp_path / "v")[0] == 0
    both = ("--templates", folder, "--from", folder)
    code, _, err = evenhand("import", "bbq", *both, "--out", tmp_path / "w")
    assert code == 2
    assert "--from and --templates" in err


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    firsts=st.lists(st.sampled_from("bcdfg"), min_size=1, max_size=4, unique=True),
    others=st.lists(st.sampled_from("hjklm"), min_size=1, max_size=4, unique=True),
    seed=st.integers(min_value=0, max_value=2**40),
)
def test_own_words_are_fully_crossed(official_templates, firsts, others, seed) -> None:
    """Every first word meets every second word once, whatever the seed."""
    lists = f"NAME1: [{', '.join(firsts)}]; NAME2: [{', '.join(others)}]"

    rows = rows_of(official_templates({"Names": lists}), seed=seed)

    pairs = Counter(tuple(name for name, _ in people_in(row)) for row in rows)
    assert pairs == dict.fromkeys(((one, two) for one in firsts for two in others), 4)


def test_answers_stand_in_all_places_alike(official_templates) -> None:
    """Over 480 groups of four each place holds UNKNOWN in about a third, all wordings occur."""
    rows = rows_of(official_templates({**NAMES}))[::4]
    rows += rows_of(official_templates({**NAMES}), seed=1)[::4]
    rows += [
        row for seed in range(2, 8) for row in rows_of(official_templates(NAMES), seed=seed)[::4]
    ]

    places = Counter(row["unknown"] for row in rows)
    assert len(rows) == 480
    # Six standard deviations of a binomial with n = 480 and p = 1/3 are 62.
    assert all(abs(count - 160) < 62 for count in places.values())
    assert len({row[f"ans{row['unknown']}"] for row in rows}) == 10


@pytest.mark.parametrize(
    ("column", "group"), [("Answer_non_negative", "old"), ("Answer_negative", "nonOld")]
)
def test_an_answer_that_names_nobody_is_the_other_person(official_templates, column, group) -> None:
    """`The other one` is told from the other answer's slot."""
    rows = rows_of(official_templates({column: "The other one"}))

    for row in rows:
        place = next(i for i in range(3) if row[f"ans{i}"] == "The other one")
        assert row["answer_group"][place] == group


def test_answers_that_name_nobody_have_no_group_and_no_target(official_templates) -> None:
    """As in the release an empty text and an empty group stand there, and the reason."""
    row = {"Answer_negative": "The first one", "Answer_non_negative": "The other one"}

    rows = rows_of(official_templates(row))

    assert {pair for row in rows for pair in people_in(row)} == {("", "")}
    assert {row["why_no_target"] for row in rows} == {NEITHER}
    assert "without target: Age: 24 rows" in notes_of(official_templates(row))


def test_templates_are_read_one_by_one(official_templates) -> None:
    """A file's templates know their row in the spreadsheet, lists and stereotyped groups."""
    folder = official_templates({}, {"Q_id": "2", "Known_stereotyped_groups": "['old',\n'poor']"})

    file = read_templates("Age", folder / "new_templates - Age.csv")

    assert [template.record.row for template in file.templates] == [2, 3]
    assert file.templates[0].words == (("lake", "mill"), ())
    assert file.templates[1].groups == ("old", "poor")
