#!/bin/bash
# One surface file in every room: voxels, or tetrahedra cut from them; what does not fit is refused
# with the remedy.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*" >&2; exit 1; }
cp "$SOURCE/tests/files/box.stl" "$SOURCE/tests/files/prusaslicer.3mf" "$SOURCE/tests/files/gmsh.step" .
part='mesh: {stl: box.stl, voxel: 0.5 mm}'
steel='materials: {name: steel, density: 7850, conductivity: 20, specific_heat: 500, solidus: 1600 K, young: 200 GPa, poisson: 0.3, yield: 400 MPa, hardening: 2 GPa, fracture_energy: 352, cohesive_strength: 32 MPa, mechanical: {expansion: 1.5e-5}}'

# 1 MW/m^2 on 2 x 3 mm for 10 ms are 0.06 J
printf '%s\n' 'physics: thermal' "$part" "$steel" 'duration: 10 ms' 'boundary: {set: zmax, flux: 1e6}' 'output: {count: 0}' >thermal.yaml
# free to shrink on a plane: nothing but the thermal strain
printf '%s\n' 'physics: stress' "$part" "$steel" 'temperature: 353 K' 'supports: [{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}]' 'phases: {name: cool, duration: 600 s, steps: 1, temperature: [[0 s, 353 K], [600 s, 293 K]]}' 'output: {count: 0}' >stress.yaml
printf '%s\n' 'physics: dynamics' "$part" "$steel" 'supports: {set: zmin, fix: xyz}' 'loads: {set: zmax, total: [0, 0, -1 N]}' 'analysis: {duration: 1 us}' 'output: {count: 0}' >dynamics.yaml
printf '%s\n' 'physics: topopt' "$part" "$steel" 'volume: 0.5' 'supports: {set: zmin}' 'loads: {set: zmax, force: [1, 0, 0]}' 'iterations: 2' 'output: {count: 0}' >topopt.yaml
printf '%s\n' 'physics: fracture' "$part" "$steel" 'initial: {strain: [0, 0, 0.001, 0, 0, 0]}' 'duration: 20 ns' 'output: {count: 0}' >fracture.yaml

figure() { awk -v key="\"$2\":" '$1 == key { gsub(",", "", $2); print $2; exit }' "$1/summary.json"; }
for room in thermal stress dynamics topopt; do
  "$INGOT" run $room.yaml -q -t 1 --out $room 2>said || fail "$room: $(cat said)"
  [ "$(figure $room elements)" = 192 ] || fail "$room has $(figure $room elements) elements"
done
awk -v j="$(figure thermal flux)" 'BEGIN { exit !(j > 0.0599999 && j < 0.0600001) }' || fail "$(figure thermal flux) J"
# 4 mm x 1.5e-5 x 60 K at the top, with 2 and 3 mm across: 4.85 um in all
grep -q '"u_max"' stress/summary.json && awk -v u="$(figure stress u_max)" 'BEGIN { e = 9e-4 * sqrt(29) * 1e-3; exit !(u > 0.999 * e && u < 1.001 * e) }' || fail "u_max $(figure stress u_max)"
if "$INGOT" run fracture.yaml -q -t 1 --out fracture 2>said; then fail 'fracture of hexahedra'; fi
grep -q 'this one has hex8; `element: tet4` makes tetrahedra' said || fail "$(cat said)"
"$INGOT" run fracture.yaml -q -t 1 --set mesh.element=tet4 --out fracture 2>said || fail "fracture: $(cat said)"
[ "$(figure fracture elements)" = 1152 ] || fail "fracture has $(figure fracture elements) elements"
# a grid of topopt with the part in it: the same design as with the rest held void by boxes, bit by bit
printf '%s\n' 'physics: topopt' 'grid: {elements: [8, 8, 8], size: [4 mm, 4 mm, 4 mm], stl: box.stl}' "$steel" 'volume: 0.2' 'supports: {box: {max: [4 mm, 4 mm, 0]}}' 'loads: {box: {min: [0, 0, 4 mm], max: [2 mm, 3 mm, 4 mm]}, force: [1, 0, 0]}' 'iterations: 2' 'output: {count: 0}' >grid.yaml
sed 's/, stl: box.stl//' grid.yaml >boxes.yaml
echo 'passive: [{box: {min: [2 mm, 0, 0]}, as: void}, {box: {min: [0, 3 mm, 0]}, as: void}]' >>boxes.yaml
for one in grid boxes; do "$INGOT" run $one.yaml -q -t 1 --out $one 2>said || fail "$one: $(cat said)"; done
cmp grid/history.csv boxes/history.csv || fail 'a grid cut by a surface is not the one cut by boxes'
# elements outside the part stay void where `passive` says solid; an entry wholly outside is refused
sed 's/^passive: \[/passive: [{box: {min: [1 mm, 0, 0]}}, /' boxes.yaml >solid-boxes.yaml
{ cat grid.yaml; echo 'passive: [{box: {min: [1 mm, 0, 0]}}]'; } >solid-grid.yaml
for one in solid-grid solid-boxes; do "$INGOT" run $one.yaml -q -t 1 --out $one 2>said || fail "$one: $(cat said)"; done
cmp solid-grid/history.csv solid-boxes/history.csv || fail 'passive elements fill what is outside the part'
{ cat grid.yaml; echo 'passive: [{box: {min: [2 mm, 0, 0]}}]'; } >outside.yaml
if "$INGOT" run outside.yaml -q -t 1 --out out 2>said; then fail 'passive elements outside the part'; fi
grep -q "outside.yaml:9:11: passive: no element's centre of the part lies there" said || fail "$(cat said)"
# a load takes the nodes of the part alone, as the one on a box that ends with it
"$INGOT" run grid.yaml -q -t 1 --set loads='{box: {min: [0, 0, 4 mm]}, force: [1, 0, 0]}' --out wide 2>said || fail "$(cat said)"
cmp grid/history.csv wide/history.csv || fail 'a load takes nodes outside the part'
# part.stl, read again without a unit, as a slicer does, has the volume of the part; `surface.unit` is another unit
again() { # folder, unit of the file: mm3 as they are read again
  printf '%s\n' 'physics: thermal' "mesh: {stl: $1/part.stl, voxel: 0.5 mm$2}" "$steel" 'duration: 1 s' >again.yaml
  "$INGOT" check again.yaml 2>&1 | sed -n 's/.*closed, .* mm, volume \(.*\) mm3;.*/\1/p'
}
"$INGOT" run grid.yaml -q -t 1 --set surface.unit='1 m' --out metres 2>said || fail "$(cat said)"
for volume in "$(again grid '')" "$(again metres ', unit: 1 m')"; do
  awk -v v="$volume" -v s="$(figure grid surface_volume)" 'BEGIN { d = v / (1e9 * s) - 1; exit !(d < 1e-4 && d > -1e-4) }' || fail "part.stl read again: $volume mm3, the surface has $(figure grid surface_volume) m3"
done
if "$INGOT" run grid.yaml -q --set grid.translate='[3 mm, 0, 0]' --out out 2>said; then fail 'a part outside the grid'; fi
grep -q 'the part must lie in it' said || fail "$(cat said)"
# the other kinds of part, in one room
"$INGOT" run thermal.yaml -q -t 1 --set mesh.stl=prusaslicer.3mf --out other 2>said || fail "$(cat said)"
[ "$(figure other elements)" = 192 ] || fail "3MF: $(figure other elements)"
if "$INGOT" mesh info gmsh.step --edge 1mm >said 2>&1; then
  "$INGOT" run thermal.yaml -q -t 1 --set mesh='{file: gmsh.step, edge: 1 mm}' --out tets 2>said || fail "$(cat said)"
  awk -v j="$(figure tets flux)" 'BEGIN { exit !(j > 0.0199999 && j < 0.0200001) }' || fail "STEP: $(figure tets flux) J"
fi
