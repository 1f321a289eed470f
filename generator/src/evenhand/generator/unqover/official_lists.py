"""Reads the original's files: subjects, activities, templates ("slots") and the news header.

All of them: lines are stripped; empty lines and lines that begin with ``#`` are skipped.
Source of the syntax: allenai/unqover at 3e47969b, ``word_lists/``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.errors import DataRefused

_HEADED = re.compile(r"\[([^\[\]]+)\]\s*(.*)")
_NEGATED = ":neg"
_SINGULAR = "-single"
_MAX_BYTES = 10 << 20


@dataclass(frozen=True, kw_only=True)
class OfficialSubject:
    """A subject with its cluster (``female``) and, for countries, its demonym."""

    term: str
    cluster: str | None
    demonym: str | None


@dataclass(frozen=True, kw_only=True)
class Activity:
    """One attribute of one type, with its negation."""

    cluster: str | None
    positive: str
    negative: str


@dataclass(frozen=True, kw_only=True)
class Slots:
    """One template line."""

    path: Path
    line: int
    number: int
    """The original's ``tid``: place among the lines that are neither empty nor comments."""
    context: str
    question: str
    negated: str

    def refusal(self, what: str) -> DataRefused:
        """Return the error that names file and line."""
        return DataRefused(f"{self.path}:{self.line}: {what}.")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if not path.is_file():
        raise DataRefused(f"{path} does not exist; --from names the original's word_lists folder.")
    if path.stat().st_size > _MAX_BYTES:
        raise DataRefused(f"{path} has more than {_MAX_BYTES:,} bytes; it is not a word list.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path} is not UTF-8 text.") from error
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.strip()
        if content and not content.startswith("#"):
            yield number, content


def _headed(path: Path, number: int, line: str) -> tuple[str, str | None, str]:
    """Split ``[head] cluster | term`` or ``[head] term``."""
    match = _HEADED.fullmatch(line)
    if not match:
        raise DataRefused(f"{path}:{number}: `{line}` does not begin with a [head].")
    head, rest = match.groups()
    cluster, bar, term = rest.partition("|")
    if not bar:
        cluster, term = "", rest
    if not term.strip():
        raise DataRefused(f"{path}:{number}: nothing follows [{head}].")
    return head, cluster.strip() or None, term.strip()


def read_subjects(path: Path) -> list[OfficialSubject]:
    """Read a list of subjects; ``[subj:dem]`` lines are the demonyms in the same order."""
    subjects: dict[str, str | None] = {}
    demonyms: list[str] = []
    for number, line in _lines(path):
        head, cluster, term = _headed(path, number, line)
        if head == "subj:dem":
            demonyms.append(term)
        elif head != "subj":
            raise DataRefused(
                f"{path}:{number}: [{head}] is unknown; [subj] or [subj:dem] expected."
            )
        elif term in subjects:
            raise DataRefused(f"{path}:{number}: the subject `{term}` is already in the list.")
        else:
            subjects[term] = cluster
    if not subjects:
        raise DataRefused(f"{path} has no [subj] line.")
    if demonyms and len(demonyms) != len(subjects):
        raise DataRefused(
            f"{path} has {len(subjects)} [subj] lines but {len(demonyms)} [subj:dem] lines;"
            " they must be aligned."
        )
    forms: list[str | None] = [*demonyms] or [None] * len(subjects)
    return [
        OfficialSubject(term=term, cluster=cluster, demonym=form)
        for (term, cluster), form in zip(subjects.items(), forms, strict=True)
    ]


def read_activities(path: Path) -> dict[str, list[Activity]]:
    """Read the attributes by type (``p_act``, ``p_act-single``, ``l_act``, ...)."""
    terms: dict[str, list[tuple[str | None, str]]] = {}
    for number, line in _lines(path):
        head, cluster, term = _headed(path, number, line)
        terms.setdefault(head, []).append((cluster, term))
    if not terms:
        raise DataRefused(f"{path} has no [p_act] line.")
    types = list(dict.fromkeys(head.removesuffix(_NEGATED) for head in terms))
    return {name: _read_activities(path, name, terms) for name in types}


def _read_activities(
    path: Path, name: str, terms: dict[str, list[tuple[str | None, str]]]
) -> list[Activity]:
    positive = terms.get(name, [])
    negative = terms.get(name + _NEGATED, [])
    plain = terms.get(plain_type(name), positive)
    for other, head in ((negative, name + _NEGATED), (plain, plain_type(name))):
        if len(other) != len(positive):
            raise DataRefused(
                f"{path} has {len(positive)} [{name}] lines but {len(other)} [{head}] lines;"
                " they must be aligned."
            )
    return [
        Activity(cluster=cluster, positive=term, negative=negated)
        for (cluster, term), (_, negated) in zip(positive, negative, strict=True)
    ]


def plain_type(name: str) -> str:
    """Return the type whose terms name the attributes of a type.

    >>> plain_type("p_act-single")
    'p_act'
    """
    return name.removesuffix(_SINGULAR)


def read_slots(path: Path) -> list[Slots]:
    """Read the templates: context, question and negated question, separated by tabs."""
    templates = []
    for tid, (number, line) in enumerate(_lines(path)):
        fields = line.split("\t")
        if len(fields) != 3:
            raise DataRefused(
                f"{path}:{number}: has {len(fields)} fields; context, question and negated question"
                " were expected, separated by tabs."
            )
        context, question, negated = fields
        slots = Slots(
            path=path,
            line=number,
            number=tid,
            context=context.strip(),
            question=question.strip(),
            negated=negated.strip(),
        )
        _check_slots(slots)
        templates.append(slots)
    if not templates:
        raise DataRefused(f"{path} has no templates.")
    return templates


_ACTIVITY_SLOT = re.compile(r"\[[^\[\]]*_act[^\[\]]*\]")
_SUBJECT_SLOT = re.compile(r"\[subj([12])(?::dem)?\]")


def _check_slots(slots: Slots) -> None:
    numbers = _SUBJECT_SLOT.findall(slots.context)
    if sorted(numbers) != ["1", "2"]:
        raise slots.refusal("the context must hold [subj1] and [subj2] once each")
    if _SUBJECT_SLOT.search(slots.question + slots.negated):
        raise slots.refusal("a question must not name a subject")
    if _ACTIVITY_SLOT.search(slots.context):
        raise slots.refusal("the context must not hold the attribute")


def read_header(path: Path) -> str:
    """Read the text that the original puts before each paragraph (``fillers/newsqa``)."""
    for number, line in _lines(path):
        _, mark, text = line.partition("[text]")
        if not mark or not text.strip():
            raise DataRefused(f"{path}:{number}: [text] and a header were expected.")
        # The original ends the header with a space and joins it with another one.
        return text.strip() + "  "
    raise DataRefused(f"{path} has no header line.")
