"""Renders a model's chat template around a message, as transformers' apply_chat_template does.

Two things differ: ``strftime_now`` shows a fixed day (the same input gives the same bytes), and
no template can draw random values. The environment in which templates run is ``chat_environment``.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

import jinja2

from evenhand.contract.errors import DataRefused
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.runtime.chat_environment import ChatEnvironment
from evenhand.scorer.runtime.model_card import CHAT_NAME
from evenhand.scorer.runtime.session import ExportedModel

MAX_TEMPLATE_CHARACTERS = 200_000
MAX_PROMPT_CHARACTERS = 1_000_000

# The day that Llama 3.1's template falls back to without a clock.
DATE = datetime(2024, 7, 26, tzinfo=UTC)

Message = Mapping[str, Any]


class ChatTemplate:
    """A template that was checked and compiled."""

    def __init__(self, source: str, special_tokens: Mapping[str, str], *, name: str) -> None:
        """Compile a template.

        Args:
            source: the Jinja text.
            special_tokens: special tokens that the template may name, e.g. ``bos_token``.
            name: the file, for the sentence of an error.

        Raises:
            DataRefused: it is too large, no Jinja, or reaches for what a template may not use.
        """
        self._name = name
        self._tokens = dict(special_tokens)
        self._environment = ChatEnvironment(DATE)
        if len(source) > MAX_TEMPLATE_CHARACTERS:
            self._refuse(
                f"it has {len(source):,} characters; {MAX_TEMPLATE_CHARACTERS:,} are allowed"
            )
        try:
            self._template = self._environment.metered_template(source)
        except Exception as error:  # noqa: BLE001 - Python refuses some of what Jinja compiles to
            self._refuse(_short(error), error)

    def prompt(self, text: str) -> str:
        r"""Return a conversation in which a user said ``text`` and the model is to answer.

        Its special tokens are written out, so a tokenizer must not add them again.

        Raises:
            DataRefused: the template raised an error, or did more than a conversation needs.

        >>> source = "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\\n"
        >>> source += "{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
        >>> ChatTemplate(source, {"bos_token": "<s>"}, name="chat_template.jinja").prompt("Hello")
        '<s>[user] Hello\\n[assistant] '
        """
        return self.render([{"role": "user", "content": text}])

    def prompts(self, texts: Iterable[str]) -> list[str]:
        """Return :meth:`prompt` of each text; the same text is rendered once."""
        once = functools.cache(self.prompt)
        return [once(text) for text in texts]

    def render(self, messages: Sequence[Message], *, add_generation_prompt: bool = True) -> str:
        """Return a conversation as one text.

        Args:
            messages: each with a ``role`` and a ``content``.
            add_generation_prompt: whether the model's turn is begun at the end.

        Raises:
            DataRefused: as for :meth:`prompt`.
        """
        self._environment.meter.reset()
        try:
            text = self._template.render(
                messages=[dict(message) for message in messages],
                tools=None,
                documents=None,
                add_generation_prompt=add_generation_prompt,
                **self._tokens,
            )
        except Exception as error:  # noqa: BLE001 - a foreign program may raise anything
            self._refuse(_short(error), error)
        if len(text) > MAX_PROMPT_CHARACTERS:
            self._refuse(
                f"it makes {len(text):,} characters; {MAX_PROMPT_CHARACTERS:,} are allowed"
            )
        return text

    def _refuse(self, reason: str, error: Exception | None = None) -> NoReturn:
        raise DataRefused(
            f"{self._name}: the chat template cannot be used: {reason}; take another prompt style."
        ) from error


def load_chat_template(model: ExportedModel) -> ChatTemplate:
    """Open the template that was exported with a model.

    Raises:
        DataRefused: there is none, it is not the one in the card, or it cannot be used.
    """
    chat, path = model.card.chat, model.folder / CHAT_NAME
    if chat is None:
        raise DataRefused(
            f"{model.folder} has no chat template, because its tokenizer has none; choose"
            " another prompt style than chat."
        )
    if not path.is_file() or sha256_of_file(path) != chat.sha256:
        raise DataRefused(
            f"{path} is not the file that model.json describes; write the folder again with"
            " `evenhand export`."
        )
    return ChatTemplate(path.read_bytes().decode(), chat.special_tokens, name=str(path))


def _short(error: Exception) -> str:
    """Return an error's message on one line, with the line of a syntax error."""
    line = f" (line {error.lineno})" if isinstance(error, jinja2.TemplateSyntaxError) else ""
    text = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
    return f"{text}{line}"
