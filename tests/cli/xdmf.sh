# XDMF meshes, with numbers in the file and in HDF5 beside it; what is not read is refused with its reason.
set -u
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; cat log 2>/dev/null; exit 1; }
grid() { # geometry and its values, topology and its values, more
  cat <<END
<?xml version="1.0"?>
<Xdmf Version="3.0"><Domain><Grid Name="mesh" GridType="Uniform">
<Geometry GeometryType="$1"><DataItem Format="XML" NumberType="Float">$2</DataItem></Geometry>
<Topology $3><DataItem Format="XML" NumberType="Int">$4</DataItem></Topology>
${5-}
</Grid></Domain></Xdmf>
END
}
points='0 0 0  2 0 0  2 1 0  0 1 0  0 0 1  2 0 1  2 1 1  0 1 1  1 0.5 2'
info() { "$INGOT" mesh info "$1" >log 2>&1 || fail "$1 is not read"; }
has() { grep -Eq "^ *$1 +$2" log || fail "$3: not '$1 $2'"; }

grid XYZ "$points" 'TopologyType="Hexahedron" NumberOfElements="1"' '0 1 2 3 4 5 6 7' >hex.xdmf
info hex.xdmf && has hex8 1 hex && has volume '2 m3' hex && has nodes 8 hex
# mixed: a hexahedron, a pyramid on it, a line of two points, a point; whole numbers on cells are sets
grid XYZ "$points" 'TopologyType="Mixed" NumberOfElements="2"' '9 0 1 2 3 4 5 6 7  7 4 5 6 7 8' \
  '<Attribute Name="layer" Center="Cell" AttributeType="Scalar"><DataItem Format="XML" DataType="Int" Dimensions="2">3 5</DataItem></Attribute>
   <Attribute Name="T" Center="Node" AttributeType="Scalar"><DataItem Format="XML" DataType="Float" Dimensions="9">1 1 1 1 1 1 1 1 1.5</DataItem></Attribute>' >mixed.xmf
info mixed.xmf && has hex8 1 mixed && has pyramid5 1 mixed && has volume '2.6666667 m3' mixed
has 'set layer_3' '1 elements' mixed && has 'set layer_5' '1 elements' mixed
grid XY '0 0 1 0 1 1 0 1' 'Type="Triangle" Dimensions="2"' '0 1 2 0 2 3' >plane.xdmf
info plane.xdmf && has tri3 2 plane && has area '1 m2' plane
# the first grid of a collection in time
{ echo '<Xdmf><Domain><Grid GridType="Collection" CollectionType="Temporal">'; grid XYZ "$points" 'TopologyType="Hexahedron"' '0 1 2 3 4 5 6 7' | sed '1,2s/<[?]xml.*//; s/<Xdmf.*<Grid/<Grid/; s/<.Domain.*//'; echo '</Grid></Domain></Xdmf>'; } >times.xdmf
info times.xdmf && has hex8 1 times

refused() { # file, words
  "$INGOT" mesh info "$1" >out 2>log
  [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <log)" = 1 ] && grep -qF "$2" log || fail "$1: not refused by '$2'"
}
echo '<Mesh/>' >no.xdmf && refused no.xdmf 'this is no XDMF file: <Xdmf> is missing'
echo '<Xdmf><Domain/></Xdmf>' >empty.xdmf && refused empty.xdmf 'there is no <Grid> with its own <Geometry> and <Topology>'
grid XYZ "$points" 'TopologyType="3DCoRectMesh"' '2 2 2' >structured.xdmf && refused structured.xdmf 'a topology of type 3DCoRectMesh is not read'
grid ORIGIN_DXDYDZ '0 0 0' 'TopologyType="Hexahedron"' '0' >origin.xdmf && refused origin.xdmf 'a geometry of type ORIGIN_DXDYDZ is not read'
grid XYZ "$points" 'TopologyType="Hexahedron" NumberOfElements="2"' '0 1 2 3 4 5 6 7' >count.xdmf && refused count.xdmf '2 cells are announced, there are 1'
grid XYZ "$points" 'TopologyType="Hexahedron"' '0 1 2 3 4 5 6' >short.xdmf && refused short.xdmf '7 numbers are no cells of type Hexahedron'
grid XYZ "$points" 'TopologyType="Mixed"' '9 0 1 2' >cut.xdmf && refused cut.xdmf 'cell 0 has 8 nodes'
grid XYZ "$points" 'TopologyType="Mixed"' '77 0 1 2' >code.xdmf && refused code.xdmf 'cell 0 is of type 77, which is not read'
grid XYZ "0 0 zero" 'TopologyType="Hexahedron"' '0' >word.xdmf && refused word.xdmf 'holds what is no number'
grid XYZ "$points" 'TopologyType="Hexahedron"' '0 1 2 3 4 5 6 99' >beyond.xdmf && refused beyond.xdmf 'beyond.xdmf'
sed 's/Format="XML" NumberType="Int"/Format="HDF"/; s/0 1 2 3 4 5 6 7/..\/mesh.h5:\/c/' hex.xdmf >outside.xdmf && refused outside.xdmf "is not in this file's folder"
sed 's/Format="XML" NumberType="Int"/Format="Binary"/' hex.xdmf >binary.xdmf && refused binary.xdmf 'expected XML or HDF'
sed 's/Format="XML" NumberType="Int"/ItemType="HyperSlab"/' hex.xdmf >slab.xdmf && refused slab.xdmf 'of ItemType="HyperSlab" is not read'

# in HDF5, by h5py; and by meshio, both ways, where it is installed
$python -c 'import h5py' 2>/dev/null || { echo "h5py is not installed"; exit 77; }
$python - <<'END'
import h5py, numpy as np
with h5py.File("mesh.h5", "w") as f:
    f["Mesh/points"] = np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [0, 1, 1]], np.float32)
    f["Mesh/cells"] = np.arange(8, dtype=np.int32).reshape(1, 8)
END
cat >h5.xdmf <<'END'
<Xdmf Version="2.0"><Domain><Grid Name="mesh">
<Topology TopologyType="Hexahedron" NumberOfElements="1"><DataItem Format="HDF" Dimensions="1 8"> mesh.h5:/Mesh/cells </DataItem></Topology>
<Geometry GeometryType="XYZ"><DataItem Format="HDF" Dimensions="8 3">mesh.h5:/Mesh/points</DataItem></Geometry>
</Grid></Domain></Xdmf>
END
info h5.xdmf && has hex8 1 h5 && has volume '2 m3' h5
sed 's/8 3/9 3/' h5.xdmf >size.xdmf && refused size.xdmf 'Dimensions="9 3" of a <DataItem> with 24 values'
sed 's/cells /none /' h5.xdmf >none.xdmf && refused none.xdmf 'none'
if $python -c 'import meshio' 2>/dev/null; then
  $python - <<'END' || exit 1
import meshio, numpy as np
p = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [.5, 0, 2], [.5, 1, 2], [2, .5, .5], [2, 2, .5]])
cells = [("hexahedron", np.array([[0, 1, 2, 3, 4, 5, 6, 7]])), ("wedge", np.array([[4, 5, 8, 7, 6, 9]])),
         ("pyramid", np.array([[1, 2, 6, 5, 10]])), ("tetra", np.array([[2, 6, 10, 11]]))]
for form in ("XML", "HDF"):
    meshio.Mesh(p, cells).write(f"meshio_{form}.xdmf", data_format=form)
END
  # 1, a prism of 1/2, a pyramid of 1/3, a tetrahedron of 1/4
  for form in XML HDF; do info meshio_$form.xdmf && has volume '2.0833333 m3' meshio && has wedge6 1 meshio && has pyramid5 1 meshio; done
fi
echo "XDMF meshes"
