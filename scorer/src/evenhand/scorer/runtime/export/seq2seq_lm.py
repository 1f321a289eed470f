"""Encoder-decoder models: the log-probability of each token of an option after its prompt.

One graph does both halves: each prompt goes through the encoder once, and the options of all
prompts through the decoder together, each beside the states of its own prompt. Of the logits only
those of the option's tokens leave the graph.
"""

from typing import Any

import numpy as np
import torch
from transformers import AutoModelForSeq2SeqLM
from transformers.modeling_outputs import BaseModelOutput

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.export.encoder import example, probes
from evenhand.scorer.runtime.export.source import Source
from evenhand.scorer.runtime.export.tasks import Axes, Pairs
from evenhand.scorer.runtime.probe import Arrays, Vocabulary
from evenhand.scorer.runtime.session import Session

LOADER = AutoModelForSeq2SeqLM
_ENCODER = ["input_ids", "attention_mask"]
_DECODER = ["decoder_input_ids", "labels"]
_OPTION_LENGTHS = (3, 1, 6)
"""Lengths of the options that a probe has for each prompt."""


class _OptionLogs(torch.nn.Module):  # type: ignore[misc]
    """The log-probabilities of options' tokens."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        decoder_input_ids: torch.Tensor,
        labels: torch.Tensor,
        prompt_of: torch.Tensor,
    ) -> torch.Tensor:
        """Return the log-probability of each label, [options, longest].

        Args:
            input_ids: the prompts, [prompts, length].
            attention_mask: 1 where a prompt has a token, [prompts, length].
            decoder_input_ids: the token before each label, [options, longest].
            labels: the options' tokens, [options, longest].
            prompt_of: the prompt of each option, [options].
        """
        encoder = self.model.get_encoder()
        states = encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        logits = self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=states[prompt_of]),
            attention_mask=attention_mask[prompt_of],
            decoder_input_ids=decoder_input_ids,
            use_cache=False,
        ).logits
        label_logits: torch.Tensor = logits.gather(2, labels.unsqueeze(2)).squeeze(2)
        return label_logits - logits.logsumexp(dim=2)


def refuse_unfit(source: Source) -> None:
    """Refuse a model that does not say what its decoder begins with."""
    if getattr(source.model.config, "decoder_start_token_id", None) is None:
        raise DataRefused(
            f"The config of {source.name} has no decoder_start_token_id; seq2seq-lm needs it."
        )


def input_names(_model: Any) -> list[str]:
    """Return the inputs of both halves, and the prompt of each option."""
    return [*_ENCODER, *_DECODER, "prompt_of"]


def output_names(_model: Any) -> list[str]:
    """Return the one output, [options, longest]."""
    return ["label_log_probabilities"]


def build_graph(model: Any) -> torch.nn.Module:
    """Return the module of both halves."""
    return _OptionLogs(model)


def example_inputs(model: Any) -> Arrays:
    """Return two prompts and options for them."""
    return example(_ENCODER) | _options(2, Vocabulary(5, None, None, None), _start(model))


def dynamic_axes(_model: Any) -> Axes:
    """Return the axes of prompts and options, and of their lengths."""
    prompts, options = {0: "prompts", 1: "length"}, {0: "options", 1: "longest"}
    return (
        dict.fromkeys(_ENCODER, prompts)
        | dict.fromkeys([*_DECODER, "label_log_probabilities"], options)
        | {"prompt_of": {0: "options"}}
    )


def compare_outputs(source: Source, session: Session, lengths: list[int]) -> Pairs:
    """Yield the log-probabilities of real tokens; torch runs each option with its own prompt."""
    start = _start(source.model)
    for prompts in probes(lengths, _ENCODER, source.vocabulary):
        arrays = prompts | _options(len(prompts["input_ids"]), source.vocabulary, start)
        (onnx_logs,) = session.run(arrays)
        for option, prompt in enumerate(arrays["prompt_of"]):
            n = _OPTION_LENGTHS[option % len(_OPTION_LENGTHS)]
            logits = source.model(
                **{name: torch.from_numpy(a[prompt : prompt + 1]) for name, a in prompts.items()},
                decoder_input_ids=torch.from_numpy(
                    arrays["decoder_input_ids"][option : option + 1]
                ),
            ).logits[0]
            labels = torch.from_numpy(arrays["labels"][option])
            torch_logs = logits.log_softmax(dim=1).gather(1, labels[:, None]).squeeze(1)
            yield onnx_logs[option, :n], torch_logs[:n].numpy()


def _start(model: Any) -> int:
    return int(model.config.decoder_start_token_id)


def _options(n_prompts: int, vocabulary: Vocabulary, start: int) -> Arrays:
    """Return options of random tokens for each prompt; what follows their ends does not count."""
    width = max(_OPTION_LENGTHS)
    n = n_prompts * len(_OPTION_LENGTHS)
    labels = np.random.default_rng(0).integers(0, vocabulary.size, (n, width))
    before = np.concatenate([np.full((n, 1), start), labels[:, :-1]], axis=1)
    prompt_of = np.repeat(np.arange(n_prompts), len(_OPTION_LENGTHS))
    return {"decoder_input_ids": before, "labels": labels, "prompt_of": prompt_of}
