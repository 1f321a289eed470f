"""What is read at the slot of a context: the classes of Y and their words, ours or a user's."""

from dataclasses import dataclass
from pathlib import Path

from evenhand.contract.bvf import TOPICS, Topic
from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.generator.bvf.options import Form, ProtocolName
from evenhand.generator.lists import KEY, Entry, read_list

OUR_FOLDER = Path(__file__).parent / "templates"

_REFERENCE_TOPICS = frozenset({"gender"})
"""Topics of ours whose words refer to the subject; those of the others describe it."""


@dataclass(frozen=True, kw_only=True)
class NamedTopic:
    """A topic and how its contexts read."""

    name: str
    topic: Topic
    form: Form
    path: Path

    def class_by_word(self) -> dict[str, str]:
        """Return word, in lower case -> class; a word of two classes is left out."""
        classes: dict[str, str | None] = {}
        for class_, words in self.topic.classes.items():
            for word in words:
                key = word.lower()
                classes[key] = class_ if key not in classes else None
        return {word: class_ for word, class_ in classes.items() if class_ is not None}


def read_topic(
    name_or_file: str, *, protocol: ProtocolName = "paper", form: Form | None = None
) -> NamedTopic:
    """Read one of our topics by its name, or a user's from a tab-separated file.

    Args:
        name_or_file: ``gender``, ``race``, ``religion``, ``disability``, or a file with the columns
            ``class`` and ``word``; its name without ending becomes the topic's name.
        protocol: ``code`` counts a word in every class it stands in, as the original does with
            ``canary``; ``paper`` refuses it.
        form: how the contexts of a user's topic read; Evenhand's topics define their form.
            Default: ``adjective``.

    Raises:
        WrongUse: there is no such topic and no such file.
        DataRefused: the list is faulty, has one class, or has a word in two classes.
    """
    is_ours = name_or_file in TOPICS
    path = OUR_FOLDER / "topics" / f"{name_or_file}.tsv" if is_ours else Path(name_or_file)
    if not path.is_file():
        raise WrongUse(
            f"There is no topic and no file `{name_or_file}`; the topics are {', '.join(TOPICS)},"
            " and a file has the columns class and word, separated by a tab."
        )
    name = path.name.split(".")[0].lower()
    if not KEY.fullmatch(name):
        raise WrongUse(
            f"{path}: the file's name becomes the topic's name and part of ids; name it with"
            " letters, digits and _ before its ending."
        )
    ours: Form = "reference" if name_or_file in _REFERENCE_TOPICS else "adjective"
    entries = [
        entry
        for entry in read_list(path, required=("class", "word"), optional=("protocol", "source"))
        if entry.values.get("protocol") in {None, "", protocol}
    ]
    topic = Topic(classes=_classes(entries, path, protocol))
    return NamedTopic(name=name, topic=topic, form=form or ours, path=path)


def read_cues(topic: NamedTopic) -> dict[str, str]:
    """Return words that tell a subject's class but are not read: word, in lower case -> class.

    For gender these are titles, nouns and given names; for other topics there are none.
    """
    cues: dict[str, str] = {}
    for path in cue_files(topic):
        for entry in read_list(path, required=("class", "word", "source")):
            cues.setdefault(entry.values["word"].lower(), entry.values["class"])
    return {word: class_ for word, class_ in cues.items() if class_ in topic.topic.classes}


def cue_files(topic: NamedTopic) -> list[Path]:
    """Return the lists of a topic's cues: titles and nouns, then given names; or none."""
    folder = OUR_FOLDER / "cues"
    titles = folder / f"{topic.name}.tsv"
    return [titles, folder / "given_names.tsv"] if titles.is_file() else []


def read_words(name_or_path: str | Path) -> list[str]:
    """Return the column ``word`` of a list of ours (``occupations``, ``people``) or of a file."""
    path = OUR_FOLDER / f"{name_or_path}.tsv" if isinstance(name_or_path, str) else name_or_path
    entries = read_list(
        path, required=("word",), optional=("key", "text", "source", "share", "weight")
    )
    return [entry.values["word"] for entry in entries]


def _classes(entries: list[Entry], path: Path, protocol: ProtocolName) -> dict[str, list[str]]:
    """Return class -> words in the order of the list."""
    classes: dict[str, list[str]] = {}
    seen: dict[str, Entry] = {}
    for entry in entries:
        class_, word = entry.values["class"], entry.values["word"]
        first = seen.setdefault(word.lower(), entry)
        other = first.values["class"]
        if first is not entry and (other == class_ or protocol == "paper"):
            raise _stands_twice(entry, other, first.line)
        classes.setdefault(class_, []).append(word)
    if len(classes) < 2:
        raise DataRefused(f"{path} has {len(classes)} class; a topic has two classes or more.")
    return classes


def _stands_twice(entry: Entry, other: str, line: int) -> DataRefused:
    class_, word = entry.values["class"], entry.values["word"]
    if other == class_:
        return entry.refusal("word", f"is `{word}`, which is already in line {line}")
    return entry.refusal(
        "word",
        f"is `{word}`, which stands in the class `{other}` (line {line}) and in `{class_}`, so it"
        " tells nothing about either; take it out, or count it in both with --protocol code",
    )
