"""Loads a snapshot with VTK's own reader and checks it.

    vtk_read.py FILE POINTS CELLS [point|cell|field]:NAME:COMPONENTS:MIN:MAX ...

Exit 0 good, 1 not as expected, 77 no VTK with vtkHDFReader here."""
import sys

try:
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError:
    print("python3-vtk9 is not installed")
    sys.exit(77)


def main():
    path, points, cells, *fields = sys.argv[1:]
    reader = vtkHDFReader()
    if not reader.CanReadFile(path):
        return f"{path}: vtkHDFReader cannot read it"
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    if grid.GetNumberOfPoints() != int(points) or grid.GetNumberOfCells() != int(cells):
        return (f"{path}: {grid.GetNumberOfPoints()} points and {grid.GetNumberOfCells()} cells, "
                f"expected {points} and {cells}")
    for cell in range(grid.GetNumberOfCells()):
        if grid.GetCell(cell).GetNumberOfPoints() < 1:
            return f"{path}: cell {cell} is empty"
    data = {"point": grid.GetPointData(), "cell": grid.GetCellData(), "field": grid.GetFieldData()}
    for field in fields:
        where, name, components, low, high = field.split(":")
        array = data[where].GetArray(name)
        if array is None:
            return f"{path}: no {where} field {name}"
        if array.GetNumberOfComponents() != int(components):
            return f"{path}: {name} has {array.GetNumberOfComponents()} components"
        ranges = [array.GetRange(c) for c in range(int(components))]
        found = min(r[0] for r in ranges), max(r[1] for r in ranges)
        expected = float(low), float(high)
        if any(abs(f - e) > 1e-6 * max(1, abs(e)) for f, e in zip(found, expected)):
            return f"{path}: {name} is in {found}, expected {expected}"
    return None


problem = main()
if problem:
    print(problem)
sys.exit(1 if problem else 0)
