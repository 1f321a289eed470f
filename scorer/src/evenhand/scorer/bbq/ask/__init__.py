"""How BBQ asks a model: a score for each of the three answers, from models of several tasks.

Each task has its prompt styles and score normalisations; the first of each is the default.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import polars as pl

from evenhand.contract import WrongUse
from evenhand.scorer.bbq.ask.styles import COLUMNS, prompts
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.predict.asking import Settings
from evenhand.scorer.runtime import causal_options, multiple_choice, seq2seq_lm
from evenhand.scorer.runtime.batching import Floats
from evenhand.scorer.runtime.chat import DATE, load_chat_template
from evenhand.scorer.runtime.model_card import Task
from evenhand.scorer.runtime.options import Prompts
from evenhand.scorer.runtime.scheduler import Advance
from evenhand.scorer.runtime.session import ExportedModel

_CHECKED_ROWS = 4_096
_LOGIT = "logit"
"""The only score of a multiple-choice head, which needs no normalisation."""


class _Score(Protocol):
    def __call__(
        self, model: ExportedModel, asked: Prompts, settings: Settings, advance: Advance
    ) -> Floats:
        """Return the score of each option, shape [rows, 3]."""


class _Reading(NamedTuple):
    """How models of one task are scored."""

    styles: tuple[str, ...]
    normalisations: tuple[str, ...]
    shard_rows: int
    """A multiple of four: BBQ's rows come in fours that share prefixes."""
    score: _Score


def _by_head(model: ExportedModel, asked: Prompts, settings: Settings, advance: Advance) -> Floats:
    return multiple_choice.score_options(
        model, asked, budget=settings.batch_tokens, advance=advance
    )


def _by_decoder(
    model: ExportedModel, asked: Prompts, settings: Settings, advance: Advance
) -> Floats:
    return seq2seq_lm.score_options(
        model,
        asked,
        normalisation=str(settings.options["normalise"]),
        budget=settings.batch_tokens,
        advance=advance,
    )


# allenai/unifiedqa, README: the separator of the parts of an input; here the option is the last.
_SEPARATOR = r" \n"


def _by_prefix(
    model: ExportedModel, asked: Prompts, settings: Settings, advance: Advance
) -> Floats:
    asked, wording = _for_prefix(model, asked, str(settings.options["style"]))
    return causal_options.score_options(
        model,
        asked,
        wording,
        normalisation=str(settings.options["normalise"]),
        budget=settings.batch_tokens,
        advance=advance,
    )


def _for_prefix(
    model: ExportedModel, asked: Prompts, style: str
) -> tuple[Prompts, causal_options.Wording]:
    """Return prompts that an option can follow, and the content-free prompt."""
    if style == "plain":
        return asked, causal_options.Wording("Answer:", written_out=False)
    if style == "chat":
        template = load_chat_template(model)
        texts = pl.Series(template.prompts(asked.texts))
        wording = causal_options.Wording(template.prompt(""), written_out=True)
        return dataclasses.replace(asked, texts=texts), wording
    behind = asked.options.select(pl.format(" {}", pl.all()).name.keep())
    parts = dataclasses.replace(asked, texts=asked.texts + _SEPARATOR, options=behind)
    return parts, causal_options.Wording(_SEPARATOR.strip(), written_out=False)


_READINGS: dict[Task, _Reading] = {
    "multiple-choice": _Reading(("pair", "pair-qonly"), (_LOGIT,), 2_048, _by_head),
    "causal-lm": _Reading(
        ("plain", "chat", "race", "arc", "qonly"), causal_options.NORMALISATIONS, 256, _by_prefix
    ),
    "seq2seq-lm": _Reading(
        ("race", "arc", "qonly", "plain"), seq2seq_lm.NORMALISATIONS, 1_024, _by_decoder
    ),
}


def fitting_tasks(_config: str) -> tuple[Task, ...]:
    """Return the tasks whose models can answer, the same for every category."""
    return tuple(_READINGS)


def resolve(settings: Settings, model: ExportedModel) -> Settings:
    """Fill in the task's first style and normalisation where none is given."""
    reading, task = _READINGS[model.card.task], model.card.task
    given = settings.options
    chosen = {
        "style": _choose("--style", given["style"], reading.styles, task),
        "normalise": _choose("--normalise", given["normalise"], reading.normalisations, task),
    }
    return dataclasses.replace(settings, options=chosen)


def _choose(flag: str, wanted: str | None, known: tuple[str, ...], task: Task) -> str:
    if wanted is not None and wanted not in known:
        raise WrongUse(
            f"{flag} {wanted} does not apply to a {task} model; choose one of {', '.join(known)}."
        )
    return wanted or known[0]


def shard_rows(model: ExportedModel) -> int:
    """Return the rows of a shard, fewer for slower tasks."""
    return _READINGS[model.card.task].shard_rows


def columns(_model: ExportedModel) -> Sequence[str]:
    """Return the columns that prompts use."""
    return COLUMNS


def check(dataset: Dataset, config: str, model: ExportedModel, settings: Settings) -> None:
    """Refuse rows that a causal LM cannot read, before any of them is scored."""
    if model.card.task != "causal-lm":
        return
    rows = dataset.scan(config).select(COLUMNS)
    n_rows = int(rows.select(pl.len()).collect().item())
    for start in range(0, n_rows, _CHECKED_ROWS):
        asked = prompts(rows.slice(start, _CHECKED_ROWS).collect(), str(settings.options["style"]))
        asked, wording = _for_prefix(model, asked, str(settings.options["style"]))
        causal_options.refuse_unreadable(model, asked, wording)


def decoding(model: ExportedModel, settings: Settings) -> dict[str, Any]:
    """Return style and normalisation, on which the scores depend."""
    reading: dict[str, Any] = {
        "style": settings.options["style"],
        "normalise": settings.options["normalise"],
    }
    if settings.options["style"] == "chat" and model.card.chat:
        reading["chat_template"] = model.card.chat.sha256
        reading["chat_date"] = DATE.date().isoformat()
    return reading


def answer(
    model: ExportedModel, rows: pl.DataFrame, settings: Settings, advance: Advance
) -> pl.DataFrame:
    """Return ``id`` and ``scores``, one score for each answer."""
    asked = prompts(rows, str(settings.options["style"]))
    scores = _READINGS[model.card.task].score(model, asked, settings, advance)
    return pl.DataFrame(
        {"id": asked.ids, "scores": pl.Series(scores.tolist(), dtype=pl.List(pl.Float64))}
    )
