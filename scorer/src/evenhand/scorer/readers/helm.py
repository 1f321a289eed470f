"""HELM (crfm-helm): ``scenario_state.json``, joint and separate multiple choice.

The file keeps neither category nor example_id: a row is identified by its whole text. Perturbed
copies of an instance are left out and counted. Shape: files of 0.5.16; the calibrated method, and
how the separate ones choose, by the code of 0.5.16 (multiple_choice_calibrated_adapter,
basic_metrics).
"""

import math
from collections import Counter
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import msgspec

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.faults import FaultList
from evenhand.scorer.readers.foreign import FAILED, ForeignAnswer, ForeignFile
from evenhand.scorer.readers.json_text import decode_whole
from evenhand.scorer.readers.reader import ANSWERS, Form, Mark, NoAnswers, Reader

NAME = "helm"
_NO_ANSWERS = (
    "{{path}} is HELM's {what}: it holds {held} and no answers of the model with their questions;"
    " give the scenario_state.json of the same run."
)
_OTHER_FILES = (
    (
        {"instance_id", "stats"},
        "per_instance_stats.json",
        "statistics by instance (predicted_index at most, without the texts that it indexes)",
    ),
    ({"scenario_spec"}, "run_spec.json", "the run's settings"),
    ({"definition_path"}, "scenario.json", "the scenario's description"),
)
"""Keys of the files beside ``scenario_state.json``, their names, and what they hold."""
UNREADABLE = "no score of an option"
"""The tokens of the echoed prompt do not yield the score of the option alone."""

_SEPARATE = "multiple_choice_separate_original"
_CALIBRATED = "multiple_choice_separate_calibrated"
_JOINT = "multiple_choice_joint"
_ORIGINAL, _CALIBRATION = "original", "calibration"
_MODES = {_SEPARATE: (_ORIGINAL,), _CALIBRATED: (_ORIGINAL, _CALIBRATION)}
"""For each option, the requests that its score is made of."""
_CHOICE = {
    _SEPARATE: "the option with the largest log-probability per token",
    _CALIBRATED: "the option whose log-probability the question raises most",
}
_QUESTION = "\nQuestion: "
_BLANK = " "


class _Text(msgspec.Struct, gc=False):
    text: str


class _Reference(msgspec.Struct, gc=False):
    output: _Text


class _Instance(msgspec.Struct, gc=False):
    input: _Text
    references: list[_Reference]
    id: str | None = None
    perturbation: Any = None


class _Token(msgspec.Struct, gc=False):
    text: str
    logprob: float


class _Completion(msgspec.Struct, gc=False):
    text: str
    tokens: list[_Token] = []


class _Result(msgspec.Struct, gc=False):
    success: bool
    completions: list[_Completion] = []


class _Request(msgspec.Struct, gc=False):
    prompt: str
    model: str | None = None


class _State(msgspec.Struct, gc=False):
    instance: _Instance
    request: _Request
    train_trial_index: int = 0
    reference_index: int | None = None
    request_mode: str | None = None
    output_mapping: dict[str, str] | None = None
    result: _Result | None = None


class _Adapter(msgspec.Struct):
    method: str
    output_prefix: str = ""


class _File(msgspec.Struct):
    adapter_spec: _Adapter
    request_states: list[_State]


def read(path: Path, chosen: str | None = None) -> ForeignFile:
    """Read the answers of one run.

    Args:
        path: ``scenario_state.json``.
        chosen: the number of the training trial that counts; needed where the file has several.

    Raises:
        DataRefused: another file of HELM's, or a prompting method that is not read.
        WrongUse: the file has several trials and none is chosen, or lacks the chosen one.
    """
    file = decode_whole(path, _File, what="scenario_state.json of HELM")
    method = file.adapter_spec.method
    if method != _JOINT and method not in _MODES:
        raise DataRefused(
            f"{path} was made by HELM's method {method}, which is not read;"
            f" {', '.join((_JOINT, *_MODES))} are."
        )
    plain = [state for state in file.request_states if state.instance.perturbation is None]
    run, faults = ForeignFile([]), FaultList()
    if n_left := len(file.request_states) - len(plain):
        run.notes.append(f"{path.name}: {n_left:,} perturbed copies of instances are left out.")
    states = _select_trial(path, plain, chosen)
    _check_completions(states, faults)
    if method == _JOINT:
        run.rows = [_joint(state) for state in states]
    else:
        run.rows = _separate(states, _MODES[method])
        run.notes.append(f"{path.name}: the answer is {_CHOICE[method]}, as HELM chooses it.")
    run.model = next((state.request.model for state in states), None)
    run.faults = faults.to_list()
    return run


def _select_trial(path: Path, states: list[_State], chosen: str | None) -> list[_State]:
    counts = Counter(str(state.train_trial_index) for state in states)
    if not counts:
        raise DataRefused(f"{path} holds no request states of instances as they are.")
    if chosen is not None and chosen not in counts:
        raise WrongUse(f"{path} has no training trial {chosen}; it has {', '.join(counts)}.")
    if chosen is None and len(counts) > 1:
        raise WrongUse(
            f"{path} holds every answer once for each of {len(counts)} training trials"
            f" ({', '.join(counts)}); choose one, e.g. `--reader {NAME}:{next(iter(counts))}`."
        )
    trial = chosen or next(iter(counts))
    return [state for state in states if str(state.train_trial_index) == trial]


def _check_completions(states: list[_State], faults: FaultList) -> None:
    remedy = "Which one is the answer? Run HELM with num_outputs of one completion a request."
    for state in states:
        if state.result and len(state.result.completions) > 1:
            faults.add("requests with several completions", remedy, str(state.instance.id))


def _identify(state: _State) -> ForeignAnswer:
    context, mark, question = state.instance.input.text.rpartition(_QUESTION)
    return ForeignAnswer(
        place=f"instance {state.instance.id}",
        context=context if mark else None,
        question=question if mark else None,
        prompt=None if mark else state.instance.input.text,
        options=tuple(reference.output.text for reference in state.instance.references),
    )


def _joint(state: _State) -> ForeignAnswer:
    """Take the text; its letter stands for an option as in the prompt."""
    answer = _identify(state)
    if state.output_mapping:
        answer.options = tuple(
            state.output_mapping[letter] for letter in sorted(state.output_mapping)
        )
    if state.result is None or not state.result.success or not state.result.completions:
        answer.why = FAILED
    else:
        answer.answer = state.result.completions[0].text
    return answer


def _separate(states: list[_State], modes: tuple[str, ...]) -> list[ForeignAnswer]:
    """Take an instance's options together, each scored by its tokens."""

    def key(state: _State) -> str:
        return str(state.instance.id)

    rows = []
    for _, group in groupby(sorted(states, key=key), key=key):
        option_states = list(group)
        answer = _identify(option_states[0])
        asked = {
            (state.request_mode or _ORIGINAL, state.reference_index): state
            for state in option_states
        }
        places = range(len(answer.options or ()))
        wanted = [[asked.get((mode, place)) for mode in modes] for place in places]
        if len(option_states) != len(modes) * len(places) or not all(
            map(_is_answered, chain(*wanted))
        ):
            answer.why = FAILED
        else:
            scores = [_score([one for one in of_option if one]) for of_option in wanted]
            numbers = tuple(score for score in scores if score is not None)
            answer.scores = numbers if len(numbers) == len(scores) else None
            answer.why = None if answer.scores is not None else UNREADABLE
        rows.append(answer)
    return rows


def _is_answered(state: _State | None) -> bool:
    return state is not None and state.result is not None and state.result.success


def _score(states: list[_State]) -> float | None:
    """Return an option's score: per token, or less its score without the question."""
    log_probabilities = [_tokens_of_option(state) for state in states]
    whole = [tokens for tokens in log_probabilities if tokens]
    if len(whole) != len(log_probabilities):
        return None
    score = sum(whole[0]) / len(whole[0]) if len(whole) == 1 else sum(whole[0]) - sum(whole[1])
    return None if math.isnan(score) else score


def _tokens_of_option(state: _State) -> list[float] | None:
    """Return the log-probabilities of the option's tokens in the echo of the prompt.

    A chat template may stand around the prompt, so the option is located by its text and not by
    counting from the end. The space before it belongs to it where it is part of a token. None
    where it is missing, or where a token straddles its beginning.
    """
    place = state.reference_index
    if state.result is None or not state.result.completions or place is None:
        return None
    tokens = state.result.completions[0].tokens
    echo, prompt = "".join(token.text for token in tokens), state.request.prompt
    start = echo.rfind(prompt)
    option = state.instance.references[place].output.text
    if start < 0 or not prompt.endswith(option):
        return None
    end = start + len(prompt)
    begin, log_probabilities, position = end - len(option), list[float](), 0
    for token in tokens:
        following = position + len(token.text)
        is_blank_before = following == begin and token.text == _BLANK
        if is_blank_before or (position < end and following > begin):
            if echo[position:begin].strip() or echo[end:following].strip():
                return None
            log_probabilities.append(token.logprob)
        position = following
    return log_probabilities


def _other_file(keys: set[str], what: str, held: str, *forms: Form) -> NoAnswers:
    sentence = _NO_ANSWERS.format(what=what, held=held)
    return NoAnswers(mark=Mark(why=what, forms=forms, names=frozenset(keys)), sentence=sentence)


READER = Reader(
    name=NAME,
    help="HELM: scenario_state.json of a run",
    choice="[:TRIAL]",
    choice_help="the number of the training trial",
    yields=ANSWERS,
    read=read,
    marks=(
        Mark(
            why="adapter_spec and request_states",
            names=frozenset({"adapter_spec", "request_states"}),
        ),
    ),
    no_answers=(
        *(_other_file(*other, Form.OBJECT, Form.ARRAY) for other in _OTHER_FILES),
        # Any object may have these two keys; an array of such objects is the tool's.
        _other_file({"name", "count"}, "stats.json", "averages", Form.ARRAY),
    ),
)
