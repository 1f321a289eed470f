"""BVF's report of real runs of `score` on generated sets with planted probabilities."""

# ruff: noqa: RUF001 - true minus signs and apostrophes

import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract.cli import main
from evenhand.scorer.bvf.report.comparison import BY_CORPUS, parse_size, split_words, strip_tuning
from evenhand.scorer.bvf.report.figures import PARTS_BY_MODEL
from evenhand.scorer.bvf.report.findings import MIXED, NO_BIAS_MEASURED, PATTERNS, VERDICTS
from evenhand.scorer.bvf.report.scatter import place_names
from evenhand.scorer.bvf.report.story import NO_PARTS, SAME_NORMS
from evenhand.scorer.bvf.report.tables import REGRESSIONS, SAME
from evenhand.scorer.bvf.specs import CODE_CRITERION, PAPER
from evenhand.scorer.report.provenance import cautions
from evenhand.scorer.report.reading import read_results

Table = Mapping[str, Sequence[float]]
"""Subject -> probability of male, in turns over the contexts."""

HOSTILE = "<script>alert(1)</script>\"'`|*[a](b)"
PLANTED: Table = {
    # s = .8 to male, .8 to female, .8 to either in turns, none, .4 to male, .4 to female, each with
    # a little that moves and does not change the mean.
    "engineer": (0.89, 0.91),
    "nurse": (0.09, 0.11),
    "pilot": (0.9, 0.1),
    "teacher": (0.5, 0.5),
    "lawyer": (0.69, 0.71),
    "secretary": (0.29, 0.31),
}
RANDOM: Table = dict.fromkeys(PLANTED, (0.9, 0.1))
EVEN: Table = dict.fromkeys(PLANTED, (0.5, 0.5))
MOVING: Table = dict.fromkeys(PLANTED, (0.9, 0.1, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, 0.9, 0.9))
"""All lean to male in 24 of 34 contexts: s is .8 of either sign, .33 on average."""
MANY = 34
NAMES = {"many": "occupations", "one": "a gender"}


def generate(folder: Path, name: str, n_contexts: int, topic: str = "gender") -> Path:
    """Generate a set of so many equally frequent contexts about the planted subjects."""
    contexts, subjects = folder / f"{name}.jsonl", folder / f"{name}.tsv"
    rows = [{"context": f"The [X] did errand {i} and [Y]", "count": 1} for i in range(n_contexts)]
    contexts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    subjects.write_text("word\n" + "".join(f"{subject}\n" for subject in PLANTED))
    words = ["generate", "bvf", "--topic", topic, "--contexts", contexts, "--subjects", subjects,
             "--order", "last", "--out", folder / name]  # fmt: skip
    assert main([str(word) for word in words]) == 0
    return folder / name


def predict(dataset: Path, out: Path, model: str, told: Callable[[str, int], Any]) -> Path:
    """Write what a planted model expects: told(subject, number of the context)."""
    items = pl.read_parquet(dataset / "*" / "*.parquet")
    places = {context: i for i, context in enumerate(items["context"].unique(maintain_order=True))}
    header = {"contract_version": "1.0", "dataset": {"stem": "bvf"}, "model": {"name": model}}
    lines = [json.dumps({"evenhand_header": header})]
    for key, subject, context in items.select("id", "x", "context").iter_rows():
        lines += [json.dumps({"id": key} | row) for row in told(subject, places[context])]
    out.write_text("\n".join(lines) + "\n")
    return out


def of_table(table: Table) -> Callable[[str, int], Any]:
    """Return the rows of a model that takes the probabilities of a table in turns."""

    def told(subject: str, context: int) -> list[dict[str, Any]]:
        male = table[subject][context % len(table[subject])]
        return [{"p": {"male": male, "female": 1 - male}}]

    return told


def score(dataset: Path, predictions: Path, *words: object) -> Path:
    """Score and return the metric file."""
    out = predictions.with_suffix(".json")
    every = ["score", dataset, "--predictions", predictions, "--resamples", 200, *words]
    assert main([*map(str, every), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all runs of this module lie."""
    return tmp_path_factory.mktemp("bvf")


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Path:
    """A set of enough contexts for a bootstrap."""
    return generate(folder, "data", MANY)


@pytest.fixture(scope="module")
def planted(folder: Path, dataset: Path) -> Path:
    """The metric file of the planted model."""
    return score(dataset, predict(dataset, folder / "p.jsonl", "lab/toy", of_table(PLANTED)))


@pytest.fixture(scope="module")
def run(folder: Path, dataset: Path) -> Callable[..., Path]:
    """Score a model of a table, on a set of its own where contexts are given."""

    def make(
        name: str, table: Table, *words: object, model: str = "lab/toy", on: Path = dataset,
        contexts: int = 0, told: Callable[[str, int], Any] | None = None,
    ) -> Path:  # fmt: skip
        on = generate(folder, f"on-{name}", contexts) if contexts else on
        rows = predict(on, folder / f"{name}.jsonl", model, told or of_table(table))
        return score(on, rows, *words)

    return make


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return the report of metric files."""

    def make(*files: Path, form: str = "html", words: Sequence[str] = ()) -> str:
        capsys.readouterr()
        assert main(["report", *map(str, files), "--as", form, "--out", "-", *words]) == 0
        return capsys.readouterr().out

    return make


class Elements(HTMLParser):
    """Collects the elements and the words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._is_code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.found.append((tag, dict(attrs)))
        self._is_code = tag in {"style", "script"}

    def handle_endtag(self, tag: str) -> None:
        """Leave style and script."""
        self._is_code = self._is_code and tag not in {"style", "script"}

    def handle_data(self, data: str) -> None:
        """Keep what a reader sees."""
        if not self._is_code:
            self.words.append(data)


def text_of(html: str) -> str:
    """Return what a reader sees of a page, with plain spaces."""
    return " ".join(" ".join(Elements(html).words).split())


def rows_of(text: str, begin: str) -> list[str]:
    """Return the rows of a Markdown report that begin with a cell."""
    return [line for line in text.splitlines() if line.startswith(f"| {begin}")]


def test_the_first_screen_says_how_strong_which_part_and_which_way(planted, page) -> None:
    """R = (.8 + .8 + .8 + 0 + .4 + .4) / 6, of which the pilot's sixth of .8 moves.

    All 34 contexts agree on R, so others are at most 1 - .025^(1/34) = .1028 of all.
    """
    text = text_of(page(planted))

    for said in (
        VERDICTS["found"].format(**NAMES, then=PATTERNS[True]),
        "R is 0.5333 (95 % interval 0.4785 to 0.5813 ‡)",
        "Rᵇ is 0.4000 (",
        "Rᵛ 0.1333 (",
        " 75.0 % ",
        "2 of 6 occupations are associated with male, 2 with female; 4 of them",
        "Least: teacher (0.0000), ",
        f" {MANY} contexts;",
    ):
        assert said in text
    verdict = VERDICTS["found"].format(**NAMES, then="").partition(",")[0]
    assert text.index("Content warning.") < text.index(verdict)


@pytest.mark.parametrize(
    ("table", "n_contexts", "said"),
    [
        (
            MOVING,
            MANY,
            ("Evidence of bias", VERDICTS["found"].format(**NAMES, then=PATTERNS[False])),
        ),
        (RANDOM, 12, ("Mixed", MIXED[False].format(**NAMES))),
        (EVEN, 12, ("No evidence of bias", VERDICTS["none"].format(**NAMES))),
        (RANDOM, 4, ("Cannot be said", VERDICTS["unknown"].format(**NAMES))),
    ],
    ids=["moving", "random", "even", "few"],
)
def test_the_verdict_claims_no_more_than_the_numbers_do(run, page, table, n_contexts, said) -> None:
    """What lasts is claimed where Rᵇ exceeds chance; four contexts cannot show that."""
    name = f"verdict-{said[0].replace(' ', '-')}"

    text = text_of(page(run(name, table, contexts=n_contexts)))

    assert all(words in text for words in said)
    assert (f"only {n_contexts} contexts:" in text) == (n_contexts < 30)


def test_every_subject_is_a_point_a_box_and_a_row(planted, page) -> None:
    """Six points with their numbers, six boxes over the contexts, six rows by risk."""
    html = page(planted)
    text = page(planted, form="markdown")

    scatter = html[html.index('<div class="scatter joint">') :]
    dots = re.findall(r'<g class="dot (\w+)"><title>(\w+): rᵇ ([\d.]+), rᵛ ([\d.]+)', scatter)
    assert sorted(own[:1] + own[2:] for own in dots if own[1] in {"pilot", "nurse"}) == [
        ("negative", "0.8000", "0.0000"), ("quiet", "0.0000", "0.8000"),
    ]  # fmt: skip
    assert {own[1] for own in dots} >= set(PLANTED)
    assert len(re.findall(r'<rect class="box (?:positive|negative|quiet)" x="[\d.]+%"', html)) == 6
    first = [rows_of(text, subject)[0] for subject in ("engineer", "secretary")]
    assert re.match(r"\| engineer \| 0\.8000 \(.*\| male \\\* \(\+0\.800\) \| 34 \|", first[0])
    assert re.match(r"\| secretary \| 0\.4000 \(.*\| female \\\* \(\+0\.400\) \| 34 \|", first[1])


def test_the_margins_hold_every_subject(planted, page) -> None:
    """Of rᵛ five lie in the first bar and one far beyond the curve, in the last."""
    html = page(planted)
    side = re.search(r'<svg class="side".*?</svg>', html, re.DOTALL)
    assert side is not None

    bars = re.findall(r'width="([\d.]+)" y="([\d.]+)"', side[0])

    assert [float(width) for width, _ in bars] == pytest.approx([100, 20], abs=0.5)
    assert float(bars[0][1]) > 80
    assert float(bars[1][1]) < 20
    assert "polyline" in side[0]


def test_the_heat_map_is_capped_and_says_so(planted, page) -> None:
    """Twenty of 34 equal contexts are drawn; the rest is said with its share of R."""
    html = page(planted)
    heat = html[html.index('<div class="heat') :]

    cells = re.findall(r'<rect class="step(-?\d)"[^>]*><title>(\w+) · ([^:]+): female', heat)

    assert len(cells) == 20 * 6
    assert {(step, name) for step, name, _ in cells if name in {"nurse", "teacher"}} == {
        ("-5", "nurse"), ("0", "teacher"),
    }  # fmt: skip
    assert re.search(r"20 of 34 contexts[^.]*, 5\d\.\d\s% of it\.", html)


def test_many_subjects_are_trimmed_in_figures_and_whole_in_the_table(
    folder, dataset, page, run
) -> None:
    """The paper's 120: ten boxes at either end, 16 columns, five rows at either end, all folded."""
    on = folder / "all"
    assert main(["generate", "bvf", "--topic", "gender", "--order", "last", "--out", str(on)]) == 0
    names = pl.read_parquet(on / "*" / "*.parquet")["x"].unique(maintain_order=True).to_list()
    ranks = {name: 0.05 + 0.9 * place / len(names) for place, name in enumerate(names)}

    text = text_of(page(run("all-of-them", {}, on=on, told=lambda x, _: [
        {"p": {"male": ranks[x], "female": 1 - ranks[x]}}])))  # fmt: skip

    assert "… 100 between" in text
    assert re.search(r"The 5 most and the 5 \w+ stereotyped of 120 occupations", text)
    assert "Table: all 120 occupations" in text
    assert re.search(r"16 of 120 occupations: the 8 with the highest r, [\w ]+ rᵛ", text)


def test_the_contexts_that_pull_either_way_are_named(planted, page) -> None:
    """The pilot leans to nobody and is pulled either way; the engineer, who keeps still, is not."""
    text = page(planted, form="markdown")
    table = text[text.index("Contexts in which the most volatile occupations") :]
    table = table[: table.index("Below each context")]

    assert rows_of(table, "engineer") == []
    assert re.fullmatch(
        r"\| pilot \| 0\.8000 \| none \| The \\\[X\\\] did errand \d+ and \\\[Y\\\]"
        r" \(male \+0\.800\) \| The .* \(male −0\.800\) \|",
        rows_of(table, "pilot")[0],
    )


def test_the_texts_behind_a_number_can_be_opened(planted, page) -> None:
    """The nurse's risk opens texts of the nurse alone: of the 200, a sixth, the strongest 20."""
    html = page(planted)
    match = re.search(r'id="examples">(.*?)</script>', html, re.DOTALL)
    assert match is not None
    shelf = json.loads(match[1])["bvf-0"]
    drill = re.search(r'data-rows="([\d ]+)" data-behind="(\d+)" data-of="Gender, nurse"', html)
    assert drill is not None

    found = [shelf[int(place)] for place in drill[1].split()]

    assert (len(found), drill[2]) == (20, "33")
    assert {own["title"].split(" · ")[1] for own in found} == {"nurse"}
    lines = dict(found[0]["lines"])
    assert lines["Text"].startswith("The nurse did errand ")
    assert re.fullmatch(r"The \[X\] did errand \d+ and \[Y\] \(weight 0\.0294\)", lines["Context"])
    assert lines["Risk"] == "0.8200"
    assert found[0]["scores"]["rows"] == [["female", "0.9100"], ["male", "0.0900"]]


def test_regressions_are_the_metric_files(planted, page) -> None:
    """Coefficient, standard error, t, p, R² and n of each risk on each fact."""
    text = page(planted, form="markdown")
    metrics = {own["id"]: own for own in json.loads(planted.read_text())["metrics"]}
    fit = {
        name: own["value"]
        for name, own in metrics["bvf.regression.share_of_women"]["by"]["r"].items()
    }

    row = next(line for line in rows_of(text, "share of women") if "| r |" in line)
    cells = [cell.strip(" *\\").replace("−", "-") for cell in row.split("|")[3:-1]]

    assert float(cells[0]) == pytest.approx(fit["coefficient"], abs=1e-4)
    assert float(cells[1]) == pytest.approx(fit["standard_error"], abs=1e-4)
    assert float(cells[2]) == pytest.approx(fit["t"], abs=1e-2)
    assert float(cells[3]) == pytest.approx(fit["p_value"], abs=1e-4)
    assert float(cells[5]) == pytest.approx(fit["r_squared"], abs=1e-3)
    assert int(cells[6]) == fit["n"]


def test_a_fact_is_drawn_with_its_line(planted, page) -> None:
    """The first figure stands open, its axis logarithmic, its points as large as the weights."""
    html = page(planted)
    start = html.index("Risk and income")
    figure = html[start : html.index("</figure>", start)]

    radii = {float(own) for own in re.findall(r'<circle r="([\d.]+)"/>', figure)}
    ticks = re.findall(r">([\d,]+)</text>", figure)

    assert 'class="fit"' in figure
    assert max(radii) > 2 * min(radii)
    assert {"50,000", "100,000"} & set(ticks)


@pytest.fixture(scope="module")
def race(folder: Path) -> Path:
    """A metric file of five classes: every subject is tied to two of them, in all contexts."""
    on = generate(folder, "race", 8, topic="race")
    names = json.loads((on / "evenhand.json").read_text())["provenance"]["topics"]["race"]
    shares = dict(zip(names["classes"], (0.5, 0.3, 0.1, 0.05, 0.05), strict=True))
    rows = predict(on, folder / "r.jsonl", "lab/toy", lambda _x, _c: [{"p": shares}])
    return score(on, rows)


def test_more_classes_have_norms_and_a_matrix(race, page) -> None:
    """Of s = 1.5, .5, -.5 ... J is 2 / 4 under l1, the root of 2.5 over 4 under l2, 1.5 / 4."""
    html = page(race)
    text = page(race, form="markdown")

    norms = {row.split("|")[1].strip(): row.split("|")[2].strip() for row in rows_of(text, "l")}
    assert norms["l¹"] == "0.5000"
    assert norms["l²"] == "0.3953"
    assert norms["l∞ (as scored)"] == "0.3750"
    assert "Discrimination risk, not normalised R" in text
    assert html.count('class="step5') >= 6
    assert "Preference for each class, by occupation" in html


def test_two_classes_have_one_norm(planted, page) -> None:
    """All norms are the same number, which is said instead of a table; so are Eq. 1 and 2."""
    text = text_of(page(planted))

    assert SAME_NORMS in text
    assert SAME in text
    assert "not normalised R" not in text


def test_models_are_compared_by_size_and_tuning(run, page) -> None:
    """A larger model, and the same model tuned, beside each other with what changed."""
    files = [
        run("s", EVEN, model="lab/toy-10M"),
        run("m", PLANTED, model="lab/toy-1B"),
        run("t", RANDOM, model="lab/toy-1B-chat"),
    ]

    text = text_of(page(*files))
    plain = page(*files, form="markdown")

    assert PARTS_BY_MODEL in text
    assert "Which class occupations are associated with, by model" in text
    assert re.search(r"Rᵇ \w+ in 1 of 1 step and [\w ]+ Rᵛ \w+ in 1 of 1 step\.", text)
    tuning = next(row for row in rows_of(plain, "lab/toy-1B |") if "| lab/toy-1B-chat |" in row)
    changes = [cell.split("(")[0].strip() for cell in tuning.split("|")[3:6]]
    # R .5333 to .8, all of which moves: Rᵇ .4 to 0, Rᵛ .1333 to .8
    assert changes == ["+0.2667", "−0.4000", "+0.6667"]


def test_corpora_are_compared_for_the_same_model(folder, run, page) -> None:
    """Two sets, two models: one table, the order of the models on both, and a fitting caution."""
    other = generate(folder, "other", 12)
    files = [
        run("one-here", PLANTED, model="one"), run("one-there", PLANTED, model="one", on=other),
        run("two-here", EVEN, model="two"), run("two-there", EVEN, model="two", on=other),
    ]  # fmt: skip

    text = text_of(page(*files))

    assert BY_CORPUS in text
    assert re.search(r"On all 2 datasets [^.]+: one, two\.", text)
    over_datasets, unlike = (
        cautions(read_results(group))[0] for group in (files, [files[0], files[3]])
    )
    assert over_datasets != unlike
    assert over_datasets in text
    assert unlike not in text
    assert unlike in text_of(page(files[0], files[3]))


def test_names_tell_size_and_tuning() -> None:
    """Sizes in millions or billions, of two sizes none; words of tuning stand at any place."""
    assert (parse_size("gpt2-137M"), parse_size("Llama-2-7b-chat-hf")) == (137e6, 7e9)
    assert (parse_size("moe-8x7B"), parse_size("a-1B-b-2B"), parse_size("bert-base")) == (
        None,
        None,
        None,
    )
    assert strip_tuning(split_words("Llama-2-7b-chat-hf")) == split_words("llama_2_7B_hf")


def test_names_in_a_scatter_never_lie_on_points_or_each_other() -> None:
    """A point in a crowd has no name; one at the right edge has it at the left."""
    places = {"far": (99.0, 90.0), "near": (50.0, 50.0), "crowd": (49.0, 50.0), "low": (51.0, 50.0)}

    assert place_names(places) == {"far": True, "crowd": True, "low": False}


def test_answers_are_read_against_drawn_answers(run, page) -> None:
    """A model without probabilities: R is compared with what as many even answers give."""

    def told(subject: str, context: int) -> list[dict[str, Any]]:
        n_he = round(4 * PLANTED[subject][context % 2])
        return [{"answer": "he" if i < n_he else "she", "sample": i} for i in range(4)]

    text = text_of(page(run("answers", {}, told=told)))

    assert re.search(r"answers drawn without preference: mean 0\.\d+, 95th percentile 0\.", text)


def test_another_criterion_stands_on_a_shelf_of_its_own(folder, run, page) -> None:
    """Knowledge is no bias: no claim of one, no scatter plot, its own section and formula."""
    facts = folder / "facts.tsv"
    facts.write_text("subject\tright_class\n" + "".join(f"{name}\tmale\n" for name in PLANTED))

    html = page(run("known", PLANTED, "--criterion", "knowledge", "--facts", facts))
    text = text_of(html)

    assert NO_BIAS_MEASURED in text
    assert "Beyond the paper ours, in no paper" in text
    assert "Knowledge K" in text
    assert "Evidence of bias" not in text
    assert "scatter joint" not in html.split("</style>")[1]


def test_the_codes_protocol_has_the_codes_formula(run, page) -> None:
    """Where the reference code's criterion was asked for, its definition and source are shown."""
    text = text_of(page(run("code", PLANTED, "--protocol", "code")))

    assert CODE_CRITERION.heading[1:] in text
    assert f"{CODE_CRITERION.paper.short}, {CODE_CRITERION.section}" in text
    assert "For orientation" not in text


def test_what_is_unscored_is_said(run, page) -> None:
    """A text without a prediction is counted in the card and in the table."""
    told = of_table(PLANTED)

    text = text_of(page(run("holes", {}, "--allow-missing", told=lambda x, c: (
        told(x, c) if (x, c) != ("nurse", 3) else []))))  # fmt: skip

    assert "1 of 204 texts is unscored." in text
    assert "203 1" in text


@pytest.mark.parametrize("form", ["html", "markdown", "table"])
def test_without_side_files_the_report_says_what_it_lacks(planted, page, tmp_path, form) -> None:
    """The metric file alone still has its findings, scatter plot and tables."""
    alone = tmp_path / "alone.json"
    shutil.copy(planted, alone)

    text = page(alone, form=form)

    assert f"{NO_PARTS}: p.parts.parquet" in text.replace("\\", "")
    assert "0.5333" in text
    if form == "html":
        assert re.search(r"No examples: p\.examples\.jsonl [^.]*alone\.json", text)
        assert "scatter joint" in text


def test_every_metric_is_defined_and_signed(planted, race, page) -> None:
    """Each has a formula of well-formed MathML with its source, and a signature."""
    html = page(planted, race, words=("--model", "a", "--model", "b"))
    ids = {own["id"] for own in json.loads(planted.read_text())["metrics"]}
    codes = re.findall(r"<code>(bvf\.\w+)</code>", html)

    for name in ids:
        base = name.removesuffix("_unnormalised")
        assert any(base == code or base.startswith(f"{code}.") for code in codes), name
        assert f"metric:{name}" in html
    formulas = re.findall(r"<math.*?</math>", html, re.DOTALL)
    assert len(formulas) >= 8
    for formula in formulas:
        ET.fromstring(formula)  # noqa: S314 - our own
    text = text_of(html)
    assert text.count(f"Source: {PAPER.short}, section 2") >= 4


@pytest.mark.parametrize("form", ["html", "markdown", "table"])
def test_a_second_run_gives_the_same_bytes(planted, race, page, form) -> None:
    """The report carries no time and no order that could change."""
    words = ("--model", "a", "--model", "b")

    assert page(planted, race, form=form, words=words) == page(
        planted, race, form=form, words=words
    )


def test_the_terminal_tells_the_same_story(planted, page) -> None:
    """Words first, then the metrics with intervals and chance, the ends, the regressions."""
    text = page(planted, form="table")

    verdict = VERDICTS["found"].format(**NAMES, then="").partition(",")[0]
    assert re.search(rf"[A-Z ]+ \(Gender\)\. {verdict},", " ".join(text.split()))
    assert re.search(r" R +0\.5333 \* +0\.4785 to 0\.5813 ‡ +0 +204 +0\n", text)
    assert REGRESSIONS in text


def test_hostile_words_stay_text(folder, dataset, run, page, tmp_path) -> None:
    """What a file says of its model, subjects, contexts and classes never becomes markup."""
    metrics = run("hostile", PLANTED, model=HOSTILE)
    report = json.loads(metrics.read_text())
    for own in report["metrics"]:
        for by in own["by"].values():
            if "nurse" in by:
                by[HOSTILE] = by.pop("nurse")
    report["parts"] = None
    changed = metrics.with_name("changed.json")
    changed.write_text(json.dumps(report))

    html = page(changed)

    found = Elements(html).found
    assert [attrs.get("type") for tag, attrs in found if tag == "script"] == [
        "application/json", None,
    ]  # fmt: skip
    assert not any(name.startswith("on") for _, attrs in found for name in attrs)
    assert HOSTILE in Elements(html).words or HOSTILE in text_of(html)


def test_subjects_that_are_no_occupations_are_called_subjects(page, planted, tmp_path) -> None:
    """The words follow the data: names of the user's own are not called occupations."""
    names = dict(zip(PLANTED, ("Anna", "Berta", "Carl", "Dora", "Emil", "Fritz"), strict=True))
    text = planted.read_text()
    for old, new in names.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    changed = tmp_path / "changed.json"
    changed.write_text(text)

    said = text_of(page(changed))

    verdict = VERDICTS["found"].format(many="subjects", one="a gender", then="").partition(",")[0]
    assert verdict in said
    assert "2 of 6 subjects" in said
