"""Opens an ONNX model on a device, and never silently on another one."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.contract.errors import DataRefused, WrongUse
from evenhand.contract.files import sha256_of_file
from evenhand.scorer.runtime.model_card import (
    MODEL_NAME,
    TOKENIZER_NAME,
    ModelCard,
    read_model_card,
)

_DEVICE = re.compile(r"cpu|auto|cuda(?::(\d+))?")
_CPU = "CPUExecutionProvider"
_CUDA = "CUDAExecutionProvider"


@dataclass(frozen=True)
class Session:
    """A model that runs on the device it was asked for."""

    inference: Any
    device: str
    """``cpu`` or ``cuda:N``."""

    def run(
        self, inputs: Mapping[str, NDArray[Any]], outputs: Sequence[str] | None = None
    ) -> list[NDArray[np.float32]]:
        """Run one batch; arrays go in and come out on the CPU.

        Args:
            inputs: arrays by name, ``input_ids`` among them.
            outputs: the names of the wanted outputs, in order; None for all.

        Raises:
            DataRefused: onnxruntime failed, most often for lack of memory.
        """
        try:
            if self.device == "cpu":
                return list(self.inference.run(outputs, dict(inputs)))
            return self._run_bound(inputs, outputs)
        except Exception as error:  # onnxruntime's errors have no class of their own in common
            rows, length = inputs["input_ids"].shape
            raise DataRefused(
                f"onnxruntime failed on {rows} rows of {length} tokens on {self.device}"
                f" ({_short(error)}); a smaller --batch-tokens takes less memory."
            ) from error

    def input_shape(self, name: str) -> tuple[Any, ...]:
        """Return the shape of an input; an axis of any size is a text."""
        shapes = {one.name: tuple(one.shape) for one in self.inference.get_inputs()}
        return shapes[name]

    def _run_bound(
        self, inputs: Mapping[str, NDArray[Any]], outputs: Sequence[str] | None
    ) -> list[NDArray[np.float32]]:
        """Bind the outputs to the GPU, so that only finished logits cross the bus, and once."""
        binding = self.inference.io_binding()
        for name, array in inputs.items():
            binding.bind_cpu_input(name, array)
        index = int(self.device.partition(":")[2])
        for name in outputs or [output.name for output in self.inference.get_outputs()]:
            binding.bind_output(name, "cuda", index)
        self.inference.run_with_iobinding(binding)
        return list(binding.copy_outputs_to_cpu())


def open_session(path: Path, *, device: str, threads: int = 0) -> Session:
    """Open ``model.onnx``.

    Args:
        path: the file.
        device: ``cpu``, ``cuda``, ``cuda:N`` or ``auto`` (CUDA where it loads, else the CPU).
        threads: of one operation; 0 leaves the choice to onnxruntime.

    Raises:
        WrongUse: the device is unknown, or both builds of onnxruntime are installed.
        DataRefused: CUDA was asked for and did not load, or the file is no model.
    """
    match = _DEVICE.fullmatch(device)
    if match is None:
        raise WrongUse(f"--device {device} is not one of cpu, cuda, cuda:N, auto.")
    _refuse_two_builds()
    index = int(match[1] or 0)
    if device == "cpu":
        return Session(_open(path, [_CPU], threads), "cpu")
    inference, reason = _try_cuda(path, index, threads)
    if device == "auto":
        taken = f"cuda:{index}" if inference is not None else f"cpu ({reason})"
        print(f"--device auto takes {taken}", file=sys.stderr)
    if inference is not None:
        return Session(inference, f"cuda:{index}")
    if device == "auto":
        return Session(_open(path, [_CPU], threads), "cpu")
    raise DataRefused(
        f"--device {device}: {reason}. Install the extra `gpu` in place of `cpu` on a machine with"
        " an NVIDIA driver, or take --device cpu."
    )


def _try_cuda(path: Path, index: int, threads: int) -> tuple[Any | None, str]:
    """Open on CUDA, or say why not; onnxruntime alone would silently fall back to the CPU."""
    import onnxruntime

    if _CUDA not in onnxruntime.get_available_providers():
        return None, "this build of onnxruntime has no CUDA"
    try:
        # CUDA and cuDNN that came as Python packages are found only when they are loaded first.
        onnxruntime.preload_dlls()
        # TF32 would cost half of the digits of fp32.
        options = {"device_id": str(index), "use_tf32": "0"}
        inference = _open(path, [(_CUDA, options)], threads)
    except DataRefused as error:
        return None, f"CUDA did not start ({error})"
    if inference.get_providers()[0] != _CUDA:
        return None, "the CUDA libraries or the GPU could not be loaded"
    return inference, ""


def _open(path: Path, providers: list[Any], threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.use_deterministic_compute = True
    # Its warnings are about its optimisations; failures are raised.
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=providers)
    except Exception as error:
        raise DataRefused(f"{path} cannot be opened by onnxruntime: {_short(error)}.") from error


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


def _refuse_two_builds() -> None:
    if _is_installed("onnxruntime") and _is_installed("onnxruntime-gpu"):
        raise WrongUse(
            "Both onnxruntime and onnxruntime-gpu are installed, and they overwrite each other's"
            " files: pip uninstall both, then install the one extra, `cpu` or `gpu`."
        )


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class ExportedModel:
    """An exported folder that was opened: its card, its tokenizer and its session."""

    folder: Path
    card: ModelCard
    tokenizer: Any
    session: Session


def open_model(folder: Path, *, device: str, threads: int = 0) -> ExportedModel:
    """Open a folder written by ``evenhand export``; every file is checked against its card.

    Raises:
        DataRefused: a file is missing, was changed, or cannot be read.
    """
    card = read_model_card(folder)
    for name, expected in (
        (MODEL_NAME, card.model_sha256),
        (TOKENIZER_NAME, card.tokenizer_sha256),
    ):
        path = folder / name
        if not path.is_file():
            raise DataRefused(f"{path} is missing; write the folder again with `evenhand export`.")
        if sha256_of_file(path) != expected:
            raise DataRefused(
                f"{path} is not the file that model.json describes (its sha256 differs);"
                " write the folder again with `evenhand export`."
            )
    session = open_session(folder / MODEL_NAME, device=device, threads=threads)
    return ExportedModel(folder, card, _tokenizer(folder / TOKENIZER_NAME), session)


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        raise DataRefused(f"{path} is not a tokenizer: {_short(error)}.") from error
