# A user's own geometry: Gmsh meshes it the same way each time, its physical groups are sets, and the
# rooms that take its elements run on it. Skipped where there is no Gmsh.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >part.geo <<'END'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 40, 10, 5};
Cylinder(2) = {32, 5, -1, 0, 0, 7, 3};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Physical Volume("bracket") = {3};
f() = Surface In BoundingBox {-0.1, -1, -1, 0.1, 11, 6};
Physical Surface("clamp") = {f()};
h() = Surface In BoundingBox {28, 1, -1, 36, 9, 6};
Physical Surface("hole") = {h()};
Mesh.MeshSizeMax = 3;
END
"$INGOT" mesh convert part.geo 1.vtk --unit 0.001 >log 2>&1 || {
  grep -qi gmsh log && { cat log; exit 77; }
  cat log
  exit 1
}
for again in 2 3 4 5; do
  "$INGOT" mesh convert part.geo $again.vtk --unit 0.001 >log 2>&1 && cmp 1.vtk $again.vtk || { echo "another mesh of the same geometry"; exit 1; }
done

cat >pull.yaml <<'END'
physics: dynamics
mesh: {file: part.geo, unit: 1 mm}
materials: {name: aluminium, density: 2700 kg/m3, young: 70 GPa, poisson: 0.33}
supports: {set: clamp, fix: all}
loads: {set: hole, total: [0, 0, -200 N]}
analysis: {duration: 20 us}
END
"$INGOT" run pull.yaml --backend cpu --threads 1 --quiet || exit 1
grep -q '"displacement_max"' pull-out/summary.json || { echo "no displacement_max"; exit 1; }

# every tetrahedron into four hexahedra, for the rooms that take no others
{ cat part.geo; echo 'Mesh.SubdivisionAlgorithm = 2;'; } >hex.geo
cat >heat.yaml <<'END'
physics: thermal
mesh: {file: hex.geo, unit: 1 mm}
materials: {name: aluminium, density: 2700 kg/m3, conductivity: 200 W/(m K), specific_heat: 900 J/(kg K)}
boundary: {set: hole, temperature: 400 K}
duration: 5 ms
END
"$INGOT" run heat.yaml --backend cpu --threads 1 --quiet || exit 1
sed 's/hex.geo/part.geo/' heat.yaml >tets.yaml
"$INGOT" run tets.yaml --backend cpu --threads 1 --quiet || exit 1 # tetrahedra, too
echo "the same mesh five times; dynamics and thermal run on it"
# sets that overlap, of elements, faces and nodes, survive a .msh file
"$INGOT" mesh convert "$SOURCE/tests/files/abaqus-keywords.inp" overlap.msh -q 2>/dev/null || { echo 'not written'; exit 1; }
"$INGOT" mesh info overlap.msh >after 2>/dev/null
"$INGOT" mesh info "$SOURCE/tests/files/abaqus-keywords.inp" 2>/dev/null | grep '^set' | while read -r line; do
  grep -qxF -- "$line" after || { echo "lost in .msh: $line"; exit 1; }
done || exit 1
