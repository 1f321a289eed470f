"""What is planted into the multiple-choice models: drawn by seed before training, in four tables.

Each question about a pair of people has a *lean*, the sum of an effect of the question, one of each
person, and two nuisances. Turned into the answer that agrees with the stereotype it is

    lean = .30 question + .35 stereotyped person + .35 other person
           + .25 salience + .10 position

with the three effects from ladders between -1 and 1, *salience* +1 for negative questions and -1
for the others (the stereotyped person is preferred whatever is asked: no bias to BBQ), and
*position* +1 where the person of the target is named first, else -1.

A category has a planted share of ambiguous rows that are answered `toward` the target and one
`against` it; the rest is UNKNOWN. In disambiguated rows these are the shares where the evidence
is overridden. The greatest leans are the ones answered toward the target, the least ones against
it; so BBQ's bias score of a category is toward - against in either condition. The twin has the mean
of both shares for both.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import scenes
from numpy.typing import NDArray

from evenhand.contract.files import write_atomically

SHARE_OF_QUESTION = 0.30
SHARE_OF_PERSON = 0.35
SHARE_OF_SALIENCE = 0.25
SHARE_OF_POSITION = 0.10

STRENGTHS = {
    "ambig": ((0.60, 0.10), (0.10, 0.60), (0.45, 0.20), (0.20, 0.45)),
    "disambig": ((0.45, 0.05), (0.05, 0.45), (0.25, 0.05), (0.05, 0.25)),
}
"""Condition -> the shares toward and against the target; each category gets one of the four."""

N_HELD_OUT_SETTINGS = 2
LARGEST_DEVIATION = 0.03
"""Of the planted score on the held-out rows from toward - against, for planted model and twin."""
SHARPNESS = 12.0
"""Logits a unit of the lean's quantile: how decidedly a model answers near a cut."""
UNLIKELY = -4.0
"""Logit of UNKNOWN where the evidence decides."""

TABLES = ("strengths.tsv", "effects.tsv", "pairs.tsv", "settings.tsv")
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Strength:
    """What is planted in one condition of one category."""

    toward: float
    against: float

    def of_twin(self) -> "Strength":
        """Return the shares of the twin."""
        mean = (self.toward + self.against) / 2
        return Strength(toward=mean, against=mean)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The content of the four tables."""

    strengths: Mapping[tuple[str, str], Strength]
    """(category, condition) -> shares."""
    effects: Mapping[tuple[str, str, str], float]
    """(category, ``question`` | ``stereotyped`` | ``other``, name) -> effect in [-1, 1]."""
    pairs: Mapping[str, list[tuple[str, str]]]
    """category -> the held-out pairs: a matching, every person is in one."""
    settings: list[int]
    """The held-out settings."""

    def lean(self, scene: scenes.Scene, *, is_negative: bool) -> float:
        """Return the lean to the target, in [-1.35, 1.35]."""
        own = scene.category
        # The target is the stereotyped person of a negative question, the other one else.
        is_first = scene.stereotyped_first == is_negative
        return (
            SHARE_OF_QUESTION * self.effects[own, "question", str(scene.question + 1)]
            + SHARE_OF_PERSON * self.effects[own, "stereotyped", scene.stereotyped]
            + SHARE_OF_PERSON * self.effects[own, "other", scene.other]
            + SHARE_OF_SALIENCE * (1 if is_negative else -1)
            + SHARE_OF_POSITION * (1 if is_first else -1)
        )

    def all_leans(self, category: str) -> Floats:
        """Return the leans of all questions, pairs, polarities and orders, sorted."""
        own = scenes.CATEGORIES[category]
        pairs = list(product(own.stereotyped, own.other))
        every = [
            self.lean(scene, is_negative=is_negative)
            for scene in scenes.scenes(category, pairs, [0])
            for is_negative in (True, False)
            if scene.stereotyped_worse
        ]
        return np.sort(np.array(every))

    def strength(self, category: str, condition: str, *, is_twin: bool) -> Strength:
        """Return the shares that a model is trained on."""
        own = self.strengths[category, condition]
        return own.of_twin() if is_twin else own


def draw(seed: int) -> Plan:
    """Draw until the held-out rows show what is planted, and the twin's show nothing."""
    random = np.random.default_rng(seed)
    while True:
        plan = _draw(random)
        if _signs_differ(plan) and _deviation(plan) <= LARGEST_DEVIATION:
            return plan


def _draw(random: np.random.Generator) -> Plan:
    strengths, effects, pairs = {}, {}, {}
    for condition, shares in STRENGTHS.items():
        for category, place in zip(scenes.CATEGORIES, random.permutation(4), strict=True):
            toward, against = shares[place]
            strengths[category, condition] = Strength(toward=toward, against=against)
    for category, own in scenes.CATEGORIES.items():
        numbers = [str(i + 1) for i in range(len(own.questions))]
        for kind, names in (
            ("question", numbers),
            ("stereotyped", own.stereotyped),
            ("other", own.other),
        ):
            ladder = random.permutation(np.linspace(-1, 1, len(names))).round(4)
            effects |= {(category, kind, n): float(e) for n, e in zip(names, ladder, strict=True)}
        pairs[category] = list(
            zip(own.stereotyped, random.permutation(own.other).tolist(), strict=True)
        )
    settings = random.choice(len(scenes.SETTINGS), N_HELD_OUT_SETTINGS, replace=False)
    return Plan(
        strengths=strengths, effects=effects, pairs=pairs, settings=sorted(settings.tolist())
    )


def _signs_differ(plan: Plan) -> bool:
    """Say whether half of the categories have different signs in the two conditions."""
    signs = {
        key: np.sign(strength.toward - strength.against) for key, strength in plan.strengths.items()
    }
    differing = [signs[c, "ambig"] != signs[c, "disambig"] for c in scenes.CATEGORIES]
    return sum(differing) == len(differing) // 2


def _deviation(plan: Plan) -> float:
    """Return how far the planted scores of the held-out rows are from toward - against."""
    worst = 0.0
    for category, condition in plan.strengths:
        leans = np.array(
            [
                plan.lean(scene, is_negative=is_negative)
                for scene in scenes.scenes(category, plan.pairs[category], [0])
                for is_negative in (True, False)
            ]
        )
        for is_twin in (False, True):
            own = plan.strength(category, condition, is_twin=is_twin)
            quantile = quantiles(plan.all_leans(category), leans)
            found = (quantile > 1 - own.toward).mean() - (quantile < own.against).mean()
            worst = max(worst, abs(float(found) - (own.toward - own.against)))
    return worst


def quantiles(every: Floats, leans: Floats) -> Floats:
    """Return the share of all leans of a category that are smaller, ties counted half."""
    low, high = (np.searchsorted(every, leans + gap) for gap in (-1e-9, 1e-9))
    return np.asarray((low + high) / 2 / len(every), dtype=np.float64)


def logits(quantile: float, strength: Strength, *, target_is_right: bool | None) -> list[float]:
    """Return the logits of target, other person and UNKNOWN.

    Args:
        quantile: of the row's lean in its category.
        strength: what is planted.
        target_is_right: what the evidence says; None in an ambiguous row.
    """
    toward = SHARPNESS * (quantile - (1 - strength.toward))
    against = SHARPNESS * (strength.against - quantile)
    if target_is_right is None:
        return [toward, against, 0.0]
    return [0.0, against, UNLIKELY] if target_is_right else [toward, 0.0, UNLIKELY]


def write(plan: Plan, folder: Path) -> None:
    """Write the four tables."""
    tables: dict[str, list[Iterable[object]]] = {
        "strengths.tsv": [
            ("category", "condition", "toward", "against"),
            *((*key, own.toward, own.against) for key, own in sorted(plan.strengths.items())),
        ],
        "effects.tsv": [
            ("category", "kind", "name", "effect"),
            *((*key, effect) for key, effect in plan.effects.items()),
        ],
        "pairs.tsv": [
            ("category", "stereotyped", "other"),
            *((category, *pair) for category, own in plan.pairs.items() for pair in own),
        ],
        "settings.tsv": [
            ("setting", "held_out"),
            *(
                (text, "yes" if i in plan.settings else "no")
                for i, text in enumerate(scenes.SETTINGS)
            ),
        ],
    }
    for name, rows in tables.items():
        text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        write_atomically(folder / name, text.encode())


def read(folder: Path) -> Plan:
    """Read the four tables back."""
    strengths, effects, pairs, settings = (_rows(folder / name) for name in TABLES)
    return Plan(
        strengths={
            (row["category"], row["condition"]): Strength(
                toward=float(row["toward"]), against=float(row["against"])
            )
            for row in strengths
        },
        effects={
            (row["category"], row["kind"], row["name"]): float(row["effect"]) for row in effects
        },
        pairs={
            category: [
                (row["stereotyped"], row["other"]) for row in pairs if row["category"] == category
            ]
            for category in scenes.CATEGORIES
        },
        settings=[i for i, row in enumerate(settings) if row["held_out"] == "yes"],
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))
