"""lighteval's own details, row by row against its metrics."""

from pathlib import Path

import polars as pl
import pytest

from evenhand.contract import DataRefused

pytestmark = pytest.mark.conformance


def _details(third_party: Path, task: str) -> Path:
    (path,) = (third_party / "lighteval").rglob(f"details_{task}_0_*.parquet")
    return path


@pytest.mark.parametrize(("task", "n"), [("bbq_mc3_Religion", 20), ("bbq_mc3_Age", 21)])
def test_the_largest_log_probability_is_right_where_the_tool_says_so(
    third_party, few_rows, read, task: str, n: int
) -> None:
    """Rows are shuffled and told by `doc.specific`; each is as right as its `acc`."""
    path = _details(third_party, task)
    found = read(few_rows, path)
    rights = {
        f"{row['doc']['specific']['category']}-{row['doc']['specific']['example_id']:05d}": bool(
            row["metric"]["acc"]
        )
        for row in pl.read_parquet(path).iter_rows(named=True)
    }

    assert len(rights) == n
    assert rights == {own: found.label[own] == choice for own, choice in found.choice.items()}


def test_the_built_in_task_keeps_letters_and_the_prompt_alone(third_party, few_rows, read) -> None:
    """Rows are told by the prompt, letters by its lines; 7 of 20 are right, as `em` says (0.35)."""
    path = _details(third_party, "bbq_Religion")
    found = read(few_rows, path)

    assert found.faults == []
    assert len(found.label) == 20
    assert found.n_right() == 7 == pl.read_parquet(path)["metric"].struct.field("em").sum()
    assert set(found.why.values()) == {"no matching answer"}


def test_generated_texts_are_read_with_the_options_of_the_row(third_party, few_rows, read) -> None:
    """All 20 prompts are found; texts that name one of the three are answers."""
    path = _details(third_party, "bbq_gen_Religion")
    found = read(few_rows, path)

    assert found.faults == []
    assert len(found.label) == 20
    row = next(own for own in pl.read_parquet(path)["doc"].to_list() if own["id"] == "19")
    assert row["choices"] == ["The Hindu one", "Not known", "The Atheist one"]
    assert found.choice["Religion-01159"] == 2


def test_results_hold_no_rows(third_party, few_rows, read) -> None:
    """The file of averages names the one with the rows."""
    (path,) = (third_party / "lighteval/results").rglob("*.json")

    with pytest.raises(DataRefused, match="averages and no rows; give the details_"):
        read(few_rows, path)
