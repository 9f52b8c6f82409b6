"""Cases: what a case file says, from a file or from Python."""
from __future__ import annotations

import math
import numbers
import os
from typing import Any, Dict, Mapping, Union

import numpy as np

from ._core import Context, encode, ffi, lib, text
from .mesh import Mesh


def flow(value: Any) -> str:
    """A value as a case file writes it, on one line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number for a case")
        return repr(float(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
        if not isinstance(value, list):
            return flow(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow, value)) + "]"
    raise TypeError(f"a case takes numbers, text, lists and dicts, not {type(value).__name__}")


# what callers give as a case
CaseLike = Union[str, "os.PathLike[str]", Dict[str, Any], "Case"]


class Case:
    """A case file, changed as you like: `case["beams[0].raster.power"] = "200 W"`.

    Numbers are in SI units; text may carry a unit. Lists, dicts and NumPy arrays are taken as they
    are. backend: "auto", "cpu", "cuda"; without it and without threads the case's own hold.
    comm: under mpirun, "world" or a communicator of mpi4py: one run on all its processes; all open
    the same case and make the same calls.
    Other keywords are keys of the case: `Case(physics="thermal", duration="2 s", mesh={…})`; so are
    those of a dict in place of the path.
    """

    def __init__(self, path: str | os.PathLike[str] | dict[str, Any] | None = None, *,
                 set: Mapping[str, Any] | None = None, backend: str | None = None, threads: int = 0,
                 device: int = 0, comm: Any = None, **keys: Any) -> None:
        if isinstance(path, dict):
            set = {**path, **(set or {})}
            path = None
        elif path is not None and not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"a case is a path or a dict, not {type(path).__name__}")
        self.context = Context(backend, threads, device, comm)
        self._options = {"backend": backend, "threads": threads, "device": device, "comm": comm}
        self.path = None if path is None else str(path)
        self._simulation: Any = None  # weak, to the one that is open
        slot = ffi.new("ig_case **")
        if path is None:
            self.context.call(lib.ig_case_new, self.context.ptr, slot)
        else:
            self.context.call(lib.ig_case_open, self.context.ptr, encode(path), slot)
        context = self.context.ptr  # outlives the case
        self.ptr = ffi.gc(slot[0], lambda c, keep=context: lib.ig_case_close(c))
        self._given: dict[str, Any] = {}
        self._assigned: list[tuple[str, Any]] = []  # (key, value) in order
        for key, value in {**keys, **(set or {})}.items():
            self[key] = value

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], **options: Any) -> Case:
        """A case of nothing but `values`; a value `mesh` may be a `Mesh`."""
        return cls(None, set=values, **options)

    @classmethod
    def _of(cls, case: CaseLike, set: Mapping[str, Any] | None, options: dict[str, Any]) -> Case:
        """What callers give as a case (a path, a dict or a Case), with keys set."""
        if not isinstance(case, Case):
            case = cls.from_dict(case, **options) if isinstance(case, dict) else cls(case, **options)
        elif options:
            raise TypeError(f"{', '.join(options)}: give these to the Case")
        for key, value in (set or {}).items():
            case[key] = value
        return case

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, Mesh):
            if key != "mesh":
                raise ValueError(f"a Mesh belongs to the key mesh, not {key}")
            self.context.call(lib.ig_case_set_mesh, self.ptr, value.ptr)
        else:
            self.context.call(lib.ig_case_set, self.ptr, encode(key), encode(flow(value)))
        self._given[key] = value
        if self._assigned and self._assigned[-1][0] == key:
            self._assigned.pop()
        self._assigned.append((key, value))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled case is opened again from its file and gets its keys again."""
        if self._options["comm"] is not None:
            raise TypeError("a Case of several processes (comm) cannot be pickled: open it where it runs")
        path = self.path and os.path.abspath(self.path)
        return _unpickled, (path, self._options, self._assigned)

    def __getitem__(self, key: str) -> str:
        """The text of a value that the case gives; KeyError where it gives none (a default
        holds), or a list or map."""
        with self.context:
            found = lib.ig_case_get(self.ptr, encode(key))
            if found == ffi.NULL:
                raise KeyError(key)
            return text(found)

    # a case cannot be searched or listed, and says so: get(key) gives a value or None, text() all
    __contains__: None = None
    __iter__: None = None

    def get(self, key: str, default: str | None = None) -> str | None:
        try:
            return self[key]
        except KeyError:
            return default

    @property
    def rank(self) -> int:
        """The number of this process among those of the run (`comm`), 0 of one."""
        return self.context.rank

    @property
    def ranks(self) -> int:
        """How many processes the run has."""
        return self.context.ranks

    @property
    def is_chain(self) -> bool:
        with self.context:
            return bool(lib.ig_case_is_chain(self.ptr))

    def text(self) -> str:
        """The case as a case file that reads to the same case again."""
        pieces: list[str] = []
        self.context.call(lib.ig_case_print, self.ptr, lib.py_text, ffi.new_handle(pieces))
        return "".join(pieces)

    def check(self) -> list[tuple[str, str]]:
        """Validates; a list of (label, value): mesh, critical step, memory. Runs nothing."""
        lines: list[tuple[str, str]] = []
        handle = ffi.new_handle(lines)
        self.context.call(lib.ig_check, self.ptr, lib.py_line, handle)
        return lines

    def mesh(self) -> Mesh:
        """The mesh the case describes. Nodes of fields are the nodes of this mesh."""
        slot = ffi.new("ig_mesh **")
        self.context.call(lib.ig_case_mesh, self.ptr, slot)
        return Mesh._own(self.context, slot[0])

    def _repr_html_(self) -> str:
        from ._html import table
        rows = [(k, v if isinstance(v, (str, Mesh)) else flow(v)) for k, v in self._given.items()]
        if self.path:
            rows.insert(0, ("file", self.path))
        return table(rows, f"{self._word('physics', '?')} {self._word('title', '')}".strip())

    def _word(self, key: str, default: str) -> str:
        """As `get`, for what is shown at any time: "…" while another thread uses the case."""
        try:
            return self.get(key, default) or default
        except RuntimeError:
            return "…"

    def __repr__(self) -> str:
        return f"<ingot.Case {self.path or 'from Python'}: {self._word('physics', '?')}>"


def _unpickled(path: str | None, options: dict[str, Any], assigned: list[tuple[str, Any]]) -> Case:
    case = Case(path, **options)
    for key, value in assigned:
        case[key] = value
    return case
