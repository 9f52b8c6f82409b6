# What README says repeats bit for bit does: every room twice, on the CPU with one thread and with three,
# on another backend (INGOT_TEST_BACKEND) in two runs; snapshots and history are the same files. ROOMS names some.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
backend=${INGOT_TEST_BACKEND:-cpu}
cat >thermal.yaml <<'END'
physics: thermal
mesh: {boxes: [{size: [20 mm, 20 mm, 4 mm], cells: [16, 16, 4]}], jitter: {amount: 0.1}}
materials: [{name: steel, density: 7955, conductivity: [[300, 14], [1400, 31]], specific_heat: 500}]
duration: 2 s
initial_temperature: 900 K
boundary: [{set: surface, convection: 20 W/(m^2 K), emissivity: 0.4}]
output: {count: 3}
END
cat >topopt.yaml <<'END'
physics: topopt
grid: {elements: [16, 8, 8]}
volume: 0.3
supports: {box: {min: [0, 0, 0], max: [0, 8, 8]}}
loads: {box: {min: [16, 4, 0], max: [16, 4, 8]}, force: [0, -1, 0]}
iterations: 6
output: {every: 3}
END
cat >parts.yaml <<'END'
physics: topopt
mesh: {tube: {inner: 10, outer: 20, angle: 90 deg, height: 6, cells: [5, 12, 3]}}
volume: 0.4
filter: {kind: density, radius: 3}
supports: {set: start}
loads: {set: end, force: [1, 0, 0], spread: faces}
iterations: 4
output: {every: 2}
END
cat >fracture.yaml <<'END'
physics: fracture
mesh: {element: tri6, triangle_pattern: crossed, boxes: {size: [16 mm, 4 mm], cells: [32, 8]}}
materials: [{name: PMMA, density: 1190, young: 3.24 GPa, poisson: 0.35, fracture_energy: 352.3, cohesive_strength: 100 MPa}]
cracks: {from: [0, 2 mm], to: [2 mm, 2 mm]}
initial: {strain: [0, 0.02, 0], about: [0, 2 mm]}
supports: [{set: ymin, fix: all}, {set: ymax, fix: all}]
duration: 4 us
output: {count: 3}
END
cat >dynamics.yaml <<'END'
physics: dynamics
mesh: {cylinder: {radius: 3.2 mm, height: 12 mm, cells: [3, 2, 12]}}
materials: {name: copper, density: 8930, young: 117 GPa, poisson: 0.35, yield: 0.4 GPa, hardening: 0.1 GPa}
initial: {velocity: [0, 0, -100]}
tools: {shape: plane, axis: [0, 0, 1]}
analysis: {duration: 10 us}
output: {count: 3}
END
cat >stress.yaml <<'END'
physics: stress
mesh:
  boxes:
    - {name: plate, size: [10 mm, 4 mm, 2 mm], cells: [10, 4, 2]}
    - {name: wall, origin: [0, 1 mm, 2 mm], size: [10 mm, 2 mm, 4 mm], cells: [10, 2, 4]}
materials: {name: steel, young: 200 GPa, poisson: 0.3, yield: 400 MPa, hardening: 2 GPa}
inherent: {set: wall, strain: [-0.004, -0.003, 0]}
supports: {set: zmin, fix: all}
phases:
  - {kind: build, set: wall, height: 2 mm}
output: {count: 2}
END
cp "$SOURCE/tests/cli/small/grains.yaml" "$SOURCE/tests/cli/small/powder.yaml" "$SOURCE/tests/gpu/powder-bed.yaml" "$SOURCE/tests/gpu/powder-lasers.yaml" .
source "$SOURCE/tests/cli/lib/same.bash"
rooms=" ${ROOMS:-thermal topopt fracture dynamics stress powder grains} "
same=0
twice() { # case, what it is, options of both runs
  local case=$1 name=$2 file
  shift 2
  "$INGOT" run "$case.yaml" -q -o one -b "$backend" -t 1 "$@" || exit 1
  "$INGOT" run "$case.yaml" -q -o two -b "$backend" -t 3 "$@" || exit 1
  for file in one/snap_*.vtkhdf one/*.csv; do
    cmp "$file" "two/$(basename "$file")" || { echo "$name does not repeat on $backend"; exit 1; }
    same=$((same + 1))
  done
  cmp <(figures one/summary.json) <(figures two/summary.json) || { echo "figures of $name do not repeat on $backend"; exit 1; }
}
for case in powder powder-bed powder-lasers; do
  [[ $rooms = *" powder "* ]] && twice $case $case
done
[[ $rooms = *" grains "* ]] && twice grains grains
for case in thermal topopt parts fracture dynamics stress; do
  [[ $rooms = *" ${case/parts/topopt} "* ]] || continue
  for assembly in gather color cluster; do
    case $case$assembly in topoptcolor | topoptcluster) continue ;; esac # on a grid nodes gather
    twice $case "$case with $assembly" --set assembly=$assembly
  done
done
echo "$same files the same on $backend"
[ $same -ge 3 ]
