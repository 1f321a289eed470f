"""Which configs of a dataset a model can answer."""

from evenhand.contract import DataRefused, WrongUse
from evenhand.scorer.datasets import Dataset
from evenhand.scorer.matching import suggestion
from evenhand.scorer.predict.asking import load_asking
from evenhand.scorer.runtime.session import ExportedModel


def fitting_configs(dataset: Dataset, wanted: list[str], model: ExportedModel) -> list[str]:
    """Return the configs to predict: those that were named, else all that fit the model's task.

    Raises:
        WrongUse: a named config is not in the dataset, or asks for a model of another task.
        DataRefused: a config has no rows.
    """
    asking, present, task = (
        load_asking(dataset.manifest.stem),
        dataset.manifest.configs,
        _task(model),
    )
    fits = [config for config in present if task in asking.fitting_tasks(config)]
    for config in wanted:
        if config not in present:
            raise WrongUse(
                f"There is no config {config}{suggestion(config, list(present))}; the dataset has:"
                f" {', '.join(present)}."
            )
        if config not in fits:
            raise WrongUse(
                f"{config} needs a {' or '.join(asking.fitting_tasks(config))} model, but"
                f" {model.card.name} was exported for {task}."
            )
    if not fits:
        raise WrongUse(f"No config of the dataset ({', '.join(present)}) fits a {task} model.")
    chosen = list(dict.fromkeys(wanted)) or fits
    empty = [c for c in chosen if not any(split.rows for split in present[c].values())]
    if empty:
        raise DataRefused(f"{dataset.folder}: the config {empty[0]} has no rows.")
    return chosen


def _task(model: ExportedModel) -> str:
    return model.card.task
