"""Turns an exported fp32 file into fp16 or int8, with onnxruntime's own tools."""

from pathlib import Path

from evenhand.contract.errors import DataRefused
from evenhand.scorer.runtime.model_card import Precision


def to_precision(path: Path, precision: Precision) -> None:
    """Rewrite ``model.onnx`` in the given precision.

    int8 is dynamic quantisation of the weights. fp16 keeps inputs and outputs in fp32, so that a
    softmax is always taken of fp32 logits.

    Raises:
        DataRefused: this environment cannot write that precision.
    """
    if precision == "int8":
        _to_int8(path)
    if precision == "fp16":
        _to_fp16(path)


def _to_int8(path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    small = path.with_suffix(".int8")
    quantize_dynamic(path, small, weight_type=QuantType.QInt8)
    small.replace(path)


def _to_fp16(path: Path) -> None:
    try:
        import onnx
        from onnxruntime.transformers.float16 import convert_float_to_float16
    except ImportError as error:
        raise DataRefused(
            f"fp16 needs the package {error.name}, which is not installed: pip install"
            " 'evenhand-scorer[export]'."
        ) from error
    model = convert_float_to_float16(onnx.load(path), keep_io_types=True)
    onnx.save(model, path)
