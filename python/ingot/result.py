"""What a run left in its folder."""
import base64
import html
import json
import math
import os
import re
import tempfile

import numpy as np


class Snapshot:
    """One snap_*.vtkhdf file. Needs h5py. points, cells, point_data, cell_data, time."""

    def __init__(self, path):
        self.path = path

    def _open(self):
        try:
            import h5py
        except ImportError:
            raise ImportError("reading snapshots needs h5py (Debian: python3-h5py)") from None
        return h5py.File(self.path, "r")

    def _read(self, name):
        with self._open() as f:
            return f["VTKHDF/" + name][()]

    def _data(self, group):
        with self._open() as f:
            return {name: data[()] for name, data in f["VTKHDF/" + group].items()}

    @property
    def time(self):
        with self._open() as f:
            return float(f["VTKHDF/FieldData/TimeValue"][0])

    @property
    def points(self):
        return self._read("Points")

    @property
    def cells(self):
        """(connectivity, offsets, VTK cell types)."""
        return self._read("Connectivity"), self._read("Offsets"), self._read("Types")

    @property
    def point_data(self):
        return self._data("PointData")

    @property
    def cell_data(self):
        return self._data("CellData")

    def __getitem__(self, name):
        with self._open() as f:
            for group in ("PointData", "CellData"):
                if name in f["VTKHDF/" + group]:
                    return f[f"VTKHDF/{group}/{name}"][()]
        raise KeyError(name)

    def view(self, png, **options):
        """Draws it into a PNG file; options as in `ingot view`: field, palette, width, …"""
        from ._core import Context, encode, ffi, lib
        kept = {k: encode(v) if isinstance(v, str) else v for k, v in options.items()}
        context = Context("cpu")
        context.call(lib.ig_view, context.ptr, encode(self.path),
                     ffi.new("ig_view_options *", kept), encode(png))

    def __repr__(self):
        return f"<snapshot {self.path}>"


class Result:
    """A result folder: summary, figures, history, snapshots.

    Of a run without a folder it holds `figures` and `units` only.
    """

    def __init__(self, folder=None, *, figures=None, units=None):
        self.folder = None if folder is None else os.fspath(folder)
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
        self.figures = self.summary.get("result", {})
        self.units = self.summary.get("units", {})

    def __getitem__(self, name):
        """A figure of the summary."""
        return self.figures[name]

    @property
    def stages(self):
        """Of a chain: {name: Result}."""
        return {s: Result(os.path.join(self.folder, s)) for s in sorted(os.listdir(self.folder))
                if os.path.exists(os.path.join(self.folder, s, "summary.json"))}

    @property
    def history(self):
        """history.csv as a structured array: history["T_max"]. Units: history_units."""
        with open(os.path.join(self.folder, "history.csv"), encoding="utf-8") as f:
            names = [n.split(" [")[0] for n in next(f).rstrip("\n").split(",")]
            rows = [tuple(map(_number, line.rstrip("\n").split(","))) for line in f]
        return np.array(rows, dtype=[(n, float) for n in names])

    @property
    def history_units(self):
        with open(os.path.join(self.folder, "history.csv"), encoding="utf-8") as f:
            columns = next(f).rstrip("\n").split(",")
        return {c.split(" [")[0]: c.split(" [")[1][:-1] if " [" in c else "" for c in columns}

    @property
    def snapshots(self):
        """In the order of time."""
        if self.folder is None:
            return []
        return [Snapshot(os.path.join(self.folder, f)) for f in sorted(os.listdir(self.folder))
                if re.fullmatch(r"snap_\d+\.vtkhdf", f)]

    def report(self, path=None):
        """Writes the page of `ingot report`; returns its path."""
        from ._core import Context, encode, ffi, lib
        name = encode(path)
        context = Context("cpu")
        context.call(lib.ig_report, context.ptr, encode(self.folder),
                     ffi.new("ig_report_options *", {"html": name}))
        return os.fspath(path) if path else os.path.join(self.folder, "report.html")

    def _picture(self):
        with tempfile.TemporaryDirectory() as folder:
            png = os.path.join(folder, "view.png")
            self.snapshots[-1].view(png, width=640, height=400)
            with open(png, "rb") as f:
                return base64.b64encode(f.read()).decode()

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td>{html.escape(k)}</td><td>{html.escape(_short(v))} {html.escape(self.units.get(k) or '')}</td></tr>"
            for k, v in self.figures.items())
        head = html.escape(f"{self.summary.get('physics', '')} {self.summary.get('title', '')}".strip())
        picture = ""
        if self.snapshots:
            try:
                picture = f'<img alt="last snapshot" src="data:image/png;base64,{self._picture()}">'
            except Exception as error:  # the table is still worth showing
                picture = f"<p>{html.escape(str(error))}</p>"
        return f"<h4>{head}</h4>{picture}<table>{rows}</table>"

    def __repr__(self):
        where = self.folder or "without a folder"
        return f"<ingot.Result {where}: {self.summary.get('status', 'complete')}, {len(self.figures)} figures>"


def _number(text):
    return float(text) if text else math.nan


def _short(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
