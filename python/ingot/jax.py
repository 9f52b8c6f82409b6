"""Figures of cases as functions of JAX, with gradients: import ingot.jax."""
from __future__ import annotations

from typing import Any, Mapping

try:
    import jax as _jax
    import jax.numpy as _jnp
except ImportError:
    raise ImportError("ingot.jax needs JAX: install it (docs.jax.dev)") from None

import numpy as _np

from . import value_and_grad as _value_and_grad
from .case import CaseLike

__all__ = ["figure"]


def figure(case: CaseLike, figure: str, values: Mapping[str, Any], **options: Any) -> Any:
    """A figure of a case as a number of JAX that derivatives flow through, by `jax.grad`, `jax.vjp`,
    `jax.jvp` and `jax.linearize`, inside of `jax.jit` and `jax.vmap` too (one run after the other).

    figure: as for `ingot.value_and_grad`. values: {key: array}, numbers in SI units, single numbers
    or "beams[0].powers", an array with the power of each piece of the path. options: as for
    `ingot.value_and_grad`. The case is run once forward where the value is asked for, and once
    forward and backward where derivatives are; derivatives of derivatives there are none. Numbers
    are of JAX's default precision: `jax.config.update("jax_enable_x64", True)` for double.
    """
    keys = tuple(values)

    def computed(wanted: tuple[str, ...], *arrays: Any) -> tuple[Any, ...]:
        chosen = {**(options.get("set") or {}),
                  **{key: _np.asarray(a, dtype=_np.float64).tolist() for key, a in zip(keys, arrays)}}
        value, slope = _value_and_grad(case, figure, list(wanted), **{**options, "set": chosen})
        kind = _jnp.result_type(float)
        return (_np.asarray(value, dtype=kind),
                *(_np.asarray(slope[key], dtype=a.dtype).reshape(a.shape)
                  for key, a in zip(keys, arrays) if key in wanted))

    def run(wanted: tuple[str, ...], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        shapes = (_jax.ShapeDtypeStruct((), _jnp.result_type(float)),
                  *(_jax.ShapeDtypeStruct(a.shape, a.dtype) for key, a in zip(keys, arrays) if key in wanted))
        result: tuple[Any, ...] = _jax.pure_callback(
            lambda *a: computed(wanted, *a), shapes, *arrays, vmap_method="sequential")
        return result

    @_jax.custom_jvp
    def value_of(*arrays: Any) -> Any:
        return run((), arrays)[0]

    @value_of.defjvp
    def tangent_of(arrays: tuple[Any, ...], moves: tuple[Any, ...]) -> tuple[Any, Any]:
        value, *slopes = run(keys, arrays)
        return value, sum(_jnp.sum(s * m) for s, m in zip(slopes, moves)).astype(value.dtype)

    return value_of(*(_jnp.asarray(values[key], dtype=_jnp.result_type(float)) for key in keys))
