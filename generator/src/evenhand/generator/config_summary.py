"""What a card says of one config: its splits, columns and sizes."""

from dataclasses import dataclass, field
from typing import Any

from evenhand.contract.dataset import SplitEntry


@dataclass(frozen=True, kw_only=True)
class ConfigSummary:
    """One config as the card shows it."""

    name: str
    features: list[dict[str, Any]]
    """Columns as the Hub describes them: ``name``, and ``dtype``, ``list`` or ``struct``."""
    split: SplitEntry
    content_bytes: int
    file_bytes: int
    statistics: dict[str, Any]
    first_row: dict[str, Any] = field(default_factory=dict)
    """Column -> its value in the first row, which the card shows."""
