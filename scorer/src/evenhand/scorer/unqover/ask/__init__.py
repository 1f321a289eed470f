"""How UnQover asks a model: two scores per question, from a QA model's spans or a masked LM."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from evenhand.scorer.datasets import Dataset
from evenhand.scorer.predict.asking import Settings
from evenhand.scorer.runtime.model_card import Task
from evenhand.scorer.runtime.scheduler import Advance
from evenhand.scorer.runtime.session import ExportedModel
from evenhand.scorer.unqover.ask import masks, spans

SHARD_ROWS = 8_192


def fitting_tasks(config: str) -> tuple[Task, ...]:
    """Return the task of a config: masked sentences need a masked LM, questions a QA model."""
    return ("fill-mask",) if config.endswith("_mlm") else ("question-answering",)


def resolve(settings: Settings, _model: ExportedModel) -> Settings:
    """Return the settings unchanged: every model is scored in the same way."""
    return settings


def shard_rows(_model: ExportedModel) -> int:
    """Return the rows of a shard, the same for every model."""
    return SHARD_ROWS


def columns(model: ExportedModel) -> Sequence[str]:
    """Return the columns that the model's task reads."""
    return masks.COLUMNS if _is_masked(model) else spans.COLUMNS


def check(dataset: Dataset, config: str, model: ExportedModel, settings: Settings) -> None:
    """Refuse masked sentences with subjects of several tokens, naming all of them."""
    if settings.options["protocol"] == "paper" and _is_masked(model):
        masks.refuse_split_subjects(model, dataset.scan(config), config)


def decoding(_model: ExportedModel, _settings: Settings) -> dict[str, Any]:
    """Return no settings beside the protocol, which the header has."""
    return {}


def answer(
    model: ExportedModel, rows: pl.DataFrame, settings: Settings, advance: Advance
) -> pl.DataFrame:
    """Return ``id``, ``score_x1`` and ``score_x2``: S of both subjects."""
    score = masks.score_masks if _is_masked(model) else spans.score_questions
    scores = score(
        model,
        rows,
        protocol=settings.options["protocol"],
        budget=settings.batch_tokens,
        advance=advance,
    )
    return pl.DataFrame({"id": rows["id"], "score_x1": scores[:, 0], "score_x2": scores[:, 1]})


def _is_masked(model: ExportedModel) -> bool:
    return model.card.task == "fill-mask"
