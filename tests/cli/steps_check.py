"""Reads a VTKHDF file with steps as the format's description says and compares every step with the
snapshot it was made of.

    steps_check.py RUN.vtkhdf SNAPSHOT...

Exit 0 good, 1 not as expected, 77 no h5py here."""
import sys

try:
    import h5py
    import numpy as np
except ImportError:
    print("python3-h5py is not installed")
    sys.exit(77)


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def check(good, what):
    if not good:
        print(what)
        sys.exit(1)


with h5py.File(sys.argv[1], "r") as file:
    root = file["VTKHDF"]
    steps = root["Steps"]
    count = len(sys.argv) - 2
    check(list(root.attrs["Version"])[0] == 2 and text(root.attrs["Type"]) == "UnstructuredGrid", "header")
    check(int(steps.attrs["NSteps"]) == count and steps["Values"].shape == (count,), "number of steps")
    for i, name in enumerate(sys.argv[2:]):
        with h5py.File(name, "r") as one:
            snap = one["VTKHDF"]
            part = int(steps["PartOffsets"][i])
            check(int(steps["NumberOfParts"][i]) == 1, "parts")
            points, cells, ids = (int(root[k][part]) for k in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"))
            p, c, q = (int(np.ravel(steps[k][i])[0]) for k in ("PointOffsets", "CellOffsets", "ConnectivityIdOffsets"))
            check(np.array_equal(root["Points"][p:p + points], snap["Points"][:]), "points")
            check(np.array_equal(root["Types"][c:c + cells], snap["Types"][:]), "types")
            check(np.array_equal(root["Connectivity"][q:q + ids], snap["Connectivity"][:]), "connectivity")
            # offsets have one entry more than cells in every part
            check(np.array_equal(root["Offsets"][c + part:c + part + cells + 1], snap["Offsets"][:]), "offsets")
            check(steps["Values"][i] == snap["FieldData/TimeValue"][0], "time")
            for where, items in (("PointData", points), ("CellData", cells)):
                check(set(root[where]) == set(snap[where]) == set(steps[where + "Offsets"]), "fields")
                for field in root[where]:
                    at = int(steps[where + "Offsets"][field][i])
                    check(np.array_equal(root[where][field][at:at + items], snap[where][field][:], equal_nan=True), field)
                    check(root[where][field].attrs["unit"] == snap[where][field].attrs["unit"], field + ": unit")
