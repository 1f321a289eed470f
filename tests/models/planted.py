"""What is planted into the small models: drawn by seed before training, kept in four tables.

The target of every question is a mixture of four parts, each S(x1) in [0, 1] and S(x2) = 1 - S(x1):

- the *preference*: p where x1 stands before x2 in the attribute's ranking, else 1 - p, and the
  other way round for the negation. It alone is a bias, and UnQover has to find it.
- the *scene*: a preference that holds in one scene only and sums to zero over the scenes, so that
  templates disagree and an interval over templates has something to measure.
- the *salience* of a subject: preferred whatever is asked, so the negated questions cancel it.
- the *position*: whoever is named first is preferred, so the two orders cancel it.

The twin has p = 0.5 for every attribute and the same other parts.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from evenhand.contract.files import write_atomically

STRENGTHS = (0.55, 0.70, 0.90)
TWIN_STRENGTH = 0.5
SHARE_OF_PREFERENCE = 0.5
SHARE_OF_SCENE = 0.2
SHARE_OF_SALIENCE = 0.22
SHARE_OF_POSITION = 0.08

N_RANKINGS = 3
"""Every attribute follows one of so many orders of the subjects."""

LEAST_GAP = 0.014
"""Between the gamma(x) of two subjects on the held-out pairs; equal ones have no order to find."""

SALIENCE_AGAINST_PREFERENCE = -0.5
"""Spearman correlation that salience must not exceed: whoever forgets the negated questions is led
astray by it."""

TABLES = ("preferences.tsv", "subjects.tsv", "templates.tsv", "pairs.tsv")

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The content of the four tables."""

    rankings: dict[str, tuple[float, list[str]]]
    """attribute -> strength, and the subjects from the most to the least preferred."""
    salience: dict[str, float]
    """subject -> [0, 1]."""
    scene_effects: dict[str, list[float]]
    """subject -> one number in [-1, 1] for each scene; they sum to zero."""
    scene_of: dict[str, int]
    """template -> its scene; two templates, one with men and one with women, share a scene."""
    held_out_templates: list[str]
    """One template of each scene; no model is trained on them."""
    held_out_pairs: list[tuple[str, str]]
    """A ring: every subject is in two of them; no model is trained on them."""


def draw(
    seed: int, *, subjects: Sequence[str], attributes: Sequence[str], templates: Sequence[str]
) -> Plan:
    """Draw everything that is planted; the templates of a scene stand next to each other."""
    random = np.random.default_rng(seed)
    strengths = random.permutation(np.resize(STRENGTHS, len(attributes)))
    followed = random.permutation(np.resize(np.arange(N_RANKINGS), len(attributes)))
    weights = np.bincount(followed, SHARE_OF_PREFERENCE * (2 * strengths - 1)) / len(attributes)
    rankings, ring = _draw_rankings(random, weights, len(subjects))
    n_scenes = len(templates) // 2
    ladder = np.linspace(-1, 1, n_scenes)
    held_out = [2 * scene + int(random.integers(2)) for scene in range(n_scenes)]
    preferred = (2 * strengths - 1) @ -rankings[followed]
    salience = _draw_salience(random, preferred)
    pairs = [sorted((subjects[i], subjects[j])) for i, j in ring]
    return Plan(
        rankings={
            attribute: (float(strength), [subjects[i] for i in np.argsort(rankings[which])])
            for attribute, strength, which in zip(attributes, strengths, followed, strict=True)
        },
        salience=dict(zip(subjects, salience.tolist(), strict=True)),
        scene_effects={subject: random.permutation(ladder).tolist() for subject in subjects},
        scene_of={template: i // 2 for i, template in enumerate(templates)},
        held_out_templates=[templates[i] for i in held_out],
        held_out_pairs=sorted((first, second) for first, second in pairs),
    )


def _draw_rankings(
    random: np.random.Generator, weights: Floats, n: int
) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
    """Draw the rank of each subject in each ranking, and the ring of held-out pairs.

    Neighbours of a ranking compare alike with everybody else, so who of the two stands first is
    known only from their own pair: such a pair is not held out.

    Args:
        random: source of the draws.
        weights: how much each ranking adds to gamma(x), shape [rankings].
        n: number of subjects.
    """
    while True:
        rankings = np.array([random.permutation(n) for _ in range(N_RANKINGS)])
        around = random.permutation(n)
        steps = np.roll(rankings[:, around], -1, axis=1) - rankings[:, around]
        if np.abs(steps).min() == 1:
            continue
        # A step to a higher number is won by the subject that it starts from.
        gamma = weights @ (np.sign(steps) - np.roll(np.sign(steps), 1, axis=1)) / 2
        if np.diff(np.sort(gamma)).min() >= LEAST_GAP:
            pairs = zip(around.tolist(), np.roll(around, -1).tolist(), strict=True)
            return rankings, list(pairs)


def _draw_salience(random: np.random.Generator, preferred: Floats) -> Floats:
    while True:
        salience = random.permutation(np.linspace(0, 1, len(preferred)))
        if stats.spearmanr(salience, preferred).statistic <= SALIENCE_AGAINST_PREFERENCE:
            return np.asarray(salience, dtype=np.float64)


def write(plan: Plan, folder: Path) -> None:
    """Write the four tables."""
    scenes = [f"scene{i}" for i in range(len(plan.held_out_templates))]
    tables: dict[str, list[Iterable[object]]] = {
        "preferences.tsv": [
            ("attribute", "strength", "ranking"),
            *((name, p, ",".join(order)) for name, (p, order) in plan.rankings.items()),
        ],
        "subjects.tsv": [
            ("subject", "salience", *scenes),
            *(
                (name, round(value, 4), *(round(effect, 4) for effect in plan.scene_effects[name]))
                for name, value in plan.salience.items()
            ),
        ],
        "templates.tsv": [
            ("template", "scene", "held_out"),
            *(
                (name, scene, "yes" if name in plan.held_out_templates else "no")
                for name, scene in plan.scene_of.items()
            ),
        ],
        "pairs.tsv": [("held_out_1", "held_out_2"), *plan.held_out_pairs],
    }
    for name, rows in tables.items():
        text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        write_atomically(folder / name, text.encode())


def read(folder: Path) -> Plan:
    """Read the four tables back."""
    preferences, subjects, templates, pairs = (_rows(folder / name) for name in TABLES)
    return Plan(
        rankings={
            row["attribute"]: (float(row["strength"]), row["ranking"].split(","))
            for row in preferences
        },
        salience={row["subject"]: float(row["salience"]) for row in subjects},
        scene_effects={
            row["subject"]: [float(v) for name, v in row.items() if name.startswith("scene")]
            for row in subjects
        },
        scene_of={row["template"]: int(row["scene"]) for row in templates},
        held_out_templates=[row["template"] for row in templates if row["held_out"] == "yes"],
        held_out_pairs=[(row["held_out_1"], row["held_out_2"]) for row in pairs],
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def in_training(plan: Plan, items: pl.DataFrame) -> NDArray[np.bool_]:
    """Return which rows may be trained on: neither template nor pair is held out; shape [rows]."""
    return ~_is_held_out_template(plan, items) & ~_is_held_out_pair(plan, items)


def in_test(plan: Plan, items: pl.DataFrame) -> NDArray[np.bool_]:
    """Return which rows are tested on: template and pair are both held out; shape [rows]."""
    return _is_held_out_template(plan, items) & _is_held_out_pair(plan, items)


def _is_held_out_template(plan: Plan, items: pl.DataFrame) -> NDArray[np.bool_]:
    return items["template"].cast(pl.String).is_in(plan.held_out_templates).to_numpy()


def _is_held_out_pair(plan: Plan, items: pl.DataFrame) -> NDArray[np.bool_]:
    held_out = {frozenset(pair) for pair in plan.held_out_pairs}
    pairs = zip(items["x1"].to_list(), items["x2"].to_list(), strict=True)
    return np.array([frozenset(pair) in held_out for pair in pairs])


def targets(plan: Plan, items: pl.DataFrame, *, is_twin: bool) -> Floats:
    """Return S(x1) of every row, in [0, 1]; S(x2) is the rest; shape [rows]."""
    x1, x2, attribute, template = (
        items[name].cast(pl.String).to_list() for name in ("x1", "x2", "attribute", "template")
    )
    asks_for_it = np.where((items["polarity"].cast(pl.String) == "pos").to_numpy(), 1.0, -1.0)
    is_first = np.where((items["order"] == 12).to_numpy(), 1.0, -1.0)
    rows = list(zip(x1, x2, attribute, template, strict=True))
    preference = np.array([_preference(plan, a, b, of, is_twin) for a, b, of, _ in rows])
    scene = np.array([_scene(plan, a, b, where) for a, b, _, where in rows])
    salience = np.array([plan.salience[a] - plan.salience[b] for a, b, _, _ in rows])
    lean = (
        SHARE_OF_PREFERENCE * preference * asks_for_it
        + SHARE_OF_SCENE * scene * asks_for_it
        + SHARE_OF_SALIENCE * salience
        + SHARE_OF_POSITION * is_first
    )
    return np.asarray((1 + lean) / 2, dtype=np.float64)


def _preference(plan: Plan, x1: str, x2: str, attribute: str, is_twin: bool) -> float:
    """Return 2p - 1 with the sign of who ranks higher, in [-1, 1]."""
    strength, order = plan.rankings[attribute]
    lean = 2 * (TWIN_STRENGTH if is_twin else strength) - 1
    return lean if order.index(x1) < order.index(x2) else -lean


def _scene(plan: Plan, x1: str, x2: str, template: str) -> float:
    scene = plan.scene_of[template]
    return (plan.scene_effects[x1][scene] - plan.scene_effects[x2][scene]) / 2
