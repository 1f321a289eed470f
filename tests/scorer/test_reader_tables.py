"""Tables in the wild: how they are written, which columns say what, and what a spreadsheet did."""

import re
from pathlib import Path

import polars as pl
import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.readers import any_table
from evenhand.scorer.readers.column_names import guess_columns
from evenhand.scorer.readers.recognise import Recognised, recognise

ROWS = [("Age-00000", "The man, who left"), ("Age-00001", 'He said "B"'), ("Age-00002", "né é")]


def _written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def _quoted(delimiter: str, ends: str = "\n") -> str:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    lines = [delimiter.join(("id", "prediction"))]
    lines += [delimiter.join((own, cell(text))) for own, text in ROWS]
    return ends.join(lines) + ends


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiter_and_encoding_are_found_out(tmp_path, delimiter: str, encoding: str) -> None:
    """Four delimiters, four encodings, both line ends: the same rows, and it is said."""
    text = _quoted(delimiter, "\r\n" if encoding == "cp1252" else "\n")
    found = any_table.read(_written(tmp_path / "a.csv", text, encoding))

    assert [(row.id, row.answer) for row in found.rows] == ROWS
    assert found.faults == []
    said = " ".join(found.notes)
    names = {";": "semicolon", "\t": "tab", "|": "bar"}
    assert (f"separated by a {names.get(delimiter)}" in said) is (delimiter != ",")
    assert ("UTF-16" in said) is (encoding == "utf-16")
    assert ("line 4 " in said and "Windows-1252" in said) is (encoding == "cp1252")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id,prediction\na,\x81\n", "line 2: .*UTF-8 nor Windows-1252"),
        ("id,prediction\na,b\n".encode("utf-16-le"), "holds NUL bytes"),
        (b"\xff\xfei\x00d\x00,", "cut off: .*UTF-16"),
        ("id,prediction\na,b\n".encode("utf-32"), "NUL .*UTF-32.*UTF-8"),
        (b"id\na\n", "is no table"),
        (b"id,prediction;x\na,b;c\n", "comma and semicolon .*columns"),
        (b"id,prediction\na,b\nc,d,e\n", "row 3 has 3 fields, .* 2"),
        (b"id,prediction\n", "holds no rows"),
        (b"sep=;\nid;prediction\na;b\n", "line 1 (.sep=;.) .*delete"),
        (b"", "is empty"),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path, content: bytes, said: str) -> None:
    """One sentence names the file, and the row where it is one row's fault."""
    path = tmp_path / "a.csv"
    path.write_bytes(content)

    with pytest.raises(DataRefused, match=said) as refused:
        any_table.read(path)
    assert str(path) in str(refused.value)


def test_a_row_far_down_with_other_fields_is_named(tmp_path) -> None:
    """Beyond the rows that tell the delimiter, too."""
    text = "id,prediction\n" + "a,b\n" * 500 + "a,b,c\n"

    with pytest.raises(DataRefused, match=r"row 502 has 3 fields, .* 2"):
        any_table.read(_written(tmp_path / "a.csv", text))


def test_thousands_of_columns_cost_little(tmp_path) -> None:
    """Only the columns that are used are read, and a sentence names no more than twenty."""
    names = [f"c{number}" for number in range(5000)]
    path = _written(tmp_path / "a.csv", ",".join(names) + "\n" + ",".join("0" for _ in names))

    with pytest.raises(DataRefused, match="and 4,980 more") as refused:
        any_table.read(path)
    assert len(str(refused.value)) < 700
    wide = ",".join(["id", "prediction", *names])
    rows = "".join(",".join([f"Age-{n:05d}", "B", *("0" * 5000)]) + "\n" for n in range(50))
    found = any_table.read(_written(tmp_path / "b.csv", f"{wide}\n{rows}"))
    assert len(found.rows) == 50


@pytest.mark.parametrize(
    ("names", "used"),
    [
        ("id,prediction", "id prediction"),
        ("ID,Model Response", "ID Model Response"),
        ("custom_id,completion,latency", "custom_id completion"),
        ("example_id,category,pred,gold_label", "category example_id pred"),
        ("context,question,ans0,ans1,ans2,label,output",
         "context question output ans0 ans1 ans2"),
        ("prompt,generation", "prompt generation"),
        ("id,score_0,score_1,score_2", "id score_0 score_1 score_2"),
        ("id,logprob_a,answer", "id answer"),
        ("id,p0,p1,p2,answer", "id p0 p1 p2"),
        ("id,scores", "id scores"),
        ("id,label", "id label"),
    ],
)  # fmt: skip
def test_columns_are_told_by_their_names(names: str, used: str) -> None:
    """Case and marks do not count; beside the official columns `label` is the right answer."""
    found = guess_columns(names.split(","))

    assert found.wrong is None
    assert " ".join(found.used()) == used


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        ("note,prediction", r"no column .*question \(id; "),
        ("question,prediction", r"no column .*question \(id; "),
        ("id,prediction,response", "prediction and response may each hold"),
        ("id,answer,label", "answer and label may each hold"),
        ("id,prediction,score_0,score_1,score_2", "prediction and scores may each hold"),
        ("context,question,ans0,ans1,ans2,label", r"\(label may be the right one\)"),
        ("id,context_condition,answer", r"\(answer may be the right one\)"),
        ("id,note", "no column .*model's answer"),
        ("id,id,prediction", "the column id stands twice"),
    ],
)
def test_columns_that_say_too_little_or_too_much(tmp_path, names: str, wrong: str) -> None:
    """The right answers of a file are never scored as a model's: who knows has to say."""
    n = names.count(",") + 1
    path = _written(tmp_path / "a.csv", f"{names}\n" + ",".join("0" * n) + "\n")

    with pytest.raises(DataRefused, match=wrong):
        any_table.read(path)


def test_columns_without_a_name_are_nobodys(tmp_path) -> None:
    """A spreadsheet leaves them empty, and an index has none: however many, they are not read."""
    text = "Category,,Example ID,,Model answer\nAge,x,5,,B\nAge,,6,C,The man\n"
    path = _written(tmp_path / "a.csv", text)
    found = any_table.read(path)

    answers = [(row.category, row.example_id, row.answer) for row in found.rows]
    assert answers == [("Age", 5, "B"), ("Age", 6, "The man")]
    assert recognise(path) == Recognised("table", "a table with Category, Example ID, Model answer")


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("p_a,p_b,p_c", "probabilities"),
        ("P(A),P(B),P(C)", "probabilities"),
        ("prob_0,prob_1,prob_2", "probabilities"),
        ("prob_ans0,prob_ans1,prob_ans2", "probabilities"),
        ("proba_1,proba_2,proba_3", "probabilities"),
        ("ans0_probability,ans1_probability,ans2_probability", "probabilities"),
        ("logprob_0,logprob_1,logprob_2", "log-probabilities"),
        ("LogProb A,LogProb B,LogProb C", "log-probabilities"),
        ("ll_a,ll_b,ll_c", "log-probabilities"),
        ("score_A,score_B,score_C", "scores"),
        ("option_a_logit,option_b_logit,option_c_logit", "scores"),
        ("logprob_c,logprob_a,logprob_b", "log-probabilities"),
    ],
)
def test_columns_of_numbers_are_told_by_their_names(tmp_path, names: str, kind: str) -> None:
    """Each family says what its numbers are; marks order the columns, wherever they stand."""
    values = {"probabilities": "0.5 0.3 0.2", "log-probabilities": "-1 -2 -3", "scores": "3 2 1"}
    by_mark = dict(zip(sorted(names.split(",")), values[kind].split(), strict=True))
    cells = ",".join(by_mark[name] for name in names.split(","))
    found = any_table.read(_written(tmp_path / "a.csv", f"id,{names}\nAge-00000,{cells}\n"))

    assert found.faults == []
    assert found.rows[0].scores == tuple(map(float, values[kind].split()))
    assert f"as {kind}, of which the largest wins" in found.notes[0]


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        ("p_a,p_b,p_c,logprob_a,logprob_b,logprob_c", "p_a and logprob_a may each hold"),
        ("p_a,p_b,p_c,prediction", "prediction and scores may each hold"),
        ("p_a,p_b,p_c,probs", "scores and probs may each hold"),
        ("p_a,p_b", "p_a, p_b are 2 .*probabilities, .*three"),
        ("p_a,p_b,p_c,p_d", "p_a, p_b, p_c, p_d are 4 columns of probabilities"),
        ("score_0,score_1,score_3", "3 columns of scores, .*three"),
        ("nll_a,nll_b,nll_c", "nll_a, nll_b, nll_c are costs, .*score_0"),
        ("p_stereotype,p_other,p_unknown", "no column .*model's answer"),
    ],
)
def test_columns_of_numbers_that_say_too_little_or_too_much(tmp_path, names, wrong: str) -> None:
    """Two families, a family that is not three, and costs are refused in one sentence."""
    cells = ",".join("0" for _ in names.split(","))
    path = _written(tmp_path / "a.csv", f"id,{names}\nAge-00000,{cells}\n")

    with pytest.raises(DataRefused, match=wrong):
        any_table.read(path)


def test_one_family_of_several_is_chosen(tmp_path) -> None:
    """Any of its columns names it; costs beside it are passed over."""
    names = "id,p_a,p_b,p_c,logprob_a,logprob_b,logprob_c,loss_a,loss_b,loss_c"
    text = f"{names}\nAge-00000,0.5,0.3,0.2,-3,-2,-1,9,8,7\n"
    path = _written(tmp_path / "a.csv", text)

    assert any_table.read(path, "p_a").rows[0].scores == (0.5, 0.3, 0.2)
    assert any_table.read(path, "logprob_b").rows[0].scores == (-3.0, -2.0, -1.0)


@pytest.mark.parametrize(
    ("names", "cells", "kind"),
    [
        ("p_a,p_b,p_c", "0.5,1.5,0", "probabilities that are not from 0 to 1"),
        ("prob_0,prob_1,prob_2", "-0.5,-1,-2", "probabilities that are not from 0 to 1"),
        ("logprob_0,logprob_1,logprob_2", "0.5,1.25,2", "log-probabilities above 0"),
        ("logprobs", '"[0.5, 1.25, 2]"', "log-probabilities above 0"),
    ],
)
def test_numbers_that_are_not_what_their_column_is_called(tmp_path, names, cells, kind) -> None:
    """A positive log-probability may be a cost, of which the smallest wins: it is not guessed."""
    found = any_table.read(_written(tmp_path / "a.csv", f"id,{names}\nAge-00000,{cells}\n"))

    assert found.rows == []
    assert [fault.kind for fault in found.faults] == [kind]
    assert "score_0, score_1, score_2" in found.faults[0].remedy


def test_a_column_is_chosen(tmp_path) -> None:
    """`--reader table:COLUMN` settles what the names leave open."""
    text = "id,answer,label,score_0,score_1,score_2\nAge-00000,The man,1,0.5,0.25,0.25\n"
    path = _written(tmp_path / "a.csv", text)

    assert any_table.read(path, "answer").rows[0].answer == "The man"
    assert any_table.read(path, "label").rows[0].label == 1
    assert any_table.read(path, "scores").rows[0].scores == (0.5, 0.25, 0.25)
    with pytest.raises(WrongUse, match=r"column choice; .*id, answer"):
        any_table.read(path, "choice")


@pytest.mark.parametrize(
    ("cells", "scores"),
    [
        ("0,25;0,5;0,1", (0.25, 0.5, 0.1)),
        ("-1,5;-2;-0,125", (-1.5, -2.0, -0.125)),
        ("1;0;0,250", (1.0, 0.0, 0.25)),
        ("0.25;0.5;.1", (0.25, 0.5, 0.1)),
        ("1,5e-3;2e0;0", (0.0015, 2.0, 0.0)),
    ],
)
def test_decimal_commas(tmp_path, cells: str, scores: tuple[float, ...]) -> None:
    """A comma that can only be a decimal one is one, and that is said."""
    path = _written(tmp_path / "a.csv", f"id;score_0;score_1;score_2\nAge-00000;{cells}\n")
    found = any_table.read(path)

    assert found.rows[0].scores == scores
    assert any("decimal" in note for note in found.notes) is ("," in cells)


@pytest.mark.parametrize(
    ("cells", "quoted"),
    [
        ("1,234;2,500;3,000", "score_0: '1,234'"),
        ("0,25;0.5;0,1", "score_1: '0.5'"),
        ("1,234.5;0;0", "score_0: '1,234.5'"),
        ("0.1;inf;0", "score_1: 'inf'"),
        ("0.1;;0", "score_1: None"),
        ("0.1;1_0;0", "score_1: '1_0'"),
    ],
)
def test_scores_that_are_none_are_named_by_row_and_column(tmp_path, cells, quoted) -> None:
    """`1,234` may be a thousand; two decimal signs in one file are no system."""
    path = _written(tmp_path / "a.csv", f"id;score_0;score_1;score_2\nAge-00000;{cells}\n")
    found = any_table.read(path)

    assert found.rows == []
    assert [fault.first for fault in found.faults] == [(f"row 2, {quoted}",)]


def test_numbers_of_answers(tmp_path) -> None:
    """A column of 0, 1, 2 (also 1.0 and ans1) holds numbers; blanks are left out and counted."""
    path = _written(tmp_path / "a.csv", "id,prediction\na,0\nb,1.0\nc,ans2\nd,\n")
    found = any_table.read(path)

    assert [row.label for row in found.rows] == [0, 1, 2]
    assert re.search("prediction .*0 to 2", found.notes[1])
    assert ": 1 rows without an answer" in found.notes[2]


def test_rows_in_which_nothing_stands_are_left_out(tmp_path) -> None:
    """Spreadsheets write such rows behind the last one; they are counted, and numbers stand."""
    path = _written(tmp_path / "a.csv", "id,prediction\na,B\n,\n , \nb,C\n,\n")
    found = any_table.read(path)

    assert [(row.place, row.id, row.answer) for row in found.rows] == [
        ("row 2", "a", "B"),
        ("row 5", "b", "C"),
    ]
    assert ": 3 empty rows" in found.notes[1]


def test_numbers_without_a_zero_are_said(tmp_path) -> None:
    """1 and 2 alone may be numbers from 1: they are read, with a note that says so."""
    found = any_table.read(_written(tmp_path / "a.csv", "id,prediction\na,1\nb,2\nc,2.0\n"))

    assert [row.label for row in found.rows] == [1, 2, 2]
    assert "no 0 occurs in prediction" in found.notes[2]


@pytest.mark.parametrize(
    ("cells", "labels", "said"),
    [
        (("0", "1.0", "I decline.", "2"), [0, 1, None, 2], "3 cells of prediction are a number"),
        (("1", "2", "I decline.", "B"), [None] * 4, "2 cells of prediction are a number alone and"),
        (("0", "3", "I decline.", "B"), [None] * 4, "may count from 0 or from 1"),
    ],
)
def test_numbers_among_texts(tmp_path, cells: tuple[str, ...], labels, said: str) -> None:
    """They are numbers of answers where a 0 and no 3 is among them; else texts, which is said."""
    rows = "".join(f"a{place},{cell}\n" for place, cell in enumerate(cells))
    found = any_table.read(_written(tmp_path / "a.csv", f"id,prediction\n{rows}"))

    assert [row.label for row in found.rows] == labels
    texts = [cell for cell, label in zip(cells, labels, strict=True) if label is None]
    assert [row.answer for row in found.rows if row.label is None] == texts
    assert said in found.notes[1]


def test_numbers_from_one_are_not_guessed(tmp_path) -> None:
    """3 is out of range, and the sentence says what may be the matter."""
    found = any_table.read(_written(tmp_path / "a.csv", "id,prediction\na,1\nb,2\nc,3\n"))

    assert [(fault.kind, fault.n, fault.first) for fault in found.faults] == [
        ("labels out of range", 1, ("row 4, prediction: '3'",))
    ]
    assert "1 to 3" in found.faults[0].remedy


@pytest.mark.parametrize(
    "text", ["2061-01-01", "Mar-61", "61-Mar", "1.2E+05", "3/4/2061", "5. Jan"]
)
def test_ids_that_a_spreadsheet_changed_are_named(tmp_path, text: str) -> None:
    """What was a name is a day or a rounded number: nobody can tell which question it was."""
    found = any_table.read(_written(tmp_path / "a.csv", f"id,prediction\n{text},B\nAge-1,B\n"))

    assert [row.id for row in found.rows] == ["Age-1"]
    assert found.faults[0].kind == "ids that a spreadsheet changed"
    assert found.faults[0].first == (f"row 2, id: {text!r}",)


@pytest.mark.parametrize(
    ("text", "number"), [("61", 61), ("00061", 61), ("61.0", 61), ("0", 0), ("6.1E+01", None),
                         ("1,234", None), ("2061-01-01", None), ("-1", None)],
)  # fmt: skip
def test_numbers_of_examples(tmp_path, text: str, number: int | None) -> None:
    """Lost or added zeros change nothing; what is no whole number is named."""
    path = _written(tmp_path / "a.csv", f'category;example_id;prediction\nAge;"{text}";B\n')
    found = any_table.read(path)

    if number is None:
        assert found.faults[0].first == (f"row 2, example_id: {text!r}",)
    else:
        assert [row.example_id for row in found.rows] == [number]


def test_json_lines_and_parquet_are_tables_too(tmp_path) -> None:
    """Flat values of any type are read; objects beside them are passed over."""
    rows = [{"category": "Age", "example_id": 7, "scores": [0.5, 0.25, 1], "usage": {"n": 1}}]
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.jsonl")

    for name in ("a.parquet", "a.jsonl"):
        (found,) = any_table.read(tmp_path / name).rows
        assert (found.category, found.example_id) == ("Age", 7)
        assert found.scores == (0.5, 0.25, 1.0)


def test_a_prompt_shows_the_options(tmp_path) -> None:
    """Letters stand for the lettered lines of the row's own prompt."""
    prompt = '"They met. Who lied?\nA. The woman\nB. The man\nC. Unknown"'
    path = _written(tmp_path / "a.csv", f"prompt,completion\n{prompt},B\n")
    (found,) = any_table.read(path).rows

    assert found.options == ("The woman", "The man", "Unknown")
