"""Task files for lm-evaluation-harness that load a dataset of ours, from the Hub or a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from evenhand.contract import DataRefused, WrongUse
from evenhand.contract.dataset import Manifest, dataset_folder, read_manifest
from evenhand.contract.files import atomic_folder
from evenhand.generator.benchmark import HarnessTask, benchmark_that_offers


def write_tasks(
    dataset: str, configs: Sequence[str], out: Path, *, repository: str | None, overwrite: bool
) -> list[str]:
    """Write a task for each config, a group of all, and the metrics' code.

    Args:
        dataset: folder of one version, or ``org/name@tag`` that was pulled.
        configs: which; empty for all.
        out: folder to write.
        repository: ``org/name`` or ``org/name@tag`` on the Hub, from which the tasks load the
            version (its tag, unless one is given); None to load the folder.
        overwrite: whether an existing folder may be replaced.

    Returns:
        The tasks' names, the group last.

    Raises:
        WrongUse: a config that is not there, or a benchmark that the harness cannot score.
        DataRefused: the dataset cannot be read, or the folder exists.
    """
    folder = dataset_folder(dataset)
    manifest = read_manifest(folder)
    task = benchmark_that_offers("export-task", manifest.stem).harness_task.TASK
    group = f"evenhand_{manifest.stem}"
    unknown = [config for config in configs if config not in manifest.configs]
    if unknown:
        raise WrongUse(
            f"There is no config {unknown[0]}; the dataset has: {', '.join(manifest.configs)}."
        )
    chosen = [config for config in manifest.configs if config in configs or not configs]
    names = [f"{group}_{config}" for config in chosen]
    with atomic_folder(out, overwrite=overwrite) as temporary:
        for config, name in zip(chosen, names, strict=True):
            source = _source(folder, manifest, config, repository)
            _write(temporary / f"{name}.yaml", _task_fields(name, task, manifest, source))
        _write(temporary / f"{group}.yaml", _group_fields(group, names, task, manifest))
        (temporary / task.code.name).write_bytes(task.code.read_bytes())
    return [*names, group]


def _source(
    folder: Path, manifest: Manifest, config: str, repository: str | None
) -> dict[str, Any]:
    """Return where the harness finds the rows, always one version."""
    if repository is not None:
        name, _, tag = repository.partition("@")
        if name.count("/") != 1:
            raise WrongUse(f"--repo {repository} is not of the form org/name or org/name@tag.")
        return {
            "dataset_path": name,
            "dataset_name": config,
            "dataset_kwargs": {"revision": tag or manifest.version},
            "test_split": _split(manifest, config),
        }
    paths = [folder / entry.path for entry in manifest.files if entry.path.startswith(f"{config}/")]
    missing = [path for path in paths if not path.is_file()]
    if missing:
        raise DataRefused(f"{missing[0]} is missing; `evenhand verify {folder}` says more.")
    return {
        "dataset_path": "parquet",
        "dataset_kwargs": {"data_files": {"test": [str(path.resolve()) for path in paths]}},
        "test_split": "test",
    }


def _split(manifest: Manifest, config: str) -> str:
    return next(iter(manifest.configs[config]))


def _task_fields(
    name: str, task: HarnessTask, manifest: Manifest, source: dict[str, Any]
) -> dict[str, Any]:
    module = task.code.stem
    return {
        "task": name,
        "tag": ["evenhand", manifest.stem],
        **source,
        **task.prompt,
        "process_results": _Function(f"{module}.process_results"),
        "metric_list": [
            {
                "metric": metric,
                "aggregation": _Function(f"{module}.{metric}"),
                "higher_is_better": is_better,
            }
            for metric, is_better in task.metrics.items()
        ],
        "metadata": {
            "version": manifest.version,
            "content_digest": manifest.content_digest,
            "content_warning": manifest.content_warning,
        },
    }


def _group_fields(
    group: str, names: list[str], task: HarnessTask, manifest: Manifest
) -> dict[str, Any]:
    """Return the group whose numbers are means of the configs, as ``.macro`` ones are."""
    return {
        "group": group,
        "task": names,
        "aggregate_metric_list": [
            {"metric": metric, "aggregation": "mean", "weight_by_size": False}
            for metric in task.metrics
        ],
        "metadata": {"version": manifest.version},
    }


class _Function(str):
    """The name of a function that the harness imports from beside the task file."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes functions with the harness's tag and texts with line ends as blocks."""


def _represent_function(dumper: yaml.SafeDumper, name: _Function) -> yaml.Node:
    return dumper.represent_scalar("!function", str(name), style=None)


_Dumper.add_representer(_Function, _represent_function)


def _write(path: Path, content: dict[str, Any]) -> None:
    text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    path.write_text(text, encoding="utf-8")
