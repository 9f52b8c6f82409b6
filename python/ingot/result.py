"""What a run left in its folder."""
from __future__ import annotations

import csv
import html
import json
import math
import os
import re
import tempfile
from typing import Any, Iterator

import numpy as np


class Snapshot:
    """One snap_*.vtkhdf file. Needs h5py. points, cells, point_data, cell_data, time."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Snapshot, (os.path.abspath(self.path),)

    def _open(self) -> Any:
        try:
            import h5py
        except ImportError:
            raise ImportError("reading snapshots needs h5py (Debian: python3-h5py)") from None
        return h5py.File(self.path, "r")

    def _read(self, name: str) -> np.ndarray:
        with self._open() as f:
            return f["VTKHDF/" + name][()]

    def _data(self, group: str) -> dict[str, np.ndarray]:
        with self._open() as f:
            return {name: data[()] for name, data in f["VTKHDF/" + group].items()}

    @property
    def time(self) -> float:
        with self._open() as f:
            return float(f["VTKHDF/FieldData/TimeValue"][0])

    @property
    def points(self) -> np.ndarray:
        return self._read("Points")

    @property
    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(connectivity, offsets, VTK cell types)."""
        return self._read("Connectivity"), self._read("Offsets"), self._read("Types")

    @property
    def point_data(self) -> dict[str, np.ndarray]:
        return self._data("PointData")

    @property
    def cell_data(self) -> dict[str, np.ndarray]:
        return self._data("CellData")

    def __getitem__(self, name: str) -> np.ndarray:
        with self._open() as f:
            for group in ("PointData", "CellData"):
                if name in f["VTKHDF/" + group]:
                    return f[f"VTKHDF/{group}/{name}"][()]
        raise KeyError(f"no field {name!r}: there are {', '.join(self.fields)}")

    @property
    def fields(self) -> list[str]:
        """Names of the fields of nodes and elements."""
        with self._open() as f:
            return [name for group in ("PointData", "CellData") for name in f["VTKHDF/" + group]]

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def unit(self, name: str) -> str:
        """Of a field."""
        with self._open() as f:
            for group in ("PointData", "CellData"):
                if name in f["VTKHDF/" + group]:
                    found = f[f"VTKHDF/{group}/{name}"].attrs.get("unit", "")
                    return found.decode() if isinstance(found, bytes) else str(found)
        raise KeyError(f"no field {name!r}: there are {', '.join(self.fields)}")

    def grid(self) -> Any:
        """A PyVista grid, or one of VTK where PyVista is not installed."""
        from .grid import grid
        return grid(self.points, *self.cells, self.point_data, self.cell_data, self.time)

    def view(self, png: str | os.PathLike[str], **options: Any) -> None:
        """Draws it into a PNG file; options as in `ingot view`: field, palette, width, range, …"""
        from .picture import draw
        draw(self.path, png, **options)

    def _repr_html_(self) -> str:
        from .picture import image
        return image(self.path)

    def __repr__(self) -> str:
        return f"<snapshot {self.path}>"


class Interactive:
    """A page of its own inside a notebook: it can neither read nor change the notebook."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts allow-downloads" '
                f'style="width:100%;height:{int(self.height)}px;border:0"></iframe>')


class Result:
    """A result folder: summary, figures, history, snapshots.

    Of a run without a folder it holds `figures` and `units` only.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None, *,
                 figures: dict[str, float | str] | None = None, units: dict[str, str] | None = None) -> None:
        self.folder = None if folder is None else os.fspath(folder)
        self.summary: dict[str, Any]
        if self.folder is None:
            self.summary = {"result": figures or {}, "units": units or {}}
        else:
            name = os.path.join(self.folder, "summary.json")
            try:
                with open(name, encoding="utf-8") as f:
                    self.summary = json.load(f)
            except FileNotFoundError:
                if not os.path.isdir(self.folder) or not self.stages:
                    raise FileNotFoundError(f"{name}: no result of Ingot is in this folder") from None
                self.summary = {"result": {}, "units": {}}
        self.figures: dict[str, Any] = self.summary.get("result", {})
        self.units: dict[str, str] = self.summary.get("units", {})

    def __getitem__(self, name: str) -> Any:
        """A figure of the summary."""
        try:
            return self.figures[name]
        except KeyError:
            raise KeyError(f"no figure {name!r}: there are {', '.join(self.figures)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled result is read again from its folder, whatever folder the other process is in."""
        if self.folder is None:
            return _figures_only, (self.figures, self.units)
        return Result, (os.path.abspath(self.folder),)

    def _in_folder(self, name: str) -> str:
        if self.folder is None:
            raise ValueError("a result without a folder has its figures only: run it with out=FOLDER")
        return os.path.join(self.folder, name)

    @property
    def stages(self) -> dict[str, Result]:
        """Of a chain: {name: Result}."""
        return {s: Result(self._in_folder(s)) for s in sorted(os.listdir(self._in_folder("")))
                if os.path.exists(os.path.join(self._in_folder(s), "summary.json"))}

    def _history(self) -> tuple[list[tuple[str, str]], list[list[str]]]:
        """The headings of history.csv and its rows."""
        with open(self._in_folder("history.csv"), encoding="utf-8", newline="") as f:
            rows = csv.reader(f)
            # before what a spreadsheet would compute stands an apostrophe
            return [_heading(h[1:] if re.match("'+[=+@-]", h) else h) for h in next(rows)], list(rows)

    @property
    def history(self) -> np.ndarray:
        """history.csv as a structured array: history["T_max"]. Units: history_units."""
        columns, rows = self._history()
        values = [tuple(map(_number, row)) for row in rows if len(row) == len(columns)]
        return np.array(values, dtype=[(name, float) for name, unit in columns])

    @property
    def history_units(self) -> dict[str, str]:
        return dict(self._history()[0])

    @property
    def snapshots(self) -> list[Snapshot]:
        """In the order of time."""
        if self.folder is None:
            return []
        return [Snapshot(os.path.join(self.folder, f)) for f in sorted(os.listdir(self.folder))
                if re.fullmatch(r"snap_\d+\.vtkhdf", f)]

    def report(self, path: str | os.PathLike[str] | None = None, celsius: bool = False) -> str:
        """Writes the page of `ingot report`; returns its path. celsius: temperatures in degrees Celsius."""
        from ._core import Context, encode, ffi, lib
        name, page = encode(path), self._in_folder("report.html")
        context = Context("cpu")
        context.call_apart(lib.ig_report, context.ptr, encode(self.folder),
                           ffi.new("ig_report_options *", {"html": name, "celsius": celsius}))
        return os.fspath(path) if path else page

    def finish(self, size: float = 0.0, meshes: int = 3, *, frequencies: int = 0, buckling: int = 0,
               large_deflections: bool = False,
               spectrum: list[dict[str, float]] | None = None) -> dict[str, Any]:
        """Meshes and analyses the part of a topology optimisation, as `ingot finish`; returns its figures.

        `spectrum`: blocks of cycles, `[{"cycles": 1e5, "ratio": 0}]`; what is not given follows from the case."""
        from ._core import Context, encode, ffi, lib
        context = Context("cpu")
        blocks = encode(None if spectrum is None else json.dumps(spectrum))
        context.call_apart(lib.ig_finish, context.ptr, encode(self.folder),
                           ffi.new("ig_finish_options *", {
                               "size": size, "meshes": meshes, "frequencies": frequencies, "buckling": buckling,
                               "large_deflections": large_deflections, "spectrum": blocks}))
        with open(self._in_folder("finished/summary.json"), encoding="utf-8") as file:
            return json.load(file)["result"]

    def compare(self, other: Result | str | os.PathLike[str], *, relative: float = 0.0, absolute: float = 0.0,
                tolerances: dict[str, float | tuple[float, float]] | None = None, snapshots: str = "last",
                match: str = "number", distance: float = 0.0) -> list[dict[str, Any]]:
        """Compares figures, history and fields with those of another result, as `ingot compare`.

        Returns one dict per figure, column and field; `same` says whether it is within tolerance.
        tolerances: {"T*": 1e-6, "u_max": (1e-6, 1e-9)}, relative or (relative, absolute), by name.
        snapshots: "last", "all" or "none"; match: "number" or "position", within `distance`.
        """
        from ._core import Context, encode, ffi, lib
        for what, value, choices in (("snapshots", snapshots, _SNAPSHOTS), ("match", match, _MATCH)):
            if value not in choices:
                raise ValueError(f"{what}: expected {', '.join(choices)}, not {value!r}")
        named = [encode(f"{name}={t[0]!r},{t[1]!r}" if isinstance(t, tuple) else f"{name}={t!r}")
                 for name, t in (tolerances or {}).items()]
        folder = other.folder if isinstance(other, Result) else other
        if self.folder is None or folder is None:
            raise ValueError("a result without a folder cannot be compared")
        texts = ffi.new("char *[]", named)
        rows: list[dict[str, Any]] = []
        context = Context("cpu")
        options = ffi.new("ig_compare_options *", {
            "relative": relative, "absolute": absolute, "tolerance": ffi.cast("const char *const *", texts),
            "tolerances": len(named), "snapshots": _SNAPSHOTS.index(snapshots),
            "by_position": match == "position", "distance": distance})
        handle = ffi.new_handle(rows)
        context.call(lib.ig_result_compare, context.ptr, encode(self.folder), encode(folder), options,
                     lib.py_compared, handle)
        return rows

    def frame(self) -> Any:
        """The history as a pandas.DataFrame, over time or iterations; columns as in history.csv
        without units (these: history_units)."""
        try:
            import pandas
        except ImportError:
            raise ImportError("frame() needs pandas (Debian: python3-pandas); history needs "
                              "NumPy only") from None
        history = self.history
        made = pandas.DataFrame({n: history[n] for n in history.dtype.names})
        over = next((n for n in ("time", "iteration") if n in made), None)
        return made.set_index(over) if over else made

    def dataset(self, *fields: str) -> Any:
        """The history as an xarray.Dataset over time or iterations, units as attributes; with
        names of fields also their values in all snapshots, over `snapshot` and `node` or `cell`,
        with the coordinates of nodes. ValueError where the mesh changes between snapshots."""
        try:
            import xarray
        except ImportError:
            raise ImportError("dataset() needs xarray (Debian: python3-xarray); history and "
                              "snapshots need NumPy and h5py only") from None
        columns, history = dict(self._history()[0]), self.history
        over = next((n for n in ("time", "iteration") if n in columns), next(iter(columns)))
        made = xarray.Dataset(
            {n: (over, history[n], {"units": columns[n]}) for n in columns if n != over},
            coords={over: (over, history[over], {"units": columns[over]})}, attrs={"folder": str(self.folder)})
        snapshots = self.snapshots if fields else []
        for name in fields:
            values = [s[name] for s in snapshots]
            if len({v.shape for v in values}) > 1:
                raise ValueError(f"{name}: the mesh changes between snapshots: take them one by one")
            where = "node" if snapshots and name in snapshots[0].point_data else "cell"
            made[name + "_field" if name in made else name] = (
                ("snapshot", where, "component")[:1 + values[0].ndim] if values else ("snapshot",),
                np.array(values), {"units": snapshots[0].unit(name) if snapshots else ""})
        if snapshots:
            places: dict[str, Any] = {axis: ("node", snapshots[0].points[:, d]) for d, axis in enumerate("xyz")}
            made = made.assign_coords({"snapshot": [s.time for s in snapshots], **places})
        return made

    def interactive(self, height: int = 640) -> Interactive:
        """The page of `ingot report` for a notebook: the last expression of a cell shows it, to turn,
        clip and probe. Nothing is loaded from elsewhere."""
        with tempfile.TemporaryDirectory() as folder:
            name = self.report(os.path.join(folder, "page.html"))
            with open(name, encoding="utf-8") as f:
                return Interactive(f.read(), height)

    def _repr_html_(self) -> str:
        from ._html import short, table
        head = f"{self.summary.get('physics', '')} {self.summary.get('title', '')}".strip()
        picture = ""
        if self.snapshots:
            try:
                picture = self.snapshots[-1]._repr_html_()
            except Exception as error:  # the table is still worth showing
                picture = f"<p>{html.escape(str(error))}</p>"
        rows = [(k, short(v), self.units.get(k) or "") for k, v in self.figures.items()]
        return f"<h4>{html.escape(head)}</h4>{picture}{table(rows)}"

    def __repr__(self) -> str:
        where = self.folder or "without a folder"
        return f"<ingot.Result {where}: {self.summary.get('status', 'complete')}, {len(self.figures)} figures>"


_SNAPSHOTS, _MATCH = ["last", "all", "none"], ["number", "position"]


def _figures_only(figures: dict[str, float | str], units: dict[str, str]) -> Result:
    return Result(figures=figures, units=units)


def _heading(text: str) -> tuple[str, str]:
    """("T_max", "K") of "T_max [K]"; the unit stands last."""
    name, bracket, unit = text.rpartition(" [")
    return (name, unit[:-1]) if bracket and unit.endswith("]") else (text, "")


def _number(text: str) -> float:
    return float(text) if text else math.nan

