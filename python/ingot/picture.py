"""Pictures of `ingot view` for notebooks."""
from __future__ import annotations

import base64
import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import Context, encode, ffi, lib

if TYPE_CHECKING:
    from .mesh import Mesh


def draw(path: str | os.PathLike[str], png: str | os.PathLike[str], **options: Any) -> None:
    """`ig_view`: options by the names of ig_view_options."""
    names = [name for name, _ in ffi.typeof("ig_view_options").fields]
    wrong = next((key for key in options if key not in names), None)
    if wrong is not None:
        raise TypeError(f"no option {wrong!r} of a picture: there are {', '.join(names)}")
    kept = {}
    for key, value in options.items():
        if key == "range":
            kept["fixed_range"] = True
        kept[key] = encode(value) if isinstance(value, str) else value
    context = Context("cpu")
    context.call_apart(lib.ig_view, context.ptr, encode(path), ffi.new("ig_view_options *", kept), encode(png))


def image(path: str | os.PathLike[str], **options: Any) -> str:
    """An <img> element with the picture of a snapshot inside."""
    with tempfile.TemporaryDirectory() as folder:
        png = os.path.join(folder, "view.png")
        draw(path, png, **{"width": 640, "height": 400, **options})
        with open(png, "rb") as f:
            return f'<img alt="picture" src="data:image/png;base64,{base64.b64encode(f.read()).decode()}">'


def image_of_mesh(mesh: Mesh, fields: dict[str, tuple[str, str, np.ndarray]] | None = None, time: float = 0.0,
                  time_unit: str = "s", **options: Any) -> str:
    """The same of a mesh, with `fields` {name: (unit, "nodes" or "elements", values)} where h5py
    is there to write them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mesh.vtkhdf")
        mesh.write(path)
        fields = fields or {}
        shown = next(iter(fields), None)
        try:
            import h5py
        except ImportError:
            shown = None
        if shown:  # into a file of its own: one of Ingot's is sealed by a checksum
            sealed, path = path, os.path.join(folder, "fields.vtkhdf")
            with h5py.File(sealed, "r") as f, h5py.File(path, "w") as g:
                f.copy("VTKHDF", g)
                for name, (unit, where, values) in fields.items():
                    group = g["VTKHDF"].require_group("PointData" if where == "nodes" else "CellData")
                    if name in group:
                        del group[name]
                    group.create_dataset(name, data=values).attrs["unit"] = np.bytes_(unit)
                clock = g["VTKHDF"].require_group("FieldData")
                if "TimeValue" in clock:
                    del clock["TimeValue"]
                clock.create_dataset("TimeValue", data=[float(time)]).attrs["unit"] = np.bytes_(time_unit)
        return image(path, field=shown or "none", edges=shown is None, **options)
