# Exodus II meshes: blocks, node sets and side sets, as files of netCDF-4 have them.
set -u
python=/usr/bin/python3
$python -c 'import h5py, numpy' 2>/dev/null || { echo "h5py is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; cat log 2>/dev/null; exit 1; }
cat >make.py <<'END'
import h5py, numpy as np
def letters(texts):
    table = np.zeros((len(texts), 33), "S1")
    for i, t in enumerate(texts):
        table[i, :len(t)] = list(t.encode()) and [c.encode() for c in t]
    return table
def write(name, points, blocks, nodes=(), sides=(), coord=False, names=True):
    with h5py.File(name, "w") as f:
        p = np.asarray(points, float)
        if coord:
            f["coord"] = p.T
        else:
            for d, axis in enumerate("xyz"[:p.shape[1]]):
                f["coord" + axis] = p[:, d]
        for k, (kind, conn, called) in enumerate(blocks):
            f["connect%d" % (k + 1)] = np.asarray(conn, np.int32) + 1
            f["connect%d" % (k + 1)].attrs["elem_type"] = np.bytes_(kind)
        f["eb_prop1"] = np.array([10 * (k + 1) for k in range(len(blocks))], np.int32)
        if names:
            f["eb_names"] = letters([b[2] for b in blocks])
        for k, (called, list_) in enumerate(nodes):
            f["node_ns%d" % (k + 1)] = np.asarray(list_, np.int32) + 1
        if nodes and names:
            f["ns_names"] = letters([n[0] for n in nodes])
        for k, (called, elements, side) in enumerate(sides):
            f["elem_ss%d" % (k + 1)] = np.asarray(elements, np.int32) + 1
            f["side_ss%d" % (k + 1)] = np.asarray(side, np.int32)
        if sides:
            f["ss_prop1"] = np.array([7 + k for k in range(len(sides))], np.int32)
            if names:
                f["ss_names"] = letters([s[0] for s in sides])
# two hexahedra, a wedge on the first, a pyramid at the second's end, a tetrahedron beside the pyramid
p = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [2, 0, 0], [2, 1, 0], [2, 0, 1], [2, 1, 1],
     [0, .5, 2], [1, .5, 2], [3, .5, .5], [3, 2, .5]]
hexes = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 9, 2, 5, 10, 11, 6]]
wedge, pyramid, tet = [[4, 7, 12, 5, 6, 13]], [[8, 9, 11, 10, 14]], [[9, 11, 14, 15]]
# each side of each element is a set of its own, named by the nodes that the format's manual gives it
manual = {"HEX": [(1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (1, 5, 8, 4), (1, 4, 3, 2), (5, 6, 7, 8)],
          "WEDGE": [(1, 2, 5, 4), (2, 3, 6, 5), (1, 4, 6, 3), (1, 3, 2), (4, 5, 6)],
          "PYRAMID": [(1, 2, 5), (2, 3, 5), (3, 4, 5), (1, 5, 4), (1, 4, 3, 2)], "TETRA": [(1, 2, 4), (2, 3, 4), (1, 4, 3), (1, 3, 2)]}
cells = [("HEX", hexes[0]), ("HEX", hexes[1]), ("WEDGE", wedge[0]), ("PYRAMID", pyramid[0]), ("TETRA", tet[0])]
sides = [("s_" + "_".join(map(str, sorted(c[a - 1] for a in face))) + "_" + str(e), [e], [k + 1])
         for e, (kind, c) in enumerate(cells) for k, face in enumerate(manual[kind])]
write("mixed.e", p, [("HEX8", hexes, "bricks"), ("WEDGE6", wedge, "roof"), ("PYRAMID5", pyramid, "tip"), ("TETRA4", tet, "")],
      nodes=[("left", [0, 3, 4, 7]), ("corner", [0])], sides=sides)
big = [[i, j, k] for k in range(11) for j in range(11) for i in range(11)]
at = lambda i, j, k: (k * 11 + j) * 11 + i
write("coord.exo", big, [("hex", [[at(i + a, j + b, k + c) for a, b, c in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))]
      for k in range(10) for j in range(10) for i in range(10)], "")], coord=True, names=False)
write("plane.g", [[0, 0], [1, 0], [1, 1], [0, 1]], [("QUAD4", [[0, 1, 2, 3]], "")], sides=[("edge", [0], [1])])
write("odd.ex2", p, [("HEX21", np.zeros((1, 21), int), "odd")])
write("balls.e", p, [("SPHERE", [[0]], "balls")])
write("far.e", p, [("HEX8", hexes, "")], sides=[("far", [9], [1])])
open("classic.e", "wb").write(b"CDF\x02" + bytes(60))
with h5py.File("other.e", "w") as f:
    f["x"] = [1.0]
END
$python make.py || fail "the files cannot be made"
info() { "$INGOT" mesh info "$1" >log 2>&1 || fail "$1 is not read"; }
has() { grep -Eq "^ *$1 +$2" log || fail "not '$1 $2'"; }
info mixed.e
# 2, a prism of 1/2, a pyramid of 1/3, a tetrahedron of 1/4
has volume '3.0833333 m3' && has hex8 2 && has wedge6 1 && has pyramid5 1 && has tet4 1
has 'set bricks' '2 elements' && has 'set roof' '1 elements' && has 'set block_40' '1 elements' && has 'set left' '4 nodes' && has 'set corner' '1 nodes'
# all 6 + 6 + 5 + 5 + 4 sides are faces with the nodes that the manual gives them
"$INGOT" mesh convert mixed.e mixed.inp >log 2>&1 || fail "mixed.e is not converted"
$python - <<'END' || fail "sides are at other places"
import re
faces = {8: ["1 2 3 4", "5 8 7 6", "1 5 6 2", "2 6 7 3", "3 7 8 4", "4 8 5 1"], 6: ["1 2 3", "4 6 5", "1 4 5 2", "2 5 6 3", "3 6 4 1"],
         5: ["1 2 3 4", "1 5 2", "2 5 3", "3 5 4", "4 5 1"], 4: ["1 2 3", "1 4 2", "2 4 3", "3 4 1"]}  # of Abaqus
at, cell, found, part = {}, {}, 0, ""
points = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [2, 0, 0], [2, 1, 0], [2, 0, 1], [2, 1, 1],
          [0, .5, 2], [1, .5, 2], [3, .5, .5], [3, 2, .5]]
surfaces, name, sets = [], "", {}
for line in open("mixed.inp"):
    line = line.strip()
    if line.startswith("**"): continue
    if line.startswith("*"):
        part = line.split(",")[0].upper()
        found_name = re.search(r"(?:NAME|ELSET)=([^,]+)", line, re.I)
        name = found_name[1].strip() if found_name else ""
        continue
    words = [w.strip() for w in line.split(",") if w.strip()]
    if part == "*NODE": at[int(words[0])] = tuple(map(float, words[1:]))
    elif part == "*ELEMENT": cell[int(words[0])] = list(map(int, words[1:]))
    elif part == "*ELSET": sets.setdefault(name, []).extend(map(int, words))
    elif part == "*SURFACE" and name.startswith("s_"): surfaces.append((name, words))
assert len(surfaces) == 26, len(surfaces)
for name, (element, side) in surfaces:
    c = cell[sets[element][0] if element in sets else int(element)]
    got = {at[c[int(a) - 1]] for a in faces[len(c)][int(side[1:]) - 1].split()}
    want = {tuple(map(float, points[int(n)])) for n in name.split("_")[1:-1]}
    assert got == want, (name, got, want)
END
info coord.exo && has volume '1000 m3' && has elements 1000 && has 'set block_10' '1000 elements'
info plane.g && has quad4 1 && grep -q '1 sides of shells, plane elements or beams in side sets are passed over' log || fail "sides of plane elements are not mentioned"
refused() { # file, words
  "$INGOT" mesh info "$1" >out 2>log
  [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <log)" = 1 ] && grep -qF "$2" log || fail "$1: not refused by '$2'"
}
refused odd.ex2 "block 'odd' has elements of type 'HEX21' with 21 nodes, which are not read"
refused balls.e "block 'balls' holds particles (SPHERE)"
refused far.e "side set 'far' names element 10: there are 2"
refused classic.e "Exodus in classic netCDF is not read: 'nccopy -k netCDF-4 IN OUT' converts it"
refused other.e 'this is no Exodus file'
if $python -c 'import meshio, netCDF4' 2>/dev/null; then
  $python - <<'END' || exit 1
import meshio, numpy as np
p = np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [0, 1, 1]], float)
meshio.Mesh(p, [("hexahedron", np.arange(8).reshape(1, 8))], point_sets={"left": np.array([0, 3, 4, 7])}).write("meshio.e")
END
  info meshio.e && has volume '2 m3' && has 'set left' '4 nodes'
fi
echo "Exodus meshes"
