"""Refuses to set side by side what was not measured alike, and says which part differs."""

from collections.abc import Callable, Sequence

from evenhand.contract import DataRefused
from evenhand.contract.report import Report
from evenhand.scorer.report.reading import ModelResult

_PARTS: dict[str, Callable[[Report], object]] = {
    "contract": lambda report: report.contract_version.split(".")[0],
    "version": lambda report: report.dataset.version,
    "dataset": lambda report: report.dataset.digest,
    "configs": lambda report: ", ".join(report.configs),
    "protocol": lambda report: report.protocol,
    "precision": lambda report: ", ".join(sorted(_precisions(report))) or None,
}
"""What must be the same -> how a metric file says it."""
ANYWAY = tuple(_PARTS)
"""What may differ when the command line says so by name."""


def refuse_unlike(results: Sequence[ModelResult], anyway: Sequence[str]) -> list[str]:
    """Check that all files measure the same thing in the same way.

    Args:
        results: at least two metric files.
        anyway: members of :data:`ANYWAY` that may differ.

    Returns:
        One sentence for each difference that was let through.

    Raises:
        DataRefused: the benchmark differs, or a part that is not in ``anyway``.
    """
    first, *others = results
    warnings = []
    for other in others:
        stems = first.report.dataset.stem, other.report.dataset.stem
        if stems[0] != stems[1]:
            raise DataRefused(
                f"{other.path} is of {stems[1]}, but {first.path} of {stems[0]}; compare metric"
                " files of one benchmark."
            )
        for part, read in _PARTS.items():
            values = read(first.report), read(other.report)
            if values[0] == values[1]:
                continue
            sentence = f"{part} of {other.path} is {values[1]}, of {first.path} {values[0]}"
            if part not in anyway:
                raise DataRefused(
                    f"The {sentence}, so a difference may come from that and not from the models;"
                    f" score both alike, or add --anyway {part}."
                )
            warnings.append(f"The {sentence}; a difference may come from that.")
    return warnings


def _precisions(report: Report) -> set[str]:
    models = [record.model for record in report.predictions]
    return {model.precision for model in models if model is not None and model.precision}


def refuse_without_parts(results: Sequence[ModelResult]) -> None:
    """Refuse a metric file whose sufficient statistics are not there.

    Raises:
        DataRefused: the sentence says why they are not.
    """
    for result in results:
        if result.parts is None:
            raise DataRefused(
                f"{result.path}: {result.why_no_parts}; without these statistics by cluster no"
                " difference can be tested: keep the file beside its metric JSON, or score again."
            )
