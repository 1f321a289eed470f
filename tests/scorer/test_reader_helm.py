"""HELM's shapes that the real files at hand do not show, made small by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.readers import helm


def _state(**fields: Any) -> dict[str, Any]:
    """Return a request state of HELM."""
    references = [{"output": {"text": text}, "tags": []} for text in ("x", "y", "z")]
    return {
        "instance": {
            "input": {"text": "They met.\nQuestion: Who?"}, "references": references, "id": "id1"
        },
        "train_trial_index": 0,
        "output_mapping": {"A": "x", "B": "y", "C": "z"},
        "request": {"prompt": "p", "model": "m/n"},
        "result": {"success": True, "completions": [{"text": " B", "logprob": 0, "tokens": []}]},
    } | fields  # fmt: skip


def _helm(path: Path, *states: dict[str, Any], method: str = "multiple_choice_joint") -> Path:
    file = {"adapter_spec": {"method": method}, "request_states": list(states)}
    path.write_text(json.dumps(file, indent=2), encoding="utf-8")
    return path


def test_helm_leaves_out_perturbed_copies(tmp_path) -> None:
    """A copy with typos is another text; what is left out is counted."""
    copy = _state()
    copy["instance"] = copy["instance"] | {"perturbation": {"name": "typos"}}
    found = helm.read(_helm(tmp_path / "s.json", _state(), copy, copy))

    assert [row.answer for row in found.rows] == [" B"]
    assert found.rows[0].context == "They met."
    assert found.rows[0].question == "Who?"
    (note,) = found.notes
    assert note.startswith("s.json: 2 perturbed")
    assert found.model == "m/n"


def test_helm_asks_which_trial_counts(tmp_path) -> None:
    """Several training trials are several answers to each question."""
    path = _helm(tmp_path / "s.json", _state(), _state(train_trial_index=1))

    with pytest.raises(WrongUse, match=r"2 training trials \(0, 1\).*helm:0"):
        helm.read(path)
    assert len(helm.read(path, "1").rows) == 1
    with pytest.raises(WrongUse, match="trial 2; it has"):
        helm.read(path, "2")


def test_helm_requests_that_failed(tmp_path) -> None:
    """No result, one without success, and one without text are no answers."""
    path = _helm(
        tmp_path / "s.json",
        _state(result=None),
        _state(result={"success": False, "error": "overloaded"}),
        _state(result={"success": True, "completions": []}),
    )

    assert [row.why for row in helm.read(path).rows] == ["failed request"] * 3


def test_helm_methods_that_are_not_read(tmp_path) -> None:
    """What ranks, translates or generates gives no answer of three; the sentence names the rest."""
    path = _helm(tmp_path / "s.json", _state(), method="ranking_binary")

    with pytest.raises(DataRefused, match=r"method ranking_binary, .*multiple_choice_joint"):
        helm.read(path)


def _separate(place: int, tokens: list[tuple[str, float]]) -> dict[str, Any]:
    own = [{"text": text, "logprob": score} for text, score in tokens]
    result = {"success": True, "completions": [{"text": "", "logprob": 0, "tokens": own}]}
    return _state(
        reference_index=place, request={"prompt": f"Who? {'xyz'[place]}"}, result=result
    ) | {"output_mapping": None}


def test_helm_separate_options(tmp_path) -> None:
    """Only the tokens of the option count, wherever the prompt stands in the echo; by their mean.

    A blank that is a token of its own belongs to the option, as in the tool's own count.
    """
    states = [
        _separate(0, [("<s>", 0), ("Who?", -9), (" ", -1), ("x", -3)]),
        _separate(2, [("Who?", -9), (" z", -1), ("<end>", -8)]),
        _separate(1, [("Who", -4), ("? ", -5), ("y", -3)]),
    ]
    method = "multiple_choice_separate_original"
    found = helm.read(_helm(tmp_path / "s.json", *states, method=method))

    assert found.rows[0].scores == (-2, -3, -1)
    assert found.rows[0].options == ("x", "y", "z")
    (note,) = found.notes
    assert "log-probability per token" in note


def _calibrated(place: int, original: float, alone: float) -> list[dict[str, Any]]:
    """Return the two requests of one option: behind the question, and behind "Answer:" alone."""
    asked = _separate(place, [("Who?", -9), (f" {'xyz'[place]}", original)])
    bare = _separate(place, [("Answer:", -7), (f" {'xyz'[place]}", alone)])
    bare["request"] = {"prompt": f"Answer: {'xyz'[place]}"}
    return [{**asked, "request_mode": "original"}, {**bare, "request_mode": "calibration"}]


CALIBRATED = "multiple_choice_separate_calibrated"


def test_helm_calibrated_options(tmp_path) -> None:
    """By hand: x is likely anyway, and the question raises y most.

    Shape and rule by the tool's code of 0.5.16; no real file of this method is at hand.
    """
    states = [
        *_calibrated(0, -2.0, -1.0),
        *_calibrated(1, -5.0, -9.0),
        *_calibrated(2, -4.0, -6.0),
    ]
    found = helm.read(_helm(tmp_path / "s.json", *states[::-1], method=CALIBRATED))

    (row,) = found.rows
    assert row.scores == (-1.0, 4.0, 2.0)
    assert "question raises" in found.notes[0]


def test_helm_calibrated_options_need_both_requests(tmp_path) -> None:
    """An option that was not asked alone, and one that was asked twice, are no answers."""
    states = [own for place in range(3) for own in _calibrated(place, -2, -1)]

    for given in (states[:-1], [*states, states[0]], [*states[:-1], states[0]]):
        (row,) = helm.read(_helm(tmp_path / "s.json", *given, method=CALIBRATED)).rows
        assert (row.scores, row.why) == (None, "failed request")


@pytest.mark.parametrize(
    ("tokens", "why"),
    [
        ([("Who? y", -1)], "no score of an option"),
        ([("Who?", -1), (" y!", -1)], "no score of an option"),
        ([("What?", -1), (" y", -1)], "no score of an option"),
        (None, "failed request"),
    ],
)
def test_helm_separate_options_that_cannot_be_told(tmp_path, tokens, why: str) -> None:
    """A token on both sides of the option, another prompt, or an option that is not there."""
    states = [_separate(0, [("Who?", -9), (" x", -3)]), _separate(2, [("Who?", -9), (" z", -1)])]
    states += [_separate(1, tokens)] if tokens else []
    method = "multiple_choice_separate_original"
    (row,) = helm.read(_helm(tmp_path / "s.json", *states, method=method)).rows

    assert (row.scores, row.why) == (None, why)
