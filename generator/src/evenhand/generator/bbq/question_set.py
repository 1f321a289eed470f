"""Evenhand's question set, or a user's: templates, people and wordings, read, checked and drawn.

Layout: ``<Category>/qNN.jinja``, ``people/<Category>.tsv``, ``unknown.tsv``. A user's folder may
hold any part of it; what it does not hold is taken from ours.
"""

from dataclasses import dataclass
from pathlib import Path

from evenhand.contract import WrongUse
from evenhand.contract.bbq import CATEGORIES, QUESTIONS_PER_GROUP
from evenhand.contract.errors import DataRefused
from evenhand.generator.bbq.deals import random_generator
from evenhand.generator.bbq.items import Items
from evenhand.generator.bbq.pairs import draw_pairs, find_sides, groups_named
from evenhand.generator.bbq.people import Person, read_people, read_unknown_wordings
from evenhand.generator.bbq.question_rows import EXAMPLES_A_PAIR, Drawn, question_items
from evenhand.generator.bbq.questions import NO_SOURCE, read_question
from evenhand.generator.bbq.spelling import checked_configs, near_category
from evenhand.generator.folders import Folders, content_digest, content_digests

OUR_FOLDER = Path(__file__).parent / "templates"
_UNKNOWN = "unknown.tsv"


@dataclass(frozen=True, kw_only=True)
class DrawnCategory:
    """A category whose questions are read and whose pairs are drawn."""

    name: str
    questions: list[Drawn]
    wordings: list[str]
    seed: int

    @property
    def n_examples(self) -> int:
        """Groups of four rows."""
        return sum(len(drawn.pairs) for drawn in self.questions) * EXAMPLES_A_PAIR

    @property
    def n_rows(self) -> int:
        """Rows."""
        return self.n_examples * QUESTIONS_PER_GROUP

    @property
    def n_with_source(self) -> int:
        """Questions whose stereotype has a source."""
        return sum(drawn.question["source"] != NO_SOURCE for drawn in self.questions)

    @property
    def n_people(self) -> int:
        """Persons who stand in a question."""
        pairs = (pair for drawn in self.questions for pair in drawn.pairs)
        return len({person for pair in pairs for person in (pair.stereotyped, pair.other)})

    def items(self) -> Items:
        """Render the rows."""
        return question_items(self.name, self.questions, self.wordings, self.seed)


class QuestionSet:
    """Finds and reads the content of categories."""

    def __init__(self, user_folder: Path | None = None) -> None:
        """Look at what there is.

        Raises:
            DataRefused: the user's folder is missing or holds nothing of the layout.
        """
        self._folders = Folders(ours=OUR_FOLDER, user=user_folder)
        if user_folder is not None and not self.user_categories() and not self._has_user_wordings():
            raise DataRefused(
                f"{user_folder} holds no <Category>/qNN.jinja, people/<Category>.tsv or {_UNKNOWN};"
                f" the categories are {', '.join(CATEGORIES)}."
            )

    def choose_categories(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the categories to render: those asked for, else a user's, else all.

        Raises:
            WrongUse: one is no category, or has no questions.
        """
        names = checked_configs(names) or self.user_categories() or self.categories()
        for name in names:
            if not self._folders.templates(name):
                raise WrongUse(
                    f"There are no questions of {name}; write some into a folder of your own,"
                    f" {name}/q01.jinja, and name it with --templates."
                )
        return names

    def categories(self) -> tuple[str, ...]:
        """Return the categories that have questions."""
        return tuple(name for name in CATEGORIES if self._folders.templates(name))

    def user_categories(self) -> tuple[str, ...]:
        """Return the categories of which the user's folder holds a part.

        Raises:
            DataRefused: a folder or list is named after no category.
        """
        user = self._folders.user
        if user is None:
            return ()
        places = {path.parent.name: path.parent for path in user.glob("*/*.jinja")}
        places |= {path.stem: path for path in user.glob("people/*.tsv")}
        for name, path in places.items():
            if name not in CATEGORIES:
                near = near_category(name)
                hint = f"did you mean {near}?" if near else f"they are {', '.join(CATEGORIES)}."
                raise DataRefused(f"{path} is named after no category of BBQ; {hint}")
        return tuple(name for name in CATEGORIES if name in places)

    def _has_user_wordings(self) -> bool:
        return self._folders.user is not None and (self._folders.user / _UNKNOWN).is_file()

    def draw_category(self, category: str, seed: int) -> DrawnCategory:
        """Read the questions and people of a category and draw its pairs.

        Raises:
            DataRefused: a file is missing or faulty; the sentence names file and line.
        """
        people = read_people(self._people_path(category), category)
        return DrawnCategory(
            name=category,
            questions=[
                _draw_question(path, category, people, seed)
                for path in self._folders.templates(category)
            ],
            wordings=read_unknown_wordings(self._folders.find(_UNKNOWN)),
            seed=seed,
        )

    def digest(self, categories: tuple[str, ...]) -> str:
        """Return one sha256 over the names and bytes of all files that the rows are made of."""
        return content_digest(self._files(categories))

    def digests(self, categories: tuple[str, ...]) -> dict[str, str]:
        """Return the sha256 of each of these files."""
        return content_digests(self._files(categories))

    def people_lists(self, categories: tuple[str, ...]) -> list[Path]:
        """Return the lists of people of categories."""
        return [self._people_path(name) for name in categories]

    def _files(self, categories: tuple[str, ...]) -> list[Path]:
        paths = [path for name in categories for path in self._folders.templates(name)]
        return [*paths, *self.people_lists(categories), self._folders.find(_UNKNOWN)]

    def _people_path(self, category: str) -> Path:
        return self._folders.find(f"people/{category}.tsv")


def _draw_question(path: Path, category: str, people: list[Person], seed: int) -> Drawn:
    question = read_question(path)
    stereotyped, _ = find_sides(question, category, people)
    return Drawn(
        question=question,
        groups=groups_named(question, category, stereotyped),
        pairs=draw_pairs(question, category, people, random_generator(seed, category, path.stem)),
    )
