# A chain from design to crack: its stages leave what they should, are not run again when they are up to
# date, go on when interrupted, run alone, and refuse what cannot be. INGOT_TEST_BACKEND names another
# backend than the CPU.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export INGOT_MATERIALS=$SOURCE/materials
sed "s/^backend: .*/backend: ${INGOT_TEST_BACKEND:-cpu}/" "$SOURCE/tests/cli/chain.yaml" >small.yaml
fail() { echo "chain test: $*"; cat log out 2>/dev/null; exit 1; }
refused() { # words expected, arguments…
  local words=$1
  shift
  "$INGOT" run "$@" >out 2>log && fail "not refused: $*"
  [ "$(grep -c 'ingot: error: ' log)" = 1 ] && [ "$(grep 'ingot: error: ' log | grep -cF -- "$words")" = 1 ] ||
    fail "expected one line with '$words' from: $*"
}

# all of it, and every figure of the report is a number that can be
"$INGOT" check small.yaml --set precision=single >out 2>log || fail "a precision for all stages is not left to those that have it"
[ -s log ] && fail "a precision for all stages is grumbled about"
sed 's/^    physics: topopt/&\n    symmetry: [y-]/' small.yaml >half.yaml
"$INGOT" check half.yaml >out 2>log && grep -q "half.yaml:22:11: from: 'design' has planes of symmetry" log || fail "half a design goes for the whole part"
"$INGOT" run small.yaml >out 2>log || fail "the chain fails"
for file in design.png load.png summary.json design/summary.json shape/path.csv print/history.csv crack/snap.vtkhdf.series; do
  [ -s small-out/$file ] || fail "$file is missing"
done
grep -aq 'surface, part.stl, 16 x 8 x 24 mm' small-out/design.png || fail "the picture of the design is not of its surface"
grep -aq 'region number' small-out/shape.png || fail "the picture of the shape is not what it says"
number() { sed -n "s/^ *\"$1 \[.*\": \([0-9.e+-]*\),*$/\1/p" small-out/summary.json; }
between() { # name, least, most
  awk -v v="$(number "$1")" -v a="$2" -v b="$3" 'BEGIN { exit !(v != "" && v >= a && v <= b) }' || fail "$1 is '$(number "$1")', expected $2 to $3"
}
between mass 3e-3 8e-3
between "peak temperature" 1928 6000
between "first yield" 500 50000
between "crack energy" 1 5000
awk -v a="$(number "first yield")" -v b="$(number "offset yield")" 'BEGIN { exit !(b > a) }' || fail "the offset load is not above that of first yield"

grep -q '"first yield \[N\]"' small-out/summary.json || fail "a figure lacks its unit"

# a check tells what is there and touches nothing
there() { find small-out -printf '%p %s %T@\n' | sort; }
before=$(there)
"$INGOT" check small.yaml >out 2>log || fail "the finished chain is not checked"
[ "$(grep -c 'up to date' out)" = 5 ] || fail "a check of a finished chain should find five stages up to date"
[ "$before" = "$(there)" ] || fail "a check wrote into the chain's folder"
rm -r small-out/load
before=$(there)
"$INGOT" check small.yaml >out 2>log || fail "the chain without its load is not checked"
grep -q 'nothing there yet' out && [ "$before" = "$(there)" ] || fail "a check of a stage to come wrote something"
cp small.yaml come.yaml
"$INGOT" check come.yaml >out 2>log || fail "the chain to come is not checked"
[ ! -e come-out ] || fail "a check made a folder"
"$INGOT" run small.yaml --stage load >out 2>log || fail "--stage load fails"

# nothing is run twice; a stage alone is, and leaves the same
stamp() { cksum small-out/*/snap_*.vtkhdf small-out/*/summary.json; }
before=$(stamp)
"$INGOT" run small.yaml >out 2>log || fail "the second run fails"
[ "$(grep -c 'is up to date' log)" = 5 ] && [ "$before" = "$(stamp)" ] || fail "something was run again"
cp -r small-out/shape shape-before
"$INGOT" run small.yaml --stage shape >out 2>log || fail "--stage shape fails"
cmp small-out/shape/snap_000000.vtkhdf shape-before/snap_000000.vtkhdf || fail "the shape is another"
cmp small-out/shape/path.csv shape-before/path.csv || fail "the path is another"

# a change runs what depends on it, and no more
"$INGOT" run small.yaml --set 'stages.load.analysis.duration=0.1 ms' >out 2>log || fail "the changed chain fails"
[ "$(grep -c 'is up to date' log)" = 4 ] || fail "a change of load alone should leave four stages as they are"

# interrupted in the print, the same command goes on to the same end
fine="--set stages.print.output.history_every=50 --set stages.print.time_step=4ms"
"$INGOT" run small.yaml $fine >out 2>log || fail "the chain with a finer print fails"
cp -r small-out cut
rm -rf cut/print cut/load
"$INGOT" run small.yaml $fine --out cut >out 2>log &
pid=$!
for _ in $(seq 300); do [ -s cut/print/snap_000000.vtkhdf ] && break; sleep 0.02; done
kill -INT $pid
wait $pid && fail "an interrupted chain should not succeed"
grep -q 'goes on from here' log || fail "no word on how to go on"
grep -q '"interrupted"' cut/print/summary.json || fail "the print does not say it was interrupted"
step=$(sed -n 's/^ *"steps": \([0-9]*\),*$/\1/p' cut/print/summary.json)
refused "which is not complete: run 'print' first" small.yaml $fine --out cut --stage load
"$INGOT" run small.yaml $fine --out cut --stage crack >out 2>log || fail "crack needs nothing of the print"
"$INGOT" run small.yaml $fine --out cut >out 2>log || fail "the interrupted chain does not go on"
[ "${INGOT_TEST_BACKEND:-cpu}" != cpu ] || cmp cut/print/history.csv small-out/print/history.csv || fail "the print ended differently"

# what cannot be
refused "there is no stage 'prnt'" small.yaml --stage prnt
refused "which is not there: run 'design' first" small.yaml --stage shape --out none
refused "which is of another case than the file's now" small.yaml --stage print --set stages.design.volume=0.3
refused "falls apart" small.yaml --stage shape --set stages.shape.level=0.97 --set stages.shape.smoothing=0 --set stages.shape.loose=0
refused "no stage 'shap' before 'print'" small.yaml --set stages.print.mesh.from=shap
refused "unknown key 'stags'" small.yaml --set stags=1
refused "did you mean 'duration'" small.yaml --set stages.print.duraton=1
refused "gives no figure 'print_tim' that is a number: did you mean 'print_time'?" small.yaml --set stages.print.duration.figure=print_tim
cat >air.yaml <<END
stages:
  design:
    physics: topopt
    grid: {elements: [6, 6, 6]}
    supports: {box: {min: [0, 0, 6], max: [6, 6, 6]}}
    loads: {box: {min: [3, 3, 3], max: [3, 3, 3]}, force: [0, 0, -1]}
    passive: {box: {min: [0, 0, 0], max: [6, 6, 2]}, as: void}
    iterations: 3
  shape: {physics: shape, from: design, voxel: 1, smoothing: 0}
END
refused "does not touch the plate" air.yaml --backend cpu
echo "a chain of five stages in all its ways; the print was cut at step $step"
