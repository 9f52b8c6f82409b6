# Shells of eight nodes in STL files and pictures; node sets of .vtu files in several pieces.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
fail() { echo "shell files test: $*"; cat log 2>/dev/null; exit 1; }

# two elements of 1 m x 1 m
cat >plate.inp <<'END'
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
4, 0, 1, 0
5, 1, 1, 0
6, 2, 1, 0
7, .5, 0, 0
8, 1.5, 0, 0
9, 0, .5, 0
10, 1, .5, 0
11, 2, .5, 0
12, .5, 1, 0
13, 1.5, 1, 0
*ELEMENT, TYPE=S8R, ELSET=plate
1, 1, 2, 5, 4, 7, 10, 12, 9
2, 2, 3, 6, 5, 8, 11, 13, 10
END
"$INGOT" mesh convert plate.inp plate.stl -q 2>log || fail "no STL"
[ "$(od -An -tu4 -j80 -N4 plate.stl | tr -d ' ')" = 4 ] || fail "not two triangles per shell of eight nodes"
"$INGOT" mesh convert plate.inp plate.vtkhdf -q 2>log || fail "no .vtkhdf"
"$INGOT" view plate.vtkhdf -q -o plate.png 2>log || fail "no picture of shells of eight nodes"
[ -s plate.png ] || fail "an empty picture"

# two hexahedra in two pieces that meet at x = 1; the set has the far end, and the middle from both
piece() { # x of the low end, marks of its eight points
  printf '<Piece NumberOfPoints="8" NumberOfCells="1"><PointData><DataArray type="UInt8" Name="nodes:here" format="ascii">%s</DataArray></PointData>' "$2"
  printf '<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">'
  for z in 0 1; do for y in 0 1; do for x in 0 1; do printf '%d %d %d ' $(($1 + x)) $y $z; done; done; done
  printf '</DataArray></Points><Cells><DataArray type="Int64" Name="connectivity" format="ascii">0 1 3 2 4 5 7 6</DataArray>'
  printf '<DataArray type="Int64" Name="offsets" format="ascii">8</DataArray><DataArray type="UInt8" Name="types" format="ascii">12</DataArray></Cells></Piece>'
}
{
  printf '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"><UnstructuredGrid>'
  piece 0 '0 1 0 1 0 1 0 1'
  piece 1 '1 1 1 1 1 1 1 1'
  printf '</UnstructuredGrid></VTKFile>'
} >two.vtu
"$INGOT" mesh info two.vtu >out 2>log || fail "two pieces are not read"
grep -q '^nodes  *12$' out || fail "pieces are not joined: $(grep ^nodes out)"
grep -q 'set here  *8 nodes' out || fail "the set of both pieces: $(grep here out)"
"$INGOT" mesh convert two.vtu two.inp -q 2>log || fail "no .inp"
python3 - <<'END' || fail "the set has other nodes"
text = open("two.inp").read().upper()
at = {}
for line in text.split("*NODE\n")[1].split("*")[0].split("\n"):
    if line.strip():
        n, x = line.split(",")[:2]
        at[int(n)] = float(x)
items = text.split("NSET=HERE")[1].split("\n", 1)[1].split("*")[0].replace("\n", ",").split(",")
x = sorted(at[int(i)] for i in items if i.strip())
assert x == [1.0] * 4 + [2.0] * 4, x
END
echo "shell files test: good"
