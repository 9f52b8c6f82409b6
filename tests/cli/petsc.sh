# PETSc's preconditioner on the parts of a mesh: the objectives of one process to the tolerance of
# the solver, in about as many iterations; checkpoints for any number of ranks; one message for a
# failure, within PETSc or between its calls; signals stay the program's.
set -u
"$INGOT" version | grep -q ', MPI.*, PETSc' && command -v mpirun >/dev/null || { echo "no PETSc in this build, or no mpirun: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
backend=cpu
fail() { echo "petsc test: $*"; cat log 2>/dev/null; exit 1; }
one() { "$INGOT" "$@" -q -b $backend -t 1; }
many() { local n=$1; shift; timeout 60 mpirun -n "$n" "$INGOT" "$@" -b $backend -t 1; }
alone='each has a range of the mesh.s nodes and elements; with PETSc results agree'

# near A B: the same designs, objectives to 1e-7 (the solver stops at 1e-9)
near() {
  paste -d, "$1/history.csv" "$2/history.csv" | awk -F, 'NR > 1 { rows++; d = $10 / $2 - 1; if (d < 0) d = -d; if (!(d < 1e-7)) bad = 1 }
    END { exit bad || rows < 3 }' || fail "$2 has other objectives than $1"
}
iterations() { awk -F, 'NR > 1 { n += $7 } END { print n }' "$1/history.csv"; }
# compare CASE RANKS...: against one process; far fewer iterations than without coarser levels
compare() {
  local name=$1
  shift
  one run $name.yaml -o $name.one 2>log || fail "$name on one process fails"
  one run $name.yaml -s solver.preconditioner=block_jacobi -o $name.blocks 2>log || fail "$name without PETSc fails"
  near $name.one $name.blocks
  for n in "$@"; do
    many $n run $name.yaml -o $name.$n >table 2>log || fail "$name on $n ranks fails"
    grep -q "ranks: $alone" log || fail "$name is not in parts on $n ranks"
    near $name.one $name.$n
    [ $((2 * $(iterations $name.$n))) -lt "$(iterations $name.blocks)" ] || fail "$name takes too many iterations on $n ranks"
  done
}

rest='ranks: divide
solver: {preconditioner: petsc, tolerance: 1e-9}
volume: 0.4
surface: {formats: []}
iterations: 3'
cat >block.yaml <<END
physics: topopt
mesh: {boxes: [{size: [9, 9, 12], cells: [9, 9, 12]}]}
supports: [{set: zmin}, {box: {min: [0, 0, 12], max: [0, 9, 12]}, fix: x}]
loads: [{set: zmax, force: [1, 0, 0]}, {set: xmax, force: [0, 1, 1]}]
$rest
END
cat >heat.yaml <<END
physics: topopt
problem: heat
mesh: {boxes: [{size: [9, 9, 12], cells: [9, 9, 12]}]}
supports: [{set: zmin}, {box: {min: [0, 0, 12], max: [0, 9, 12]}}]
loads: [{set: all, heat: 1}]
$rest
END
sed 's/mesh: {/mesh: {element: tet4, /' block.yaml >tet.yaml
sed 's/mesh: {/mesh: {element: tet4, /' heat.yaml >heat_tet.yaml
# coarse aggregates too small for the rigid-body modes; ranks with few nodes, and with none
sed 's/mesh: {/mesh: {element: tet10, /; s/cells: \[9, 9, 12\]/cells: [4, 4, 6]/' block.yaml >tet10.yaml
sed 's/cells: \[9, 9, 12\]/cells: [1, 1, 128]/' block.yaml >bar.yaml
sed 's/cells: \[9, 9, 12\]/cells: [7, 7, 9]/' heat.yaml >few.yaml
compare block 2 3
compare heat 2 3
compare tet 2 3
compare heat_tet 3
compare tet10 2
compare bar 2
compare few 3
# pieces that float in void, of which rounding must not make a negative energy; columns of void
# beside solid, whose largest eigenvalue is far from the others: every system is solved
sed 's/^volume.*/volume: 0.15/; s/, {set: xmax, force: .*}]/]/; s/^iterations.*/iterations: 10\nfilter: {kind: density, radius: 1.5}/' block.yaml >thin.yaml
sed 's/^iterations.*/iterations: 8\nfilter: {kind: density, radius: 2}\noverhang: {direction: z+}/' block.yaml >print.yaml
for run in 'thin 1' 'thin 2' 'print 2' 'print 3'; do
  name=${run% *} n=${run#* }
  many $n run $name.yaml -o $name.$n >table 2>log || fail "$name fails on $n ranks"
  awk -F, 'NR > 1 && !($8 <= 1e-9) { bad = 1 } END { exit bad || NR < 8 }' $name.$n/history.csv || fail "$name is not solved on $n ranks"
done
backend=debug
rm -r block.2
many 2 run block.yaml -o block.2 >table 2>log || fail "separate memory fails"
near block.one block.2
backend=cpu
if PETSC_OPTIONS="-ingot_pc_type hypre" many 3 run block.yaml -o hypre >table 2>log; then
  near block.one hypre
else
  grep -q 'PETSc: Unable to find requested PC type hypre' log || fail "hypre fails on 3 ranks" # PETSc may be without
fi

many 3 check block.yaml >table 2>log || fail "the check on 3 ranks fails"
grep -q "^ranks .*$alone" table || fail "the check does not tell of parts"
grep -q '^rank 2 ' table || fail "the check does not tell of ranks"
# too small for parts
many 2 run block.yaml -s 'mesh={boxes: [{size: [9, 9, 12], cells: [3, 3, 4]}]}' -o small >table 2>log || fail "a small mesh fails"
grep -q 'the mesh is not divided (it is small)' log || fail "a small mesh is in parts"

# stopped on 3, continued on 2, ended on 1
many 3 run block.yaml -q -s iterations=1 -o part 2>log || fail "one iteration fails"
many 2 run block.yaml -q -s iterations=2 --restart part/checkpoint.h5 --force -o part2 2>log || fail "2 ranks do not continue 3"
one run block.yaml --restart part2/checkpoint.h5 --force -o part1 2>log || fail "one process does not continue 2"
head -1 part/history.csv >part/all
for folder in part part2 part1; do tail -n 1 $folder/history.csv >>part/all; done
mv part/all part/history.csv
near block.one part

# failures: what PETSc does not know, at once and deep in its hierarchy
for option in -ingot_pc_type -ingot_mg_levels_pc_type; do
  PETSC_OPTIONS="$option none_such" many 3 run block.yaml -o x >table 2>log && fail "an unknown preconditioner runs"
  [ "$(grep -c 'ingot: error: PETSc: .*none_such' log)" = 1 ] || fail "an unknown preconditioner is not told once"
  grep -q 'PETSC ERROR' log && fail "PETSc prints"
done
# memory that one rank does not get, in set-up and in the middle of solves: all end, with one message
if ! nm -D "$INGOT" 2>/dev/null | grep -q __asan_ && gcc -shared -fPIC -O1 -o fail.so "$SOURCE/tests/cli/fail_calls.c" -ldl 2>log; then
  for at in 264 266 $(seq 296 302) 320; do # the preconditioner is made, given values, used
    timeout 60 mpirun -n 1 "$INGOT" run block.yaml -b cpu -t 1 -o poor : -n 1 env LD_PRELOAD="$work/fail.so" FAIL_CALL=malloc FAIL_AT=$at FAIL_ERROR=12 FAIL_FROM=block.yaml "$INGOT" run block.yaml -b cpu -t 1 -o poor >table 2>log
    [ $? = 1 ] || fail "a rank without memory does not end the job ($at)"
    [ "$(grep -c 'ingot: error: rank 1 on .*no memory' log)" = 1 ] || fail "a rank without memory is not told of once ($at)"
  done
fi

# signals that PETSc would take stop the run with a checkpoint
many 2 run block.yaml -s iterations=100000 -s change=0 -o long >table 2>log &
for _ in $(seq 200); do grep -qs 'iteration' log && break; sleep 0.05; done
sleep 0.3
kill -HUP "$(pgrep -f "^$INGOT run block.yaml -s iterations=100000" | tail -1)"
wait
grep -q '"interrupted"' long/summary.json || fail "a hangup does not stop the run"
[ -s long/checkpoint.h5 ] || fail "no checkpoint of a stopped run"
echo "petsc test: good"
