"""Imports the official templates of BBQ: CSV files and vocabularies -> Jinja -> rows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.contract import WrongUse
from evenhand.contract.bbq import CATEGORIES
from evenhand.contract.errors import DataRefused
from evenhand.contract.files import atomic_folder, sha256_of_file
from evenhand.generator.bbq.card import OFFICIAL_CARD
from evenhand.generator.bbq.faults import Fault, find_faults
from evenhand.generator.bbq.items import Items, build_items, config_rows
from evenhand.generator.bbq.official_questions import Rendered, render_templates
from evenhand.generator.bbq.official_release import OFFICIAL_ROWS, findings, without_target
from evenhand.generator.bbq.official_templates import (
    TemplateFile,
    jinja_files,
    read_templates,
    template_files,
    template_folder,
)
from evenhand.generator.bbq.official_vocabulary import (
    NAMES_FILE,
    WORDS_FILE,
    Vocabulary,
    read_vocabulary,
)
from evenhand.generator.bbq.options import ImportOptions
from evenhand.generator.bbq.spelling import checked_configs
from evenhand.generator.benchmark import ImportSettings, Prepared

_CONSTRUCTION = (
    "Rendered from the templates and vocabularies of the official BBQ (nyu-mll/BBQ) by `evenhand"
    " import bbq --templates`, with seed {seed}. No released row was read: `id` numbers the rows of"
    " this rendering, and the release has another row under the same `id`. The order of the three"
    " answers and the wording of UNKNOWN are drawn at random for every group of four."
)
_SUBSTRING = (
    "Whom an answer names was determined by substring, as in the original: `men` matches `women`,"
    " `African` matches `African American`, and nothing matches where a word was repaired"
    " (`Latina`)."
)


@dataclass(frozen=True, kw_only=True)
class _Rendering:
    """Everything that was read and rendered."""

    settings: ImportSettings
    options: ImportOptions
    files: list[TemplateFile]
    vocabulary: Vocabulary
    rendered: dict[str, Rendered]
    items: dict[str, Items]
    faults: list[Fault]


def prepare_templates(settings: ImportSettings) -> Prepared:
    """Read, check and render the official templates.

    Raises:
        WrongUse: a config is unknown, or the seed is negative.
        DataRefused: a file is missing or faulty; the sentence names file, row and column.
    """
    if settings.seed < 0:
        raise WrongUse(f"--seed is {settings.seed}; a whole number of 0 or more was expected.")
    options = ImportOptions(**settings.options)
    one = _rendering(settings, options)
    rows = {
        name: config_rows(items, limit=settings.limit, seed=settings.seed)
        for name, items in one.items.items()
    }
    if options.keep_templates is not None:
        keep_templates(one.files, options.keep_templates)
    return Prepared(
        card=OFFICIAL_CARD,
        n_rows=sum(config.n_rows for config in rows.values()),
        provenance=_provenance(one),
        construction=_construction_lines(one),
        known_faults=tuple(f"Kept as in the original: {fault.sentence()}." for fault in one.faults),
        notes=_notes(one),
        configs=lambda: iter(rows.values()),
    )


def _rendering(settings: ImportSettings, options: ImportOptions) -> _Rendering:
    folder = template_folder(settings.source)
    paths = _template_files(folder, checked_configs(settings.configs))
    vocabulary = read_vocabulary(folder)
    files = [read_templates(name, path) for name, path in paths.items()]
    renderings = {
        file.category: render_templates(
            file, vocabulary, seed=settings.seed, substring_faults=options.substring_faults
        )
        for file in files
    }
    items = {name: build_items(name, one.rows) for name, one in renderings.items()}
    return _Rendering(
        settings=settings,
        options=options,
        files=files,
        vocabulary=vocabulary,
        rendered=renderings,
        items=items,
        faults=[
            fault
            for one in items.values()
            for fault in find_faults(one.category, one.rows, one.ids)
        ],
    )


def _template_files(folder: Path, configs: tuple[str, ...]) -> dict[str, Path]:
    paths = template_files(folder)
    for name in configs:
        if name not in paths:
            raise DataRefused(f"{folder} has no templates of {name}; it has {', '.join(paths)}.")
    return {name: path for name, path in paths.items() if not configs or name in configs}


def keep_templates(files: list[TemplateFile], folder: Path) -> None:
    """Write the Jinja templates, one a question, below a folder that is new or empty."""
    if folder.is_dir() and any(folder.iterdir()):
        raise DataRefused(f"The folder {folder} is not empty; name another for --keep-templates.")
    with atomic_folder(folder, overwrite=False) as temporary:
        for file in files:
            for name, text in jinja_files(file):
                path = temporary / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")


def _provenance(one: _Rendering) -> dict[str, Any]:
    paths = [*(file.path for file in one.files), *one.vocabulary.files]
    return {
        "made_by": "import",
        "release": "nyu-mll/BBQ",
        "rendered_from": "templates",
        "files": {path.name: sha256_of_file(path) for path in paths},
        "limit": one.settings.limit,
        "substring_faults": one.options.substring_faults,
        "rows": {name: len(items.rows) for name, items in one.items.items()},
        "rows_by_question": {name: _by_question(items) for name, items in one.items.items()},
        "drawn": {
            name: {what: list(questions) for what, questions in category.random_parts.items()}
            for name, category in one.rendered.items()
        },
        "words_left_out": one.vocabulary.n_left_out,
        "answers_that_substrings_mistake": {
            name: category.n_faulty for name, category in one.rendered.items() if category.n_faulty
        },
        **findings(one.items, one.faults),
    }


def _construction_lines(one: _Rendering) -> list[str]:
    names = [path.name for path in (*(file.path for file in one.files), *one.vocabulary.files)]
    return [
        _CONSTRUCTION.format(seed=one.settings.seed),
        *([_SUBSTRING] if one.options.substring_faults else []),
        f"Files: {', '.join(names)}.",
        *(f"Drawn at random in {line}." for line in _draw_lines(one)),
        *(f"{line}." for line in _row_count_lines(one)),
        *(f"Rows without target in {line}." for line in without_target(one.items)),
    ]


def _notes(one: _Rendering) -> list[str]:
    seed = one.settings.seed
    lines = [*_source_lines(one), *_row_count_lines(one)]
    for name, items in one.items.items():
        lines.append(f"{name}: rows per question: {_counts(_by_question(items))}")
    lines.append(
        f"drawn with seed {seed} for every group of four: order of the answers, wording of UNKNOWN"
    )
    lines += [f"drawn with seed {seed} in {line}" for line in _draw_lines(one)]
    absent = [name for name in CATEGORIES if name not in one.items]
    if absent:
        lines.append(f"no templates or not asked for: {', '.join(absent)}")
    lines += [f"without target: {line}" for line in without_target(one.items)]
    lines += [f"fault of the original, kept: {fault.sentence()}" for fault in one.faults]
    return lines + _substring_lines(one)


def _source_lines(one: _Rendering) -> list[str]:
    lines = []
    for file in one.files:
        questions = {template.question for template in file.templates}
        lines.append(
            f"{file.path.name}: {len(file.templates)} templates of {len(questions)} questions"
        )
    vocabulary = one.vocabulary
    if vocabulary.n_words:
        left_out = f"{vocabulary.n_left_out} left out, since Pilot_include is No"
        lines.append(f"{WORDS_FILE}: {vocabulary.n_words} words, {left_out}")
    if vocabulary.names:
        lines.append(f"{NAMES_FILE}: {len(vocabulary.names)} names")
    return lines


def _row_count_lines(one: _Rendering) -> list[str]:
    """Say of each category how many rows the release has."""
    lines = []
    for name, items in one.items.items():
        rows = f"{name}: {len(items.rows):,} rows"
        if len(items.rows) == OFFICIAL_ROWS[name]:
            lines.append(f"{rows}, as many as the release has")
        else:
            lines.append(f"{rows}; the release has {OFFICIAL_ROWS[name]:,}")
    return lines


def _draw_lines(one: _Rendering) -> list[str]:
    return [
        f"{name}: {what} of question{'s' if len(questions) > 1 else ''} {ranges(questions)}"
        for name, category in one.rendered.items()
        for what, questions in category.random_parts.items()
    ]


def _substring_lines(one: _Rendering) -> list[str]:
    is_kept = one.options.substring_faults
    if is_kept:
        fault = "an answer is assigned to the wrong person by substring, as in the original"
    else:
        fault = (
            "the original assigns an answer to the wrong person by substring, corrected here"
            " (--substring-faults keeps it)"
        )
    return [
        f"{name}: in {category.n_faulty:,} groups of four {fault}"
        for name, category in one.rendered.items()
        if category.n_faulty
    ]


def _by_question(items: Items) -> dict[str, int]:
    return dict(Counter(row.question_index for row in items.rows))


def _counts(by_question: dict[str, int]) -> str:
    questions: dict[int, list[str]] = {}
    for question, count in by_question.items():
        questions.setdefault(count, []).append(question)
    return "; ".join(f"{count} ({ranges(names)})" for count, names in sorted(questions.items()))


def ranges(questions: Iterable[str]) -> str:
    """Return questions with those that follow each other drawn together.

    >>> ranges(["1", "2", "3", "5", "x"])
    '1-3, 5, x'
    """
    parts: list[list[str]] = []
    for question in questions:
        last = parts[-1][-1] if parts else ""
        if last.isdecimal() and question.isdecimal() and int(question) == int(last) + 1:
            parts[-1].append(question)
        else:
            parts.append([question])
    return ", ".join(part[0] if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
