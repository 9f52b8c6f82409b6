# One case on the processes of an MPI job: the files of a run on one process; one message and one
# exit code for a failure; a stop of any rank stops all; checkpoints for any number of ranks.
set -u
"$INGOT" version | grep -q ', MPI' && command -v mpirun >/dev/null || { echo "no MPI in this build, or no mpirun: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
fail() { echo "mpi test: $*"; cat log 2>/dev/null; exit 1; }
many() { local n=$1; shift; timeout 400 mpirun -n "$n" "$INGOT" "$@" -b cpu -t 1; }
cat >case.yaml <<'END'
physics: topopt
problem: mechanism
grid: {elements: [40, 20, 0]}
symmetry: [y-]
volume: 0.3
void_ratio: 1e-4
supports: [{box: {min: [0, 18], max: [0, 20]}}]
loads: [{box: {min: [0, 0], max: [0, 1]}, force: [1, 0, 0]}]
springs:
  - {box: {min: [0, 0], max: [0, 1]}, stiffness: [0.1, 0, 0]}
  - {box: {min: [40, 0], max: [40, 1]}, stiffness: [0.1, 0, 0]}
ports: [{box: {min: [40, 0], max: [40, 1]}, direction: [-1, 0, 0]}]
iterations: 8
END
same() {
  for file in one/snap_*.vtkhdf one/history.csv; do
    cmp "$file" "$1/$(basename "$file")" || fail "$1 is not the run on one rank"
  done
  [ "$(ls one)" = "$(ls "$1")" ] || fail "$1 has other files"
}

# and over MPICH, where that is installed beside
mpich=$BUILD/ingot_mpich
[ -x "$mpich" ] && command -v mpirun.mpich >/dev/null || mpich=
mpich_many() { local n=$1; shift; timeout 400 mpirun.mpich -n "$n" "$mpich" "$@" -b cpu -t 1; }
mpich_same() {
  [ -n "$mpich" ] || return 0
  rm -rf mpich
  mpich_many "$1" run "$2" -o mpich >table 2>log || fail "$2 over MPICH fails on $1 ranks"
  grep -q "$1 ranks over MPI (MPICH" log || fail "this is not MPICH"
  same mpich
}

"$INGOT" run case.yaml -q -b cpu -t 1 -o one || fail "the run on one rank fails"
for n in 2 3; do
  many $n run case.yaml -o ranks$n >table 2>log || fail "the run on $n ranks fails"
  same ranks$n
  grep -q "$n ranks over MPI" log || fail "the ranks are not told"
  [ "$(grep -c '^objective' table)" = 1 ] || fail "the table is not printed once"
done
mpich_same 3 case.yaml

# stopped on 2, continued on 3, ended on 1
many 2 run case.yaml -q -s iterations=4 -o part || fail "four iterations fail"
many 3 run case.yaml -q --restart part/checkpoint.h5 --force -o going 2>log || fail "3 ranks do not continue 2"
cmp one/"$(ls one | grep snap_ | tail -1)" going/"$(ls going | grep snap_ | tail -1)" || fail "2 -> 3 ranks is another run"

# failures: one message, the usual exit codes
many 2 run none.yaml -o x 2>log && fail "a missing case runs"
[ "$(grep -c 'ingot: error' log)" = 1 ] || fail "not one message for one failure"
many 2 run case.yaml -s volume=7 -o x 2>log && fail "a wrong volume runs"
[ "$(grep -c 'ingot: error' log)" = 1 ] || fail "not one message for a mistake in the case"
[ -e x ] && fail "something was written"
grep -q 'finishing the step' log && fail "a failed run says that it finishes a step"
many 2 run case.yaml --partition graph -o x 2>log && fail "an unknown division runs"
[ "$(grep -c 'ingot: error' log)" = 1 ] || fail "not one message for a wrong option"
mpirun -n 2 "$INGOT" view one -o view.png >said 2>log || fail "a picture under mpirun fails"
cat said >>log # MPI may have its own words there, as hwloc has in a container without /sys
[ "$(cat said)" = view.png ] || fail "two copies draw"
[ "$(mpirun -n 2 "$INGOT" --version | wc -l)" = 1 ] || fail "two copies tell the version"
many 2 sweep case.yaml --vary volume=0.2,0.3 -o x 2>log && fail "two copies of a sweep run"
[ "$(grep -c 'a sweep starts its runs itself' log)" = 1 ] || fail "the sweep does not say how to start it"
# a load on held nodes is said once, and not where another rank has nodes that it moves
cat >held-topopt.yaml <<'END'
physics: topopt
grid: {elements: [4, 4, 16], size: [4 mm, 4 mm, 16 mm]}
materials: {name: metal, young: 1 GPa, poisson: 0.3}
volume: 0.5
filter: {radius: 1.5 mm}
supports: {box: {max: [4 mm, 4 mm, 0]}, fix: xyz}
loads: [{box: {max: [4 mm, 4 mm, 0]}, force: [1, 0, 0]}, {box: {min: [0, 0, 16 mm]}, force: [1, 0, 0]}]
iterations: 1
output: {count: 1}
END
cat >held-dynamics.yaml <<'END'
physics: dynamics
mesh: {boxes: {size: [40 mm, 4 mm, 4 mm], cells: [80, 4, 4]}}
materials: {name: steel, young: 200 GPa, poisson: 0.3, density: 7800}
analysis: {duration: 1 us}
supports: {set: xmin, fix: xyz}
loads: {set: xmin, pressure: 1 MPa}
output: {count: 1}
END
for room in topopt dynamics; do
  many 2 run held-$room.yaml -q --force -o held 2>log || fail "loads on held nodes on two ranks"
  [ "$(grep -c 'the whole of this load acts on nodes that supports hold' log)" = 1 ] || fail "$room: held nodes are not said once: $(cat log)"
done
many 2 run held-topopt.yaml -q --force -o held -s 'loads={box: {max: [4 mm, 4 mm, 16 mm]}, force: [1, 0, 0]}' 2>log || fail "a load on all of a grid"
grep -q 'this load' log && fail "a load that moves another rank's nodes is warned of"
many 2 run held-dynamics.yaml -q --force -o held -s 'loads={set: all, force: [1, 0, 0]}' 2>log || fail "a load on all of a mesh"
grep -q 'this load' log && fail "a load that moves another rank's nodes is warned of in dynamics"

cat >bed.yaml <<'END'
physics: powder
grid: {cell: 20 um, ratio: 4, margin: 0.4 mm, plate: 1.2 mm}
materials: [{name: m, density: 7800, specific_heat: 480, conductivity: 14, absorptivity: 0.35, powder_conductivity: 0.3, solidus: 1670, liquidus: 1720, latent_heat: 270e3}]
beam: {radius: 50 um, depth: 50 um}
hatch: {parts: [{min: [0, 0, 0], max: [1 mm, 0.4 mm, 1 mm]}], layer_height: 40 um, layers: 1, spacing: 0.1 mm, pattern: lines, power: 150 W, speed: 0.8 m/s, lasers: 2}
events: {min: [0, 0, 0], max: [1 mm, 0.4 mm, 0.04 mm]}
output: {count: 2, history_every: 5}
END
rm -rf one
"$INGOT" run bed.yaml -q -b cpu -t 1 -o one || fail "a powder bed on one rank fails"
many 2 run bed.yaml -o bed2 >table 2>log || fail "a powder bed on 2 ranks fails"
same bed2
for file in lines.csv layers.csv exaca-0001.csv; do
  cmp one/$file bed2/$file || fail "$file is not that of one rank"
done
mpich_same 3 bed.yaml
cat >freeze.yaml <<'END'
physics: grains
grid: {cell: 10 um, refine: 2}
events: [{file: bed1/exaca-0001.csv}]
growth: {law: in625}
substrate: {grain_size: 30 um}
output: {count: 2}
END
mv one bed1
"$INGOT" run freeze.yaml -q -b cpu -t 1 -o one || fail "grains on one rank fail"
many 3 run freeze.yaml -o freeze3 >table 2>log || fail "grains on 3 ranks fail"
same freeze3
cat >strip.yaml <<'END'
physics: structure
mesh: {boxes: {size: [20 mm, 1 mm, 0.5 mm], cells: [20, 1, 1]}}
materials: {name: steel, young: 210 GPa, poisson: 0.3}
supports: {set: xmin, fix: all}
loads: {set: xmax, force: [0, 0, 1 mN]}
analysis: {kind: static}
END
many 2 run strip.yaml -o x 2>log && fail "structure runs on two ranks"
grep -q 'structure does not run on several ranks (2 here)' log || fail "the room is not named"

# one rank that cannot open its device: the others do not wait for it
timeout 60 mpirun -n 1 "$INGOT" run case.yaml -b cpu -t 1 -o x : -n 1 "$INGOT" run case.yaml -b cpu -t 9999 -o x 2>log
[ $? = 2 ] || fail "a rank that cannot open its device does not end the job"
[ "$(grep -c 'ingot: error: rank 1 on .*threads = 9999' log)" = 1 ] || fail "why a rank cannot open its device is not told once"

# a rank that reads another case or another file than the first (a copy on the disk of its computer)
for command in run check; do
  timeout 60 mpirun -n 2 "$INGOT" $command case.yaml : -n 1 "$INGOT" $command case.yaml -s iterations=9 2>log >table
  [ $? = 2 ] || fail "ranks $command different cases"
  [ "$(grep -c 'ingot: error: rank 2 on .*is not that of the first rank' log)" = 1 ] || fail "which rank has another case is not told once by $command"
done
# one rank runs what the other checks
timeout 60 mpirun -n 1 "$INGOT" run case.yaml -b cpu -t 1 : -n 1 "$INGOT" check case.yaml -b cpu -t 1 2>log >table
[ $? = 2 ] || fail "a run and a check wait for each other"
[ "$(grep -c 'ingot: error: rank 1 on .*is to check the case, the first to run it' log)" = 1 ] || fail "a run beside a check: $(cat log)"
[ -e case-out ] && fail "ranks with different cases wrote something"

# one mesh divided: births under a beam, the same files
cat >heat.yaml <<'END'
physics: thermal
mesh:
  boxes:
    - {name: plate, size: [6 mm, 4 mm, 1 mm], cells: [12, 8, 2]}
    - {name: wall, origin: [1 mm, 1 mm, 1 mm], size: [4 mm, 2 mm, 1 mm], cells: [8, 4, 2]}
materials:
  - {name: m, density: 7955, conductivity: 20, specific_heat: 500, solidus: 1658, liquidus: 1723, absorptivity: 0.5}
duration: 0.2 s
boundary: [{set: surface, convection: 20, emissivity: 0.4}, {set: zmin, temperature: 300}]
birth: {by: bead, set: wall, width: 1.2 mm, height: 0.5 mm, lead: 0.5 mm}
beams:
  - model: surface
    radius: 0.6 mm
    raster: {power: 150, speed: 80 mm/s, spacing: 1 mm, layer_height: 0.5 mm, base: 1 mm, layers: 2, dwell: 0.02, regions: [{min: [1 mm, 1 mm], max: [5 mm, 3 mm]}]}
output: {count: 2, history_every: 5}
END
rm -r one
"$INGOT" run heat.yaml -q -b cpu -t 1 -o one || fail "the build on one rank fails"
many 2 run heat.yaml -o heat2 >table 2>log || fail "the build on 2 ranks fails"
same heat2
mpich_same 3 heat.yaml
grep -q 'rank 1' log || fail "the table of ranks is not told"
many 3 check heat.yaml >table 2>log || fail "the check on 3 ranks fails"
grep -q 'rank 2' table || fail "the check does not tell of ranks"
# ranks that are bound to no core share the threads of all
cores=$(env -u OMP_NUM_THREADS nproc)
env -u OMP_NUM_THREADS mpirun -bind-to none -n 2 "$INGOT" check heat.yaml -b cpu >table 2>log || fail "a check without threads fails"
grep -q "the first on .* $((cores > 3 ? cores / 2 : 1)) thread" log || fail "two ranks take more threads than there are cores"

# stress: what the build above leaves behind; two shipped cases, shortened
cat >warp.yaml <<'END'
physics: stress
mesh:
  boxes:
    - {name: plate, size: [6 mm, 4 mm, 1 mm], cells: [12, 8, 2]}
    - {name: wall, origin: [1 mm, 1 mm, 1 mm], size: [4 mm, 2 mm, 1 mm], cells: [8, 4, 2]}
materials: [{name: m, young: 200e9, poisson: 0.3, yield: 400e6, solidus: 1658, mechanical: {expansion: 15e-6}}]
supports: [{set: zmin, fix: all}]
phases: [{name: print, kind: heat, file: heat2}]
solver: {tolerance: 1e-4}
END
stress_same() { # ranks, case, settings
  local n=$1 case=$2
  shift 2
  rm -rf one stress
  "$INGOT" run "$case" -q -b cpu -t 1 -o one "$@" 2>log || fail "$case on one rank fails"
  many "$n" run "$case" -o stress "$@" >table 2>log || fail "$case on $n ranks fails"
  grep -q 'the mesh is divided' log || fail "$case is not divided"
  same stress
}
stress_same 2 warp.yaml
stress_same 3 "$SOURCE/cases/stress/cantilever.yaml" -s "phases[0].height=3 mm" -s "phases[1].steps=2"
stress_same 2 "$SOURCE/cases/stress/wall.yaml"
many 2 check "$SOURCE/cases/stress/wall.yaml" >table 2>log || fail "the check of stress on 2 ranks fails"
grep -q '^rank 1 .* elements, .* MB, process ' table || fail "the check of stress does not tell of ranks"

# dynamics: a bar, at rest and then let go
cat >motion.yaml <<'END'
physics: dynamics
mesh: {boxes: [{size: [6, 2, 2], cells: [6, 2, 2]}]}
materials: [{name: m, density: 1000, young: 1e7, poisson: 0.3, yield: 2e5, hardening: 1e6}]
supports: [{set: xmin, fix: all}]
gravity: {acceleration: [0, 0, -3]}
loads: [{set: xmax, pressure: 1e4, history: [[0, 0], [1, 1]]}]
analysis: [{kind: static, method: relaxation, at_time: 1, tolerance: 0.1}, {duration: 0.2}]
probes: [{name: tip, set: xmax, quantity: uz}]
output: {count: 2, history_every: 10}
END
rm -r one
"$INGOT" run motion.yaml -q -b cpu -t 1 -o one || fail "the bar on one rank fails"
many 3 run motion.yaml -o motion3 >table 2>log || fail "the bar on 3 ranks fails"
same motion3
mpich_same 2 motion.yaml
# an MPI that buffers nothing and has a slow rank; that reports an error to one rank, which tells of
# it and ends the job; whose rank is killed: within seconds, and the last checkpoint is whole
if mpicc -shared -fPIC -O1 -o calls.so "$SOURCE/tests/cli/mpi_calls.c" 2>log; then
  strange() { local env=$1; shift; timeout 60 mpirun -n 3 env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$work/calls.so" $env "$INGOT" run motion.yaml -b cpu -t 1 "$@"; }
  strange "MPI_SYNC=1 MPI_SLEEP=1" -q -s analysis='[{kind: static, method: relaxation, at_time: 1, tolerance: 0.1, ramp: 500}, {duration: 0.02}]' -o sync 2>log || fail "sends that wait do not work"
  strange "MPI_RANK=1 MPI_AT=400 MPI_DO=fail" -o lost >table 2>log && fail "a run with an error of MPI ends well"
  [ "$(grep -c 'ingot: error: rank 1 on .*cannot reach each other' log)" = 1 ] || fail "an error of MPI is not told once"
  strange "MPI_RANK=0 MPI_AT=399 MPI_DO=fail" -o lost >table 2>log
  [ $? = 1 ] || fail "an error of MPI has another exit code"
  [ "$(grep -c 'ingot: error: .*cannot reach each other' log)" = 1 ] || fail "an error of MPI on rank 0 is not told once"
  strange "MPI_RANK=2 MPI_AT=3000 MPI_DO=kill" -s output.checkpoint_every=1e-9 -o lost >table 2>log && fail "a run whose rank is killed ends well"
  many 2 run motion.yaml -q --resume -o lost 2>log || fail "the checkpoint of a killed run is not whole"
  same lost
fi
# memory that one rank does not get, while it sets up: all end, with one message
if ! nm -D "$INGOT" 2>/dev/null | grep -q __asan_ && gcc -shared -fPIC -O1 -o fail.so "$SOURCE/tests/cli/fail_calls.c" -ldl 2>log; then
  timeout 60 mpirun -n 1 "$INGOT" run motion.yaml -b cpu -t 1 -o poor : -n 1 env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$work/fail.so" FAIL_CALL=malloc FAIL_AT=100 FAIL_ERROR=12 FAIL_FROM=motion.yaml "$INGOT" run motion.yaml -b cpu -t 1 -o poor >table 2>log
  [ $? = 1 ] || fail "a rank without memory does not end the job"
  [ "$(grep -cE 'ingot: error: rank 1 on .*no memory[^()]*\(out of memory, [a-z_]+\.c:[0-9]+\)$' log)" = 1 ] || fail "a rank without memory is not told of once"
fi

# ranks that wait when another fails are called, and can go on
if mpicc -std=gnu11 -O1 -DINGOT_HAVE_MPI=1 -I"$SOURCE/include" -I"$SOURCE/src" -o talk "$SOURCE/tests/cli/mpi_talk.c" "$SOURCE/src/ranks/mpi.c" 2>log; then
  timeout 60 mpirun -n 4 ./talk >table 2>log || fail "ranks do not reach each other as they should: $(cat table)"
fi
if [ -n "$mpich" ]; then
  mpicc.mpich -std=gnu11 -O1 -DINGOT_HAVE_MPI=1 -I"$SOURCE/include" -I"$SOURCE/src" -o talk "$SOURCE/tests/cli/mpi_talk.c" "$SOURCE/src/ranks/mpi.c" 2>log || fail "ranks do not compile with MPICH"
  timeout 60 mpirun.mpich -n 3 ./talk >table 2>log || fail "ranks over MPICH are wrong"
  mpich_many 2 run case.yaml -s volume=7 -o x 2>log && fail "a wrong volume runs over MPICH"
  [ "$(grep -c 'ingot: error' log)" = 1 ] || fail "not one message for a mistake in the case over MPICH"
  timeout 60 mpirun.mpich -n 1 "$mpich" run case.yaml -b cpu -t 1 -o x : -n 1 "$mpich" run case.yaml -b cpu -t 9999 -o x 2>log
  [ $? = 2 ] || fail "a rank that cannot open its device does not end the job over MPICH"
fi
# one grid divided: two systems each, springs on both sides of the cuts, the same files
cat >grid.yaml <<'END'
physics: topopt
problem: mechanism
grid: {elements: [5, 4, 17]}
ranks: divide
symmetry: [y-]
volume: 0.3
void_ratio: 1e-4
supports: [{box: {min: [0, 3, 0], max: [5, 4, 0]}}]
loads: [{box: {min: [0, 0, 0], max: [1, 1, 0]}, force: [0, 0, 1]}]
springs: [{box: {min: [0, 0, 0], max: [1, 1, 17]}, stiffness: [0, 0, 0.1]}]
ports: [{box: {min: [0, 0, 17], max: [1, 1, 17]}, direction: [0, 0, -1]}]
iterations: 3
END
rm -r one
"$INGOT" run grid.yaml -q -b cpu -t 1 -o one || fail "the grid on one rank fails"
many 3 run grid.yaml -o grid3 >table 2>log || fail "the grid on 3 ranks fails"
grep -q 'the grid is divided between them' log || fail "the grid is not divided"
same grid3
mpich_same 2 grid.yaml
# a mesh too small for parts
cat >small.yaml <<'END'
physics: topopt
mesh: {boxes: [{size: [3, 3, 4], cells: [3, 3, 4]}]}
ranks: divide
supports: [{set: zmin}]
loads: [{set: zmax, force: [0, 1, 0]}]
iterations: 1
END
many 2 check small.yaml >table 2>log || fail "the check of a small mesh on 2 ranks fails"
grep -q 'the mesh is not divided (it is small)' table || fail "the check does not tell why a small mesh is whole"
many 2 check grid.yaml -s ranks=divide >table 2>log || fail "the check of the grid on 2 ranks fails"
grep -q 'rank 1 .*planes 8 to 17' table || fail "the check does not tell of planes"

# one mesh divided in ranges of nodes, the same files; the table tells how they talk
cat >block.yaml <<'END'
physics: topopt
mesh: {boxes: [{size: [9, 9, 12], cells: [9, 9, 12]}]}
volume: 0.4
supports: [{set: zmin}]
loads: [{set: zmax, force: [1, 0, 0]}]
surface: {formats: []}
iterations: 2
END
rm -r one
"$INGOT" run block.yaml -q -b cpu -t 1 -o one || fail "the mesh on one rank fails"
many 2 run block.yaml -o block2 >table 2>log || fail "the mesh on 2 ranks fails"
grep -q 'a range of the mesh' log || fail "the mesh is not divided"
grep -q 'transport: MPI .*us per message' log || fail "the transport is not timed"
grep -q 'efficiency: .*predicted' log || fail "no efficiency is predicted"
same block2
mpich_same 3 block.yaml
# messages from device memory (here of the debug backend), after a child has tried it
timeout 120 mpirun -n 2 "$INGOT" run motion.yaml -b debug -t 1 --gpu-mpi on -o sent >table 2>log || fail "--gpu-mpi on fails"
grep -q 'ghosts from device memory (asked for)' log || fail "ghosts do not come from device memory"
rm -r one && mv motion3 one && same sent
# ghosts written into the other process' device memory
timeout 120 mpirun -n 2 "$INGOT" run motion.yaml -b debug -t 1 --gpu-ipc on -o far >table 2>log || fail "--gpu-ipc on fails"
grep -q "ghosts straight into the other rank's device memory (through host memory .* us, timed: .* us" log || fail "the ways of ghosts are not timed"
same far

# a chain: stages on all ranks, `shape` on the first; the same files
cat >chain.yaml <<'END'
materials: {name: m, density: 7800, young: 2e11, poisson: 0.3, conductivity: 20, specific_heat: 500}
stages:
  design:
    physics: topopt
    grid: {elements: [4, 4, 17], size: [8 mm, 8 mm, 34 mm]}
    supports: {set: zmin}
    loads: {set: zmax, force: [1 kN, 0, 0], spread: faces}
    volume: 0.5
    iterations: 2
  shape: {physics: shape, from: design, voxel: 2 mm, smoothing: 0, loose: 1}
  heat:
    physics: thermal
    mesh: {from: shape}
    duration: 2 s
    boundary: [{set: zmin, temperature: 400}, {set: surface, convection: 20}]
    picture: {field: T}
report: [{name: mass, stage: shape, figure: mass}]
END
"$INGOT" run chain.yaml -q -b cpu -t 1 -o chain1 || fail "the chain on one rank fails"
many 2 run chain.yaml -o chain2 >table 2>log || fail "the chain on 2 ranks fails"
grep -q 'shape does not run on several ranks: the first does it' log || fail "who runs shape is not told"
[ "$(grep -c '^mass' table)" = 1 ] || fail "the chain's report is not printed once"
for stage in design heat; do
  rm -rf one && cp -r chain1/$stage one
  same chain2/$stage
done
cmp chain1/shape/snap_*.vtkhdf chain2/shape/snap_*.vtkhdf || fail "the part is another"
cmp chain1/heat.png chain2/heat.png || fail "the chain's picture is another"
many 2 run chain.yaml -o chain2 2>log >table || fail "the chain does not run twice"
[ "$(grep -c 'is up to date' log)" = 3 ] || fail "stages that are done run again"

# fracture: a plate that is torn apart
cat >crack.yaml <<'END'
physics: fracture
mesh: {element: tri6, triangle_pattern: crossed, boxes: {size: [8 mm, 4 mm], cells: [8, 4]}}
materials: [{name: PMMA, density: 1190, young: 3.24e9, poisson: 0.35, fracture_energy: 352, cohesive_strength: 60e6}]
cracks: [{from: [0, 2 mm], to: [2 mm, 2 mm]}]
supports: [{set: ymin, components: y, velocity: [0, -30]}, {set: ymax, components: y, velocity: [0, 30]}]
duration: 8 us
output: {count: 2, history_every: 10}
END
rm -r one
"$INGOT" run crack.yaml -q -b cpu -t 1 -o one || fail "the crack on one rank fails"
many 3 run crack.yaml -o crack3 >table 2>log || fail "the crack on 3 ranks fails"
same crack3
mpich_same 3 crack.yaml

# from Python: fields of one rank on all, files of one rank, a failure of one is everybody's
if [ -e "$BUILD/python/ingot/_ingot.abi3.so" ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  cat >ranks.py <<'END'
import sys
import ingot
comm = "world" if sys.argv[1] == "all" else None
case = ingot.Case("crack.yaml", backend="cpu", threads=1, comm=comm)
with ingot.Simulation(case, out=sys.argv[2]) as s:
    for s in s.every(9):
        pass
    s.finish()
    open(f"{sys.argv[2]}-{case.rank}.bin", "wb").write(s["velocity"].copy().tobytes())
last = case.rank == case.ranks - 1
try:
    ingot.check("crack.yaml", set={"duration": -1} if last else {}, backend="cpu", comm=comm)
    sys.exit("a wrong duration is taken")
except ingot.InputError as e:
    assert "duration" in str(e), e
END
  export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1
  rm -r one
  timeout 60 /usr/bin/python3 ranks.py one one || fail "the crack from Python fails"
  timeout 60 mpirun -n 2 /usr/bin/python3 ranks.py all python2 2>log || fail "the crack from Python fails on 2 ranks"
  same python2
  cmp one-0.bin python2-0.bin && cmp one-0.bin python2-1.bin || fail "fields in Python are not those of one rank"
fi

# a signal to one rank, the first or the last, stops all, with a checkpoint from which the next goes on
for signal in USR1,head TERM,tail; do
  rm -f log # of the run before, which has iterations, too
  many 2 run case.yaml -s iterations=100000 -s change=0 --resume -o long 2>log >/dev/null &
  for _ in $(seq 1200); do grep -qsE 'iteration +[0-9]' log && break; sleep 0.05; done
  sleep 0.3
  kill -"${signal%,*}" "$(pgrep -f "^$INGOT run case.yaml -s iterations=100000" | "${signal#*,}" -1)"
  wait
  grep -q '"interrupted"' long/summary.json || fail "${signal%,*} to one rank does not stop all"
  [ -s long/checkpoint.h5 ] || fail "no checkpoint of a stopped run"
  mv long/summary.json before.json
done
grep '"steps"' before.json
echo "mpi test: good"
