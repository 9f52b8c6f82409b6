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
    # a field named "place" says where its points or cells are: VTK must have the same order
    for where in ("point", "cell"):
        place = data[where].GetArray("place")
        for i in range(place.GetNumberOfTuples() if place else 0):
            box = grid.GetCell(i).GetBounds() if where == "cell" else None
            at = grid.GetPoint(i) if where == "point" else [sum(box[2 * d:2 * d + 2]) / 2 for d in range(3)]
            if any(abs(a - b) > 1e-9 for a, b in zip(at, place.GetTuple3(i))):
                return f"{path}: {where} {i} lies at {at}, expected {place.GetTuple3(i)}"
    return None


problem = main()
if problem:
    print(problem)
sys.exit(1 if problem else 0)
