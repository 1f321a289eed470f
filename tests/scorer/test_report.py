"""The report of hand-made metric files: what it says, what it refuses, and that it is safe."""

# ruff: noqa: RUF001 - the symbols are the paper's

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from evenhand.contract import CONTRACT_VERSION
from evenhand.contract.files import canonical_json, sha256_of_file
from evenhand.contract.predictions import ModelReference
from evenhand.contract.report import (
    DatasetRecord,
    GroupValue,
    Interval,
    Metric,
    NullReference,
    PredictionsRecord,
    Report,
    SideFile,
)
from evenhand.scorer.report.words import AGREES
from evenhand.scorer.unqover.report.findings import MIXED_AND_UNKNOWN, VERDICTS
from evenhand.scorer.unqover.report.metric_tables import SHARED
from evenhand.scorer.unqover.report.story import SHARED_TOP
from evenhand.scorer.unqover.specs import NOTHING_SCORED, PAPER

Run = Callable[..., tuple[int, str, str]]
Write = Callable[..., Path]

GOLDEN = Path(__file__).parents[1] / "golden"
HOSTILE = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>\"'`|*[a](b)"


def interval(low: float, high: float, *, clusters: int = 14) -> Interval:
    """Make an interval over templates."""
    return Interval(
        low=low,
        high=high,
        level=0.95,
        method="studentised_jackknife",
        n_resamples=0,
        seed=0,
        cluster="template",
        n_clusters=clusters,
        few_clusters=clusters < 30,
    )


def metric(name: str, value: float | None, **changes: object) -> Metric:
    """Make a metric of the config ``religion`` with 400 examples."""
    plain = Metric(
        id=f"unqover.{name}",
        config="religion",
        value=value,
        unit="share",
        range=(0.0, 1.0),
        best=0.0,
        n_scored=400,
        n_unscored=0,
        signature=f"metric:unqover.{name}",
    )
    return msgspec.structs.replace(plain, **changes)


def null_reference(quantile_95: float, *, n_draws: int = 10_000) -> NullReference:
    """Make a null reference of sign flips."""
    return NullReference(
        mean=quantile_95 / 2,
        quantile_95=quantile_95,
        method="cluster_sign_flips",
        n_draws=n_draws,
    )


def subjects(**values: float | None) -> dict[str, dict[str, GroupValue]]:
    """Make gamma by subject; those of at least 0.1 differ from 0."""
    return {
        "subject": {
            name: GroupValue(value=None, n_scored=0, why_null="No complete example.")
            if value is None
            else GroupValue(
                value=value,
                n_scored=100,
                interval=interval(value - 0.05, value + 0.05),
                p_value=0.01,
                p_holm=0.02 if abs(value) >= 0.1 else 1.0,
            )
            for name, value in values.items()
        }
    }


GAMMA = subjects(muslim=0.2, sikh=0.05, jain=-0.25)


def report(*metrics: Metric, model: str | None = "tiny-qa", **changes: object) -> Report:
    """Make a report; without metrics it has mu above chance and gamma of three subjects."""
    usual = (
        metric("mu", 0.21, interval=interval(0.15, 0.27), null_reference=null_reference(0.05)),
        metric("gamma", None, why_null="One value for each subject.", by=GAMMA),
    )
    plain = Report(
        contract_version=CONTRACT_VERSION,
        dataset=DatasetRecord(stem="unqover", version="1.0.0", digest="d" * 64),
        predictions=[
            PredictionsRecord(
                name="predictions.parquet",
                sha256="a" * 64,
                bytes=10,
                reader="evenhand",
                model=None if model is None else ModelReference(name=model),
            )
        ],
        scorer_version="0.1.0",
        protocol="paper",
        seed=0,
        resamples=10_000,
        level=0.95,
        configs=["religion"],
        metrics=list(metrics or usual),
        warnings=[],
    )
    return msgspec.structs.replace(plain, **changes)


SCRIPTS = ["application/json", None]
"""The page's data and its own script; there is no other."""

PAIRS = [("muslim", "lied", 0.3), ("sikh", "lied", 0.1), ("jain", "stole", -0.4)]
EXAMPLE = {
    "metric": "unqover.gamma",
    "config": "religion",
    "template": "t03",
    "x1": "muslim",
    "x2": "jain",
    "attribute": "lied",
    "comparative_bias": 0.4,
    "questions": [
        {
            "polarity": polarity,
            "order": order,
            "context": f"Context {order}.",
            "question": f"Who {polarity}?",
            "score_x1": 0.625,
            "score_x2": 0.125,
        }
        for polarity in ("pos", "neg")
        for order in (12, 21)
    ],
}


@pytest.fixture
def write_metrics(tmp_path: Path) -> Write:
    """Write a report, and with ``sides`` the two files beside it."""

    def write(
        metric_file: Report,
        name: str = "metrics",
        *,
        sides: bool = True,
        pairs: list[tuple[str, str, float]] = PAIRS,
        examples: list[dict[str, object]] = [EXAMPLE],  # noqa: B006 - never changed
    ) -> Path:
        path = tmp_path / f"{name}.json"
        if sides:
            parts, lines = path.with_suffix(".parts.parquet"), path.with_suffix(".examples.jsonl")
            columns = {"subject": 0, "attribute": 1, "gamma": 2}
            table = pl.DataFrame({key: [row[i] for row in pairs] for key, i in columns.items()})
            table.with_columns(
                table=pl.lit("subject_attribute"),
                config=pl.lit("religion"),
                eta=pl.lit(1.0),
                n=pl.lit(28),
            ).write_parquet(parts)
            lines.write_text("".join(json.dumps(row) + "\n" for row in examples))
            metric_file = msgspec.structs.replace(
                metric_file,
                parts=SideFile(name=parts.name, sha256=sha256_of_file(parts)),
                examples=SideFile(name=lines.name, sha256=sha256_of_file(lines)),
            )
        path.write_bytes(canonical_json(metric_file))
        return path

    return write


@pytest.fixture
def page(evenhand: Run, write_metrics: Write) -> Callable[..., str]:
    """Return the report of hand-made metric files as text."""

    def make(*reports: Report, form: str = "html", **options: object) -> str:
        paths = [
            write_metrics(metric_file, f"m{i}", **options) for i, metric_file in enumerate(reports)
        ]
        code, out, err = evenhand("report", *paths, "--as", form, "--out", "-")
        assert (code, err) == (0, "")
        return out

    return make


class Elements(HTMLParser):
    """Collects the elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.is_code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.elements.append((tag, dict(attrs)))
        self.is_code = tag in {"style", "script"}

    def handle_endtag(self, tag: str) -> None:
        """Leave style and script, which hold no elements."""
        self.is_code = self.is_code and tag not in {"style", "script"}

    def handle_data(self, data: str) -> None:
        """Keep text that a reader sees."""
        if not self.is_code:
            self.words.append(data)


def visible_text(html: str) -> str:
    """Return what a reader sees of a page, with plain spaces."""
    return " ".join(" ".join(Elements(html).words).split())


def examples_in(html: str) -> dict[str, list[dict[str, Any]]]:
    """Return the examples that a page holds and draws when they are asked for."""
    match = re.search(
        r'<script type="application/json" id="examples">(.*?)</script>', html, re.DOTALL
    )
    assert match is not None
    by_shelf: dict[str, list[dict[str, Any]]] = json.loads(match[1])
    return by_shelf


def test_the_first_screen_says_what_was_found_and_how_sure_it_is(page) -> None:
    """Verdict, mu against chance, subjects after Holm, and the warning before all of it."""
    text = visible_text(page(report()))

    verdict = VERDICTS["found"].format(follows="the subject’s religion")
    assert verdict in text
    assert re.search(r"μ is 0\.2100; [^.]*mean 0\.0250, 95th percentile 0\.0500", text)
    assert re.search(r"2 of 3 subjects [^.]*Holm", text)
    assert re.search(r"most: muslim \(γ \+0\.2000\)\.[^.]*least: jain \(γ −0\.2500\)", text)
    assert "only 14 templates" in text
    assert text.index("Content warning.") < text.index(verdict)


@pytest.mark.parametrize(
    ("mu", "draws", "gamma", "verdict"),
    [
        (0.04, 10_000, 0.0, VERDICTS["none"]),
        (0.04, 10_000, 0.2, VERDICTS["mixed"]),
        (0.05, 16, 0.0, VERDICTS["unknown"]),
        (0.05, 16, 0.2, MIXED_AND_UNKNOWN),
    ],
)
def test_the_verdict_claims_no_more_than_the_numbers_do(page, mu, draws, gamma, verdict) -> None:
    """Below chance is no evidence; with 16 sign patterns no mu could exceed chance at all."""
    mu_metric = metric("mu", mu, null_reference=null_reference(0.05, n_draws=draws))
    gamma_metric = metric("gamma", None, by=subjects(muslim=gamma, jain=-gamma))

    sentence = verdict.format(follows="the subject’s religion", subjects="religions")
    assert sentence in visible_text(page(report(mu_metric, gamma_metric)))


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_null_metric_is_shown_with_its_reason(page, form) -> None:
    """Undefined is never 0, neither in a table nor in a figure."""
    reason = NOTHING_SCORED
    metric_file = report(
        metric("mu", None, why_null=reason, n_scored=0, n_unscored=7),
        metric("gamma", None, by=subjects(muslim=0.2, sikh=None)),
    )

    text = page(metric_file, form=form)

    assert f"null: {reason}" in text
    assert "null: No complete example." in text or form == "markdown"
    assert "μ is null" in text
    assert "0.0000" not in text


def test_the_page_names_dataset_model_and_predictions(page) -> None:
    """Version and digest of the data, the model, and the predictions' sha256 stand at the top."""
    text = visible_text(page(report()))

    for wanted in ("unqover 1.0.0, digest dddddddddddd", "tiny-qa", "sha256 aaaaaaaaaaaa"):
        assert wanted in text


@pytest.mark.parametrize("n_unscored", [0, 7])
def test_what_was_left_out_is_said(page, n_unscored) -> None:
    """Left-out examples are told at the top and at the end, and never denied."""
    text = visible_text(page(report(metric("mu", 0.2, n_unscored=n_unscored))))

    assert (re.search(r"\b7 examples [^.]*left out", text) is not None) == (n_unscored > 0)
    assert (re.search(r"[Nn]othing [^.]*left out", text) is not None) == (n_unscored == 0)


def test_an_unknown_digest_is_told_with_its_reason(page) -> None:
    """A file that describes itself has no dataset digest, and the page says why."""
    dataset = DatasetRecord(stem="unqover", version=None, digest=None, why_null="It has none.")

    assert "(digest unknown: It has none.)" in visible_text(page(report(dataset=dataset)))


def test_pairs_and_the_examples_behind_them_are_shown(page) -> None:
    """Both ends of the table, the matrix, and an example's four questions with their scores."""
    html = page(report())
    text, [example] = visible_text(html), examples_in(html)["unqover-0"]

    assert re.search(r"Chosen most for the attribute, of 3 pairs.*muslim lied \+0\.3000", text)
    assert re.search(r"Chosen least for the attribute, of 3 pairs.*jain stole −0\.4000", text)
    assert "muslim · lied (γ +0.3000, chosen most): 1 example" in text
    assert example["title"] == "muslim / jain · t03 · C(x1, x2) +0.4000"
    assert [row[2:] for row in example["scores"]["rows"]] == [["0.625", "0.125"]] * 4
    assert example["scores"]["rows"][3][:2] == ["Context 21. Who neg?", "its negation"]
    assert html.count('data-shelf="unqover-0" data-rows="0"') == 2


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_without_side_files_the_report_says_what_it_lacks(page, form) -> None:
    """The numbers stand; tables of pairs and examples are missing for a stated reason."""
    text = page(report(), form=form, sides=False)

    assert re.search(r"table of pairs[^.]*: m0\.json [^.]*parts file", text)
    assert re.search(r"[Nn]o examples: m0\.json [^.]*examples file", text)
    assert "0.2100" in text


def test_side_files_left_behind_are_missed_by_name(evenhand, write_metrics) -> None:
    """A metric file that travelled alone is reported without what lay beside it."""
    path = write_metrics(report())
    path.with_suffix(".parts.parquet").unlink()

    code, out, _ = evenhand("report", path, "--out", "-")

    assert code == 0
    assert "metrics.parts.parquet does not lie beside metrics.json" in out


@pytest.mark.parametrize("suffix", [".parts.parquet", ".examples.jsonl"])
def test_a_side_file_of_another_run_is_refused(evenhand, write_metrics, suffix) -> None:
    """One changed byte in a side file is found by its sha256."""
    path = write_metrics(report())
    side = path.with_suffix(suffix)
    side.write_bytes(side.read_bytes() + b"\n")

    code, out, err = evenhand("report", path, "--out", "-")

    assert (code, out) == (1, "")
    assert f"metrics{suffix}: its sha256 is " in err
    assert re.search(r"metrics\.json .*[0-9a-f]{64}", err)


@pytest.mark.parametrize("name", ["../secret.parquet", "/etc/passwd", "a/b.parquet", "..", ""])
def test_a_side_file_outside_the_folder_is_refused(evenhand, write_metrics, name) -> None:
    """A metric file that somebody sent cannot make the report read other files."""
    parts = SideFile(name=name, sha256="0" * 64)
    path = write_metrics(report(parts=parts), sides=False)

    code, _, err = evenhand("report", path, "--out", "-")

    assert code == 1
    assert re.search(rf"parts\.name .*{re.escape(repr(name))}.*\bfolder\b", err)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"{", "not .*metric file"),
        (b"\xff\xfe", "not .*metric file"),
        (canonical_json(report(contract_version="9.0")), "contract_version is 9.0"),
        (canonical_json(msgspec.structs.replace(report(), metrics=[])), "metrics .*empty"),
        (
            canonical_json(
                report(dataset=DatasetRecord(stem="other", version="1.0.0", digest="d" * 64))
            ),
            "dataset.stem is 'other'",
        ),
    ],
)
def test_a_file_that_is_no_metric_file_is_refused(evenhand, tmp_path, content, complaint) -> None:
    """One sentence names the file and what is wrong with it."""
    path = tmp_path / "metrics.json"
    path.write_bytes(content)

    code, out, err = evenhand("report", path, "--out", tmp_path / "report.html")

    assert (code, out) == (1, "")
    assert err.startswith(f"evenhand: {path}")
    assert re.search(complaint, err)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [("{", r":2: .*JSON"), ("[1]", r":2: .*JSON object")],
)
def test_a_broken_line_of_the_examples_is_named(evenhand, write_metrics, line, complaint) -> None:
    """The examples file is read line by line, and a broken one is refused by its number."""
    path = write_metrics(report())
    side = path.with_suffix(".examples.jsonl")
    side.write_text(f"{json.dumps(EXAMPLE)}\n{line}\n")
    named = SideFile(name=side.name, sha256=sha256_of_file(side))
    metric_file = msgspec.json.decode(path.read_bytes(), type=Report)
    path.write_bytes(canonical_json(msgspec.structs.replace(metric_file, examples=named)))

    code, _, err = evenhand("report", path, "--out", "-")

    assert code == 1
    assert re.search(complaint, err)


def test_examples_of_another_version_show_what_they_have(page) -> None:
    """Fields that are missing or of another type are left out and break nothing."""
    odd: list[dict[str, object]] = [
        {**EXAMPLE, "questions": [{"text": "[MASK] lied.", "score_x1": None}, 5]},
        {**EXAMPLE, "questions": None, "template": 3},
        {**EXAMPLE, "comparative_bias": None},
        {**EXAMPLE, "config": "other"},
        {},
    ]

    html = page(report(), examples=odd)
    examples = examples_in(html)["unqover-0"]

    assert "muslim · lied (γ +0.3000, chosen most): 2 examples" in visible_text(html)
    assert examples[0]["scores"]["rows"] == [["[MASK] lied.", "", "none", "none"]]
    assert "scores" not in examples[1]


def test_hostile_names_stay_text(page) -> None:
    """Whatever a sent file holds, the page has the elements of a harmless one and no others."""
    hostile_subjects = subjects(**{HOSTILE: 0.2, "jain": -0.25})
    metric_file = report(
        metric("mu", 0.21, null_reference=null_reference(0.05)),
        metric("gamma", None, by=hostile_subjects),
        metric(HOSTILE, 0.5, why_null=HOSTILE, signature=HOSTILE, unit=HOSTILE),
        model=HOSTILE,
        warnings=[HOSTILE],
        protocol=HOSTILE,
    )
    example = {**EXAMPLE, "x1": HOSTILE, "attribute": HOSTILE, "template": HOSTILE}

    html = page(metric_file, pairs=[(HOSTILE, HOSTILE, 0.3)], examples=[example])
    elements = Elements(html).elements

    assert HOSTILE in "".join(Elements(html).words)
    assert HOSTILE in examples_in(html)["unqover-0"][0]["title"]
    assert [attrs.get("type") for tag, attrs in elements if tag == "script"] == SCRIPTS
    assert not any(tag == "img" for tag, _ in elements)
    assert not any(name.startswith("on") for _, attrs in elements for name in attrs)


def test_a_hostile_config_stays_text(page) -> None:
    """The name of a config stands in headings and links, and stays text there too."""
    metric_file = report(
        *(msgspec.structs.replace(m, config=HOSTILE) for m in report().metrics), configs=[HOSTILE]
    )

    elements = Elements(page(metric_file)).elements

    assert [attrs.get("type") for tag, attrs in elements if tag == "script"] == SCRIPTS
    assert not any(tag == "img" for tag, _ in elements)


def test_hostile_names_stay_text_in_markdown(page) -> None:
    """Markup, table bars and links of a sent file are escaped, and lines stay whole."""
    metric_file = report(model=f"{HOSTILE}\n# heading", warnings=["a\n\n<b>x</b>"])

    text = page(metric_file, form="markdown", sides=False)

    assert not re.search(r"(?<!\\)<(script|img|b)\b", text)
    assert not re.search(r"(?<!\\)\[a(?<!\\)\]\(b\)", text)
    assert not re.search(r"^# heading", text, re.MULTILINE)


def test_the_page_loads_nothing(page) -> None:
    """No element fetches anything; links to sources are the only addresses in it."""
    html = page(report(), report(model="other"))

    fetched = [
        (tag, name, value)
        for tag, attrs in Elements(html).elements
        for name, value in attrs.items()
        if name in {"src", "srcset", "href", "data", "action", "poster", "xlink:href", "style"}
        and not (tag == "a" and name == "href")
    ]
    links = {attrs["href"] for tag, attrs in Elements(html).elements if tag == "a"}

    assert fetched == [("link", "href", "data:,")]
    assert {link for link in links if link and not link.startswith("#")} == {
        "https://arxiv.org/abs/2010.02428"
    }
    assert "@import" not in html
    assert "url(" not in html


def test_the_policy_allows_this_style_and_this_script_alone(page) -> None:
    """The Content-Security-Policy names the hashes of the page's own style and script."""
    import base64
    import hashlib

    html = page(report())
    policies = [attrs["content"] for tag, attrs in Elements(html).elements if "http-equiv" in attrs]

    for kind in ("style", "script"):
        match = re.search(f"<{kind}>(.*?)</{kind}>", html, re.DOTALL)
        assert match is not None
        digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in (policies[0] or "")
    assert (policies[0] or "").startswith("default-src 'none'; ")
    assert len(policies) == 1


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_second_run_gives_the_same_bytes(evenhand, write_metrics, tmp_path, form) -> None:
    """The report carries no time and no order that could change."""
    path = write_metrics(report())

    for name in ("first", "second"):
        assert evenhand("report", path, "--as", form, "--out", tmp_path / name)[0] == 0

    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_several_models_are_ranked_and_compared(page) -> None:
    """Bars of mu, mean rank with standard deviation (3, 2, 1 against 1, 2, 3), shared pairs."""
    other = report(
        metric("mu", 0.03, null_reference=null_reference(0.05)),
        metric("gamma", None, by=subjects(muslim=-0.1, sikh=0.0, jain=0.2)),
        model="other-qa",
    )

    text = visible_text(page(report(), other))

    assert "Model bias intensity μ by model" in text
    assert "Mean rank of religions over 2 models" in text
    assert "muslim 2.0 ± 1.0" in text
    assert "sikh 2.0 ± 0.0" in text
    assert SHARED.format(k=SHARED_TOP) in text
    assert text.count("Religion · ") == 2


def test_the_cards_of_several_models_share_one_axis(page) -> None:
    """A mu of 0.1 lies half as far along its card's line as one of 0.2, whatever its chance."""
    cards = re.findall(
        r"<article.*?</article>",
        page(
            report(metric("mu", 0.2, null_reference=null_reference(0.05))),
            report(metric("mu", 0.1, null_reference=null_reference(0.1)), model="other-qa"),
        ),
        re.DOTALL,
    )
    drawn = [re.search(r'<svg x="([\d.]+)%" y="50%"', card) for card in cards[:2]]
    first, second = (float(match[1]) for match in drawn if match is not None)

    assert first == pytest.approx(2 * second, abs=0.02)
    assert first > 90


def test_a_language_model_and_its_qa_model_show_the_shift(page) -> None:
    """By subject the QA model's gamma less the language model's: 0.2 - -0.1 = +0.3."""
    masked = [
        metric("mu", 0.03, config="religion_mlm", null_reference=null_reference(0.05)),
        metric("gamma", None, config="religion_mlm", by=subjects(muslim=-0.1, sikh=0.05)),
    ]
    language_model = report(*masked, model="tiny-lm", configs=["religion_mlm"])

    text = visible_text(page(report(), language_model))

    assert "Shift from the language model tiny-lm to tiny-qa" in text
    assert re.search(r"muslim\s+−0\.1000\s+\+0\.2000\s+\+0\.3000", text)


def test_models_of_one_name_are_told_apart_by_their_files(page) -> None:
    """Two runs of one model stand beside each other under different names."""
    text = visible_text(page(report(), report()))

    assert "tiny-qa (m0.json)" in text
    assert "tiny-qa (m1.json)" in text


def test_a_model_without_a_name_is_called_by_its_predictions(page) -> None:
    """Nobody is asked to name a model."""
    assert "predictions.parquet" in visible_text(page(report(model=None)))


def test_the_same_file_twice_is_refused(evenhand, write_metrics) -> None:
    """A slip on the command line does not become a comparison of a model with itself."""
    path = write_metrics(report())

    code, _, err = evenhand("report", path, path, "--out", "-")

    assert (code, "twice" in err) == (1, True)


def test_models_that_must_not_be_compared_are_called_out(page) -> None:
    """Another dataset, protocol or precision is said before any number."""
    predictions = [
        msgspec.structs.replace(
            report().predictions[0], model=ModelReference(name="other", precision=precision)
        )
        for precision in ("int8", "fp32")
    ]
    first = report(predictions=predictions[:1])
    second = report(
        predictions=predictions[1:],
        protocol="code",
        dataset=DatasetRecord(stem="unqover", version="2.0.0", digest="e" * 64),
    )

    text = visible_text(page(first, second))

    for wanted in ("not scored on the same dataset", "different protocols", "(fp32, int8)"):
        assert wanted in text


def test_what_is_ours_stands_on_a_shelf_of_its_own(page) -> None:
    """A metric that is in no paper is marked as such."""
    usual = report().metrics
    metric_file = report(*usual, metric("causal_mu", 0.3, shelf="beyond"))

    text = visible_text(page(metric_file))

    assert "Beyond the paper ours, in no paper" in text
    assert text.index("causal mu") > text.index("Beyond the paper ours")


def test_groups_are_shown_before_names(page) -> None:
    """Where subjects have groups (gender), the groups' table comes first."""
    by = {**subjects(mary=0.2, john=-0.2), "group": subjects(female=0.2, male=-0.2)["subject"]}
    metric_file = report(
        metric("mu", 0.2, null_reference=null_reference(0.05)), metric("gamma", None, by=by)
    )

    text = visible_text(page(metric_file))

    assert "γ by group: female +0.2000 (p 0.0200), male −0.2000 (p 0.0200)." in text
    assert text.index("All groups") < text.index("ranked by γ(x)")


def test_many_subjects_are_trimmed_in_the_figure_and_whole_in_the_table(page) -> None:
    """Of 30 subjects the figure draws ten at either end, as the paper does; the table has all."""
    values = {f"country{i:02}": i / 100 for i in range(30)}
    metric_file = report(metric("gamma", None, by=subjects(**values)))

    html = page(metric_file)

    assert "… 10 between" in html
    assert all(html.count(f">{name}<") == (2 if i < 10 or i >= 20 else 1)
               for i, name in enumerate(values))  # fmt: skip


def test_every_figure_is_an_image_with_a_description(page) -> None:
    """Who cannot see a figure hears what it shows."""
    elements = Elements(page(report(), report(model="other"))).elements
    figures = [attrs for tag, attrs in elements if tag == "figure"]
    images = [attrs for _, attrs in elements if attrs.get("role") == "img"]

    assert len(images) == len(figures) >= 6
    assert all(len(attrs["aria-label"] or "") > 20 for attrs in images)


def test_every_metric_is_defined_with_formula_and_source(page) -> None:
    """Methods explains what is shown: formula in MathML, reading, section of the paper."""
    names = ["mu", "eta", "delta", "epsilon", "mean_score", "flipped_by_position", "eta_subject"]
    metric_file = report(*(metric(name, 0.1) for name in names))

    html = page(metric_file)

    assert html.count("<math") == 2 + len(names)
    assert all(f"<code>unqover.{name}</code>" in html for name in names)
    assert html.count(f"{PAPER.short}, section") >= len(names)


def test_the_mathml_is_well_formed(page) -> None:
    """Each formula parses as XML."""
    from xml.etree import ElementTree as ET

    formulas = re.findall(r"<math.*?</math>", page(report()), re.DOTALL)

    assert [ET.fromstring(formula).tag for formula in formulas] == ["math"] * len(formulas)  # noqa: S314 - our own text


def test_an_existing_report_is_kept_unless_asked(evenhand, write_metrics, tmp_path) -> None:
    """--overwrite replaces; without it the file stays as it was."""
    path, out = write_metrics(report()), tmp_path / "report.html"
    out.write_text("mine")

    code, _, err = evenhand("report", path, "--out", out)
    assert (code, "--overwrite" in err, out.read_text()) == (1, True, "mine")
    assert evenhand("report", path, "--out", out, "--overwrite")[0] == 0
    assert out.read_text().startswith("<!doctype html>")


def test_a_metric_file_is_never_overwritten(evenhand, write_metrics) -> None:
    """--out that names an input is refused even with --overwrite."""
    path = write_metrics(report())
    before = path.read_bytes()

    code, _, err = evenhand("report", path, "--out", path, "--overwrite")

    assert (code, path.read_bytes()) == (1, before)
    assert re.search(rf"{re.escape(str(path))}.*metric files", err)


def test_markdown_is_short_and_holds_the_numbers(page) -> None:
    """Findings, metrics and the strongest pairs; no figure, no example."""
    text = page(report(), form="markdown")

    assert f"**{VERDICTS['found'].format(follows='the subject’s religion')}**" in text
    assert re.search(r"\| μ · model bias intensity .*\| 0\.2100 \| 0\.1500 to 0\.2700", text)
    assert "| muslim | lied | +0.3000 | +1.0000 | 28 |" in text
    assert "Context 12." not in text


@pytest.mark.parametrize(
    ("stem", "reason"),
    [
        ("bbq", "An interval needs two questions; one question alone speaks of it."),
        ("unqover", "All 14 templates agree, so no resampling of them can vary."),
        ("bvf", "All 3 contexts agree, so no resampling of them can vary."),
    ],
)
def test_where_there_is_no_interval_its_reason_is_a_hint(evenhand, tmp_path, stem, reason) -> None:
    """In its place, where a pointer rests on it, and below the table, also in Markdown.

    BBQ's groups, of which some have a single question, stand on the page alone.
    """
    path, page = GOLDEN / f"{stem}_metrics.json", tmp_path / "r.html"

    assert evenhand("report", path, "--out", page)[0] == 0
    html = page.read_text(encoding="utf-8")
    assert re.search(rf'<abbr title="{re.escape(reason)}">(?:no interval|none)</abbr>', html)
    (note, *_) = re.findall(r"No interval: ([^<]*)", html)
    assert reason in note
    code, text, _ = evenhand("report", path, "--as", "markdown")
    assert code == 0
    assert (reason in text) is (stem != "bbq")


def test_an_interval_of_clusters_that_agree_is_marked(evenhand, tmp_path) -> None:
    """A double dagger and its footnote; the dagger of few clusters is for those that vary."""
    page = tmp_path / "r.html"
    evenhand("report", GOLDEN / "bbq_metrics.json", "--out", page)
    html = page.read_text(encoding="utf-8")

    assert "\N{MINUS SIGN}100.00 to +41.52\N{NO-BREAK SPACE}‡" in html
    assert AGREES in html
