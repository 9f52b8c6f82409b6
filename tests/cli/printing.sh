# Distortion of a printed part in topopt against the room stress, which builds the same block layer by layer with other
# elements (mean dilatation).
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
figure() { sed -n "s/^ *\"$2\": *\([-0-9.e+]*\),*\$/\1/p" "$1/summary.json" | head -n 1; }
cat >design.yaml <<'YAML'
physics: topopt
volume: 1
grid: {elements: [20, 6, 10], size: [20 mm, 6 mm, 10 mm]}
filter: {kind: density, radius: 2 mm}
materials: [{name: m, young: 200 GPa, poisson: 0.3}]
iterations: 1
supports: [{set: xmin}]
loads: [{set: xmax, force: [0, 0, -100 N]}]
printing: {direction: z+, layers: 5, strain: [-0.003, -0.001, -0.002]}
constraints:
  - {box: {min: [20 mm, 6 mm, 10 mm]}, distortion: 1 mm}
  - {box: {min: [20 mm, 3 mm, 4 mm], max: [20 mm, 3 mm, 4 mm]}, distortion: 1 mm}
solver: {tolerance: 1e-8}
surface: {analyse: false}
output: {count: 0}
YAML
{
  cat <<'YAML'
physics: stress
mesh: {boxes: [{name: part, size: [20 mm, 6 mm, 10 mm], cells: [20, 6, 10]}]}
materials: {name: m, young: 200 GPa, poisson: 0.3}
inherent: {set: part, strain: [-0.003, -0.001, -0.002]}
supports: [{set: zmin, fix: all}]
phases: [{name: build, kind: build, set: part, height: 2 mm, new_nodes: undeformed}]
element: bbar
output: {count: 0}
probes:
YAML
  for d in x y z; do
    echo "  - {name: top_$d, point: [20 mm, 6 mm, 10 mm], quantity: u$d}"
    echo "  - {name: side_$d, point: [20 mm, 3 mm, 4 mm], quantity: u$d}"
  done
} >built.yaml
for run in design built; do
  "$INGOT" run "$run.yaml" --backend cpu -t 1 -q -o "$run" 2>log || { cat log; exit 1; }
done
near() { # constraint, probe
  awk -v a="$(figure design "constraint_$1_distortion")" -v x="$(figure built "$2_x")" -v y="$(figure built "$2_y")" -v z="$(figure built "$2_z")" \
    'BEGIN { b = sqrt(x * x + y * y + z * z); exit !(b > 0 && (a - b)^2 <= (0.03 * b)^2) }' ||
    { echo "at the $2 $(figure design "constraint_$1_distortion"), by stress $(figure built "$2_x") $(figure built "$2_y") $(figure built "$2_z")"; exit 1; }
}
near 1 top
near 2 side

# the same block as a mesh of hexahedra, and of quadratic tetrahedra
sed 's/grid: .*/mesh: {boxes: [{name: part, size: [20 mm, 6 mm, 10 mm], cells: [20, 6, 10]}]}/' design.yaml >mesh.yaml
sed 's/cells: .*/cells: [10, 3, 5]}], element: tet10}/' mesh.yaml >tets.yaml
for run in mesh tets; do
  "$INGOT" run "$run.yaml" --backend cpu -t 1 -q -o "$run" 2>log || { cat log; exit 1; }
done
for i in 1 2; do
  awk -v a="$(figure mesh "constraint_${i}_distortion")" -v b="$(figure design "constraint_${i}_distortion")" \
    -v c="$(figure tets "constraint_${i}_distortion")" \
    'BEGIN { exit !(b > 0 && (a - b)^2 <= (1e-6 * b)^2 && (c - b)^2 <= (0.03 * b)^2) }' ||
    { echo "distortion $i of a grid, its mesh, and tetrahedra: $(for run in design mesh tets; do figure $run constraint_${i}_distortion; done)"; exit 1; }
done

# half of the block and its quarter have the mean of the whole: nodes on planes of symmetry count once, others twice
cat >whole.yaml <<'YAML'
physics: topopt
volume: 1
grid: {elements: [8, 6, 4], size: [20 mm, 6 mm, 10 mm]}
filter: {kind: density, radius: 4 mm}
materials: [{name: m, young: 200 GPa, poisson: 0.3}]
iterations: 1
supports: [{set: zmin}]
loads: [{set: zmax, force: [0, 0, -100 N]}]
printing: {direction: z+, layers: 4, strain: [-0.003, -0.001, -0.002]}
constraints: [{set: zmax, distortion: 1 mm}]
solver: {tolerance: 1e-9}
surface: {analyse: false}
output: {count: 0}
YAML
sed 's/\[8, 6, 4\], size: \[20 mm/[4, 6, 4], size: [10 mm/; /^volume/a symmetry: [x-]' whole.yaml >half.yaml
sed 's/\[8, 6, 4\], size: \[20 mm, 6 mm/[4, 3, 4], size: [10 mm, 3 mm/; /^volume/a symmetry: [x-, y+]' whole.yaml >quarter.yaml
for run in whole half quarter; do
  "$INGOT" run "$run.yaml" --backend cpu -t 1 -q -o "$run" 2>log || { cat log; exit 1; }
  figure "$run" constraint_1_distortion
done | awk 'NR == 1 { whole = $1 } { off = $1 / whole - 1; worst = off^2 > worst ? off^2 : worst }
  END { if (NR != 3 || worst > 1e-12) { print "distortions of a whole block, its half and quarter: " sqrt(worst) " apart"; exit 1 } }' || exit 1

# supports and heat are those of the part that is exported, cut at the level of its surface, and decide whether it is
# feasible: gray densities keep both bounds, the part neither
cat >gray.yaml <<'YAML'
physics: topopt
volume: 0.4
grid: {elements: [12, 4, 8], size: [24 mm, 8 mm, 16 mm]}
filter: {kind: density, radius: 4 mm}
materials: [{name: m, young: 200 GPa, poisson: 0.3}]
iterations: 8
supports: [{set: xmin}]
loads: [{box: {min: [24 mm, 0, 8 mm], max: [24 mm, 8 mm, 8 mm]}, force: [0, 0, -1 kN]}]
printing: {support_strength: 20 MPa}
constraints: [{support_volume: 0.2 cm^3}, {box: {max: [12 mm, 1, 1]}, removal_force: 1 MN}, {overheating: 3}]
surface: {analyse: false}
output: {count: 0}
YAML
"$INGOT" run gray.yaml --backend cpu -t 1 -q -o gray 2>log || { cat log; exit 1; }
sed "s/analyse: false/analyse: false, level: $(figure gray surface_level)/" gray.yaml >cut.yaml
"$INGOT" run cut.yaml --backend cpu -t 1 -q -o cut 2>log || { cat log; exit 1; }
for key in support_volume removal_force overheating part_constraint_1_support_volume part_constraint_2_removal_force; do
  [ -n "$(figure gray $key)" ] && [ "$(figure gray $key)" = "$(figure cut $key)" ] ||
    { echo "$key: $(figure gray $key), cut at that level $(figure cut $key)"; exit 1; }
done
[ "$(figure gray support_volume)" = "$(figure gray part_constraint_1_support_volume)" ] &&
  awk -v a="$(figure gray part_constraint_2_removal_force)" -v b="$(figure gray removal_force)" 'BEGIN { exit !(a > 0 && a < b) }' &&
  awk -v a="$(figure gray constraint_1_support_volume)" -v b="$(figure gray constraint_3_overheating)" 'BEGIN { exit !(a <= 2e-7 && b <= 3) }' &&
  grep -q '"feasible": "no: constraint [13] (.*) of the finished part' gray/summary.json ||
  { echo "gray:"; grep -E 'constraint|support|removal|heat|feasible' gray/summary.json; exit 1; }

# the same body as a mesh: figures of the print of the same part (its slabs reach into the plate, which makes heat differ)
sed 's/^grid: .*/mesh: {boxes: [{size: [24 mm, 8 mm, 16 mm], cells: [12, 4, 8]}]}/' gray.yaml >even.yaml
"$INGOT" run even.yaml --backend debug -t 1 -q -o even 2>log || { cat log; exit 1; }
for key in constraint_1_support_volume constraint_2_removal_force support_volume support_contact removal_force overheating; do
  a=$(figure gray $key) b=$(figure even $key)
  awk -v a="$a" -v b="$b" -v slack="$([ $key = overheating ] && echo 0.1 || echo 1e-3)" \
    'BEGIN { exit !(a > 0 && a - b <= slack * a && b - a <= slack * a) }' || { echo "$key: grid $a, mesh $b"; exit 1; }
done
sed 's/^mesh: .*/mesh: {element: tet10, boxes: [{size: [24 mm, 8 mm, 16 mm], cells: [12, 4, 8]}]}/; s/^iterations: 8/iterations: 1/; s/^constraints.*/minimise: support_volume\nconstraints: [{compliance: 1 J}]/' \
  even.yaml >tets.yaml
"$INGOT" run tets.yaml --backend cpu -t 1 -q -o tets 2>log || { cat log; exit 1; }
[ -n "$(figure tets support_volume)" ] || { echo "no supports of tetrahedra"; exit 1; }

# what is refused, and where
refused() { # name, words
  "$INGOT" check "$1.yaml" >out 2>&1 && { echo "$1 is taken"; exit 1; }
  grep -q "$2" out || { echo "$1:"; cat out; exit 1; }
}
sed 's/layers: 5/layers: 11/' design.yaml >many.yaml
refused many "layers: 11, but the grid has 10 elements along z"
sed 's/direction: z+/direction: up/' design.yaml >up.yaml
refused up "'up' is no direction"
sed '/printing/d' design.yaml >none.yaml
refused none 'Give `printing: {strain:'
sed '/distortion: 1 mm/d; /constraints/d' design.yaml >unused.yaml
refused unused "printing: strain: has no effect here"
sed 's/grid: .*/mesh: {boxes: [{name: part, size: [20 mm, 6 mm, 10 mm], cells: [20, 6, 10]}]}/; s/layers: 5/layers: 11/' design.yaml >thin.yaml
refused thin "of 11 no element's centre lies in layer 6"
sed "s/grid: .*/mesh: {tube: {inner: 8 mm, outer: 12 mm, angle: '180 deg', height: 6 mm, cells: [2, 12, 3]}}/; s/z+/y-/; s/xmin/start/; s/xmax/end/; /box/d; s/^constraints:/constraints: [{set: start, distortion: 1 mm}]/" design.yaml >line.yaml
refused line "touches its lowest plane along y- in no more than a line"
