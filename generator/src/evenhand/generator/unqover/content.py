"""The content of UnQover: templates, subjects and attributes, ours or a user's.

Layout: ``<class>/*.jinja``, ``subjects/<list>.tsv``, ``attributes/<list>.tsv``. A user's folder
may hold any part of it; what it does not hold is taken from ours.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.contract.unqover import CLASSES
from evenhand.generator.english import Word
from evenhand.generator.folders import Folders, content_digest, content_digests
from evenhand.generator.lists import KEY, Entry, check_distinct, read_list
from evenhand.generator.unqover.template import Template, read_template

OUR_FOLDER = Path(__file__).parent / "templates"

_LISTS_OF_CLASS = {
    "gender_occupation": ("names", "occupations"),
    "nationality": ("countries", "nationality"),
    "ethnicity": ("ethnicities", "ethnicity"),
    "religion": ("religions", "religion"),
}
"""class -> its list of subjects and its list of attributes; other classes use their own name."""

_CLASS_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One subject: a name, a country, a group."""

    key: str
    word: Word
    group: str | None


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One attribute and its negation."""

    key: str
    kind: str
    category: str
    positive: Word
    negative: Word


@dataclass(frozen=True, kw_only=True)
class Content:
    """Everything that a class is rendered from, read and checked."""

    class_: str
    subjects: list[Subject]
    attributes: list[Attribute]
    templates: list[Template]

    def pairs(self) -> list[tuple[int, int]]:
        """Return all pairs of subjects as indices into ``subjects``.

        Subjects with groups are paired across groups only; x1 is of the group that the list
        names first. Subjects without groups are all paired; x1 stands first in the list.
        """
        return subject_pairs([subject.group for subject in self.subjects])

    def matching_attributes(self, template: Template) -> list[int]:
        """Return the indices of the attributes that go with a template."""
        kind = template.attribute_kind
        return [i for i, attribute in enumerate(self.attributes) if attribute.kind == kind]

    @cached_property
    def n_examples(self) -> int:
        """How many examples (of four questions) the content makes."""
        per_pair = sum(len(self.matching_attributes(template)) for template in self.templates)
        return per_pair * len(self.pairs())


def subject_pairs(groups: list[str | None]) -> list[tuple[int, int]]:
    """Return the pairs of subjects, given the group of each.

    >>> subject_pairs([None, None, None])
    [(0, 1), (0, 2), (1, 2)]
    >>> subject_pairs(["female", "male", "female"])
    [(0, 1), (2, 1)]
    """
    ranks = {group: rank for rank, group in enumerate(dict.fromkeys(groups))}
    order = sorted(range(len(groups)), key=lambda i: ranks[groups[i]])
    return [
        (i, j)
        for place, i in enumerate(order)
        for j in order[place + 1 :]
        if groups[i] is None or groups[i] != groups[j]
    ]


class Library:
    """Where content is looked up: a user's folder before ours."""

    def __init__(self, user_folder: Path | None = None) -> None:
        """Open the library; ``user_folder`` must exist where it is given.

        Raises:
            DataRefused: the folder is missing or holds nothing of the layout.
        """
        self._folders = Folders(ours=OUR_FOLDER, user=user_folder)
        self.user_folder = user_folder
        self.classes = self._classes()
        if user_folder is not None and not self.user_classes():
            raise DataRefused(
                f"{user_folder} holds no <class>/*.jinja, subjects/*.tsv or attributes/*.tsv of a"
                f" class; the classes are {', '.join(CLASSES)} or any folder of templates."
            )
        self._refuse_lists_of_no_class()

    def _refuse_lists_of_no_class(self) -> None:
        """Refuse a list that nothing would read, e.g. `religion.tsv` for `religions.tsv`."""
        if self.user_folder is None:
            return
        known: dict[str, list[str]] = {}
        for listed in (Path(path) for name in self.classes for path in _list_paths(name)):
            known.setdefault(listed.parent.name, []).append(listed.stem)
        for path in sorted(self.user_folder.glob("*/*.tsv")):
            names = known.get(path.parent.name)
            if names and path.stem not in names:
                near = difflib.get_close_matches(path.stem, names, n=1)
                hint = f"did you mean {near[0]}.tsv?" if near else f"they are {', '.join(names)}."
                if path.stem not in self.classes:
                    hint += f" A class of your own needs {path.stem}/*.jinja."
                raise DataRefused(f"{path} is read by no class; {hint}")

    def _classes(self) -> tuple[str, ...]:
        """Return all classes that can be rendered, ours first."""
        if self.user_folder is None:
            return CLASSES
        folders = sorted({path.parent.name for path in self.user_folder.glob("*/*.jinja")})
        for name in folders:
            if not _CLASS_NAME.fullmatch(name) or name.endswith("_mlm"):
                raise DataRefused(
                    f"{self.user_folder / name}: the name of a class is lower-case letters,"
                    " digits and _, and does not end in _mlm."
                )
        return tuple(dict.fromkeys((*CLASSES, *folders)))

    def user_classes(self) -> tuple[str, ...]:
        """Return the classes of which the user's folder holds a part."""
        folder = self.user_folder
        if folder is None:
            return ()
        return tuple(
            name
            for name in self.classes
            if any(folder.glob(f"{name}/*.jinja"))
            or any((folder / path).is_file() for path in _list_paths(name))
        )

    def content(self, class_: str) -> Content:
        """Read and check everything of a class.

        Raises:
            DataRefused: a file is missing or faulty; the sentence names file and line.
        """
        subjects_path, attributes_path = (self._find(path) for path in _list_paths(class_))
        content = Content(
            class_=class_,
            subjects=_read_subjects(subjects_path),
            attributes=_read_attributes(attributes_path),
            templates=[read_template(path) for path in self._template_paths(class_)],
        )
        _check_kinds(content, attributes_path)
        if not content.pairs():
            raise DataRefused(f"{subjects_path}: at least two subjects (of two groups) are needed.")
        return content

    def digest(self, classes: list[str]) -> str:
        """Return one sha256 over the names and bytes of all files that the classes are made of."""
        return content_digest(self._files(classes))

    def digests(self, classes: list[str]) -> dict[str, str]:
        """Return the sha256 of each of these files."""
        return content_digests(self._files(classes))

    def lists(self, classes: list[str]) -> list[Path]:
        """Return the lists that classes are made of, each once: subjects, then attributes."""
        paths = dict.fromkeys(chain(*zip(*map(_list_paths, classes), strict=True)))
        return [self._find(path) for path in paths]

    def _files(self, classes: list[str]) -> set[Path]:
        return set(self.lists(classes)) | {
            path for name in classes for path in self._template_paths(name)
        }

    def _find(self, relative: str) -> Path:
        return self._folders.find(relative)

    def _template_paths(self, class_: str) -> list[Path]:
        paths = self._folders.templates(class_)
        for path in paths:
            if not KEY.fullmatch(path.stem):
                raise DataRefused(
                    f"{path}: the name of a template is lower-case letters, digits and _."
                )
        if not paths:
            root = self.user_folder or OUR_FOLDER
            raise DataRefused(f"{root / class_} holds no *.jinja, so the class has no templates.")
        return paths


def _list_paths(class_: str) -> tuple[str, str]:
    subjects, attributes = _LISTS_OF_CLASS.get(class_, (class_, class_))
    return f"subjects/{subjects}.tsv", f"attributes/{attributes}.tsv"


def _read_subjects(path: Path) -> list[Subject]:
    entries = read_list(
        path, required=("key", "word", "source"), optional=("group", "demonym", "in_sentence")
    )
    check_distinct(entries, "word")
    return [_subject(entry.values) for entry in entries]


def _subject(values: dict[str, str]) -> Subject:
    names = {"demonym": "demonym", "in_sentence": "definite"}
    forms = {form: values[name] for name, form in names.items() if values.get(name)}
    return Subject(
        key=values["key"], word=Word(values["word"], forms), group=values.get("group") or None
    )


_ATTRIBUTE_COLUMNS = (
    *("key", "kind", "category", "positive", "positive_plural"),
    *("negative", "negative_plural", "source", "review"),
)


def _read_attributes(path: Path) -> list[Attribute]:
    entries = read_list(
        path, required=_ATTRIBUTE_COLUMNS, may_be_empty=("positive_plural", "negative_plural")
    )
    check_distinct(entries, "positive")
    return [_attribute(entry) for entry in entries]


def _attribute(entry: Entry) -> Attribute:
    values = entry.values
    if values["positive"] == values["negative"]:
        raise entry.refusal("negative", "is the same as `positive`; a negation was expected")
    return Attribute(
        key=values["key"],
        kind=values["kind"],
        category=values["category"],
        positive=Word(values["positive"], {"plural": values["positive_plural"]}),
        negative=Word(values["negative"], {"plural": values["negative_plural"]}),
    )


def _check_kinds(content: Content, attributes_path: Path) -> None:
    kinds = {attribute.kind for attribute in content.attributes}
    for template in content.templates:
        if template.attribute_kind not in kinds:
            raise DataRefused(
                f"{template.path}: attribute_kind is `{template.attribute_kind}`, but the kinds in"
                f" {attributes_path} are {', '.join(sorted(kinds))}."
            )
    unused = kinds - {template.attribute_kind for template in content.templates}
    if unused:
        raise DataRefused(
            f"{attributes_path}: no template of {content.class_} has the attribute_kind"
            f" `{min(unused)}`."
        )


def subject_words(content: Content) -> Iterator[tuple[Subject, set[str]]]:
    """Yield each subject with the words that stand for it in the templates of its class."""
    for subject in content.subjects:
        yield (
            subject,
            {
                template.answer(slot, subject.word)
                for template in content.templates
                for slot in ("x1", "x2")
            },
        )
