"""Grids of VTK, and of PyVista where that is installed: to plot, slice and probe in Python."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

if TYPE_CHECKING:
    from .mesh import Mesh


def grid(points: Any, connectivity: Any, offsets: Any, types: Any, point_data: Mapping[str, Any],
         cell_data: Mapping[str, Any], time: float | None = None) -> Any:
    """A vtkUnstructuredGrid, as pyvista.UnstructuredGrid where PyVista is installed."""
    try:
        from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
        from vtkmodules.vtkCommonCore import vtkPoints
        from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkUnstructuredGrid
    except ImportError:
        raise ImportError("grids need VTK (Debian: python3-vtk9; PyPI: pyvista)") from None
    made = vtkUnstructuredGrid()
    places = vtkPoints()
    places.SetData(numpy_to_vtk(np.ascontiguousarray(points, dtype=float), deep=1))
    made.SetPoints(places)
    cells = vtkCellArray()
    cells.SetData(numpy_to_vtkIdTypeArray(np.asarray(offsets, dtype=np.int64), deep=1),
                  numpy_to_vtkIdTypeArray(np.asarray(connectivity, dtype=np.int64), deep=1))
    made.SetCells(numpy_to_vtk(np.asarray(types, dtype=np.uint8), deep=1), cells)
    for data, where in ((point_data, made.GetPointData()), (cell_data, made.GetCellData())):
        for name, values in data.items():
            array = numpy_to_vtk(np.ascontiguousarray(values), deep=1)
            array.SetName(name)
            where.AddArray(array)
    if time is not None:
        stamp = numpy_to_vtk(np.array([time], dtype=float), deep=1)
        stamp.SetName("TimeValue")
        made.GetFieldData().AddArray(stamp)
    try:
        import pyvista
    except ImportError:
        return made
    return pyvista.wrap(made)


def cells_of(mesh: Mesh) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(connectivity, offsets, VTK types) of a Mesh, blocks one after the other."""
    from .mesh import vtk_type
    conn, sizes, types = [], [], []
    for name, nodes in mesh.cells:
        nodes = np.asarray(nodes)
        if vtk_type(name) == 13:  # VTK has the triangles of a wedge the other way round
            nodes = nodes[:, [0, 2, 1, 3, 5, 4]]
        if vtk_type(name) == 26:
            nodes = nodes[:, [0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13]]
        conn.append(nodes.ravel())
        sizes.append(np.full(len(nodes), nodes.shape[1]))
        types.append(np.full(len(nodes), vtk_type(name), dtype=np.uint8))
    join = lambda parts: np.concatenate(parts) if parts else np.zeros(0, dtype=int)
    return join(conn), np.concatenate([[0], np.cumsum(join(sizes))]), join(types)
