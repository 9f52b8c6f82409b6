# ingot finish: the part of an optimisation is meshed, carries the loads and supports of its case, and its figures are
# those of beam theory, of the deck it writes, and of CalculiX where that is installed. Skipped where there is no Gmsh.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
beam() { # a solid bar of 80 x 10 x 10 mm with 100 N across its end; the rest of the case
  cat <<'YAML'
physics: topopt
output: {count: 0}
materials: [{name: m, young: 200 GPa, poisson: 0, density: 7800 kg/m3}]
volume: 1
filter: {kind: none}
iterations: 1
YAML
  printf '%s\n' "$@"
}
figure() { sed -n "s/^ *\"$2\": *\([-0-9.e+]*\),*\$/\1/p" "$1/summary.json" | head -n 1; }
near() { # what, value, expected, share
  awk -v a="$2" -v b="$3" -v r="$4" 'BEGIN { exit !(a != "" && (a - b)^2 <= (r * b)^2) }' || { echo "$1 is '$2', expected $3"; exit 1; }
}
run() { "$INGOT" run "$1.yaml" --backend cpu -t 1 -q -o "$1" 2>log || { cat log; exit 1; }; }
finish() { "$INGOT" finish "$@" -t 1 -q >table 2>log; }

beam 'grid: {elements: [32, 4, 4], size: [80 mm, 10 mm, 10 mm]}' 'supports: [{set: xmin}]' \
  'loads: [{set: xmax, force: [0, 0, -100], spread: faces}]' >whole.yaml
run whole
finish whole -e '2.5 mm' --step || {
  grep -qi 'gmsh' log && { cat log; exit 77; }
  cat log
  exit 1
}
# F^2 (L^3 / 3 E I + 1.2 L / G A); 6 F L / b h^2
near compliance "$(figure whole/finished compliance)" 0.010336 0.003
near displacement "$(figure whole/finished displacement)" 1.0336e-4 0.01
near stress "$(figure whole/finished stress)" 48e6 0.05
near mass "$(figure whole/finished mass)" 0.0624 1e-4
near 'smallest member' "$(figure whole/finished member_smallest)" 0.01 1e-4
near 'sum of the loads' "$(figure whole/finished load_sum_z)" -100 1e-9
grep -q '"feasible": "yes"' whole/finished/summary.json || { echo 'not feasible without a bound'; exit 1; }

# a signal ends it soon, says what there is, and the finished part of before stays whole
cat whole/finished/* | cksum >sum
"$INGOT" finish whole -e '1 mm' --frequencies 10 -t 1 -q >table 2>log &
pid=$!
sleep 0.7
kill -TERM $pid
began=$(date +%s)
wait $pid
[ $? = 1 ] && [ $(($(date +%s) - began)) -lt 15 ] || { echo 'a signal does not end it'; cat log; exit 1; }
grep -q "interrupted while the part was analysed.*: nothing of that is kept; the design in 'whole' is as it was, and so is its finished part of before" log || { cat log; exit 1; }
[ ! -e whole/finished-in-work ] && cat whole/finished/* | cksum | cmp -s - sum || { echo 'half of a finished part'; ls -R whole; exit 1; }

# the deck is the same model
"$INGOT" run whole/finished/part.inp --backend cpu -t 1 -q -o deck 2>log || { cat log; exit 1; }
near 'displacement of the deck' "$(figure deck displacement_max)" "$(figure whole/finished displacement)" 1e-6
if command -v ccx >/dev/null 2>&1; then
  (cd whole/finished && OMP_NUM_THREADS=1 ccx part >../../ccx.log 2>&1) && [ -s whole/finished/part.frd ] || { tail -5 ccx.log; exit 1; }
  # component 3 of the displacements, columns 37 to 48 of lines of nodes
  most=$(awk '/^ -4  DISP/ { on = 1; next } /^ -3/ { on = 0 } on && /^ -1/ { u = substr($0, 38, 12) + 0; if (-u > m) m = -u } END { print m }' whole/finished/part.frd)
  near 'displacement by CalculiX' "$most" "$(figure whole/finished displacement)" 0.02
fi

# the part of a design for large deflections is analysed for them: P L^2 / E I = 1.54, Bisshopp and Drucker's elastica
# has 0.41 L; its bounds are those of large ones, and one that folds is not feasible
{ sed 's/200 GPa/1 GPa/; s/-100/-200/' whole.yaml; echo 'analysis: {large_deflections: true, load_steps: 2}
constraints: [{set: xmax, displacement: 40 mm, direction: [0, 0, -1]}]'; } >large.yaml
run large
finish large -e '4 mm' --meshes 1 || { cat log; exit 1; }
near 'large displacement' "$(figure large/finished displacement)" "$(figure large large_displacement)" 0.05
near 'large deflection' "$(figure large/finished constraint_1_displacement)" 0.0335 0.02
grep -q 'NLGEOM' large/finished/part.inp || { echo 'the deck is one for small deflections'; exit 1; }
"$INGOT" run large/finished/part.inp --backend cpu -t 1 -q -o deck 2>log || { cat log; exit 1; }
near 'displacement of the deck' "$(figure deck displacement_max)" "$(figure large/finished displacement)" 1e-4
finish large -e '4 mm' --meshes 1 --buckling 1 && { echo 'buckling of large deflections'; exit 1; }
grep -q 'buckling: they are those of small deflections' log || { cat log; exit 1; }
sed -i "s/'-200'/'-4e5'/; s/-200/-4e5/" large/case.yaml
finish large -e '4 mm' --meshes 1 || { cat log; exit 1; }
grep -q '"feasible": "no: under load case 1 the part finds no equilibrium' large/finished/summary.json || { cat log; exit 1; }

# a solid that CAD programs read
"$INGOT" mesh convert whole/finished/part.step solid.msh --unit mm -e '4 mm' -q 2>log || { cat log; exit 1; }
near 'volume of part.step' "$("$INGOT" mesh info solid.msh 2>/dev/null | awk '$1 == "volume" { print $2 }')" 8e-6 1e-5

# planes and cylinders are faces: the box has six; a bolt hole that the case of a grid names, and the holes of CAD, are
# cylinders, whose volume is that of the circle, and are so when Gmsh has read them
faces() { grep -c "=$2(" "$1/finished/part.step"; }
[ "$(faces whole ADVANCED_FACE)" = 6 ] || { echo "faces of the box: $(faces whole ADVANCED_FACE)"; exit 1; }
cat >bolt.yaml <<'END'
physics: topopt
grid: {elements: [24, 16, 6], size: [24 mm, 16 mm, 6 mm]}
volume: 0.99
supports: [{set: xmin}]
loads: [{set: xmax, force: [0, -100, 0], spread: faces}]
passive: [{box: {min: [0, 0, 1 mm], max: [1, 1, 1]}}, {cylinder: {from: [12 mm, 8 mm, -1], to: [12 mm, 8 mm, 1], radius: 3 mm}, as: void}]
materials: [{name: a, young: 200 GPa, poisson: 0.3}]
filter: {kind: none}
iterations: 1
surface: {formats: [stl]}
END
cat >cad.geo <<'END'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 30, 20, 6};
Cylinder(2) = {10, 10, -1, 0, 0, 8, 4};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Mesh.MeshSizeMax = 3;
Mesh.MeshSizeMin = 1.5;
Physical Volume("part") = {3};
END
sed '/^passive/d; s/\[stl\]/[stl], level: 0.5/; s/^grid.*/mesh: {file: cad.geo, unit: 1 mm}/; s/{set: xmin}/{box: {max: [0, 1, 1]}}/; s/{set: xmax/{box: {min: [30 mm, 0, 0], max: [30 mm, 1, 1]}/' bolt.yaml >cad.yaml
echo 'passive: [{box: {min: [0, 0, 3 mm], max: [1, 1, 1]}}]' >>cad.yaml
for part in bolt:3:24:16 cad:4:30:20; do
  IFS=: read -r name radius long wide <<<"$part"
  run $name
  finish $name --meshes 1 --step || { cat log; exit 1; }
  [ "$(faces $name CYLINDRICAL_SURFACE)" = 2 ] || { echo "$name: $(faces $name CYLINDRICAL_SURFACE) cylinders"; exit 1; }
  grep -o "=CYLINDRICAL_SURFACE('',#[0-9]*,[^)]*" $name/finished/part.step | sed 's/.*,//' >radii
  while read -r r; do near "radius of $name" "$r" $radius 5e-4; done <radii
  if command -v python3 >/dev/null 2>&1; then
    python3 - $name/finished/part.step $radius $long $wide 6 <<'END' || { echo "$name: Gmsh sees other faces"; exit 1; }
import ctypes, ctypes.util, math, sys
lib = ctypes.util.find_library('gmsh')
if not lib:
    sys.exit(0)
gmsh, error, tags, count = ctypes.CDLL(lib), ctypes.c_int(0), ctypes.POINTER(ctypes.c_int)(), ctypes.c_size_t(0)
gmsh.gmshInitialize(0, None, 0, ctypes.byref(error))
gmsh.gmshOptionSetNumber(b'General.Terminal', ctypes.c_double(0), ctypes.byref(error))
gmsh.gmshOpen(sys.argv[1].encode(), ctypes.byref(error))
gmsh.gmshModelGetEntities(ctypes.byref(tags), ctypes.byref(count), 2, ctypes.byref(error))
kinds = {}
for i in range(1, count.value, 2):
    kind = ctypes.c_char_p()
    gmsh.gmshModelGetType(2, tags[i], ctypes.byref(kind), ctypes.byref(error))
    kinds[kind.value.decode()] = kinds.get(kind.value.decode(), 0) + 1
volume = ctypes.c_double(0)
gmsh.gmshModelOccGetMass(3, 1, ctypes.byref(volume), ctypes.byref(error))
radius, long, wide, high = map(float, sys.argv[2:])
exact = (long * wide - math.pi * radius * radius) * high
print(kinds, volume.value, exact)
sys.exit(kinds != {'Plane': 6, 'Cylinder': 2} or abs(volume.value - exact) > 1e-3 * exact)
END
  fi
done

# bounds are those of the finished part, with its error
{ cat whole.yaml; echo 'constraints: [{compliance: 1 J}, {stress: 20 MPa}, {mass: 1 kg}]
stress: {exclude: [clamp]}
sets: [{name: clamp, box: {max: [8 mm, 1, 1]}}]'; } >bounds.yaml
run bounds
finish bounds --meshes 2 -e '2.5 mm' || { cat log; exit 1; }
grep -q '"feasible": "no: constraint 2 (stress) is .* with its error' bounds/finished/summary.json || { echo 'feasible though the stress is twice its bound'; exit 1; }
grep -q 'warning.*not feasible' log || { echo 'no warning'; exit 1; }
near 'mass of the bound' "$(figure bounds/finished constraint_3_mass)" "$(figure bounds/finished mass)" 1e-9

# a bound that meshes do not tell holds where the run says so
{ cat whole.yaml; echo 'constraints: [{compliance: 1 J}, {member: 8 mm}]'; } >unchecked.yaml
run unchecked
finish unchecked --meshes 1 -e '4 mm' || { cat log; exit 1; }
grep -q '"not_checked": "2 (member)"' unchecked/finished/summary.json && grep -q '"feasible": "no: constraint 2 (member) is .* by the run' unchecked/finished/summary.json ||
  { echo 'a bound that the design oversteps is lost'; cat unchecked/finished/summary.json; exit 1; }

# half of a bar between two supports, with a plane of symmetry: the part is the whole bar, with both loads
beam 'grid: {elements: [16, 4, 4], size: [40 mm, 10 mm, 10 mm]}' 'symmetry: [x-]' \
  'supports: [{box: {min: [40 mm, 0, 0], max: [40 mm, 1, 0]}, fix: z}, {box: {min: [40 mm, 0, 0], max: [40 mm, 0, 0]}, fix: y}]' \
  'loads: [{set: zmax, force: [0, 0, -50], spread: faces}, {gravity: [0, 0, -9.81], load_case: 2}]' >half.yaml
run half
finish half --meshes 1 -e '2.5 mm' || { cat log; exit 1; }
near 'sum of both halves' "$(figure half/finished load_case_1_load_sum_z)" -100 1e-9
near 'weight of both halves' "$(figure half/finished load_case_2_load_sum_z)" -0.6121 1e-3
near 'compliance of both halves' "$(figure half/finished load_case_1)" "$(awk -v a="$(figure half load_case_1)" 'BEGIN { print 2 * a }')" 0.08

# loads that end at a plane of symmetry and in the middle of a face: their areas, forces and moments
beam 'grid: {elements: [16, 4, 4], size: [40 mm, 10 mm, 10 mm]}' 'symmetry: [z+]' 'supports: [{set: xmin}]' \
  'loads: [{box: {min: [28 mm, 10 mm, 4 mm], max: [37 mm, 10 mm, 10 mm]}, force: [0, -50, 0], spread: faces}, {box: {min: [28 mm, 10 mm, 4 mm], max: [37 mm, 10 mm, 10 mm]}, pressure: 1 MPa, load_case: 2}]' >plane_z.yaml
run plane_z
"$INGOT" finish plane_z --meshes 1 -e '2.7 mm' -t 1 >table 2>log || { cat log; exit 1; }
for i in 1 2; do
  near "area of load $i" "$(sed -n "s/.*load $i: on \([-0-9.e]*\) m^2.*/\1/p" log)" 1.08e-4 0.003
done
# r x F about the origin: the resultant is at x = 32.5 mm in the plane of symmetry
moments() { awk -F, '/^\*/ { on = toupper($1); step += on ~ /STEP/ && on !~ /END/; next } on ~ /^\*NODE$/ { for (d = 1; d <= 3; d++) x[$1 + 0, d] = $(d + 1) }
  on ~ /CLOAD/ && step == s { d = $2 + 0; e = d % 3 + 1; g = e % 3 + 1; m[e] += x[$1 + 0, g] * $3; m[g] -= x[$1 + 0, e] * $3 }
  END { print m[1], m[3] }' s="$1" plane_z/finished/part.inp; }
read -r mx mz <<<"$(moments 1)"
near 'moment of the force about the plane' "$mx" 1 0.001
near 'moment of the force' "$mz" -3.25 0.001
read -r mx mz <<<"$(moments 2)"
near 'moment of the pressure about the plane' "$mx" 1.08 0.003
near 'moment of the pressure' "$mz" -3.51 0.003

# `finish` in the case: figures of the part beside those of the design, and they decide
{ cat whole.yaml; echo 'finish: {meshes: 1, size: 2.5 mm, frequencies: 1}
constraints: [{stress: 48 MPa}]'; } >key.yaml
"$INGOT" run key.yaml --backend cpu -t 1 -o key >table 2>log || { cat log; exit 1; }
grep -q '"feasible": "no: of the finished part: constraint 1 (stress) is' key/summary.json || { echo 'the part does not decide'; exit 1; }
grep -q '^feasible .*no: of the finished part' table || { echo 'the table says otherwise'; cat table; exit 1; }
near 'compliance in the summary' "$(figure key finished_compliance)" 0.010336 0.003
# Timoshenko: 1.5 % below 1.875^2 / 2 pi sqrt(E I / rho A L^4)
near 'natural frequency' "$(figure key finished_frequency_1)" 1259 0.01
cp key/summary.json before.json
# Euler with shear: 64255 N and 0.8 % less; the density model is 3 % too stiff
beam 'grid: {elements: [32, 4, 4], size: [80 mm, 10 mm, 10 mm]}' 'supports: [{set: xmin}]' 'finish: {meshes: 1, size: 4 mm, buckling: 2}' \
  'loads: [{set: xmax, force: [-1000, 0, 0], spread: faces}]' 'constraints: [{buckling: 65}]' >pressed.yaml
run pressed
near 'factor of the density model' "$(figure pressed buckling_1)" 65.7 0.005
near 'load factor of the part' "$(figure pressed finished_buckling_1)" 63.76 0.01
near 'second load factor of the part' "$(figure pressed finished_buckling_2)" "$(figure pressed finished_buckling_1)" 0.005
grep -q '"feasible": "no: of the finished part: constraint 1 (buckling) is 63' pressed/summary.json || { echo 'the part buckles and is feasible'; exit 1; }
! command -v python3 >/dev/null || python3 -m json.tool key/summary.json >/dev/null || { echo 'summary.json is no JSON'; exit 1; }
"$INGOT" run key.yaml --backend cpu -t 1 -q -o key --resume >table 2>log && cmp -s key/summary.json before.json || { echo 'a run that is up to date changes its summary'; exit 1; }
# Miner's sum of a bar in tension, by hand: 300 MPa to and fro; 400 MPa on and off, after Goodman 257 MPa
beam 'grid: {elements: [16, 4, 4], size: [40 mm, 10 mm, 10 mm]}' 'supports: [{set: xmin}]' \
  'finish: {meshes: 1, size: 3 mm, spectrum: [{factor: 30, cycles: 1e4}, {factor: 40, ratio: 0, cycles: 1e3}]}' \
  'loads: [{set: xmax, force: [1000, 0, 0], spread: faces}]' |
  sed 's/^materials.*/materials: [{name: m, young: 200 GPa, poisson: 0, density: 7800, fatigue: {coefficient: 2 GPa, exponent: -0.1, ultimate: 900 MPa}}]/' >cycles.yaml
run cycles
near 'damage of the spectrum' "$(figure cycles finished_damage)" "$(awk 'BEGIN { print 2e4 / (2000 / 300) ^ 10 + 2e3 / (2000 / (200 / (1 - 200 / 900))) ^ 10 }')" 0.02
# other cycles, and what else the case did not ask for, from the command line
finish cycles --spectrum '[{factor: 30, cycles: 1e4}]' --large-deflections --frequencies 1 || { cat log; exit 1; }
near 'damage of the command line' "$(figure cycles/finished damage)" "$(awk 'BEGIN { print 2e4 / (2000 / 300) ^ 10 }')" 0.02
near 'work of large deflections of the command line' "$(figure cycles/finished large_compliance)" "$(figure cycles/finished compliance)" 0.01
! finish cycles --spectrum '[{cycles: many}]' && grep -q 'spectrum' log || { echo 'a spectrum that is none is not refused'; cat log; exit 1; }
# the same after Sines: 200 MPa and 0.3 of a mean trace of 200 MPa, of either sign
sed 's/ultimate: 900 MPa/mean_stress: 0.3/; s/factor: 40, ratio: 0, cycles: 1e3}/factor: 40, ratio: 0, cycles: 1e3}, {factor: -40, ratio: 0, cycles: 1e6}/' cycles.yaml >sines.yaml
run sines
near 'damage after Sines' "$(figure sines finished_damage)" "$(awk 'BEGIN { print 2e4 / (2000 / 300) ^ 10 + 2e3 / (2000 / 260) ^ 10 + 2e6 / (2000 / 140) ^ 10 }')" 0.02
# a uniform stress is the same on all meshes but for rounding, which is no growth
beam 'grid: {elements: [16, 4, 4], size: [40 mm, 10 mm, 10 mm]}' 'finish: {meshes: 3, size: 4 mm}' \
  'supports: [{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]' 'loads: [{set: xmax, force: [1000, 0, 0], spread: faces}]' >even.yaml
run even
near 'uniform stress' "$(figure even finished_stress)" 1e7 1e-6
! grep -q 'grows with every finer mesh' even/summary.json || { echo 'a uniform stress grows'; exit 1; }
sed 's/cycles: 1e4/cycles: 1e9/' cycles.yaml >worn.yaml
run worn
grep -q '"feasible": "no: of the finished part: the spectrum does a damage' worn/summary.json || { echo 'the part is worn and feasible'; exit 1; }
# an elastica: P L^2 / E I = 2 moves the end by 0.4935 L (Bisshopp and Drucker 1945), linear theory by 0.6667 L
beam 'grid: {elements: [40, 2, 2], size: [200 mm, 10 mm, 10 mm]}' 'supports: [{set: xmin}]' 'finish: {meshes: 1, size: 5 mm, large_deflections: true}' \
  'loads: [{set: xmax, force: [0, 0, -8333.33], spread: faces}]' >bent.yaml
run bent
near 'work of large deflections' "$(figure bent finished_large_compliance)" 822.5 0.01
grep -q 'large deflections: load case 1 moves the part by' bent/summary.json || { echo 'no warning of large deflections'; exit 1; }
# two materials in a row: F^2 (L1 / E1 A + L2 / E2 A)
beam 'grid: {elements: [16, 4, 4], size: [40 mm, 10 mm, 10 mm]}' 'sets: [{name: far, box: {min: [20 mm, 0, 0]}}]' 'supports: [{set: xmin}]' \
  'loads: [{set: xmax, force: [1000, 0, 0], spread: faces}]' 'finish: {meshes: 1, size: 2.5 mm}' |
  sed 's/^materials.*/materials: [{name: a, young: 200 GPa, poisson: 0, density: 7800 kg\/m3}, {name: b, young: 100 GPa, poisson: 0, density: 2700 kg\/m3, set: far}]/' >two.yaml
run two
near 'compliance of two materials' "$(figure two finished_compliance)" 0.003 0.005
near 'mass of two materials' "$(figure two finished_mass)" 0.021 0.01
grep -q 'do not follow the faces between materials' two/summary.json || { echo 'no warning of the faces between materials'; exit 1; }

# a warm bar between walls: E a T, 2 V E (a T)^2
beam 'grid: {elements: [16, 4, 4], size: [40 mm, 10 mm, 10 mm]}' 'temperature_change: 100' 'finish: {meshes: 1, size: 2.5 mm}' \
  'supports: [{set: xmin, fix: x}, {set: xmax, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]' |
  sed 's/density: 7800 kg.m3/mechanical: {expansion: 1e-5}/' >warm.yaml
run warm
near 'stress of a warm bar' "$(figure warm finished_stress)" 200e6 1e-6
near 'compliance of a warm bar' "$(figure warm finished_compliance)" 1.6 1e-6
near 'displacement of a warm bar' "$(figure warm finished_displacement)" 1.41421e-5 1e-4

# a mesh: a pressure on a set of faces, a moment on another
beam 'mesh: {boxes: [{name: b, size: [80 mm, 10 mm, 10 mm], cells: [16, 4, 4]}]}' 'supports: [{set: xmin}]' \
  'loads: [{set: zmax, pressure: 1 MPa}, {set: xmax, moment: [0, 2, 0], load_case: 2}]' >mesh.yaml
run mesh
finish mesh --meshes 1 -e '2.5 mm' || { cat log; exit 1; }
near 'force of the pressure' "$(figure mesh/finished load_case_1_load_sum_z)" -800 1e-3
# q L^4 / 8 E I (and a little shear) and M L^2 / 2 E I at the end; their work: q^2 L^5 / 20 E I and M^2 L / E I
near 'work of the pressure' "$(figure mesh/finished load_case_1)" 0.0983 0.03
near 'work of the moment' "$(figure mesh/finished load_case_2)" 0.00192 0.03

# a new run removes what was found of the former one's part, and nothing else
echo mine >mesh/finished/notes
run mesh
[ ! -e mesh/finished/summary.json ] && [ ! -e mesh/finished/part.inp ] || { echo "figures of another run's part are left"; exit 1; }
[ -e mesh/finished/notes ] || { echo "a file of the user's was removed"; exit 1; }

# what has no finished part is refused by its name
bad() { # case, words of the message
  finish "$1"
  [ $? -eq 2 ] || { echo "$1: exit code is not 2"; cat log; exit 1; }
  grep -q "error: .*$2" log || { echo "$1: expected '$2'"; cat log; exit 1; }
  [ ! -e "$1/finished" ] || { echo "$1: files were written"; exit 1; }
}
mkdir empty
bad empty 'expected a folder'
beam 'grid: {elements: [32, 4, 0]}' 'supports: [{set: xmin}]' 'loads: [{set: xmax, force: [0, 1, 0]}]' >plane.yaml
run plane
bad plane 'plane designs'
# the optimisation has taken away what a load without weight acts on
beam 'grid: {elements: [16, 4, 8], size: [16 mm, 4 mm, 8 mm]}' 'supports: [{set: xmin}]' 'weights: [1, 0]' \
  'loads: [{box: {min: [16 mm, 0, 0], max: [16 mm, 1, 0]}, force: [0, 0, -1]}, {box: {min: [14 mm, 0, 8 mm], max: [16 mm, 1, 8 mm]}, pressure: 1 MPa, load_case: 2}]' |
  sed 's/^volume: 1/volume: 0.3/; s/kind: none/kind: density, radius: 1.5 mm/; s/iterations: 1/iterations: 12/' >inside.yaml
run inside
bad inside 'load 2: pressure: no face'
sed 's/materials: .*/problem: heat/; s/force: .*}/heat: 1, spread: faces}/; s/^constraints.*//; s/^stress.*//' whole.yaml >heat.yaml
run heat
bad heat 'problem: heat is not supported'
sed 's/^volume.*/&\nfinish: {meshes: 1}/' heat.yaml >heat_key.yaml
"$INGOT" run heat_key.yaml -q -o heat_key 2>log
[ $? -eq 2 ] && grep -q 'heat_key.yaml.*finish: problem: heat is not supported' log && [ ! -e heat_key ] || { echo 'a heat problem with finish is not refused before its run'; cat log; exit 1; }
echo 'beams by theory, by their decks and by CalculiX; symmetry, meshes, refusals'

# without Gmsh's library a case with `finish` is refused before its run
mkdir lacking
name=$(ldd "$(command -v gmsh || echo /bin/true)" 2>/dev/null | sed -n 's/^[ \t]*\(libgmsh\.so\.[0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
[ -n "$name" ] || name=$(basename "$(ls /usr/lib/*/libgmsh.so.*.* /usr/lib/libgmsh.so.*.* 2>/dev/null | head -n 1)" | sed 's/\(\.so\.[0-9]*\.[0-9]*\)\..*/\1/')
other=$(ldd "$(command -v awk)" | sed -n 's/.*=> \(\/[^ ]*libm\.so[^ ]*\).*/\1/p')
if [ -n "$name" ] && [ -n "$other" ]; then
  cp "$other" "lacking/$name"
  for command in check run; do
    LD_LIBRARY_PATH=$work/lacking "$INGOT" $command warm.yaml >table 2>log
    [ $? = 2 ] && grep -q 'warm.yaml:[0-9]*:[0-9]*: finish: the part is meshed by Gmsh' log || { echo "$command goes on without Gmsh"; cat log; exit 1; }
  done
  [ ! -e warm-out ] || { echo 'a refused run wrote something'; exit 1; }
fi
