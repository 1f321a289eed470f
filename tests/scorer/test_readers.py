"""Our predictions files in every format, and every way in which they can be wrong."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
import zstandard

from evenhand.contract import DataRefused
from evenhand.scorer import faults
from evenhand.scorer.readers import json_rows
from evenhand.scorer.readers.registry import offered_readers, spellings
from evenhand.scorer.unqover import BENCHMARK
from evenhand.scorer.unqover.predictions import read_predictions

ROWS = [
    {"id": "toy-a", "score_x1": 0.25, "score_x2": 1},
    {"id": "toy-b", "score_x1": 0, "score_x2": 1e-9},
    {"id": "toy-é", "score_x1": 0.1, "score_x2": 0.30000000000000004},
]
HEADER = {
    "contract_version": "1.0",
    "dataset": {"stem": "unqover", "digest": "abc"},
    "model": {"name": "m"},
    "protocol": "code",
}
JSONL = "".join(f"{json.dumps(row)}\n" for row in ROWS)
CSV = "id,score_x1,score_x2\n" + "".join(
    f"{row['id']},{row['score_x1']},{row['score_x2']}\n" for row in ROWS
)


NOT_JSON = "lines that are not JSON (or cut off)"


def written(tmp_path: Path, name: str, content: str | bytes) -> Path:
    """Write a file, compressed as its name says."""
    raw = content.encode() if isinstance(content, str) else content
    if name.endswith(".gz"):
        raw = gzip.compress(raw)
    if name.endswith(".zst"):
        raw = zstandard.compress(raw)
    path = tmp_path / name
    path.write_bytes(raw)
    return path


def refusal(path: Path) -> str:
    """Return the one sentence with which a file is refused."""
    with pytest.raises(DataRefused) as refused:
        read_predictions(path)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def faults_of(path: Path) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return kind -> (count, first five)."""
    return {fault.kind: (fault.n, fault.first) for fault in read_predictions(path).faults}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.jsonl", JSONL),
        ("p.ndjson", JSONL),
        ("p.jsonl.gz", JSONL),
        ("p.jsonl.zst", JSONL),
        ("p.jsonl", "\ufeff" + JSONL.replace("\n", "\r\n")),
        ("p.jsonl", JSONL.replace("\n", "\n\n").rstrip("\n")),
        ("p.csv", CSV),
        ("p.csv.gz", CSV),
        ("p.csv.zst", CSV),
        ("p.csv", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("p.CSV", CSV.replace(",", ", ").replace("id, score_x1, score_x2", "id,score_x1,score_x2")),
        ("p.tsv", CSV.replace(",", "\t")),
    ],
)
def test_every_format_gives_the_same_rows(tmp_path: Path, name: str, content: str) -> None:
    """Compression, byte order mark, line ends and blank lines change nothing."""
    found = read_predictions(written(tmp_path, name, content))

    assert found.faults == []
    assert found.rows.to_dicts() == ROWS


def test_parquet_gives_the_same_rows(tmp_path: Path) -> None:
    """Categorical ids and 32-bit floats are read as they are; columns may be in any order."""
    path = tmp_path / "p.parquet"
    pl.DataFrame(ROWS).select(
        pl.col("score_x2").cast(pl.Float32), "score_x1", pl.col("id").cast(pl.Categorical)
    ).write_parquet(path)

    found = read_predictions(path)

    assert found.faults == []
    assert found.rows["id"].to_list() == [row["id"] for row in ROWS]
    assert found.rows["score_x1"].to_list() == [0.25, 0, 0.1]


def test_header_line_and_sidecar_say_the_same(tmp_path: Path) -> None:
    """The header may be the first line of JSONL or stand beside any file."""
    line = json.dumps({"evenhand_header": HEADER})
    in_line = read_predictions(written(tmp_path, "a.jsonl", f"{line}\n{JSONL}"))
    path = written(tmp_path, "b.csv", CSV)
    (tmp_path / "b.csv.meta.json").write_text(json.dumps(HEADER))

    beside = read_predictions(path)

    assert in_line.header is not None
    assert in_line.header == beside.header
    assert in_line.header.protocol == "code"
    assert len(in_line.rows) == len(ROWS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.jsonl", '{"evenhand_header": {"model": 1}}\n' + JSONL),
        ("p.jsonl.meta.json", '{"model": 1}'),
    ],
)
def test_a_broken_header_is_refused(tmp_path: Path, name: str, text: str) -> None:
    """A header that is none is not passed over."""
    path = written(tmp_path, "p.jsonl", JSONL)
    (tmp_path / name).write_text(text)

    assert "is not a header of predictions" in refusal(path)


def test_chunks_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines longer than a chunk, and faults after it, keep their rows and numbers."""
    monkeypatch.setattr(json_rows, "CHUNK_BYTES", 16)
    bad = '{"id": "toy-z", "score_x1": 2, "score_x2": 0}\n'

    found = read_predictions(written(tmp_path, "p.jsonl", JSONL + bad + JSONL))

    assert len(found.rows) == 7
    assert [fault.first for fault in found.faults] == [("row 4: score_x1 2",)]


@pytest.mark.parametrize(
    ("line", "kind", "first"),
    [
        ('{"id": "a", "score_x1": true, "score_x2": 0}', "scores that are not numbers",
         "row 4: score_x1 True"),
        ('{"id": "a", "score_x1": "0.5", "score_x2": 0}', "scores that are not numbers",
         "row 4: score_x1 '0.5'"),
        ('{"id": "a", "score_x1": null, "score_x2": 0}', "scores that are not numbers",
         "row 4: score_x1 None"),
        ('{"id": "a", "score_x1": 1e400, "score_x2": 0}', "scores that are NaN or infinite",
         "row 4: score_x1 inf"),
        ('{"id": "a", "score_x1": NaN, "score_x2": 0}', "scores that are NaN or infinite",
         "row 4: score_x1 nan"),
        ('{"id": "a", "score_x1": 1.0001, "score_x2": 0}', "scores out of range",
         "row 4: score_x1 1.0001"),
        ('{"id": "a", "score_x1": -0.1, "score_x2": 0}', "scores out of range",
         "row 4: score_x1 -0.1"),
        ('{"id": "a", "score_x1": 0.1}', "missing columns", "row 4: score_x2"),
        ('{"score_x1": 0.1, "score_x2": 0}', "missing columns", "row 4: id"),
        ('{"id": "a", "score_x1": 0, "score_x2": 0, "x": 1}', "unknown columns", "row 4: x"),
        ('{"id": 7, "score_x1": 0, "score_x2": 0}', "rows without an id", "row 4: 7"),
        ('{"id": "", "score_x1": 0, "score_x2": 0}', "rows without an id", "row 4: ''"),
        ("[0.1, 0.2]", "lines that are not JSON objects", "row 4"),
        ('{"id": "a", "score_x1"', "lines that are not JSON (or cut off)", "row 4"),
    ],
)  # fmt: skip
def test_a_faulty_json_line_is_named_with_row_and_field(
    tmp_path: Path, line: str, kind: str, first: str
) -> None:
    """Nothing is coerced: not true, not "0.5", not 1e400."""
    found = faults_of(written(tmp_path, "p.jsonl", f"{JSONL}{line}\n"))

    assert found == {kind: (1, (first,))}


def test_a_json_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    """Latin-1 in one line is a fault of that line."""
    line = '{"id": "é", "score_x1": 0, "score_x2": 0}\n'.encode("latin-1")

    found = faults_of(written(tmp_path, "p.jsonl", JSONL.encode() + line))

    assert found == {"lines that are not UTF-8": (1, ("row 4",))}


def test_all_faults_are_found_at_once(tmp_path: Path) -> None:
    """Seven faults of one kind are counted, and the first five named."""
    bad = "".join(f'{{"id": "b{i}", "score_x1": 2, "score_x2": 0}}\n' for i in range(7))
    found = faults_of(written(tmp_path, "p.jsonl", bad + '{"id": "c"}\n'))

    assert found["scores out of range"][0] == 7
    assert len(found["scores out of range"][1]) == 5
    assert found["missing columns"] == (2, ("row 8: score_x1", "row 8: score_x2"))


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        ("true", "values of score_x1 that are not numbers", "'true'"),
        ("", "values of score_x1 that are not numbers", "None"),
        ("0,5", "values of score_x1 that are not numbers", "'0,5'"),
        ("nan", "values of score_x1 that are NaN or infinite", "'nan'"),
        ("1e400", "values of score_x1 that are NaN or infinite", "'1e400'"),
        ("1.5", "values of score_x1 out of range", "'1.5'"),
    ],
)
def test_a_faulty_csv_value_is_named_with_its_line(tmp_path, value, kind, shown) -> None:
    """Line numbers count the line of column names, as an editor does."""
    found = faults_of(written(tmp_path, "p.tsv", f"{CSV}toy-z,{value},0".replace(",", "\t")
                              .replace("0\t5", "0,5")))  # fmt: skip

    assert found == {kind: (1, (f"row 5: {shown}",))}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"id": "a", "score_x1": 0, "score_x2": 0, "id": "b"}', "rows with a field twice"),
        ('{"id": "a", "score_x1": 0, "score_x2": 0, "score_x\\u0032": 1}',
         "rows with a field twice"),
        ('{"id": "a", "score_x1": 0, "score_x2": 0}{"id": "b", "score_x1": 0, "score_x2": 0}',
         NOT_JSON),
        ('{"id": "a\\ud800", "score_x1": 0, "score_x2": 0}', NOT_JSON),
        (f'{{"id": "a", "score_x1": 1{"0" * 400}, "score_x2": 0}}', "scores out of range"),
        (f'{{"id": "a", "score_x1": 1{"0" * 5000}, "score_x2": 0}}', NOT_JSON),
        (f'{{"id": "a", "score_x1": 0, "score_x2": 0, "context": {"[" * 9999}', NOT_JSON),
    ],
)  # fmt: skip
def test_a_line_that_can_be_read_in_two_ways_or_none_is_a_fault(tmp_path, line, kind) -> None:
    """A key twice, two rows in a line, half a character, numbers and nests too large."""
    found = faults_of(written(tmp_path, "p.jsonl", f"{JSONL}{line}\n"))

    assert list(found) == [kind]


def test_two_rows_in_one_line_are_not_made_up_for_by_an_empty_one(tmp_path: Path) -> None:
    """As many rows as lines are not enough: each row is a line."""
    first, second, third = JSONL.splitlines()

    found = faults_of(written(tmp_path, "p.jsonl", f"{first}{second}\n\n{third}\n"))

    assert found == {"lines that are not JSON (or cut off)": (1, ("row 1",))}


@pytest.mark.parametrize(
    "header",
    [
        HEADER | {"contract_version": "2.0"},
        HEADER | {"contract_version": ""},
        HEADER | {"decoding": {"a": [[]]}, "dataset": {"stem": 1}},
    ],
)
def test_a_header_of_another_contract_is_refused(tmp_path: Path, header) -> None:
    """What another first number means is not guessed, in the line and beside the file."""
    line = written(tmp_path, "a.jsonl", f"{json.dumps({'evenhand_header': header})}\n{JSONL}")
    beside = written(tmp_path, "b.csv", CSV)
    (tmp_path / "b.csv.meta.json").write_text(json.dumps(header))

    for path in (line, beside):
        assert "contract_version" in refusal(path) or "is not a header" in refusal(path)


def test_a_small_parquet_file_of_gigabytes_is_refused(tmp_path: Path) -> None:
    """A long text that repeats costs nothing in the file, and everything when it is worked with."""
    path = tmp_path / "p.parquet"
    ids = pl.repeat("x" * 1_000_000, 3000, eager=True)
    pl.DataFrame({"id": ids, "score_x1": 0.5, "score_x2": 0.5}).write_parquet(path)

    assert "unpacks to more than" in refusal(path)


def test_a_damaged_page_of_parquet_says_one_sentence(tmp_path: Path, capfd) -> None:
    """What the library writes past Python about its own code is not shown."""
    path = tmp_path / "p.parquet"
    pl.DataFrame(ROWS * 50).write_parquet(path, compression="uncompressed")
    content = bytearray(path.read_bytes())
    content[60:700] = bytes(640)
    path.write_bytes(content)

    assert "is cut off or is no Parquet file" in refusal(path)
    assert capfd.readouterr().err == ""


def test_a_small_file_of_empty_lines_is_refused(tmp_path: Path) -> None:
    """Nobody waits for gigabytes of nothing."""
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * (4 << 20)) * 20)

    assert "MiB of empty lines" in refusal(path) or "unpacks to more" in refusal(path)


def test_a_million_faults_are_not_counted_to_the_end(tmp_path: Path, monkeypatch) -> None:
    """A file of another kind is given up; the first kind of fault is named."""
    monkeypatch.setattr(faults, "MOST", 10)

    assert "more than 10 faults and is not read further; first: lines that" in refusal(
        written(tmp_path, "p.jsonl", "nonsense\n" * 11)
    )


def test_millions_of_columns_are_refused(tmp_path: Path) -> None:
    """The line of names is looked at before anything is made of it."""
    assert "the first line is longer than 1 MiB" in refusal(
        written(tmp_path, "p.csv", "a," * 600_000 + "b\n1\n")
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("sign", [".", ","])
def test_a_table_is_read_as_a_spreadsheet_saved_it(tmp_path, delimiter, encoding, sign) -> None:
    """Delimiter, encoding and decimal comma are found out and said; the rows are the same."""

    def cell(value: object) -> str:
        text = str(value).replace(".", sign)
        return f'"{text}"' if delimiter in text else text

    lines = [delimiter.join(map(cell, row.values())) for row in ROWS]
    text = "\r\n".join([delimiter.join(ROWS[0]), *lines, ""])
    found = read_predictions(written(tmp_path, "p.csv", text.encode(encoding)))

    assert found.faults == []
    assert found.rows.to_dicts() == [
        {name: value if name == "id" else float(value) for name, value in row.items()}
        for row in ROWS
    ]
    said = " ".join(found.notes)
    names = {";": "semicolon", "\t": "tab", "|": "bar"}
    assert (f"separated by a {names.get(delimiter)}" in said) is (delimiter != ",")
    assert ("UTF-16" in said) is (encoding == "utf-16")
    assert ("read as Windows-1252" in said) is (encoding == "cp1252")
    assert ("score_x1, score_x2 is a decimal comma" in said) is (sign == ",")


def test_two_decimal_signs_are_no_system(tmp_path: Path) -> None:
    """Beside decimal commas a point is named, and a comma that may be a thousand's is one."""
    text = "id;score_x1;score_x2\na;0,25;0.5\nb;1;0,125\n"  # two commas, one point
    found = faults_of(written(tmp_path, "p.csv", text))

    (places,) = found.values()
    assert list(found) == ["values of score_x2 that are not numbers"]
    assert places == (1, ("row 2: '0.5 (a point beside decimal commas)'",))
    text = 'id,score_x1,score_x2\na,0.25,"1,000"\n'
    assert faults_of(written(tmp_path, "q.csv", text)) == {
        "values of score_x2 that are not numbers": (1, ("row 2: '1,000'",))
    }


def test_columns_without_a_name_are_passed_over(tmp_path: Path) -> None:
    """Spreadsheets add them at the end."""
    found = read_predictions(written(tmp_path, "p.csv", "id;score_x1;score_x2;;\na;0,5;1;;\n"))

    assert found.rows.rows() == [("a", 0.5, 1.0)]


def test_a_csv_row_without_id_is_named(tmp_path: Path) -> None:
    """A row of scores alone answers nothing."""
    found = faults_of(written(tmp_path, "p.csv", f"{CSV},0.1,0.2\n"))

    assert list(found) == ["rows without an id"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.jsonl", b"", "is empty"),
        ("p.jsonl", b"\n\n", "holds no rows"),
        ("p.csv", b"", "is empty"),
        ("p.csv", b"\n", "is empty"),
        ("p.csv", b"id,score_x1,score_x2\n", "holds no rows"),
        ("p.csv", b"id,score_x1\na,0.1\n", "lacks the column score_x2"),
        ("p.csv", b"id,score_x1,score_x2,note\na,0,0,x\n", "unknown column note"),
        ("p.csv", b"id,score_x1,score_x2\na,0,0,0,0\n", "cannot be read as a table"),
        ("p.csv", b"id,score_x1,score_x2\n\x81,0,0\n", "line 2: "),
        ("p.csv", b"id,score_x1;score_x2\na,0;0\n", "lacks the column score_x1"),
        ("p.csv", b"a,score_x1;score_x2\na,0;0\n", "comma and semicolon"),
        ("p.csv", b"id;score_x1;score_x2;id\na;0;0;b\n", "has the column id twice"),
        ("p.csv", b"sep=;\nid;score_x1;score_x2\na;0;0\n", "sep=;"),
        ("p.parquet", b"PAR1 and then nothing", "is cut off or is no Parquet file"),
        ("p.json", b"{}", "needs `--reader unqover`"),
        ("p.txt", b"a", "the name must end in .jsonl"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, name, content, said) -> None:
    """Empty, without a column, with one too many, not UTF-8, another format."""
    assert said in refusal(written(tmp_path, name, content))


@pytest.mark.parametrize("suffix", [".jsonl.gz", ".jsonl.zst", ".csv.gz"])
def test_a_compressed_file_that_is_cut_off_is_refused(tmp_path: Path, suffix: str) -> None:
    """The end of the stream is missing: nothing is read in silence."""
    path = written(tmp_path, f"p{suffix}", (JSONL if "jsonl" in suffix else CSV) * 50)
    path.write_bytes(path.read_bytes()[:-12])

    assert "is cut off" in refusal(path) or "is damaged" in refusal(path)


@pytest.mark.parametrize("suffix", [".jsonl.gz", ".jsonl.zst"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_refused(tmp_path, suffix) -> None:
    """Plain text named .gz is damaged or not what its name says."""
    path = tmp_path / f"p{suffix}"
    path.write_text(JSONL)

    assert "is damaged or not what its name says" in refusal(path)


def test_a_folder_or_nothing_at_all_is_refused(tmp_path: Path) -> None:
    """A folder is not searched for predictions."""
    (tmp_path / "p.jsonl").mkdir()

    assert "is a folder" in refusal(tmp_path / "p.jsonl")
    assert "does not exist" in refusal(tmp_path / "q.jsonl")


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("score_x1", ["0.5"], "column score_x1 is String; it must be a number"),
        ("score_x2", [True], "column score_x2 is Boolean; it must be a number"),
        ("id", [1], "column id is Int64; it must be text"),
    ],
)
def test_parquet_columns_of_another_type_are_refused(tmp_path, column, values, said) -> None:
    """Text or truth values are no scores even where they look like it."""
    row = {"id": ["a"], "score_x1": [0.5], "score_x2": [0.5], column: values}
    pl.DataFrame(row).write_parquet(tmp_path / "p.parquet")

    assert said in refusal(tmp_path / "p.parquet")


def test_parquet_values_out_of_range_are_named(tmp_path: Path) -> None:
    """NaN, null and 1.5 in one column are three kinds of fault."""
    pl.DataFrame(
        {"id": ["a", "b", "c"], "score_x1": [float("nan"), None, 1.5], "score_x2": [0.0, 0, 0]}
    ).write_parquet(tmp_path / "p.parquet")

    assert faults_of(tmp_path / "p.parquet") == {
        "values of score_x1 that are not numbers": (1, ("row 2: None",)),
        "values of score_x1 that are NaN or infinite": (1, ("row 1: nan",)),
        "values of score_x1 out of range": (1, ("row 3: 1.5",)),
    }


def test_a_parquet_file_without_rows_is_refused(tmp_path: Path) -> None:
    """No rows answer no questions."""
    pl.DataFrame(ROWS).clear().write_parquet(tmp_path / "p.parquet")

    assert "holds no rows" in refusal(tmp_path / "p.parquet")


def test_readers_are_listed() -> None:
    """The names that --reader takes."""
    assert spellings(offered_readers(BENCHMARK)) == ("evenhand", "unqover")
