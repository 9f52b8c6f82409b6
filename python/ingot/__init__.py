"""Ingot from Python: run cases, drive simulations, read results. See docs/reference/python.md."""
from __future__ import annotations

try:
    import numpy as _numpy
except ImportError:
    raise ImportError("ingot needs NumPy: install it (Debian: python3-numpy)") from None
try:
    from . import _ingot  # noqa: F401
except ImportError as _error:
    if _error.name == "_cffi_backend":
        raise ImportError("ingot needs CFFI: install it (Debian: python3-cffi-backend)") from None
    raise ImportError(f"ingot's compiled part does not load ({_error}): build it with CMake where "
                      "python3-cffi and python3-dev are installed, then PYTHONPATH=build/python") from None

import json as _json
import os as _os
from typing import Any, Callable, Mapping, Sequence

_here = _os.path.dirname(_os.path.abspath(__file__))
# of pip, of `make install`, of a build folder
for _name, _one in (("materials", "SS316L.yaml"), ("web", "three.min.js")):
    for _shared in (_name, "../../../../share/ingot/" + _name, "../../../" + _name):
        _shared = _os.path.normpath(_os.path.join(_here, _shared))
        if _os.path.isfile(_os.path.join(_shared, _one)):  # an installed tree may have been moved
            _os.environ.setdefault("INGOT_" + _name.upper(), _shared)

from ._core import Context as _Context, encode as _encode, ffi as _ffi, lib as _lib, text as _text
from .case import Case, CaseLike, flow as _flow
from .errors import (AccessError, ArgumentError, DeviceError, FileError, IngotError, InputError, Interrupted,
                     MissingFieldError, MissingFileError, NumericalError, OutOfMemoryError, StaleViewError,
                     UnsupportedError)
from .mesh import Mesh
from .progress import Bar
from .result import Result, Snapshot
from .simulation import DeviceField, Field, Simulation, State

__version__ = _text(_lib.ig_version())
build_info = _text(_lib.ig_build_info())
__all__ = ["run", "check", "calibrate", "value_and_grad", "optimise", "devices", "Case", "Simulation", "Field", "DeviceField", "State", "Mesh",
           "Result", "Snapshot", "Bar", "IngotError", "InputError", "ArgumentError", "OutOfMemoryError", "FileError",
           "MissingFileError", "AccessError", "MissingFieldError", "DeviceError", "NumericalError", "UnsupportedError", "Interrupted", "StaleViewError"]


def run(case: CaseLike, out: str | _os.PathLike[str] | None = None, *, set: Mapping[str, Any] | None = None,
        restart: str | _os.PathLike[str] | None = None, resume: bool = False, force: bool = False,
        progress: bool | Callable[[float, float, str, str | None], object] | None = None,
        **options: Any) -> Result:
    """Runs a case (a path, a dict or a Case) to its end, as `ingot run` does; returns its Result.

    out: the folder to write; without it nothing is written and the Result holds figures only.
    set: keys to change, {"duration": 2.0, "beams[0].raster.power": "200 W"}.
    progress: True for a bar (in a notebook too), or a function of (done, total, unit, note).
    backend, threads, device, comm: as for Case. A chain needs `out`.
    Ctrl-C writes a checkpoint into `out` and raises KeyboardInterrupt.
    """
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress: True or a function is needed, not {type(progress).__name__}")
    if resume and out is None:
        raise ValueError("resume: there is nothing to go on from without `out`, the folder of the run")
    case = Case._of(case, set, options)
    context = case.context
    figures: list[tuple[str, Any, str]] = []
    handle = _ffi.new_handle(figures)
    names = _encode(out), _encode(restart)
    bar = Bar() if progress is True else None
    context.progress = bar or (progress if callable(progress) else None)
    try:
        if case.is_chain:
            context.call(_lib.ig_chain_run, case.ptr,
                         _ffi.new("ig_chain_options *", {"out": names[0], "force": force}))
        else:
            context.call(_lib.ig_run_and_finish, case.ptr, _ffi.new("ig_run_options *", {
                "out": names[0], "restart": names[1], "resume": resume, "force": force,
                "figure": _lib.py_figure, "user": handle}))
    finally:
        context.progress = None
        if bar:
            bar.close()
    if out is not None:
        context.meet()  # the first rank has written all
        return Result(out)
    return Result(figures={k: v for k, v, u in figures}, units={k: u for k, v, u in figures})


def check(case: CaseLike, *, set: Mapping[str, Any] | None = None, **options: Any) -> list[tuple[str, str]]:
    """Validates a case and runs nothing; a list of (label, value)."""
    return Case._of(case, set, options).check()


def calibrate(file: str, out: str, *, set: Mapping[str, Any] | None = None, resume: bool = False, jobs: int = 0,
              threads: int = 0, backend: str | None = None) -> dict[str, Any]:
    """Fits keys to measured figures, as `ingot calibrate` does; returns what calibration.json says.

    file: a calibration file, docs/how-to/calibrate.md. set: keys to change in every run.
    resume: runs of an earlier calibration in `out` are not run again. jobs: runs at a time.
    Ctrl-C keeps the best values so far in `out` and raises KeyboardInterrupt.
    """
    context = _Context()
    folder = _encode(out)
    texts = [_encode(f"{key}={_flow(value)}") for key, value in (set or {}).items()]
    sets = _ffi.new("char *[]", texts) if texts else _ffi.NULL
    on = _encode(backend)
    options = _ffi.new("ig_calibrate_options *", {
        "out": folder, "set": _ffi.cast("const char *const *", sets), "sets": len(texts),
        "resume": resume, "backend": on, "threads": threads, "jobs": jobs})
    context.call_apart(_lib.ig_calibrate, context.ptr, _encode(file), options)
    with open(_os.path.join(out, "calibration.json"), encoding="utf-8") as f:
        return _json.load(f)


def value_and_grad(case: CaseLike, figure: str, wrt: Sequence[str], *, set: Mapping[str, Any] | None = None,
                   **options: Any) -> tuple[float, dict[str, Any]]:
    """The value of a figure and its derivatives by numbers of the case: (value, {key: derivative}).

    figure: of thermal a probe at the end ("NAME") or at a time ("NAME@0.5 s"), "mean(NAME)",
    "max(NAME)", "variance(NAME, VALUE)" or "misfit(FILE.csv)"; of dynamics the same of probes and
    of "energy(SET)", "displacement(SET, x)", …; of structure "displacement(SET, x)", "compliance"
    and others; of topopt "objective", "volume" or "constraint_1" (docs/how-to/gradients.md). wrt:
    keys, "boundary[0].convection"; of tables "materials[0].conductivity[2][1]";
    "beams[0].powers", "initial_temperatures", "initial_velocities", "thicknesses" and "design"
    give arrays. Derivatives are by numbers in SI units.
    One run forward and one backward, on a CPU, whatever the number of keys. `ingot.torch.figure` and
    `ingot.jax.figure` are the same as functions of PyTorch and JAX.
    """
    case = Case._of(case, set, {"backend": "cpu", **options})
    keys = [_encode(key) for key in ([wrt] if isinstance(wrt, str) else wrt)]
    slot = _ffi.new("ig_gradient **")
    names = _ffi.new("char *[]", keys) if keys else _ffi.NULL  # a cast alone would not keep it
    case.context.call_apart(_lib.ig_case_gradient, case.ptr, _encode(figure),
                            _ffi.cast("const char *const *", names), len(keys), _ffi.NULL, slot)
    found = slot[0]
    try:
        rows = [found.row[i] for i in range(found.rows)]
        return found.value, {_text(r.key): r.derivative[0] if r.count == 1 else
                             _numpy.array(_ffi.unpack(r.derivative, r.count)) for r in rows}
    finally:
        _lib.ig_gradient_free(found)


def optimise(case: CaseLike, figure: str, wrt: Sequence[str], *,
             bounds: Mapping[str, tuple[Any, Any]] | None = None, maximise: bool = False, iterations: int = 50,
             tolerance: float = 1e-3, set: Mapping[str, Any] | None = None,
             **options: Any) -> tuple[Case, dict[str, Any]]:
    """The case with values of its keys for which a figure is least, and how the search went.

    figure, wrt: as for `value_and_grad`. bounds: {key: (low, high)}, numbers in SI units or texts with
    a unit; None: none. Powers of a path need a lower bound above 0. Returns the case with its new
    values and a dict: value, start, unit, gradient, iterations, gradients, converged, reason.
    """
    case = Case._of(case, set, {"backend": "cpu", **options})
    wrt = [wrt] if isinstance(wrt, str) else wrt
    stray = next((key for key in bounds or {} if key not in wrt), None)
    if stray is not None:
        raise ValueError(f"bounds: {stray!r} is none of the keys that are varied: {', '.join(wrt)}")
    ends = [(bounds or {}).get(key, (None, None)) for key in wrt]
    keep = [_encode(key) for key in wrt]
    names = _ffi.new("char *[]", keep)
    texts = [[_ffi.NULL if end[i] is None else _encode(str(end[i])) for end in ends] for i in (0, 1)]
    low, high = (_ffi.new("char *[]", side) for side in texts)
    wish = _ffi.new("ig_optimise_options *", {"low": _ffi.cast("const char *const *", low),
                                              "high": _ffi.cast("const char *const *", high),
                                              "maximise": maximise, "iterations": iterations,
                                              "tolerance": tolerance})
    end = _ffi.new("ig_optimum *")
    case.context.call_apart(_lib.ig_case_optimise, case.ptr, _encode(figure),
                            _ffi.cast("const char *const *", names), len(keep), wish, end)
    return case, {"value": end.value, "start": end.start, "unit": _text(end.unit), "gradient": end.gradient,
                  "iterations": end.iterations, "gradients": end.gradients, "converged": end.converged,
                  "reason": _text(end.reason)}


def devices() -> list[dict[str, Any]]:
    """The backends there are, with what each can do: a list of dicts."""
    rows = _ffi.new("ig_device_info[16]")
    found = []
    for i in range(min(16, _lib.ig_devices(rows, 16))):
        r = rows[i]
        found.append({"backend": _text(r.backend), "name": _text(r.name),
                      "available": bool(r.available), "why_not": _text(r.why_not),
                      "units": r.units, "memory": r.memory, "copy_bytes_per_s": r.copy_bytes_per_s})
    return found
