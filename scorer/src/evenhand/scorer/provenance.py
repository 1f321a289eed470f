"""How a number was made: what its signature holds beside the metric's name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from evenhand.contract.report import DatasetRecord
from evenhand.scorer.statistics import Sampling


class Provenance(NamedTuple):
    """What every signature holds beside the metric and the config."""

    dataset: DatasetRecord
    protocol: str
    sampling: Sampling
    extra: Mapping[str, str | None] = MappingProxyType({})
    """What a benchmark adds, e.g. the digest of a user's tables of facts; null for nothing."""
