"""Figures of cases as functions of PyTorch, with gradients: import ingot.torch."""
from __future__ import annotations

from typing import Any, Mapping

try:
    import torch as _torch
except ImportError:
    raise ImportError("ingot.torch needs PyTorch: install it (Debian: python3-torch)") from None

from . import value_and_grad as _value_and_grad
from .case import CaseLike

__all__ = ["figure"]


class _Figure(_torch.autograd.Function):
    """The gradient is computed with the value: backward only multiplies."""

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        case, name, keys, options, *values = args
        number = {key: value.detach().cpu().to(_torch.float64).numpy() for key, value in zip(keys, values)}
        wanted = [key for key, value in zip(keys, values) if value.requires_grad]
        options = {**options, "set": {**(options.get("set") or {}),
                                      **{key: v.tolist() for key, v in number.items()}}}
        value, slope = _value_and_grad(case, name, wanted, **options)
        ctx.slopes = [_torch.as_tensor(slope[key], dtype=v.dtype, device=v.device).reshape(v.shape)
                      if key in slope else None for key, v in zip(keys, values)]
        return _torch.tensor(value, dtype=_torch.float64)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        bar, = grad_outputs
        return (None, None, None, None,
                *(None if s is None else bar.to(s.device).to(s.dtype) * s for s in ctx.slopes))


def figure(case: CaseLike, figure: str, values: Mapping[str, Any], **options: Any) -> Any:
    """A figure of a case as a tensor that gradients flow through: `figure(…).backward()`.

    figure: as for `ingot.value_and_grad`. values: {key: tensor}, numbers in SI units, single numbers
    or "beams[0].powers", a tensor with the power of each piece of the path. options: as for
    `ingot.value_and_grad`. The case is run once forward and once backward when the value is asked
    for; derivatives of derivatives there are none.
    """
    keys = tuple(values)
    tensors = [_torch.as_tensor(values[key], dtype=None if isinstance(values[key], _torch.Tensor)
                                else _torch.float64) for key in keys]
    return _Figure.apply(case, figure, keys, options, *tensors)
