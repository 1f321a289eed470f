"""Causal LMs: log-probabilities of wanted tokens after any prefix, prefixes shared as a tree.

A row of the batch holds the nodes of a tree (or of several) in any order in which no node stands
before its parent; ``attention_mask`` says which tokens each one sees, and ``position_ids`` how deep
it lies. So a prefix that many texts share is run once, without a copy of its keys and values.
Prefixes that are too long for that come as ``past``, the ``present`` of an earlier run.

The head over the vocabulary runs at the positions that are read, and of what it gives only the
wanted log-probabilities need leave the graph.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModelForCausalLM, DynamicCache

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.export.source import Source
from evenhand.scorer.runtime.export.tasks import Axes, Logits, Pairs
from evenhand.scorer.runtime.probe import PROBE_SEED
from evenhand.scorer.runtime.session import Session

LOADER = AutoModelForCausalLM

_UNSEEN = -1e4
"""Added to the score of what a token may not see: far below any score, and within fp16."""
_SUMMANDS = 256
"""Of a sum, so that rounding stays small."""
_FAR = 300
"""Tokens between a prefix and its second continuation: more than local attention looks back."""
_READING = ("read", "wanted_rows", "wanted_tokens")
_INPUTS = {
    "input_ids": {0: "batch", 1: "length"},
    "position_ids": {0: "batch", 1: "length"},
    "attention_mask": {0: "batch", 1: "length", 2: "past_and_length"},
    "past": {2: "past_batch", 4: "past"},
    "kept": {0: "n_kept"},
    "read": {0: "n_read"},
    "wanted_rows": {0: "n_wanted"},
    "wanted_tokens": {0: "n_wanted"},
}
_OUTPUTS = {
    "log_probabilities": {0: "n_wanted"},
    "logits": {0: "n_read"},
    "present": {2: "batch", 4: "n_kept"},
}


class _TreeLogits(torch.nn.Module):  # type: ignore[misc]
    """Next-token logits at some positions of packed trees."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(  # noqa: PLR0917 - the exporter hands inputs over by place
        self,
        input_ids: torch.Tensor,
        position_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        past: torch.Tensor,
        kept: torch.Tensor,
        read: torch.Tensor,
        wanted_rows: torch.Tensor,
        wanted_tokens: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return what :data:`_OUTPUTS` names.

        Args:
            input_ids: int64 [batch, length].
            position_ids: int64 [batch, length].
            attention_mask: bool [batch, length, past + length].
            past: float32 [layers, 2, batch or 1, heads, past, width]; ``past`` may be 0.
            kept: int64, the columns whose keys and values come out as ``present``.
            read: int64, the positions that are read, row * length + column.
            wanted_rows: int64, for each wanted token its place in ``read``.
            wanted_tokens: int64.
        """
        batch = input_ids.shape[0]
        cache = _to_cache(past.expand(-1, -1, batch, -1, -1, -1))
        seen = attention_mask.unsqueeze(1).to(past.dtype)

        def keep_read(_module: Any, _inputs: Any, output: Any) -> Any:
            hidden = output.last_hidden_state
            output.last_hidden_state = hidden.flatten(0, 1).index_select(0, read).unsqueeze(0)
            return output

        hook = self.model.base_model.register_forward_hook(keep_read)
        try:
            outputs = self.model(
                input_ids=input_ids,
                position_ids=position_ids,
                attention_mask=(1.0 - seen) * _UNSEEN,
                past_key_values=cache,
                use_cache=True,
            )
        finally:
            hook.remove()
        logits = outputs.logits.squeeze(0)
        wanted = logits.flatten().index_select(0, wanted_rows * logits.shape[1] + wanted_tokens)
        log_sum = _log_sum_exp(logits)
        present = _present(outputs.past_key_values, past.shape[4] + kept)
        return wanted - log_sum.index_select(0, wanted_rows), logits, present


def _log_sum_exp(logits: torch.Tensor) -> torch.Tensor:
    """Return log sum exp of each row to the last digit or two of fp32.

    One sum over a whole vocabulary, as onnxruntime's ReduceLogSumExp and torch's log_softmax take
    it, is off by up to 1e-4 and 2e-5: each term is too small beside the running sum.
    """
    top = logits.amax(dim=1, keepdim=True)
    powers = (logits - top).exp()
    n_words = int(powers.shape[1])
    n_summed = min(_SUMMANDS, n_words)
    whole = n_words // n_summed * n_summed
    parts = powers[:, :whole].reshape(-1, whole // n_summed, n_summed).sum(dim=2)
    total = parts.sum(dim=1) + powers[:, whole:].sum(dim=1)
    return total.log() + top.squeeze(1)


def _to_cache(past: torch.Tensor) -> DynamicCache:
    return DynamicCache([(layer[0], layer[1]) for layer in past.unbind(0)])


def _present(cache: DynamicCache, columns: torch.Tensor) -> torch.Tensor:
    """Return keys and values of some columns, [layers, 2, batch, heads, columns, width]."""
    return torch.stack(
        [
            torch.stack([part.index_select(2, columns) for part in (layer.keys, layer.values)])
            for layer in cache.layers
        ]
    )


def refuse_unfit(source: Source) -> None:
    """Refuse a model whose layers keep keys and values of several sizes."""
    if len(_cache_shapes(source.model)) != 1:
        raise DataRefused(
            f"The layers of {source.name} keep keys and values of several sizes; causal-lm exports"
            " models of one size."
        )


def input_names(_model: Any) -> list[str]:
    """Return the names of :data:`_INPUTS`."""
    return list(_INPUTS)


def output_names(_model: Any) -> list[str]:
    """Return the names of :data:`_OUTPUTS`."""
    return list(_OUTPUTS)


def build_graph(model: Any) -> torch.nn.Module:
    """Return the module that reads packed trees."""
    return _TreeLogits(model)


def example_inputs(model: Any) -> dict[str, NDArray[Any]]:
    """Return two rows of three tokens after two that they share."""
    (shape,) = _cache_shapes(model)
    heads, width = shape
    past = np.zeros((model.config.num_hidden_layers, 2, 1, heads, 2, width), dtype=np.float32)
    tree = _Tree(np.array([1, 2, 3]), [-1, 0, 0])
    return _inputs([tree, tree], past, kept=2) | {
        "read": np.array([0, 1, 4]),
        "wanted_rows": np.array([0, 0, 1, 2]),
        "wanted_tokens": np.array([1, 2, 3, 1]),
    }


def dynamic_axes(_model: Any) -> Axes:
    """Return the axes in :data:`_INPUTS` and :data:`_OUTPUTS`."""
    return _INPUTS | _OUTPUTS


def _cache_shapes(model: Any) -> set[tuple[int, int]]:
    """Return heads and width of the keys and values of all layers, measured on one token."""
    output = model(input_ids=torch.zeros(1, 1, dtype=torch.long), use_cache=True)
    parts = [part for layer in output.past_key_values.layers for part in (layer.keys, layer.values)]
    return {(part.shape[1], part.shape[3]) for part in parts}


class _Tree(NamedTuple):
    """The tokens of a row and the place of each one's parent in it, -1 for none."""

    tokens: NDArray[np.int64]
    parents: list[int]

    def path(self, place: int) -> list[int]:
        """Return the places from a root to a token."""
        places = [place]
        while (parent := self.parents[places[-1]]) >= 0:
            places.append(parent)
        return places[::-1]

    def paths(self) -> list[list[int]]:
        """Return the paths to all leaves."""
        return [self.path(i) for i in range(len(self.tokens)) if i not in self.parents]


def compare_outputs(source: Source, session: Session, lengths: list[int]) -> Pairs:
    """Yield logits and log-probabilities of every token, for texts alone and packed.

    Torch runs each text by itself and whole. Beside texts in batches there are a prefix with
    two continuations, the second of which lies far from its prefix, and texts after a past
    that they share.
    """
    random = np.random.default_rng(PROBE_SEED)
    words = source.vocabulary.size
    (shape,) = _cache_shapes(source.model)
    layers = int(session.input_shape("past")[0])
    nothing = np.zeros((layers, 2, 1, shape[0], 0, shape[1]), dtype=np.float32)

    def tree(beginning: int, *branches: int) -> _Tree:
        parents = [place - 1 for place in range(beginning)]
        for branch in branches:
            first = len(parents)
            parents += [beginning - 1, *range(first, first + branch - 1)]
        return _Tree(random.integers(0, words, len(parents)), parents)

    probe = _Probe(source.model, session, random)
    for batch in [[length] for length in lengths] + [lengths]:
        yield from probe.pairs([tree(length) for length in batch], nothing)
    half = max(1, lengths[-1] // 2)
    far = min(_FAR, source.max_length - half)
    if far > 0:
        yield from probe.pairs([tree(half, far, 1), tree(1)], nothing)
    past = tree(half)
    present = probe.present(past, nothing)
    rest = max(1, (lengths[-1] - half) // 2)
    yield from probe.pairs([tree(rest), tree(1, rest, 1)], present, behind=past.tokens)


class _Probe(NamedTuple):
    """Runs trees through the file, and their texts through torch."""

    model: Any
    session: Session
    random: np.random.Generator

    def present(self, tree: _Tree, past: Logits) -> Logits:
        """Return the keys and values of a tree, from the file."""
        none = {name: np.zeros(0, dtype=np.int64) for name in _READING}
        inputs = _inputs([tree], past, kept=len(tree.tokens)) | none
        (present,) = self.session.run(inputs, ["present"])
        return present

    def pairs(self, trees: list[_Tree], past: Logits, behind: Any = ()) -> Pairs:
        """Yield the outputs of the file and of torch for all paths of some trees."""
        inputs = _inputs(trees, past, kept=0)
        n_rows, length = inputs["input_ids"].shape
        inputs["read"] = inputs["wanted_rows"] = np.arange(n_rows * length)
        tokens = self.random.integers(0, self.model.config.vocab_size, n_rows * length)
        inputs["wanted_tokens"] = tokens
        logs, logits = self.session.run(inputs, ["log_probabilities", "logits"])
        before = np.array(behind, dtype=np.int64)
        for number, tree in enumerate(trees):
            for path in tree.paths():
                text = torch.from_numpy(np.concatenate([before, tree.tokens[path]])[None])
                torch_logits = self.model(input_ids=text).logits[0, len(before) :]
                rows = number * length + np.array(path)
                yield logits[rows], torch_logits.numpy()
                wanted = torch.from_numpy(tokens[rows])[:, None]
                yield logs[rows], torch_logits.log_softmax(1).gather(1, wanted)[:, 0].numpy()


def _inputs(trees: list[_Tree], past: Logits, *, kept: int) -> dict[str, NDArray[Any]]:
    """Return all inputs but those of :data:`_READING`."""
    length, n_past = max(len(tree.tokens) for tree in trees), past.shape[4]
    shape = (len(trees), length)
    ids, depths = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    seen = np.zeros((*shape, n_past + length), dtype=np.bool_)
    for number, tree in enumerate(trees):
        ids[number, : len(tree.tokens)] = tree.tokens
        seen[number, : len(tree.tokens), :n_past] = True
        for place in range(len(tree.tokens)):
            path = tree.path(place)
            depths[number, place] = n_past + len(path) - 1
            seen[number, place, np.array(path) + n_past] = True
    return {
        "input_ids": ids,
        "position_ids": depths,
        "attention_mask": seen,
        "past": past,
        "kept": np.arange(kept),
    }
