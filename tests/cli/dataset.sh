# Data sets: arrays of a sweep's runs against the runs' own files, read by h5py; cells of a growing
# part; a run that failed; mistakes.
set -u
python=/usr/bin/python3
$python -c 'import h5py, numpy' 2>/dev/null || { echo "h5py is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "dataset test: $*"; cat log 2>/dev/null; exit 1; }
cat >wall.yaml <<'END'
physics: thermal
mesh:
  boxes:
    - {name: plate, size: [6 mm, 4 mm, 1 mm], cells: [6, 4, 1]}
    - {name: wall, origin: [0 mm, 1 mm, 1 mm], size: [6 mm, 2 mm, 1 mm], cells: [6, 2, 1]}
materials: {name: m, density: 7900 kg/m^3, conductivity: 20 W/(m K), specific_heat: 500 J/(kg K), absorptivity: 0.4}
initial_temperature: 300 K
ambient: 300 K
duration: 1 s
beams:
  - {model: gaussian, radius: 1 mm, depth: 1 mm, raster: {power: 20 W, speed: 6 mm/s, spacing: 2 mm, layer_height: 1 mm, base: 1 mm, layers: 1, rotation: 0, regions: [{min: [0 mm, 1 mm], max: [6 mm, 3 mm]}]}}
birth: {set: wall, width: 2 mm, height: 1 mm, lead: 0.5 mm, temperature: ambient}
boundary: [{set: surface, convection: 20 W/(m^2 K)}]
probes: [{name: middle, point: [3 mm, 2 mm, 1 mm]}]
output: {count: 3}
END
cat >map.yaml <<'END'
case: wall.yaml
runs:
  - {name: weak, set: {'beams[0].raster.power': 10 W, 'materials[0].name': a}}
  - {name: strong, set: {'beams[0].raster.power': 0.03 kW, 'materials[0].name': b}}
  - {name: bad, set: {'beams[0].raster.power': 20 W, 'materials[0].name': c, time_step: 10 s}}
END
"$INGOT" dataset map.yaml >log 2>&1 && fail "a data set of nothing"
[ ! -e map-out/dataset.h5 ] || fail "a file of nothing"
"$INGOT" sweep map.yaml -q -b cpu >log 2>&1
"$INGOT" dataset map.yaml >log 2>&1 || fail "no data set"
grep -q '1 of 3 runs are not complete' log || fail "the failed run is not mentioned"
$python - <<'END' >log 2>&1 || fail "arrays"
import glob, h5py, json, numpy as np
d = h5py.File("map-out/dataset.h5")
assert d.attrs["format"] == b"Ingot data set" and d.attrs["version"] == 1
assert list(d["runs/name"].asstr()) == ["weak", "strong", "bad"]
assert list(d["runs/status"].asstr())[:2] == ["complete"] * 2 and d["runs/status"].asstr()[2] != "complete"
assert list(d["runs/snapshots"]) == [4, 4, 0]
power = list(d["inputs/name"].asstr()).index("beams[0].raster.power")
name = list(d["inputs/name"].asstr()).index("materials[0].name")
assert d["inputs/unit"].asstr()[power] == "W"
assert np.allclose(d["inputs/value"][:, power], [10, 30, 20], rtol=1e-15), d["inputs/value"][:]
assert np.isnan(d["inputs/value"][:, name]).all() and list(d["inputs/text"].asstr()[:, name]) == ["a", "b", "c"]
figures = list(d["figures/name"].asstr())
assert np.isnan(d["figures/value"][2]).all()
alive = d["mesh/alive"][:].astype(bool)
offset, corner = d["mesh/offset"][:], d["mesh/corner"][:]
cells = [tuple(corner[a:b]) for a, b in zip(offset, offset[1:])]
assert len(set(cells)) == len(cells) == 36
assert 24 <= alive[0, 0].sum() < 36 and alive[0, 3].sum() == 36 and not alive[2].any(), alive.sum(axis=2)
for r, run in enumerate(["weak", "strong"]):
    summary = json.load(open(f"map-out/{run}/summary.json"))["result"]
    assert d["figures/value"][r, figures.index("T_max")] == summary["T_max"]
    for t, file in enumerate(sorted(glob.glob(f"map-out/{run}/snap_*.vtkhdf"))):
        v = h5py.File(file)["VTKHDF"]
        assert d["time"][r, t] == v["FieldData/TimeValue"][0]
        assert (d["mesh/point"][:] == v["Points"][:]).all()
        assert (d["fields/point/T"][r, t] == v["PointData/T"][:]).all()
        o, c = v["Offsets"][:], v["Connectivity"][:]
        at = [cells.index(tuple(c[a:b])) for a, b in zip(o, o[1:])]
        there = np.zeros(len(cells), bool)
        there[at] = True
        assert (there == alive[r, t]).all()
        for f in v["CellData"]:
            a, b = d["fields/cell/" + f], v["CellData"][f]
            assert a.attrs["unit"] == b.attrs["unit"] and a.dtype == b.dtype
            assert np.array_equal(a[r, t][at], b[:], equal_nan=a.dtype.kind == "f")
            assert a.dtype.kind != "f" or np.isnan(a[r, t][~there]).all()
assert np.isnan(d["fields/point/T"][2]).all()
END
"$INGOT" dataset map.yaml -q -f T --last --file one.h5 2>log || fail "one field"
$python - <<'END' >log 2>&1 || fail "the last snapshot"
import h5py
a, b = h5py.File("map-out/dataset.h5"), h5py.File("one.h5")
assert list(b["fields/point"]) == ["T"] and not list(b["fields/cell"])
assert b["fields/point/T"].shape == (3, 1, a["mesh/point"].shape[0])
assert (b["fields/point/T"][:2, 0] == a["fields/point/T"][:2, 3]).all() and b["time"][1, 0] == 1
END
# vectors; the same file again has the same bytes
cat >bar.yaml <<'END'
physics: stress
mesh: {boxes: {size: [4 mm, 1 mm, 1 mm], cells: [2, 1, 1]}}
materials: {name: m, young: 200 GPa, poisson: 0.3}
supports: [{set: xmin, fix: all}]
loads: [{set: xmax, pressure: -100 MPa}]
phases: {name: pull}
output: {count: 1}
END
vary='loads[0].pressure=-100 MPa, -200 MPa'
"$INGOT" sweep bar.yaml -v "$vary" -q -b cpu -o bars >log 2>&1 || fail "bars"
"$INGOT" dataset bar.yaml -v "$vary" -q -o bars --file a.h5 2>log || fail "bars"
"$INGOT" dataset bar.yaml -v "$vary" -q -o bars --file b.h5 2>log || fail "bars"
cmp a.h5 b.h5 || fail "other bytes"
$python - <<'END' >log 2>&1 || fail "a linear bar"
import h5py, numpy as np
d = h5py.File("a.h5")
u = d["fields/point/displacement"]
assert u.shape[0] == 2 and u.shape[2:] == (12, 3) and "alive" not in d["mesh"]
assert abs(u[0, -1]).max() > 1e-7 and np.allclose(u[1, -1], 2 * u[0, -1], rtol=1e-6, atol=1e-12)
END

# mistakes
wrong() { # MESSAGE ARGUMENTS...
  local message=$1
  shift
  "$INGOT" dataset "$@" --file wrong.h5 >log 2>&1
  [ $? = 2 ] || fail "exit code: $message"
  grep -qF -- "$message" log || fail "expected '$message'"
  [ ! -e wrong.h5 ] || fail "written all the same: $message"
}
wrong "has a field 'TT'" map.yaml -f TT
"$INGOT" sweep bar.yaml -v 'mesh.boxes[0].cells=[2, 1, 1], [3, 1, 1]' -q -b cpu -o sizes >log 2>&1 || fail "sizes"
wrong "leave them out with --tables" bar.yaml -v 'mesh.boxes[0].cells=[2, 1, 1], [3, 1, 1]' -o sizes
"$INGOT" dataset bar.yaml -v 'mesh.boxes[0].cells=[2, 1, 1], [3, 1, 1]' -q -o sizes --tables 2>log || fail "tables"
echo good
