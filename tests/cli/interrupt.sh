# Ctrl-C finishes the step, writes a checkpoint and says how to go on; what it says works. A second
# one, later, ends at once.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$INGOT" "$work/bin/ingot"
PATH=$work/bin:$PATH
cd "$work"
cat >long.yaml <<'END'
physics: thermal
backend: cpu
threads: 1
mesh: {boxes: [{size: [20 mm, 20 mm, 4 mm], cells: [32, 32, 8]}]}
materials: [{name: steel, density: 7955, conductivity: 30, specific_heat: 500}]
duration: 80 s
initial_temperature: 900 K
boundary: [{set: surface, convection: 20 W/(m^2 K), emissivity: 0.4}]
output: {count: 8, history_every: 400}
END
fail() { echo "interrupt test: $*"; cat log 2>/dev/null; exit 1; }
wait_for() { for _ in $(seq 1200); do [ -e "$1" ] && return; sleep 0.05; done; fail "$1 does not appear"; }

ingot run long.yaml -q -o whole || fail "the whole run fails"
ingot run long.yaml -o cut >out 2>log &
pid=$!
wait_for cut/snap_000001.vtkhdf
kill -INT $pid
wait $pid
[ $? = 1 ] || fail "an interrupted run should exit with 1"
grep -q 'finishing the step' log || fail "no word at Ctrl-C"
[ -s out ] && fail "a table is shown though the run did not end"
grep -q '"interrupted"' cut/summary.json || fail "the summary does not say interrupted"
advice=$(sed -n 's/^ingot: to go on: //p' log)
[ -n "$advice" ] || fail "no word on how to go on"
eval "$advice --quiet" 2>log || fail "'$advice' fails"
for file in whole/snap_*.vtkhdf whole/history.csv; do
  cmp "$file" "cut/$(basename "$file")" || fail "not the same after going on"
done

# the set-up of a large model ends at its next stage, without a snapshot
ingot run long.yaml -o large --set 'mesh.boxes[0].cells=[128, 128, 64]' >out 2>log &
pid=$!
for _ in $(seq 600); do grep -q 'thermal on cpu' log && break; sleep 0.02; done
kill -INT $pid
wait $pid
[ $? = 1 ] && grep -q 'interrupted while the model was made' log || fail "a set-up that is interrupted"
[ ! -e large/snap_000000.vtkhdf ] || fail "a set-up that was interrupted has left a snapshot"

# a design iteration that takes seconds ends between two iterations of its solver, and goes on from its start; before
# the first checkpoint nothing is said of one
cat >design.yaml <<'END'
physics: topopt
backend: cpu
threads: 1
grid: {elements: [64, 32, 32]}
volume: 0.3
supports: {box: {max: [0, 32, 32]}}
loads: {box: {min: [64, 0, 0], max: [64, 32, 0]}, force: [0, 0, -1]}
solver: {preconditioner: jacobi, tolerance: 1e-12}
iterations: 2
output: {count: 1, history_every: 1}
END
ingot run design.yaml -q -o designed 2>log || fail "a design"
ingot run design.yaml -o soon >out 2>log &
pid=$!
wait_for soon/case.yaml
sleep 0.3
kill -INT $pid
wait $pid
[ $? = 1 ] || fail "a design that is interrupted at once"
[ -e soon/checkpoint.h5 ] || ! grep -q 'to go on' log || fail "a checkpoint that is not there is named"
ingot run design.yaml -o later >out 2>log &
pid=$!
wait_for later/history.csv
sleep 0.7
kill -INT $pid
wait $pid
[ $? = 1 ] || fail "a design that is interrupted"
ingot run design.yaml -q -o later --resume 2>log || fail "a design that goes on"
for file in designed/snap_*.vtkhdf; do
  cmp "$file" "later/$(basename "$file")" || fail "not the same design after going on"
done

# two at once are one; a second one that comes later ends the program
for try in 1 2 3 4 5 6 7 8; do
  rm -rf twice
  ingot run long.yaml -q -o twice --set duration='1000 s' --set 'mesh.boxes[0].cells=[64, 64, 16]' 2>log &
  pid=$!
  wait_for twice/snap_000000.vtkhdf
  kill -INT $pid
  sleep 0.005 # the first one is met
  kill -STOP $pid
  sleep 1.2
  kill -INT $pid 2>/dev/null
  kill -CONT $pid 2>/dev/null
  wait $pid
  code=$?
  [ $code = 130 ] && break
  [ $code = 1 ] || fail "two interrupts gave $code" # it had come to its end already
done
[ $code = 130 ] || fail "a second interrupt after a second does not end the program"

# an analysis that ends too early keeps its last state, and goes on from it to the same bits
cat >bend.yaml <<'END'
physics: structure
mesh: {boxes: {size: [100 mm, 10 mm, 10 mm], cells: [5, 1, 1]}, element: hex20}
materials: {name: steel, young: 200 GPa, poisson: 0.3, yield: 200 MPa}
supports: {set: xmin, fix: x y z}
loads: {set: xmax, force: [0, 0, -70 N]}
analysis: {first_step: 0.1 s, largest_step: 0.1 s, steps: 20}
tables: {set: xmax, quantity: displacement}
END
ingot run bend.yaml -q -t 1 -o bent 2>log || fail "a bent bar"
ingot run bend.yaml -q -t 1 -o half -s 'analysis[0].steps=3' 2>log && fail "three steps are enough"
grep -q 'beyond load factor 0.3 .*: `steps` is reached' log || fail "no word of the steps"
cmp bent/snap_000003.vtkhdf half/snap_000003.vtkhdf || fail "what was reached is not shown"
ingot run bend.yaml -q -t 1 -o half -r half/checkpoint.h5 2>log || fail "a failed analysis that goes on"
cmp bent/tables.csv half/tables.csv || fail "not the same tables after a failure"
cmp bent/history.csv half/history.csv || fail "not the same history after a failure"
echo "interrupted, and went on to the same end"
