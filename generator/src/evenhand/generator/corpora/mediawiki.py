"""Articles of a MediaWiki dump, read as a stream.

Only pages of the main namespace that are no redirects are taken. A document type declaration is
refused, so no entity of a dump's own is ever expanded.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from evenhand.contract.errors import DataRefused
from evenhand.generator.corpora.streams import chunks
from evenhand.generator.corpora.wikitext import plain_text

_MAX_DEPTH = 32
_MAX_ARTICLE_CHARACTERS = 64 << 20
_ARTICLES = "0"
"""Number of the namespace that holds the articles."""


def articles(path: Path) -> Iterator[str]:
    """Yield the plain text of each article of a dump.

    Raises:
        DataRefused: the file is not well-formed XML, ends too early, is no dump, or declares
            entities.
    """
    pages = _Pages(path)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = pages.start
    parser.EndElementHandler = pages.end
    parser.CharacterDataHandler = pages.characters
    parser.StartDoctypeDeclHandler = pages.refuse_doctype
    try:
        for chunk in chunks(path):
            parser.Parse(chunk, False)
            yield from pages.take_articles()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise DataRefused(
            f"{path}:{error.lineno}: is not well-formed XML or ends too early"
            f" ({expat.ErrorString(error.code)}); copy the dump again."
        ) from error
    yield from pages.take_articles()


class _Pages:
    """Collects the pages of a dump while its elements go by."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._depth = 0
        self._fields: dict[str, str] = {}
        self._collecting: list[str] | None = None
        self._n_characters = 0
        self._is_redirect = False
        self._done: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        del attributes
        tag = name.rpartition(" ")[2]
        self._depth += 1
        if self._depth == 1 and tag != "mediawiki":
            raise DataRefused(
                f"{self._path}: is not a MediaWiki dump: its first element is <{tag}>, <mediawiki>"
                " was expected."
            )
        if self._depth > _MAX_DEPTH:
            raise DataRefused(f"{self._path}: elements are nested too deeply for a dump.")
        if tag == "page":
            self._fields, self._is_redirect = {}, False
        elif tag == "redirect":
            self._is_redirect = True
        elif tag in {"ns", "text"}:
            self._collecting, self._n_characters = [], 0

    def characters(self, text: str) -> None:
        """A piece of text goes by."""
        if self._collecting is None:
            return
        self._n_characters += len(text)
        if self._n_characters > _MAX_ARTICLE_CHARACTERS:
            raise DataRefused(
                f"{self._path}: an article has more than {_MAX_ARTICLE_CHARACTERS:,} characters."
            )
        self._collecting.append(text)

    def end(self, name: str) -> None:
        """An element ends."""
        tag = name.rpartition(" ")[2]
        self._depth -= 1
        if tag in {"ns", "text"} and self._collecting is not None:
            self._fields[tag] = "".join(self._collecting)
            self._collecting = None
        elif tag == "page" and not self._is_redirect:
            if self._fields.get("ns", _ARTICLES).strip() == _ARTICLES:
                self._done.append(self._fields.get("text", ""))
            self._fields = {}

    def refuse_doctype(self, *names: Any) -> None:
        """A document type declaration begins: entities could follow."""
        del names
        raise DataRefused(
            f"{self._path}: declares a document type, in which entities can grow without bound;"
            " a MediaWiki dump has none."
        )

    def take_articles(self) -> Iterator[str]:
        """Yield the articles that are complete, each once."""
        done, self._done = self._done, []
        return (plain_text(text) for text in done)
